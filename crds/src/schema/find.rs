//! The schema of an object's kind, from the CRDs that are installed.

use serde_json::Value;

use crate::manifests;
use crate::projectcalico::ApiGroup;

/// Of its kind and version; none if that is not of this crate.
pub(super) fn schema(object: &Value) -> Option<Value> {
    let text = |name: &str| object.get(name).and_then(Value::as_str);
    let (kind, (group, version)) = (text("kind")?, text("apiVersion")?.split_once('/')?);
    // Each definition is large, so only the one that is wanted is parsed.
    let named = format!("\"kind\":\"{kind}\"");
    let candidates = definitions(group)?.filter(|definition| definition.contains(&named));
    candidates.filter_map(|definition| serde_json::from_str::<Value>(definition).ok()).find_map(|mut definition| {
        if definition.pointer("/spec/names/kind").and_then(Value::as_str) != Some(kind) {
            return None;
        }
        let versions = definition.pointer_mut("/spec/versions")?.as_array_mut()?;
        let served = versions.iter_mut().find(|served| served.get("name").and_then(Value::as_str) == Some(version))?;
        served.pointer_mut("/schema/openAPIV3Schema").map(Value::take)
    })
}

/// The version that a kind is served in, else the name of one that is much like it.
pub(super) fn version(group: &str, kind: &str) -> Result<String, Option<String>> {
    let mut near = None;
    for definition in definitions(group).into_iter().flatten() {
        let Ok(definition) = serde_json::from_str::<Value>(definition) else { continue };
        let text = |pointer: &str| definition.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        let (Some(known), Some(version)) = (text("/spec/names/kind"), text("/spec/versions/0/name")) else { continue };
        if known == kind {
            return Ok(version);
        }
        if known.eq_ignore_ascii_case(kind) || super::walk::is_near(&known, kind) {
            near = Some(known);
        }
    }
    Err(near)
}

fn definitions(group: &str) -> Option<Box<dyn Iterator<Item = &'static str>>> {
    match group {
        "operator.tigera.io" => Some(Box::new(manifests::operator_json())),
        "crd.projectcalico.org" => Some(Box::new(manifests::projectcalico_json(ApiGroup::V1))),
        "projectcalico.org" => Some(Box::new(manifests::projectcalico_json(ApiGroup::V3))),
        _ => None,
    }
}
