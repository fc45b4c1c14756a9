//! What one schema has and another lacks.

use serde_json::{Map, Value};

use crate::distill;

/// One missing fact.
pub(crate) struct Lack {
    pub(crate) path: String,
    pub(crate) keyword: String,
    pub(crate) detail: String,
}

/// Everything that the reference says and our CRD does not.
pub(crate) fn lacks(reference: &Value, crd: &Value) -> Vec<Lack> {
    let mut lacks = Vec::new();
    let version = &crd["spec"]["versions"][0];
    for (keyword, ours) in
        [("scope", &crd["spec"]["scope"]), ("version", &version["name"]), ("subresources", &version["subresources"])]
    {
        if !reference[keyword].is_null() {
            expect(&mut lacks, "", keyword, &reference[keyword], ours);
        }
    }
    for (keyword, theirs) in reference["names"].as_object().unwrap() {
        expect(&mut lacks, "names", keyword, theirs, &crd["spec"]["names"][keyword]);
    }
    columns(&mut lacks, &reference["columns"], &version["additionalPrinterColumns"]);
    walk(&mut lacks, "", &reference["schema"], &distill::schema_of_all_variants(crd));
    lacks
}

/// Everything in our schema that the reference does not say.
pub(crate) fn additions(reference: &Value, crd: &Value) -> Vec<Lack> {
    let mut additions = Vec::new();
    if reference["subresources"].is_null() {
        expect(&mut additions, "", "subresources", &crd["spec"]["versions"][0]["subresources"], &Value::Null);
    }
    walk(&mut additions, "", &distill::facts(crd)["schema"], &reference["schema"]);
    additions
}

fn push(lacks: &mut Vec<Lack>, path: &str, keyword: &str, detail: String) {
    lacks.push(Lack { path: path.to_owned(), keyword: keyword.to_owned(), detail });
}

fn expect(lacks: &mut Vec<Lack>, path: &str, keyword: &str, theirs: &Value, ours: &Value) {
    if theirs != ours {
        push(lacks, path, keyword, format!("is {ours}, the reference says {theirs}"));
    }
}

/// Each column of theirs is one of ours, by name, type and path, in the same order.
fn columns(lacks: &mut Vec<Lack>, theirs: &Value, ours: &Value) {
    let key = |column: &Value| (column["name"].clone(), column["type"].clone(), column["jsonPath"].clone());
    let mut ours = ours.as_array().into_iter().flatten().map(key);
    for theirs in theirs.as_array().into_iter().flatten().map(key) {
        if !ours.any(|ours| ours == theirs) {
            push(lacks, "columns", "column", format!("{theirs:?} is missing"));
        }
    }
}

fn walk(lacks: &mut Vec<Lack>, path: &str, theirs: &Value, ours: &Value) {
    let empty = Map::new();
    for (keyword, theirs) in theirs.as_object().unwrap_or(&empty) {
        let ours = &ours[keyword];
        match keyword.as_str() {
            "properties" => properties(lacks, path, theirs, ours),
            "items" => walk(lacks, &format!("{path}[]"), theirs, ours),
            "additionalProperties" if theirs.is_object() => walk(lacks, &format!("{path}{{}}"), theirs, ours),
            "enum" | "required" => members(lacks, path, keyword, theirs, ours, |value| value.clone()),
            // A message may be worded anew, the rule may not.
            "x-kubernetes-validations" => members(lacks, path, keyword, theirs, ours, |rule| rule["rule"].clone()),
            _ => expect(lacks, path, keyword, theirs, ours),
        }
    }
}

fn properties(lacks: &mut Vec<Lack>, path: &str, theirs: &Value, ours: &Value) {
    for (name, theirs) in theirs.as_object().unwrap() {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        match ours.get(name) {
            Some(ours) => walk(lacks, &path, theirs, ours),
            None => push(lacks, &path, "field", "is missing".to_owned()),
        }
    }
}

fn members(lacks: &mut Vec<Lack>, path: &str, keyword: &str, theirs: &Value, ours: &Value, key: fn(&Value) -> Value) {
    let ours: Vec<Value> = ours.as_array().into_iter().flatten().map(key).collect();
    for theirs in theirs.as_array().unwrap().iter().map(key) {
        if !ours.contains(&theirs) {
            push(lacks, path, keyword, format!("lacks {theirs}"));
        }
    }
}
