//! Where the API server serves a kind.
//!
//! The kinds that the operator itself writes stand in a table, so that a start asks nothing; any other kind is looked
//! up once.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use chimera_core::object::ObjectKey;
use kube::Client;
use kube::core::GroupVersionKind;
use kube::discovery::{Scope, pinned_kind};

use super::failure::{self, Failure};

/// Group, kind, plural, whether it lives in namespaces.
const KNOWN: [(&str, &str, &str, bool); 32] = [
    ("", "ConfigMap", "configmaps", true),
    ("", "Namespace", "namespaces", false),
    ("", "ResourceQuota", "resourcequotas", true),
    ("", "Secret", "secrets", true),
    ("", "Service", "services", true),
    ("", "ServiceAccount", "serviceaccounts", true),
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration", "mutatingwebhookconfigurations", false),
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", false),
    ("apiextensions.k8s.io", "CustomResourceDefinition", "customresourcedefinitions", false),
    ("apiregistration.k8s.io", "APIService", "apiservices", false),
    ("apps", "DaemonSet", "daemonsets", true),
    ("apps", "Deployment", "deployments", true),
    ("apps", "StatefulSet", "statefulsets", true),
    ("batch", "CronJob", "cronjobs", true),
    ("batch", "Job", "jobs", true),
    ("crd.projectcalico.org", "BGPConfiguration", "bgpconfigurations", false),
    ("crd.projectcalico.org", "FelixConfiguration", "felixconfigurations", false),
    ("crd.projectcalico.org", "IPPool", "ippools", false),
    ("networking.k8s.io", "NetworkPolicy", "networkpolicies", true),
    ("policy", "PodDisruptionBudget", "poddisruptionbudgets", true),
    ("projectcalico.org", "BGPConfiguration", "bgpconfigurations", false),
    ("projectcalico.org", "FelixConfiguration", "felixconfigurations", false),
    ("projectcalico.org", "IPPool", "ippools", false),
    ("projectcalico.org", "NetworkPolicy", "networkpolicies", true),
    ("projectcalico.org", "Tier", "tiers", false),
    ("rbac.authorization.k8s.io", "ClusterRole", "clusterroles", false),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding", "clusterrolebindings", false),
    ("rbac.authorization.k8s.io", "Role", "roles", true),
    ("rbac.authorization.k8s.io", "RoleBinding", "rolebindings", true),
    ("scheduling.k8s.io", "PriorityClass", "priorityclasses", false),
    ("storage.k8s.io", "CSIDriver", "csidrivers", false),
    ("storage.k8s.io", "StorageClass", "storageclasses", false),
];

#[derive(Clone, Debug)]
struct Resource {
    plural: String,
    namespaced: bool,
}

/// What was looked up, by API version and kind.
#[derive(Debug, Default)]
pub(super) struct Resources(Mutex<BTreeMap<(String, String), Resource>>);

impl Resources {
    /// Path of the collection that an object is in.
    pub(super) async fn path(&self, client: &Client, key: &ObjectKey) -> Result<String, Failure> {
        if !is_plain(&key.api_version, "./-") || !key.namespace.iter().all(|namespace| is_plain(namespace, "-")) {
            return Err(failure::unsendable(key));
        }
        let resource = self.resource(client, key).await?;
        let start = if key.group().is_empty() { "/api" } else { "/apis" };
        match (&key.namespace, resource.namespaced) {
            (Some(namespace), true) => {
                Ok(format!("{start}/{}/namespaces/{namespace}/{}", key.api_version, resource.plural))
            }
            (None, false) => Ok(format!("{start}/{}/{}", key.api_version, resource.plural)),
            (Some(_), false) => Err(failure::misplaced(key, "it names a namespace, but its kind has none")),
            (None, true) => Err(failure::misplaced(key, "it names no namespace, but its kind needs one")),
        }
    }

    async fn resource(&self, client: &Client, key: &ObjectKey) -> Result<Resource, Failure> {
        if let Some(resource) = table(key).or_else(|| self.found(key)) {
            return Ok(resource);
        }
        let kind = GroupVersionKind::gvk(key.group(), key.version(), &key.kind);
        let (resource, capabilities) =
            pinned_kind(client, &kind).await.map_err(|error| failure::not_served(key, &error))?;
        let resource = Resource { plural: resource.plural, namespaced: capabilities.scope == Scope::Namespaced };
        self.lock().insert((key.api_version.clone(), key.kind.clone()), resource.clone());
        Ok(resource)
    }

    fn found(&self, key: &ObjectKey) -> Option<Resource> {
        self.lock().get(&(key.api_version.clone(), key.kind.clone())).cloned()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<(String, String), Resource>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Kind of a plural in the table.
pub(crate) fn kind_of(plural: &str) -> Option<&'static str> {
    KNOWN.iter().find(|(_, _, known, _)| *known == plural).map(|(_, kind, ..)| *kind)
}

fn table(key: &ObjectKey) -> Option<Resource> {
    let mut known = KNOWN.iter();
    let (.., plural, namespaced) = known.find(|(group, kind, ..)| *group == key.group() && *kind == key.kind)?;
    Some(Resource { plural: (*plural).to_owned(), namespaced: *namespaced })
}

/// Whether text can stand in a path without meaning anything else there.
fn is_plain(text: &str, others: &str) -> bool {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || others.contains(c);
    !text.is_empty() && !text.contains("..") && text.chars().all(allowed)
}
