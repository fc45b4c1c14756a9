//! The operator's part of FelixConfiguration `default` for the mesh. Annotations record what it set.

use serde_json::{Map, Value, json};

use crate::codes;
use crate::following::Resource;
use crate::installation::config::ApiGroup;
use crate::merge::Setter;
use crate::message::Message;
use crate::object::{self, Object};
use crate::shared::{Part, Shared};

/// Fields and the annotations that record them.
const MODE: (&str, &str) = ("istioAmbientMode", "operator.tigera.io/istioAmbientMode");
const MARK: (&str, &str) = ("istioDSCPMark", "operator.tigera.io/istioDSCPMark");
const LABEL: &str = "FelixConfiguration default";

/// With the mesh.
pub(super) fn with(
    mark: u8,
    existing: Option<&Object>,
    api_group: ApiGroup,
    resource: &Resource,
) -> Result<Object, Box<Message>> {
    let (shared, mut part) = (Shared::new(existing), Part::default());
    let wanted = [(MODE, Value::from("Enabled")), (MARK, Value::from(mark))];
    for ((field, annotation), value) in wanted {
        if let Some(there) = shared.field(field)
            && word(there) != word(&value)
            && !is_ours(shared, field, annotation)
        {
            let detail = format!(
                "it is {}, but {} asks for {}; remove the field, or delete or change that resource",
                word(there),
                resource.label(),
                word(&value)
            );
            return Err(Box::new(wrong(detail).field(format!("spec.{field}"))));
        }
        part.annotations.insert(annotation.into(), word(&value).into());
        part.spec.insert(field.into(), value);
    }
    of(part, api_group).map_err(|error| Box::new(wrong(error.to_string()).field("metadata")))
}

/// Without it, once the resource is gone; none if there is nothing to take back. What the user changed since stays.
pub fn without(existing: Option<&Object>, api_group: ApiGroup) -> Option<Object> {
    let (shared, mut part) = (Shared::new(existing), Part::default());
    for (field, annotation) in [MODE, MARK] {
        if shared.annotation(annotation).is_none() {
            continue;
        }
        part.annotations.insert(annotation.into(), Value::Null);
        if is_ours(shared, field, annotation) {
            part.spec.insert(field.into(), Value::Null);
        }
    }
    (!part.annotations.is_empty()).then(|| of(part, api_group).ok()).flatten()
}

fn is_ours(shared: Shared<'_>, field: &str, annotation: &str) -> bool {
    let recorded = shared.annotation(annotation);
    shared.field(field).is_none_or(|there| recorded == Some(word(there).as_str()))
        || shared.setter(field) == Setter::Operator
}

/// A number may stand there as text.
fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), Into::into)
}

fn of(part: Part, api_group: ApiGroup) -> object::Result<Object> {
    let metadata: Map<String, Value> =
        [("name".to_owned(), json!("default")), ("annotations".to_owned(), part.annotations.into())]
            .into_iter()
            .collect();
    Object::from_value(json!({
        "apiVersion": api_group.api_version(), "kind": "FelixConfiguration", "metadata": metadata, "spec": part.spec,
    }))
}

fn wrong(detail: String) -> Message {
    Message::new(&codes::INVALID_CONFIGURATION, detail).on(LABEL)
}
