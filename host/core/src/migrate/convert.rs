//! From a running manifest install to the values that an Installation would state for it.

mod addresses;
mod cni;
mod controllers;
mod endpoint;
mod felix;
mod images;
mod merge;
mod mtu;
mod node;
mod pods;
mod pools;
mod report;
mod typha;
mod variables;
mod volumes;

use chimera_crds::installation::InstallationSpec;
use serde_json::{Map, Value};

pub use felix::missing_felix;
pub(crate) use felix::with_felix;
pub(crate) use merge::under;

use super::setting::{Setting, Verdict};
use crate::installation::inputs::InstallationInputs;
use report::Report;

/// What a manifest install comes to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversion {
    /// What an Installation would state for it.
    pub spec: InstallationSpec,
    /// Fields for FelixConfiguration `default`.
    pub felix: Map<String, Value>,
    /// Every setting that was found, in the order of the objects.
    pub settings: Vec<Setting>,
}

/// Converts; nothing comes of a cluster without a manifest install.
pub fn convert(inputs: &InstallationInputs) -> Conversion {
    let Some(node) = inputs.manifest.node.as_deref() else { return Conversion::default() };
    let mut report = Report::default();
    node::convert(node, inputs, &mut report);
    if let Some(controllers) = inputs.manifest.controllers.as_deref() {
        controllers::convert(controllers, inputs, &mut report);
    }
    if let Some(typha) = inputs.manifest.typha.as_deref() {
        typha::convert(typha, inputs, &mut report);
    }
    images::convert(inputs, &mut report);
    endpoint::convert(inputs, &mut report);
    report.finish()
}
