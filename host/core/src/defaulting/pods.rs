//! Defaults of a pod's spec.

use serde_json::{Map, Value};

use super::fill::{each, made, set, text};
use super::{container, volumes};

pub(super) fn spec(spec: &mut Map<String, Value>) {
    set(spec, "dnsPolicy", "ClusterFirst");
    set(spec, "restartPolicy", "Always");
    set(spec, "schedulerName", "default-scheduler");
    set(spec, "terminationGracePeriodSeconds", 30);
    made(spec, "securityContext", |_| {});
    service_account(spec);
    each(spec, "initContainers", container::defaults);
    each(spec, "containers", container::defaults);
    each(spec, "volumes", volumes::defaults);
}

/// The field has an old name, which the API server keeps equal.
fn service_account(spec: &mut Map<String, Value>) {
    let name = text(spec, "serviceAccountName").or_else(|| text(spec, "serviceAccount")).map(str::to_owned);
    if let Some(name) = name {
        spec.insert("serviceAccountName".into(), name.clone().into());
        spec.insert("serviceAccount".into(), name.into());
    }
}
