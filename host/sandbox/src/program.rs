//! One set of bytes, ready to be called: linked once, instantiated anew for each call.

use sha2::{Digest as _, Sha256};
use wasmtime::Store;
use wasmtime::component::InstancePre;

use crate::adapter::{Exports, Hook};
use crate::compile::{self, Compiler};
use crate::description::Description;
use crate::engine::Runtime;
use crate::failure::{self, Failure};
use crate::limits::{self, Limits};
use crate::log::Lines;
use crate::store::{self, HostState};
use crate::wire::{Config, Input, WireOperation};
use crate::{grants, link};

/// How a core module starts, up to its version.
const MAGIC: &[u8] = b"\0asm";
/// What follows in a component.
const COMPONENT: &[u8] = &[0x0d, 0, 1, 0];

/// Why bytes cannot be used as a plugin.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is nothing.
    #[error("the file is empty; expected a WebAssembly component")]
    Empty,
    /// Too many bytes.
    #[error("it has {0} bytes, more than the {limit} that a component may have", limit = limits::COMPONENT)]
    TooLarge(usize),
    /// Something else altogether.
    #[error("it is not WebAssembly; expected a component, which starts with the bytes 00 61 73 6d 0d 00 01 00")]
    NotWasm,
    /// A core module.
    #[error("it is a core WebAssembly module, not a component; make one of it with `wasm-tools component new`")]
    CoreModule,
    /// It does not compile.
    #[error("failed to compile it: {0}")]
    Compile(#[from] compile::Error),
    /// Its imports or exports do not fit.
    #[error("{0}")]
    Link(String),
    /// It exports nothing that the host calls.
    #[error("it exports none of chimera:plugin's interfaces, so it would never do anything{}", imports(.0))]
    NothingExported(Vec<String>),
    /// It fails before it could do anything.
    #[error("it failed when asked to describe itself: {0}")]
    Describe(Failure),
    /// It needs what there is not.
    #[error("{0}")]
    Capability(#[from] grants::Unknown),
}

/// A component that can be called.
pub(crate) struct Program {
    runtime: Runtime,
    digest: String,
    pre: InstancePre<HostState>,
    exports: Exports,
    description: Description,
}

/// `sha256:` and the hash in hexadecimal digits.
pub fn digest(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    Sha256::digest(bytes).iter().fold(String::from("sha256:"), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl Program {
    /// Compiles, links and describes.
    pub(crate) fn load(
        runtime: &Runtime,
        compiler: &Compiler,
        digest: String,
        bytes: &[u8],
        limits: &Limits,
    ) -> Result<Self, Error> {
        check_kind(bytes)?;
        let component = compiler.compile(&runtime.engine, &digest, bytes)?;
        let pre = link::link(&component).map_err(|error| Error::Link(error.to_string()))?;
        let exports = Exports::find(&pre).map_err(|unusable| Error::Link(unusable.to_string()))?;
        if exports.hooks().is_empty() {
            return Err(Error::NothingExported(link::foreign_imports(&component)));
        }
        let program = Self { runtime: runtime.clone(), digest, pre, exports, description: Description::default() };
        let description = program.describe(limits)?;
        description.declared()?;
        Ok(Self { description, ..program })
    }

    pub(crate) fn digest(&self) -> &str {
        &self.digest
    }

    pub(crate) fn description(&self) -> &Description {
        &self.description
    }

    pub(crate) fn hooks(&self) -> Vec<Hook> {
        self.exports.hooks()
    }

    fn describe(&self, limits: &Limits) -> Result<Description, Error> {
        let lines = Lines::new(&self.digest, "");
        let call = |store: &mut Store<HostState>| self.exports.describe(store, &self.pre);
        let answer = self.call(limits, lines, call).map_err(Error::Describe)?;
        Ok(answer.map_err(|unusable| Error::Link(unusable.to_string()))?.unwrap_or_default())
    }

    /// Calls the function for the input's config in a fresh instance.
    pub(crate) fn modify(&self, plugin: &str, limits: &Limits, input: Input) -> Result<Vec<WireOperation>, Failure> {
        let component = match &input.config {
            Config::Any(config) => &config.component,
            Config::Installation(config) => &config.component,
        };
        let lines = Lines::new(plugin, component);
        let call = |store: &mut Store<HostState>| self.exports.modify(store, &self.pre, input);
        self.call(limits, lines, call)?.map_err(Failure::Plugin)
    }

    fn call<T>(
        &self,
        limits: &Limits,
        lines: Lines,
        call: impl FnOnce(&mut Store<HostState>) -> wasmtime::Result<T>,
    ) -> Result<T, Failure> {
        let failed = |error: wasmtime::Error| Failure::Host(error.to_string());
        let mut store = store::new(&self.runtime, limits, lines).map_err(failed)?;
        let running = self.runtime.running();
        let answer = call(&mut store);
        drop(running);
        let fuel = limits.fuel.saturating_sub(store.get_fuel().unwrap_or_default());
        tracing::debug!(digest = self.digest, fuel, memory = store.data().memory.used(), "called a plugin");
        answer.map_err(|error| failure::classify(&error, &store, limits))
    }
}

/// Names what it expects of another host than this one.
fn imports(foreign: &[String]) -> String {
    match foreign {
        [] => String::new(),
        foreign => format!("; and it imports what plugins are not given: {}", foreign.join(", ")),
    }
}

fn check_kind(bytes: &[u8]) -> Result<(), Error> {
    if bytes.is_empty() {
        return Err(Error::Empty);
    }
    if bytes.len() > limits::COMPONENT {
        return Err(Error::TooLarge(bytes.len()));
    }
    match bytes.strip_prefix(MAGIC) {
        Some(rest) if rest.starts_with(COMPONENT) => Ok(()),
        Some(_) => Err(Error::CoreModule),
        None => Err(Error::NotWasm),
    }
}
