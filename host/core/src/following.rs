//! Components that have a custom resource of their own and follow from the Installation as well: what their configs have
//! in common.

use std::fmt::Debug;

use chimera_crds::installation::Variant;
use serde_json::{Value, json};

use crate::certificates::KeyPair;
use crate::codes;
use crate::installation::config::{InstallationConfig, Owner};
use crate::installation::policies;
use crate::message::Message;
use crate::overrides::{self, Override};
use crate::policies::PolicyContext;

/// The custom resource that a component belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resource {
    /// Its kind, of the operator's own API.
    pub kind: &'static str,
    /// What names it.
    pub owner: Owner,
}

impl Resource {
    /// As messages name it: `APIServer default`.
    pub fn label(&self) -> String {
        format!("{} {}", self.kind, self.owner.name)
    }

    /// The resource with its effective spec, for plugins.
    pub fn with_spec(&self, spec: &impl serde::Serialize) -> Value {
        json!({
            "apiVersion": "operator.tigera.io/v1",
            "kind": self.kind,
            "metadata": {"name": self.owner.name},
            "spec": spec,
        })
    }
}

/// The config of such a component.
pub trait Following: Debug + Send + Sync {
    /// Its resource.
    fn resource(&self) -> &Resource;

    /// The Installation that it follows from.
    fn installation(&self) -> &InstallationConfig;

    /// The resource as JSON, with its effective spec.
    fn effective(&self) -> Value;

    /// Key pairs of its components.
    fn key_pairs(&self) -> Vec<&KeyPair> {
        Vec::new()
    }

    /// Override fields that the user set in the resource.
    fn overrides(&self) -> Vec<Override> {
        Vec::new()
    }
}

/// The uniform policies for what such a component renders.
pub fn policies(config: &dyn Following) -> PolicyContext {
    policies::policies_of(config.installation(), config.resource().kind, &config.resource().owner)
}

/// A warning for a field that asks for what only a variant has, where the Installation names none.
pub(crate) fn of_a_variant(
    resource: &Resource,
    installation: &InstallationConfig,
    field: &str,
    is_asked_for: bool,
) -> Option<Message> {
    let stock = installation.spec.variant.as_ref().is_none_or(Variant::is_calico);
    let detail = "it is Enabled, which does nothing here";
    let warning = || Message::new(&codes::FIELD_WITHOUT_EFFECT, detail).on(resource.label()).field(field);
    (stock && is_asked_for).then(warning)
}

/// A message for each container that the overrides name and that the rendered workloads do not have.
pub fn unknown_containers(config: &dyn Following, components: &[crate::component::Component]) -> Vec<Message> {
    overrides::unknown_containers(&config.resource().label(), config.overrides(), components)
}
