//! What a pure function may not take from the machine by itself: time and key material.

use jiff::Timestamp;

/// Tells the time.
pub trait Clock: Send + Sync {
    /// Now, in UTC.
    fn now(&self) -> Timestamp;
}

/// Makes key material and other random values.
pub trait Randomness: Send + Sync {
    /// A new private key for a certificate.
    ///
    /// # Errors
    /// If the machine has no randomness to give.
    fn key_pair(&self) -> Result<rcgen::KeyPair, rcgen::Error>;

    /// A certificate's serial number: positive and at most 20 bytes (RFC 5280).
    ///
    /// # Errors
    /// If the machine has no randomness to give.
    fn serial(&self) -> Result<rcgen::SerialNumber, rcgen::Error>;
}

/// The operator's surroundings, as whoever issues certificates takes them.
#[derive(Clone, Copy)]
pub struct Env<'a> {
    /// The operator's own namespace: what it keeps for itself, and what the user gives it, stands there.
    pub namespace: &'a str,
    /// Time.
    pub clock: &'a dyn Clock,
    /// Randomness.
    pub randomness: &'a dyn Randomness,
}
