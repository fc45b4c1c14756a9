//! The containers that stay: Felix, the node's own agent, and confd where BGP is on.

use k8s_openapi::api::core::v1::{Container, ExecAction, Lifecycle, LifecycleHandler, Probe, VolumeMount};

use super::{environment, host_process, image_file, volumes};
use crate::images::Image;
use crate::render::pod::{certificates, probe, volume, words};
use crate::render::spec;
use crate::windows::WindowsConfig;

/// Folder of Calico in the image.
const FOLDER: &str = "CalicoWindows";

/// All of them.
pub(super) fn all(config: &WindowsConfig) -> Vec<Container> {
    let mut containers = vec![felix(config), container(config, "node", "node-service.ps1")];
    if spec::bgp(&config.installation.spec) {
        containers.push(container(config, "confd", "confd/confd-service.ps1"));
    }
    containers
}

fn felix(config: &WindowsConfig) -> Container {
    Container {
        lifecycle: Some(lifecycle()),
        liveness_probe: Some(Probe { failure_threshold: Some(6), initial_delay_seconds: Some(10), ..health("live") }),
        readiness_probe: Some(health("ready")),
        ..container(config, "felix", "felix-service.ps1")
    }
}

/// One that runs a script of Calico's.
fn container(config: &WindowsConfig, name: &str, script: &str) -> Container {
    Container {
        name: name.into(),
        image: Some(config.installation.images.reference(Image::NodeWindows)),
        args: Some(vec![image_file(&format!("{FOLDER}/{script}"))]),
        env: Some(environment::all(config)),
        security_context: Some(host_process()),
        volume_mounts: Some(mounts(config)),
        working_dir: Some(image_file(&format!("{FOLDER}/"))),
        ..Container::default()
    }
}

/// Tells the cluster that the node's network goes down before it does.
fn lifecycle() -> Lifecycle {
    let program = program();
    let shutdown = ExecAction { command: words([program.as_str(), "component", "node", "shutdown"]) };
    Lifecycle {
        pre_stop: Some(LifecycleHandler { exec: Some(shutdown), ..LifecycleHandler::default() }),
        ..Lifecycle::default()
    }
}

fn health(what: &str) -> Probe {
    let (program, check) = (program(), format!("--felix-{what}"));
    Probe {
        period_seconds: Some(10),
        timeout_seconds: Some(10),
        ..probe::command([program.as_str(), "component", "node", "health", &check])
    }
}

fn program() -> String {
    image_file(&format!("{FOLDER}/calico.exe"))
}

/// In the order of the volumes' names. Certificates need the letter of the drive, as programs are given paths without.
fn mounts(config: &WindowsConfig) -> Vec<VolumeMount> {
    let pair = certificates::key_pair_mount(&config.installation.certificates.node);
    let [bundle, _] = certificates::bundle_mounts();
    let on_drive = |mount: VolumeMount| VolumeMount { mount_path: format!("c:{}", mount.mount_path), ..mount };
    let cni = spec::calico_cni(&config.installation.spec).map(|_| {
        [
            volume::mount(volumes::CNI_LOG, "/var/log/calico/cni"),
            volume::mount(volumes::CNI_NET, super::init_containers::NET_MOUNT),
        ]
    });
    let own =
        [volume::mount(volumes::LIB_CALICO, "/var/lib/calico"), volume::mount(volumes::RUN_CALICO, "/var/run/calico")];
    cni.into_iter().flatten().chain([on_drive(pair), on_drive(bundle)]).chain(own).collect()
}
