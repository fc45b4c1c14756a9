//! From `projectcalico.org/v3` to what it is stored as, and back. Calico keeps its own metadata in an annotation of the
//! stored object; here both share name, labels, owners, version and uid, which is all that others can tell.

#[cfg(test)]
mod tests;

use serde_json::Value;

/// The group that is served.
pub(super) const GROUP: &str = "projectcalico.org";
/// Its version.
pub(super) const VERSION: &str = "v3";
/// Both.
pub(super) const SERVED: &str = "projectcalico.org/v3";
/// What it is stored as.
pub(super) const STORED: &str = "crd.projectcalico.org/v1";
const STORED_GROUP: &str = "crd.projectcalico.org";

/// Plurals and kinds, served and stored, where they differ.
const PLURAL: (&str, &str) = ("ipamconfigurations", "ipamconfigs");
const KINDS: [(&str, &str); 2] = [("IPAMConfiguration", "IPAMConfig"), ("IPAMConfigurationList", "IPAMConfigList")];

/// The served plural of a stored one.
pub(super) fn served_plural(stored: &str) -> &str {
    if stored == PLURAL.1 { PLURAL.0 } else { stored }
}

/// The served kind of a stored one.
pub(super) fn served_kind(stored: &str) -> &str {
    KINDS.iter().find(|(_, kind)| *kind == stored).map_or(stored, |(served, _)| served)
}

fn stored_kind(served: &str) -> &str {
    KINDS.iter().find(|(kind, _)| *kind == served).map_or(served, |(_, stored)| stored)
}

/// Where the request for a path of the served group goes, with its query; none if it is for another group.
pub(super) fn path(path: &str, query: Option<&str>) -> Option<String> {
    let rest = path.strip_prefix("/apis/")?.strip_prefix(SERVED)?.strip_prefix('/')?;
    let plural = |segment| if segment == PLURAL.0 { PLURAL.1 } else { segment };
    let rest: Vec<_> = rest.split('/').map(plural).collect();
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    Some(format!("/apis/{STORED}/{}{query}", rest.join("/")))
}

/// What of an `Accept` header can be understood here: JSON of any shape.
pub(super) fn accept(header: &str) -> String {
    let json: Vec<_> = header.split(',').map(str::trim).filter(|part| part.starts_with("application/json")).collect();
    if json.is_empty() { "application/json".into() } else { json.join(",") }
}

/// An object, a list or a part of one as it is stored.
pub(super) fn to_stored(value: &mut Value) {
    walk(value, &|version| (version == SERVED).then_some(STORED), &stored_kind);
}

/// An object, a list, an event of a watch or a failure as it is served.
pub(super) fn to_served(value: &mut Value) {
    walk(value, &|version| (version == STORED).then_some(SERVED), &served_kind);
    if value["kind"] == "Status" {
        if let Some(message) = value["message"].as_str() {
            value["message"] = message.replace(STORED_GROUP, GROUP).into();
        }
        if let Some(group) = value.pointer_mut("/details/group") {
            *group = GROUP.into();
        }
    }
}

type Version<'a> = &'a dyn Fn(&str) -> Option<&'static str>;
type Kind<'a> = &'a dyn for<'b> Fn(&'b str) -> &'b str;

fn walk(value: &mut Value, version: Version<'_>, kind: Kind<'_>) {
    match value {
        Value::Object(map) => {
            if let Some(new) = map.get("apiVersion").and_then(Value::as_str).and_then(version) {
                map.insert("apiVersion".into(), new.into());
                if let Some(new) = map.get("kind").and_then(Value::as_str).map(|old| kind(old).to_owned()) {
                    map.insert("kind".into(), new.into());
                }
            }
            map.values_mut().for_each(|value| walk(value, version, kind));
        }
        Value::Array(list) => list.iter_mut().for_each(|value| walk(value, version, kind)),
        _ => {}
    }
}
