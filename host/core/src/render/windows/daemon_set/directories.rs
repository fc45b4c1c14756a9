//! Directories of Windows nodes.

use chimera_crds::installation::{InstallationSpec, WindowsNodes};

use crate::windows::without_drive;

/// Directories of the CNI plugin on the host, as the user writes them.
#[derive(Clone, Copy, Debug)]
pub(in crate::render::windows) struct Directories<'a> {
    /// Binaries.
    pub(in crate::render::windows) bin: &'a str,
    /// Configuration.
    pub(in crate::render::windows) conf: &'a str,
    /// Log.
    pub(in crate::render::windows) log: &'a str,
}

impl<'a> Directories<'a> {
    /// As the user has them.
    pub(in crate::render::windows) fn of(spec: &'a InstallationSpec) -> Self {
        let path = |field: fn(&WindowsNodes) -> &Option<String>, usual: &'a str| {
            let stated = spec.windows_nodes.as_ref().and_then(|windows| field(windows).as_deref());
            stated.unwrap_or(usual).trim_end_matches('/')
        };
        Self {
            bin: path(|windows| &windows.cni_bin_dir, "/opt/cni/bin"),
            conf: path(|windows| &windows.cni_config_dir, "/etc/cni/net.d"),
            log: path(|windows| &windows.cni_log_dir, "/var/log/calico/cni"),
        }
    }
}

/// The directory without the letter of its drive: what it is put into adds one, or none.
pub(in crate::render::windows) fn on_any_drive(directory: &str) -> &str {
    without_drive(directory)
}
