//! Any JSON as the spec of an Installation.
#![no_main]

use chimera_faults::entries;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(spec) = serde_json::from_slice(bytes) {
        let _ = entries::installation(spec);
    }
});
