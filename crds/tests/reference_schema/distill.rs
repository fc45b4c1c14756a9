//! Facts of a CRD, without any prose.

use serde_json::{Value, json};

/// Names of resources that belong to no variant.
const NAMES: [&str; 2] = ["default", "overlay"];

/// Names, columns and the schema of a reference CRD, without descriptions and without what names a variant.
pub(crate) fn facts(crd: &Value) -> Value {
    let mut schema = schema_of_all_variants(crd);
    strip(&mut schema);
    // The same as `spec`, as a test of ours checks; half the file.
    if let Some(status) = schema.pointer_mut("/properties/status/properties").and_then(Value::as_object_mut) {
        status.remove("computed");
    }
    let version = &crd["spec"]["versions"][0];
    json!({
        "names": crd["spec"]["names"],
        "scope": crd["spec"]["scope"],
        "version": version["name"],
        "subresources": version["subresources"],
        "columns": version["additionalPrinterColumns"],
        "schema": schema,
    })
}

/// The schema of a CRD, without what names a variant.
pub(crate) fn schema_of_all_variants(crd: &Value) -> Value {
    let mut schema = schema(crd);
    forget_variants(&mut schema);
    schema
}

/// The schema of a CRD's only version.
pub(crate) fn schema(crd: &Value) -> Value {
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"].clone()
}

/// Removes descriptions, at every level.
pub(crate) fn strip(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.get("description").is_some_and(Value::is_string) {
                object.remove("description");
            }
            object.values_mut().for_each(strip);
        }
        Value::Array(list) => list.iter_mut().for_each(strip),
        _ => {}
    }
}

/// The enum of variants, and names of resources that belong to one.
fn forget_variants(schema: &mut Value) {
    let rules = schema.get_mut("x-kubernetes-validations").and_then(Value::as_array_mut);
    for rule in rules.into_iter().flatten() {
        let terms: Vec<&str> = rule["rule"].as_str().unwrap().split(" || ").collect();
        let ours = |term: &&&str| NAMES.iter().any(|name| **term == format!("self.metadata.name == '{name}'"));
        *rule = json!({ "rule": terms.iter().filter(ours).copied().collect::<Vec<_>>().join(" || ") });
    }
    for part in ["spec", "status"] {
        let variant =
            schema.pointer_mut(&format!("/properties/{part}/properties/variant")).and_then(Value::as_object_mut);
        variant.map(|variant| variant.remove("enum"));
    }
}
