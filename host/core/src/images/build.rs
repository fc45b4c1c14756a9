//! What the build says of images. No source file names a version.

/// Where images come from and how they are tagged, unless the user says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Build {
    /// Version of Calico, which is the tag of its images.
    pub version: &'static str,
    /// Registry, with its slash.
    pub registry: &'static str,
    /// Path within the registry.
    pub image_path: &'static str,
}

impl Build {
    /// From `CALICO_VERSION` (else `BRANCH_IMAGE_TAG`, else `master`), `CALICO_REGISTRY` and `CALICO_IMAGE_PATH`, as they
    /// were when this crate was built.
    pub fn current() -> Self {
        let branch = given(option_env!("BRANCH_IMAGE_TAG")).unwrap_or("master");
        Self {
            version: given(option_env!("CALICO_VERSION")).unwrap_or(branch),
            registry: given(option_env!("CALICO_REGISTRY")).unwrap_or("quay.io/"),
            image_path: given(option_env!("CALICO_IMAGE_PATH")).unwrap_or("calico"),
        }
    }
}

/// A variable that is set but empty counts as unset.
fn given(variable: Option<&'static str>) -> Option<&'static str> {
    variable.filter(|value| !value.is_empty())
}
