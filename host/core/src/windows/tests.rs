//! What Windows nodes need beside the Installation.

use serde_json::json;

use super::*;
use crate::testing::Fixed;

fn inputs(state: Value) -> InstallationInputs {
    let installation = json!({"apiVersion": "operator.tigera.io/v1", "kind": "Installation",
        "metadata": {"name": "default"}, "spec": {"serviceCIDRs": ["10.96.0.0/16"], "calicoNetwork": {
            "windowsDataplane": "HNS", "bgp": "Disabled", "ipPools": [{"cidr": "192.168.0.0/16", "encapsulation": "VXLAN"}]}}});
    let endpoint = json!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "kubernetes-services-endpoint", "namespace": "tigera-operator"},
        "data": {"KUBERNETES_SERVICE_HOST": "10.0.0.10", "KUBERNETES_SERVICE_PORT": "6443"}});
    let state = state.as_array().unwrap().clone();
    let objects = [installation, endpoint].into_iter().chain(state);
    InstallationInputs::from_objects(objects.map(|object| Object::from_value(object).unwrap()).collect()).unwrap()
}

fn dns(namespace: &str, name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": namespace},
        "spec": {"clusterIP": "10.96.0.10"}})
}

fn ipam(strict: bool) -> Value {
    json!({"apiVersion": "crd.projectcalico.org/v1", "kind": "IPAMConfig", "metadata": {"name": "default"},
        "spec": {"strictAffinity": strict, "autoAllocateBlocks": true}})
}

fn run(inputs: &InstallationInputs) -> Result<WindowsConfig, Vec<String>> {
    let config = crate::installation::validate(inputs, Fixed::default().env()).unwrap();
    assert!(is_wanted(&config.spec));
    validate(inputs, config).map_err(|messages| messages.iter().map(ToString::to_string).collect())
}

#[test]
fn addresses_of_the_dns_and_the_network_identifier_come_from_the_cluster() {
    let felix = json!({"apiVersion": "crd.projectcalico.org/v1", "kind": "FelixConfiguration",
        "metadata": {"name": "default"}, "spec": {"vxlanVNI": 7000}});
    let config = run(&inputs(json!([dns("kube-system", "kube-dns"), ipam(true), felix]))).unwrap();
    assert_eq!((config.dns_servers.as_slice(), config.vxlan_vni), (["10.96.0.10".to_owned()].as_slice(), 7000));
    let config = run(&inputs(json!([dns("kube-system", "kube-dns"), ipam(true)]))).unwrap();
    assert_eq!(config.vxlan_vni, 4096);
}

#[test]
fn each_platform_has_its_own_dns() {
    let mut inputs = inputs(json!([dns("kube-system", "rke2-coredns-rke2-coredns"), ipam(true)]));
    assert!(run(&inputs).unwrap_err()[0].starts_with("Service kube-system/kube-dns: the cluster's DNS has no"));
    inputs.installation.spec.kubernetes_provider = Some(chimera_crds::installation::Provider::Rke2);
    assert!(run(&inputs).is_ok());
}

#[test]
fn without_strict_affinity_windows_nodes_are_refused_and_everything_wrong_is_told_at_once() {
    let messages = run(&inputs(json!([ipam(false)]))).unwrap_err();
    assert!(messages[0].starts_with("Service kube-system/kube-dns:"), "{messages:?}");
    assert!(messages[1].starts_with("IPAMConfig default spec.strictAffinity: it is false."), "{messages:?}");
    let messages = run(&inputs(json!([dns("kube-system", "kube-dns")]))).unwrap_err();
    assert!(messages[0].starts_with("IPAMConfiguration default spec.strictAffinity: it is not set."), "{messages:?}");
}

#[test]
fn addresses_of_nodes_themselves_need_no_strict_affinity() {
    let mut inputs = inputs(json!([dns("kube-system", "kube-dns")]));
    inputs.installation.spec.cni =
        serde_json::from_value(json!({"type": "Calico", "ipam": {"type": "HostLocal"}})).unwrap();
    let pools = json!([{"cidr": "192.168.0.0/16", "encapsulation": "None"}]);
    let network = inputs.installation.spec.calico_network.as_mut().unwrap();
    network.ip_pools = serde_json::from_value(pools).unwrap();
    network.bgp = Some(chimera_crds::installation::Toggle::Enabled);
    assert!(run(&inputs).is_ok());
}

#[test]
fn a_drive_is_taken_off_a_path() {
    assert_eq!(["c:/k/bin", "C:/k/bin", "/k/bin", "k"].map(without_drive), ["/k/bin", "/k/bin", "/k/bin", "k"]);
}
