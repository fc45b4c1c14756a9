//! Why a plugin cannot do its work.

use crate::bindings::imports::chimera::plugin::types::{ErrorKind, PluginError};

/// Result of a modifier.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a component must not be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(PluginError);

impl Error {
    /// An error of a kind; the reason is PascalCase and stable, the message says what is wrong and what to do.
    pub fn new(kind: ErrorKind, reason: &str, message: impl Into<String>) -> Self {
        let (reason, message) = (reason.into(), message.into());
        Self(PluginError { kind, reason, message, field_path: None, retry_after_ms: None })
    }

    /// The user's configuration cannot be served.
    pub fn invalid_config(reason: &str, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidConfig, reason, message)
    }

    /// Names the field at fault, as `settings.labels`.
    #[must_use]
    pub fn field(mut self, path: impl Into<String>) -> Self {
        self.0.field_path = Some(path.into());
        self
    }

    /// Asks to be called again after so many milliseconds.
    #[must_use]
    pub fn retry_after_ms(mut self, milliseconds: u32) -> Self {
        self.0.retry_after_ms = Some(milliseconds);
        self
    }
}

impl From<Error> for PluginError {
    fn from(error: Error) -> Self {
        error.0
    }
}
