//! The programs of the control plane: found where `KUBEBUILDER_ASSETS` points, else built once from the pinned Go
//! modules in `tests/controlplane` into a cache.

mod build;
mod cache;
mod helm;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

pub use helm::helm;

/// Where to find programs that are not to be built.
const ASSETS: &str = "KUBEBUILDER_ASSETS";

/// A Go module of `tests/controlplane`, and the programs that it builds: file name and package.
struct Module {
    name: &'static str,
    programs: &'static [(&'static str, &'static str)],
}

const MODULES: [Module; 3] = [
    Module { name: "etcd", programs: &[("etcd", "go.etcd.io/etcd/server/v3")] },
    Module { name: "kwok", programs: &[("kwok", "sigs.k8s.io/kwok/cmd/kwok")] },
    Module {
        name: "kubernetes",
        programs: &[
            ("kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver"),
            ("kube-controller-manager", "k8s.io/kubernetes/cmd/kube-controller-manager"),
            ("kube-scheduler", "k8s.io/kubernetes/cmd/kube-scheduler"),
        ],
    },
];

/// The version of Kubernetes that `tests/controlplane/kubernetes` pins, such as `v1.36.3`.
pub(crate) fn kubernetes_version() -> &'static str {
    let pinned = include_str!("../../controlplane/kubernetes/go.mod");
    let version = |line: &'static str| line.trim_start().strip_prefix("k8s.io/kubernetes ")?.split(' ').next();
    pinned.lines().find_map(version).unwrap_or("v0.0.0")
}

/// Where each program of the control plane lies.
#[derive(Clone, Debug)]
pub struct Binaries(BTreeMap<&'static str, PathBuf>);

impl Binaries {
    /// Finds the programs and builds those that are missing, which takes minutes the first time; progress goes to
    /// standard error. Blocks meanwhile, also for another process that is building.
    ///
    /// # Errors
    ///
    /// When `KUBEBUILDER_ASSETS` names no directory, Go is missing, a build fails or the cache cannot be written.
    pub fn locate() -> Result<Self> {
        let sources = sources();
        Self::find(assets()?.as_deref(), &cache::directory(&sources)?, |module, target, missing| {
            build::run(&sources.join(module), module, target, missing)
        })
    }

    fn find(
        assets: Option<&Path>,
        cache: &Path,
        build: impl Fn(&str, &Path, &[cache::Program]) -> Result<()>,
    ) -> Result<Self> {
        let mut found = BTreeMap::new();
        for module in &MODULES {
            let find_asset = |name: &str| assets.map(|dir| dir.join(name)).filter(|path| path.is_file());
            let mut wanted = Vec::new();
            for &(name, package) in module.programs {
                let asset = find_asset(name);
                if asset.is_none() {
                    wanted.push((name, package));
                }
                found.insert(name, asset.unwrap_or_else(|| cache.join(name)));
            }
            cache::ensure(cache, &wanted, |target, missing| build(module.name, target, missing))
                .with_context(|| format!("failed to get the programs of tests/controlplane/{}", module.name))?;
        }
        Ok(Self(found))
    }

    /// Names and paths.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        self.0.iter().map(|(name, path)| (*name, path.as_path()))
    }

    pub(crate) fn path(&self, name: &str) -> Result<&Path> {
        self.0.get(name).map(PathBuf::as_path).with_context(|| format!("no program is called {name}"))
    }
}

fn assets() -> Result<Option<PathBuf>> {
    let Some(dir) = env::var_os(ASSETS).filter(|value| !value.is_empty()).map(PathBuf::from) else {
        return Ok(None);
    };
    let dir = dir.canonicalize().with_context(|| {
        format!("{ASSETS} is set to {}: set it to a directory with kube-apiserver and etcd, or unset it", dir.display())
    })?;
    Ok(Some(dir))
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("controlplane")
}
