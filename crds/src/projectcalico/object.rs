//! The shape that all kinds share.

use std::borrow::Cow;
use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::core::{DynamicResourceScope, Resource, TypeMeta};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::group::{ApiGroup, Kind};

/// The fields of a resource that the operator does not know, by name.
pub type Other = BTreeMap<String, Value>;

/// A specification says what kind it belongs to.
pub trait Spec {
    /// The kind.
    const KIND: Kind;
}

/// A resource of one of Calico's kinds.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Object<S> {
    /// `apiVersion` and `kind`.
    #[serde(flatten)]
    pub types: TypeMeta,

    /// Name, labels and the like.
    #[serde(default)]
    pub metadata: ObjectMeta,

    /// What is asked for.
    #[serde(default)]
    pub spec: S,

    /// Everything else, such as `status`.
    #[serde(flatten)]
    pub other: Other,
}

impl<S: Spec> Object<S> {
    /// A resource in the given group, named and otherwise bare.
    #[must_use]
    pub fn new(group: ApiGroup, name: &str, spec: S) -> Self {
        Self {
            types: TypeMeta { api_version: group.api_version().to_owned(), kind: S::KIND.kind(group).to_owned() },
            metadata: ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() },
            spec,
            other: Other::new(),
        }
    }
}

impl<S: Spec> Resource for Object<S> {
    type DynamicType = ApiGroup;
    type Scope = DynamicResourceScope;

    fn kind(group: &ApiGroup) -> Cow<'_, str> {
        S::KIND.kind(*group).into()
    }

    fn group(group: &ApiGroup) -> Cow<'_, str> {
        group.group().into()
    }

    fn version(group: &ApiGroup) -> Cow<'_, str> {
        group.version().into()
    }

    fn plural(group: &ApiGroup) -> Cow<'_, str> {
        S::KIND.plural(*group).into()
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

/// Names the kind of each specification, and the resource that has it.
macro_rules! kinds {
    ($($(#[$doc:meta])* $object:ident = $spec:ident),+ $(,)?) => {
        $(
            $(#[$doc])*
            pub type $object = $crate::projectcalico::object::Object<$spec>;

            impl $crate::projectcalico::object::Spec for $spec {
                const KIND: $crate::projectcalico::group::Kind = $crate::projectcalico::group::Kind::$object;
            }
        )+
    };
}
pub(crate) use kinds;
