//! Defaults of a volume.

use serde_json::{Map, Value};

use super::container::pull_policy;
use super::fill::{each, made, set, text, with};

/// Mode of projected files: `rw-r--r--`.
const FILE_MODE: i32 = 0o644;
/// Life of a projected token, in seconds.
const TOKEN_SECONDS: i64 = 3600;

pub(super) fn defaults(volume: &mut Map<String, Value>) {
    if volume.keys().all(|name| name == "name") {
        made(volume, "emptyDir", |_| {});
    }
    with(volume, "hostPath", |path| set(path, "type", ""));
    for source in ["secret", "configMap", "downwardAPI", "projected"] {
        with(volume, source, |source| set(source, "defaultMode", FILE_MODE));
    }
    with(volume, "downwardAPI", downward);
    with(volume, "projected", |projected| each(projected, "sources", projection));
    with(volume, "image", |image| {
        let policy = text(image, "reference").map_or("IfNotPresent", pull_policy);
        set(image, "pullPolicy", policy);
    });
    with(volume, "ephemeral", |claim| {
        with(claim, "volumeClaimTemplate", |template| {
            with(template, "spec", |spec| set(spec, "volumeMode", "Filesystem"));
        });
    });
}

fn downward(source: &mut Map<String, Value>) {
    each(source, "items", |item| with(item, "fieldRef", |field| set(field, "apiVersion", "v1")));
}

fn projection(source: &mut Map<String, Value>) {
    with(source, "downwardAPI", downward);
    with(source, "serviceAccountToken", |token| set(token, "expirationSeconds", TOKEN_SECONDS));
}
