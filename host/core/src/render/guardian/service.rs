//! Where components of this cluster reach the managing one.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Service, ServicePort, ServiceSpec};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use crate::names::{APP_LABEL, GUARDIAN, GUARDIAN_PORT};
use crate::render::meta;

/// The Service.
pub(super) fn guardian() -> Service {
    let port = ServicePort {
        name: Some("https".into()),
        port: 443,
        protocol: Some("TCP".into()),
        target_port: Some(IntOrString::Int(GUARDIAN_PORT.into())),
        ..ServicePort::default()
    };
    Service {
        metadata: meta::calico_system(GUARDIAN),
        spec: Some(ServiceSpec {
            ports: Some(vec![port]),
            selector: Some(BTreeMap::from([(APP_LABEL.into(), GUARDIAN.into())])),
            ..ServiceSpec::default()
        }),
        ..Service::default()
    }
}
