//! A component: an ordered list of objects to create and to delete, with its readiness and operating system.
//!
//! The stage is part of the type, so that a step cannot be skipped: only a renderer makes a [`Rendered`] component,
//! only [`crate::extend::extend`] turns it into an [`Extended`] one, and apply takes nothing else.

use std::marker::PhantomData;

use crate::object::{Object, ObjectKey};

/// Straight from a renderer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rendered;

/// Plugins and the user's overrides have been laid on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extended;

/// The operating system of a component's pods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Os {
    /// Pods run on Linux nodes.
    #[default]
    Linux,
    /// Pods run on Windows nodes.
    Windows,
}

impl Os {
    /// The value of the node label `kubernetes.io/os`.
    pub fn label(self) -> &'static str {
        match self {
            Self::Linux => "linux",
            Self::Windows => "windows",
        }
    }
}

/// Whether a component may be applied now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Readiness {
    /// Everything it needs is there.
    #[default]
    Ready,
    /// Something is missing; the text says what, for the status.
    Waiting(String),
}

/// One component at one stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Component<Stage = Rendered> {
    name: &'static str,
    os: Os,
    readiness: Readiness,
    objects: Vec<Object>,
    deletions: Vec<ObjectKey>,
    stage: PhantomData<Stage>,
}

impl Component<Rendered> {
    /// A component of objects to create, in the order given.
    pub fn new(name: &'static str, objects: Vec<Object>) -> Self {
        Self {
            name,
            os: Os::Linux,
            readiness: Readiness::Ready,
            objects,
            deletions: Vec::new(),
            stage: PhantomData,
        }
    }

    /// Objects that must not be there.
    #[must_use]
    pub fn deleting(mut self, keys: Vec<ObjectKey>) -> Self {
        self.deletions = keys;
        self
    }

    /// Pods of this operating system.
    #[must_use]
    pub fn on(mut self, os: Os) -> Self {
        self.os = os;
        self
    }

    /// Applied only once ready.
    #[must_use]
    pub fn when(mut self, readiness: Readiness) -> Self {
        self.readiness = readiness;
        self
    }

    /// Next stage, with the objects that [`crate::extend`] worked out.
    pub(crate) fn extended(self, objects: Vec<Object>, deletions: Vec<ObjectKey>) -> Component<Extended> {
        let Self { name, os, readiness, objects: _, deletions: _, stage: _ } = self;
        Component { name, os, readiness, objects, deletions, stage: PhantomData }
    }
}

impl<Stage> Component<Stage> {
    /// Its name, as plugins and messages give it (`calico-node`).
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Operating system of its pods.
    pub fn os(&self) -> Os {
        self.os
    }

    /// Whether it may be applied.
    pub fn readiness(&self) -> &Readiness {
        &self.readiness
    }

    /// Objects to create, in order.
    pub fn objects(&self) -> &[Object] {
        &self.objects
    }

    /// Objects to delete.
    pub fn deletions(&self) -> &[ObjectKey] {
        &self.deletions
    }
}
