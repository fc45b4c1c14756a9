//! Services in front of Goldmane: one for nodes and the console, one for metrics.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Service, ServicePort, ServiceSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use crate::names::{APP_LABEL, GOLDMANE, GOLDMANE_METRICS, GOLDMANE_PORT};
use crate::render::{meta, pod};

/// Where flows are sent to and asked for.
pub(super) fn goldmane() -> Service {
    let port = ServicePort { port: GOLDMANE_PORT.into(), ..ServicePort::default() };
    Service {
        metadata: meta::calico_system(GOLDMANE),
        spec: Some(ServiceSpec { ports: Some(vec![port]), selector: Some(selector()), ..ServiceSpec::default() }),
        ..Service::default()
    }
}

/// Where metrics are scraped, pod by pod.
pub(super) fn metrics(port: i32) -> Service {
    let metrics = ServicePort {
        name: Some("metrics-port".into()),
        port,
        protocol: Some("TCP".into()),
        target_port: Some(IntOrString::Int(port)),
        ..ServicePort::default()
    };
    Service {
        metadata: ObjectMeta {
            annotations: Some(pod::scraped_at(port).into()),
            ..meta::calico_system(GOLDMANE_METRICS)
        },
        spec: Some(ServiceSpec {
            cluster_ip: Some("None".into()),
            ports: Some(vec![metrics]),
            selector: Some(selector()),
            ..ServiceSpec::default()
        }),
        ..Service::default()
    }
}

fn selector() -> BTreeMap<String, String> {
    BTreeMap::from([(APP_LABEL.into(), GOLDMANE.into())])
}
