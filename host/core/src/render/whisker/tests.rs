//! What follows from single fields.

use chimera_crds::parse;
use chimera_crds::projectcalico::ClusterInformationSpec;
use serde_json::{Value, json};

use super::*;
use crate::installation::InstallationInputs;
use crate::object::Object;
use crate::testing::Fixed;

fn config(installation: Value, cluster: Option<ClusterInformationSpec>) -> WhiskerConfig {
    let installation = json!({"apiVersion": "operator.tigera.io/v1", "kind": "Installation",
        "metadata": {"name": "default"}, "spec": installation});
    let whisker = json!({"apiVersion": "operator.tigera.io/v1", "kind": "Whisker", "metadata": {"name": "default"}});
    let (fixed, objects) = (Fixed::default(), vec![Object::from_value(installation).unwrap()]);
    let inputs = InstallationInputs::from_objects(objects).unwrap();
    let installation = crate::installation::validate(&inputs, fixed.env()).unwrap();
    crate::whisker::validate(&parse::resource(whisker).unwrap(), installation, &inputs, cluster, fixed.env()).unwrap()
}

fn of<'a>(component: &'a Component, kind: &str, name: &str) -> &'a Object {
    component.objects().iter().find(|object| object.key().kind == kind && object.key().name == name).unwrap()
}

fn nginx(installation: Value) -> String {
    let component = component(&config(installation, None)).unwrap();
    let map = of(&component, "ConfigMap", "whisker-nginx-config");
    map.pointer("/data/default.conf").unwrap().as_str().unwrap().to_owned()
}

#[test]
fn the_console_tells_what_the_clusters_calico_says_of_itself() {
    let text = |text: &str| Some(text.to_owned());
    let cluster = ClusterInformationSpec {
        cluster_guid: text("1234"),
        calico_version: text("v9.9"),
        cluster_type: text(""),
        ..ClusterInformationSpec::default()
    };
    let component = component(&config(json!({}), Some(cluster))).unwrap();
    let env = of(&component, "Deployment", WHISKER).pointer("/spec/template/spec/containers/0/env").unwrap();
    assert_eq!(
        *env,
        json!([{"name": "LOG_LEVEL", "value": "INFO"}, {"name": "CALICO_VERSION", "value": "v9.9"},
            {"name": "CLUSTER_ID", "value": "1234"}, {"name": "CLUSTER_TYPE"},
            {"name": "NOTIFICATIONS", "value": "Enabled"}])
    );
}

#[test]
fn the_web_server_listens_on_ipv6_only_where_pods_have_it() {
    let pool = |cidr: &str| json!({"calicoNetwork": {"ipPools": [{"cidr": cidr}]}});
    assert!(!nginx(pool("10.0.0.0/16")).contains("[::]"));
    assert!(nginx(pool("fd00::/48")).contains("listen [::]:8443 ssl ipv6only=on;"));
}

#[test]
fn the_web_server_speaks_tls_on_both_sides_and_no_older_one_than_is_asked_for() {
    let text = nginx(json!({}));
    assert!(text.contains("ssl_certificate /whisker-key-pair/tls.crt;"), "{text}");
    assert!(text.contains("proxy_pass https://127.0.0.1:3002/;") && !text.contains("http://"), "{text}");
    assert!(text.contains("ssl_protocols TLSv1.2 TLSv1.3;"), "{text}");
    assert!(nginx(json!({"tlsMinVersion": "1.3"})).contains("ssl_protocols TLSv1.3;"));
    assert_eq!(text.matches('{').count(), text.matches('}').count(), "{text}");
}

#[test]
fn on_openshift_its_pod_may_run_as_its_user() {
    let on_openshift = component(&config(json!({"kubernetesProvider": "OpenShift"}), None)).unwrap();
    assert!(
        of(&on_openshift, "Role", WHISKER).pointer("/rules/0/resourceNames").unwrap().to_string().contains("nonroot")
    );
    let elsewhere = component(&config(json!({}), None)).unwrap();
    assert!(elsewhere.deletions().iter().any(|key| key.kind == "Role" && key.name == WHISKER));
}

#[test]
fn it_may_talk_to_goldmane_and_nobody_may_talk_to_it() {
    let policy = policy(&config(json!({}), None)).unwrap();
    let spec = policy.objects()[0].pointer("/spec").unwrap();
    assert!(spec.get("ingress").is_none());
    assert_eq!(spec["egress"][0]["destination"], json!({"ports": [7443], "selector": "k8s-app == 'goldmane'"}));
}
