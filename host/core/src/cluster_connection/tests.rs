//! The connection: what is taken, what is refused, and what comes of it.

use serde_json::json;

use super::*;
use crate::component::Readiness;
use crate::object::Object;
use crate::render::guardian;
use crate::testing::Fixed;

fn inputs(spec: Value) -> InstallationInputs {
    let installation = json!({"apiVersion": "operator.tigera.io/v1", "kind": "Installation",
        "metadata": {"name": "default"}, "spec": spec});
    let mut inputs = InstallationInputs::from_objects(vec![Object::from_value(installation).unwrap()]).unwrap();
    let tunnel = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": TUNNEL_SECRET},
        "data": {"managed-cluster.crt": "d29vbA=="}});
    let tunnel: k8s_openapi::api::core::v1::Secret = serde_json::from_value(tunnel).unwrap();
    inputs.takes_policies = true;
    inputs.secrets.insert(TUNNEL_SECRET.into(), tunnel.into());
    inputs
}

fn run(inputs: &InstallationInputs, spec: Value) -> Result<ClusterConnectionConfig, Vec<String>> {
    let fixed = Fixed::default();
    let installation = crate::installation::validate(inputs, fixed.env()).unwrap();
    let connection = json!({"apiVersion": "operator.tigera.io/v1", "kind": KIND,
        "metadata": {"name": "meadow"}, "spec": spec});
    let connection = serde_json::from_value(connection).unwrap();
    let owner = Owner { name: "meadow".into(), uid: None };
    validate(&connection, owner, inputs, installation, fixed.env()).map_err(|messages| {
        assert!(messages.iter().all(Message::is_complete), "{messages:?}");
        messages.iter().map(ToString::to_string).collect()
    })
}

fn config(installation: Value, spec: Value) -> ClusterConnectionConfig {
    run(&inputs(installation), spec).unwrap()
}

fn object(config: &ClusterConnectionConfig, kind: &str, name: &str) -> Value {
    let components = guardian::components(config, &Readiness::Ready).unwrap();
    let mut objects = components.iter().flat_map(|component| component.objects());
    let found = objects.find(|object| object.key().kind == kind && object.key().name == name).cloned();
    found.unwrap_or_else(|| panic!("no {kind} {name}")).into_value()
}

fn variable(config: &ClusterConnectionConfig, name: &str) -> Option<String> {
    let deployment = object(config, "Deployment", "guardian");
    let env = deployment["spec"]["template"]["spec"]["containers"][0]["env"].as_array().unwrap().clone();
    env.iter().find(|variable| variable["name"] == name).map(|variable| variable["value"].as_str().unwrap().to_owned())
}

#[test]
fn an_address_without_a_host_or_a_port_is_refused() {
    for (text, wrong) in [
        ("", "it is not set"),
        ("meadow", "it has no port"),
        ("meadow:", "it has no port"),
        ("meadow:0", "it has no port"),
        ("meadow:65536", "it has no port"),
        (":9449", "it has no host"),
        ("https://meadow:9449", "it has no host"),
        ("2001:db8::1:9449", "it has no host"),
        ("[sheep]:9449", "it has no host"),
    ] {
        let errors = run(&inputs(json!({})), json!({"managementClusterAddr": text})).unwrap_err();
        let field = "ManagementClusterConnection meadow spec.managementClusterAddr: ";
        assert!(errors[0].starts_with(&format!("{field}{wrong}")), "{text:?}: {errors:?}");
        assert_eq!(errors.len(), 1, "{text:?}: {errors:?}");
    }
    for text in ["meadow:1", "hill.example.com:9449", "10.128.0.10:30449", "[2001:db8::1]:9449"] {
        let config = config(json!({}), json!({"managementClusterAddr": text}));
        assert_eq!(variable(&config, "GUARDIAN_VOLTRON_URL").as_deref(), Some(text));
    }
}

#[test]
fn everything_that_is_missing_is_told_at_once() {
    let mut inputs = inputs(json!({}));
    inputs.secrets.remove(TUNNEL_SECRET);
    let errors = run(&inputs, json!({})).unwrap_err();
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(errors[1].contains("there is no Secret tigera-operator/tigera-managed-cluster-connection"), "{errors:?}");
}

#[test]
fn impersonation_which_nobody_does_here_is_a_warning() {
    let spec = |impersonation: Value| json!({"managementClusterAddr": "meadow:9449", "impersonation": impersonation});
    assert!(config(json!({}), json!({"managementClusterAddr": "meadow:9449"})).warnings.is_empty());
    let warned = config(json!({}), spec(json!({"users": []})));
    assert!(warned.warnings[0].to_string().starts_with("ManagementClusterConnection meadow spec.impersonation: "));
    let role = object(&warned, "ClusterRole", "calico-guardian").to_string();
    assert!(!role.contains("impersonate"), "{role}");
}

#[test]
fn who_checks_the_certificate_is_the_tunnels_own_authority_unless_the_user_says_otherwise() {
    let address = "meadow:9449";
    let config = |spec| config(json!({}), spec);
    let default = config(json!({"managementClusterAddr": address}));
    assert_eq!(variable(&default, "GUARDIAN_VOLTRON_CA_TYPE").as_deref(), Some("Tigera"));
    assert_eq!(default.effective()["spec"]["tls"]["ca"], "Tigera");
    let public = config(json!({"managementClusterAddr": address, "tls": {"ca": "Public"}}));
    assert_eq!(variable(&public, "GUARDIAN_VOLTRON_CA_TYPE").as_deref(), Some("Public"));
}

#[test]
fn the_policy_lets_the_tunnel_out_whichever_way_it_goes() {
    let tunnel = |installation: Value, address: &str| {
        let config = config(installation, json!({"managementClusterAddr": address}));
        let policy = object(&config, "NetworkPolicy", "calico-system.guardian-access");
        policy["spec"]["egress"].as_array().unwrap().last().unwrap()["destination"].clone()
    };
    assert_eq!(tunnel(json!({}), "10.0.0.1:9449"), json!({"nets": ["10.0.0.1/32"], "ports": [9449]}));
    assert_eq!(tunnel(json!({}), "[2001:db8::1]:9449"), json!({"nets": ["2001:db8::1/128"], "ports": [9449]}));
    assert_eq!(tunnel(json!({}), "meadow:9449"), json!({"ports": [9449]}));
    let proxied = |url: &str| tunnel(json!({"proxy": {"httpsProxy": url}}), "10.0.0.1:9449");
    assert_eq!(proxied("http://dog:bone@192.0.2.1:3128/"), json!({"nets": ["192.0.2.1/32"], "ports": [3128]}));
    assert_eq!(proxied("http://proxy.example.com:3128"), json!({"ports": [3128]}));
    assert_eq!(proxied("http://proxy.example.com"), json!({}));
}

#[test]
fn the_pod_gets_the_proxy_the_users_credentials_and_the_placement_of_the_control_plane() {
    let installation = json!({"controlPlaneNodeSelector": {"rack": "1"}, "registry": "sheep.example.com/",
        "proxy": {"httpsProxy": "http://proxy.example.com:3128", "noProxy": ".svc"}});
    let config = config(installation, json!({"managementClusterAddr": "meadow:9449"}));
    for name in ["HTTPS_PROXY", "https_proxy"] {
        assert_eq!(variable(&config, name).as_deref(), Some("http://proxy.example.com:3128"));
    }
    assert_eq!(variable(&config, "NO_PROXY").as_deref(), Some(".svc"));
    assert_eq!(variable(&config, "HTTP_PROXY"), None);
    let deployment = object(&config, "Deployment", "guardian");
    let pod = &deployment["spec"]["template"];
    assert_eq!(pod["spec"]["nodeSelector"]["rack"], "1");
    assert!(pod["spec"]["containers"][0]["image"].as_str().unwrap().starts_with("sheep.example.com/calico/calico:"));
    let hash = "hash.operator.tigera.io/tigera-managed-cluster-connection";
    assert_eq!(pod["metadata"]["annotations"][hash].as_str().unwrap().len(), 40);
    let copy = object(&config, "Secret", TUNNEL_SECRET);
    assert_eq!(
        (&copy["metadata"]["namespace"], &copy["data"]["managed-cluster.crt"]),
        (&json!("calico-system"), &json!("d29vbA=="))
    );
}

#[test]
fn the_pair_is_for_the_service_and_the_pod_itself() {
    let config = config(json!({}), json!({"managementClusterAddr": "meadow:9449"}));
    let secret = object(&config, "Secret", GUARDIAN_KEY_PAIR);
    let annotations = &secret["metadata"]["annotations"];
    assert_eq!(
        annotations["certificates.operator.tigera.io/dns-names"],
        "guardian,guardian.calico-system,guardian.calico-system.svc,guardian.calico-system.svc.cluster.local,localhost,\
         127.0.0.1"
    );
    assert_eq!(annotations["certificates.operator.tigera.io/ip-sans"], "127.0.0.1");
}

#[test]
fn the_container_is_overridden_under_the_name_that_it_has_always_had() {
    let overrides = json!({"spec": {"template": {"spec": {"containers": [
        {"name": "tigera-guardian", "resources": {"limits": {"cpu": "1"}}}]}}}});
    let config = config(json!({}), json!({"managementClusterAddr": "meadow:9449", "guardianDeployment": overrides}));
    assert_eq!(config.overrides().len(), 1);
    guardian::components(&config, &Readiness::Ready).unwrap();
}
