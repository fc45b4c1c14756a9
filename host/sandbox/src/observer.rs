//! Who is told of every call of a plugin.

use std::time::Duration;

use crate::failure::Failure;

/// Somebody who counts calls.
pub trait Observer: Send + Sync {
    /// A plugin was called and ended after so long; `failure` is [`Failure::class`] of what went wrong, if something did.
    fn called(&self, plugin: &str, took: Duration, failure: Option<&'static str>);
}

impl Failure {
    /// What went wrong, from a closed list: a plugin's own reason may be any text.
    pub fn class(&self) -> &'static str {
        match self {
            Self::Trap(_) => "Trap",
            Self::OutOfFuel(_) => "OutOfFuel",
            Self::Timeout(_) => "Timeout",
            Self::OutOfMemory(_) => "OutOfMemory",
            Self::ResponseTooLarge(_) => "ResponseTooLarge",
            Self::InvalidAnswer(_) => "InvalidAnswer",
            Self::Denied { .. } => "GrantMissing",
            Self::Host(_) => "CallFailed",
            Self::Plugin(_) => "PluginError",
        }
    }
}
