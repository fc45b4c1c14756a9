//! The controller's configuration: the user's, else the chart's, with what the operator puts in.

use chimera_crds::gateway_api::GatewayApiSpec;
use serde_json::{Map, Value, json};

use super::{CONTROLLER_CONFIG, CONTROLLER_CONFIG_KEY, ENVOY, GatewayApiInputs};
use crate::codes;
use crate::following::Resource;
use crate::images::Image;
use crate::installation::config::InstallationConfig;
use crate::message::Message;
use crate::object::edit_map;

/// Name by which GatewayClasses choose the controller, unless the configuration says another.
const NAME: &str = "gateway.envoyproxy.io/gatewayclass-controller";

/// The name that a configuration says.
pub(super) fn name(config: &Value) -> Option<&str> {
    config.pointer("/gateway/controllerName").and_then(Value::as_str).filter(|name| !name.is_empty())
}

/// The configuration.
pub(super) fn of(
    spec: &GatewayApiSpec,
    inputs: &GatewayApiInputs,
    installation: &InstallationConfig,
    resource: &Resource,
) -> Result<Value, Box<Message>> {
    let mut config = base(spec, inputs, resource)?;
    let has_name = config.get("gateway").is_some_and(|gateway| {
        gateway.get("controllerName").and_then(Value::as_str).is_some_and(|name| !name.is_empty())
    });
    config.insert("apiVersion".into(), ENVOY.into());
    config.insert("kind".into(), "EnvoyGateway".into());
    if !has_name {
        edit_map(&mut config, "gateway", |gateway| drop(gateway.insert("controllerName".into(), NAME.into())));
    }
    edit_map(&mut config, "extensionApis", |apis| drop(apis.insert("enableBackend".into(), true.into())));
    edit_map(&mut config, "provider", |provider| self::provider(provider, installation));
    Ok(Value::Object(config))
}

/// Images and pull secrets of what the controller itself starts.
fn provider(provider: &mut Map<String, Value>, installation: &InstallationConfig) {
    let image = |image| Value::from(installation.images.reference(image));
    provider.entry("type").or_insert_with(|| "Kubernetes".into());
    edit_map(provider, "kubernetes", |kubernetes| {
        edit_map(kubernetes, "rateLimitDeployment", |deployment| {
            edit_map(deployment, "container", |own| drop(own.insert("image".into(), image(Image::EnvoyRatelimit))));
            edit_map(deployment, "pod", |pod| crate::render::gateway_api::pull_secrets(pod, installation));
        });
        edit_map(kubernetes, "shutdownManager", |own| drop(own.insert("image".into(), image(Image::EnvoyGateway))));
    });
}

/// What to start from.
fn base(
    spec: &GatewayApiSpec,
    inputs: &GatewayApiInputs,
    resource: &Resource,
) -> Result<Map<String, Value>, Box<Message>> {
    const FIELD: &str = "spec.envoyGatewayConfigRef";
    let text = match &spec.envoy_gateway_config_ref {
        Some(reference) => {
            let (namespace, name) = (&reference.namespace, &reference.name);
            let wrong = |code, detail: String| Box::new(Message::new(code, detail).on(resource.label()).field(FIELD));
            let data = inputs
                .config_map
                .as_ref()
                .ok_or_else(|| wrong(&codes::MISSING_REFERENCE, format!("there is no ConfigMap {namespace}/{name}")))?;
            data.get(CONTROLLER_CONFIG_KEY).ok_or_else(|| {
                let detail = format!("ConfigMap {namespace}/{name} has no key {CONTROLLER_CONFIG_KEY}");
                wrong(&codes::INVALID_CONFIGURATION, detail)
            })?
        }
        None => of_chart(inputs).ok_or_else(|| {
            let detail = format!("the charts hold no ConfigMap {CONTROLLER_CONFIG} with a key {CONTROLLER_CONFIG_KEY}");
            Box::new(Message::new(&codes::CHARTS_UNSUITABLE, detail).on(resource.label()))
        })?,
    };
    let parsed = serde_saphyr::from_str::<Value>(text).ok().and_then(|value| match value {
        Value::Object(config) => Some(config),
        Value::Null => Some(Map::new()),
        _ => None,
    });
    parsed.filter(is_envoy_gateway).ok_or_else(|| {
        let detail = format!("what it holds under {CONTROLLER_CONFIG_KEY} is no EnvoyGateway as YAML");
        Box::new(Message::new(&codes::INVALID_CONFIGURATION, detail).on(resource.label()).field(FIELD))
    })
}

/// One that says another kind is none; one that says none is taken for it.
fn is_envoy_gateway(config: &Map<String, Value>) -> bool {
    config.get("kind").is_none_or(|kind| kind == "EnvoyGateway")
        && ["gateway", "provider", "extensionApis"]
            .iter()
            .all(|name| config.get(*name).is_none_or(|value| *value == json!(null) || value.is_object()))
}

fn of_chart(inputs: &GatewayApiInputs) -> Option<&String> {
    let object = inputs
        .bundle
        .objects
        .iter()
        .find(|object| object.key().kind == "ConfigMap" && object.key().name == CONTROLLER_CONFIG)?;
    match object.fields().get("data")?.get(CONTROLLER_CONFIG_KEY)? {
        Value::String(text) => Some(text),
        _ => None,
    }
}
