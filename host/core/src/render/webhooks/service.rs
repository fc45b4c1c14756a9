//! Where the Kubernetes API servers find the webhooks.

use k8s_openapi::api::core::v1::{Service, ServicePort, ServiceSpec};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::{PORT, deployment};
use crate::names::WEBHOOKS;
use crate::render::meta;

/// The Service.
pub(super) fn webhooks() -> Service {
    let port = ServicePort {
        port: 443,
        protocol: Some("TCP".into()),
        target_port: Some(IntOrString::Int(PORT.into())),
        ..ServicePort::default()
    };
    Service {
        metadata: meta::calico_system(WEBHOOKS),
        spec: Some(ServiceSpec {
            ports: Some(vec![port]),
            selector: Some(deployment::labels()),
            ..ServiceSpec::default()
        }),
        ..Service::default()
    }
}
