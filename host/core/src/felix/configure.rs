//! Lays the operator's fields beside the user's.

use chimera_crds::installation::{InstallationSpec, LinuxDataplane};
use serde_json::{Map, Value, json};

use super::{FelixFacts, defaults};
use crate::codes;
use crate::installation::config::ApiGroup;
use crate::message::Message;
use crate::object::{self, Object};

/// Records what the operator set `spec.bpfEnabled` to.
pub const BPF_ANNOTATION: &str = "operator.tigera.io/bpfEnabled";

const NAME: &str = "default";
const LABEL: &str = "FelixConfiguration default";

/// What comes of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Felix {
    /// The operator's part of the object, to be laid over what is there. It gets no labels and no owner.
    pub object: Object,
    /// What components must know.
    pub facts: FelixFacts,
}

/// Works out the operator's part of the FelixConfiguration `default`.
///
/// A field is the operator's if the user has not set it to something else. `previous` is the effective spec of the
/// reconcile before, if known: a field that still holds what the operator chose then follows when the choice changes.
///
/// # Errors
/// A message for each field that contradicts the Installation or that components cannot use.
pub fn configure(
    spec: &InstallationSpec,
    previous: Option<&InstallationSpec>,
    existing: Option<&Object>,
    api_group: ApiGroup,
) -> Result<Felix, Vec<Message>> {
    let empty = Map::new();
    let current = existing.and_then(|object| object.fields().get("spec")).and_then(Value::as_object).unwrap_or(&empty);
    let before = previous.map(defaults::of).unwrap_or_default();
    let mut fields = ours(defaults::of(spec), &before, current);
    let mut errors = Vec::new();
    let bpf = defaults::dataplane(spec) == LinuxDataplane::Bpf;
    match bpf_is_ours(bpf, current, existing) {
        Ok(()) => drop(fields.insert("bpfEnabled".into(), bpf.into())),
        Err(message) => errors.push(message),
    }
    let facts = facts(current, &fields, bpf, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    let object = object_of(fields, bpf, api_group).map_err(|error| vec![unusable("metadata", error.to_string())])?;
    Ok(Felix { object, facts })
}

/// The defaults that the user has not replaced.
fn ours(defaults: Map<String, Value>, before: &Map<String, Value>, current: &Map<String, Value>) -> Map<String, Value> {
    let is_ours = |name: &str, value: &Value| match current.get(name) {
        None => !(name == "routeTableRange" && current.contains_key("routeTableRanges")),
        Some(there) => there == value || before.get(name) == Some(there),
    };
    defaults.into_iter().filter(|(name, value)| is_ours(name, value)).collect()
}

/// `bpfEnabled` follows the Installation. It may be changed if the annotation shows that the operator set it.
fn bpf_is_ours(want: bool, current: &Map<String, Value>, existing: Option<&Object>) -> Result<(), Message> {
    let Some(there) = current.get("bpfEnabled").and_then(Value::as_bool) else { return Ok(()) };
    let recorded =
        existing.and_then(|object| object.fields().get("metadata")?.get("annotations")?.get(BPF_ANNOTATION)?.as_str());
    if there == want || recorded == Some(if there { "true" } else { "false" }) {
        return Ok(());
    }
    let dataplane = if there { "BPF" } else { "one other than BPF" };
    Err(unusable(
        "spec.bpfEnabled",
        format!(
            "it is {there}, but Installation default spec.calicoNetwork.linuxDataplane asks for {want}; remove the field, \
             or set linuxDataplane to {dataplane}"
        ),
    ))
}

fn facts(
    current: &Map<String, Value>,
    fields: &Map<String, Value>,
    bpf: bool,
    errors: &mut Vec<Message>,
) -> FelixFacts {
    let mut port = |name: &str, default: u16| {
        let Some(value) = fields.get(name).or_else(|| current.get(name)) else { return default };
        value.as_u64().and_then(|port| u16::try_from(port).ok()).filter(|port| *port > 0).unwrap_or_else(|| {
            errors.push(unusable(&format!("spec.{name}"), format!("{value} is no TCP port; use 1 to 65535")));
            default
        })
    };
    let standard = FelixFacts::default();
    let health_port = port("healthPort", standard.health_port);
    let metrics = current.get("prometheusMetricsEnabled").and_then(Value::as_bool) == Some(true);
    let metrics_port = metrics.then(|| port("prometheusMetricsPort", 9091));
    FelixFacts { health_port, bpf_enabled: bpf, metrics_port }
}

fn object_of(fields: Map<String, Value>, bpf: bool, api_group: ApiGroup) -> object::Result<Object> {
    Object::from_value(json!({
        "apiVersion": api_group.api_version(),
        "kind": "FelixConfiguration",
        "metadata": {"name": NAME, "annotations": {BPF_ANNOTATION: bpf.to_string()}},
        "spec": fields,
    }))
}

fn unusable(field: &str, detail: String) -> Message {
    Message::new(&codes::INVALID_CONFIGURATION, detail).on(LABEL).field(field)
}
