//! What validation hands to the renderers of the Installation. After it nobody reads the raw resource.

/// Everything the Installation's renderers need, checked and with defaults filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct InstallationConfig {
    /// What is known of the cluster.
    pub cluster: Cluster,
}

/// What is known of the cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// Cluster domain, as `cluster.local`.
    pub domain: String,
}
