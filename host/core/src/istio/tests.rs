//! What comes of an Istio, its charts and FelixConfiguration.

use serde_json::{Value, json};

use super::*;
use crate::charts::Chart;
use crate::component::{Component, Readiness};
use crate::installation::config::ApiGroup;
use crate::installation::inputs::InstallationInputs;
use crate::render::istio::components;
use crate::testing::Fixed;

const MODE: &str = "operator.tigera.io/istioAmbientMode";
const MARK: &str = "operator.tigera.io/istioDSCPMark";

fn object(value: Value) -> Object {
    Object::from_value(value).unwrap()
}

fn installation() -> InstallationConfig {
    let installation = json!({"apiVersion": "operator.tigera.io/v1", "kind": "Installation",
        "metadata": {"name": "default"}, "spec": {"registry": "farm.example.com", "imagePath": "wool",
            "imagePullSecrets": [{"name": "pull"}]}});
    let secret =
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "pull", "namespace": "tigera-operator"}});
    let inputs = InstallationInputs::from_objects(vec![object(installation), object(secret)]).unwrap();
    crate::installation::validate(&inputs, Fixed::default().env()).unwrap()
}

fn bundle() -> Bundle {
    let workload = |kind: &str, (name, container): (&str, &str)| {
        object(json!({"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name, "namespace": "calico-system"},
            "spec": {"template": {"spec": {"nodeSelector": {"of": "chart"}, "containers": [
                {"name": container, "image": "upstream/mesh:1", "env": [{"name": "MAGIC_DSCP_MARK", "value": "1"}]}]}}}}))
    };
    let injector = object(json!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "istio-sidecar-injector", "namespace": "calico-system"},
        "data": {"config": "as it is", "values": "{\"global\":{\"hub\":\"upstream\",\"proxy\":{\"image\":\"proxyv2\",\"level\":\"info\"}}}"}}));
    let objects =
        vec![workload("Deployment", ISTIOD), workload("DaemonSet", CNI), workload("DaemonSet", ZTUNNEL), injector];
    Bundle::new(vec![Chart::default()], objects)
}

fn validated(spec: Value, felix: Option<Value>) -> Result<IstioConfig, String> {
    let resource = serde_json::from_value(json!({"apiVersion": "operator.tigera.io/v1", "kind": "Istio",
        "metadata": {"name": "default"}, "spec": spec}))
    .unwrap();
    let owner = Owner { name: "default".into(), uid: None };
    let inputs = IstioInputs { resource, owner, bundle: bundle(), felix: felix.map(object) };
    validate(inputs, installation()).map_err(|messages| messages.iter().map(ToString::to_string).collect())
}

fn felix(spec: Value, annotations: Value) -> Value {
    json!({"apiVersion": "crd.projectcalico.org/v1", "kind": "FelixConfiguration",
        "metadata": {"name": "default", "annotations": annotations}, "spec": spec})
}

fn rendered(config: &IstioConfig) -> Vec<Component> {
    components(config, Vec::new(), &Readiness::Ready).unwrap()
}

fn find<'a>(components: &'a [Component], kind: &str, name: &str) -> &'a Object {
    let mut objects = components.iter().flat_map(Component::objects);
    objects.find(|object| object.key().kind == kind && object.key().name == name).unwrap()
}

#[test]
fn each_workload_has_its_image_from_where_the_installation_says() {
    let all = rendered(&validated(json!({}), None).unwrap());
    let version = installation().images.version().to_owned();
    for (kind, name, image) in [
        ("Deployment", "istiod", "istio-pilot"),
        ("DaemonSet", "istio-cni-node", "istio-install-cni"),
        ("DaemonSet", "ztunnel", "istio-ztunnel"),
    ] {
        let pod = find(&all, kind, name).pointer("/spec/template/spec").unwrap();
        assert_eq!(pod["containers"][0]["image"], format!("farm.example.com/wool/{image}:{version}"));
        assert_eq!(pod["imagePullSecrets"], json!([{"name": "pull"}]), "{name}");
    }
    let text = find(&all, "ConfigMap", "istio-sidecar-injector").pointer("/data/values").unwrap();
    let values: Value = serde_json::from_str(text.as_str().unwrap()).unwrap();
    assert_eq!(values["global"]["proxy"]["image"], format!("farm.example.com/wool/istio-proxyv2:{version}"));
    assert_eq!((&values["global"]["proxy"]["level"], &values["global"]["hub"]), (&json!("info"), &json!("upstream")));
    assert_eq!(values["global"]["imagePullSecrets"], json!(["pull"]));
}

#[test]
fn the_agent_and_felix_know_the_same_mark() {
    for (mark, number) in [(json!(null), 23), (json!(7), 7), (json!("AF11"), 10)] {
        let config = validated(if mark.is_null() { json!({}) } else { json!({"dscpMark": mark}) }, None).unwrap();
        let all = rendered(&config);
        let env =
            |name: &str| find(&all, "DaemonSet", name).pointer("/spec/template/spec/containers/0/env").unwrap().clone();
        assert_eq!(env("istio-cni-node"), json!([{"name": "MAGIC_DSCP_MARK", "value": number.to_string()}]));
        assert!(
            env("ztunnel")
                .as_array()
                .unwrap()
                .contains(&json!({"name": "TRANSPARENT_NETWORK_POLICIES", "value": "true"}))
        );
        let felix = find(&all, "FelixConfiguration", "default");
        assert_eq!(felix.pointer("/spec").unwrap(), &json!({"istioAmbientMode": "Enabled", "istioDSCPMark": number}));
        let annotations = json!({MODE: "Enabled", MARK: number.to_string()});
        assert_eq!(felix.pointer("/metadata/annotations").unwrap(), &annotations);
    }
}

#[test]
fn what_the_user_says_of_felix_is_never_overruled() {
    let error = validated(json!({}), Some(felix(json!({"istioAmbientMode": "Disabled"}), json!({})))).unwrap_err();
    assert!(error.starts_with("FelixConfiguration default spec.istioAmbientMode: it is Disabled"), "{error}");
    let error = validated(json!({}), Some(felix(json!({"istioDSCPMark": 9}), json!({MARK: "23"})))).unwrap_err();
    assert!(error.contains("spec.istioDSCPMark"), "{error}");
    // The same, or what the operator set before.
    let same = felix(json!({"istioAmbientMode": "Enabled", "istioDSCPMark": "23"}), json!({}));
    assert!(validated(json!({}), Some(same)).is_ok());
    assert!(validated(json!({}), Some(felix(json!({"istioDSCPMark": 9}), json!({MARK: "9"})))).is_ok());
}

#[test]
fn felix_forgets_the_mesh_with_the_resource_and_keeps_what_the_user_changed() {
    let left = |spec, annotations| {
        without(Some(&object(felix(spec, annotations))), ApiGroup::V1)
            .map(|part| part.pointer("/spec").unwrap().clone())
    };
    let both = json!({MODE: "Enabled", MARK: "23"});
    let spec = json!({"istioAmbientMode": "Enabled", "istioDSCPMark": 23});
    assert_eq!(left(spec.clone(), both.clone()), Some(json!({"istioAmbientMode": null, "istioDSCPMark": null})));
    assert_eq!(
        left(json!({"istioAmbientMode": "Disabled", "istioDSCPMark": 23}), both),
        Some(json!({"istioDSCPMark": null}))
    );
    assert_eq!(left(spec, json!({})), None);
    assert_eq!(without(None, ApiGroup::V1), None);
}

#[test]
fn changes_to_a_workload_reach_its_main_container_and_its_nodes() {
    let wanted = json!({"spec": {"template": {"spec": {"resources": {"limits": {"cpu": "2"}}, "nodeSelector": {"pool": "mesh"}}}}});
    for (field, kind, name) in [
        ("istiod", "Deployment", "istiod"),
        ("istioCNI", "DaemonSet", "istio-cni-node"),
        ("ztunnel", "DaemonSet", "ztunnel"),
    ] {
        let config = validated(json!({field: wanted}), None).unwrap();
        let mesh = rendered(&config).pop().unwrap();
        let point = crate::extensions::Point::Istio(&config);
        let (mesh, _) = crate::extend::extend(mesh, point, &crate::extensions::NoExtensions).unwrap();
        let object =
            mesh.objects().iter().find(|object| object.key().kind == kind && object.key().name == name).unwrap();
        let pod = object.pointer("/spec/template/spec").unwrap();
        assert_eq!(pod["containers"][0]["resources"], json!({"limits": {"cpu": "2"}}), "{field}");
        assert_eq!(pod["nodeSelector"], json!({"pool": "mesh"}), "{field}");
    }
}

#[test]
fn charts_for_another_namespace_are_refused() {
    let mut config = validated(json!({}), None).unwrap();
    let stray = json!({"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "ztunnel", "namespace": "barn"},
        "spec": {"template": {"spec": {"containers": [{"name": "istio-proxy"}]}}}});
    config.bundle.objects.push(object(stray));
    let messages = components(&config, Vec::new(), &Readiness::Ready).unwrap_err().messages();
    assert!(messages[0].to_string().starts_with("DaemonSet barn/ztunnel: "), "{messages:?}");
}

#[test]
fn each_part_of_the_mesh_has_a_policy_since_whatever_has_none_is_denied() {
    let policies = crate::render::istio::policies(&validated(json!({}), None).unwrap()).unwrap();
    let of = |name: &str| {
        let name = format!("calico-system.{name}");
        let mut objects = policies.objects().iter();
        objects.find(|object| object.key().name == name).unwrap().pointer("/spec").unwrap().clone()
    };
    for (name, ..) in [ISTIOD, CNI, ZTUNNEL] {
        assert_eq!(of(name)["selector"], format!("k8s-app == '{name}'"));
        assert_eq!(of(name)["tier"], "calico-system");
    }
    assert_eq!(of("istiod")["ingress"][0]["destination"]["ports"], json!([15012, 15017]));
    let service = json!({"name": "istiod", "namespace": "calico-system"});
    assert_eq!(of("ztunnel")["egress"][0]["destination"]["services"], service);
    assert_eq!(of("ztunnel").get("ingress"), None);
}

#[test]
fn what_only_a_variant_has_is_a_warning_without_one() {
    let warnings = |spec| validated(spec, None).unwrap().warnings.len();
    assert_eq!(
        (warnings(json!({"waypointLogging": "Enabled"})), warnings(json!({"waypointLogging": "Disabled"}))),
        (1, 0)
    );
    assert_eq!(warnings(json!({})), 0);
}
