//! The MTU: one number in an Installation, one variable for each kind of tunnel in a manifest.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::PodSpec;
use serde_json::json;

use super::cni;
use super::report::Report;
use super::variables::Variables;
use crate::installation::inputs::InstallationInputs;

const TUNNELS: [&str; 5] =
    ["FELIX_IPINIPMTU", "FELIX_VXLANMTU", "FELIX_WIREGUARDMTU", "FELIX_VXLANMTUV6", "FELIX_WIREGUARDMTUV6"];

/// Zero means that it is found out, as with the operator if nothing is stated.
pub(super) fn convert(variables: &mut Variables, pod: &PodSpec, inputs: &InstallationInputs, report: &mut Report) {
    let mut found = Vec::new();
    for name in TUNNELS {
        let field = variables.field(name);
        found.extend(variables.take(name, report).map(|text| (field, text)));
    }
    found.extend(cni::mtu(pod, inputs).map(|text| ("initContainers[install-cni] MTU".into(), text)));
    let values: BTreeSet<_> = found.iter().map(|(_, text)| text.clone()).collect();
    let numbers: Option<BTreeSet<u32>> = values.iter().map(|text| text.parse().ok()).collect();
    for (field, text) in found {
        match numbers.as_ref().map(|numbers| (numbers.len(), numbers.first().copied().unwrap_or_default())) {
            Some((1, 0)) => report.same(&field, text),
            Some((1, mtu)) => report.carried(&field, text, "calicoNetwork/mtu", json!(mtu)),
            Some(_) => {
                let all = values.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
                let what =
                    format!("the Installation has one MTU for all, the manifest has {all}; make them one number");
                report.blocked(&field, text, what);
            }
            None => report.blocked(&field, text, "an MTU is a number of bytes"),
        }
    }
}
