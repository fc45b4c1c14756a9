//! Which kinds are served, and where.

use std::sync::LazyLock;

use chimera_crds::manifests;
use chimera_crds::projectcalico::ApiGroup;
use serde_json::{Value, json};

/// One served kind.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind {
    /// Empty for the core group.
    pub group: String,
    /// `v1`.
    pub version: String,
    /// In paths.
    pub plural: String,
    /// `DaemonSet`.
    pub kind: String,
    /// Whether its objects live in namespaces.
    pub namespaced: bool,
    /// Whether the status is written apart.
    pub status: bool,
    /// Whether it comes from a CustomResourceDefinition.
    pub custom: bool,
}

impl Kind {
    /// `apps/v1`, or `v1`.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }
}

/// Group, version, plural, kind, namespaced, status.
const BUILT_IN: [(&str, &str, &str, &str, bool, bool); 32] = [
    ("", "v1", "configmaps", "ConfigMap", true, false),
    ("", "v1", "events", "Event", true, false),
    ("", "v1", "namespaces", "Namespace", false, true),
    ("", "v1", "nodes", "Node", false, true),
    ("", "v1", "pods", "Pod", true, true),
    ("", "v1", "resourcequotas", "ResourceQuota", true, true),
    ("", "v1", "secrets", "Secret", true, false),
    ("", "v1", "serviceaccounts", "ServiceAccount", true, false),
    ("", "v1", "services", "Service", true, true),
    ("admissionregistration.k8s.io", "v1", "mutatingadmissionpolicies", "MutatingAdmissionPolicy", false, false),
    (
        "admissionregistration.k8s.io",
        "v1",
        "mutatingwebhookconfigurations",
        "MutatingWebhookConfiguration",
        false,
        false,
    ),
    (
        "admissionregistration.k8s.io",
        "v1",
        "validatingwebhookconfigurations",
        "ValidatingWebhookConfiguration",
        false,
        false,
    ),
    ("apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", false, true),
    ("apiregistration.k8s.io", "v1", "apiservices", "APIService", false, true),
    ("apps", "v1", "daemonsets", "DaemonSet", true, true),
    ("apps", "v1", "deployments", "Deployment", true, true),
    ("apps", "v1", "statefulsets", "StatefulSet", true, true),
    ("batch", "v1", "cronjobs", "CronJob", true, true),
    ("batch", "v1", "jobs", "Job", true, true),
    ("certificates.k8s.io", "v1", "certificatesigningrequests", "CertificateSigningRequest", false, true),
    ("coordination.k8s.io", "v1", "leases", "Lease", true, false),
    ("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", true, false),
    ("events.k8s.io", "v1", "events", "Event", true, false),
    ("networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy", true, false),
    ("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", true, true),
    ("rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole", false, false),
    ("rbac.authorization.k8s.io", "v1", "clusterrolebindings", "ClusterRoleBinding", false, false),
    ("rbac.authorization.k8s.io", "v1", "roles", "Role", true, false),
    ("rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding", true, false),
    ("scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", false, false),
    ("storage.k8s.io", "v1", "csidrivers", "CSIDriver", false, false),
    ("storage.k8s.io", "v1", "storageclasses", "StorageClass", false, false),
];

/// The CustomResourceDefinitions that the operator brings, read once.
static DEFINITIONS: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let texts = manifests::operator_json().chain(manifests::projectcalico_json(ApiGroup::V1));
    texts.map(|text| serde_json::from_str(text).expect("an embedded CRD is JSON")).collect()
});

static KINDS: LazyLock<Vec<Kind>> = LazyLock::new(|| {
    let built_in = BUILT_IN.iter().map(|(group, version, plural, kind, namespaced, status)| Kind {
        group: (*group).into(),
        version: (*version).into(),
        plural: (*plural).into(),
        kind: (*kind).into(),
        namespaced: *namespaced,
        status: *status,
        custom: false,
    });
    built_in.chain(DEFINITIONS.iter().map(custom)).collect()
});

fn custom(definition: &Value) -> Kind {
    let spec = &definition["spec"];
    let text = |value: &Value| value.as_str().expect("a CRD names its kind").to_owned();
    let version = &spec["versions"][0];
    Kind {
        group: text(&spec["group"]),
        version: text(&version["name"]),
        plural: text(&spec["names"]["plural"]),
        kind: text(&spec["names"]["kind"]),
        namespaced: spec["scope"] == "Namespaced",
        status: version["subresources"]["status"].is_object(),
        custom: true,
    }
}

/// All served kinds.
pub fn all() -> &'static [Kind] {
    &KINDS
}

/// By where it is served.
pub fn by_path(group: &str, version: &str, plural: &str) -> Option<&'static Kind> {
    all().iter().find(|kind| kind.group == group && kind.version == version && kind.plural == plural)
}

/// By what an object says of itself.
pub fn by_kind(api_version: &str, kind: &str) -> Option<&'static Kind> {
    all().iter().find(|known| known.kind == kind && known.api_version() == api_version)
}

/// The CustomResourceDefinitions as a cluster holds them, but for their schemas: nobody reads these here, and they are big.
pub fn definitions() -> Vec<Value> {
    static SLIM: LazyLock<Vec<Value>> = LazyLock::new(|| DEFINITIONS.iter().map(slim).collect());
    SLIM.clone()
}

fn slim(definition: &Value) -> Value {
    let remembered = "/spec/versions/0/schema/openAPIV3Schema/properties/status/properties/defaults";
    let defaults =
        if definition.pointer(remembered).is_some() { json!({"defaults": {"type": "object"}}) } else { json!({}) };
    let status = json!({"type": "object", "properties": defaults});
    let version = &definition["spec"]["versions"][0];
    let mut slim = json!({"apiVersion": definition["apiVersion"], "kind": definition["kind"],
        "metadata": {"name": definition["metadata"]["name"]},
        "spec": {"group": definition["spec"]["group"], "names": definition["spec"]["names"], "scope": definition["spec"]["scope"],
            "versions": [{"name": version["name"], "served": true, "storage": true, "subresources": version["subresources"],
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"status": status}}}}]}});
    if slim["spec"]["versions"][0]["subresources"].is_null() {
        slim["spec"]["versions"][0]["subresources"] = json!({});
    }
    slim
}
