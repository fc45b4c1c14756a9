//! The CNI configuration itself.

use serde_json::{Map, Value, json};

use super::super::report::Report;

/// Fields that mean the same with the operator, whatever they say.
const PLACES: [&str; 9] = [
    "type",
    "datastore_type",
    "policy",
    "kubernetes",
    "mtu",
    "endpoint_status_dir",
    "calico_api_group",
    "nodename_file_optional",
    "capabilities",
];

/// The plugins of a chain, or the one of a plain configuration.
pub(super) fn list(config: &Map<String, Value>) -> Vec<&Map<String, Value>> {
    match config.get("plugins").and_then(Value::as_array) {
        Some(plugins) => plugins.iter().filter_map(Value::as_object).collect(),
        None => vec![config],
    }
}

/// Converts it; `field` is where it stands.
pub(super) fn convert(config: &Map<String, Value>, field: &str, report: &mut Report) {
    head(config, field, report);
    let plugins = list(config);
    let name = |plugin: &Map<String, Value>| plugin.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    for plugin in &plugins {
        let at = format!("{field}.{}", name(plugin));
        match name(plugin).as_str() {
            "calico" => calico(plugin, &at, report),
            "portmap" => portmap(plugin, &at, report),
            "bandwidth" => report.same(&at, "on"),
            "tuning" => tuning(plugin, &at, report),
            other => report.blocked(&at, other, "the operator chains calico, portmap, bandwidth and tuning only"),
        }
    }
    if !plugins.iter().any(|plugin| name(plugin) == "portmap") {
        let at = format!("{field}.portmap");
        report.carried(&at, "absent", "calicoNetwork/hostPorts", json!("Disabled"));
    }
}

fn head(config: &Map<String, Value>, field: &str, report: &mut Report) {
    let text = |name: &str| config.get(name).and_then(Value::as_str);
    if let Some(name) = text("name").filter(|name| *name != "k8s-pod-network") {
        let what = "addresses are booked under k8s-pod-network with the operator, so pods would lose theirs";
        report.blocked(&format!("{field}.name"), name, what);
    }
    let at = format!("{field}.cniVersion");
    match text("cniVersion") {
        None | Some("0.3.1" | "0.3.0") => {}
        Some(version @ ("0.4.0" | "1.0.0")) => report.carried(&at, version, "cni/specVersion", json!(version)),
        Some(version) => report.blocked(&at, version, "the operator writes 0.3.1, 0.4.0 or 1.0.0"),
    }
}

fn calico(plugin: &Map<String, Value>, at: &str, report: &mut Report) {
    for (name, value) in plugin {
        let field = format!("{at}.{name}");
        match name.as_str() {
            "ipam" => ipam(value, &field, report),
            "container_settings" => settings(value, &field, report),
            "policy_setup_timeout_seconds" if *value != json!(0) => {
                report.carried(&field, value, "calicoNetwork/linuxPolicySetupTimeoutSeconds", value.clone());
            }
            "nodename" => placeholder(value, "__KUBERNETES_NODE_NAME__", &field, report),
            "datastore_type" if *value != json!("kubernetes") => {
                report.blocked(&field, value, "the operator serves the Kubernetes datastore only");
            }
            "policy" if value.get("type").is_some_and(|kind| kind != "k8s") => {
                report.blocked(&field, value, "the operator's policy type is k8s");
            }
            name if name.starts_with("log_") => log(name, value, &field, report),
            name if PLACES.contains(&name) || *value == json!(0) || *value == json!(false) => {}
            _ => report.blocked(&field, value, "no field of the Installation holds it; take it out"),
        }
    }
}

fn placeholder(value: &Value, usual: &str, field: &str, report: &mut Report) {
    if value != usual {
        report.blocked(field, value, format!("the operator has {usual} filled in; use that"));
    }
}

fn log(name: &str, value: &Value, field: &str, report: &mut Report) {
    let number = || value.as_i64().or_else(|| value.as_str()?.parse().ok());
    match (name, value.as_str(), number()) {
        ("log_level", Some(level), _) => {
            let severity = match level.to_lowercase().as_str() {
                "error" | "fatal" => "Error",
                "warning" | "warn" => "Warning",
                "info" => return report.same(field, level),
                "debug" | "trace" => "Debug",
                _ => return report.blocked(field, level, "levels are Error, Warning, Info and Debug"),
            };
            report.carried(field, level, "logging/cni/logSeverity", json!(severity));
        }
        ("log_file_path", Some("/var/log/calico/cni/cni.log"), _) => {}
        ("log_file_max_size", _, Some(size)) => {
            report.carried(field, size, "logging/cni/logFileMaxSize", json!(format!("{size}Mi")));
        }
        ("log_file_max_age", _, Some(days)) => {
            report.carried(field, days, "logging/cni/logFileMaxAgeDays", json!(days))
        }
        ("log_file_max_count", _, Some(count)) => {
            report.carried(field, count, "logging/cni/logFileMaxCount", json!(count));
        }
        _ => report.blocked(field, value, "no field of the Installation holds it; take it out"),
    }
}

fn settings(value: &Value, field: &str, report: &mut Report) {
    for (name, value) in value.as_object().into_iter().flatten() {
        let field = format!("{field}.{name}");
        match (name.as_str(), value) {
            ("allow_ip_forwarding", Value::Bool(true)) => {
                report.carried(&field, value, "calicoNetwork/containerIPForwarding", json!("Enabled"));
            }
            ("allow_ip_forwarding", Value::Bool(false)) => {}
            _ => report.blocked(&field, value, "no field of the Installation holds it; take it out"),
        }
    }
}

fn ipam(value: &Value, field: &str, report: &mut Report) {
    const IPAM: &str = "cni/ipam/type";
    let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
    match kind {
        "calico-ipam" => {
            report.carried(field, kind, IPAM, json!("Calico"));
            calico_ipam(value, field, report);
        }
        "host-local" if uses_pod_cidr(value) => report.carried(field, kind, IPAM, json!("HostLocal")),
        "host-local" => report.blocked(
            field,
            value,
            "with the operator host-local takes the range that Kubernetes gave the node (usePodCidr), no other",
        ),
        _ => report.blocked(field, kind, "the operator serves calico-ipam and host-local"),
    }
}

/// Which families are assigned follows from the pools.
fn calico_ipam(value: &Value, field: &str, report: &mut Report) {
    for (name, value) in value.as_object().into_iter().flatten() {
        let field = format!("{field}.{name}");
        match name.as_str() {
            "type" => {}
            "assign_ipv4" | "assign_ipv6" => report.dropped(&field, value, "it follows from the families of the pools"),
            _ => report.blocked(&field, value, "which pools pods use is said by the pools' nodeSelector, not here"),
        }
    }
}

fn uses_pod_cidr(value: &Value) -> bool {
    let is_pod_cidr = |subnet: &Value| matches!(subnet.as_str(), Some("usePodCidr" | "usePodCidrIPv6"));
    let subnet = value.get("subnet").into_iter();
    let ranges = value.get("ranges").and_then(Value::as_array).into_iter().flatten();
    let ranges = ranges.filter_map(Value::as_array).flatten().filter_map(|range| range.get("subnet"));
    let mut all = subnet.chain(ranges).peekable();
    all.peek().is_some() && all.all(is_pod_cidr)
}

fn portmap(plugin: &Map<String, Value>, at: &str, report: &mut Report) {
    for (name, value) in plugin.iter().filter(|(name, _)| !["type", "capabilities"].contains(&name.as_str())) {
        if !(name == "snat" && *value == json!(true)) {
            report.blocked(&format!("{at}.{name}"), value, "the operator sets snat and nothing else");
        }
    }
    report.carried(at, "on", "calicoNetwork/hostPorts", json!("Enabled"));
}

fn tuning(plugin: &Map<String, Value>, at: &str, report: &mut Report) {
    let known = ["net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_keepalive_probes", "net.ipv4.tcp_keepalive_time"];
    let parameters = plugin.get("sysctl").and_then(Value::as_object);
    let mut carried = Vec::new();
    for (key, value) in parameters.into_iter().flatten() {
        match known.contains(&key.as_str()) {
            true => carried.push(json!({"key": key, "value": value.as_str().unwrap_or_default()})),
            false => report.blocked(&format!("{at}.sysctl[{key}]"), value, "only tcp_keepalive parameters can be set"),
        }
    }
    if !carried.is_empty() {
        report.carried(&format!("{at}.sysctl"), json!(carried), "calicoNetwork/sysctl", json!(carried));
    }
}
