//! Defaults of a Service. The addresses that the API server assigns are no defaults: merge keeps those of the live one.

use serde_json::{Map, Value, json};

use super::fill::{each, made, set, text};

/// How long a client sticks to its endpoint, in seconds.
const AFFINITY_SECONDS: i64 = 10_800;

pub(super) fn defaults(spec: &mut Map<String, Value>) {
    set(spec, "type", "ClusterIP");
    set(spec, "sessionAffinity", "None");
    let kind = text(spec, "type").unwrap_or_default().to_owned();
    if text(spec, "sessionAffinity") == Some("ClientIP") {
        made(spec, "sessionAffinityConfig", |config| {
            made(config, "clientIP", |client| set(client, "timeoutSeconds", AFFINITY_SECONDS));
        });
    }
    if kind != "ExternalName" {
        set(spec, "internalTrafficPolicy", "Cluster");
    }
    if matches!(kind.as_str(), "NodePort" | "LoadBalancer") {
        set(spec, "externalTrafficPolicy", "Cluster");
    }
    if kind == "LoadBalancer" {
        set(spec, "allocateLoadBalancerNodePorts", true);
    }
    each(spec, "ports", port);
}

fn port(port: &mut Map<String, Value>) {
    set(port, "protocol", "TCP");
    let number = port.get("port").cloned().unwrap_or_else(|| json!(0));
    set(port, "targetPort", number);
}
