//! Finds and calls what a component exports. One adapter a version of the interfaces; older ones fill in neutral values.

mod v0_1;

use wasmtime::Store;
use wasmtime::component::{InstancePre, Linker};

use crate::description::Description;
use crate::failure::PluginError;
use crate::store::HostState;
use crate::wire::{Input, WireOperation};

/// A function that modifies components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hook {
    /// `modify-installation`.
    Installation,
    /// `modify-any`.
    Any,
}

impl Hook {
    /// Name of its interface.
    pub fn interface(self) -> &'static str {
        match self {
            Self::Installation => "modify-installation",
            Self::Any => "modify-any",
        }
    }
}

/// What a component exports, found once and used for every call.
pub(crate) struct Exports(v0_1::Exports);

/// An interface of ours that a component exports in a way this host cannot use.
#[derive(Debug, thiserror::Error)]
#[error("its export {interface} cannot be used: {why}")]
pub(crate) struct Unusable {
    pub(crate) interface: String,
    pub(crate) why: String,
}

impl Exports {
    /// Looks every optional interface up.
    pub(crate) fn find(pre: &InstancePre<HostState>) -> Result<Self, Unusable> {
        v0_1::Exports::find(pre).map(Self)
    }

    /// What it can modify, typed points first.
    pub(crate) fn hooks(&self) -> Vec<Hook> {
        self.0.hooks()
    }

    /// Calls `describe`; none if the component does not export it.
    pub(crate) fn describe(
        &self,
        store: &mut Store<HostState>,
        pre: &InstancePre<HostState>,
    ) -> wasmtime::Result<Result<Option<Description>, Unusable>> {
        self.0.describe(store, pre)
    }

    /// Calls the function that belongs to the input's config.
    pub(crate) fn modify(
        &self,
        store: &mut Store<HostState>,
        pre: &InstancePre<HostState>,
        input: Input,
    ) -> wasmtime::Result<Result<Vec<WireOperation>, PluginError>> {
        self.0.modify(store, pre, input)
    }
}

/// Names of all interfaces that a component may export, with their version.
pub(crate) fn exportable() -> &'static [&'static str] {
    v0_1::EXPORTS
}

/// Offers what a component may import, in every version.
pub(crate) fn add_imports(linker: &mut Linker<HostState>) -> wasmtime::Result<()> {
    v0_1::add_imports(linker)
}
