//! Service in front of the console.

use k8s_openapi::api::core::v1::{Service, ServicePort, ServiceSpec};

use crate::names::{APP_LABEL, WHISKER, WHISKER_PORT};
use crate::render::meta;

/// Where browsers get by a forwarded port.
pub(super) fn whisker() -> Service {
    let port = ServicePort { port: WHISKER_PORT.into(), ..ServicePort::default() };
    Service {
        metadata: meta::calico_system(WHISKER),
        spec: Some(ServiceSpec {
            ports: Some(vec![port]),
            selector: Some([(APP_LABEL.into(), WHISKER.into())].into()),
            ..ServiceSpec::default()
        }),
        ..Service::default()
    }
}
