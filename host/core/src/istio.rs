//! Istio's ambient mesh: what its renderer is given, from the resource, the charts and FelixConfiguration.

mod dscp;
mod felix;
#[cfg(test)]
mod tests;

use chimera_crds::installation::Toggle;
use chimera_crds::istio::{Istio, IstioSpec, IstioWorkload};
use serde_json::Value;

pub use felix::without;

use crate::charts::Bundle;
use crate::codes;
use crate::following::{Following, Resource, of_a_variant};
use crate::installation::config::{InstallationConfig, Owner};
use crate::message::Message;
use crate::names::CALICO_SYSTEM;
use crate::object::{Object, ObjectKey};
use crate::overrides::Override;

/// The control plane's Deployment, as its chart names it, and its main container.
pub const ISTIOD: (&str, &str) = ("istiod", "discovery");
/// The CNI agent's DaemonSet, and its main container.
pub const CNI: (&str, &str) = ("istio-cni-node", "install-cni");
/// The DaemonSet that carries the mesh's traffic, and its main container.
pub const ZTUNNEL: (&str, &str) = ("ztunnel", "istio-proxy");

/// What was read for an Istio.
#[derive(Clone, Debug, Default)]
pub struct IstioInputs {
    /// The resource.
    pub resource: Istio,
    /// It as the owner of what is rendered.
    pub owner: Owner,
    /// What the charts came to.
    pub bundle: Bundle,
    /// FelixConfiguration `default`.
    pub felix: Option<Object>,
}

/// Everything that the renderer needs.
#[derive(Clone, Debug, PartialEq)]
pub struct IstioConfig {
    /// The resource.
    pub resource: Resource,
    /// The Installation that it follows from.
    pub installation: InstallationConfig,
    /// The effective spec.
    pub spec: IstioSpec,
    /// What the charts came to, definitions aside.
    pub bundle: Bundle,
    /// The mark of the mesh's packets, from 0 to 63.
    pub dscp_mark: u8,
    /// The operator's part of FelixConfiguration `default`, to be laid over what is there.
    pub felix: Object,
    /// What works but deserves a look.
    pub warnings: Vec<Message>,
}

impl Following for IstioConfig {
    fn resource(&self) -> &Resource {
        &self.resource
    }

    fn installation(&self) -> &InstallationConfig {
        &self.installation
    }

    fn effective(&self) -> Value {
        self.resource.with_spec(&self.spec)
    }

    fn overrides(&self) -> Vec<Override> {
        let of = |field: &str, kind: &str, (name, container): (&str, &str), wanted: &Option<IstioWorkload>| {
            let key = ObjectKey::namespaced("apps/v1", kind, CALICO_SYSTEM, name);
            Override::of_main_container(field, key, container, wanted.as_ref())
        };
        let all = [
            of("istiod", "Deployment", ISTIOD, &self.spec.istiod),
            of("istioCNI", "DaemonSet", CNI, &self.spec.istio_cni),
            of("ztunnel", "DaemonSet", ZTUNNEL, &self.spec.ztunnel),
        ];
        all.into_iter().flatten().collect()
    }
}

/// Checks what was read, and puts together what the renderer needs.
///
/// # Errors
/// Every problem that was found.
pub fn validate(inputs: IstioInputs, installation: InstallationConfig) -> Result<IstioConfig, Vec<Message>> {
    let resource = Resource { kind: "Istio", owner: inputs.owner };
    let spec = inputs.resource.spec;
    let wrong = |field: &str, detail: String| {
        vec![Message::new(&codes::INVALID_CONFIGURATION, detail).on(resource.label()).field(field)]
    };
    let dscp_mark = dscp::value(spec.dscp_mark.as_ref()).ok_or_else(|| {
        wrong("spec.dscpMark", "it is no DSCP mark: use 0 to 63, or a name such as AF11, CS3 or EF".into())
    })?;
    let felix = felix::with(dscp_mark, inputs.felix.as_ref(), installation.cluster.api_group, &resource);
    let felix = felix.map_err(|message| vec![*message])?;
    let bundle = Bundle { definitions: Vec::new(), ..inputs.bundle };
    let logging = spec.waypoint_logging == Some(Toggle::Enabled);
    let warnings = of_a_variant(&resource, &installation, "spec.waypointLogging", logging).into_iter().collect();
    Ok(IstioConfig { resource, installation, spec, bundle, dscp_mark, felix, warnings })
}
