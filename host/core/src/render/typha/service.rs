//! Services in front of Typha: one for nodes, one for metrics.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Service, ServicePort, ServiceSpec};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use crate::names::{APP_LABEL, TYPHA, TYPHA_METRICS, TYPHA_PORT};
use crate::render::meta;

/// Where nodes find Typha.
pub(super) fn typha() -> Service {
    service(TYPHA, i32::from(TYPHA_PORT), IntOrString::String(TYPHA.into()))
}

/// Where metrics are scraped.
pub(super) fn metrics(port: i32) -> Service {
    service(TYPHA_METRICS, port, IntOrString::Int(port))
}

fn service(name: &str, port: i32, target: IntOrString) -> Service {
    let port = ServicePort {
        name: Some(name.into()),
        port,
        protocol: Some("TCP".into()),
        target_port: Some(target),
        ..ServicePort::default()
    };
    Service {
        metadata: meta::calico_system(name),
        spec: Some(ServiceSpec {
            ports: Some(vec![port]),
            selector: Some(BTreeMap::from([(APP_LABEL.into(), TYPHA.into())])),
            ..ServiceSpec::default()
        }),
        ..Service::default()
    }
}
