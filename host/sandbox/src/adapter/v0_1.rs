//! `chimera:plugin@0.1.0`.

mod convert;

use wasmtime::Store;
use wasmtime::component::{Component, Instance, InstancePre, Linker};

use super::{Hook, Unusable};
use crate::bindings::v0_1::chimera::plugin::log;
use crate::bindings::v0_1::exports::chimera::plugin::{describe, modify_any, modify_installation};
use crate::description::Description;
use crate::failure::PluginError;
use crate::log::Level;
use crate::store::{Access, HostState};
use crate::wire::{Config, Input, WireOperation};

const DESCRIBE: &str = "chimera:plugin/describe@0.1.0";
const MODIFY_ANY: &str = "chimera:plugin/modify-any@0.1.0";
const MODIFY_INSTALLATION: &str = "chimera:plugin/modify-installation@0.1.0";

/// What a component may export.
pub(super) const EXPORTS: &[&str] = &[DESCRIBE, MODIFY_ANY, MODIFY_INSTALLATION];

/// What a component does export.
pub(super) struct Exports {
    describe: Option<describe::GuestIndices>,
    any: Option<modify_any::GuestIndices>,
    installation: Option<modify_installation::GuestIndices>,
}

impl Exports {
    pub(super) fn find(pre: &InstancePre<HostState>) -> Result<Self, Unusable> {
        let component = pre.component();
        Ok(Self {
            describe: optional(component, DESCRIBE, || describe::GuestIndices::new(pre))?,
            any: optional(component, MODIFY_ANY, || modify_any::GuestIndices::new(pre))?,
            installation: optional(component, MODIFY_INSTALLATION, || modify_installation::GuestIndices::new(pre))?,
        })
    }

    pub(super) fn hooks(&self) -> Vec<Hook> {
        let installation = self.installation.is_some().then_some(Hook::Installation);
        installation.into_iter().chain(self.any.is_some().then_some(Hook::Any)).collect()
    }

    /// Every export is loaded here, called or not, so that one of a wrong type shows when the plugin is loaded.
    pub(super) fn describe(
        &self,
        store: &mut Store<HostState>,
        pre: &InstancePre<HostState>,
    ) -> wasmtime::Result<Result<Option<Description>, Unusable>> {
        let instance = pre.instantiate(&mut *store)?;
        match self.load_all(store, &instance) {
            Err(unusable) => Ok(Err(unusable)),
            Ok(None) => Ok(Ok(None)),
            Ok(Some(guest)) => guest.call_describe(store).map(|answer| Ok(Some(convert::description(answer)))),
        }
    }

    fn load_all(&self, store: &mut Store<HostState>, instance: &Instance) -> Result<Option<describe::Guest>, Unusable> {
        if let Some(indices) = &self.any {
            indices.load(&mut *store, instance).map_err(|error| unusable(MODIFY_ANY, &error))?;
        }
        if let Some(indices) = &self.installation {
            indices.load(&mut *store, instance).map_err(|error| unusable(MODIFY_INSTALLATION, &error))?;
        }
        let load = |indices: &describe::GuestIndices| indices.load(&mut *store, instance);
        self.describe.as_ref().map(load).transpose().map_err(|error| unusable(DESCRIBE, &error))
    }

    pub(super) fn modify(
        &self,
        store: &mut Store<HostState>,
        pre: &InstancePre<HostState>,
        input: Input,
    ) -> wasmtime::Result<Result<Vec<WireOperation>, PluginError>> {
        let instance = pre.instantiate(&mut *store)?;
        let objects: Vec<_> = input.objects.into_iter().map(convert::object).collect();
        let answer = match (input.config, &self.any, &self.installation) {
            (Config::Any(config), Some(indices), _) => {
                let guest = indices.load(&mut *store, &instance)?;
                guest.call_modify(store, &convert::any(config), &objects)?
            }
            (Config::Installation(config), _, Some(indices)) => {
                let guest = indices.load(&mut *store, &instance)?;
                guest.call_modify(store, &convert::installation(*config), &objects)?
            }
            (Config::Any(_), None, _) | (Config::Installation(_), _, None) => return Ok(Ok(Vec::new())),
        };
        Ok(answer.map(|operations| operations.into_iter().map(convert::operation).collect()).map_err(convert::error))
    }
}

/// Absent is fine; there and not as it should be is not.
fn optional<T>(
    component: &Component,
    interface: &str,
    find: impl FnOnce() -> wasmtime::Result<T>,
) -> Result<Option<T>, Unusable> {
    if component.get_export_index(None, interface).is_none() {
        return Ok(None);
    }
    find().map(Some).map_err(|error| unusable(interface, &error))
}

fn unusable(interface: &str, error: &wasmtime::Error) -> Unusable {
    Unusable { interface: interface.into(), why: error.root_cause().to_string() }
}

pub(super) fn add_imports(linker: &mut Linker<HostState>) -> wasmtime::Result<()> {
    log::add_to_linker::<HostState, Access>(linker, |state| state)
}

impl log::Host for HostState {
    fn write(&mut self, level: log::Level, message: String) {
        let level = match level {
            log::Level::Debug => Level::Debug,
            log::Level::Info => Level::Info,
            log::Level::Warn => Level::Warn,
            log::Level::Error => Level::Error,
        };
        self.lines.write(level, &message);
    }
}
