//! What is served, for those who ask.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::kinds::{self, Kind};
use super::server::Answer;
use super::status::Refusal;

pub(super) fn answer(path: &str) -> Answer {
    let steps: Vec<_> = path.split('/').filter(|step| !step.is_empty()).collect();
    match steps.as_slice() {
        ["version"] => {
            Ok(json!({"major": "1", "minor": "36", "gitVersion": "v1.36.0", "gitCommit": "", "gitTreeState": "",
            "buildDate": "", "goVersion": "", "compiler": "", "platform": ""}))
        }
        ["api"] => Ok(json!({"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []})),
        ["apis"] => Ok(groups()),
        ["api", version] => resources("", version),
        ["apis", group, version] => resources(group, version),
        _ => Err(Refusal::no_such_path()),
    }
}

fn groups() -> Value {
    let mut versions: BTreeMap<&str, &str> = BTreeMap::new();
    let named = kinds::all().iter().filter(|kind| !kind.group.is_empty());
    versions.extend(named.map(|kind| (kind.group.as_str(), kind.version.as_str())));
    let groups = versions.into_iter().map(|(group, version)| {
        let version = json!({"groupVersion": format!("{group}/{version}"), "version": version});
        json!({"name": group, "versions": [version], "preferredVersion": version})
    });
    json!({"apiVersion": "v1", "kind": "APIGroupList", "groups": groups.collect::<Vec<_>>()})
}

fn resources(group: &str, version: &str) -> Answer {
    let served: Vec<_> =
        kinds::all().iter().filter(|kind| kind.group == group && kind.version == version).map(resource).collect();
    if served.is_empty() {
        return Err(Refusal::no_such_path());
    }
    let group_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    Ok(json!({"apiVersion": "v1", "kind": "APIResourceList", "groupVersion": group_version, "resources": served}))
}

fn resource(kind: &Kind) -> Value {
    json!({
        "name": kind.plural, "singularName": kind.kind.to_lowercase(), "kind": kind.kind, "namespaced": kind.namespaced,
        "verbs": ["create", "delete", "get", "list", "patch", "update", "watch"],
    })
}
