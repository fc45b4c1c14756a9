//! Volumes and where containers have them.

use k8s_openapi::api::core::v1::{EmptyDirVolumeSource, HostPathVolumeSource, Volume, VolumeMount};

/// What must be at a path of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HostPath {
    /// Nothing is checked and nothing is made.
    Unchecked,
    /// A directory that is there.
    Directory,
    /// A directory, made if missing.
    DirectoryOrCreate,
    /// A file, made if missing.
    FileOrCreate,
}

/// A path of the host.
pub(crate) fn host_path(name: &str, path: impl Into<String>, kind: HostPath) -> Volume {
    let type_ = match kind {
        HostPath::Unchecked => None,
        HostPath::Directory => Some("Directory"),
        HostPath::DirectoryOrCreate => Some("DirectoryOrCreate"),
        HostPath::FileOrCreate => Some("FileOrCreate"),
    };
    let source = HostPathVolumeSource { path: path.into(), type_: type_.map(Into::into) };
    Volume { name: name.into(), host_path: Some(source), ..Volume::default() }
}

/// A directory that lives as long as the pod.
pub(crate) fn empty_dir(name: &str) -> Volume {
    Volume { name: name.into(), empty_dir: Some(EmptyDirVolumeSource::default()), ..Volume::default() }
}

/// A volume that the container may write.
pub(crate) fn mount(name: &str, path: &str) -> VolumeMount {
    VolumeMount { name: name.into(), mount_path: path.into(), ..VolumeMount::default() }
}

/// A volume that the container may only read.
pub(crate) fn read_only(name: &str, path: &str) -> VolumeMount {
    VolumeMount { read_only: Some(true), ..mount(name, path) }
}

/// A volume where mounts that the container makes reach the host, and outlive it.
pub(crate) fn shared_with_host(name: &str, path: &str) -> VolumeMount {
    VolumeMount { mount_propagation: Some("Bidirectional".into()), ..mount(name, path) }
}
