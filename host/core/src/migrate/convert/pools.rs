//! IP pools: those that exist count; variables only say what a first start creates.

use chimera_crds::installation::{CniType, EncapsulationType, IpPool, Toggle};
use serde_json::{Value, json};

use super::report::Report;
use super::variables::Variables;
use crate::installation::inputs::InstallationInputs;

const POOLS: &str = "calicoNetwork/ipPools";

/// One pool for each family: the one that calico-node made, else the first. Another CNI plugin's addresses are its own.
pub(super) fn convert(variables: &mut Variables, inputs: &InstallationInputs, report: &mut Report) {
    if report.get("cni/type").is_some_and(|cni| *cni != json!(CniType::Calico)) {
        for prefix in ["CALICO_IPV4POOL_", "CALICO_IPV6POOL_", "NO_DEFAULT_POOLS"] {
            let names = variables.names(prefix);
            let names: Vec<_> = names.iter().map(String::as_str).collect();
            variables.drop_each(&names, "pods get their addresses from another CNI plugin", report);
        }
        return;
    }
    let existing = crate::ip_pools::stated(&inputs.ip_pools);
    let mut pools: Vec<_> = [(false, "default-ipv4-ippool"), (true, "default-ipv6-ippool")]
        .into_iter()
        .filter_map(|(v6, name)| of_family(&existing, v6, name))
        .collect();
    let there = !existing.is_empty();
    for (prefix, v6) in [("CALICO_IPV4POOL_", false), ("CALICO_IPV6POOL_", true)] {
        let names = variables.names(prefix);
        if there {
            let names: Vec<_> = names.iter().map(String::as_str).collect();
            variables.drop_each(&names, "it counts when pools are created; those that exist are kept", report);
        } else {
            pools.extend(created(variables, prefix, v6, inputs, report));
        }
    }
    let own = "the operator looks after the pools";
    variables.drop_each(&["NO_DEFAULT_POOLS"], own, report);
    if !pools.is_empty() {
        report.set(POOLS, json!(pools));
    }
}

/// Pools that hand out addresses to pods.
fn of_family(existing: &[IpPool], v6: bool, name: &str) -> Option<IpPool> {
    let for_pods = |pool: &&IpPool| {
        let uses = pool.allowed_uses.as_deref().unwrap_or_default();
        uses.is_empty() || uses.iter().any(|used| used == "Workload")
    };
    let mut of_family = existing.iter().filter(for_pods).filter(|pool| pool.cidr.contains(':') == v6);
    let first = of_family.clone().find(|pool| pool.disable_new_allocations != Some(true));
    of_family.find(|pool| pool.name.as_deref() == Some(name)).or(first).cloned()
}

/// The pool that a first start creates. An IPv6 pool without a range is none: calico-node would make a range up.
fn created(
    variables: &mut Variables,
    prefix: &str,
    v6: bool,
    inputs: &InstallationInputs,
    report: &mut Report,
) -> Option<IpPool> {
    let mut take = |name: &str, report: &mut Report| {
        let name = format!("{prefix}{name}");
        let text = variables.take(&name, report)?;
        report.carried(&variables.field(&name), &text, POOLS, Value::Null);
        Some((variables.field(&name), text))
    };
    let cidr = take("CIDR", report).map(|(_, text)| text);
    let block_size = take("BLOCK_SIZE", report).and_then(|(field, text)| block_size(&field, &text, report));
    let node_selector = take("NODE_SELECTOR", report).map(|(_, text)| text);
    let nat_outgoing = take("NAT_OUTGOING", report).map(|(_, text)| toggle(&text));
    let disable_bgp_export = take("DISABLE_BGP_EXPORT", report).map(|(_, text)| text == "true");
    let modes = (take("IPIP", report), take("VXLAN", report));
    let encapsulation = encapsulation(&modes, report);
    let cidr = cidr.or_else(|| (!v6).then(|| pod_cidr(inputs)))?;
    let name = Some(if v6 { "default-ipv6-ippool" } else { "default-ipv4-ippool" }.into());
    Some(IpPool {
        name,
        cidr,
        block_size,
        node_selector,
        nat_outgoing,
        disable_bgp_export,
        encapsulation,
        ..IpPool::default()
    })
}

/// The range that calico-node takes by itself.
fn pod_cidr(inputs: &InstallationInputs) -> String {
    let of_cluster = crate::installation::pod_cidrs::of(inputs).into_iter().find(|cidr| !cidr.contains(':'));
    of_cluster.unwrap_or_else(|| "192.168.0.0/16".into())
}

fn block_size(field: &str, text: &str, report: &mut Report) -> Option<i32> {
    let size = text.parse().ok();
    if size.is_none() {
        report.blocked(field, text, "a block size is a prefix length, such as 26");
    }
    size
}

type Mode = Option<(String, String)>;

fn encapsulation((ipip, vxlan): &(Mode, Mode), report: &mut Report) -> Option<EncapsulationType> {
    // `Off` is an old word for `Never`; without any word there is IP-in-IP on neither.
    let word = |mode: &Mode| mode.as_ref().map_or("Never", |(_, text)| text.as_str()).to_lowercase();
    Some(match (word(ipip).as_str(), word(vxlan).as_str()) {
        ("always", "never" | "off") => EncapsulationType::Ipip,
        ("crosssubnet" | "cross-subnet", "never" | "off") => EncapsulationType::IpipCrossSubnet,
        ("never" | "off", "always") => EncapsulationType::Vxlan,
        ("never" | "off", "crosssubnet" | "cross-subnet") => EncapsulationType::VxlanCrossSubnet,
        ("never" | "off", "never" | "off") => EncapsulationType::None,
        _ => {
            let (field, text) = ipip.as_ref().or(vxlan.as_ref())?;
            report.blocked(field, text, "one of IPIP and VXLAN is Always or CrossSubnet, the other one Never");
            return None;
        }
    })
}

fn toggle(text: &str) -> Toggle {
    if text == "false" { Toggle::Disabled } else { Toggle::Enabled }
}
