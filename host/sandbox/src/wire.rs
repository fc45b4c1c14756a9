//! What crosses to a guest and back, independent of the interfaces' version. Adapters turn it into their own types.

use chimera_core::object::ObjectKey;

/// A Kubernetes object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct WireObject {
    pub(crate) key: ObjectKey,
    pub(crate) json: String,
}

/// A change, not checked yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WireOperation {
    Add(WireObject),
    Replace(WireObject),
    Remove { key: ObjectKey, reason: String },
}

impl WireOperation {
    /// What it is about.
    pub(crate) fn key(&self) -> &ObjectKey {
        match self {
            Self::Add(object) | Self::Replace(object) => &object.key,
            Self::Remove { key, .. } => key,
        }
    }

    /// Bytes that keeping it takes, about.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Add(object) | Self::Replace(object) => object.json.len().saturating_add(256),
            Self::Remove { reason, .. } => reason.len().saturating_add(256),
        }
    }
}

/// Arguments of one call. They decide its answer, so their hash is what an answer is kept under.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Input {
    pub(crate) config: Config,
    pub(crate) objects: Vec<WireObject>,
}

/// The config of one extension point.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Config {
    Any(Any),
    Installation(Box<Installation>),
}

/// Facts that every component comes with.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Any {
    pub(crate) component: String,
    pub(crate) point: &'static str,
    pub(crate) variant: String,
    pub(crate) cluster_domain: String,
    pub(crate) provider: String,
    pub(crate) custom_resource: String,
    pub(crate) settings: String,
}

/// Facts about the Installation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Installation {
    pub(crate) component: String,
    pub(crate) variant: String,
    pub(crate) cluster: Cluster,
    /// Name and reference.
    pub(crate) images: Vec<(String, String)>,
    pub(crate) key_pairs: Vec<KeyPair>,
    pub(crate) bundle_name: String,
    pub(crate) bundle_annotations: Vec<(String, String)>,
    pub(crate) pull_secrets: Vec<String>,
    pub(crate) installation: String,
    pub(crate) settings: String,
}

/// Facts about the cluster.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Cluster {
    pub(crate) domain: String,
    pub(crate) provider: String,
    /// Whether clients use the CRDs of `projectcalico.org/v3` directly.
    pub(crate) v3: bool,
    pub(crate) linux_nodes: u32,
    pub(crate) windows_nodes: u32,
    pub(crate) control_plane_nodes: u32,
    pub(crate) typha_replicas: u32,
    /// Host and port.
    pub(crate) api_server: Option<(String, u16)>,
}

/// A key pair.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct KeyPair {
    pub(crate) secret_name: String,
    /// Name and value.
    pub(crate) annotation: (String, String),
}
