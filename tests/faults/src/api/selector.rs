//! Label and field selectors, as far as equality goes.

use serde_json::Value;

/// What an object must be like.
#[derive(Clone, Debug, Default)]
pub(super) struct Selector {
    labels: Vec<(String, Option<String>)>,
    fields: Vec<(String, String)>,
}

impl Selector {
    pub(super) fn new(labels: Option<&str>, fields: Option<&str>) -> Self {
        let terms = |text: Option<&str>| -> Vec<String> {
            text.unwrap_or_default().split(',').filter(|term| !term.is_empty()).map(str::to_owned).collect()
        };
        let labels = terms(labels).into_iter().map(|term| match term.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.trim_start_matches('=').to_owned())),
            None => (term, None),
        });
        let fields = terms(fields).into_iter().filter_map(|term| {
            let (name, value) = term.split_once('=')?;
            Some((name.replace('.', "/"), value.trim_start_matches('=').to_owned()))
        });
        Self { labels: labels.collect(), fields: fields.collect() }
    }

    pub(super) fn matches(&self, object: &Value) -> bool {
        let label = |name: &str| object.get("metadata")?.get("labels")?.get(name)?.as_str();
        let labels = self.labels.iter().all(|(name, wanted)| match (label(name), wanted) {
            (Some(_), None) => true,
            (Some(value), Some(wanted)) => value == wanted,
            (None, _) => false,
        });
        let field = |path: &str| object.pointer(&format!("/{path}")).and_then(Value::as_str);
        labels && self.fields.iter().all(|(path, wanted)| field(path).unwrap_or_default() == wanted)
    }
}
