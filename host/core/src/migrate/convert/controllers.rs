//! The Deployment calico-kube-controllers.

use std::collections::BTreeSet;

use k8s_openapi::api::apps::v1::Deployment;

use super::pods;
use super::report::Report;
use super::variables::Variables;
use crate::installation::inputs::InstallationInputs;
use crate::migrate::names::{self, KUBE_CONTROLLERS};

const OVERRIDE: &str = "calicoKubeControllersDeployment";
/// Controllers that a stock install may run; which of them run with the operator is said by their own resource.
const KNOWN: [&str; 6] = ["node", "loadbalancer", "policy", "namespace", "serviceaccount", "workloadendpoint"];

/// Converts it.
pub(super) fn convert(controllers: &Deployment, inputs: &InstallationInputs, report: &mut Report) {
    report.of(names::kube_controllers());
    let Some(template) = controllers.spec.as_ref().map(|spec| &spec.template) else { return };
    pods::metadata(template.metadata.as_ref(), OVERRIDE, report);
    let Some(pod) = &template.spec else { return };
    for container in &pod.containers {
        if container.name != KUBE_CONTROLLERS {
            let what = "no field of the Installation adds a container; remove it, or have a plugin add it";
            report.blocked(&format!("containers[{}]", container.name), "it runs beside", what);
            continue;
        }
        pods::command(container, report);
        let mut variables = Variables::of(container, &inputs.manifest, report);
        environment(&mut variables, report);
        variables.block_rest(report);
    }
    pods::resources(pod, OVERRIDE, report);
    pods::convert(pod, &pods::KUBE_CONTROLLERS_POD, report);
}

fn environment(variables: &mut Variables, report: &mut Report) {
    variables.fixed("DATASTORE_TYPE", "kubernetes", "the operator serves the Kubernetes datastore only", report);
    variables.fixed("LOG_LEVEL", "info", "set logSeverityScreen of KubeControllersConfiguration default", report);
    let endpoint = "it comes from ConfigMap tigera-operator/kubernetes-services-endpoint";
    variables.drop_each(&["KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"], endpoint, report);
    let field = variables.field("ENABLED_CONTROLLERS");
    let Some(text) = variables.take("ENABLED_CONTROLLERS", report) else { return };
    let unknown: BTreeSet<_> = text.split(',').map(str::trim).filter(|name| !KNOWN.contains(name)).collect();
    match unknown.is_empty() {
        true => report.dropped(&field, text, "which controllers run is said by KubeControllersConfiguration default"),
        false => {
            let unknown = unknown.into_iter().collect::<Vec<_>>().join(", ");
            report.blocked(
                &field,
                text,
                format!("the operator's install runs no controller {unknown}; let it end first"),
            );
        }
    }
}
