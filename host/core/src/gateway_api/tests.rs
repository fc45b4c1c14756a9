//! What comes of a GatewayAPI, its charts and what it refers to.

use serde_json::{Value, json};

use super::*;
use crate::charts::Chart;
use crate::component::{Component, Readiness};
use crate::installation::inputs::InstallationInputs;
use crate::object::Object;
use crate::render::gateway_api::components;
use crate::testing::Fixed;

fn object(value: Value) -> Object {
    Object::from_value(value).unwrap()
}

fn installation() -> InstallationConfig {
    let pull_secret = json!({"apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/dockerconfigjson",
        "metadata": {"name": "pull", "namespace": "tigera-operator"}, "data": {".dockerconfigjson": "e30="}});
    let installation = json!({"apiVersion": "operator.tigera.io/v1", "kind": "Installation",
        "metadata": {"name": "default"}, "spec": {"registry": "farm.example.com", "imagePath": "wool",
            "imagePullSecrets": [{"name": "pull"}]}});
    let inputs = InstallationInputs::from_objects(vec![object(installation), object(pull_secret)]).unwrap();
    crate::installation::validate(&inputs, Fixed::default().env()).unwrap()
}

fn bundle() -> Bundle {
    let workload = |kind: &str, api_version: &str, name: &str, container: &str| {
        object(
            json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": "tigera-gateway"},
            "spec": {"ttlSecondsAfterFinished": 30, "template": {"spec": {
                "containers": [{"name": container, "image": "upstream/gateway:v1", "readinessProbe": {}}]}}}}),
        )
    };
    let config = object(json!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": CONTROLLER_CONFIG, "namespace": "tigera-gateway"},
        "data": {CONTROLLER_CONFIG_KEY: "provider: {type: Kubernetes}\nlogging: {level: {default: info}}\n"}}));
    let objects = vec![
        workload("Deployment", "apps/v1", "envoy-gateway", "envoy-gateway"),
        workload("Job", "batch/v1", "certgen", "envoy-gateway-certgen"),
        config,
    ];
    Bundle::new(vec![Chart::default()], objects)
}

fn inputs(spec: Value) -> GatewayApiInputs {
    let resource = serde_json::from_value(json!({"apiVersion": "operator.tigera.io/v1", "kind": "GatewayAPI",
        "metadata": {"name": "default"}, "spec": spec}))
    .unwrap();
    let owner = Owner { name: "default".into(), uid: None };
    GatewayApiInputs { resource, owner, bundle: bundle(), serves: true, ..GatewayApiInputs::default() }
}

fn validated(inputs: GatewayApiInputs) -> Result<GatewayApiConfig, String> {
    validate(inputs, installation())
        .map_err(|messages| messages.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

fn rendered(config: &GatewayApiConfig) -> Vec<Component> {
    components(config, Vec::new(), &Readiness::Ready).unwrap()
}

fn find<'a>(components: &'a [Component], kind: &str, name: &str) -> &'a Object {
    let mut objects = components.iter().flat_map(Component::objects);
    objects.find(|object| object.key().kind == kind && object.key().name == name).unwrap()
}

#[test]
fn images_and_pull_secrets_come_from_the_installation_whatever_the_charts_say() {
    let all = rendered(&validated(inputs(json!({}))).unwrap());
    let version = installation().images.version().to_owned();
    for (kind, name) in [("Deployment", "envoy-gateway"), ("Job", "certgen")] {
        let pod = find(&all, kind, name).pointer("/spec/template/spec").unwrap();
        assert_eq!(pod["containers"][0]["image"], format!("farm.example.com/wool/envoy-gateway:{version}"));
        assert_eq!(pod["imagePullSecrets"], json!([{"name": "pull"}]));
    }
    assert_eq!(find(&all, "Job", "certgen").pointer("/spec/ttlSecondsAfterFinished"), None);
    assert_eq!(find(&all, "Secret", "pull").key().namespace.as_deref(), Some(TIGERA_GATEWAY));
    let text = find(&all, "ConfigMap", CONTROLLER_CONFIG).pointer("/data/envoy-gateway.yaml").unwrap();
    let config: Value = serde_saphyr::from_str(text.as_str().unwrap()).unwrap();
    let kubernetes = &config["provider"]["kubernetes"];
    let image = |name: &str| format!("farm.example.com/wool/{name}:{version}");
    assert_eq!(kubernetes["rateLimitDeployment"]["container"]["image"], image("envoy-ratelimit"));
    assert_eq!(kubernetes["rateLimitDeployment"]["pod"]["imagePullSecrets"], json!([{"name": "pull"}]));
    assert_eq!(kubernetes["shutdownManager"]["image"], image("envoy-gateway"));
    assert_eq!(config["extensionApis"]["enableBackend"], true);
    assert_eq!(config["logging"]["level"]["default"], "info", "what the chart says stays");
}

#[test]
fn without_classes_there_is_one_and_it_names_the_controller_and_its_proxy() {
    let all = rendered(&validated(inputs(json!({}))).unwrap());
    let class = find(&all, "GatewayClass", DEFAULT_CLASS).pointer("/spec").unwrap();
    assert_eq!(class["controllerName"], "gateway.envoyproxy.io/gatewayclass-controller");
    assert_eq!(class["parametersRef"]["namespace"], TIGERA_GATEWAY);
    let proxy = find(&all, "EnvoyProxy", DEFAULT_CLASS).pointer("/spec/provider").unwrap();
    assert_eq!(proxy["type"], "Kubernetes");
    let image = proxy["kubernetes"]["envoyDeployment"]["container"]["image"].as_str().unwrap();
    assert!(image.starts_with("farm.example.com/wool/envoy-proxy:"), "{image}");
    assert!(validated(inputs(json!({"gatewayClasses": []}))).unwrap().classes.is_empty(), "none is none");
}

#[test]
fn a_class_carries_the_users_changes_to_its_gateways_and_their_services() {
    let timing = json!({"periodSeconds": 7});
    let pod = json!({"metadata": {"labels": {"team": "net"}}, "spec": {"nodeSelector": {"pool": "edge"}, "containers": [
        {"name": "envoy", "resources": {"limits": {"cpu": "2"}}, "readinessProbe": timing}]}});
    let class = json!({"name": "edge",
        "gatewayDeployment": {"spec": {"replicas": 3, "template": pod, "strategy": {"rollingUpdate": {"maxSurge": 2}}}},
        "gatewayService": {"metadata": {"annotations": {"lb": "inner"}}, "spec": {"loadBalancerClass": "own",
            "patch": {"type": "JSONMerge", "value": {"spec": {"healthCheckNodePort": 32000}}}}}});
    let all = rendered(&validated(inputs(json!({"gatewayClasses": [class]}))).unwrap());
    let kubernetes = find(&all, "EnvoyProxy", "edge").pointer("/spec/provider/kubernetes").unwrap().clone();
    let deployment = &kubernetes["envoyDeployment"];
    assert_eq!((&deployment["replicas"], &deployment["pod"]["nodeSelector"]), (&json!(3), &json!({"pool": "edge"})));
    assert_eq!(deployment["pod"]["labels"], json!({"team": "net"}));
    assert_eq!(deployment["container"]["resources"], json!({"limits": {"cpu": "2"}}));
    assert_eq!(deployment["strategy"], json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 2}}));
    let probe = json!([{"name": "envoy", "readinessProbe": timing}]);
    assert_eq!(deployment["patch"]["value"]["spec"]["template"]["spec"]["containers"], probe);
    let service = &kubernetes["envoyService"];
    assert_eq!((&service["annotations"], &service["loadBalancerClass"]), (&json!({"lb": "inner"}), &json!("own")));
    assert_eq!(service["patch"]["type"], "JSONMerge");
}

#[test]
fn an_envoy_proxy_of_the_users_is_what_a_class_starts_from() {
    let reference = json!({"namespace": "edge", "name": "mine"});
    let mut inputs = inputs(json!({"gatewayClasses": [{"name": "edge", "envoyProxyRef": reference}]}));
    let proxy = json!({"spec": {"logging": {"level": {"default": "debug"}}, "provider": {"type": "Kubernetes",
        "kubernetes": {"envoyDaemonSet": {"pod": {"labels": {"own": "1"}}}}}}});
    inputs.proxies.insert(("edge".into(), "mine".into()), proxy);
    let all = rendered(&validated(inputs).unwrap());
    let spec = find(&all, "EnvoyProxy", "edge").pointer("/spec").unwrap().clone();
    assert_eq!(spec["logging"]["level"]["default"], "debug");
    let kubernetes = &spec["provider"]["kubernetes"];
    assert!(kubernetes["envoyDaemonSet"]["container"]["image"].is_string(), "{kubernetes}");
    assert_eq!(kubernetes["envoyDaemonSet"]["pod"]["labels"], json!({"own": "1"}));
    assert_eq!(kubernetes.get("envoyDeployment"), None);
}

#[test]
fn what_cannot_be_served_is_refused_with_its_field() {
    let proxy = |kubernetes: Value| json!({"spec": {"provider": {"type": "Kubernetes", "kubernetes": kubernetes}}});
    let reference = json!({"namespace": "edge", "name": "mine"});
    let daemon_set = json!({"spec": {"template": {}}});
    let class = |mut class: Value| {
        class["name"] = "edge".into();
        json!({"gatewayClasses": [class]})
    };
    let probed = json!({"spec": {"template": {"spec": {"containers": [{"name": "envoy", "livenessProbe": {"periodSeconds": 1}}]}}}});
    let first = "spec.gatewayClasses[0]";
    let table = [
        (json!({"gatewayClasses": [{"name": "Edge"}]}), None, format!("{first}.name: ")),
        (json!({"gatewayClasses": [{"name": "a"}, {"name": "a"}]}), None, "spec.gatewayClasses[1].name: ".into()),
        (class(json!({"envoyProxyRef": reference})), None, format!("{first}.envoyProxyRef: there is no EnvoyProxy")),
        (
            class(json!({"envoyProxyRef": {"namespace": "tigera-gateway", "name": "edge"}})),
            None,
            format!("{first}.envoyProxyRef: "),
        ),
        (
            class(json!({"envoyProxyRef": reference, "gatewayKind": "Deployment"})),
            Some(proxy(json!({"envoyDaemonSet": {}}))),
            format!("{first}.gatewayKind: "),
        ),
        (
            class(json!({"envoyProxyRef": reference})),
            Some(json!({"spec": {"provider": {"type": "Host"}}})),
            format!("{first}.envoyProxyRef: "),
        ),
        (class(json!({"gatewayDaemonSet": daemon_set})), None, format!("{first}.gatewayDaemonSet: ")),
        (
            class(json!({"envoyProxyRef": reference, "gatewayDeployment": probed})),
            Some(proxy(json!({"envoyDeployment": {"patch": {"value": {}}}}))),
            format!("{first}.gatewayDeployment.spec.template.spec.containers[0]: "),
        ),
        (
            json!({"envoyGatewayConfigRef": {"namespace": "edge", "name": "config"}}),
            None,
            "spec.envoyGatewayConfigRef: there is no ConfigMap edge/config".into(),
        ),
    ];
    for (spec, proxy, message) in table {
        let mut inputs = inputs(spec.clone());
        inputs.proxies.extend(proxy.map(|proxy| (("edge".into(), "mine".into()), proxy)));
        let error = validated(inputs).unwrap_err();
        assert!(error.contains(&format!("GatewayAPI default {message}")), "{spec}: {error}");
    }
}

#[test]
fn the_users_configuration_of_the_controller_is_kept_and_has_to_be_one() {
    let of = |text: &str| {
        let mut inputs = inputs(json!({"envoyGatewayConfigRef": {"namespace": "edge", "name": "config"}}));
        inputs.config_map = Some([(CONTROLLER_CONFIG_KEY.to_owned(), text.to_owned())].into());
        validated(inputs)
    };
    let config =
        of("kind: EnvoyGateway\ngateway: {controllerName: example.com/own}\nadmin: {enableDumpConfig: true}").unwrap();
    assert_eq!(
        (config.controller_name.as_str(), &config.controller["admin"]["enableDumpConfig"]),
        ("example.com/own", &json!(true))
    );
    for wrong in ["kind: Sheep", "- a list", "gateway: wool"] {
        assert!(of(wrong).unwrap_err().contains("is no EnvoyGateway"), "{wrong}");
    }
}

#[test]
fn classes_that_are_no_longer_named_go() {
    let mut inputs = inputs(json!({"gatewayClasses": [{"name": "edge"}]}));
    inputs.made = vec!["edge".into(), "former".into()];
    let all = rendered(&validated(inputs).unwrap());
    let class = ObjectKey::cluster(GATEWAY, "GatewayClass", "former");
    let proxy = ObjectKey::namespaced(ENVOY, "EnvoyProxy", TIGERA_GATEWAY, "former");
    assert_eq!(all.last().unwrap().deletions(), [class, proxy]);
}

#[test]
fn definitions_that_other_programs_share_are_left_alone_unless_asked_for() {
    let spec = |management| GatewayApiSpec { crd_management: management, ..GatewayApiSpec::default() };
    let (shared, own) = ("gateways.gateway.networking.k8s.io", "envoyproxies.gateway.envoyproxy.io");
    for (management, name, is_there, want) in [
        (None, shared, true, false),
        (None, shared, false, true),
        (Some(CrdManagement::PreferExisting), shared, true, false),
        (Some(CrdManagement::Reconcile), shared, true, true),
        (None, own, true, true),
    ] {
        assert_eq!(takes_definition(&spec(management), name, is_there), want, "{management:?} {name} {is_there}");
    }
}

#[test]
fn classes_wait_until_their_kinds_are_served() {
    let config = validated(GatewayApiInputs { serves: false, ..inputs(json!({})) }).unwrap();
    let waits: Vec<_> = rendered(&config).iter().map(|component| *component.readiness() != Readiness::Ready).collect();
    assert_eq!(waits, [false, false, true]);
}

#[test]
fn a_container_of_which_no_image_is_known_is_named() {
    let mut inputs = inputs(json!({}));
    let stranger = object(json!({"apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "stranger", "namespace": "tigera-gateway"},
        "spec": {"template": {"spec": {"containers": [{"name": "fox", "image": "fox:1"}]}}}}));
    inputs.bundle.objects.push(stranger);
    let config = validated(inputs).unwrap();
    let messages = components(&config, Vec::new(), &Readiness::Ready).unwrap_err().messages();
    assert!(messages[0].to_string().starts_with("Deployment tigera-gateway/stranger: "), "{messages:?}");
}

#[test]
fn changes_to_the_controller_and_to_its_job_are_laid_over_them() {
    let config = validated(inputs(json!({
        "gatewayControllerDeployment": {"spec": {"replicas": 2}},
        "gatewayCertgenJob": {"metadata": {"labels": {"team": "net"}}}})))
    .unwrap();
    let set: Vec<_> = rendered(&config)
        .into_iter()
        .map(|component| {
            let point = crate::extensions::Point::GatewayApi(&config);
            crate::extend::extend(component, point, &crate::extensions::NoExtensions).unwrap().0
        })
        .collect();
    let find = |kind: &str| {
        let mut objects = set.iter().flat_map(Component::objects);
        objects.find(|object| object.key().kind == kind).unwrap().clone()
    };
    assert_eq!(find("Deployment").pointer("/spec/replicas"), Some(&json!(2)));
    assert_eq!(find("Job").pointer("/metadata/labels/team"), Some(&json!("net")));
}

#[test]
fn what_only_a_variant_has_is_a_warning_without_one() {
    let config = validated(inputs(json!({"extensions": {"waf": {"state": "Enabled"}}}))).unwrap();
    let warnings: Vec<_> = config.warnings.iter().map(ToString::to_string).collect();
    assert!(warnings[0].starts_with("GatewayAPI default spec.extensions.waf.state: "), "{warnings:?}");
    assert!(validated(inputs(json!({"extensions": {"waf": {"state": "Disabled"}}}))).unwrap().warnings.is_empty());
}
