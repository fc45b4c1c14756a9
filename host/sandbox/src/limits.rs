//! What a call may use. Every limit has a default here and can be set for each plugin in its declaration.

use std::time::Duration;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, Unexpected};

const MIB: usize = 1024 * 1024;

/// Linear memory of one call, in bytes, all memories of the component together: 64 MiB.
pub const DEFAULT_MEMORY: usize = 64 * MIB;
/// Units of fuel of one call, about one per WebAssembly instruction.
pub const DEFAULT_FUEL: u64 = 1_000_000_000;
/// Wall time of one call. A backstop: fuel, which is used up in about a tenth of this, decides the same way each time.
pub const DEFAULT_DEADLINE: Duration = Duration::from_secs(10);
/// What one answer may make the host allocate, in bytes: 16 MiB.
pub const DEFAULT_RESPONSE: usize = 16 * MIB;

/// Stack of a call, in bytes.
pub const STACK: usize = 512 * 1024;
/// Elements of all tables of a component together.
pub const TABLE_ELEMENTS: usize = 100_000;
/// Core instances, memories and tables of a component, each.
pub const CORE_ITEMS: usize = 64;
/// Handles to resources that are alive at the same time.
pub const HANDLES: usize = 1024;
/// Lines of log kept of one call.
pub const LOG_LINES: usize = 256;
/// Bytes kept of one line of log.
pub const LOG_LINE: usize = 4096;
/// A component's bytes, unpacked: 64 MiB.
pub const COMPONENT: usize = 64 * MIB;
/// Wall time that the compilation of one component may take.
pub const COMPILATION: Duration = Duration::from_secs(120);

/// Largest memory that a declaration may ask for, in bytes: 4 GiB, all that 32 bits address.
const MAX_MEMORY: usize = 4096 * MIB;
/// Largest answer that a declaration may ask for, in bytes: 256 MiB.
const MAX_RESPONSE: usize = 256 * MIB;

/// Limits of one plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Limits {
    /// Linear memory of one call, in bytes; `64Mi` in a declaration.
    #[serde(deserialize_with = "memory")]
    pub memory: usize,
    /// Units of fuel of one call.
    pub fuel: u64,
    /// Wall time of one call; a whole number of seconds in a declaration, as `deadlineSeconds`.
    #[serde(rename = "deadlineSeconds", deserialize_with = "seconds")]
    pub deadline: Duration,
    /// What one answer may make the host allocate, in bytes; `16Mi` in a declaration.
    #[serde(deserialize_with = "response")]
    pub response: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { memory: DEFAULT_MEMORY, fuel: DEFAULT_FUEL, deadline: DEFAULT_DEADLINE, response: DEFAULT_RESPONSE }
    }
}

fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    match u64::deserialize(deserializer)? {
        seconds @ 1..=3600 => Ok(Duration::from_secs(seconds)),
        other => Err(D::Error::invalid_value(Unexpected::Unsigned(other), &"1 to 3600 seconds")),
    }
}

fn memory<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    size(deserializer, MAX_MEMORY, "a size up to 4Gi, such as 64Mi")
}

fn response<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    size(deserializer, MAX_RESPONSE, "a size up to 256Mi, such as 16Mi")
}

fn size<'de, D: Deserializer<'de>>(deserializer: D, most: usize, expected: &'static str) -> Result<usize, D::Error> {
    let text = String::deserialize(deserializer)?;
    let bytes = bytes(&text).filter(|bytes| (1..=most).contains(bytes));
    bytes.ok_or_else(|| D::Error::invalid_value(Unexpected::Str(&text), &expected))
}

/// Bytes of a quantity with a binary suffix, as Kubernetes writes it.
fn bytes(quantity: &str) -> Option<usize> {
    let (digits, factor) = match quantity.split_at_checked(quantity.len().checked_sub(2)?)? {
        (digits, "Ki") => (digits, 1024),
        (digits, "Mi") => (digits, MIB),
        (digits, "Gi") => (digits, 1024 * MIB),
        _ => (quantity, 1),
    };
    digits.parse::<usize>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_limit_that_is_not_set_has_its_default() {
        let limits: Limits = serde_json::from_value(json!({"memory": "128Mi", "deadlineSeconds": 3})).unwrap();
        let expected = Limits { memory: 128 * MIB, deadline: Duration::from_secs(3), ..Limits::default() };
        assert_eq!(limits, expected);
    }

    #[test]
    fn a_limit_that_makes_no_sense_is_refused_with_what_would() {
        for wrong in ["", "Mi", "0Mi", "-1Mi", "5Gi", "64MB"] {
            let error = serde_json::from_value::<Limits>(json!({"memory": wrong})).unwrap_err().to_string();
            assert!(error.contains("a size up to 4Gi"), "{wrong}: {error}");
        }
        assert!(serde_json::from_value::<Limits>(json!({"deadlineSeconds": 0})).is_err());
        assert!(serde_json::from_value::<Limits>(json!({"ram": "1Mi"})).is_err());
    }
}
