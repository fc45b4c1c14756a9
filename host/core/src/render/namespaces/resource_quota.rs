//! GKE admits pods of the highest priorities only where a quota names these.

use k8s_openapi::api::core::v1::{ResourceQuota, ResourceQuotaSpec, ScopeSelector, ScopedResourceSelectorRequirement};

use crate::names::{CRITICAL_PODS_QUOTA, PRIORITY_CLUSTER_CRITICAL, PRIORITY_NODE_CRITICAL};
use crate::render::meta;

/// The ResourceQuota.
pub(super) fn critical_pods() -> ResourceQuota {
    let critical = ScopedResourceSelectorRequirement {
        operator: "In".into(),
        scope_name: "PriorityClass".into(),
        values: Some(vec![PRIORITY_NODE_CRITICAL.into(), PRIORITY_CLUSTER_CRITICAL.into()]),
    };
    ResourceQuota {
        metadata: meta::calico_system(CRITICAL_PODS_QUOTA),
        spec: Some(ResourceQuotaSpec {
            scope_selector: Some(ScopeSelector { match_expressions: Some(vec![critical]) }),
            ..ResourceQuotaSpec::default()
        }),
        ..ResourceQuota::default()
    }
}
