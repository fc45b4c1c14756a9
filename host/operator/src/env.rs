//! The real clock and the real randomness, as the core takes them.

use std::sync::Arc;

use chimera_core::env::{Clock, Randomness};
use jiff::Timestamp;
use rcgen::{KeyPair, PKCS_ECDSA_P256_SHA256, SerialNumber};
use ring::rand::{SecureRandom as _, SystemRandom};

/// What the operator takes from the machine that it runs on; a test gives its own.
#[derive(Clone)]
pub struct Machine {
    /// Time of day. Waiting goes by tokio's clock.
    pub clock: Arc<dyn Clock>,
    /// Key material.
    pub randomness: Arc<dyn Randomness>,
}

impl Default for Machine {
    /// The real one.
    fn default() -> Self {
        Self { clock: Arc::new(SystemClock), randomness: Arc::new(SystemRandomness) }
    }
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// The machine's randomness.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemRandomness;

impl Randomness for SystemRandomness {
    fn key_pair(&self) -> Result<KeyPair, rcgen::Error> {
        KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)
    }

    fn serial(&self) -> Result<SerialNumber, rcgen::Error> {
        let mut bytes = [0_u8; 16];
        SystemRandom::new().fill(&mut bytes).map_err(|_| rcgen::Error::RingUnspecified)?;
        // The first bit decides the sign, and a serial number is positive.
        if let Some(first) = bytes.first_mut() {
            *first &= 0x7f;
        }
        Ok(SerialNumber::from_slice(&bytes))
    }
}
