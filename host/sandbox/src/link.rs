//! Links a component: `log`, neutral stand-ins for WASI, and nothing else.

mod wasi;

use wasmtime::Engine;
use wasmtime::component::types::ComponentItem;
use wasmtime::component::{Component, InstancePre, Linker};

use crate::adapter;
use crate::store::HostState;

/// Start of every interface of ours.
const OURS: &str = "chimera:plugin/";
/// Start of every WASI interface.
const WASI: &str = "wasi:";

/// Why a component cannot be linked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// It imports what there is not.
    #[error("it imports what plugins are not given: {}; only chimera:plugin/log is there for them, and WASI with nothing granted", .0.join(", "))]
    UnknownImports(Vec<String>),
    /// It exports interfaces of ours that this host does not call.
    #[error("it exports what this operator does not know: {}; a newer operator may", .0.join(", "))]
    UnknownExports(Vec<String>),
    /// An import has another type than what is offered.
    #[error("it imports something in another shape than this operator offers it: {0}")]
    Mismatch(String),
}

/// Links a component once, for all of its calls.
pub(crate) fn link(component: &Component) -> Result<InstancePre<HostState>, Error> {
    let engine = component.engine();
    check_imports(engine, component)?;
    check_exports(engine, component)?;
    let mismatch = |error: wasmtime::Error| Error::Mismatch(format!("{error:#}"));
    let mut linker = Linker::new(engine);
    adapter::add_imports(&mut linker).map_err(mismatch)?;
    wasi::add(&mut linker, component).map_err(mismatch)?;
    linker.instantiate_pre(component).map_err(mismatch)
}

fn check_imports(engine: &Engine, component: &Component) -> Result<(), Error> {
    let ty = component.component_type();
    let unknown: Vec<_> = ty
        .imports(engine)
        .filter(|(name, item)| !is_log(name) && !name.starts_with(WASI) && !only_types(engine, &item.ty))
        .map(|(name, _)| name.to_owned())
        .collect();
    if unknown.is_empty() { Ok(()) } else { Err(Error::UnknownImports(unknown)) }
}

/// Imports that are neither ours nor WASI's, those that bring nothing but types included.
pub(crate) fn foreign_imports(component: &Component) -> Vec<String> {
    let ty = component.component_type();
    let names = ty.imports(component.engine()).map(|(name, _)| name.to_owned());
    names.filter(|name| !name.starts_with(OURS) && !name.starts_with(WASI)).collect()
}

/// A plugin whose export is not called would be skipped without anybody noticing.
fn check_exports(engine: &Engine, component: &Component) -> Result<(), Error> {
    let ty = component.component_type();
    let unknown: Vec<_> = ty
        .exports(engine)
        .filter(|(name, item)| name.starts_with(OURS) && !is_called(name) && !only_types(engine, &item.ty))
        .map(|(name, _)| name.to_owned())
        .collect();
    if unknown.is_empty() { Ok(()) } else { Err(Error::UnknownExports(unknown)) }
}

/// Whether an adapter calls this interface; versions that differ in the last number are the same to the runtime.
fn is_called(name: &str) -> bool {
    let line = |name: &str| name.rsplit_once('.').map(|(line, _)| line.to_owned());
    adapter::exportable().iter().any(|known| line(known) == line(name))
}

fn is_log(name: &str) -> bool {
    name.strip_prefix(OURS).is_some_and(|rest| rest.starts_with("log@0.1."))
}

/// An import that brings types but no function, as interfaces that share types do.
fn only_types(engine: &Engine, item: &ComponentItem) -> bool {
    match item {
        ComponentItem::ComponentInstance(instance) => {
            instance.exports(engine).all(|(_, item)| only_types(engine, &item.ty))
        }
        ComponentItem::Type(_) => true,
        _ => false,
    }
}
