//! Stand-ins for WASI, which compilers' standard libraries import whether a plugin wants it or not.
//!
//! Nothing is granted: no arguments, no environment, no files; clocks stand still and random numbers are zero, so that
//! the same arguments still give the same answer; output goes nowhere. What has no such neutral answer (sockets, files,
//! HTTP, waiting, exit) ends the call.

use wasmtime::bail;
use wasmtime::component::types::{ComponentFunc, ComponentInstance, ComponentItem, Type};
use wasmtime::component::{Component, Linker, LinkerInstance, Resource, ResourceAny, ResourceType, Val};
use wasmtime::{Engine, StoreContextMut};

use crate::store::HostState;

/// Interfaces whose functions can be answered with nothing.
const NEUTRAL: &[&str] =
    &["wasi:cli/", "wasi:clocks/", "wasi:random/", "wasi:io/streams@", "wasi:io/error@", "wasi:filesystem/preopens@"];
/// Functions of those that would mislead if they returned.
const FATAL: &[&str] = &["exit", "exit-with-code"];
/// Bytes of randomness that a guest gets at once.
const RANDOM: u64 = 64 * 1024;
/// Bytes that an output stream claims to take.
const WRITABLE: u64 = 64 * 1024;

/// Stands in for every WASI import of the component.
pub(super) fn add(linker: &mut Linker<HostState>, component: &Component) -> wasmtime::Result<()> {
    let engine = component.engine();
    let ty = component.component_type();
    for (name, item) in ty.imports(engine).filter(|(name, _)| name.starts_with(super::WASI)) {
        if let ComponentItem::ComponentInstance(instance) = item.ty {
            stand_in(engine, &mut linker.instance(name)?, name, &instance)?;
        }
    }
    Ok(())
}

fn stand_in(
    engine: &Engine,
    linker: &mut LinkerInstance<'_, HostState>,
    interface: &str,
    instance: &ComponentInstance,
) -> wasmtime::Result<()> {
    for (name, item) in instance.exports(engine) {
        match item.ty {
            ComponentItem::ComponentFunc(_) if is_neutral(interface, name) => {
                let function = name.to_owned();
                linker.func_new(name, move |store, ty, arguments, results| {
                    answer(store, &function, &ty, arguments, results)
                })?;
            }
            ComponentItem::ComponentFunc(_) => {
                let function = format!("{interface}#{name}");
                linker.func_new(name, move |_, _, _, _| bail!("it calls {function}, which plugins are not given"))?;
            }
            ComponentItem::Resource(_) => linker.resource(name, ResourceType::host::<()>(), |_, _| Ok(()))?,
            _ => {}
        }
    }
    Ok(())
}

fn is_neutral(interface: &str, function: &str) -> bool {
    NEUTRAL.iter().any(|start| interface.starts_with(start)) && !FATAL.contains(&function)
}

fn answer(
    mut store: StoreContextMut<'_, HostState>,
    function: &str,
    ty: &ComponentFunc,
    arguments: &[Val],
    results: &mut [Val],
) -> wasmtime::Result<()> {
    for (result, ty) in results.iter_mut().zip(ty.results()) {
        *result = match (function, arguments) {
            ("get-random-bytes" | "get-insecure-random-bytes", [Val::U64(length)]) => zeros(*length)?,
            ("check-write", _) => Val::Result(Ok(Some(Box::new(Val::U64(WRITABLE))))),
            _ => neutral(&mut store, function, &ty)?,
        };
    }
    Ok(())
}

fn zeros(length: u64) -> wasmtime::Result<Val> {
    if length > RANDOM {
        bail!("it asks for {length} random bytes at once, of which it gets at most {RANDOM}");
    }
    Ok(Val::List((0..length).map(|_| Val::U8(0)).collect()))
}

/// Zero, empty, absent or fine.
fn neutral(store: &mut StoreContextMut<'_, HostState>, function: &str, ty: &Type) -> wasmtime::Result<Val> {
    Ok(match ty {
        Type::Bool => Val::Bool(false),
        Type::U8 => Val::U8(0),
        Type::U16 => Val::U16(0),
        Type::U32 => Val::U32(0),
        Type::U64 => Val::U64(0),
        Type::S64 => Val::S64(0),
        Type::String => Val::String(String::new()),
        Type::List(_) => Val::List(Vec::new()),
        Type::Option(_) => Val::Option(None),
        Type::Own(_) => Val::Resource(ResourceAny::try_from_resource(Resource::<()>::new_own(0), store)?),
        Type::Tuple(tuple) => {
            let values: wasmtime::Result<_> = tuple.types().map(|ty| neutral(store, function, &ty)).collect();
            Val::Tuple(values?)
        }
        Type::Record(record) => {
            let field = |store: &mut _, name: &str, ty| Ok((name.to_owned(), neutral(store, function, &ty)?));
            let values: wasmtime::Result<_> = record.fields().map(|f| field(store, f.name, f.ty)).collect();
            Val::Record(values?)
        }
        Type::Result(result) => {
            let value = result.ok().map(|ty| neutral(store, function, &ty)).transpose()?;
            Val::Result(Ok(value.map(Box::new)))
        }
        _ => bail!("it calls {function} of WASI, which plugins are not given"),
    })
}
