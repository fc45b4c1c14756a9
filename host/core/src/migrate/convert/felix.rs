//! Felix's variables: fields of the Installation, what the operator sets too, and fields of FelixConfiguration.

mod fields;
mod lay;

use serde_json::{Value, json};

use super::report::Report;
use super::variables::Variables;
use crate::installation::inputs::InstallationInputs;

pub use lay::missing_felix;
pub(crate) use lay::with_felix;

/// Variables that the operator sets for calico-node itself, so that nothing else can say otherwise.
const FIXED: [(&str, &str); 3] = [
    ("FELIX_DEFAULTENDPOINTTOHOSTACTION", "ACCEPT"),
    ("FELIX_HEALTHENABLED", "true"),
    ("FELIX_DATASTORETYPE", "kubernetes"),
];

/// Converts all that are left.
pub(super) fn convert(variables: &mut Variables, inputs: &InstallationInputs, report: &mut Report) {
    for (name, value) in FIXED {
        let what = format!("the operator's calico-node has {value}, which a FelixConfiguration cannot change");
        variables.fixed(name, value, &what, report);
    }
    let typha = variables.names("FELIX_TYPHA");
    let typha: Vec<_> = typha.iter().map(String::as_str).collect();
    variables.drop_each(&typha, "the operator runs Typha and connects calico-node to it", report);
    ipv6(variables, report);
    dataplane(variables, report);
    metrics(variables, report);
    other_cni(variables, report);
    fields::convert(variables, inputs.felix.as_ref(), report);
}

/// The operator turns it on with the search for an IPv6 address, and off without.
fn ipv6(variables: &mut Variables, report: &mut Report) {
    let name = "FELIX_IPV6SUPPORT";
    let field = variables.field(name);
    let Some(text) = variables.take(name, report) else { return };
    let on = report.get("calicoNetwork/nodeAddressAutodetectionV6").is_some();
    match on == is_true(&text) {
        true => report.same(&field, text),
        false => report.blocked(&field, text, "set it to true together with IP6 autodetect, or to false without"),
    }
}

fn dataplane(variables: &mut Variables, report: &mut Report) {
    const DATAPLANE: &str = "calicoNetwork/linuxDataplane";
    let field = variables.field("FELIX_BPFENABLED");
    match variables.take("FELIX_BPFENABLED", report) {
        Some(text) if is_true(&text) => report.carried(&field, text, DATAPLANE, json!("BPF")),
        Some(text) => report.same(&field, text),
        None => {}
    }
    let field = variables.field("FELIX_NFTABLESMODE");
    match variables.take("FELIX_NFTABLESMODE", report) {
        Some(text) if text.eq_ignore_ascii_case("enabled") => {
            report.carried(&field, text, DATAPLANE, json!("Nftables"));
        }
        Some(text) if text.eq_ignore_ascii_case("disabled") => report.same(&field, text),
        Some(text) => report.blocked(&field, text, "choose Enabled or Disabled, as nodes have it"),
        None => {}
    }
}

fn metrics(variables: &mut Variables, report: &mut Report) {
    let (on, port) = ("FELIX_PROMETHEUSMETRICSENABLED", "FELIX_PROMETHEUSMETRICSPORT");
    let (on_field, port_field) = (variables.field(on), variables.field(port));
    let (on, port) = (variables.take(on, report), variables.take(port, report));
    let Some(on) = on else {
        if let Some(port) = port {
            report.carried_to_felix(&port_field, &port, "prometheusMetricsPort", number(&port));
        }
        return;
    };
    if !is_true(&on) {
        return report.same(&on_field, on);
    }
    let port = port.unwrap_or_else(|| "9091".into());
    match port.parse::<u16>() {
        Ok(number) => report.carried(&on_field, format!("{on}, port {port}"), "nodeMetricsPort", json!(number)),
        Err(_) => report.blocked(&port_field, port, "a port is a number from 1 to 65535"),
    }
}

/// What the operator sets for the CNI plugin of a cloud.
fn other_cni(variables: &mut Variables, report: &mut Report) {
    let set = match report.get("cni/type").and_then(Value::as_str) {
        Some("AmazonVPC") => &[
            ("FELIX_INTERFACEPREFIX", "eni"),
            ("FELIX_IPTABLESMANGLEALLOWACTION", "Return"),
            ("FELIX_ROUTESOURCE", "WorkloadIPs"),
            ("FELIX_WIREGUARDHOSTENCRYPTIONENABLED", "true"),
        ][..],
        Some("AzureVNET") => &[
            ("FELIX_INTERFACEPREFIX", "azv"),
            ("FELIX_ROUTESOURCE", "WorkloadIPs"),
            ("FELIX_WIREGUARDHOSTENCRYPTIONENABLED", "true"),
        ],
        Some("GKE") => &[
            ("FELIX_INTERFACEPREFIX", "gke"),
            ("FELIX_IPTABLESMANGLEALLOWACTION", "Return"),
            ("FELIX_IPTABLESFILTERALLOWACTION", "Return"),
            ("FELIX_ROUTESOURCE", "WorkloadIPs"),
        ],
        _ => &[],
    };
    for (name, value) in set {
        let what = format!("with this CNI plugin the operator's calico-node has {value}; set that");
        variables.fixed(name, value, &what, report);
    }
}

fn is_true(text: &str) -> bool {
    ["true", "1", "yes", "y", "t"].contains(&text.to_lowercase().as_str())
}

fn number(text: &str) -> Value {
    text.parse::<u64>().map_or_else(|_| text.into(), Into::into)
}
