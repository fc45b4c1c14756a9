//! A guest that nobody tests is no guest.

use std::collections::BTreeSet;

use crate::kit::folder;

/// The guests that the other files here run.
const TESTED: [&str; 4] = ["installation", "labels", "misbehaving", "wasi"];

#[test]
fn every_guest_that_is_built_is_tested() {
    let files = std::fs::read_dir(folder()).unwrap_or_else(|error| panic!("{error}; run `cargo xtask plugins` first"));
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let built: BTreeSet<_> = names.filter_map(|name| name.strip_suffix(".wasm").map(str::to_owned)).collect();
    assert_eq!(built, TESTED.map(str::to_owned).into());
}
