use serde_json::{Value, json};

use super::*;

fn object(value: Value) -> Object {
    Object::from_value(value).unwrap()
}

fn daemon_set(spec: Value) -> Object {
    object(json!({"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "sheep", "namespace": "meadow"},
        "spec": {"template": {"spec": spec}}}))
}

fn before() -> Object {
    daemon_set(json!({
        "serviceAccountName": "sheep",
        "volumes": [{"name": "run", "hostPath": {"path": "/run"}}],
        "containers": [
            {"name": "safe", "image": "a", "securityContext": {
                "allowPrivilegeEscalation": false, "runAsNonRoot": true, "capabilities": {"drop": ["ALL"]}}},
            {"name": "root", "image": "b", "securityContext": {"privileged": true}},
        ],
    }))
}

fn check_one(operation: Operation, grants: &Grants) -> Result<(), Failure> {
    let objects = [before()];
    check(ComponentView { name: "sheep", objects: &objects }, &[operation], grants)
}

/// The DaemonSet with a change at a pointer below its pod's spec.
fn changed(pointer: &str, value: Value) -> Operation {
    let mut object = before();
    let spec = object.pointer_mut("/spec/template/spec").unwrap();
    let (parent, field) = pointer.rsplit_once('/').unwrap();
    match spec.pointer_mut(parent).unwrap() {
        Value::Object(map) => drop(map.insert(field.into(), value)),
        Value::Array(list) => list.push(value),
        other => panic!("{other}"),
    }
    Operation::Replace(object)
}

#[test]
fn what_adds_power_takes_a_grant_and_names_the_field() {
    let cases = [
        ("/hostNetwork", json!(true), Capability::HostNamespaces, "spec.template.spec.hostNetwork"),
        ("/hostPID", json!(true), Capability::HostNamespaces, "spec.template.spec.hostPID"),
        ("/serviceAccountName", json!("shepherd"), Capability::Rbac, "spec.template.spec.serviceAccountName"),
        (
            "/volumes/-",
            json!({"name": "etc", "hostPath": {"path": "/etc"}}),
            Capability::HostPath,
            "volumes[etc].hostPath",
        ),
        ("/volumes/0/hostPath", json!({"path": "/"}), Capability::HostPath, "volumes[run].hostPath"),
        ("/containers/0/securityContext/privileged", json!(true), Capability::Privilege, "containers[safe].image"),
        ("/containers/0/securityContext", json!({}), Capability::Privilege, "containers[safe].securityContext"),
        (
            "/containers/0/securityContext/capabilities",
            json!({"add": ["SYS_ADMIN"], "drop": ["ALL"]}),
            Capability::Privilege,
            "containers[safe].securityContext.capabilities.add",
        ),
        (
            "/containers/0/volumeMounts",
            json!([{"name": "run", "mountPath": "/run"}]),
            Capability::HostPath,
            "containers[safe].volumeMounts[run]",
        ),
        ("/containers/0/ports", json!([{"containerPort": 1, "hostPort": 1}]), Capability::HostNamespaces, "hostPort"),
        ("/containers/1/image", json!("evil"), Capability::Privilege, "containers[root].image"),
        ("/containers/1/command", json!(["sh"]), Capability::Privilege, "containers[root].command"),
        (
            "/securityContext",
            json!({"seccompProfile": {"type": "Unconfined"}}),
            Capability::Privilege,
            "seccompProfile",
        ),
    ];
    for (pointer, value, needed, expected) in cases {
        let operation = changed(pointer, value);
        let failure = check_one(operation.clone(), &Grants::default()).unwrap_err();
        let Failure::Denied { field, capability, object, .. } = &failure else { panic!("{failure}") };
        assert!(field.contains(expected), "{pointer}: {field}");
        assert_eq!((*capability, object.as_str()), (needed, "DaemonSet meadow/sheep"), "{pointer}");

        let needed = BTreeSet::from([needed]);
        assert_eq!(check_one(operation, &Grants::new(needed.clone(), needed)), Ok(()), "{pointer}");
    }
}

#[test]
fn what_adds_no_power_takes_no_grant() {
    let cases = [
        ("/containers/-", json!({"name": "sidecar", "image": "c"})),
        ("/containers/0/image", json!("other")),
        ("/containers/0/env", json!([{"name": "A", "value": "b"}])),
        ("/containers/1/env", json!([{"name": "A", "value": "b"}])),
        ("/containers/1/securityContext/privileged", json!(false)),
        ("/volumes", json!([])),
        ("/securityContext", json!({"sysctls": [{"name": "net.ipv4.tcp_syncookies", "value": "1"}]})),
    ];
    for (pointer, value) in cases {
        assert_eq!(check_one(changed(pointer, value), &Grants::default()), Ok(()), "{pointer}");
    }
}

#[test]
fn an_object_may_be_added_only_where_the_component_has_some() {
    let in_namespace = |namespace: Value| {
        let config = object(json!({"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": "a", "namespace": namespace}}));
        check_one(Operation::Add(config), &Grants::default()).map_err(|failure| failure.reason().to_owned())
    };
    assert_eq!(in_namespace(json!("meadow")), Ok(()));
    for elsewhere in [json!("other"), json!("kube-system"), Value::Null] {
        assert_eq!(in_namespace(elsewhere.clone()), Err("GrantMissing".into()), "{elsewhere}");
    }
}

#[test]
fn rbac_may_not_be_added_or_widened() {
    let role = |rules: Value| {
        object(json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
            "metadata": {"name": "sheep", "namespace": "meadow"}, "rules": rules}))
    };
    let one = json!({"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]});
    let two = json!({"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]});
    let objects = [role(json!([one, two]))];
    let view = ComponentView { name: "sheep", objects: &objects };
    let none = Grants::default();

    assert_eq!(check(view, &[Operation::Replace(role(json!([one])))], &none), Ok(()));
    let wider = role(json!([one, two, {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}]));
    assert!(check(view, &[Operation::Replace(wider)], &none).is_err());
    assert!(check_one(Operation::Add(role(json!([]))), &none).is_err());
}

#[test]
fn pod_security_of_a_namespace_may_not_be_weakened() {
    let namespace = |labels: Value| {
        object(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "meadow", "labels": labels}}))
    };
    let objects = [namespace(json!({"pod-security.kubernetes.io/enforce": "restricted"}))];
    let view = ComponentView { name: "sheep", objects: &objects };
    let weaker = namespace(json!({"pod-security.kubernetes.io/enforce": "privileged"}));
    assert!(check(view, &[Operation::Replace(weaker)], &Grants::default()).is_err());
    let labelled = namespace(json!({"pod-security.kubernetes.io/enforce": "restricted", "team": "sheep"}));
    assert_eq!(check(view, &[Operation::Replace(labelled)], &Grants::default()), Ok(()));
}
