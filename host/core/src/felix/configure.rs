//! Lays the operator's fields beside the user's.

use chimera_crds::installation::{InstallationSpec, LinuxDataplane};
use serde_json::{Map, Value, json};

use super::{FelixFacts, defaults};
use crate::codes;
use crate::installation::config::ApiGroup;
use crate::merge::Setter;
use crate::message::Message;
use crate::object::{self, Object};
use crate::routes;
use crate::shared::{Part, Shared};

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
/// A field is the operator's if the user has not set it to something else: managed fields tell. Where they do not,
/// `previous` does, the effective spec of the reconcile before: a field that still holds what the operator chose then
/// follows when the choice changes.
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
    let shared = Shared::new(existing);
    let mut part = Part { spec: ours(defaults::of(spec), &before, shared), ..Part::default() };
    let bpf = defaults::dataplane(spec) == LinuxDataplane::Bpf;
    let follow = [
        bpf_follows(bpf, shared, &mut part),
        routes::felix(spec, shared, &mut part),
        nftables_fit(spec, &part, shared),
    ];
    let mut errors: Vec<_> = follow.into_iter().filter_map(Result::err).collect();
    let facts = facts(current, &part.spec, bpf, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    let object = object_of(part, api_group).map_err(|error| vec![unusable("metadata", error.to_string())])?;
    Ok(Felix { object, facts })
}

/// The defaults that the user has not replaced.
fn ours(defaults: Map<String, Value>, before: &Map<String, Value>, shared: Shared<'_>) -> Map<String, Value> {
    let is_ours = |name: &str, value: &Value| match shared.field(name) {
        None => !(name == "routeTableRange" && shared.field("routeTableRanges").is_some()),
        Some(there) if there == value || defaults::is_undecided(name, there) => true,
        Some(there) => match shared.setter(name) {
            Setter::Operator => true,
            Setter::Other => !shared.is_known() && before.get(name) == Some(there),
            Setter::Unknown => before.get(name) == Some(there),
        },
    };
    defaults.into_iter().filter(|(name, value)| is_ours(name, value)).collect()
}

/// `bpfEnabled` follows the Installation. It may be changed if the annotation shows that the operator set it.
fn bpf_follows(want: bool, shared: Shared<'_>, part: &mut Part) -> Result<(), Message> {
    let text = |value: bool| if value { "true" } else { "false" };
    let there = shared.field("bpfEnabled").and_then(Value::as_bool);
    if let Some(there) = there.filter(|there| *there != want && shared.annotation(BPF_ANNOTATION) != Some(text(*there)))
    {
        let dataplane = if there { "BPF" } else { "one other than BPF" };
        let detail = format!(
            "it is {there}, but Installation default spec.calicoNetwork.linuxDataplane asks for {want}; remove the field, \
             or set linuxDataplane to {dataplane}"
        );
        return Err(unusable("spec.bpfEnabled", detail));
    }
    part.spec.insert("bpfEnabled".into(), want.into());
    part.annotations.insert(BPF_ANNOTATION.into(), text(want).into());
    Ok(())
}

/// The user's own `nftablesMode` must not turn off what the Installation's dataplane is, nor turn on the other one.
fn nftables_fit(spec: &InstallationSpec, part: &Part, shared: Shared<'_>) -> Result<(), Message> {
    const FIELD: &str = "nftablesMode";
    let users = if part.spec.contains_key(FIELD) { None } else { shared.field(FIELD).and_then(Value::as_str) };
    let other = match (defaults::dataplane(spec), users) {
        (LinuxDataplane::Nftables, Some("Disabled")) => "Iptables",
        (LinuxDataplane::Iptables, Some("Enabled")) => "Nftables",
        _ => return Ok(()),
    };
    let detail = format!(
        "it is {}, but Installation default spec.calicoNetwork.linuxDataplane is {:?}; remove the field, or set \
         linuxDataplane to {other}",
        users.unwrap_or_default(),
        defaults::dataplane(spec)
    );
    Err(unusable("spec.nftablesMode", detail))
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

fn object_of(part: Part, api_group: ApiGroup) -> object::Result<Object> {
    Object::from_value(json!({
        "apiVersion": api_group.api_version(),
        "kind": "FelixConfiguration",
        "metadata": {"name": NAME, "annotations": part.annotations},
        "spec": part.spec,
    }))
}

fn unusable(field: &str, detail: String) -> Message {
    Message::new(&codes::INVALID_CONFIGURATION, detail).on(LABEL).field(field)
}
