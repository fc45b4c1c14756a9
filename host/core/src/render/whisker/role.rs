//! What Whisker needs on OpenShift: to run as a user of its own choice.

use k8s_openapi::api::rbac::v1::Role;

use crate::names::WHISKER;
use crate::render::rbac::{role, security_context_constraint};

/// The Role.
pub(super) fn whisker() -> Role {
    role(WHISKER, vec![security_context_constraint("nonroot-v2")])
}
