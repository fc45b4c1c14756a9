use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::bail;

use super::cache::Program;
use super::{Binaries, MODULES, kubernetes_version};

fn pretend(target: &Path, missing: &[Program]) -> anyhow::Result<()> {
    for (name, _) in missing {
        fs::write(target.join(name), "")?;
    }
    Ok(())
}

#[test]
fn only_what_the_assets_lack_is_built() {
    let (assets, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for name in ["etcd", "kube-apiserver"] {
        fs::write(assets.path().join(name), "").unwrap();
    }
    let found = Binaries::find(Some(assets.path()), cache.path(), |module, target, missing| {
        assert_ne!(module, "etcd");
        assert!(missing.iter().all(|(name, _)| *name != "kube-apiserver"), "{missing:?}");
        pretend(target, missing)
    })
    .unwrap();
    for (name, path) in found.iter() {
        let expected = if ["etcd", "kube-apiserver"].contains(&name) { assets.path() } else { cache.path() };
        assert_eq!(path, expected.join(name));
        assert!(path.is_file(), "{name}");
    }
    assert_eq!(found.iter().count(), 5);
}

#[test]
fn two_that_need_the_programs_build_them_once() {
    let cache = tempfile::tempdir().unwrap();
    let builds = AtomicUsize::new(0);
    let find = || {
        Binaries::find(None, cache.path(), |_, target, missing| {
            builds.fetch_add(1, Ordering::SeqCst);
            pretend(target, missing)
        })
        .unwrap()
    };
    std::thread::scope(|scope| {
        scope.spawn(find);
        scope.spawn(find);
    });
    assert_eq!(builds.load(Ordering::SeqCst), MODULES.len());
}

#[test]
fn a_build_that_failed_leaves_nothing_and_is_tried_again() {
    let cache = tempfile::tempdir().unwrap();
    let failed = Binaries::find(None, cache.path(), |_, target, missing| {
        pretend(target, missing)?;
        bail!("out of disk")
    });
    assert!(format!("{:#}", failed.unwrap_err()).contains("out of disk"));
    // A process that was killed could not even clean up.
    fs::create_dir(cache.path().join(".build-killed")).unwrap();
    Binaries::find(None, cache.path(), |_, target, missing| pretend(target, missing)).unwrap();
    let left = fs::read_dir(cache.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(left.into_iter().all(|name| !name.to_string_lossy().starts_with(".build-")));
}

#[test]
fn every_program_is_a_tool_of_its_module() {
    for module in &MODULES {
        let text = fs::read_to_string(super::sources().join(module.name).join("go.mod")).unwrap();
        for (_, package) in module.programs {
            assert!(text.lines().any(|line| line.trim().trim_start_matches("tool ") == *package), "{package}");
        }
    }
    let numbers = kubernetes_version().strip_prefix('v').unwrap().split('.').map(str::parse::<u32>);
    assert_eq!(numbers.filter(Result::is_ok).count(), 3, "{}", kubernetes_version());
}
