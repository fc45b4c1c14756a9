//! What loads plugins.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use chimera_core::names::is_dns_label;

use crate::compile::{self, ChildCommand, Compiler};
use crate::declaration::Declaration;
use crate::engine::Runtime;
use crate::limits::Limits;
use crate::manifest::FailurePolicy;
use crate::observer::Observer;
use crate::plugin::Plugin;
use crate::program::{self, Program};
use crate::set::{NotLoaded, PluginSet};
use crate::source::config_map::LABEL;

/// How plugins are compiled.
#[derive(Clone, Default)]
pub struct Options {
    /// Where compiled code is kept between runs, an absolute path; none: it is not kept.
    pub cache_dir: Option<PathBuf>,
    /// What compiles into the cache, so that the memory it takes is gone afterwards; none: this process.
    pub child: Option<ChildCommand>,
}

/// Loads plugins. One for a process: it holds the engine and the programs that are in use.
pub struct Sandbox {
    runtime: Runtime,
    compiler: Compiler,
    programs: Mutex<BTreeMap<String, Weak<Program>>>,
    observer: Option<Arc<dyn Observer>>,
}

impl Sandbox {
    /// Starts the engine.
    ///
    /// # Errors
    /// If the cache directory cannot be used, or the engine does not start.
    pub fn new(options: Options) -> Result<Self, compile::Error> {
        let Options { cache_dir, child } = options;
        let cache = cache_dir.as_deref().map(compile::open_cache).transpose()?;
        let runtime = Runtime::new(cache).map_err(|error| compile::Error::Engine(format!("{error:#}")))?;
        Ok(Self { runtime, compiler: Compiler::new(cache_dir, child), programs: Mutex::default(), observer: None })
    }

    /// Tells somebody of every call of the plugins that are loaded from now on.
    #[must_use]
    pub fn observed_by(self, observer: Arc<dyn Observer>) -> Self {
        Self { observer: Some(observer), ..self }
    }

    /// Loads all declared plugins. One that cannot be loaded is part of the set as such, and freezes what it may touch;
    /// it never keeps others from being loaded. Bytes that are in use already are not compiled again.
    ///
    /// Takes as long as compilation does, seconds perhaps: not for an asynchronous thread.
    pub fn load(&self, declarations: Vec<Declaration>) -> PluginSet {
        let twice = named_twice(&declarations);
        let (mut plugins, mut failed) = (Vec::new(), Vec::new());
        for declaration in declarations {
            match self.load_one(declaration, &twice) {
                Ok(plugin) => plugins.push(plugin),
                Err(error) => {
                    tracing::error!(plugin = error.name, origin = error.origin, "failed to load: {}", error.message);
                    failed.push(error);
                }
            }
        }
        PluginSet::new(plugins, failed)
    }

    /// How many different components are in use, by any set that still lives.
    pub fn programs_in_use(&self) -> usize {
        let programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        programs.values().filter(|program| program.strong_count() > 0).count()
    }

    fn load_one(&self, declaration: Declaration, twice: &BTreeSet<String>) -> Result<Plugin, NotLoaded> {
        let Declaration { name, origin, manifest, bytes } = declaration;
        let failed = |digest: &str, message: String| NotLoaded {
            name: name.clone(),
            origin: origin.clone(),
            digest: digest.into(),
            message,
            freezes: manifest.failure_policy == FailurePolicy::Freeze,
        };
        if !is_dns_label(&name) {
            return Err(failed("", unfit(&name)));
        }
        let bytes = bytes.map_err(|error| failed("", error.to_string()))?;
        let digest = program::digest(&bytes);
        if twice.contains(&name) {
            let message = format!("the name {name} is declared more than once; give each plugin a name of its own");
            return Err(failed(&digest, message));
        }
        let program = self.program(&digest, &bytes, &manifest.limits);
        let program = program.map_err(|error| failed(&digest, error.to_string()))?;
        Ok(Plugin::new(name, origin, manifest, program, self.observer.clone()))
    }

    fn program(&self, digest: &str, bytes: &[u8], limits: &Limits) -> Result<Arc<Program>, program::Error> {
        if let Some(program) = self.in_use(digest) {
            return Ok(program);
        }
        let program = Arc::new(Program::load(&self.runtime, &self.compiler, digest.into(), bytes, limits)?);
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        programs.retain(|_, program| program.strong_count() > 0);
        programs.insert(digest.into(), Arc::downgrade(&program));
        Ok(program)
    }

    fn in_use(&self, digest: &str) -> Option<Arc<Program>> {
        self.programs.lock().unwrap_or_else(PoisonError::into_inner).get(digest)?.upgrade()
    }
}

fn unfit(name: &str) -> String {
    let given = if name.is_empty() { "its name is empty".to_owned() } else { format!("{name:?} cannot be its name") };
    format!(
        "{given}: give 1 to 63 lower-case letters, digits and inner hyphens, as the value of the label {LABEL}, or as \
         the file's name before .wasm"
    )
}

fn named_twice(declarations: &[Declaration]) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let names = declarations.iter().map(|declaration| &declaration.name);
    names.filter(|name| !seen.insert(name.as_str())).cloned().collect()
}
