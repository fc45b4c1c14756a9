//! Files that are generated and committed.

use std::path::Path;

use anyhow::{Context as _, Result, bail};

/// Writes `content` to `file`, or with `check` fails if the file holds something else.
pub(crate) fn put(root: &Path, file: &str, content: &str, check: bool) -> Result<()> {
    let path = root.join(file);
    let current = std::fs::read_to_string(&path).unwrap_or_default();
    if current == content {
        return Ok(());
    }
    if check {
        bail!("{file} is out of date: run the same command without --check and commit the result");
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("failed to create {}", folder.display()))?;
    }
    std::fs::write(&path, content).with_context(|| format!("failed to write {file}"))?;
    anstream::eprintln!("wrote {file}");
    Ok(())
}
