use serde_json::json;

use super::*;

fn key(kind: &str) -> ObjectKey {
    ObjectKey { api_version: "apps/v1".into(), kind: kind.into(), namespace: None, name: "sheep".into() }
}

fn component() -> Component {
    let object = |kind, json: Value| types::Object { key: key(kind), json: json.to_string() };
    let objects = vec![
        object("ConfigMap", json!({"data": {"a": "b"}})),
        object("DaemonSet", json!({"spec": {"template": {"metadata": null, "spec": {}}}})),
    ];
    Component::new("sheep".into(), objects)
}

fn texts(component: Component) -> Vec<String> {
    let text = |operation| match operation {
        Operation::Add(object) => format!("add {} {}", object.key.kind, object.json),
        Operation::Replace(object) => format!("replace {} {}", object.key.kind, object.json),
        Operation::Remove(removal) => format!("remove {} {}", removal.key.kind, removal.reason),
    };
    component.into_operations().into_iter().map(text).collect()
}

#[test]
fn what_is_only_looked_at_is_not_sent_back() {
    let mut component = component();
    component.objects_mut().for_each(|object| drop(object.value_mut().clone()));
    assert!(texts(component).is_empty());
}

#[test]
fn only_what_changed_is_sent_back() {
    let mut component = component();
    component.pod_templates_mut().for_each(|mut template| template.set_label("team", "network"));
    let expected = r#"replace DaemonSet {"spec":{"template":{"metadata":{"labels":{"team":"network"}},"spec":{}}}}"#;
    assert_eq!(texts(component), [expected]);
}

#[test]
fn what_is_changed_and_then_removed_is_only_removed() {
    let mut component = component();
    component.pod_templates_mut().for_each(|mut template| template.set_annotation("a", "b"));
    component.remove(&key("DaemonSet"), "not needed");
    component.add(key("Secret"), &json!({}));
    assert_eq!(texts(component), ["remove DaemonSet not needed", "add Secret {}"]);
}
