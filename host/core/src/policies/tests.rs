use serde_json::{Value, json};

use super::*;
use crate::component::{Os, Rendered};
use crate::extend::extend;
use crate::extensions::{CommonConfig, NoExtensions, Point};
use crate::object::ObjectKey;

fn context() -> PolicyContext {
    let owner = Owner {
        api_version: "farm.example.com/v1".into(),
        kind: "Meadow".into(),
        name: "default".into(),
        namespace: None,
        uid: Some("u-1".into()),
    };
    PolicyContext { owner, ..PolicyContext::default() }
}

fn finished(component: Component<Rendered>, ctx: &PolicyContext) -> (Component<Finished>, Provenance) {
    let (component, _) = extend(component, Point::Other(&CommonConfig::default()), &NoExtensions).unwrap();
    let (finished, provenance) = finish(component.clone(), ctx);
    assert_eq!(lay_on(component, ctx), finished, "both ways come to the same");
    (finished, provenance)
}

fn one(value: Value, ctx: &PolicyContext) -> Object {
    let component = Component::new("sheep", vec![Object::from_value(value).unwrap()]);
    finished(component, ctx).0.objects().first().unwrap().clone()
}

fn daemon_set() -> Value {
    json!({"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "sheep", "namespace": "meadow"},
    "spec": {"template": {"spec": {
        "hostNetwork": true,
        "initContainers": [{"name": "shear", "image": "shears"}],
        "containers": [{"name": "graze", "image": "grass", "imagePullPolicy": "Never",
            "livenessProbe": {"timeoutSeconds": 10}, "readinessProbe": {}, "startupProbe": {"failureThreshold": 150}}],
    }}}})
}

#[test]
fn a_workload_gets_labels_a_selector_and_its_operating_system() {
    let object = one(daemon_set(), &context());
    let labels = object.pointer("/metadata/labels").unwrap();
    assert_eq!(
        *labels,
        json!({"k8s-app": "sheep", "app.kubernetes.io/name": "sheep", "app.kubernetes.io/instance": "default",
            "app.kubernetes.io/component": "Meadow.farm.example.com", "app.kubernetes.io/managed-by": "tigera-operator",
            "app.kubernetes.io/part-of": "Calico"})
    );
    let pods = object.pod_template().unwrap();
    assert_eq!(pods.pointer("/metadata/labels/k8s-app").unwrap(), "sheep");
    assert_eq!(pods.pointer("/metadata/labels/operator.tigera.io~1host-networked").unwrap(), "true");
    assert_eq!(pods.pointer("/spec/nodeSelector").unwrap(), &json!({"kubernetes.io/os": "linux"}));
    assert_eq!(object.pointer("/spec/selector").unwrap(), &json!({"matchLabels": {"k8s-app": "sheep"}}));
}

#[test]
fn an_application_that_the_renderer_named_stays_the_application() {
    let object = one(
        json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "sheep-metrics", "namespace": "meadow",
            "labels": {"k8s-app": "sheep"}}}),
        &context(),
    );
    assert_eq!(object.pointer("/metadata/labels/app.kubernetes.io~1name").unwrap(), "sheep");
}

#[test]
fn names_that_are_no_label_values_become_some() {
    for (name, value) in [
        ("sheep:shear", "sheep_shear".to_owned()),
        ("csi.example.com", "csi.example.com".to_owned()),
        (&"é".repeat(80), String::new()),
        (&format!("{}:tail", "a".repeat(62)), "a".repeat(62)),
    ] {
        assert_eq!(labels::label_value(name), value, "{name}");
    }
}

#[test]
fn only_the_pull_policy_replaces_what_is_set() {
    let object = one(daemon_set(), &context());
    let container = object.pointer("/spec/template/spec/containers/0").unwrap();
    assert_eq!(container["imagePullPolicy"], "IfNotPresent");
    let timing = json!({"timeoutSeconds": 10, "periodSeconds": 60, "failureThreshold": 3});
    assert_eq!(container["livenessProbe"], timing);
    let timing = json!({"timeoutSeconds": 5, "periodSeconds": 30, "failureThreshold": 3});
    assert_eq!(container["readinessProbe"], timing);
    assert_eq!(container["startupProbe"], json!({"failureThreshold": 150}));
    assert_eq!(object.pointer("/spec/template/spec/initContainers/0/imagePullPolicy").unwrap(), "IfNotPresent");
    let ctx = PolicyContext { image_pull_policy: Some("Always".into()), ..context() };
    let object = one(daemon_set(), &ctx);
    assert_eq!(object.pointer("/spec/template/spec/containers/0/imagePullPolicy").unwrap(), "Always");
}

#[test]
fn tls_settings_reach_the_containers_that_do_not_set_them() {
    let ctx = PolicyContext {
        tls_cipher_suites: Some("A,B".into()),
        tls_min_version: Some("VersionTLS13".into()),
        ..context()
    };
    let mut input = daemon_set();
    *input.pointer_mut("/spec/template/spec/containers/0").unwrap() =
        json!({"name": "graze", "env": [{"name": "TLS_MIN_VERSION", "value": "mine"}]});
    let object = one(input, &ctx);
    let env = object.pointer("/spec/template/spec/containers/0/env").unwrap();
    let want = json!([{"name": "TLS_MIN_VERSION", "value": "mine"}, {"name": "TLS_CIPHER_SUITES", "value": "A,B"}]);
    assert_eq!(*env, want);
    assert!(object.pointer("/spec/template/spec/initContainers/0/env").is_none());
}

#[test]
fn everything_is_owned_but_definitions_and_what_a_namespaced_owner_cannot_own() {
    let definition = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "sheep.example.com"}});
    let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "s"}});
    let elsewhere = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "barn"}});
    let namespaced = PolicyContext {
        owner: Owner { namespace: Some("meadow".into()), ..context().owner },
        ..PolicyContext::default()
    };
    let owners =
        |value: &Value, ctx: &PolicyContext| one(value.clone(), ctx).pointer("/metadata/ownerReferences").cloned();
    let full = json!([{"apiVersion": "farm.example.com/v1", "kind": "Meadow", "name": "default", "uid": "u-1",
        "controller": true, "blockOwnerDeletion": true}]);
    assert_eq!(owners(&role, &context()), Some(full.clone()));
    assert_eq!(owners(&daemon_set(), &namespaced), Some(full));
    assert_eq!(owners(&definition, &context()), None);
    assert_eq!(owners(&role, &namespaced), None);
    assert_eq!(owners(&elsewhere, &namespaced), None);
}

#[test]
fn an_object_of_several_owners_has_no_controller() {
    let object = one(
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "meadow",
            "labels": {MULTIPLE_OWNERS_LABEL: "true"}}}),
        &context(),
    );
    assert_eq!(object.pointer("/metadata/ownerReferences/0/controller"), None);
    assert_eq!(object.pointer("/metadata/ownerReferences/0/uid").unwrap(), "u-1");
}

#[test]
fn shared_objects_stay_as_rendered() {
    let value = json!({"apiVersion": "farm.example.com/v1", "kind": "Fence", "metadata": {"name": "default"}});
    let component = Component::new("fence", vec![Object::from_value(value.clone()).unwrap()]).shared();
    let (component, provenance) = finished(component, &context());
    assert_eq!(component.objects().first().unwrap().clone().into_value(), value);
    assert_eq!(provenance, Provenance::default());
}

#[test]
fn fields_that_a_policy_set_are_on_record() {
    let component = Component::new("sheep", vec![Object::from_value(daemon_set()).unwrap()]).on(Os::Windows);
    let (component, provenance) = finished(component, &context());
    let fields = provenance.of(component.objects().first().unwrap().key()).unwrap();
    assert!(fields.contains_key("/spec/template/spec/nodeSelector/kubernetes.io~1os"));
    assert!(!fields.contains_key("/spec/template/spec/containers/0/livenessProbe/timeoutSeconds"));
}

#[test]
fn no_network_policy_is_created_where_the_administrator_looks_after_them_and_earlier_ones_go() {
    let object = |api_version: &str, kind: &str| json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "sheep", "namespace": "meadow"}});
    let (leaves, manages) = (PolicyContext { leaves_network_policies: true, ..context() }, context());
    for (api_version, kind, policy) in [
        ("networking.k8s.io/v1", "NetworkPolicy", true),
        ("crd.projectcalico.org/v1", "NetworkPolicy", true),
        ("crd.projectcalico.org/v1", "GlobalNetworkPolicy", true),
        ("projectcalico.org/v3", "NetworkPolicy", true),
        ("projectcalico.org/v3", "GlobalNetworkPolicy", true),
        ("projectcalico.org/v3", "Tier", false),
        ("networking.k8s.io/v1", "Ingress", false),
    ] {
        let objects = || [object("v1", "ConfigMap"), object(api_version, kind)].map(|o| Object::from_value(o).unwrap());
        let deleted = ObjectKey::namespaced("v1", "ConfigMap", "meadow", "former");
        let component = Component::new("sheep", objects().to_vec()).deleting(vec![deleted.clone()]);
        let kinds = |component: &Component<Finished>| {
            let names: Vec<_> = component.objects().iter().map(|object| object.key().kind.clone()).collect();
            (names, component.deletions().to_vec())
        };
        let key = ObjectKey::namespaced(api_version, kind, "meadow", "sheep");
        let all = (vec!["ConfigMap".to_owned(), kind.to_owned()], vec![deleted.clone()]);
        let without = (vec!["ConfigMap".to_owned()], vec![deleted, key]);
        assert_eq!(kinds(&finished(component.clone(), &manages).0), all, "{kind}");
        assert_eq!(kinds(&finished(component, &leaves).0), if policy { without } else { all }, "{api_version} {kind}");
    }
}

#[test]
fn a_policy_fills_only_what_is_unset_field_by_field() {
    // Pointer, what is set there, what is there in the end. Null: unset.
    let container = "/spec/template/spec/containers/0";
    let table = [
        ("/imagePullPolicy", json!("Never"), json!("IfNotPresent")),
        ("/imagePullPolicy", Value::Null, json!("IfNotPresent")),
        ("/livenessProbe/timeoutSeconds", json!(1), json!(1)),
        ("/livenessProbe/timeoutSeconds", json!(0), json!(5)),
        ("/livenessProbe/timeoutSeconds", Value::Null, json!(5)),
        ("/livenessProbe/periodSeconds", json!(1), json!(1)),
        ("/livenessProbe/periodSeconds", Value::Null, json!(60)),
        ("/livenessProbe/failureThreshold", json!(1), json!(1)),
        ("/livenessProbe/failureThreshold", Value::Null, json!(3)),
        ("/readinessProbe/timeoutSeconds", json!(1), json!(1)),
        ("/readinessProbe/timeoutSeconds", Value::Null, json!(5)),
        ("/readinessProbe/periodSeconds", json!(1), json!(1)),
        ("/readinessProbe/periodSeconds", Value::Null, json!(30)),
        ("/readinessProbe/failureThreshold", json!(1), json!(1)),
        ("/readinessProbe/failureThreshold", Value::Null, json!(3)),
    ];
    for (field, set, want) in table {
        let mut input = daemon_set();
        let mut value = json!({"name": "graze", "livenessProbe": {}, "readinessProbe": {}});
        let (parent, name) = field.rsplit_once('/').unwrap();
        if !set.is_null() {
            value.pointer_mut(parent).unwrap()[name] = set.clone();
        }
        *input.pointer_mut(container).unwrap() = value;
        let object = one(input, &context());
        assert_eq!(object.pointer(&format!("{container}{field}")), Some(&want), "{field} set to {set}");
    }
}

#[test]
fn labels_selector_owner_and_operating_system_that_are_set_stay() {
    let mut input = daemon_set();
    input["metadata"]["labels"] = json!({"app.kubernetes.io/managed-by": "dogs"});
    input["metadata"]["ownerReferences"] = json!([]);
    input["spec"]["selector"] = json!({"matchLabels": {"a": "b"}});
    input["spec"]["template"]["metadata"] = json!({"labels": {"k8s-app": "goats"}});
    input["spec"]["template"]["spec"]["nodeSelector"] = json!({"kubernetes.io/os": "plan9", "rack": "1"});
    let object = one(input, &context());
    for (pointer, want) in [
        ("/metadata/labels/app.kubernetes.io~1managed-by", json!("dogs")),
        ("/metadata/ownerReferences", json!([])),
        ("/spec/selector", json!({"matchLabels": {"a": "b"}})),
        ("/spec/template/metadata/labels/k8s-app", json!("goats")),
        ("/spec/template/spec/nodeSelector", json!({"kubernetes.io/os": "plan9", "rack": "1"})),
    ] {
        assert_eq!(object.pointer(pointer), Some(&want), "{pointer}");
    }
}

#[test]
fn pods_are_sent_to_nodes_of_their_operating_system_whatever_starts_them() {
    let pods = json!({"spec": {"containers": [{"name": "graze"}]}});
    let kinds = [
        ("apps/v1", "DaemonSet", json!({"template": pods}), "/spec/template/spec"),
        ("apps/v1", "Deployment", json!({"template": pods}), "/spec/template/spec"),
        ("apps/v1", "StatefulSet", json!({"template": pods}), "/spec/template/spec"),
        ("batch/v1", "Job", json!({"template": pods}), "/spec/template/spec"),
        (
            "batch/v1",
            "CronJob",
            json!({"jobTemplate": {"spec": {"template": pods}}}),
            "/spec/jobTemplate/spec/template/spec",
        ),
        ("monitoring.coreos.com/v1", "Prometheus", json!({"containers": []}), "/spec"),
    ];
    for (os, label) in [(Os::Linux, "linux"), (Os::Windows, "windows")] {
        for (api_version, kind, spec, place) in &kinds {
            let object = json!({"apiVersion": api_version, "kind": kind, "spec": spec,
                "metadata": {"name": "sheep", "namespace": "meadow"}});
            let component = Component::new("sheep", vec![Object::from_value(object).unwrap()]).on(os);
            let (component, _) = finished(component, &context());
            let selector = component.objects().first().unwrap().pointer(&format!("{place}/nodeSelector")).cloned();
            assert_eq!(selector, Some(json!({"kubernetes.io/os": label})), "{kind}");
        }
    }
}
