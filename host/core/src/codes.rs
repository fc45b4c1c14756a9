//! The registry of message codes: `CHM` and four digits.
//!
//! `codes/registry.yaml` is the source; `cargo xtask codes` writes [`generated`] and the docs page from it.

#[rustfmt::skip]
mod generated;

pub use generated::*;

/// How bad a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// For information.
    Info,
    /// Works, but somebody should look.
    Warning,
    /// Does not work.
    Error,
}

/// One entry of the registry.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// `CHM0101`.
    pub id: &'static str,
    /// Reason of the condition and of the Event: PascalCase, stable, what scripts may wait for.
    pub reason: &'static str,
    /// How bad.
    pub severity: Severity,
    /// What it means, in one sentence.
    pub title: &'static str,
    /// What an administrator should do, in one sentence without a full stop.
    pub action: &'static str,
}
