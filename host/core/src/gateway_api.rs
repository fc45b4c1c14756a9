//! Envoy Gateway: what its renderer is given, from the resource, the charts and what both refer to.

mod classes;
mod controller;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use chimera_crds::gateway_api::{CrdManagement, GatewayApi, GatewayApiSpec, GatewayClass, ObjectReference};
use chimera_crds::installation::Toggle;
use serde_json::Value;

pub use classes::Class;

use crate::charts::Bundle;
use crate::following::{Following, Resource, of_a_variant};
use crate::installation::config::{InstallationConfig, Owner};
use crate::message::Message;
use crate::names::TIGERA_GATEWAY;
use crate::object::ObjectKey;
use crate::overrides::Override;

/// The class that there is if the resource names none.
pub const DEFAULT_CLASS: &str = "tigera-gateway-class";
/// API version of Envoy Gateway's own resources.
pub const ENVOY: &str = "gateway.envoyproxy.io/v1alpha1";
/// API version of GatewayClasses.
pub const GATEWAY: &str = "gateway.networking.k8s.io/v1";
/// The controller's Deployment, as the chart names it.
pub const CONTROLLER: &str = "envoy-gateway";
/// The ConfigMap of the controller's configuration, as the chart names it.
pub const CONTROLLER_CONFIG: &str = "envoy-gateway-config";
/// Its key.
pub const CONTROLLER_CONFIG_KEY: &str = "envoy-gateway.yaml";

/// What was read for a GatewayAPI.
#[derive(Clone, Debug, Default)]
pub struct GatewayApiInputs {
    /// The resource.
    pub resource: GatewayApi,
    /// It as the owner of what is rendered.
    pub owner: Owner,
    /// What the charts came to, with the definitions to apply.
    pub bundle: Bundle,
    /// Data of the ConfigMap that `spec.envoyGatewayConfigRef` names; none if it is not there.
    pub config_map: Option<BTreeMap<String, String>>,
    /// EnvoyProxies that classes refer to and that are there, by namespace and name.
    pub proxies: BTreeMap<(String, String), Value>,
    /// Names of GatewayClasses that the operator made before.
    pub made: Vec<String>,
    /// Whether the cluster serves the kinds that the definitions bring.
    pub serves: bool,
}

/// Everything that the renderer needs.
#[derive(Clone, Debug, PartialEq)]
pub struct GatewayApiConfig {
    /// The resource.
    pub resource: Resource,
    /// The Installation that it follows from.
    pub installation: InstallationConfig,
    /// The effective spec: classes and the management of definitions are always set.
    pub spec: GatewayApiSpec,
    /// What the charts came to, definitions aside.
    pub bundle: Bundle,
    /// The controller's configuration, an EnvoyGateway.
    pub controller: Value,
    /// Name by which GatewayClasses choose the controller.
    pub controller_name: String,
    /// The classes.
    pub classes: Vec<Class>,
    /// GatewayClasses and EnvoyProxies of classes that the resource no longer names.
    pub former: Vec<ObjectKey>,
    /// Whether the cluster serves the kinds that the definitions bring.
    pub serves: bool,
    /// What works but deserves a look.
    pub warnings: Vec<Message>,
}

impl Following for GatewayApiConfig {
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
        let deployment = ObjectKey::namespaced("apps/v1", "Deployment", TIGERA_GATEWAY, CONTROLLER);
        let job = self.bundle.objects.iter().map(|object| object.key()).find(|key| key.kind == "Job").cloned();
        let controller = self.spec.gateway_controller_deployment.as_ref();
        let certgen = self.spec.gateway_certgen_job.as_ref();
        let job = job.and_then(|job| Override::shaped("gatewayCertgenJob", job, certgen));
        [Override::shaped("gatewayControllerDeployment", deployment, controller), job].into_iter().flatten().collect()
    }
}

/// Objects that the resource refers to, and that have to be read for it: the ConfigMap, and EnvoyProxies.
pub fn references(spec: &GatewayApiSpec) -> (Option<&ObjectReference>, Vec<&ObjectReference>) {
    let proxies = spec.gateway_classes.iter().flatten().filter_map(|class| class.envoy_proxy_ref.as_ref());
    (spec.envoy_gateway_config_ref.as_ref(), proxies.collect())
}

/// Whether a definition is to be brought to what the charts say. `is_there`: whether the cluster has it.
pub fn takes_definition(spec: &GatewayApiSpec, name: &str, is_there: bool) -> bool {
    // Other programs have their own idea of what is shared, but not of what is Envoy Gateway's own.
    let shared = name.ends_with(".gateway.networking.k8s.io") || name.ends_with(".gateway.networking.x-k8s.io");
    !(shared && is_there) || spec.crd_management == Some(CrdManagement::Reconcile)
}

/// Checks what was read, and puts together what the renderer needs. The definitions stay with the inputs' owner.
///
/// # Errors
/// Every problem that was found.
pub fn validate(inputs: GatewayApiInputs, installation: InstallationConfig) -> Result<GatewayApiConfig, Vec<Message>> {
    let resource = Resource { kind: "GatewayAPI", owner: inputs.owner.clone() };
    let spec = effective(inputs.resource.spec.clone());
    let controller = controller::of(&spec, &inputs, &installation, &resource);
    let classes = classes::of(&spec, &inputs, &installation, &resource);
    let (controller, classes) = match (controller, classes) {
        (Ok(controller), Ok(classes)) => (controller, classes),
        (controller, classes) => {
            return Err(controller
                .err()
                .into_iter()
                .map(|message| *message)
                .chain(classes.err().into_iter().flatten())
                .collect());
        }
    };
    let is_named = |name: &String| classes.iter().any(|class: &Class| class.name == *name);
    let former = inputs.made.iter().filter(|name| !is_named(name)).flat_map(|name| keys(name)).collect();
    let controller_name = controller::name(&controller).unwrap_or_default().to_owned();
    let bundle = Bundle { definitions: Vec::new(), ..inputs.bundle };
    let serves = inputs.serves;
    let waf = spec.extensions.as_ref().and_then(|extensions| extensions.waf.as_ref()).and_then(|waf| waf.state);
    let waf = waf == Some(Toggle::Enabled);
    let warnings = of_a_variant(&resource, &installation, "spec.extensions.waf.state", waf).into_iter().collect();
    Ok(GatewayApiConfig {
        resource,
        installation,
        spec,
        bundle,
        controller,
        controller_name,
        classes,
        former,
        serves,
        warnings,
    })
}

/// What there is of a class.
fn keys(class: &str) -> [ObjectKey; 2] {
    let proxy = ObjectKey::namespaced(ENVOY, "EnvoyProxy", TIGERA_GATEWAY, class);
    [ObjectKey::cluster(GATEWAY, "GatewayClass", class), proxy]
}

fn effective(spec: GatewayApiSpec) -> GatewayApiSpec {
    let usual = || vec![GatewayClass { name: DEFAULT_CLASS.into(), ..GatewayClass::default() }];
    GatewayApiSpec {
        gateway_classes: Some(spec.gateway_classes.unwrap_or_else(usual)),
        crd_management: Some(spec.crd_management.unwrap_or_default()),
        ..spec
    }
}
