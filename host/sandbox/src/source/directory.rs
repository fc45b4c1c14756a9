//! A directory: each NAME.wasm is a plugin, NAME.yaml beside it its `plugin.yaml`.

use std::collections::BTreeSet;
use std::fs;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::declaration::{Declaration, Error as Broken};
use crate::limits;

/// How long it must be quiet before a change counts as done.
const QUIET: Duration = Duration::from_millis(250);
/// How long a change may go on before it counts all the same.
const PATIENCE: Duration = Duration::from_secs(5);
/// Extensions of a declaration's file.
const YAML: [&str; 2] = ["yaml", "yml"];

/// Why a directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It cannot be listed.
    #[error("failed to list plugin directory {directory}; check --plugin-dir")]
    List {
        /// Which.
        directory: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It cannot be watched.
    #[error("failed to watch plugin directory {directory}")]
    Watch {
        /// Which.
        directory: PathBuf,
        /// Why.
        source: notify::Error,
    },
    /// There is no thread for it.
    #[error("failed to start the thread that watches the plugin directory")]
    Thread(#[source] std::io::Error),
}

/// Reads all declarations of a directory, sorted by name. A file that cannot be read is a declaration that is broken.
///
/// # Errors
/// If the directory cannot be listed.
pub fn read(directory: &Path) -> Result<Vec<Declaration>, Error> {
    let failed = |source| Error::List { directory: directory.into(), source };
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(directory).map_err(failed)? {
        names.extend(name_of(&entry.map_err(failed)?.path()));
    }
    Ok(names.into_iter().map(|name| file(&directory.join(format!("{name}.wasm")))).collect())
}

/// The declaration of one file, with the NAME.yaml beside it if there is one.
pub fn file(wasm: &Path) -> Declaration {
    let name = wasm.file_stem().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    let origin = format!("file {}", wasm.display());
    match manifest(wasm.parent().unwrap_or(Path::new("")), &name) {
        Ok(text) => Declaration::new(name, origin, &text, || bytes(wasm)),
        Err(error) => Declaration::broken(name, origin, error),
    }
}

/// Calls back after each change of a directory, once it is quiet again, until the value is dropped.
///
/// # Errors
/// If the directory cannot be watched.
pub fn watch(directory: &Path, mut changed: impl FnMut() + Send + 'static) -> Result<Watch, Error> {
    let failed = |source| Error::Watch { directory: directory.into(), source };
    let (sender, changes) = channel();
    let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        if is_change(&event) {
            // Nobody listens any more once the watch is dropped.
            let _ = sender.send(());
        }
    });
    let mut watcher = watcher.map_err(failed)?;
    // The directory itself, not its files: a mounted volume swaps a symbolic link.
    watcher.watch(directory, RecursiveMode::NonRecursive).map_err(failed)?;
    let wait = move || {
        while settled(&changes) {
            changed()
        }
    };
    std::thread::Builder::new().name("plugin-watch".into()).spawn(wait).map_err(Error::Thread)?;
    Ok(Watch(watcher))
}

/// A directory that is watched.
pub struct Watch(#[expect(dead_code, reason = "held so that watching goes on")] RecommendedWatcher);

/// Whether it can mean that a file is another. To read files is none, or each look would call for the next one.
fn is_change(event: &notify::Result<Event>) -> bool {
    match event {
        Ok(event) => match event.kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
            EventKind::Access(_) => event.need_rescan(),
            _ => true,
        },
        Err(error) => {
            tracing::warn!(%error, "failed to watch the plugin directory closely; it is read again");
            true
        }
    }
}

/// Waits for a change and until it is over; false once there are none to wait for.
fn settled(changes: &Receiver<()>) -> bool {
    if changes.recv().is_err() {
        return false;
    }
    let last = Instant::now() + PATIENCE;
    while Instant::now() < last {
        match changes.recv_timeout(QUIET) {
            Ok(()) => {}
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
    true
}

/// The plugin that a file belongs to; hidden files, as mounted volumes have them, belong to none.
fn name_of(path: &Path) -> Option<String> {
    let name = path.file_stem()?.to_str()?;
    let extension = path.extension()?.to_str()?;
    let ours = extension == "wasm" || YAML.contains(&extension);
    (ours && !name.starts_with('.')).then(|| name.to_owned())
}

/// Text of the declaration; empty if there is none.
fn manifest(directory: &Path, name: &str) -> Result<String, Broken> {
    let files = YAML.map(|extension| directory.join(format!("{name}.{extension}")));
    let Some(file) = files.iter().find(|file| file.exists()) else { return Ok(String::new()) };
    fs::read_to_string(file).map_err(|error| Broken::Bytes(format!("failed to read {}: {error}", file.display())))
}

fn bytes(file: &Path) -> Result<Vec<u8>, Broken> {
    let failed = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => Broken::Bytes(format!("there is no file {}", file.display())),
        _ => Broken::Bytes(format!("failed to read {}: {error}", file.display())),
    };
    let mut bytes = Vec::new();
    // One byte more than fits, so that loading sees that it is too large.
    let most = u64::try_from(limits::COMPONENT).unwrap_or(u64::MAX).saturating_add(1);
    fs::File::open(file).and_then(|open| open.take(most).read_to_end(&mut bytes)).map_err(failed)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use notify::event::{CreateKind, Flag, ModifyKind};

    use super::*;

    #[test]
    fn to_read_a_file_is_no_change_or_each_look_would_call_for_the_next() {
        let is = |kind| is_change(&Ok(Event::new(kind)));
        assert!(!is(EventKind::Access(AccessKind::Open(AccessMode::Any))));
        assert!(!is(EventKind::Access(AccessKind::Close(AccessMode::Read))));
        assert!(is(EventKind::Access(AccessKind::Close(AccessMode::Write))));
        assert!(is(EventKind::Create(CreateKind::Any)));
        assert!(is(EventKind::Modify(ModifyKind::Any)));
    }

    #[test]
    fn events_that_were_lost_count_as_a_change() {
        let lost = Event::new(EventKind::Other).set_flag(Flag::Rescan);
        assert!(is_change(&Ok(lost)));
        assert!(is_change(&Err(notify::Error::generic("lost"))));
    }

    #[test]
    fn many_changes_in_a_row_are_one() {
        let (sender, changes) = channel();
        (0..100).for_each(|_| sender.send(()).unwrap());
        assert!(settled(&changes));
        drop(sender);
        assert!(!settled(&changes));
    }
}
