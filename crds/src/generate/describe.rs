//! Descriptions, as `kubectl explain` shows them.

use serde_json::Value;

/// Joins the lines of each paragraph, since the reader's terminal breaks them, and keeps paragraphs and list items apart.
pub(super) fn tidy(schema: &mut Value) {
    each(schema, &mut |description| {
        *description = description.split("\n\n").map(paragraph).collect::<Vec<_>>().join("\n\n");
        true
    });
}

/// Removes what is said of a list's items where the list itself is described: `kubectl explain` would show both, one after the other.
pub(super) fn describe_lists_once(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.get("description").is_some_and(Value::is_string)
                && let Some(items) = object.get_mut("items").and_then(Value::as_object_mut)
            {
                items.remove("description");
            }
            object.values_mut().for_each(describe_lists_once);
        }
        Value::Array(list) => list.iter_mut().for_each(describe_lists_once),
        _ => {}
    }
}

/// Removes the descriptions of everything below a schema, not its own.
pub(super) fn strip_below(schema: &mut Value) {
    let own = schema.get("description").cloned();
    strip(schema);
    if let (Some(own), Some(object)) = (own, schema.as_object_mut()) {
        object.insert("description".to_owned(), own);
    }
}

/// Removes every description.
pub(super) fn strip(schema: &mut Value) {
    each(schema, &mut |_| false);
}

fn paragraph(text: &str) -> String {
    if text.starts_with("- ") { text.to_owned() } else { text.replace('\n', " ") }
}

/// Edits every description of a schema; one for which `edit` answers false is removed. A property that is *named* `description` is none.
fn each(schema: &mut Value, edit: &mut impl FnMut(&mut String) -> bool) {
    match schema {
        Value::Object(object) => {
            if let Some(Value::String(description)) = object.get_mut("description")
                && !edit(description)
            {
                object.remove("description");
            }
            object.values_mut().for_each(|below| each(below, edit));
        }
        Value::Array(list) => list.iter_mut().for_each(|below| each(below, edit)),
        _ => {}
    }
}
