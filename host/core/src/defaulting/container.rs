//! Defaults of a container.

use serde_json::{Map, Value};

use super::fill::{each, made, set, text, with};

/// Fields with a check that the kubelet makes.
const PROBES: [&str; 3] = ["livenessProbe", "readinessProbe", "startupProbe"];
const LIFECYCLE: [&str; 2] = ["postStart", "preStop"];

pub(super) fn defaults(container: &mut Map<String, Value>) {
    let policy = text(container, "image").map_or("IfNotPresent", pull_policy);
    set(container, "imagePullPolicy", policy);
    set(container, "terminationMessagePath", "/dev/termination-log");
    set(container, "terminationMessagePolicy", "File");
    made(container, "resources", |_| {});
    each(container, "ports", |port| set(port, "protocol", "TCP"));
    each(container, "env", environment);
    PROBES.iter().for_each(|name| with(container, name, probe));
    with(container, "lifecycle", |lifecycle| LIFECYCLE.iter().for_each(|name| with(lifecycle, name, handler)));
}

fn environment(variable: &mut Map<String, Value>) {
    with(variable, "valueFrom", |source| {
        with(source, "fieldRef", |field| set(field, "apiVersion", "v1"));
        with(source, "resourceFieldRef", |field| set(field, "divisor", "0"));
        with(source, "fileKeyRef", |file| set(file, "optional", false));
    });
}

fn probe(probe: &mut Map<String, Value>) {
    set(probe, "timeoutSeconds", 1);
    set(probe, "periodSeconds", 10);
    set(probe, "successThreshold", 1);
    set(probe, "failureThreshold", 3);
    handler(probe);
}

fn handler(handler: &mut Map<String, Value>) {
    with(handler, "httpGet", |get| {
        set(get, "path", "/");
        set(get, "scheme", "HTTP");
    });
    with(handler, "grpc", |grpc| set(grpc, "service", ""));
}

/// An image without a tag, or with the tag `latest`, is pulled each time.
pub(super) fn pull_policy(image: &str) -> &'static str {
    let tag = match image.rsplit('/').next().unwrap_or_default() {
        name if name.contains('@') => return "IfNotPresent",
        name => name.split_once(':').map(|(_, tag)| tag),
    };
    if matches!(tag, None | Some("latest")) { "Always" } else { "IfNotPresent" }
}
