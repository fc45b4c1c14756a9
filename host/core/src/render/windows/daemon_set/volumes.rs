//! Volumes of the pods on Windows nodes, in the order of their names.

use k8s_openapi::api::core::v1::Volume;

use super::directories::Directories;
use crate::installation::config::InstallationConfig;
use crate::render::pod::certificates;
use crate::render::pod::volume::{HostPath, host_path};
use crate::render::spec;

/// Where the host keeps CNI plugins.
pub(super) const CNI_BIN: &str = "cni-bin-dir";
/// Where the CNI plugin writes its log.
pub(super) const CNI_LOG: &str = "cni-log-dir";
/// Where the host keeps CNI configurations.
pub(super) const CNI_NET: &str = "cni-net-dir";
/// State of the node.
pub(super) const LIB_CALICO: &str = "var-lib-calico";
/// What lives until the node restarts.
pub(super) const RUN_CALICO: &str = "var-run-calico";

/// All volumes. The uninstaller looks at the plugin's directories whichever plugin is in use.
pub(super) fn all(config: &InstallationConfig) -> Vec<Volume> {
    let directories = Directories::of(&config.spec);
    let mut volumes = vec![
        host_path(CNI_BIN, directories.bin, HostPath::DirectoryOrCreate),
        host_path(CNI_NET, directories.conf, HostPath::Unchecked),
        // As pods on Windows nodes have them already; nothing mounts these three.
        host_path("lib-modules", "/lib/modules", HostPath::Unchecked),
        host_path("policysync", "/var/run/nodeagent", HostPath::DirectoryOrCreate),
        host_path("xtables-lock", "/run/xtables.lock", HostPath::FileOrCreate),
        host_path(LIB_CALICO, "/var/lib/calico", HostPath::DirectoryOrCreate),
        host_path(RUN_CALICO, "/var/run/calico", HostPath::DirectoryOrCreate),
        certificates::bundle_volume(),
        certificates::key_pair_volume(&config.certificates.node),
    ];
    let logs = spec::calico_cni(&config.spec).is_some();
    volumes.extend(logs.then(|| host_path(CNI_LOG, directories.log, HostPath::DirectoryOrCreate)));
    volumes.sort_by(|a, b| a.name.cmp(&b.name));
    volumes
}
