//! The container of calico-node itself.

use chimera_crds::installation::LinuxDataplane;
use k8s_openapi::api::core::v1::{Container, ExecAction, Lifecycle, LifecycleHandler, Probe, VolumeMount};

use super::environment;
use super::volumes::{
    BPF_FS, CNI_NET, FELIX_PLUGINS, KERNEL_SECURITY, LIB_CALICO, LOG_CALICO, MODULES, POLICY_SYNC, RUN_CALICO,
    XTABLES_LOCK,
};
use crate::images::Image;
use crate::installation::config::InstallationConfig;
use crate::names::NODE;
use crate::render::pod::volume::{mount, read_only};
use crate::render::pod::{CALICO_BINARY, certificates, component_command, probe, security_context};
use crate::render::spec;

/// Where the driver of an external dataplane is in the container.
pub(super) const FELIX_PLUGINS_PATH: &str = "/usr/local/bin/felix-plugins";

/// The container.
pub(super) fn calico_node(config: &InstallationConfig) -> Container {
    Container {
        name: NODE.into(),
        image: Some(config.images.reference(Image::Node)),
        env: Some(environment::all(config)),
        lifecycle: Some(lifecycle()),
        liveness_probe: Some(liveness(config)),
        readiness_probe: Some(Probe { period_seconds: Some(10), ..readiness(config) }),
        startup_probe: Some(startup(config)),
        security_context: Some(security_context::privileged()),
        volume_mounts: Some(mounts(config)),
        ..Container::default()
    }
}

/// Tells the cluster that the node's network goes down before it does.
fn lifecycle() -> Lifecycle {
    let shutdown = ExecAction { command: component_command(&["node", "shutdown"]) };
    Lifecycle {
        pre_stop: Some(LifecycleHandler { exec: Some(shutdown), ..LifecycleHandler::default() }),
        ..Lifecycle::default()
    }
}

fn liveness(config: &InstallationConfig) -> Probe {
    Probe { timeout_seconds: Some(10), ..probe::http_on_localhost("/liveness", config.felix.health_port) }
}

fn readiness(config: &InstallationConfig) -> Probe {
    // VPP brings its own BGP daemon.
    let bird = spec::bgp(&config.spec) && spec::dataplane(&config.spec) != LinuxDataplane::Vpp;
    let checks = bird.then_some("--bird-ready").into_iter().chain(["--felix-ready"]);
    probe::command([CALICO_BINARY, "component", "node", "health"].into_iter().chain(checks))
}

/// Five minutes for the first sync, looked at often, so that the node is in service soon.
fn startup(config: &InstallationConfig) -> Probe {
    Probe { failure_threshold: Some(150), period_seconds: Some(2), timeout_seconds: Some(5), ..readiness(config) }
}

/// In the order of the volumes' names.
fn mounts(config: &InstallationConfig) -> Vec<VolumeMount> {
    let mut mounts = vec![
        mount(BPF_FS, "/sys/fs/bpf"),
        read_only(MODULES, "/lib/modules"),
        certificates::key_pair_mount(&config.certificates.node),
        mount(POLICY_SYNC, "/var/run/nodeagent"),
        read_only(KERNEL_SECURITY, "/sys/kernel/security"),
        mount(LIB_CALICO, "/var/lib/calico"),
        mount(LOG_CALICO, "/var/log/calico"),
        mount(RUN_CALICO, "/var/run/calico"),
        mount(XTABLES_LOCK, "/run/xtables.lock"),
    ];
    mounts.extend(certificates::bundle_mounts());
    // The token that the CNI plugin uses is renewed there.
    mounts.extend(spec::calico_cni(&config.spec).map(|_| mount(CNI_NET, "/host/etc/cni/net.d")));
    let vpp = spec::dataplane(&config.spec) == LinuxDataplane::Vpp;
    mounts.extend(vpp.then(|| read_only(FELIX_PLUGINS, FELIX_PLUGINS_PATH)));
    mounts.sort_by(|a, b| a.name.cmp(&b.name));
    mounts
}
