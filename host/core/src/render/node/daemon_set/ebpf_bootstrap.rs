//! Mounts on the host what eBPF programs need, so that they outlive calico-node.

use chimera_crds::installation::LinuxDataplane;
use k8s_openapi::api::core::v1::{Container, EnvVar};

use super::volumes::{PROC, RUN_CALICO, SYS_FS};
use crate::images::Image;
use crate::installation::config::{Bootstrap, Endpoint, InstallationConfig};
use crate::render::pod::volume::{read_only, shared_with_host};
use crate::render::pod::{component_command, env, security_context, some};
use crate::render::spec;

/// The container. Other dataplanes need it too, to clean up after a switch, but can do without.
pub(super) fn ebpf_bootstrap(config: &InstallationConfig) -> Container {
    let bpf = spec::dataplane(&config.spec) == LinuxDataplane::Bpf;
    let command = if bpf { &["node", "init"][..] } else { &["node", "init", "--best-effort"] };
    Container {
        name: "ebpf-bootstrap".into(),
        image: Some(config.images.reference(Image::Node)),
        command: component_command(command),
        env: some(environment(config)),
        security_context: Some(security_context::privileged()),
        volume_mounts: Some(vec![
            shared_with_host(SYS_FS, "/sys/fs"),
            shared_with_host(RUN_CALICO, "/var/run/calico"),
            read_only(PROC, "/nodeproc"),
        ]),
        ..Container::default()
    }
}

/// Translated on the node until the dataplane itself serves Services.
fn environment(config: &InstallationConfig) -> Vec<EnvVar> {
    let Some(Bootstrap { service, api_servers }) = &config.cluster.bootstrap else { return Vec::new() };
    let list = |endpoints: &[Endpoint]| endpoints.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    vec![
        env::value("KUBERNETES_SERVICE_IPS_PORTS", list(service)),
        env::value("KUBERNETES_APISERVER_ENDPOINTS", list(api_servers)),
    ]
}
