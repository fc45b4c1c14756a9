//! The plugins in use: found in a folder and in ConfigMaps, loaded as a whole, swapped as a whole.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use chimera_core::extensions::{ExtensionError, Extensions, StartupConfig};
use chimera_sandbox::source::config_map;
use chimera_sandbox::source::directory::{self, Watch};
use chimera_sandbox::{Declaration, Observer, Options, PluginSet, Sandbox, compile};
use k8s_openapi::api::core::v1::ConfigMap;

use crate::metrics::Metrics;
use crate::watch::signal::Signal;

/// Something that keeps plugins from being used at all.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The engine or its compile cache.
    #[error("failed to start the plugin sandbox")]
    Sandbox(#[source] compile::Error),
    /// The folder given by `--plugin-dir`.
    #[error("failed to use the plugin folder")]
    Directory(#[source] directory::Error),
    /// One of them cannot serve this cluster.
    #[error("failed to start with the declared plugins")]
    Startup(#[source] ExtensionError),
    /// The program that compiles plugins is this one.
    #[error("failed to find the operator's own program")]
    Program(#[source] std::io::Error),
}

/// Loads plugins and knows which are in use.
pub struct Plugins {
    sandbox: Arc<Sandbox>,
    folder: Option<PathBuf>,
    current: RwLock<Arc<PluginSet>>,
    /// What the set in use was loaded from.
    fingerprint: Mutex<String>,
    metrics: Arc<Metrics>,
}

impl Plugins {
    /// None in use yet.
    ///
    /// # Errors
    /// If the compile cache cannot be used.
    pub fn new(folder: Option<PathBuf>, cache_dir: Option<PathBuf>, metrics: Arc<Metrics>) -> Result<Self, Error> {
        let observer = Arc::new(Counted(Arc::clone(&metrics)));
        Ok(Self {
            sandbox: Arc::new(sandbox(cache_dir)?.observed_by(observer)),
            folder,
            current: RwLock::default(),
            fingerprint: Mutex::default(),
            metrics,
        })
    }

    /// Those in use, as the core takes them.
    pub fn current(&self) -> Arc<dyn Extensions> {
        self.set()
    }

    /// Those in use.
    pub fn set(&self) -> Arc<PluginSet> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Rings when the folder changes, for as long as the value lives; none without a folder.
    ///
    /// # Errors
    /// If the folder cannot be watched.
    pub fn watch(&self, bell: Signal) -> Result<Option<Watch>, Error> {
        let watch = |folder: &PathBuf| directory::watch(folder, move || bell.ring()).map_err(Error::Directory);
        self.folder.as_ref().map(watch).transpose()
    }

    /// Loads what the folder and these ConfigMaps declare; says whether another set is in use now.
    ///
    /// # Errors
    /// If the folder cannot be read, or a plugin cannot serve the cluster; the set in use stays.
    pub async fn load(&self, config_maps: &[ConfigMap], cluster: &StartupConfig) -> Result<bool, Error> {
        let (mut declarations, mut set) = (self.declarations(config_maps)?, None);
        let mut fingerprint = self::fingerprint(&declarations);
        if *self.fingerprint.lock().unwrap_or_else(PoisonError::into_inner) == fingerprint {
            return Ok(false);
        }
        while set.is_none() {
            let sandbox = Arc::clone(&self.sandbox);
            // Loading waits for the compiler, so it must not hold up the one thread that serves everything else.
            let loading = tokio::task::spawn_blocking(move || sandbox.load(declarations));
            let Ok(loaded) = loading.await else { return Ok(false) };
            // The folder may have changed meanwhile, and what is no longer declared must not be used for a moment even.
            declarations = self.declarations(config_maps)?;
            let now = self::fingerprint(&declarations);
            set = (now == fingerprint).then_some(loaded);
            fingerprint = now;
        }
        let Some(set) = set else { return Ok(false) };
        set.startup(cluster).map_err(Error::Startup)?;
        self.metrics.plugins(set.loaded().len(), set.not_loaded().len());
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(set);
        *self.fingerprint.lock().unwrap_or_else(PoisonError::into_inner) = fingerprint;
        Ok(true)
    }

    fn declarations(&self, config_maps: &[ConfigMap]) -> Result<Vec<Declaration>, Error> {
        let folder = self.folder.as_deref().map(directory::read).transpose().map_err(Error::Directory)?;
        Ok(folder.into_iter().flatten().chain(config_map::declarations(config_maps)).collect())
    }
}

/// Counts calls.
struct Counted(Arc<Metrics>);

impl Observer for Counted {
    fn called(&self, plugin: &str, took: Duration, failure: Option<&'static str>) {
        self.0.called(plugin, took, failure);
    }
}

/// The sandbox, which compiles in a process of its own wherever there is a place to keep the result.
fn sandbox(cache_dir: Option<PathBuf>) -> Result<Sandbox, Error> {
    let program = std::env::current_exe().map_err(Error::Program)?;
    let child = move |cache: &Path| {
        let mut command = Command::new(&program);
        command.args(["compile-plugin", "--cache-dir"]).arg(cache);
        command
    };
    let cache_dir = cache_dir.or_else(compile::default_cache_dir);
    let options = Options { child: cache_dir.is_some().then(|| Arc::new(child) as _), cache_dir };
    Sandbox::new(options).map_err(Error::Sandbox)
}

/// Text that is another if any declaration is.
fn fingerprint(declarations: &[Declaration]) -> String {
    let mut text = String::new();
    for declaration in declarations {
        let Declaration { name, origin, manifest, bytes } = declaration;
        let bytes = bytes.as_ref().map(|bytes| chimera_sandbox::digest(bytes));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:?} {origin:?} {manifest:?} {bytes:?}");
    }
    text
}
