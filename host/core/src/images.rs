//! Image references: the catalogue, where images come from by default, and what the user says instead.

mod build;
mod catalogue;
mod image_set;
pub(crate) mod syntax;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

pub use build::Build;
pub use catalogue::Image;
use chimera_crds::installation::InstallationSpec;
pub use image_set::digests;

/// What a user writes to get the default of `registry`, `imagePath` and `imagePrefix`.
pub(crate) const USE_DEFAULT: &str = "UseDefault";

/// Makes references of images.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Images {
    build: Build,
    registry: Option<String>,
    path: Option<String>,
    prefix: String,
    digests: BTreeMap<Image, String>,
}

impl Images {
    /// From an effective spec and the digests of an ImageSet (none: images go by tag).
    pub fn new(spec: &InstallationSpec, digests: BTreeMap<Image, String>) -> Self {
        Self {
            build: Build::current(),
            registry: chosen(spec.registry.as_deref()).map(with_slash),
            path: chosen(spec.image_path.as_deref()).map(Into::into),
            prefix: chosen(spec.image_prefix.as_deref()).unwrap_or_default().into(),
            digests,
        }
    }

    /// The full reference, such as `registry.example.com/calico/node:<tag>`.
    pub fn reference(&self, image: Image) -> String {
        let registry = self.registry.as_deref().unwrap_or(self.build.registry);
        let path = self.path.as_deref().unwrap_or(self.build.image_path);
        let slash = if path.is_empty() { "" } else { "/" };
        let (prefix, name) = (&self.prefix, image.name());
        match self.digests.get(&image) {
            Some(digest) => format!("{registry}{path}{slash}{prefix}{name}@{digest}"),
            None => format!("{registry}{path}{slash}{prefix}{name}:{}", self.build.version),
        }
    }

    /// The version that images are tagged with, for `status.calicoVersion`.
    pub fn version(&self) -> &str {
        self.build.version
    }
}

/// What the user chose, if it is not the default.
fn chosen(value: Option<&str>) -> Option<&str> {
    value.filter(|value| !value.is_empty() && *value != USE_DEFAULT)
}

fn with_slash(registry: &str) -> String {
    if registry.ends_with('/') { registry.into() } else { format!("{registry}/") }
}
