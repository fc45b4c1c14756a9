//! Pieces of RBAC objects that several components share.

pub(crate) mod datastore;

use k8s_openapi::api::core::v1::ServiceAccount;
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RoleRef, Subject};

use crate::names::{CALICO_SYSTEM, CSR_CREATOR};
use crate::render::meta;

/// Kubernetes' own group of pods, nodes, Services, ….
pub(crate) const CORE: &[&str] = &[""];
/// Both groups that Calico's resources can be served in; which one a cluster has may change while pods run.
pub(crate) const CALICO: &[&str] = &["projectcalico.org", "crd.projectcalico.org"];
/// Virtual machines, whose addresses move with them.
pub(crate) const KUBEVIRT: &[&str] = &["kubevirt.io"];

const RBAC_GROUP: &str = "rbac.authorization.k8s.io";

/// What may be done with whole kinds.
pub(crate) fn rule(groups: &[&str], resources: &[&str], verbs: &[&str]) -> PolicyRule {
    PolicyRule {
        api_groups: Some(owned(groups)),
        resources: Some(owned(resources)),
        verbs: owned(verbs),
        ..PolicyRule::default()
    }
}

/// What may be done with objects of the given names only.
pub(crate) fn rule_for(names: &[&str], groups: &[&str], resources: &[&str], verbs: &[&str]) -> PolicyRule {
    PolicyRule { resource_names: Some(owned(names)), ..rule(groups, resources, verbs) }
}

/// Lets pods run under one of OpenShift's security context constraints.
pub(crate) fn security_context_constraint(name: &str) -> PolicyRule {
    rule_for(&[name], &["security.openshift.io"], &["securitycontextconstraints"], &["use"])
}

/// A ClusterRole.
pub(crate) fn cluster_role(name: &str, rules: Vec<PolicyRule>) -> ClusterRole {
    ClusterRole { metadata: meta::cluster(name), rules: Some(rules), ..ClusterRole::default() }
}

/// A ServiceAccount in the namespace that Calico runs in.
pub(crate) fn service_account(name: &str) -> ServiceAccount {
    ServiceAccount { metadata: meta::calico_system(name), ..ServiceAccount::default() }
}

/// Gives a ClusterRole to a ServiceAccount of the namespace that Calico runs in.
pub(crate) fn cluster_role_binding(name: &str, role: &str, account: &str) -> ClusterRoleBinding {
    ClusterRoleBinding {
        metadata: meta::cluster(name),
        role_ref: role_ref("ClusterRole", role),
        subjects: Some(vec![account_subject(CALICO_SYSTEM, account)]),
    }
}

/// What may be done in the namespace that Calico runs in.
pub(crate) fn role(name: &str, rules: Vec<PolicyRule>) -> Role {
    Role { metadata: meta::calico_system(name), rules: Some(rules) }
}

/// Gives a Role to a ServiceAccount, both of the namespace that Calico runs in.
pub(crate) fn role_binding(name: &str, role: &str, account: &str) -> RoleBinding {
    RoleBinding {
        metadata: meta::calico_system(name),
        role_ref: role_ref("Role", role),
        subjects: Some(vec![account_subject(CALICO_SYSTEM, account)]),
    }
}

/// Lets a workload request its certificate, which all that do share a ClusterRole for.
pub(crate) fn csr_creator_binding(account: &str) -> ClusterRoleBinding {
    cluster_role_binding(&csr_creator_binding_name(account), CSR_CREATOR, account)
}

/// Name of that binding.
pub(crate) fn csr_creator_binding_name(account: &str) -> String {
    format!("{account}:csr-creator")
}

/// Reference to a role of the given kind.
pub(crate) fn role_ref(kind: &str, name: &str) -> RoleRef {
    RoleRef { api_group: Some(RBAC_GROUP.into()), kind: kind.into(), name: name.into() }
}

/// A ServiceAccount as the subject of a binding.
pub(crate) fn account_subject(namespace: &str, name: &str) -> Subject {
    Subject {
        kind: "ServiceAccount".into(),
        name: name.into(),
        namespace: Some(namespace.into()),
        ..Subject::default()
    }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.into()).collect()
}
