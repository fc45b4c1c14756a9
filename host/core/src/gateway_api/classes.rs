//! GatewayClasses and the EnvoyProxy behind each: the user's, else an empty one, with what the operator puts in.

mod proxy;

use std::collections::BTreeSet;

use chimera_crds::gateway_api::{GatewayApiSpec, GatewayClass, GatewayKind};
use serde_json::{Map, Value};

use super::GatewayApiInputs;
use crate::codes;
use crate::following::Resource;
use crate::installation::config::InstallationConfig;
use crate::message::Message;
use crate::names::{TIGERA_GATEWAY, is_object_name};

/// One class.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// Its name, and that of its EnvoyProxy.
    pub name: String,
    /// Specification of its EnvoyProxy.
    pub proxy: Value,
}

/// A class as the user wrote it, and where.
struct Given<'a> {
    class: &'a GatewayClass,
    resource: &'a Resource,
    path: String,
}

impl Given<'_> {
    fn wrong(&self, field: &str, detail: impl Into<String>) -> Message {
        Message::new(&codes::INVALID_CONFIGURATION, detail)
            .on(self.resource.label())
            .field(format!("{}.{field}", self.path))
    }
}

/// All of them, or everything that is wrong with them.
pub(super) fn of(
    spec: &GatewayApiSpec,
    inputs: &GatewayApiInputs,
    installation: &InstallationConfig,
    resource: &Resource,
) -> Result<Vec<Class>, Vec<Message>> {
    let (mut classes, mut wrong, mut names) = (Vec::new(), Vec::new(), BTreeSet::new());
    for (index, class) in spec.gateway_classes.iter().flatten().enumerate() {
        let given = Given { class, resource, path: format!("spec.gatewayClasses[{index}]") };
        if !is_object_name(&class.name) {
            let detail =
                format!("{:?} cannot name a GatewayClass: use lower-case letters, digits, - and .", class.name);
            wrong.push(given.wrong("name", detail));
        }
        if !names.insert(&class.name) {
            wrong.push(given.wrong("name", format!("another class is named {:?} already", class.name)));
        }
        match one(&given, inputs, installation) {
            Ok(class) => classes.push(class),
            Err(messages) => wrong.extend(messages),
        }
    }
    if wrong.is_empty() { Ok(classes) } else { Err(wrong) }
}

fn one(given: &Given<'_>, inputs: &GatewayApiInputs, installation: &InstallationConfig) -> Result<Class, Vec<Message>> {
    let base = base(given, inputs).map_err(|message| vec![*message])?;
    let kind = kind(given, &base).map_err(|message| vec![*message])?;
    fitting(given, kind)?;
    let proxy = proxy::of(given, base, kind, installation).map_err(|message| vec![*message])?;
    Ok(Class { name: given.class.name.clone(), proxy: Value::Object(proxy) })
}

/// Specification of the EnvoyProxy to start from.
fn base(given: &Given<'_>, inputs: &GatewayApiInputs) -> Result<Map<String, Value>, Box<Message>> {
    let Some(reference) = &given.class.envoy_proxy_ref else { return Ok(Map::new()) };
    if reference.namespace == TIGERA_GATEWAY && reference.name == given.class.name {
        let detail = "that EnvoyProxy is the one that the operator makes of it; name another";
        return Err(Box::new(given.wrong("envoyProxyRef", detail)));
    }
    let found = inputs.proxies.get(&(reference.namespace.clone(), reference.name.clone())).ok_or_else(|| {
        let detail = format!("there is no EnvoyProxy {}/{}", reference.namespace, reference.name);
        let message = Message::new(&codes::MISSING_REFERENCE, detail).on(given.resource.label());
        Box::new(message.field(format!("{}.envoyProxyRef", given.path)))
    })?;
    let spec = found.get("spec").and_then(Value::as_object).cloned().unwrap_or_default();
    match spec.get("provider").and_then(|provider| provider.get("type")).and_then(Value::as_str) {
        None | Some("Kubernetes") => Ok(spec),
        Some(other) => {
            let detail = format!("that EnvoyProxy has the provider {other}; gateways here run on Kubernetes");
            Err(Box::new(given.wrong("envoyProxyRef", detail)))
        }
    }
}

/// What the EnvoyProxy says, else what the class says.
fn kind(given: &Given<'_>, base: &Map<String, Value>) -> Result<GatewayKind, Box<Message>> {
    let kubernetes = base.get("provider").and_then(|provider| provider.get("kubernetes"));
    let has = |field: &str| kubernetes.and_then(|kubernetes| kubernetes.get(field)).is_some_and(Value::is_object);
    let said = match (has("envoyDeployment"), has("envoyDaemonSet")) {
        (true, true) => {
            let detail = "that EnvoyProxy has both envoyDeployment and envoyDaemonSet; leave one of them out";
            return Err(Box::new(given.wrong("envoyProxyRef", detail)));
        }
        (true, false) => Some(GatewayKind::Deployment),
        (false, true) => Some(GatewayKind::DaemonSet),
        (false, false) => None,
    };
    match (said, given.class.gateway_kind) {
        (Some(said), Some(wanted)) if said != wanted => {
            let detail = format!(
                "it is {wanted:?}, but the EnvoyProxy in envoyProxyRef says {said:?}; leave it out, or change the EnvoyProxy"
            );
            Err(Box::new(given.wrong("gatewayKind", detail)))
        }
        (said, wanted) => Ok(said.or(wanted).unwrap_or_default()),
    }
}

/// Changes to what the class does not run as would be lost.
fn fitting(given: &Given<'_>, kind: GatewayKind) -> Result<(), Vec<Message>> {
    let GatewayClass { gateway_deployment, gateway_daemon_set, .. } = given.class;
    let lost = match kind {
        GatewayKind::Deployment => gateway_daemon_set.is_some().then_some(("gatewayDaemonSet", "gatewayDeployment")),
        GatewayKind::DaemonSet => gateway_deployment.is_some().then_some(("gatewayDeployment", "gatewayDaemonSet")),
    };
    let Some((lost, instead)) = lost else { return Ok(()) };
    let detail = format!("gateways of this class run as {kind:?}; use {instead}, or another gatewayKind");
    Err(vec![given.wrong(lost, detail)])
}
