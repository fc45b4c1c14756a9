//! A CRD around a schema.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceSubresourceStatus, CustomResourceSubresources, CustomResourceValidation,
};
use kube::CustomResourceExt;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::{GenerateError, describe, embedded, inline};

/// A CEL rule on the whole resource.
pub(super) struct Rule {
    /// The expression, true for what is allowed.
    pub(super) rule: &'static str,
    /// What the user reads when it is false.
    pub(super) message: &'static str,
    /// The field that the message is about.
    pub(super) field: &'static str,
}

/// The CRD of a type. Name, columns and the like come from its `kube` attributes.
pub(super) fn of<T: CustomResourceExt + JsonSchema>(rules: &[Rule]) -> Result<Value, GenerateError> {
    let mut crd = T::crd();
    let kind = crd.spec.names.kind.clone();
    let schema = root::<T>(&kind, rules)?;
    let schema =
        serde_json::from_value(schema).map_err(|source| GenerateError::Unreadable { kind: kind.clone(), source })?;
    let version =
        crd.spec.versions.first_mut().ok_or(GenerateError::Incomplete { kind: kind.clone(), what: "a version" })?;
    version.schema = Some(CustomResourceValidation { open_api_v3_schema: Some(schema) });
    version.subresources =
        Some(CustomResourceSubresources { status: Some(CustomResourceSubresourceStatus(json!({}))), scale: None });
    // What an API server would fill in, so that the committed file equals what is served.
    crd.spec.names.list_kind = Some(format!("{}List", crd.spec.names.kind));
    let mut crd = serde_json::to_value(crd).map_err(|source| GenerateError::Unreadable { kind, source })?;
    whole_numbers(&mut crd);
    crd.sort_all_objects();
    Ok(crd)
}

/// The schema of a whole resource.
fn root<T: JsonSchema>(kind: &str, rules: &[Rule]) -> Result<Value, GenerateError> {
    let mut schema = inline::resolve(raw::<T>())?;
    describe::tidy(&mut schema);
    describe::describe_lists_once(&mut schema);
    let properties = schema
        .pointer_mut("/properties")
        .and_then(Value::as_object_mut)
        .ok_or(GenerateError::Incomplete { kind: kind.to_owned(), what: "properties" })?;
    complete(properties);
    if let Some(object) = schema.as_object_mut() {
        // Neither is a resource without `spec` an error, nor does an API server let one through without metadata.
        object.remove("required");
        if !rules.is_empty() {
            let rules = rules
                .iter()
                .map(|rule| json!({ "rule": rule.rule, "message": rule.message, "fieldPath": rule.field }))
                .collect();
            object.insert("x-kubernetes-validations".to_owned(), Value::Array(rules));
        }
    }
    Ok(schema)
}

/// The schema as schemars makes it, with definitions on the side.
fn raw<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::openapi3().with(|settings| settings.meta_schema = None);
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    embedded::prepare_all(&mut schema);
    schema
}

/// Adds what every resource has, and fills in a `spec` that is left out, so that readers always find one.
fn complete(properties: &mut Map<String, Value>) {
    let describe = |text: &str| json!({ "type": "string", "description": text });
    properties.insert("apiVersion".to_owned(), describe("Group and version of this schema."));
    properties.insert("kind".to_owned(), describe("Name of this schema."));
    properties
        .insert("metadata".to_owned(), json!({ "type": "object", "properties": { "name": { "type": "string" } } }));
    if let Some(spec) = properties.get_mut("spec").and_then(Value::as_object_mut) {
        spec.insert("default".to_owned(), json!({}));
    }
    // Described once, below `spec`.
    if let Some(computed) = properties.get_mut("status").and_then(|status| status.pointer_mut("/properties/computed")) {
        describe::strip_below(computed);
    }
}

/// Bounds of integers are floats in the Rust type of a CRD; an API server answers with integers.
fn whole_numbers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(whole) = number.as_f64().filter(|_| number.is_f64()).map(|float| format!("{float:.0}"))
                && number.to_string() == format!("{whole}.0")
                && let Ok(whole) = whole.parse::<i64>()
            {
                *number = whole.into();
            }
        }
        Value::Array(list) => list.iter_mut().for_each(whole_numbers),
        Value::Object(object) => object.values_mut().for_each(whole_numbers),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}
