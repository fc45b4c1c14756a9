//! How nodes find their addresses.

use serde_json::{Value, json};

use super::report::Report;
use super::variables::Variables;
use crate::installation::inputs::InstallationInputs;

const V4: &str = "calicoNetwork/nodeAddressAutodetectionV4";
const V6: &str = "calicoNetwork/nodeAddressAutodetectionV6";

/// Both families.
pub(super) fn convert(variables: &mut Variables, inputs: &InstallationInputs, report: &mut Report) {
    family(variables, "IP", V4, true, inputs, report);
    family(variables, "IP6", V6, false, inputs, report);
    router_id(variables, report);
    let what = "set asNumber of BGPConfiguration default and take the variable out";
    if let Some(text) = variables.take("AS", report) {
        report.blocked(&variables.field("AS"), text, what);
    }
}

/// Without a word calico-node looks for an IPv4 address, and for no IPv6 address.
fn family(
    variables: &mut Variables,
    name: &str,
    path: &str,
    by_default: bool,
    inputs: &InstallationInputs,
    report: &mut Report,
) {
    let method_name = format!("{name}_AUTODETECTION_METHOD");
    let field = variables.field(name);
    let stated = variables.take(name, report);
    let method = variables.take(&method_name, report);
    match stated.as_deref() {
        Some("autodetect") => self::method(variables, &method_name, method, path, report),
        None if by_default => self::method(variables, &method_name, method, path, report),
        None => {}
        Some("none") if by_default && !only_v6(inputs) => report.blocked(
            &field,
            "none",
            "there are no IPv6 pools only, so nodes need an IPv4 address; use autodetect",
        ),
        Some("none") => report.same(&field, "none"),
        Some(address) => {
            let what = "the Installation states how an address is found, not the address; use autodetect";
            report.blocked(&field, address, what);
        }
    }
}

fn only_v6(inputs: &InstallationInputs) -> bool {
    let pools = crate::ip_pools::stated(&inputs.ip_pools);
    !pools.is_empty() && pools.iter().all(|pool| pool.cidr.contains(':'))
}

fn method(variables: &Variables, name: &str, method: Option<String>, path: &str, report: &mut Report) {
    let text = method.unwrap_or_else(|| "first-found".into());
    let field = variables.field(name);
    match parsed(&text) {
        Some(value) => report.carried(&field, text, path, value),
        None => report.blocked(
            &field,
            text,
            "known methods are first-found, kubernetes-internal-ip, interface=, skip-interface=, can-reach= and cidr=",
        ),
    }
}

fn parsed(text: &str) -> Option<Value> {
    match text {
        "first-found" => return Some(json!({"firstFound": true})),
        "kubernetes-internal-ip" => return Some(json!({"kubernetes": "NodeInternalIP"})),
        _ => {}
    }
    let (word, value) = text.split_once('=')?;
    let cidrs = || value.split(',').map(str::trim).collect::<Vec<_>>();
    Some(match word {
        "interface" => json!({"interface": value}),
        "skip-interface" => json!({"skipInterface": value}),
        "can-reach" => json!({"canReach": value}),
        "cidr" => json!({"cidrs": cidrs()}),
        _ => return None,
    })
}

/// The operator has it made from the node's name where there is no IPv4 address, and only there.
fn router_id(variables: &mut Variables, report: &mut Report) {
    let field = variables.field("CALICO_ROUTER_ID");
    let Some(text) = variables.take("CALICO_ROUTER_ID", report) else { return };
    match text == "hash" && report.get(V4).is_none() {
        true => report.same(&field, text),
        false => report.blocked(&field, text, "the operator lets each node use its IPv4 address; take it out"),
    }
}
