//! Names that objects refer to each other by, checked when compiled.
//!
//! A name that two places must agree on stands here once. What only one object uses stays next to that object.

/// The namespace of everything that runs Calico.
pub const CALICO_SYSTEM: &str = label("calico-system");
/// Tier of the network policies that the operator makes.
pub const TIER: &str = label("calico-system");
/// The namespace of Envoy Gateway's controller and of the gateways that it runs.
pub const TIGERA_GATEWAY: &str = label("tigera-gateway");
/// The namespace of the operator, where users put what it reads and where its key material is kept.
pub const TIGERA_OPERATOR: &str = label("tigera-operator");
/// The operator's ServiceAccount, in its namespace.
pub const OPERATOR_SERVICE_ACCOUNT: &str = label("tigera-operator");
/// The ClusterRole of what the operator may do with Secrets; bound in each namespace that it manages.
pub const OPERATOR_SECRETS_ROLE: &str = label("tigera-operator-secrets");

/// calico-node: DaemonSet, ServiceAccount and RBAC.
pub const NODE: &str = label("calico-node");
/// calico-node on Windows nodes: its DaemonSet.
pub const NODE_WINDOWS: &str = label("calico-node-windows");
/// The identity that the CNI plugin uses on a host.
pub const CNI_PLUGIN: &str = label("calico-cni-plugin");
/// Typha: Deployment, Service, ServiceAccount, RBAC and PodDisruptionBudget.
pub const TYPHA: &str = label("calico-typha");
/// Service in front of Typha's metrics.
pub const TYPHA_METRICS: &str = label("calico-typha-metrics");
/// The controllers that run once in a cluster.
pub const KUBE_CONTROLLERS: &str = label("calico-kube-controllers");
/// Calico's API server: Deployment, ServiceAccount, RBAC and PodDisruptionBudget.
pub const API_SERVER: &str = label("calico-apiserver");
/// Service in front of Calico's API server.
pub const API_SERVER_SERVICE: &str = label("calico-api");
/// What makes the API of Calico's resources a part of the Kubernetes API.
pub const API_SERVICE: &str = subdomain("v3.projectcalico.org");
/// Admission webhooks for Calico's resources, where they are CustomResourceDefinitions: Deployment, Service and RBAC.
pub const WEBHOOKS: &str = label("calico-webhooks");
/// The service that collects flows: Deployment, Service, ServiceAccount, RBAC and ConfigMap.
pub const GOLDMANE: &str = label("goldmane");
/// Service in front of its metrics.
pub const GOLDMANE_METRICS: &str = label("goldmane-metrics");
/// What it trusts.
pub const GOLDMANE_CA_BUNDLE: &str = label("goldmane-ca-bundle");
/// The web console for flows: Deployment, Service and ServiceAccount.
pub const WHISKER: &str = label("whisker");
/// What fetches flows for the console, in the same pod.
pub const WHISKER_BACKEND: &str = label("whisker-backend");
/// What the backend trusts.
pub const WHISKER_CA_BUNDLE: &str = label("whisker-ca-bundle");
/// The configuration of the console's web server.
pub const WHISKER_NGINX_CONFIG: &str = label("whisker-nginx-config");
/// The client of a tunnel to a managing cluster: Deployment, Service and ServiceAccount.
pub const GUARDIAN: &str = label("guardian");
/// What it may read.
pub const GUARDIAN_ROLE: &str = label("calico-guardian");
/// The pair by which it identifies itself within the cluster.
pub const GUARDIAN_KEY_PAIR: &str = label("guardian-key-pair");
/// The user's credentials for the tunnel.
pub const TUNNEL_SECRET: &str = label("tigera-managed-cluster-connection");
/// The DaemonSet of kube-proxy.
pub const KUBE_PROXY: &str = label("kube-proxy");
/// The CSI driver's DaemonSet and ServiceAccount.
pub const CSI_NODE_DRIVER: &str = label("csi-node-driver");
/// The CSI driver as the kubelet knows it.
pub const CSI_DRIVER: &str = subdomain("csi.tigera.io");

/// The CNI configuration that nodes install.
pub const CNI_CONFIG: &str = label("cni-config");
/// The CNI configuration that Windows nodes install.
pub const CNI_CONFIG_WINDOWS: &str = label("cni-config-windows");
/// The key of both in their ConfigMaps.
pub const CNI_CONFIG_KEY: &str = data_key("config");
/// Says in which namespace the operator that owns this cluster runs.
pub const ACTIVE_OPERATOR: &str = label("active-operator");
/// Its key in the ConfigMap.
pub const ACTIVE_OPERATOR_KEY: &str = data_key("active-namespace");
/// Lets pods of the two highest priorities run where a platform restricts them by quota.
pub const CRITICAL_PODS_QUOTA: &str = label("calico-critical-pods");
/// What a workload may do to obtain its certificate from an external signer.
pub const CSR_CREATOR: &str = label("tigera-csr-creator");

/// Priority of what must run on each node.
pub const PRIORITY_NODE_CRITICAL: &str = label("system-node-critical");
/// Priority of what a cluster needs.
pub const PRIORITY_CLUSTER_CRITICAL: &str = label("system-cluster-critical");

/// Kept until nothing uses Calico's CNI plugin any more, so that pods can still be taken down.
pub const CNI_FINALIZER: &str = qualified("tigera.io/cni-protector");

/// The label that selectors go by.
pub const APP_LABEL: &str = qualified("k8s-app");
/// Hash of the CNI configuration, on pods that must restart when it changes.
pub const CNI_CONFIG_HASH: &str = qualified("hash.operator.tigera.io/cni-config");

/// Where Typha listens.
pub const TYPHA_PORT: u16 = 5473;
/// Where Goldmane listens.
pub const GOLDMANE_PORT: u16 = 7443;
/// Where the console listens.
pub const WHISKER_PORT: u16 = 8443;
/// Where the console's backend listens.
pub const WHISKER_BACKEND_PORT: u16 = 3002;
/// Where guardian listens.
pub const GUARDIAN_PORT: u16 = 8080;
/// Where kube-controllers answer health checks.
pub const KUBE_CONTROLLERS_HEALTH_PORT: u16 = 9440;

/// RFC 1123 label: at most 63 lower-case letters, digits and inner hyphens.
const fn label(name: &'static str) -> &'static str {
    assert!(name.len() <= 63 && is_label(name.as_bytes()), "not a DNS label");
    name
}

/// RFC 1123 subdomain: labels joined by full stops, at most 253 characters.
const fn subdomain(name: &'static str) -> &'static str {
    assert!(name.len() <= 253 && is_subdomain(name.as_bytes()), "not a DNS subdomain");
    name
}

/// Key of a label, an annotation or a finalizer: a name, after a subdomain and a slash where it has one.
const fn qualified(key: &'static str) -> &'static str {
    assert!(key.len() <= 253 && is_qualified(key.as_bytes()), "not a qualified name");
    key
}

/// Key in the data of a ConfigMap or a Secret.
const fn data_key(key: &'static str) -> &'static str {
    assert!(key.len() <= 253 && all_name_characters(key.as_bytes()), "not a key of data");
    key
}

/// Whether the API server takes it as the name of an object of most kinds: an RFC 1123 subdomain.
pub fn is_object_name(name: &str) -> bool {
    name.len() <= 253 && is_subdomain(name.as_bytes())
}

/// Whether it is an RFC 1123 label, as the name of a namespace is: at most 63 lower-case letters, digits and inner
/// hyphens.
pub fn is_dns_label(name: &str) -> bool {
    name.len() <= 63 && is_label(name.as_bytes())
}

const fn is_label(bytes: &[u8]) -> bool {
    let ([first, ..], [.., last]) = (bytes, bytes) else { return false };
    if *first == b'-' || *last == b'-' {
        return false;
    }
    let mut rest = bytes;
    while let [byte, after @ ..] = rest {
        if !matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-') {
            return false;
        }
        rest = after;
    }
    true
}

const fn is_subdomain(bytes: &[u8]) -> bool {
    let mut at = 0;
    let mut rest = bytes;
    while let [byte, after @ ..] = rest {
        if *byte == b'.' {
            return is_label(bytes.split_at(at).0) && is_subdomain(after);
        }
        at += 1;
        rest = after;
    }
    is_label(bytes)
}

const fn is_qualified(bytes: &[u8]) -> bool {
    let mut at = 0;
    let mut rest = bytes;
    while let [byte, after @ ..] = rest {
        if *byte == b'/' {
            return is_subdomain(bytes.split_at(at).0) && all_name_characters(after);
        }
        at += 1;
        rest = after;
    }
    all_name_characters(bytes)
}

const fn all_name_characters(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while let [byte, after @ ..] = rest {
        if !byte.is_ascii_alphanumeric() && !matches!(byte, b'-' | b'_' | b'.') {
            return false;
        }
        rest = after;
    }
    !bytes.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_has_no_capital_letter_no_full_stop_and_no_hyphen_at_an_end() {
        for wrong in ["", "Sheep", "a.b", "-a", "a-", "a_b"] {
            assert!(!is_label(wrong.as_bytes()), "{wrong}");
        }
        assert!(is_label(b"black-sheep-2"));
    }

    #[test]
    fn each_part_of_a_subdomain_is_a_label() {
        assert!(is_subdomain(b"wool.example.com") && is_subdomain(b"wool"));
        assert!(!is_subdomain(b"wool..com") && !is_subdomain(b"wool.-a") && !is_subdomain(b".com"));
    }

    #[test]
    fn a_qualified_name_may_have_one_prefix() {
        assert!(is_qualified(b"example.com/wool") && is_qualified(b"wool_grade.A"));
        assert!(!is_qualified(b"example.com/") && !is_qualified(b"/wool") && !is_qualified(b"a/b/c"));
    }
}
