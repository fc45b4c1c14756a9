//! Volumes of the CSI driver, and the paths that its containers agree on.

use k8s_openapi::api::core::v1::Volume;

use crate::names::CSI_DRIVER;
use crate::render::pod::volume::{HostPath, host_path};

/// Where kubelets mount volumes for pods.
pub(super) const KUBELET: &str = "kubelet-dir";
/// Where kubelets look for drivers.
pub(super) const REGISTRATION: &str = "registration-dir";
/// Where the driver listens.
pub(super) const SOCKET: &str = "socket-dir";
/// Where Felix listens.
pub(super) const RUN: &str = "varrun";
/// Where containers have [`SOCKET`].
pub(super) const SOCKET_PATH: &str = "/csi";
/// The socket itself.
pub(super) const SOCKET_FILE: &str = "csi.sock";

/// All volumes, for kubelets with this directory.
pub(super) fn all(kubelet: &str) -> Vec<Volume> {
    vec![
        host_path(KUBELET, kubelet, HostPath::Directory),
        host_path(REGISTRATION, below(kubelet, "plugins_registry"), HostPath::Directory),
        host_path(SOCKET, driver_path(kubelet), HostPath::DirectoryOrCreate),
        host_path(RUN, "/var/run", HostPath::Unchecked),
    ]
}

/// The driver's own directory on the host.
pub(super) fn driver_path(kubelet: &str) -> String {
    below(kubelet, &format!("plugins/{CSI_DRIVER}"))
}

fn below(directory: &str, path: &str) -> String {
    format!("{}/{path}", directory.trim_end_matches('/'))
}
