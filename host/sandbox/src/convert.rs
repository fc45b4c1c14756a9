//! Between the core's types and what crosses to a guest.

mod installation;

use std::collections::BTreeSet;

use chimera_core::extensions::{CommonConfig, ComponentView, Operation, Point};
use chimera_core::object::{Object, ObjectKey};
use serde_json::{Map, Value};

use crate::adapter::Hook;
use crate::failure::Failure;
use crate::text;
use crate::wire::{Any, Config, Input, WireObject, WireOperation};

/// Fields of a Secret that a guest neither sees nor changes.
const SECRET_FIELDS: [&str; 2] = ["data", "stringData"];
/// Bytes shown of the reason for a removal.
const REASON: usize = 256;

/// Arguments of a hook for a component; none if the hook is not for this point.
pub(crate) fn input(
    hook: Hook,
    point: Point<'_>,
    component: ComponentView<'_>,
    settings: &str,
) -> Result<Option<Input>, Failure> {
    let config = match (hook, point) {
        (Hook::Installation, Point::Installation(config)) => {
            Config::Installation(Box::new(installation::facts(component.name, config, settings)?))
        }
        (Hook::Any, Point::UiGateway(config) | Point::Other(config)) => {
            Config::Any(any(component.name, point.name(), config.clone(), settings))
        }
        (Hook::Any, _) => match common(point)? {
            Some(config) => Config::Any(any(component.name, point.name(), config, settings)),
            None => return Ok(None),
        },
        _ => return Ok(None),
    };
    let objects = component.objects.iter().map(object).collect::<Result<_, _>>()?;
    Ok(Some(Input { config, objects }))
}

/// The small config of a point that has a typed one.
fn common(point: Point<'_>) -> Result<Option<CommonConfig>, Failure> {
    let Some(config) = point.installation() else { return Ok(None) };
    let common = installation::common(config)?;
    // The component's own resource goes before the Installation, which says less of it.
    let resource = point.following().map(|following| following.effective());
    Ok(Some(CommonConfig { resource: resource.unwrap_or(common.resource), ..common }))
}

fn any(component: &str, point: &'static str, config: CommonConfig, settings: &str) -> Any {
    let CommonConfig { cluster_domain, provider, variant, resource } = config;
    Any {
        component: component.into(),
        point,
        variant,
        cluster_domain,
        provider,
        custom_resource: resource.to_string(),
        settings: settings.into(),
    }
}

fn object(object: &Object) -> Result<WireObject, Failure> {
    let json = if is_secret(object.key()) { json(&without_data(object.fields())) } else { json(object.fields()) };
    Ok(WireObject { key: object.key().clone(), json: json? })
}

fn json(value: &impl serde::Serialize) -> Result<String, Failure> {
    serde_json::to_string(value).map_err(|error| Failure::Host(format!("an object cannot be written as JSON: {error}")))
}

fn is_secret(key: &ObjectKey) -> bool {
    key.kind == "Secret" && key.api_version == "v1"
}

fn without_data(fields: &Map<String, Value>) -> Map<String, Value> {
    let kept = fields.iter().filter(|(name, _)| !SECRET_FIELDS.contains(&name.as_str()));
    kept.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// An answer as the core takes it.
///
/// Fails if JSON is broken or names another object than its key, or an object is mentioned twice.
pub(crate) fn operations(answer: Vec<WireOperation>, component: ComponentView<'_>) -> Result<Vec<Operation>, Failure> {
    let mut seen = BTreeSet::new();
    answer
        .into_iter()
        .map(|operation| {
            if !seen.insert(operation.key().clone()) {
                return Err(Failure::InvalidAnswer(format!("it has two operations for {}", operation.key())));
            }
            self::operation(operation, component)
        })
        .collect()
}

fn operation(operation: WireOperation, component: ComponentView<'_>) -> Result<Operation, Failure> {
    Ok(match operation {
        WireOperation::Add(object) => Operation::Add(parse(object)?),
        WireOperation::Replace(object) => Operation::Replace(with_data(parse(object)?, component)?),
        WireOperation::Remove { key, reason } => Operation::Remove { key, reason: text::clean(&reason, REASON) },
    })
}

fn parse(object: WireObject) -> Result<Object, Failure> {
    let WireObject { key, json } = object;
    let wrong = |why: String| Failure::InvalidAnswer(format!("the JSON of {key} {why}"));
    let value = serde_json::from_str(&json).map_err(|error| wrong(format!("cannot be read: {error}")))?;
    let object = Object::from_value(value).map_err(|error| wrong(format!("is no object of Kubernetes: {error}")))?;
    if *object.key() == key { Ok(object) } else { Err(wrong(format!("is of another object, {}", object.key()))) }
}

/// Gives a replaced Secret back what the guest did not see.
fn with_data(object: Object, component: ComponentView<'_>) -> Result<Object, Failure> {
    if !is_secret(object.key()) {
        return Ok(object);
    }
    let before = component.objects.iter().find(|before| before.key() == object.key());
    let mut fields = without_data(object.fields());
    for (name, value) in before.into_iter().flat_map(Object::fields) {
        if SECRET_FIELDS.contains(&name.as_str()) || name == "type" {
            fields.insert(name.clone(), value.clone());
        }
    }
    Object::from_value(Value::Object(fields)).map_err(|error| Failure::InvalidAnswer(error.to_string()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn secret() -> Object {
        Object::from_value(json!({"apiVersion": "v1", "kind": "Secret", "type": "Opaque",
            "metadata": {"name": "key", "namespace": "meadow"}, "data": {"tls.key": "c3dvcmRmaXNo"}}))
        .unwrap()
    }

    fn replacing(value: Value) -> WireOperation {
        WireOperation::Replace(WireObject { key: secret().key().clone(), json: value.to_string() })
    }

    #[test]
    fn a_guest_never_sees_key_material_and_cannot_lose_it() {
        let objects = [secret()];
        let view = ComponentView { name: "sheep", objects: &objects };
        assert!(!object(&objects[0]).unwrap().json.contains("c3dvcmRmaXNo"));

        let changed = json!({"apiVersion": "v1", "kind": "Secret", "data": {"tls.key": "eA=="},
            "metadata": {"name": "key", "namespace": "meadow", "labels": {"a": "b"}}});
        let operations = operations(vec![replacing(changed)], view).unwrap();
        let [Operation::Replace(object)] = operations.as_slice() else { panic!("{operations:?}") };
        assert_eq!(object.pointer("/data/tls.key"), Some(&json!("c3dvcmRmaXNo")));
        assert_eq!(object.pointer("/metadata/labels/a"), Some(&json!("b")));
        assert_eq!(object.pointer("/type"), Some(&json!("Opaque")));
    }

    #[test]
    fn an_answer_that_makes_no_sense_is_refused_with_the_object_named() {
        let view = ComponentView { name: "sheep", objects: &[] };
        let other = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "other", "namespace": "meadow"}});
        for (answer, expected) in [
            (vec![replacing(other)], "another object, Secret meadow/other"),
            (vec![replacing(json!([]))], "Secret meadow/key"),
            (vec![replacing(secret().into_value()), replacing(secret().into_value())], "two operations for Secret"),
        ] {
            let failure = operations(answer, view).unwrap_err();
            assert_eq!(failure.reason(), "InvalidAnswer");
            assert!(failure.to_string().contains(expected), "{failure}");
        }
    }
}
