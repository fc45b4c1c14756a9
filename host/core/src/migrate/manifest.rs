//! What was read of a manifest install.

use std::collections::BTreeMap;

use chimera_crds::parse;
use k8s_openapi::api::apps::v1::{DaemonSet, Deployment};
use k8s_openapi::api::core::v1::ConfigMap;
use serde::de::DeserializeOwned;

use super::names;
use crate::codes;
use crate::message::Message;
use crate::object::{Object, ObjectKey};

/// Objects of `kube-system`, each none if it does not exist.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifest {
    /// DaemonSet `calico-node`.
    pub node: Option<Box<DaemonSet>>,
    /// Deployment `calico-kube-controllers`.
    pub controllers: Option<Box<Deployment>>,
    /// Deployment `calico-typha`.
    pub typha: Option<Box<Deployment>>,
    /// Data of ConfigMap `calico-config`.
    pub config: Option<BTreeMap<String, String>>,
    /// Data of ConfigMap `kubernetes-services-endpoint`.
    pub endpoint: Option<BTreeMap<String, String>>,
    /// Whether there is a DaemonSet `canal`.
    pub canal: bool,
}

impl Manifest {
    /// Whether there is an install to take over.
    pub fn is_install(&self) -> bool {
        self.node.is_some()
    }

    /// Every object that [`Manifest::take`] understands, with its plural name.
    pub fn keys() -> [(ObjectKey, &'static str); 6] {
        [
            (names::node(), "daemonsets"),
            (names::kube_controllers(), "deployments"),
            (names::typha(), "deployments"),
            (names::config(), "configmaps"),
            (names::services_endpoint(), "configmaps"),
            (names::canal(), "daemonsets"),
        ]
    }

    /// Takes an object in if it is part of a manifest install; hands it back if it is not.
    ///
    /// # Errors
    /// If it does not have the shape of its kind.
    pub fn take(&mut self, object: Object) -> Result<Option<Object>, Box<Message>> {
        let key = object.key().clone();
        if key == names::node() {
            self.node = Some(typed(&key, object)?);
        } else if key == names::kube_controllers() {
            self.controllers = Some(typed(&key, object)?);
        } else if key == names::typha() {
            self.typha = Some(typed(&key, object)?);
        } else if key == names::config() {
            self.config = Some(typed::<ConfigMap>(&key, object)?.data.unwrap_or_default());
        } else if key == names::services_endpoint() {
            self.endpoint = Some(typed::<ConfigMap>(&key, object)?.data.unwrap_or_default());
        } else if key == names::canal() {
            self.canal = true;
        } else {
            return Ok(Some(object));
        }
        Ok(None)
    }
}

fn typed<T: DeserializeOwned>(key: &ObjectKey, object: Object) -> Result<Box<T>, Box<Message>> {
    serde_path_to_error::deserialize(object.into_value()).map(Box::new).map_err(|error| {
        let (path, detail) = (error.path().to_string(), parse::in_words(&error.inner().to_string()));
        Box::new(Message::new(&codes::UNREADABLE_RESOURCE, detail).on(key).field(path))
    })
}
