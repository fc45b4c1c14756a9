//! What the end-to-end tests in `tests/` share: the operator as a process on a control plane of its own, and comparisons
//! of what it left there.

pub mod cluster;
pub mod compare;
pub mod golden;
pub mod manifests;
pub mod messages;
pub mod metrics;
pub mod operator;
pub mod probes;
pub mod quiesce;
pub mod requests;
pub mod rights;
pub mod writes;

/// The user that the operator under test acts as, so that the audit log tells it from everybody else.
pub const OPERATOR_USER: &str = "system:serviceaccount:tigera-operator:tigera-operator";

/// The field manager of everything that the operator writes.
pub const FIELD_MANAGER: &str = "chimera";
