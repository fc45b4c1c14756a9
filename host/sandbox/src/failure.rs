//! How a call can fail, told apart, in words for an administrator.

use chimera_core::extensions::{ErrorKind, ExtensionError};
use wasmtime::{Store, Trap};

use crate::grants::Capability;
use crate::limits::Limits;
use crate::store::HostState;
use crate::text;

/// Bytes shown of a message that a guest wrote.
const MESSAGE: usize = 1024;

/// An error that the plugin itself answered with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginError {
    /// Kind.
    pub kind: ErrorKind,
    /// Reason, as the plugin gave it.
    pub reason: String,
    /// Message, as the plugin gave it.
    pub message: String,
    /// Path of the field at fault.
    pub field_path: Option<String>,
    /// When to try again, in milliseconds.
    pub retry_after_ms: Option<u32>,
}

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// It crashed.
    #[error("it crashed: {0}")]
    Trap(String),
    /// It used its fuel up.
    #[error("it used up its fuel, {0} units; it may loop without an end, else raise limits.fuel")]
    OutOfFuel(u64),
    /// It ran for too long.
    #[error("it did not answer within {0} s; raise limits.deadlineSeconds if it needs longer")]
    Timeout(u64),
    /// It wanted more memory than it may have.
    #[error("it wanted more memory than {} MiB; raise limits.memory if it needs more", .0 >> 20)]
    OutOfMemory(usize),
    /// Its answer is too large.
    #[error("its answer is larger than {} MiB; raise limits.response if it needs more", .0 >> 20)]
    ResponseTooLarge(usize),
    /// Its answer makes no sense.
    #[error("its answer makes no sense: {0}")]
    InvalidAnswer(String),
    /// It wanted something that was not granted.
    #[error("{what} of {object}, which takes the capability {capability}: {missing}")]
    Denied {
        /// What it did.
        what: String,
        /// Object, as `DaemonSet calico-system/calico-node`.
        object: String,
        /// Path of the field.
        field: String,
        /// What it lacks.
        capability: Capability,
        /// Who did not say yes, and what to do.
        missing: &'static str,
    },
    /// The host could not make the call.
    #[error("failed to prepare its call: {0}")]
    Host(String),
    /// It answered with an error of its own.
    #[error("{}", text::clean(&.0.message, MESSAGE))]
    Plugin(PluginError),
}

impl Failure {
    /// Reason, PascalCase.
    pub fn reason(&self) -> &str {
        match self {
            Self::Trap(_) => "Trap",
            Self::OutOfFuel(_) => "OutOfFuel",
            Self::Timeout(_) => "Timeout",
            Self::OutOfMemory(_) => "OutOfMemory",
            Self::ResponseTooLarge(_) => "ResponseTooLarge",
            Self::InvalidAnswer(_) => "InvalidAnswer",
            Self::Denied { .. } => "GrantMissing",
            Self::Host(_) => "CallFailed",
            Self::Plugin(error) if text::is_reason(&error.reason) => &error.reason,
            Self::Plugin(_) => "PluginError",
        }
    }

    /// Kind.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Plugin(error) => error.kind,
            Self::Denied { .. } => ErrorKind::Denied,
            _ => ErrorKind::Internal,
        }
    }

    /// Whether the same input would fail the same way; a deadline depends on the machine.
    pub(crate) fn repeats(&self) -> bool {
        !matches!(self, Self::Timeout(_))
    }

    /// As the core takes it.
    pub(crate) fn into_error(self, plugin: &str, digest: &str) -> ExtensionError {
        let (field_path, retry_after_ms) = match &self {
            Self::Plugin(error) => (error.field_path.clone(), error.retry_after_ms),
            Self::Denied { field, .. } => (Some(field.clone()), None),
            _ => (None, None),
        };
        ExtensionError {
            plugin: plugin.into(),
            digest: digest.into(),
            kind: self.kind(),
            reason: self.reason().into(),
            message: self.to_string(),
            field_path: field_path.map(|path| text::clean(&path, MESSAGE)),
            retry_after_ms,
        }
    }
}

/// Tells apart why the runtime ended a call.
pub(crate) fn classify(error: &wasmtime::Error, store: &Store<HostState>, limits: &Limits) -> Failure {
    match error.downcast_ref::<Trap>() {
        Some(Trap::OutOfFuel) => return Failure::OutOfFuel(limits.fuel),
        Some(Trap::Interrupt) => return Failure::Timeout(limits.deadline.as_secs()),
        // A guest that is refused memory mostly gives up by a trap of its own.
        _ if store.data().memory.exceeded() => return Failure::OutOfMemory(limits.memory),
        Some(trap) => return Failure::Trap(with_last_words(&trap.to_string(), store)),
        None => {}
    }
    let cause = error.root_cause().to_string();
    // The runtime keeps the type of this one error to itself.
    if cause.contains("fuel allocated for hostcalls") {
        return Failure::ResponseTooLarge(limits.response);
    }
    Failure::Trap(with_last_words(text::first_line(&cause), store))
}

fn with_last_words(what: &str, store: &Store<HostState>) -> String {
    let what = what.trim_start_matches("wasm trap: ");
    match store.data().lines.last_error() {
        Some(last) => format!("{what}; its last words: {}", text::clean(text::without_place(last), 256)),
        None => what.into(),
    }
}
