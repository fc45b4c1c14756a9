//! Objects as YAML, and where two sets of them differ.

use std::collections::BTreeMap;

use chimera_core::object::{Object, ObjectKey};
use chimera_core::provenance::differences;
use serde_json::Value;

/// Objects by what names them.
pub(crate) type Objects = BTreeMap<ObjectKey, Value>;

/// One document an object, in the order of their keys.
pub(crate) fn to_yaml(objects: &Objects) -> String {
    let documents: Vec<_> = objects.values().map(|object| serde_saphyr::to_string(object).unwrap()).collect();
    documents.join("---\n")
}

/// The inverse.
pub(crate) fn from_yaml(text: &str) -> Objects {
    let documents = serde_saphyr::from_multiple::<Value>(text).unwrap();
    let objects = documents.into_iter().filter(Value::is_object).map(|value| Object::from_value(value).unwrap());
    objects.map(|object| (object.key().clone(), object.into_value())).collect()
}

/// One line for each difference.
pub(crate) fn findings(case: &str, want: &Objects, got: &Objects) -> Vec<String> {
    let missing = want.keys().filter(|key| !got.contains_key(key)).map(|key| format!("{case}: {key} is not rendered"));
    let other = got.iter().flat_map(|(key, got)| match want.get(key) {
        None => vec![format!("{case}: {key} is new")],
        Some(want) => fields(case, key, want, got),
    });
    missing.chain(other).collect()
}

fn fields(case: &str, key: &ObjectKey, want: &Value, got: &Value) -> Vec<String> {
    let mut pointers = Vec::new();
    differences(Some(want), got, String::new(), &mut pointers);
    let show = |value: Option<&Value>| value.map_or("nothing".to_owned(), Value::to_string);
    let line = |pointer: String| {
        let (want, got) = (show(want.pointer(&pointer)), show(got.pointer(&pointer)));
        format!("{case}: {key} {pointer}: committed {want}, rendered {got}")
    };
    pointers.into_iter().map(line).collect()
}
