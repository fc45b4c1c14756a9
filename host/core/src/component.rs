//! A component: an ordered list of objects to create and to delete, with its readiness and operating system.
//!
//! The stage is part of the type, so that a step cannot be skipped: only a renderer makes a [`Rendered`] component,
//! only [`crate::extend::extend`] turns it into an [`Extended`] one, only [`crate::policies::finish`] into a
//! [`Finished`] one, and apply takes nothing else.

use std::marker::PhantomData;

use crate::object::{Object, ObjectKey};
use crate::provenance::Provenance;

/// Straight from a renderer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rendered;

/// Plugins and the user's overrides have been laid on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extended;

/// The uniform policies have been laid on; ready to apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finished;

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
    shared: bool,
    origins: Provenance,
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
            shared: false,
            origins: Provenance::default(),
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

    /// Objects that are as much the user's as the operator's (`FelixConfiguration default`, a tier): they get no
    /// standard labels and no owner, and apply takes no field out of them.
    #[must_use]
    pub fn shared(mut self) -> Self {
        self.shared = true;
        self
    }

    /// Its objects and deletions, to be worked on; [`Component::extended`] takes them back.
    pub(crate) fn take(&mut self) -> (Vec<Object>, Vec<ObjectKey>) {
        (std::mem::take(&mut self.objects), std::mem::take(&mut self.deletions))
    }

    /// Next stage, with the objects that [`crate::extend`] worked out.
    pub(crate) fn extended(self, objects: Vec<Object>, deletions: Vec<ObjectKey>) -> Component<Extended> {
        let Self { name, os, readiness, objects: _, deletions: _, shared, origins, stage: _ } = self;
        Component { name, os, readiness, objects, deletions, shared, origins, stage: PhantomData }
    }
}

impl Component<Extended> {
    /// Its objects, to be worked on; [`Component::overridden`] or [`Component::finished`] takes them back.
    pub(crate) fn take(&mut self) -> Vec<Object> {
        std::mem::take(&mut self.objects)
    }

    /// The same stage, with the objects that are left of those taken.
    pub(crate) fn put_back(&mut self, objects: Vec<Object>) {
        self.objects = objects;
    }

    /// The same stage, with another object that must not be there.
    pub(crate) fn also_deleting(&mut self, key: ObjectKey) {
        self.deletions.push(key);
    }

    /// The same stage, with the user's overrides laid on.
    pub(crate) fn overridden(self, objects: Vec<Object>) -> Self {
        Self { objects, ..self }
    }

    /// The same stage, with who set which field.
    pub(crate) fn with_origins(self, origins: Provenance) -> Self {
        Self { origins, ..self }
    }

    /// Next stage, with the objects that [`crate::policies`] worked out.
    pub(crate) fn finished(self, objects: Vec<Object>) -> Component<Finished> {
        let Self { name, os, readiness, objects: _, deletions, shared, origins, stage: _ } = self;
        Component { name, os, readiness, objects, deletions, shared, origins, stage: PhantomData }
    }
}

impl<Stage> Component<Stage> {
    /// Which plugin or override set which field; what is not in there was set by the core.
    pub fn origins(&self) -> &Provenance {
        &self.origins
    }

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

    /// Whether its objects are shared with the user.
    pub fn is_shared(&self) -> bool {
        self.shared
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
