//! A plugin that somebody declared, as the sources find it.

use crate::manifest::{self, FailurePolicy, Manifest, Source};

/// Why a declaration cannot be followed. Whatever it is, the plugin is declared, so what it may touch freezes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Its `plugin.yaml` is wrong.
    #[error("{place}: {source}")]
    Manifest {
        /// Where it stands.
        place: String,
        /// What is wrong.
        source: manifest::Error,
    },
    /// Its bytes are missing, broken or there twice.
    #[error("{0}")]
    Bytes(String),
    /// It asks for something that this build cannot do.
    #[error("{0} is not supported by this build yet")]
    Unsupported(&'static str),
}

/// A declared plugin.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// Its name, chosen by whoever declared it.
    pub name: String,
    /// Where it was found, as `ConfigMap tigera-operator/labels`.
    pub origin: String,
    /// What is said of it; defaults if that cannot be read.
    pub manifest: Manifest,
    /// Its bytes.
    pub bytes: Result<Vec<u8>, Error>,
}

impl Declaration {
    /// From a manifest's text and what finds the bytes, which is only asked if the manifest wants them from there.
    pub fn new(
        name: impl Into<String>,
        origin: impl Into<String>,
        manifest: &str,
        inline: impl FnOnce() -> Result<Vec<u8>, Error>,
    ) -> Self {
        let (name, origin) = (name.into(), origin.into());
        match Manifest::parse(manifest) {
            Ok(manifest) => Self { bytes: bytes(&manifest, inline), manifest, name, origin },
            Err(source) => {
                // Beside a file stands NAME.yaml; a ConfigMap holds plugin.yaml.
                let file = origin.strip_prefix("file ").and_then(|file| file.strip_suffix(".wasm"));
                let place = file.map_or_else(|| format!("plugin.yaml of {origin}"), |file| format!("file {file}.yaml"));
                Self { bytes: Err(Error::Manifest { place, source }), manifest: Manifest::default(), name, origin }
            }
        }
    }

    /// One that is there, but for the given reason cannot be loaded.
    pub fn broken(name: impl Into<String>, origin: impl Into<String>, error: Error) -> Self {
        Self { name: name.into(), origin: origin.into(), manifest: Manifest::default(), bytes: Err(error) }
    }

    /// What happens if it fails.
    pub fn failure_policy(&self) -> FailurePolicy {
        self.manifest.failure_policy
    }
}

fn bytes(manifest: &Manifest, inline: impl FnOnce() -> Result<Vec<u8>, Error>) -> Result<Vec<u8>, Error> {
    // Running what should have been verified first would be worse than not running it.
    if manifest.verification.is_some() {
        return Err(Error::Unsupported("verification"));
    }
    match manifest.source {
        Source::Inline => inline(),
        Source::Oci => Err(Error::Unsupported("source.oci")),
    }
}
