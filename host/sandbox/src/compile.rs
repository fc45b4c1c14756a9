//! Compilation, out of the host's own memory: a short-lived child process compiles into an on-disk cache, from which
//! the host then loads.
//!
//! The cache holds machine code that the host runs, so its directory belongs to the user alone (mode 0700).

mod child;

use std::fs::{DirBuilder, Permissions};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use wasmtime::{Cache, CacheConfig, Engine};

use crate::{engine, text};

/// Bytes shown of what the compiler says.
const MESSAGE: usize = 512;

/// Makes the command that compiles: the program must call [`child()`] with its standard input and this cache directory.
pub type ChildCommand = Arc<dyn Fn(&Path) -> Command + Send + Sync>;

/// Why something cannot be compiled, or the cache not be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The cache directory cannot be made or is not fit.
    #[error("failed to use plugin cache directory {directory}: {why}; choose another with --plugin-cache-dir")]
    Cache {
        /// Which.
        directory: PathBuf,
        /// Why.
        why: String,
    },
    /// The component's bytes cannot be read from standard input.
    #[error("failed to read the component")]
    Read(#[source] std::io::Error),
    /// The engine does not start.
    #[error("failed to start the WebAssembly engine: {0}")]
    Engine(String),
    /// It is not valid.
    #[error("it is not a valid component: {0}")]
    Invalid(String),
    /// The process that compiles cannot be started or talked to.
    #[error("failed to run the process that compiles plugins")]
    Child(#[source] std::io::Error),
    /// The process that compiles was ended by something else.
    #[error("the process that compiles plugins ended early ({0}); it may need more memory than the container's limit")]
    Ended(String),
    /// Compilation takes too long.
    #[error("it was not compiled within {0} s")]
    TooSlow(u64),
}

/// The default cache directory: below `XDG_CACHE_HOME`, else below `HOME`; none if neither is set.
pub fn default_cache_dir() -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))?;
    Some(base.join("chimera").join("plugins"))
}

/// What the child process does: reads a component and compiles it into the cache.
///
/// # Errors
/// If the cache cannot be used or the bytes are no valid component; the message goes to the parent by standard error.
pub fn child(mut component: impl std::io::Read, cache_dir: &Path) -> Result<(), Error> {
    let mut bytes = Vec::new();
    component.read_to_end(&mut bytes).map_err(Error::Read)?;
    let cache = open_cache(cache_dir)?;
    let engine = Engine::new(&engine::config(Some(cache))).map_err(|error| Error::Engine(format!("{error:#}")))?;
    in_process(&engine, &bytes).map(drop)
}

/// Opens the cache, making its directory if needed.
pub(crate) fn open_cache(directory: &Path) -> Result<Cache, Error> {
    let failed = |why: String| Error::Cache { directory: directory.into(), why };
    make_private(directory).map_err(|error| failed(error.to_string()))?;
    let mut config = CacheConfig::new();
    config.with_directory(directory.join("code"));
    // Packing entries again, harder, would take a lot of memory for little.
    config.with_optimized_compression_usage_counter_threshold(u64::MAX);
    Cache::new(config).map_err(|error| failed(format!("{error:#}")))
}

/// Fails unless the directory belongs to this user and nobody else may look in.
fn make_private(directory: &Path) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    if std::fs::metadata(directory)?.permissions().mode() & 0o077 != 0 {
        std::fs::set_permissions(directory, Permissions::from_mode(0o700))?;
    }
    Ok(())
}

fn in_process(engine: &Engine, bytes: &[u8]) -> Result<wasmtime::component::Component, Error> {
    let invalid = |error: wasmtime::Error| Error::Invalid(text::clean(&error.root_cause().to_string(), MESSAGE));
    wasmtime::component::Component::from_binary(engine, bytes).map_err(invalid)
}

/// Compiles components for one engine.
pub(crate) struct Compiler {
    cache_dir: Option<PathBuf>,
    child: Option<ChildCommand>,
}

impl Compiler {
    pub(crate) fn new(cache_dir: Option<PathBuf>, child: Option<ChildCommand>) -> Self {
        Self { cache_dir, child }
    }

    /// Machine code of a component, which the child compiles first unless it has done so before.
    pub(crate) fn compile(
        &self,
        engine: &Engine,
        digest: &str,
        bytes: &[u8],
    ) -> Result<wasmtime::component::Component, Error> {
        if let (Some(directory), Some(command)) = (&self.cache_dir, &self.child) {
            let done = mark(engine, directory, digest);
            if !done.exists() {
                child::run(command(directory), bytes)?;
                note(&done);
            }
        }
        in_process(engine, bytes)
    }
}

/// The file that says that a component is in the cache, compiled the way this host wants it.
fn mark(engine: &Engine, directory: &Path, digest: &str) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    engine.precompile_compatibility_hash().hash(&mut hasher);
    directory.join("done").join(format!("{}-{:016x}", digest.replace(':', "-"), hasher.finish()))
}

/// Without the mark the child is only asked once more.
fn note(mark: &Path) {
    let written = mark.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(mark, ""));
    if let Err(error) = written {
        tracing::debug!(%error, "failed to note that a plugin is compiled");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_for_the_user_alone() {
        let folder = tempfile::tempdir().unwrap();
        let shared = folder.path().join("shared");
        std::fs::create_dir(&shared).unwrap();
        std::fs::set_permissions(&shared, Permissions::from_mode(0o777)).unwrap();
        for directory in [shared, folder.path().join("new/one")] {
            open_cache(&directory).unwrap();
            let mode = std::fs::metadata(&directory).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700, "{}", directory.display());
        }
    }

    #[test]
    fn a_cache_directory_that_cannot_be_made_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let error = open_cache(&file.join("below")).unwrap_err().to_string();
        assert!(error.contains("file/below") && error.contains("--plugin-cache-dir"), "{error}");
    }
}
