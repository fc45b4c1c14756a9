//! Probes. Timing that is not set here comes from the uniform policies.

use k8s_openapi::api::core::v1::{ExecAction, HTTPGetAction, Probe};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::words;

/// Asks over HTTP, on the host's own loopback address.
pub(crate) fn http_on_localhost(path: &str, port: u16) -> Probe {
    let action = HTTPGetAction {
        host: Some("localhost".into()),
        path: Some(path.into()),
        port: IntOrString::Int(port.into()),
        ..HTTPGetAction::default()
    };
    Probe { http_get: Some(action), ..Probe::default() }
}

/// Asks over HTTPS, on the pod's own address.
pub(crate) fn https(path: &str, port: u16) -> Probe {
    let action = HTTPGetAction {
        path: Some(path.into()),
        port: IntOrString::Int(port.into()),
        scheme: Some("HTTPS".into()),
        ..HTTPGetAction::default()
    };
    Probe { http_get: Some(action), ..Probe::default() }
}

/// Runs a command in the container.
pub(crate) fn command<'a>(command: impl IntoIterator<Item = &'a str>) -> Probe {
    Probe { exec: Some(ExecAction { command: words(command) }), ..Probe::default() }
}
