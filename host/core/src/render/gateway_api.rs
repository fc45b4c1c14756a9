//! Envoy Gateway: the definitions of its resources, the controller as the charts have it, and the classes.

mod classes;
mod namespace;

use serde_json::{Map, Value};

use super::objects::Objects;
use super::{Error, charts, refuse_unknown_containers_of};
use crate::charts::Charts;
use crate::codes;
use crate::component::{Component, Readiness};
use crate::gateway_api::{CONTROLLER_CONFIG, CONTROLLER_CONFIG_KEY, GatewayApiConfig};
use crate::images::Image;
use crate::installation::config::InstallationConfig;
use crate::message::Message;
use crate::names::TIGERA_GATEWAY;
use crate::object::Object;

/// Name of the component of definitions.
pub const DEFINITIONS: &str = "gateway-api-definitions";
/// Name of the component of the controller.
pub const CONTROLLER: &str = "gateway-api";
/// Name of the component of classes.
pub const CLASSES: &str = "gateway-classes";

/// Images by the names of containers.
const IMAGES: [(&str, Image); 2] =
    [("envoy-gateway", Image::EnvoyGateway), ("envoy-gateway-certgen", Image::EnvoyGateway)];

/// Renders them, in the order to apply them in. `definitions`: those of the bundle that are to be applied.
///
/// # Errors
/// If an object cannot be turned into JSON, the charts hold what is not known, or an override names a container that is
/// not there.
pub fn components(
    config: &GatewayApiConfig,
    definitions: Vec<Object>,
    readiness: &Readiness,
) -> Result<Vec<Component>, Error> {
    let served = match readiness {
        Readiness::Ready if !config.serves => {
            Readiness::Waiting("the definitions of the Gateway API are not served yet".into())
        }
        other => other.clone(),
    };
    let components = vec![
        Component::new(DEFINITIONS, definitions).when(readiness.clone()),
        controller(config)?.when(readiness.clone()),
        classes::component(config)?.when(served),
    ];
    refuse_unknown_containers_of(config, &components)?;
    Ok(components)
}

fn controller(config: &GatewayApiConfig) -> Result<Component, Error> {
    let installation = &config.installation;
    let mut objects = Objects::default();
    objects.create(&namespace::tigera_gateway())?;
    objects.create(&charts::usual_binding(installation, TIGERA_GATEWAY))?;
    objects.create(&charts::own_binding(installation, TIGERA_GATEWAY, Charts::Gateway))?;
    for pull_secret in &installation.pull_secrets {
        objects.create(&namespace::copy(pull_secret))?;
    }
    let mut dressed = charts::dress(config.bundle.objects.clone(), installation, &IMAGES)?;
    dressed.retain(|object| object.key().kind != "Namespace");
    misplaced(&dressed)?;
    dressed.iter_mut().filter(|object| is_configuration(object)).try_for_each(|object| configure(object, config))?;
    objects.add(dressed);
    Ok(objects.component(CONTROLLER))
}

fn is_configuration(object: &Object) -> bool {
    object.key().kind == "ConfigMap" && object.key().name == CONTROLLER_CONFIG
}

fn configure(object: &mut Object, config: &GatewayApiConfig) -> Result<(), Error> {
    let text = serde_saphyr::to_string(&config.controller).map_err(|_| {
        let detail = "the controller's configuration cannot be written as YAML";
        Error::Charts(vec![Message::new(&codes::CHARTS_UNSUITABLE, detail).on(object.key())])
    })?;
    if let Some(Value::Object(data)) = object.pointer_mut("/data") {
        data.insert(CONTROLLER_CONFIG_KEY.into(), text.into());
    }
    Ok(())
}

/// Names of what the operator looks for are those in its namespace.
fn misplaced(objects: &[Object]) -> Result<(), Error> {
    let elsewhere = |object: &&Object| object.key().namespace.as_deref().is_some_and(|own| own != TIGERA_GATEWAY);
    let message = |object: &Object| {
        let detail = format!("the charts were rendered for another namespace than {TIGERA_GATEWAY}");
        Message::new(&codes::CHARTS_UNSUITABLE, detail).on(object.key())
    };
    let all: Vec<_> = objects.iter().filter(elsewhere).map(message).collect();
    if all.is_empty() { Ok(()) } else { Err(Error::Charts(all)) }
}

/// Adds the Installation's pull secrets to a pod.
pub(crate) fn pull_secrets(pod: &mut Map<String, Value>, installation: &InstallationConfig) {
    charts::pull_secrets(pod, installation);
}
