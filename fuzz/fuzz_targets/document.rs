//! Any text as a file for `chimera render`.
#![no_main]

use chimera_faults::entries;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = entries::document(text);
});
