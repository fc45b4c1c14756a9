//! Istio's ambient mesh: the definitions of its resources, and its workloads as the charts have them.

mod injector;
mod network_policies;

use serde_json::{Value, json};

use super::objects::Objects;
use super::{Error, charts, refuse_unknown_containers_of};
use crate::charts::Charts;
use crate::codes;
use crate::component::{Component, Readiness};
use crate::images::Image;
use crate::istio::{CNI, ISTIOD, IstioConfig, ZTUNNEL};
use crate::message::Message;
use crate::names::CALICO_SYSTEM;
use crate::object::Object;

/// Name of the component of definitions.
pub const DEFINITIONS: &str = "istio-definitions";
/// Name of the component of the mesh.
pub const MESH: &str = "istio";
/// Name of the component of what Felix must know.
pub const FELIX: &str = "istio-felix";

/// Name of the component of network policies.
pub const POLICIES: &str = "istio-policies";

/// Images by the names of containers.
const IMAGES: [(&str, Image); 3] =
    [(ISTIOD.1, Image::IstioPilot), (CNI.1, Image::IstioInstallCni), (ZTUNNEL.1, Image::IstioZtunnel)];

/// Renders them, in the order to apply them in. `definitions`: those of the bundle.
///
/// # Errors
/// If an object cannot be turned into JSON, the charts hold what is not known, or an override names a container that is
/// not there.
pub fn components(
    config: &IstioConfig,
    definitions: Vec<Object>,
    readiness: &Readiness,
) -> Result<Vec<Component>, Error> {
    let components = vec![
        Component::new(DEFINITIONS, definitions).when(readiness.clone()),
        felix(config.felix.clone()).when(readiness.clone()),
        mesh(config)?.when(readiness.clone()),
    ];
    refuse_unknown_containers_of(config, &components)?;
    Ok(components)
}

/// Their network policies, for a cluster that takes such in the operator's tier.
///
/// # Errors
/// If one cannot be turned into JSON.
pub fn policies(config: &IstioConfig) -> Result<Component, Error> {
    let mut objects = Objects::default();
    network_policies::all(config.installation.cluster.provider)
        .iter()
        .try_for_each(|policy| objects.create_calico(policy))?;
    Ok(objects.component(POLICIES))
}

/// What Felix must know, or no longer.
pub fn felix(part: Object) -> Component {
    Component::new(FELIX, vec![part]).shared()
}

fn mesh(config: &IstioConfig) -> Result<Component, Error> {
    let mut objects = Objects::default();
    objects.create(&charts::own_binding(&config.installation, CALICO_SYSTEM, Charts::Istio))?;
    let mut dressed = charts::dress(config.bundle.objects.clone(), &config.installation, &IMAGES)?;
    dressed.retain(|object| object.key().kind != "Namespace");
    misplaced(&dressed)?;
    let mark = config.dscp_mark.to_string();
    for object in &mut dressed {
        match (object.key().kind.as_str(), object.key().name.as_str()) {
            ("ConfigMap", injector::NAME) => injector::configure(object, &config.installation)?,
            ("DaemonSet", name) if name == CNI.0 => variable(object, CNI.1, "MAGIC_DSCP_MARK", &mark),
            ("DaemonSet", name) if name == ZTUNNEL.0 => {
                variable(object, ZTUNNEL.1, "TRANSPARENT_NETWORK_POLICIES", "true");
            }
            _ => {}
        }
    }
    objects.add(dressed);
    Ok(objects.component(MESH))
}

/// What the operator looks for is in Calico's namespace.
fn misplaced(objects: &[Object]) -> Result<(), Error> {
    let workload = |object: &&Object| {
        let named = [ISTIOD.0, CNI.0, ZTUNNEL.0].contains(&object.key().name.as_str());
        named && matches!(object.key().kind.as_str(), "Deployment" | "DaemonSet")
    };
    let elsewhere = |object: &&Object| object.key().namespace.as_deref() != Some(CALICO_SYSTEM);
    let message = |object: &Object| {
        let detail = format!("the charts were rendered for another namespace than {CALICO_SYSTEM}");
        Message::new(&codes::CHARTS_UNSUITABLE, detail).on(object.key())
    };
    let all: Vec<_> = objects.iter().filter(workload).filter(elsewhere).map(message).collect();
    if all.is_empty() { Ok(()) } else { Err(Error::Charts(all)) }
}

/// Sets a variable of a container, in the place of one of the same name.
fn variable(object: &mut Object, container: &str, name: &str, value: &str) {
    let containers = object.pointer_mut("/spec/template/spec/containers").and_then(Value::as_array_mut);
    let containers = containers.into_iter().flatten().filter_map(Value::as_object_mut);
    for own in containers.filter(|own| own.get("name").is_some_and(|own| own == container)) {
        let variables = own.entry("env").or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(variables) = variables {
            variables.retain(|variable| variable.get("name").is_none_or(|own| own != name));
            variables.push(json!({"name": name, "value": value}));
        }
    }
}
