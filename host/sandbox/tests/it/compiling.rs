//! Compilation in a process of its own.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::SystemTime;

use chimera_sandbox::compile::{self, ChildCommand};
use chimera_sandbox::{Options, Sandbox};

use crate::kit::{declared, guest};

/// By this the process knows that it is the child; holds the cache directory.
const CHILD: &str = "CHIMERA_TEST_COMPILE_INTO";

/// Not a test of its own: what the child of the tests below does.
#[test]
fn the_child_compiles_what_it_is_sent() {
    if let Some(cache_dir) = std::env::var_os(CHILD) {
        compile::child(std::io::stdin().lock(), Path::new(&cache_dir)).unwrap();
    }
}

/// This very program again, as the child.
fn this_program() -> ChildCommand {
    Arc::new(|cache_dir| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "compiling::the_child_compiles_what_it_is_sent"]).env(CHILD, cache_dir);
        command
    })
}

fn sandbox(cache_dir: &Path, child: ChildCommand) -> Sandbox {
    Sandbox::new(Options { cache_dir: Some(cache_dir.into()), child: Some(child) }).unwrap()
}

/// When each file with machine code was written.
fn code(cache_dir: &Path) -> BTreeMap<String, SystemTime> {
    let mut files = BTreeMap::new();
    let mut folders = vec![cache_dir.join("code")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let name = entry.file_name().into_string().unwrap();
            match entry.metadata().unwrap() {
                metadata if metadata.is_dir() => folders.push(entry.path()),
                // Statistics of use are written whenever an entry is read.
                _ if name.ends_with(".stats") || name.contains(".wip") || name.starts_with('.') => {}
                metadata => drop(files.insert(name, metadata.modified().unwrap())),
            }
        }
    }
    files
}

#[test]
fn the_host_takes_from_the_cache_what_the_child_compiled() {
    let folder = tempfile::tempdir().unwrap();
    let declaration = || vec![declared("labels", "", Ok(guest("labels")))];
    compile::child(guest("labels").as_slice(), folder.path()).unwrap();
    let by_child = code(folder.path());
    assert_eq!(by_child.len(), 1, "{by_child:?}");

    let set = sandbox(folder.path(), this_program()).load(declaration());
    assert_eq!(set.not_loaded(), []);
    assert_eq!(code(folder.path()), by_child, "neither the child nor the host compiled it again");

    let no_child: ChildCommand = Arc::new(|_| Command::new("/nowhere/to/be/found"));
    let set = sandbox(folder.path(), no_child).load(declaration());
    assert_eq!(set.not_loaded(), [], "once it is compiled, no child is needed");
}

#[test]
fn a_child_that_refuses_is_quoted() {
    let folder = tempfile::tempdir().unwrap();
    let child: ChildCommand = Arc::new(|_| {
        let mut command = Command::new("sh");
        command.args(["-c", "cat >/dev/null; echo 'bad magic number' >&2; exit 1"]);
        command
    });
    let set = sandbox(folder.path(), child).load(vec![declared("labels", "", Ok(guest("labels")))]);
    assert!(set.not_loaded()[0].message.contains("bad magic number"), "{:?}", set.not_loaded());
}

#[test]
fn a_child_that_is_killed_is_told_apart_from_a_bad_component() {
    let folder = tempfile::tempdir().unwrap();
    let child: ChildCommand = Arc::new(|_| {
        let mut command = Command::new("sh");
        command.args(["-c", "kill -9 $$"]);
        command
    });
    let set = sandbox(folder.path(), child).load(vec![declared("labels", "", Ok(guest("labels")))]);
    let message = &set.not_loaded()[0].message;
    assert!(message.contains("ended early") && message.contains("memory"), "{message}");
}
