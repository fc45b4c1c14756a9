//! The DaemonSet calico-node.

use chimera_crds::installation::CniType;
use k8s_openapi::api::apps::v1::DaemonSet;
use k8s_openapi::api::core::v1::{Container, PodSpec};
use serde_json::json;

use super::report::Report;
use super::variables::Variables;
use super::{addresses, cni, felix, mtu, pods, pools, volumes};
use crate::installation::inputs::InstallationInputs;
use crate::migrate::names::{self, LABEL, NODE};

/// Containers that prepare a node, in manifests of any age.
const KNOWN_INIT: [&str; 5] = ["upgrade-ipam", "install-cni", "flexvol-driver", "mount-bpffs", "ebpf-bootstrap"];
const OVERRIDE: &str = "calicoNodeDaemonSet";

/// Converts it.
pub(super) fn convert(node: &DaemonSet, inputs: &InstallationInputs, report: &mut Report) {
    report.of(names::node());
    let Some(spec) = &node.spec else { return };
    update_strategy(node, report);
    let template = &spec.template;
    pods::metadata(template.metadata.as_ref(), OVERRIDE, report);
    let Some(pod) = &template.spec else { return };
    containers(pod, inputs, report);
    volumes::convert(pod, report);
    pods::convert(pod, &pods::NODE_POD, report);
    pods::image_pull_secrets(pod, report);
}

/// While nodes move the DaemonSet's own strategy is set aside.
fn update_strategy(node: &DaemonSet, report: &mut Report) {
    let Some(spec) = &node.spec else { return };
    let selector = spec.template.spec.as_ref().and_then(|pod| pod.node_selector.as_ref());
    if selector.is_some_and(|selector| selector.contains_key(LABEL)) {
        return;
    }
    let Some(strategy) = &spec.update_strategy else { return };
    let text = serde_json::to_value(strategy).unwrap_or_default();
    let usual = json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}});
    let surge = json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}});
    match text == usual || text == surge {
        true => report.same("spec.updateStrategy", &text),
        false => report.carried("spec.updateStrategy", &text, "nodeUpdateStrategy", text.clone()),
    }
}

fn containers(pod: &PodSpec, inputs: &InstallationInputs, report: &mut Report) {
    let init = pod.init_containers.iter().flatten();
    for container in init.filter(|container| !KNOWN_INIT.contains(&container.name.as_str())) {
        let what = "no plugin or field adds this init container; remove it, or have a plugin add it";
        report.blocked(&format!("initContainers[{}]", container.name), image(container), what);
    }
    for container in pod.containers.iter().filter(|container| container.name != NODE) {
        let what = "no field of the Installation adds a container; remove it, or have a plugin add it";
        report.blocked(&format!("containers[{}]", container.name), image(container), what);
    }
    let Some(container) = pod.containers.iter().find(|container| container.name == NODE) else {
        return report.blocked("containers", "none named calico-node", "this is no install of Calico that is known");
    };
    cni::convert(pod, container, inputs, report);
    pods::resources(pod, OVERRIDE, report);
    pods::command(container, report);
    calico_node(container, pod, inputs, report);
}

fn image(container: &Container) -> &str {
    container.image.as_deref().unwrap_or("without an image")
}

fn calico_node(container: &Container, pod: &PodSpec, inputs: &InstallationInputs, report: &mut Report) {
    let mut variables = Variables::of(container, &inputs.manifest, report);
    datastore(&mut variables, report);
    plumbing(&mut variables, report);
    mtu::convert(&mut variables, pod, inputs, report);
    backend(&mut variables, report);
    addresses::convert(&mut variables, inputs, report);
    pools::convert(&mut variables, inputs, report);
    felix::convert(&mut variables, inputs, report);
    variables.block_rest(report);
}

/// Only Kubernetes itself can be the datastore.
fn datastore(variables: &mut Variables, report: &mut Report) {
    let what = "the operator serves the Kubernetes datastore only; move the data from etcd first";
    variables.fixed("DATASTORE_TYPE", "kubernetes", what, report);
    for name in variables.names("ETCD_") {
        let field = variables.field(&name);
        if let Some(text) = variables.take(&name, report) {
            report.blocked(&field, text, what);
        }
    }
}

/// What only holds the pieces together.
fn plumbing(variables: &mut Variables, report: &mut Report) {
    for name in ["NODENAME", "FELIX_FELIXHOSTNAME", "CALICO_K8S_NODE_REF"] {
        variables.node_name(name, report);
    }
    let own = "the operator sets it by itself";
    let names = ["WAIT_FOR_DATASTORE", "CLUSTER_TYPE", "NAMESPACE", "CALICO_MANAGE_CNI", "USE_POD_CIDR"];
    variables.drop_each(&names, own, report);
    let logs = "calico-node of the operator writes its log to the container's output and to /var/log/calico";
    variables.drop_each(&["CALICO_DISABLE_FILE_LOGGING"], logs, report);
    let endpoint = "it comes from ConfigMap tigera-operator/kubernetes-services-endpoint";
    variables.drop_each(&["KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"], endpoint, report);
    variables.fixed("CALICO_NETWORKING", "true", "use CALICO_NETWORKING_BACKEND none instead", report);
}

/// Who programs routes between nodes.
fn backend(variables: &mut Variables, report: &mut Report) {
    const BGP: &str = "calicoNetwork/bgp";
    let name = "CALICO_NETWORKING_BACKEND";
    let field = variables.field(name);
    let text = variables.take(name, report).unwrap_or_else(|| "bird".into());
    let calico = report.get("cni/type").is_none_or(|cni| *cni == json!(CniType::Calico));
    let host_local = report.get("cni/ipam/type").is_some_and(|ipam| *ipam == json!("HostLocal"));
    match text.as_str() {
        "bird" => report.carried(&field, text, BGP, json!("Enabled")),
        "vxlan" if host_local => report.blocked(
            &field,
            text,
            "VXLAN needs Calico's IPAM; the operator serves host-local IPAM with the backends bird and none",
        ),
        "vxlan" => report.carried(&field, text, BGP, json!("Disabled")),
        "none" if !calico || host_local => report.carried(&field, text, BGP, json!("Disabled")),
        "none" => report.blocked(
            &field,
            text,
            "with Calico's CNI plugin and IPAM the operator runs bird or vxlan; choose one of them",
        ),
        _ => report.blocked(&field, text, "known backends are bird, vxlan and none"),
    }
}
