//! From a JSON schema with references and null types to the structural schema of a CRD.

use serde_json::{Map, Value};

use super::GenerateError;

/// Puts every definition where it is referred to, and says "optional" the way CRDs do.
pub(super) fn resolve(mut root: Value) -> Result<Value, GenerateError> {
    let definitions = root.pointer_mut("/components/schemas").map(Value::take).unwrap_or_default();
    if let Some(object) = root.as_object_mut() {
        object.remove("components");
    }
    let definitions = definitions.as_object().cloned().unwrap_or_default();
    schema(root, &definitions)
}

/// One schema and all below it.
fn schema(value: Value, definitions: &Map<String, Value>) -> Result<Value, GenerateError> {
    let Value::Object(object) = value else { return Ok(value) };
    let mut object = unwrap_option(follow(object, definitions)?, definitions)?;
    for key in ["title", "nullable"] {
        object.remove(key);
    }
    drop_null_type(&mut object);
    collapse_enum(&mut object);
    for key in ["items", "additionalProperties"] {
        if let Some(below) = object.remove(key) {
            object.insert(key.to_owned(), schema(below, definitions)?);
        }
    }
    if let Some(Value::Object(properties)) = object.remove("properties") {
        let properties: Result<Map<_, _>, GenerateError> =
            properties.into_iter().map(|(name, below)| Ok((name, schema(below, definitions)?))).collect();
        object.insert("properties".to_owned(), Value::Object(properties?));
    }
    Ok(Value::Object(object))
}

/// Replaces a reference by what it refers to; what stands next to the reference wins.
fn follow(
    mut object: Map<String, Value>,
    definitions: &Map<String, Value>,
) -> Result<Map<String, Value>, GenerateError> {
    let Some(Value::String(reference)) = object.remove("$ref") else { return Ok(object) };
    let name = reference.rsplit('/').next().unwrap_or_default();
    let target =
        definitions.get(name).and_then(Value::as_object).ok_or_else(|| GenerateError::Unresolved(reference.clone()))?;
    Ok(under(object, follow(target.clone(), definitions)?))
}

/// `anyOf` a schema and null is that schema.
fn unwrap_option(
    mut object: Map<String, Value>,
    definitions: &Map<String, Value>,
) -> Result<Map<String, Value>, GenerateError> {
    let Some(Value::Array(any_of)) = object.get("anyOf") else { return Ok(object) };
    if !any_of.iter().any(is_null) {
        return Ok(object);
    }
    let inner: Vec<_> = any_of.iter().filter(|schema| !is_null(schema)).cloned().collect();
    match inner.as_slice() {
        [Value::Object(inner)] => {
            object.remove("anyOf");
            Ok(under(object, follow(inner.clone(), definitions)?))
        }
        _ => Ok(object),
    }
}

/// Whether a schema accepts null only.
fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|t| t == "null")
        || schema.get("enum").is_some_and(|values| *values == serde_json::json!([null]))
}

/// Lays `upper` over `lower`.
fn under(upper: Map<String, Value>, mut lower: Map<String, Value>) -> Map<String, Value> {
    lower.extend(upper);
    lower
}

/// A type that is "something or null" is that something.
fn drop_null_type(object: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|t| t != "null");
        if let [single] = types.as_slice() {
            let single = single.clone();
            object.insert("type".to_owned(), single);
        }
    }
}

/// One constant each, with or without a description, is an enumeration. What the values mean goes to the end of the description.
fn collapse_enum(object: &mut Map<String, Value>) {
    let Some(Value::Array(cases)) = object.get("oneOf") else { return };
    let Some(values) = cases.iter().map(case_values).collect::<Option<Vec<_>>>() else { return };
    let meanings: Vec<String> = cases.iter().filter_map(meaning).collect();
    object.remove("oneOf");
    object.insert("type".to_owned(), "string".into());
    object.insert("enum".to_owned(), values.into_iter().flatten().collect());
    if !meanings.is_empty() {
        let description = object.get("description").and_then(Value::as_str).unwrap_or_default();
        object.insert("description".to_owned(), format!("{description}\n\n{}", meanings.join("\n")).into());
    }
}

/// The values of one case: a constant, or those without a description together.
fn case_values(case: &Value) -> Option<Vec<Value>> {
    case.get("const").map(|value| vec![value.clone()]).or_else(|| case.get("enum").and_then(Value::as_array).cloned())
}

/// A value and what it means, as a list item.
fn meaning(case: &Value) -> Option<String> {
    let value = case.get("const")?.as_str()?;
    let value = if value.is_empty() { "\"\"" } else { value };
    Some(format!("- {value}: {}", case.get("description")?.as_str()?.replace('\n', " ")))
}
