//! Data directories of etcd.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// Copies an etcd data directory, or the one in its subdirectory `etcd`, to `target`.
pub(super) fn copy(source: &Path, target: &Path) -> Result<()> {
    let candidates = [source.to_owned(), source.join("etcd")];
    let Some(data) = candidates.iter().find(|dir| dir.join("member").is_dir()) else {
        bail!("{} is no data directory of etcd: neither member/ nor etcd/member/ is in it", source.display());
    };
    copy_tree(data, target).with_context(|| format!("failed to copy {}", data.display()))
}

fn copy_tree(source: &Path, target: &Path) -> Result<()> {
    fs::create_dir(target)?;
    for entry in fs::read_dir(source)? {
        let entry = entry?;
        let target = target.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
