//! Inputs from objects of any kind, as files hold them.

use std::collections::BTreeMap;

use chimera_crds::installation::Installation;
use chimera_crds::parse::{self, ParseError};
use k8s_openapi::api::core::v1::{ConfigMap, Node, Secret, Service};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::config::ApiGroup;
use super::inputs::{InstallationInputs, NodeFacts};
use super::overlay::{self, OVERLAY};
use super::validate::NAME;
use super::{openshift, services};
use crate::certificates::{BUNDLE_CONFIG_MAP, BUNDLE_KEY, OPERATOR_NAMESPACE, SYSTEM_BUNDLE_KEY, Trusted};
use crate::codes;
use crate::goldmane::{self, Collector};
use crate::message::Message;
use crate::names::CALICO_SYSTEM;
use crate::object::{Object, ObjectKey};

impl InstallationInputs {
    /// From objects of any kind; those that an Installation does not depend on are ignored.
    ///
    /// The API group is that of the first object of Calico's own that is among them.
    ///
    /// # Errors
    /// A message for each object that does not have the shape of its kind, and one if there is no Installation or more
    /// than one.
    pub fn from_objects(objects: Vec<Object>) -> Result<Self, Vec<Message>> {
        Self::from_objects_of(objects, OPERATOR_NAMESPACE)
    }

    /// As [`InstallationInputs::from_objects`], for an operator in a namespace of another name.
    ///
    /// # Errors
    /// As there.
    pub fn from_objects_of(objects: Vec<Object>, namespace: &str) -> Result<Self, Vec<Message>> {
        let (mut installations, others): (Vec<_>, Vec<_>) = objects.into_iter().partition(|o| is_installation(o.key()));
        let overlay = lay_overlay(&mut installations);
        let mut errors = Vec::new();
        let inputs = take_installation(installations, &mut errors).map(Self::new);
        let mut inputs = inputs.map(|inputs| Self { overlay, ..inputs });
        for object in others {
            // Without an Installation the others are still checked.
            let mut unused = Self::new(Installation::default());
            let inputs = inputs.as_mut().unwrap_or(&mut unused);
            if let Err(error) = inputs.take(object, namespace) {
                errors.push(*error);
            }
        }
        match inputs {
            Some(inputs) if errors.is_empty() => Ok(inputs),
            _ => Err(errors),
        }
    }

    fn take(&mut self, object: Object, operator: &str) -> Result<(), Box<Message>> {
        let Some(object) = self.manifest.take(object)? else { return Ok(()) };
        let key = object.key().clone();
        let namespace = key.namespace.as_deref().unwrap_or_default();
        match (key.group(), key.kind.as_str(), namespace, key.name.as_str()) {
            ("", "Node", ..) => self.nodes.push(node(typed(&key, object)?)),
            ("", "Secret", namespace, _) if namespace == operator => {
                let secret: Secret = typed(&key, object)?;
                self.secrets.insert(key.name, merge_string_data(secret).into());
            }
            ("", "ConfigMap", "kube-system", "kubeadm-config") => {
                self.config_maps.kubeadm = Some(data(typed(&key, object)?));
            }
            ("", "ConfigMap", namespace, "kubernetes-services-endpoint") if namespace == operator => {
                self.config_maps.services_endpoint = Some(data(typed(&key, object)?));
            }
            ("", "Service", namespace, name) if services::is_needed(namespace, name) => {
                let service: Service = typed(&key, object)?;
                self.services.insert(format!("{namespace}/{name}"), services::facts(&service));
            }
            ("discovery.k8s.io", "EndpointSlice", "default", _) => {
                let slice: EndpointSlice = typed(&key, object)?;
                self.api_servers.extend(services::api_servers(&slice));
            }
            ("", "ConfigMap", CALICO_SYSTEM, BUNDLE_CONFIG_MAP) => self.trusted = trusted(&data(typed(&key, object)?)),
            ("apps", "DaemonSet", "kube-system", "aws-node") => self.aws_node = true,
            ("operator.tigera.io", "ImageSet", ..) => {
                self.image_sets.push(parse::resource(object.into_value()).map_err(unreadable)?);
            }
            ("operator.tigera.io", goldmane::KIND, _, "default") => self.goldmane = Some(Collector::default()),
            // What serves Calico's own API brings the tier as well.
            ("operator.tigera.io", "APIServer", ..) => self.takes_policies = true,
            ("config.openshift.io", "Network", _, "cluster") => {
                self.take_openshift(object);
                self.api_groups.insert(key.group().to_owned());
            }
            ("crd.projectcalico.org" | "projectcalico.org", kind, ..) => self.take_calico(kind, object),
            _ => {}
        }
        Ok(())
    }

    /// OpenShift's Network `cluster`.
    pub fn take_openshift(&mut self, network: Object) {
        self.openshift_pod_cidrs = openshift::pod_cidrs(&network);
        self.openshift_network = Some(network);
    }

    fn take_calico(&mut self, kind: &str, object: Object) {
        if object.key().group() == ApiGroup::V3.group() {
            self.api_group = ApiGroup::V3;
        }
        match (kind, object.key().name.as_str()) {
            ("FelixConfiguration", "default") => self.felix = Some(object),
            ("BGPConfiguration", "default") => self.bgp = Some(object),
            ("IPPool", _) => self.ip_pools.push(object),
            ("IPAMConfig" | "IPAMConfiguration", "default") => self.ipam = Some(object),
            _ => {}
        }
    }
}

fn is_installation(key: &ObjectKey) -> bool {
    key.group() == "operator.tigera.io" && key.kind == "Installation"
}

/// Lays the one named `overlay` over the one named `default`, if both are there, and gives it back.
fn lay_overlay(installations: &mut Vec<Object>) -> Option<Value> {
    let named = |name: &str| installations.iter().position(|object| object.key().name == name);
    let (base, over) = (named(NAME)?, named(OVERLAY)?);
    let over = installations.get(over).cloned().map(Object::into_value).unwrap_or_default();
    if let Some(base) = installations.get_mut(base) {
        let mut laid = base.clone().into_value();
        overlay::lay(&mut laid, &over);
        // It says the same kind and name as before.
        if let Ok(laid) = Object::from_value(laid) {
            *base = laid;
        }
    }
    installations.retain(|object| object.key().name != OVERLAY);
    Some(over)
}

fn take_installation(found: Vec<Object>, errors: &mut Vec<Message>) -> Option<Installation> {
    let names: Vec<_> = found.iter().map(|object| object.key().name.clone()).collect();
    if names.is_empty() {
        errors.push(Message::new(&codes::WAITING_FOR_INSTALLATION, "no Installation was given"));
    }
    if !names.is_empty() && names.iter().all(|name| name == OVERLAY) {
        let detail = "only the Installation `overlay` was given, which is laid over the one named `default`";
        errors.push(Message::new(&codes::WAITING_FOR_INSTALLATION, detail));
        return None;
    }
    let parsed = found.into_iter().filter_map(|object| match parse::resource::<Installation>(object.into_value()) {
        Ok(installation) => Some(installation),
        Err(error) => {
            errors.push(*unreadable(error));
            None
        }
    });
    let mut parsed: Vec<_> = parsed.collect();
    // The operator looks at the one named `default`; a single one of another name is refused by validation.
    let at = parsed.iter().position(|one| one.metadata.name.as_deref() == Some("default")).unwrap_or(0);
    let installation = (at < parsed.len()).then(|| parsed.swap_remove(at));
    errors.extend(parsed.iter().map(|one| match one.metadata.name.as_deref().unwrap_or_default() {
        "default" => given_twice(),
        name => unexpected_name(name),
    }));
    installation
}

/// Only files can hold two of one name.
fn given_twice() -> Message {
    Message::new(&codes::GIVEN_TWICE, "it is given more than once").on("Installation default")
}

/// The message about an Installation that is not the one.
pub(super) fn unexpected_name(name: &str) -> Message {
    let detail = format!("the operator serves one Installation, named `default`, not {name:?}");
    Message::new(&codes::UNEXPECTED_NAME, detail).on(format!("Installation {name}")).field("metadata.name")
}

fn unreadable(error: ParseError) -> Box<Message> {
    Box::new(Message::new(&codes::UNREADABLE_RESOURCE, error.message).on(error.resource).field(error.path))
}

/// Types of Kubernetes itself, whose missing parts have no meaning here.
fn typed<T: DeserializeOwned>(key: &ObjectKey, object: Object) -> Result<T, Box<Message>> {
    serde_path_to_error::deserialize(object.into_value()).map_err(|error| {
        let (path, detail) = (error.path().to_string(), error.inner().to_string());
        Box::new(Message::new(&codes::UNREADABLE_RESOURCE, detail).on(key).field(path))
    })
}

fn node(node: Node) -> NodeFacts {
    NodeFacts { name: node.metadata.name.unwrap_or_default(), labels: node.metadata.labels.unwrap_or_default() }
}

fn data(map: ConfigMap) -> BTreeMap<String, String> {
    map.data.unwrap_or_default()
}

/// The bundle that pods mount. How far they are with it no file tells.
fn trusted(bundle: &BTreeMap<String, String>) -> Trusted {
    let text = |name: &str| bundle.get(name).map(|text| text.as_str().into());
    Trusted { certificates: text(BUNDLE_KEY).unwrap_or_default(), roots: text(SYSTEM_BUNDLE_KEY), ..Trusted::default() }
}

/// What an API server does to a Secret that is written with plain text.
fn merge_string_data(mut secret: Secret) -> Secret {
    let plain = secret.string_data.take().unwrap_or_default();
    let plain = plain.into_iter().map(|(name, text)| (name, k8s_openapi::ByteString(text.into_bytes())));
    secret.data.get_or_insert_default().extend(plain);
    secret
}
