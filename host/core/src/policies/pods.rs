//! Policies for pods: image pull policy, TLS settings, probe timing, operating system.

use serde_json::{Map, Value};

use super::labels::HOST_NETWORKED_LABEL;
use super::{PodPlace, PolicyContext, pod_place};
use crate::component::Os;
use crate::object::{Object, edit_map};

const OS_LABEL: &str = "kubernetes.io/os";
const DEFAULT_PULL_POLICY: &str = "IfNotPresent";

/// Probe, then its timeout and period, in seconds.
const TIMING: [(&str, i64, i64); 2] = [("livenessProbe", 5, 60), ("readinessProbe", 5, 30)];
/// Failures in a row before a probe counts as failed.
const FAILURES: i64 = 3;

pub(super) fn lay_on(object: &mut Object, os: Os, ctx: &PolicyContext) {
    let Some(place) = pod_place(object) else { return };
    let Some(Value::Object(spec)) = object.pointer_mut(place.spec) else { return };
    let host_networked = spec.get("hostNetwork") == Some(&Value::Bool(true));
    edit_map(spec, "nodeSelector", |selector| set(selector, OS_LABEL, os.label()));
    each(spec, "initContainers", |container| pull(container, ctx));
    each(spec, "containers", |container| {
        pull(container, ctx);
        tls(container, ctx);
        TIMING.iter().for_each(|timing| probe(container, timing));
    });
    if host_networked {
        mark(object, &place);
    }
}

fn mark(object: &mut Object, place: &PodPlace) {
    let Some(Value::Object(parent)) = object.pointer_mut(place.parent) else { return };
    edit_map(parent, place.metadata, |metadata| {
        edit_map(metadata, "labels", |labels| set(labels, HOST_NETWORKED_LABEL, "true"));
    });
}

fn pull(container: &mut Map<String, Value>, ctx: &PolicyContext) {
    let policy = ctx.image_pull_policy.as_deref().unwrap_or(DEFAULT_PULL_POLICY);
    container.insert("imagePullPolicy".into(), policy.into());
}

fn tls(container: &mut Map<String, Value>, ctx: &PolicyContext) {
    let wanted = [("TLS_CIPHER_SUITES", &ctx.tls_cipher_suites), ("TLS_MIN_VERSION", &ctx.tls_min_version)];
    for (name, value) in wanted {
        let Some(value) = value else { continue };
        let Value::Array(env) = container.entry("env").or_insert_with(|| Value::Array(Vec::new())) else { return };
        if !env.iter().any(|variable| variable.get("name").and_then(Value::as_str) == Some(name)) {
            env.push(serde_json::json!({"name": name, "value": value}));
        }
    }
}

fn probe(container: &mut Map<String, Value>, (name, timeout, period): &(&str, i64, i64)) {
    let Some(Value::Object(probe)) = container.get_mut(*name) else { return };
    for (field, value) in [("timeoutSeconds", *timeout), ("periodSeconds", *period), ("failureThreshold", FAILURES)] {
        // To the API server zero is unset.
        if probe.get(field).is_none_or(|set| set.as_i64() == Some(0) || set.is_null()) {
            probe.insert(field.into(), value.into());
        }
    }
}

fn each(spec: &mut Map<String, Value>, list: &str, edit: impl Fn(&mut Map<String, Value>)) {
    let containers = spec.get_mut(list).and_then(Value::as_array_mut);
    containers.into_iter().flatten().filter_map(Value::as_object_mut).for_each(edit);
}

fn set(map: &mut Map<String, Value>, name: &str, value: &str) {
    map.entry(name).or_insert_with(|| value.into());
}
