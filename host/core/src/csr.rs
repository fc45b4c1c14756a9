//! Certificate signing requests that the operator itself answers: who may ask for what, which requests are granted, and
//! what is wrong with the others.
//!
//! Pods ask for their certificates where the Installation has `spec.certificateManagement`. The operator answers those
//! that name its own signer, and no others: another signer has approvers of its own. A request that deviates in anything
//! is left alone, never denied, since somebody else may have a reason to approve it.

mod applicant;
mod config;
mod contents;
mod decide;
#[cfg(test)]
mod tests;

pub use applicant::Applicant;
pub use config::{CsrConfig, is_wanted};
pub use decide::{Decision, Grant, Refusal, decide, is_approved, is_open, requesting_pod};

/// The signer whose requests the operator answers.
pub const SIGNER_NAME: &str = "tigera.io/operator-signer";
/// Label of requests that pods of the operator make.
pub const LABEL: &str = "operator.tigera.io/csr";
