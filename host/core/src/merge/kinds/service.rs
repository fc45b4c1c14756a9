//! A Service keeps the addresses and ports that were assigned to it.

use serde_json::{Map, Value};

use super::keep;

/// Assigned with the address.
const ASSIGNED: [&str; 5] = ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "loadBalancerClass"];

pub(super) fn carry_over(live: &Map<String, Value>, wanted: &mut Map<String, Value>) {
    let kind = wanted.get("spec").and_then(|spec| spec.get("type")).and_then(Value::as_str).unwrap_or_default();
    let outside = matches!(kind, "NodePort" | "LoadBalancer");
    if kind == "ExternalName" {
        return;
    }
    ASSIGNED.iter().for_each(|field| keep(live, wanted, &["spec", field]));
    if outside {
        keep(live, wanted, &["spec", "healthCheckNodePort"]);
        node_ports(live, wanted);
    }
}

fn node_ports(live: &Map<String, Value>, wanted: &mut Map<String, Value>) {
    let ports = live.get("spec").and_then(|spec| spec.get("ports")).and_then(Value::as_array);
    let Some(wanted) = wanted.get_mut("spec").and_then(|spec| spec.get_mut("ports")).and_then(Value::as_array_mut)
    else {
        return;
    };
    for port in wanted.iter_mut().filter_map(Value::as_object_mut) {
        let same = |live: &&Value| ["port", "protocol"].iter().all(|field| live.get(*field) == port.get(*field));
        let assigned = ports.into_iter().flatten().find(same).and_then(|live| live.get("nodePort")).cloned();
        if let Some(assigned) = assigned {
            port.entry("nodePort").or_insert(assigned);
        }
    }
}
