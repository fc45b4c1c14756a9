//! Security contexts: one for what changes its host, one for everything else.

use k8s_openapi::api::core::v1::{Capabilities, SeccompProfile, SecurityContext};

/// Privileged and root, for what changes its host's network or files.
pub(crate) fn privileged() -> SecurityContext {
    context(true, 0, 0)
}

/// Neither root nor able to become it.
pub(crate) fn unprivileged(user: i64, group: i64) -> SecurityContext {
    context(false, user, group)
}

fn context(privileged: bool, user: i64, group: i64) -> SecurityContext {
    SecurityContext {
        allow_privilege_escalation: Some(privileged),
        capabilities: Some(Capabilities { drop: Some(vec!["ALL".into()]), ..Capabilities::default() }),
        privileged: Some(privileged),
        run_as_group: Some(group),
        run_as_non_root: Some(user != 0),
        run_as_user: Some(user),
        seccomp_profile: Some(SeccompProfile { type_: "RuntimeDefault".into(), ..SeccompProfile::default() }),
        ..SecurityContext::default()
    }
}
