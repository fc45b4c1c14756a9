//! Where the Kubernetes API servers find the API server.

use k8s_openapi::api::core::v1::{Service, ServicePort, ServiceSpec};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::deployment::{self, PORT};
use crate::names::API_SERVER_SERVICE;
use crate::render::meta;

/// The Service.
pub(super) fn api_server() -> Service {
    let port = ServicePort {
        name: Some("apiserver".into()),
        port: 443,
        protocol: Some("TCP".into()),
        target_port: Some(IntOrString::Int(PORT.into())),
        ..ServicePort::default()
    };
    Service {
        metadata: meta::calico_system(API_SERVER_SERVICE),
        spec: Some(ServiceSpec {
            ports: Some(vec![port]),
            selector: Some(deployment::labels()),
            ..ServiceSpec::default()
        }),
        ..Service::default()
    }
}
