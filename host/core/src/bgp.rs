//! BGPConfiguration `default`: what the operator sets there.

#[cfg(test)]
mod tests;

use chimera_crds::installation::InstallationSpec;
use serde_json::json;

use crate::codes;
use crate::installation::config::ApiGroup;
use crate::message::Message;
use crate::object::Object;
use crate::routes;
use crate::shared::{Part, Shared};

/// Works out the operator's part of the BGPConfiguration `default`; none if it has no business there.
///
/// # Errors
/// A message for a field that contradicts the Installation.
pub fn configure(
    spec: &InstallationSpec,
    existing: Option<&Object>,
    api_group: ApiGroup,
) -> Result<Option<Object>, Vec<Message>> {
    let mut part = Part::default();
    routes::bgp(spec, Shared::new(existing), &mut part).map_err(|message| vec![message])?;
    if part == Part::default() {
        return Ok(None);
    }
    let object = Object::from_value(json!({
        "apiVersion": api_group.api_version(),
        "kind": "BGPConfiguration",
        "metadata": {"name": "default", "annotations": part.annotations},
        "spec": part.spec,
    }));
    object
        .map(Some)
        .map_err(|error| vec![Message::new(&codes::RENDER_FAILED, error.to_string()).on("BGPConfiguration default")])
}
