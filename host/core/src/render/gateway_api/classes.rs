//! A GatewayClass and its EnvoyProxy for each class of the resource. Their types come with the charts.

use serde_json::{Value, json};

use super::CLASSES;
use crate::component::Component;
use crate::gateway_api::{Class, ENVOY, GATEWAY, GatewayApiConfig};
use crate::names::TIGERA_GATEWAY;
use crate::object::Object;
use crate::render::Error;

/// The component; classes that are no longer wanted go.
pub(super) fn component(config: &GatewayApiConfig) -> Result<Component, Error> {
    let mut objects = Vec::new();
    for class in &config.classes {
        objects.push(object("EnvoyProxy", envoy_proxy(class))?);
        objects.push(object("GatewayClass", gateway_class(class, &config.controller_name))?);
    }
    Ok(Component::new(CLASSES, objects).deleting(config.former.clone()))
}

fn object(kind: &'static str, value: Value) -> Result<Object, Error> {
    Object::from_value(value).map_err(|source| Error::Object { kind, source })
}

fn envoy_proxy(class: &Class) -> Value {
    json!({
        "apiVersion": ENVOY,
        "kind": "EnvoyProxy",
        "metadata": {"name": class.name, "namespace": TIGERA_GATEWAY},
        "spec": class.proxy,
    })
}

fn gateway_class(class: &Class, controller: &str) -> Value {
    let parameters = json!({
        "group": "gateway.envoyproxy.io", "kind": "EnvoyProxy", "name": class.name, "namespace": TIGERA_GATEWAY,
    });
    json!({
        "apiVersion": GATEWAY,
        "kind": "GatewayClass",
        "metadata": {"name": class.name},
        "spec": {"controllerName": controller, "parametersRef": parameters},
    })
}
