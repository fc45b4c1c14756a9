//! The CNI plugin: whose it is, and what its configuration says.

mod plugins;

use chimera_crds::installation::CniType;
use k8s_openapi::api::core::v1::{Container, PodSpec};
use serde_json::{Map, Value, json};

use super::report::Report;
use super::variables::Variables;
use crate::installation::inputs::InstallationInputs;

const INSTALLER: &str = "install-cni";
const CONFIG: &str = "CNI_NETWORK_CONFIG";
/// What an installer fills in without quotes around it.
const MTU_PLACE: &str = "__CNI_MTU__";

/// Calico's own plugin is there if its installer is.
pub(super) fn convert(pod: &PodSpec, node: &Container, inputs: &InstallationInputs, report: &mut Report) {
    let Some(container) = installer(pod) else { return other(node, inputs, report) };
    report.set("cni/type", json!(CniType::Calico));
    let mut variables = Variables::of(container, &inputs.manifest, report);
    let field = variables.field(CONFIG);
    match variables.take(CONFIG, report).map(|text| parsed(&text)) {
        Some(Ok(config)) => plugins::convert(&config, &field, report),
        Some(Err(error)) => report.blocked(&field, error, "it is no JSON that can be read; correct it"),
        None => report.blocked(&field, "not set", "the configuration has to stand in the manifest, not on hosts"),
    }
    installation(&mut variables, report);
    variables.block_rest(report);
}

fn installer(pod: &PodSpec) -> Option<&Container> {
    let init = pod.init_containers.iter().flatten();
    // Until v3.0 it ran beside calico-node.
    init.chain(&pod.containers).find(|container| container.name == INSTALLER)
}

/// Where the configuration goes and how.
fn installation(variables: &mut Variables, report: &mut Report) {
    let what = "the operator writes 10-calico.conflist; another file would stay behind and win or lose by its name";
    variables.fixed("CNI_CONF_NAME", "10-calico.conflist", what, report);
    variables.node_name("KUBERNETES_NODE_NAME", report);
    variables.drop_each(&["CNI_MTU"], "it is part of the MTU", report);
    variables.drop_each(&["SLEEP"], "the installer ends by itself", report);
    variables.drop_each(&["CNI_NET_DIR"], "it follows from the directory that is mounted", report);
    let endpoint = "it comes from ConfigMap tigera-operator/kubernetes-services-endpoint";
    variables.drop_each(&["KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"], endpoint, report);
    let all = "the operator brings binaries up to date; take it out, or set spec.cni.installMode to CalicoOnly";
    variables.fixed("UPDATE_CNI_BINARIES", "true", all, report);
    if let Some(text) = variables.take("SKIP_CNI_BINARIES", report) {
        report.blocked(&variables.field("SKIP_CNI_BINARIES"), text, all);
    }
}

/// The text of the MTU that pods get, if Calico's plugin is there.
pub(super) fn mtu(pod: &PodSpec, inputs: &InstallationInputs) -> Option<String> {
    let mut unused = Report::default();
    let mut variables = Variables::of(installer(pod)?, &inputs.manifest, &mut unused);
    let stated = variables.take("CNI_MTU", &mut unused);
    let text = variables.take(CONFIG, &mut unused)?;
    if text.contains(MTU_PLACE) {
        return stated;
    }
    let config = parsed(&text).ok()?;
    let plugin = plugins::list(&config).into_iter().find(|plugin| plugin.get("type") == Some(&json!("calico")))?;
    // With host-local IPAM stock manifests have 1500 here, which is what a host without tunnels has anyway.
    let mtu = plugin.get("mtu")?;
    let tunnels = ipam_type(plugin) != Some("host-local") || mtu != 1500;
    tunnels.then(|| mtu.to_string())
}

fn ipam_type(plugin: &Map<String, Value>) -> Option<&str> {
    plugin.get("ipam")?.get("type")?.as_str()
}

fn parsed(text: &str) -> Result<Map<String, Value>, serde_json::Error> {
    serde_json::from_str(&text.replace(MTU_PLACE, "0"))
}

/// A plugin that somebody else installs, known by its pods' interfaces unless the Installation says which.
fn other(node: &Container, inputs: &InstallationInputs, report: &mut Report) {
    let stated = inputs.installation.spec.cni.as_ref().map(|cni| cni.type_);
    let prefix = node.env.iter().flatten().find(|variable| variable.name == "FELIX_INTERFACEPREFIX");
    let prefix = prefix.and_then(|variable| variable.value.as_deref());
    let known = match prefix {
        Some("eni") => Some(CniType::AmazonVpc),
        Some("azv") => Some(CniType::AzureVnet),
        Some("gke") => Some(CniType::Gke),
        _ if inputs.aws_node => Some(CniType::AmazonVpc),
        _ => None,
    };
    let field = "initContainers[install-cni]";
    match stated.filter(|cni| *cni != CniType::Calico).or(known) {
        Some(cni) => {
            let name = json!(cni);
            report.carried(field, format!("absent, so the CNI plugin is {name}"), "cni/type", name);
        }
        None => {
            report.set("cni/type", Value::Null);
            report.blocked(field, "absent", "another CNI plugin is in use; say which one in spec.cni.type");
        }
    }
}
