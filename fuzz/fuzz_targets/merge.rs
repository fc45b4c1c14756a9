//! Two lines of JSON: a live object, and the one that is desired in its place.
#![no_main]

use chimera_faults::entries;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut lines = bytes.splitn(2, |byte| *byte == b'\n').map(serde_json::from_slice);
    if let (Some(Ok(live)), Some(Ok(desired))) = (lines.next(), lines.next()) {
        entries::merge(&live, desired, bytes.len() % 2 == 0);
    }
});
