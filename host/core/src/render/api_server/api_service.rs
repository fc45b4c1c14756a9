//! Tells the Kubernetes API servers whom to ask for `projectcalico.org/v3`.

use k8s_openapi::kube_aggregator::pkg::apis::apiregistration::v1::{APIService, APIServiceSpec, ServiceReference};

use crate::api_server::ApiServerConfig;
use crate::names::{API_SERVER_SERVICE, API_SERVICE, CALICO_SYSTEM};
use crate::render::meta;
use crate::render::pod::certificates;

/// Among the groups of the Kubernetes API, and among the versions of this one.
const GROUP_PRIORITY: i32 = 1500;
const VERSION_PRIORITY: i32 = 200;

/// The APIService.
pub(super) fn v3(config: &ApiServerConfig) -> APIService {
    let service = ServiceReference {
        name: Some(API_SERVER_SERVICE.into()),
        namespace: Some(CALICO_SYSTEM.into()),
        ..ServiceReference::default()
    };
    APIService {
        metadata: meta::cluster(API_SERVICE),
        spec: Some(APIServiceSpec {
            ca_bundle: certificates::known_by(&config.pair, &config.installation),
            group: Some("projectcalico.org".into()),
            group_priority_minimum: GROUP_PRIORITY,
            service: Some(service),
            version: Some("v3".into()),
            version_priority: VERSION_PRIORITY,
            ..APIServiceSpec::default()
        }),
        ..APIService::default()
    }
}
