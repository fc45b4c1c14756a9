//! Keeps the operator's calico-node off nodes that the manifest install still serves.

use serde_json::{Map, Value, json};

use super::names::{LABEL, PRE_OPERATOR};
use crate::component::{Component, Extended};
use crate::names::{CALICO_SYSTEM, NODE};
use crate::object::{Object, ObjectKey, edit_map};

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const TERMS: &str = "nodeSelectorTerms";
const EXPRESSIONS: &str = "matchExpressions";

/// Adds the requirement to the DaemonSet, beside whatever else its pods require of nodes.
///
/// Nodes without the label pass, so that one that joins while others move is served at once, and so that the label can
/// be taken off at the end without a change of the pods.
pub fn confine(component: Component<Extended>) -> Component<Extended> {
    let mut objects = component.objects().to_vec();
    let key = ObjectKey::namespaced("apps/v1", "DaemonSet", CALICO_SYSTEM, NODE);
    for object in objects.iter_mut().filter(|object| *object.key() == key) {
        one(object);
    }
    component.overridden(objects)
}

/// Whether a DaemonSet as it is in the cluster has the requirement.
pub fn is_confined(daemon_set: &Value) -> bool {
    let terms = daemon_set.pointer(&format!("/spec/template/spec/affinity/nodeAffinity/{REQUIRED}/{TERMS}"));
    let mut terms = terms.and_then(Value::as_array).into_iter().flatten().peekable();
    let requirement = requirement();
    let has =
        |term: &Value| term.get(EXPRESSIONS).and_then(Value::as_array).is_some_and(|all| all.contains(&requirement));
    terms.peek().is_some() && terms.all(has)
}

fn requirement() -> Value {
    json!({"key": LABEL, "operator": "NotIn", "values": [PRE_OPERATOR]})
}

fn one(daemon_set: &mut Object) {
    let Some(Value::Object(pod)) = daemon_set.pointer_mut("/spec/template/spec") else { return };
    edit_map(pod, "affinity", |affinity| {
        edit_map(affinity, "nodeAffinity", |nodes| edit_map(nodes, REQUIRED, add));
    });
}

/// Terms are alternatives, so each one gets it.
fn add(selector: &mut Map<String, Value>) {
    let terms = selector.entry(TERMS).or_insert_with(|| json!([]));
    let Some(terms) = terms.as_array_mut() else { return };
    if terms.is_empty() {
        terms.push(json!({}));
    }
    for term in terms.iter_mut().filter_map(Value::as_object_mut) {
        let expressions = term.entry(EXPRESSIONS).or_insert_with(|| json!([]));
        if let Some(expressions) = expressions.as_array_mut() {
            expressions.push(requirement());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn confined(affinity: Value) -> Value {
        let mut object = Object::from_value(json!({"apiVersion": "apps/v1", "kind": "DaemonSet",
            "metadata": {"name": "calico-node", "namespace": "calico-system"},
            "spec": {"template": {"spec": {"affinity": affinity}}}}))
        .unwrap();
        one(&mut object);
        object.into_value()
    }

    #[test]
    fn each_alternative_of_the_users_requires_it_too() {
        let terms = json!([{"matchExpressions": [{"key": "a", "operator": "Exists"}]}, {"matchFields": []}]);
        let object = confined(json!({"nodeAffinity": {REQUIRED: {TERMS: terms}}}));
        assert!(is_confined(&object));
        let terms = object.pointer(&format!("/spec/template/spec/affinity/nodeAffinity/{REQUIRED}/{TERMS}")).unwrap();
        assert_eq!(terms[0]["matchExpressions"][0]["key"], "a");
        assert_eq!(terms[1]["matchExpressions"][0]["key"], LABEL);
    }

    #[test]
    fn pods_without_any_affinity_get_one() {
        assert!(is_confined(&confined(json!({}))));
        assert!(!is_confined(&json!({"spec": {"template": {"spec": {}}}})));
    }
}
