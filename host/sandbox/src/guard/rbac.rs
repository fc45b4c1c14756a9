//! Powers over the API: rules, bindings, and Secrets that are tokens.

use std::collections::BTreeSet;

use chimera_core::object::Object;
use serde_json::Value;

use super::Power;
use crate::grants::Capability;

const GROUP: &str = "rbac.authorization.k8s.io";
/// Start of the labels by which a ClusterRole becomes part of others.
const AGGREGATE: &str = "rbac.authorization.k8s.io/aggregate-to-";
/// Type of a Secret that Kubernetes fills with a ServiceAccount's token.
const TOKEN: &str = "kubernetes.io/service-account-token";

pub(super) fn collect(object: &Object, powers: &mut BTreeSet<Power>) {
    if object.key().group() == GROUP {
        // The object by itself counts, so that one without rules cannot be put in place for later.
        powers.insert(Power::new(Capability::Rbac, "kind", &object.key().kind));
        for field in ["rules", "subjects"] {
            let items = object.pointer(&format!("/{field}")).and_then(Value::as_array).into_iter().flatten();
            powers.extend(items.map(|item| Power::new(Capability::Rbac, field, item)));
        }
        for field in ["roleRef", "aggregationRule"] {
            let value = object.pointer(&format!("/{field}"));
            powers.extend(value.map(|value| Power::new(Capability::Rbac, field, value)));
        }
        let labels = object.pointer("/metadata/labels").and_then(Value::as_object).into_iter().flatten();
        let aggregating = labels.filter(|(name, _)| name.starts_with(AGGREGATE));
        powers.extend(
            aggregating.map(|(name, value)| Power::new(Capability::Rbac, format!("metadata.labels[{name}]"), value)),
        );
    }
    if object.key().kind == "Secret" && object.pointer("/type").and_then(Value::as_str) == Some(TOKEN) {
        powers.insert(Power::new(Capability::Rbac, "type", TOKEN));
    }
}
