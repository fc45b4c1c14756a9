//! Volumes of calico-node's pods, in the order of their names.

use chimera_crds::installation::{Cni, LinuxDataplane};
use k8s_openapi::api::core::v1::Volume;

use crate::installation::config::InstallationConfig;
use crate::render::pod::certificates;
use crate::render::pod::volume::{HostPath, empty_dir, host_path};
use crate::render::spec;

/// Where eBPF maps are pinned.
pub(super) const BPF_FS: &str = "bpffs";
/// Where the host keeps CNI plugins.
pub(super) const CNI_BIN: &str = "cni-bin-dir";
/// Where the host keeps CNI configurations.
pub(super) const CNI_NET: &str = "cni-net-dir";
/// Where one container leaves the CNI reference plugins for another.
pub(super) const CNI_STAGE: &str = "cni-plugins-stage";
/// Where an external dataplane's driver lies.
pub(super) const FELIX_PLUGINS: &str = "felix-plugins";
/// Where kubelets look for the FlexVolume driver.
pub(super) const FLEXVOL: &str = "flexvol-driver-host";
/// Kernel modules.
pub(super) const MODULES: &str = "lib-modules";
/// Processes of the host.
pub(super) const PROC: &str = "nodeproc";
/// Where Felix listens for those who ask for policies.
pub(super) const POLICY_SYNC: &str = "policysync";
/// Where the file system of [`BPF_FS`] is mounted.
pub(super) const SYS_FS: &str = "sys-fs";
/// Says whether the kernel is locked down.
pub(super) const KERNEL_SECURITY: &str = "sys-kernel-security";
/// State of the node.
pub(super) const LIB_CALICO: &str = "var-lib-calico";
/// Log files.
pub(super) const LOG_CALICO: &str = "var-log-calico";
/// What lives until the node restarts.
pub(super) const RUN_CALICO: &str = "var-run-calico";
/// Shared with whoever else writes iptables.
pub(super) const XTABLES_LOCK: &str = "xtables-lock";

/// All volumes.
pub(super) fn all(config: &InstallationConfig) -> Vec<Volume> {
    let mut volumes = own(config);
    volumes.extend(spec::calico_cni(&config.spec).into_iter().flat_map(cni));
    volumes.extend(spec::flex_volume_path(&config.spec).map(flexvol));
    volumes.extend(felix_plugins(config));
    volumes.extend([certificates::bundle_volume(), certificates::key_pair_volume(&config.certificates.node)]);
    volumes.sort_by(|a, b| a.name.cmp(&b.name));
    volumes
}

fn own(config: &InstallationConfig) -> Vec<Volume> {
    vec![
        host_path(BPF_FS, "/sys/fs/bpf", HostPath::Directory),
        host_path(MODULES, "/lib/modules", HostPath::Unchecked),
        host_path(PROC, "/proc", HostPath::Unchecked),
        host_path(POLICY_SYNC, "/var/run/nodeagent", HostPath::DirectoryOrCreate),
        host_path(SYS_FS, "/sys/fs", HostPath::DirectoryOrCreate),
        // Not every kernel has it.
        host_path(KERNEL_SECURITY, "/sys/kernel/security", HostPath::Unchecked),
        host_path(LIB_CALICO, spec::lib_path(&config.spec), HostPath::DirectoryOrCreate),
        host_path(LOG_CALICO, "/var/log/calico", HostPath::DirectoryOrCreate),
        host_path(RUN_CALICO, spec::run_path(&config.spec), HostPath::DirectoryOrCreate),
        host_path(XTABLES_LOCK, "/run/xtables.lock", HostPath::FileOrCreate),
    ]
}

fn cni(cni: &Cni) -> Vec<Volume> {
    let bin = cni.bin_dir.as_deref().unwrap_or("/opt/cni/bin");
    let mut volumes = vec![
        host_path(CNI_BIN, bin, HostPath::DirectoryOrCreate),
        host_path(CNI_NET, cni_net_path(cni), HostPath::Unchecked),
    ];
    volumes.extend(spec::installs_reference_plugins(cni).then(|| empty_dir(CNI_STAGE)));
    volumes
}

/// Where the host keeps CNI configurations.
pub(super) fn cni_net_path(cni: &Cni) -> &str {
    cni.conf_dir.as_deref().unwrap_or("/etc/cni/net.d")
}

/// The name of the directory says vendor and driver.
fn flexvol(path: &str) -> Volume {
    host_path(FLEXVOL, format!("{}/nodeagent~uds", path.trim_end_matches('/')), HostPath::DirectoryOrCreate)
}

fn felix_plugins(config: &InstallationConfig) -> Option<Volume> {
    (spec::dataplane(&config.spec) == LinuxDataplane::Vpp)
        .then(|| host_path(FELIX_PLUGINS, "/var/lib/calico/felix-plugins", HostPath::Unchecked))
}
