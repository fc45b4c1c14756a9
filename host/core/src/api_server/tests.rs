use chimera_crds::api_server::ApiServer;
use serde_json::{Value, json};

use super::*;
use crate::component::Component;
use crate::installation;
use crate::installation::config::Owner;
use crate::object::Object;
use crate::render::api_server::components;
use crate::testing::Fixed;

fn inputs(installation: Value, edit: impl Fn(&mut InstallationInputs)) -> InstallationInputs {
    let installation = json!({"apiVersion": "operator.tigera.io/v1", "kind": "Installation",
        "metadata": {"name": "default"}, "spec": installation});
    let mut inputs = InstallationInputs::from_objects(vec![Object::from_value(installation).unwrap()]).unwrap();
    edit(&mut inputs);
    inputs
}

fn config(spec: Value, installation: Value, edit: impl Fn(&mut InstallationInputs)) -> ApiServerConfig {
    let (inputs, fixed) = (inputs(installation, edit), Fixed::default());
    let installation = installation::validate(&inputs, fixed.env()).unwrap();
    let resource: ApiServer = serde_json::from_value(json!({"apiVersion": "operator.tigera.io/v1",
        "kind": "APIServer", "metadata": {"name": "default"}, "spec": spec}))
    .unwrap();
    let owner = Owner { name: "default".into(), uid: None };
    validate((Resource { kind: "APIServer", owner }, resource.spec), &inputs, installation, fixed.env()).unwrap()
}

fn rendered(spec: Value, installation: Value, edit: impl Fn(&mut InstallationInputs)) -> Vec<Component> {
    components(&config(spec, installation, edit)).unwrap()
}

fn find(components: &[Component], kind: &str, name: &str) -> Option<Value> {
    let mut objects = components.iter().flat_map(Component::objects);
    let found = objects.find(|object| object.key().kind == kind && object.key().name == name);
    found.map(|object| object.clone().into_value())
}

fn deletes(components: &[Component], kind: &str, name: &str) -> bool {
    components.iter().flat_map(Component::deletions).any(|key| key.kind == kind && key.name == name)
}

fn in_v3(inputs: &mut InstallationInputs) {
    inputs.api_group = ApiGroup::V3;
}

#[test]
fn where_the_resources_are_their_own_api_there_are_webhooks_and_no_server() {
    let all = rendered(json!({}), json!({}), in_v3);
    assert!(find(&all, "Deployment", WEBHOOKS).is_some() && find(&all, "Deployment", API_SERVER).is_none());
    for (kind, name) in [("APIService", "v3.projectcalico.org"), ("Deployment", API_SERVER), ("Service", "calico-api")]
    {
        assert!(deletes(&all, kind, name), "{kind} {name}");
    }
    let all = rendered(json!({}), json!({}), |_| {});
    assert!(find(&all, "Deployment", API_SERVER).is_some() && find(&all, "Deployment", WEBHOOKS).is_none());
    assert!(deletes(&all, "ValidatingWebhookConfiguration", "api.projectcalico.org"));
}

#[test]
fn the_kubernetes_api_is_told_who_issued_the_certificate() {
    let config = config(json!({}), json!({}), |_| {});
    let all = components(&config).unwrap();
    let service = find(&all, "APIService", "v3.projectcalico.org").unwrap();
    let bundle: k8s_openapi::ByteString = serde_json::from_value(service["spec"]["caBundle"].clone()).unwrap();
    let authority = config.installation.certificates.ca.certificate_pem().unwrap();
    assert_eq!(String::from_utf8(bundle.0).unwrap().trim(), authority.trim());
}

#[test]
fn policies_are_rendered_only_where_the_cluster_takes_them() {
    let policy = |all: &[Component]| find(all, "NetworkPolicy", "calico-system.apiserver-access");
    assert!(policy(&rendered(json!({}), json!({}), |_| {})).is_none());
    assert!(policy(&rendered(json!({}), json!({}), |inputs| inputs.takes_policies = true)).is_some());
}

#[test]
fn on_eks_with_calico_networking_the_servers_are_on_the_host_network() {
    let pod =
        |all: &[Component], name: &str| find(all, "Deployment", name).unwrap()["spec"]["template"]["spec"].clone();
    let eks = json!({"kubernetesProvider": "EKS", "cni": {"type": "Calico"}});
    let on_host = pod(&rendered(json!({}), eks.clone(), |_| {}), API_SERVER);
    assert_eq!((&on_host["hostNetwork"], &on_host["dnsPolicy"]), (&json!(true), &json!("ClusterFirstWithHostNet")));
    let amazon = json!({"kubernetesProvider": "EKS", "cni": {"type": "AmazonVPC"}});
    assert_eq!(pod(&rendered(json!({}), amazon, |_| {}), API_SERVER)["hostNetwork"], Value::Null);
    let off = json!({"calicoWebhooksDeployment": {"spec": {"template": {"spec": {"hostNetwork": false}}}}});
    let webhooks = pod(&rendered(off, eks, in_v3), WEBHOOKS);
    assert_eq!((&webhooks["hostNetwork"], &webhooks["dnsPolicy"]), (&Value::Null, &Value::Null));
}

#[test]
fn pods_that_request_their_certificates_have_the_right_to() {
    let requested = json!({"certificateManagement": {"caCert": "", "signerName": "example.com/wool"}});
    let all = rendered(json!({}), with_authority(requested), |_| {});
    assert!(find(&all, "ClusterRoleBinding", "calico-apiserver:csr-creator").is_some());
    assert!(find(&all, "Secret", API_SERVER_SECRET).is_none());
    let deployment = find(&all, "Deployment", API_SERVER).unwrap();
    let init = &deployment["spec"]["template"]["spec"]["initContainers"][0];
    assert_eq!(init["name"], "calico-apiserver-certs-key-cert-provisioner");
    let names = init["env"].as_array().unwrap().iter().find(|env| env["name"] == "DNS_NAMES").unwrap();
    assert!(names["value"].as_str().unwrap().ends_with("calico-api.calico-system.svc.cluster.local"), "{names}");
    assert!(deletes(&rendered(json!({}), json!({}), |_| {}), "ClusterRoleBinding", "calico-apiserver:csr-creator"));
}

/// Any certificate does as the signer's.
fn with_authority(mut installation: Value) -> Value {
    let plain = config(json!({}), json!({}), |_| {});
    let text = plain.installation.certificates.ca.certificate_pem().unwrap().as_bytes().to_vec();
    installation["certificateManagement"]["caCert"] = serde_json::to_value(k8s_openapi::ByteString(text)).unwrap();
    installation
}

#[test]
fn logs_are_as_severe_as_asked_for() {
    let spec = json!({"logging": {"apiServer": {"logSeverity": "Trace"}}});
    let deployment = find(&rendered(spec, json!({}), |_| {}), "Deployment", API_SERVER).unwrap();
    let env = deployment["spec"]["template"]["spec"]["containers"][0]["env"].clone();
    assert!(env.as_array().unwrap().contains(&json!({"name": "LOG_LEVEL", "value": "trace"})), "{env}");
}

#[test]
fn openshift_has_its_own_dns_and_security_constraints() {
    let openshift = json!({"kubernetesProvider": "OpenShift"});
    let all = rendered(json!({}), openshift, |inputs| inputs.takes_policies = true);
    let policy = find(&all, "NetworkPolicy", "calico-system.apiserver-access").unwrap();
    let first = &policy["spec"]["egress"][0]["destination"];
    assert_eq!(first["namespaceSelector"], "kubernetes.io/metadata.name == 'openshift-dns'");
    assert_eq!(first["ports"], json!([5353]));
    let role = find(&all, "ClusterRole", "calico-crds").unwrap();
    assert!(role["rules"].to_string().contains("nonroot-v2"));
}

#[test]
fn a_container_that_is_not_there_cannot_be_overridden() {
    let spec = json!({"apiServerDeployment": {"spec": {"template": {"spec": {"containers": [
        {"name": "tigera-queryserver", "resources": {}}]}}}}});
    let error = components(&config(spec, json!({}), |_| {})).unwrap_err();
    let messages: Vec<_> = error.messages().iter().map(ToString::to_string).collect();
    assert!(messages[0].contains("spec.apiServerDeployment.spec.template.spec.containers[0].name"), "{messages:?}");
}

#[test]
fn an_api_service_of_others_is_left_alone() {
    let theirs = ApiServerConfig { is_answered_by_others: true, ..config(json!({}), json!({}), |_| {}) };
    let all = components(&theirs).unwrap();
    assert!(find(&all, "APIService", "v3.projectcalico.org").is_none());
    assert!(!deletes(&all, "APIService", "v3.projectcalico.org"));
}
