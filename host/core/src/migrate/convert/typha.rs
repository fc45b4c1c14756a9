//! The Deployment calico-typha.

use k8s_openapi::api::apps::v1::Deployment;
use serde_json::json;

use super::pods;
use super::report::Report;
use super::variables::Variables;
use crate::installation::inputs::InstallationInputs;
use crate::migrate::names::{self, TYPHA};

const OVERRIDE: &str = "typhaDeployment";
/// What the operator's Typha has as well.
const FIXED: [(&str, &str); 6] = [
    ("TYPHA_LOGSEVERITYSCREEN", "info"),
    ("TYPHA_LOGFILEPATH", "none"),
    ("TYPHA_LOGSEVERITYSYS", "none"),
    ("TYPHA_CONNECTIONREBALANCINGMODE", "kubernetes"),
    ("TYPHA_DATASTORETYPE", "kubernetes"),
    ("TYPHA_HEALTHENABLED", "true"),
];
/// Certificates and names of the old install.
const OWN: [&str; 9] = [
    "TYPHA_CAFILE",
    "TYPHA_SERVERCERTFILE",
    "TYPHA_SERVERKEYFILE",
    "TYPHA_CLIENTCN",
    "TYPHA_CLIENTURISAN",
    "TYPHA_K8SNAMESPACE",
    "TYPHA_K8SSERVICENAME",
    "TYPHA_SHUTDOWNTIMEOUTSECS",
    "USE_POD_CIDR",
];

/// Converts it.
pub(super) fn convert(typha: &Deployment, inputs: &InstallationInputs, report: &mut Report) {
    report.of(names::typha());
    let Some(spec) = &typha.spec else { return };
    report.dropped("spec.replicas", spec.replicas.unwrap_or(1), "the operator runs as many as the nodes need");
    pods::metadata(spec.template.metadata.as_ref(), OVERRIDE, report);
    let Some(pod) = &spec.template.spec else { return };
    for container in &pod.containers {
        if container.name != TYPHA {
            let what = "no field of the Installation adds a container; remove it, or have a plugin add it";
            report.blocked(&format!("containers[{}]", container.name), "it runs beside", what);
            continue;
        }
        pods::command(container, report);
        let mut variables = Variables::of(container, &inputs.manifest, report);
        environment(&mut variables, report);
        variables.block_rest(report);
    }
    grace(pod.termination_grace_period_seconds, report);
    pods::resources(pod, OVERRIDE, report);
    pods::convert(pod, &pods::TYPHA_POD, report);
}

fn environment(variables: &mut Variables, report: &mut Report) {
    for (name, value) in FIXED {
        variables.fixed(name, value, &format!("the operator's Typha has {value}; take it out"), report);
    }
    variables.drop_each(&OWN, "the operator sets it for its own Typha", report);
    let endpoint = "it comes from ConfigMap tigera-operator/kubernetes-services-endpoint";
    variables.drop_each(&["KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"], endpoint, report);
    metrics(variables, report);
}

fn metrics(variables: &mut Variables, report: &mut Report) {
    let (on, port) = ("TYPHA_PROMETHEUSMETRICSENABLED", "TYPHA_PROMETHEUSMETRICSPORT");
    let field = variables.field(on);
    let (on, port) = (variables.take(on, report), variables.take(port, report));
    if on.is_none_or(|on| on != "true") {
        return;
    }
    let port = port.unwrap_or_else(|| "9093".into());
    match port.parse::<u16>() {
        Ok(number) => report.carried(&field, format!("true, port {port}"), "typhaMetricsPort", json!(number)),
        Err(_) => report.blocked(&field, port, "a port is a number from 1 to 65535"),
    }
}

fn grace(seconds: Option<i64>, report: &mut Report) {
    // 30 is what Kubernetes fills in, which nobody chose.
    let Some(seconds) = seconds.filter(|seconds| ![0, 30, 300].contains(seconds)) else { return };
    let path = "typhaDeployment/spec/template/spec/terminationGracePeriodSeconds";
    report.carried("terminationGracePeriodSeconds", seconds, path, json!(seconds));
}
