//! Directories of hosts.

use k8s_openapi::api::core::v1::{PodSpec, Volume};
use serde_json::json;

use super::report::Report;

/// Volumes with the directory that they usually are, and the field that can say another.
const KNOWN: [(&str, &str, Option<&str>); 18] = [
    ("lib-modules", "/lib/modules", None),
    ("var-run-calico", "/var/run/calico", Some("calicoRunHostPath")),
    ("var-lib-calico", "/var/lib/calico", Some("calicoLibHostPath")),
    ("xtables-lock", "/run/xtables.lock", None),
    ("sys-fs", "/sys/fs", None),
    ("sysfs", "/sys/fs", None),
    ("bpffs", "/sys/fs/bpf", None),
    ("nodeproc", "/proc", None),
    ("cni-bin-dir", "/opt/cni/bin", Some("cni/binDir")),
    ("cni-net-dir", "/etc/cni/net.d", Some("cni/confDir")),
    ("cni-log-dir", "/var/log/calico/cni", None),
    ("var-log-calico", "/var/log/calico", None),
    ("host-local-net-dir", "/var/lib/cni/networks", None),
    ("policysync", "/var/run/nodeagent", None),
    ("flexvol-driver-host", "", None),
    ("felix-plugins", "/usr/local/bin/felix-plugins", None),
    ("run-xtables-lock", "/run/xtables.lock", None),
    ("cgroup", "/sys/fs/cgroup", None),
];
/// The directory of Calico's driver, in the kubelet's directory of drivers.
const DRIVER: &str = "nodeagent~uds";

/// Converts them.
pub(super) fn convert(pod: &PodSpec, report: &mut Report) {
    for volume in pod.volumes.iter().flatten() {
        one(volume, report);
    }
    flex_volume(pod, report);
}

fn one(volume: &Volume, report: &mut Report) {
    let field = format!("volumes[{}]", volume.name);
    let known = KNOWN.iter().find(|(name, ..)| *name == volume.name);
    let path = volume.host_path.as_ref().map(|host| host.path.trim_end_matches('/'));
    match (known, path) {
        (Some(("flexvol-driver-host", ..)), Some(_)) => {}
        (Some((_, usual, _)), Some(path)) if same(usual, path) => {}
        (Some((_, _, Some(to))), Some(path)) => report.carried(&field, path, to, json!(path)),
        (Some((_, usual, None)), Some(path)) => {
            report.blocked(&field, path, format!("the operator uses {usual}, and no field says otherwise"));
        }
        _ if volume.secret.is_some() && volume.name.contains("typha") => {
            report.dropped(&field, "a Secret", "the operator issues certificates for Typha");
        }
        _ => report.blocked(&field, "mounted", "no field of the Installation adds a volume; remove it"),
    }
}

/// `/var/run` is `/run` on each Linux of today.
fn same(usual: &str, path: &str) -> bool {
    let below = (usual.strip_prefix("/var/run"), path.strip_prefix("/run"));
    usual == path || matches!(below, (Some(usual), Some(path)) if usual == path)
}

/// No driver is installed where no container does it.
fn flex_volume(pod: &PodSpec, report: &mut Report) {
    const PATH: &str = "flexVolumePath";
    let installs = pod.init_containers.iter().flatten().any(|container| container.name == "flexvol-driver");
    if !installs {
        return report.carried("initContainers[flexvol-driver]", "absent", PATH, json!("None"));
    }
    let volumes = pod.volumes.iter().flatten();
    let host =
        volumes.filter(|volume| volume.name == "flexvol-driver-host").find_map(|volume| volume.host_path.as_ref());
    let Some(host) = host else { return };
    let path = host.path.trim_end_matches('/');
    match path.strip_suffix(DRIVER) {
        Some(path) => report.carried("volumes[flexvol-driver-host]", &host.path, PATH, json!(path)),
        None => report.blocked(
            "volumes[flexvol-driver-host]",
            path,
            format!("the driver's directory is {DRIVER} in the kubelet's directory of drivers"),
        ),
    }
}
