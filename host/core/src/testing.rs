//! Fixed time and keys, for tests and for rendering offline: the same calls give the same bytes. And what no message
//! to an administrator may say.

use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

use crate::env::{Clock, Env, Randomness};

/// What only the inside of a program says: words of parsers, debug output of Rust, names of modules and files.
const INTERNAL: [&str; 27] = [
    "expected struct",
    "expected a sequence",
    "expected a map",
    "expected enum",
    "expected value",
    "expected internally",
    "invalid type",
    "invalid value:",
    "invalid length",
    "unknown variant",
    "missing field",
    "missing variant",
    "duplicate field",
    "Status {",
    "Error {",
    "Err(",
    "Error(",
    "Some(",
    "Ok(",
    "kube::",
    "serde",
    "std::",
    "tokio",
    "hyper",
    ".rs:",
    "panicked",
    "stack backtrace",
];

/// The internal words in a text for an administrator, if there are any; an empty text counts.
pub fn internals(text: &str) -> Option<&'static str> {
    if text.trim().is_empty() {
        return Some("nothing at all");
    }
    INTERNAL.into_iter().find(|words| text.contains(words))
}

/// A clock that stands still and keys that anybody can work out. Never for a cluster.
#[derive(Debug)]
pub struct Fixed {
    now: Timestamp,
    drawn: AtomicU64,
}

impl Fixed {
    /// At a moment.
    pub fn at(now: Timestamp) -> Self {
        Self { now, drawn: AtomicU64::new(0) }
    }

    /// Both parts, as renderers take them.
    pub fn env(&self) -> Env<'_> {
        Env { namespace: crate::names::TIGERA_OPERATOR, clock: self, randomness: self }
    }

    /// 32 bytes that depend only on how many were drawn before.
    fn draw(&self) -> [u8; 32] {
        let number = self.drawn.fetch_add(1, Ordering::Relaxed);
        Sha256::digest(number.to_be_bytes()).into()
    }
}

impl Default for Fixed {
    /// At the start of 1970.
    fn default() -> Self {
        Self::at(Timestamp::UNIX_EPOCH)
    }
}

impl Clock for Fixed {
    fn now(&self) -> Timestamp {
        self.now
    }
}

impl Randomness for Fixed {
    /// An Ed25519 key: it signs without randomness, so that certificates are the same each time.
    fn key_pair(&self) -> Result<rcgen::KeyPair, rcgen::Error> {
        /// PKCS#8: version 0, algorithm Ed25519, a seed of 32 bytes.
        const HEAD: &[u8] =
            &[0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
        rcgen::KeyPair::try_from([HEAD, &self.draw()].concat().as_slice())
    }

    fn serial(&self) -> Result<rcgen::SerialNumber, rcgen::Error> {
        let mut bytes: Vec<u8> = self.draw().into_iter().take(16).collect();
        if let Some(first) = bytes.first_mut() {
            // Positive, and not zero.
            *first = (*first & 0x7f) | 0x40;
        }
        Ok(rcgen::SerialNumber::from(bytes))
    }
}
