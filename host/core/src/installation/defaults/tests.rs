//! What the operator chooses.

use std::collections::BTreeMap;

use chimera_crds::parse;
use serde_json::{Value, json};

use super::*;
use crate::installation::inputs::NodeFacts;
use crate::object::Object;

fn inputs(spec: Value) -> InstallationInputs {
    let installation = json!({"apiVersion": "operator.tigera.io/v1", "kind": "Installation",
        "metadata": {"name": "default"}, "spec": spec});
    InstallationInputs::new(parse::resource(installation).unwrap())
}

fn chosen(inputs: &InstallationInputs) -> Value {
    serde_json::to_value(effective(inputs)).unwrap()
}

fn defaults(inputs: &InstallationInputs) -> Value {
    let stated = serde_json::to_value(&inputs.installation.spec).unwrap();
    difference(Some(&stated), &chosen(inputs)).unwrap_or_default()
}

fn with_nodes(count: usize, labels: &[(&str, &str)]) -> InstallationInputs {
    let labels: BTreeMap<_, _> = labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let mut inputs = inputs(json!({}));
    inputs.nodes = (0..count).map(|at| NodeFacts { name: format!("cow-{at}"), labels: labels.clone() }).collect();
    inputs
}

#[test]
fn an_empty_spec_gets_every_field_that_a_plain_cluster_needs() {
    let want = json!({
        "calicoLibHostPath": "/var/lib/calico",
        "calicoNetwork": {
            "bgp": "Enabled", "hostPorts": "Enabled",
            "ipPools": [{"allowedUses": ["Workload", "Tunnel"], "assignmentMode": "Automatic", "blockSize": 26,
                "cidr": "192.168.0.0/16", "disableBGPExport": false, "disableNewAllocations": false,
                "encapsulation": "IPIP", "name": "default-ipv4-ippool", "natOutgoing": "Enabled", "nodeSelector": "all()"}],
            "linuxDataplane": "Iptables", "linuxPolicySetupTimeoutSeconds": 0, "multiInterfaceMode": "None",
            "nodeAddressAutodetectionV4": {"firstFound": true}, "windowsDataplane": "Disabled"},
        "calicoRunHostPath": "/var/run/calico",
        "cni": {"binDir": "/opt/cni/bin", "confDir": "/etc/cni/net.d", "installMode": "All", "ipam": {"type": "Calico"},
            "specVersion": "Auto", "type": "Calico"},
        "controlPlaneReplicas": 2,
        "flexVolumePath": "/usr/libexec/kubernetes/kubelet-plugins/volume/exec/",
        "kubeletVolumePluginPath": "/var/lib/kubelet",
        "logging": {"cni": {"logFileMaxAgeDays": 30, "logFileMaxCount": 10, "logFileMaxSize": "100Mi", "logSeverity": "Info"}},
        "nodeUpdateStrategy": {"rollingUpdate": {"maxUnavailable": 1}, "type": "RollingUpdate"},
        "variant": "Calico",
    });
    let inputs = inputs(json!({}));
    assert_eq!(chosen(&inputs), want);
    assert_eq!(defaults(&inputs), want, "all of it is the operator's choice");
}

#[test]
fn platforms_differ_as_clusters_of_the_past_do() {
    let cases = [
        (
            json!({"kubernetesProvider": "GKE"}),
            "/cni",
            json!({"type": "GKE", "ipam": {"type": "HostLocal"},
            "binDir": "/home/kubernetes/bin", "confDir": "/etc/cni/net.d", "installMode": "All"}),
        ),
        (json!({"kubernetesProvider": "GKE"}), "/flexVolumePath", json!("/home/kubernetes/flexvolume/")),
        (json!({"kubernetesProvider": "GKE"}), "/calicoNetwork/bgp", json!("Disabled")),
        (json!({"kubernetesProvider": "GKE"}), "/calicoNetwork/ipPools", json!([])),
        (json!({"kubernetesProvider": "AKS"}), "/cni/ipam/type", json!("AzureVNET")),
        (json!({"kubernetesProvider": "AKS"}), "/azure/policyMode", json!("Default")),
        (json!({"kubernetesProvider": "AKS"}), "/flexVolumePath", json!("/etc/kubernetes/volumeplugins/")),
        (json!({"kubernetesProvider": "EKS"}), "/cni/type", json!("AmazonVPC")),
        (
            json!({"kubernetesProvider": "EKS", "cni": {"type": "Calico"}}),
            "/calicoNetwork/ipPools/0/cidr",
            json!("172.16.0.0/16"),
        ),
        (
            json!({"kubernetesProvider": "EKS", "cni": {"type": "Calico"}}),
            "/calicoNetwork/nodeAddressAutodetectionV4",
            json!({"canReach": "8.8.8.8"}),
        ),
        (json!({"kubernetesProvider": "OpenShift"}), "/cni/confDir", json!("/var/run/multus/cni/net.d")),
        (
            json!({"kubernetesProvider": "OpenShift"}),
            "/flexVolumePath",
            json!("/etc/kubernetes/kubelet-plugins/volume/exec/"),
        ),
        (json!({"kubernetesProvider": "RKE2"}), "/flexVolumePath", json!("/var/lib/kubelet/volumeplugins/")),
        (
            json!({"kubernetesProvider": "DockerEnterprise"}),
            "/calicoNetwork/nodeAddressAutodetectionV4",
            json!({"skipInterface": "^br-.*"}),
        ),
        (json!({"calicoNetwork": {"bgp": "Disabled"}}), "/calicoNetwork/ipPools/0/encapsulation", json!("VXLAN")),
        (
            json!({"calicoNetwork": {"windowsDataplane": "HNS"}}),
            "/windowsNodes",
            json!({"cniBinDir": "/opt/cni/bin",
            "cniConfigDir": "/etc/cni/net.d", "cniLogDir": "/var/log/calico/cni"}),
        ),
    ];
    for (spec, pointer, want) in cases {
        assert_eq!(chosen(&inputs(spec.clone())).pointer(pointer), Some(&want), "{spec} {pointer}");
    }
}

#[test]
fn what_belongs_to_calicos_own_plugin_is_not_chosen_for_another() {
    let value = chosen(&inputs(json!({"cni": {"type": "AmazonVPC"}})));
    let absent = [
        "/calicoNetwork/hostPorts",
        "/calicoNetwork/multiInterfaceMode",
        "/cni/specVersion",
        "/logging",
        "/calicoNetwork/nodeAddressAutodetectionV4",
        "/calicoNetwork/linuxPolicySetupTimeoutSeconds",
    ];
    for pointer in absent {
        assert_eq!(value.pointer(pointer), None, "{pointer}");
    }
}

#[test]
fn the_user_is_never_overridden_and_only_choices_are_recorded() {
    let inputs = inputs(json!({
        "flexVolumePath": "None", "controlPlaneReplicas": 5, "registry": "registry.example.com",
        "nodeUpdateStrategy": {"rollingUpdate": {"maxUnavailable": 2}},
        "calicoNetwork": {"ipPools": [{"name": "pods", "cidr": "10.1.2.3/16", "natOutgoing": "Disabled"}]},
    }));
    let value = chosen(&inputs);
    assert_eq!(value["flexVolumePath"], "None");
    assert_eq!(value["registry"], "registry.example.com/");
    let defaults = defaults(&inputs);
    for pointer in ["/flexVolumePath", "/controlPlaneReplicas", "/registry", "/nodeUpdateStrategy/rollingUpdate"] {
        assert_eq!(defaults.pointer(pointer), None, "{pointer}");
    }
    let pool = &defaults["calicoNetwork"]["ipPools"][0];
    assert_eq!((pool.get("cidr"), pool.get("natOutgoing"), &pool["blockSize"]), (None, None, &json!(26)));
}

#[test]
fn a_cluster_with_a_single_node_gets_one_replica_and_keeps_it_when_it_grows() {
    assert_eq!(effective(&with_nodes(1, &[])).control_plane_replicas, Some(1));
    let mut grown = with_nodes(5, &[]);
    assert_eq!(effective(&grown).control_plane_replicas, Some(2));
    let remembered = BTreeMap::from([("controlPlaneReplicas".to_owned(), json!(1))]);
    grown.installation.status.get_or_insert_default().defaults = Some(remembered);
    assert_eq!(effective(&grown).control_plane_replicas, Some(1));
}

#[test]
fn the_platform_is_found_by_its_signs() {
    let cases = [
        ("eks.amazonaws.com/nodegroup", "barn", Provider::Eks),
        ("cloud.google.com/gke-nodepool", "barn", Provider::Gke),
        ("kubernetes.azure.com/cluster", "barn", Provider::Aks),
        ("com.docker.ucp.collection", "barn", Provider::DockerEnterprise),
        ("node.kubernetes.io/instance-type", "rke2", Provider::Rke2),
    ];
    for (label, value, want) in cases {
        assert_eq!(effective(&with_nodes(1, &[(label, value)])).kubernetes_provider, Some(want), "{label}");
    }
    assert_eq!(effective(&with_nodes(1, &[("herd", "brown")])).kubernetes_provider, None);
    let mut openshift = inputs(json!({}));
    openshift.api_groups.insert("config.openshift.io".into());
    assert_eq!(effective(&openshift).kubernetes_provider, Some(Provider::OpenShift));
}

#[test]
fn the_pod_cidr_of_the_platform_becomes_the_pool_and_stays() {
    let mut inputs = inputs(json!({}));
    let kubeadm = "apiVersion: kubeadm.k8s.io/v1beta4\nnetworking:\n  podSubnet: 10.20.0.0/16,fd20::/48\n";
    inputs.config_maps.kubeadm = Some(BTreeMap::from([("ClusterConfiguration".to_owned(), kubeadm.to_owned())]));
    let first = chosen(&inputs);
    assert_eq!(first["calicoNetwork"]["ipPools"][0]["cidr"], "10.20.0.0/16");
    assert_eq!(first["calicoNetwork"]["nodeAddressAutodetectionV6"], json!({"firstFound": true}));
    let defaults = defaults(&inputs);
    let map = defaults.as_object().unwrap().iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    inputs.installation.status.get_or_insert_default().defaults = Some(map);
    inputs.config_maps.kubeadm = None;
    assert_eq!(chosen(&inputs)["calicoNetwork"]["ipPools"], first["calicoNetwork"]["ipPools"]);
}

#[test]
fn a_memory_of_another_plugin_does_not_take_the_pools_away() {
    let mut inputs = inputs(json!({"cni": {"type": "Calico"}}));
    let remembered = json!({"bgp": "Disabled", "ipPools": []});
    let status = inputs.installation.status.get_or_insert_default();
    status.defaults = Some(BTreeMap::from([("calicoNetwork".to_owned(), remembered), ("hay".to_owned(), json!(1))]));
    let value = chosen(&inputs);
    assert_eq!(value["calicoNetwork"]["ipPools"][0]["cidr"], "192.168.0.0/16");
    assert_eq!(value["calicoNetwork"]["bgp"], "Enabled");
}

#[test]
fn files_of_any_kind_become_inputs() {
    let objects = [
        json!({"apiVersion": "operator.tigera.io/v1", "kind": "Installation", "metadata": {"name": "default"}}),
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "cow-0"}}),
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "pull", "namespace": "tigera-operator"},
            "stringData": {".dockerconfigjson": "{}"}}),
        json!({"apiVersion": "projectcalico.org/v3", "kind": "IPPool", "metadata": {"name": "herd"}, "spec": {}}),
        json!({"apiVersion": "example.com/v1", "kind": "Barn", "metadata": {"name": "red"}}),
    ];
    let objects = objects.into_iter().map(|value| Object::from_value(value).unwrap()).collect();
    let inputs = InstallationInputs::from_objects(objects).unwrap();
    assert_eq!((inputs.nodes.len(), inputs.ip_pools.len(), inputs.secrets.len()), (1, 1, 1));
    assert_eq!(inputs.api_group.api_version(), "projectcalico.org/v3");
    assert_eq!(inputs.secrets["pull"].text(".dockerconfigjson"), Some("{}"));
}

#[test]
fn every_file_that_does_not_fit_is_named_with_its_field() {
    let objects = [
        json!({"apiVersion": "operator.tigera.io/v1", "kind": "Installation", "metadata": {"name": "default"},
            "spec": {"calicoNetwork": {"bgp": "Perhaps"}}}),
        json!({"apiVersion": "operator.tigera.io/v1", "kind": "Installation", "metadata": {"name": "other"}}),
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "cow-0", "labels": 3}}),
    ];
    let objects = objects.into_iter().map(|value| Object::from_value(value).unwrap()).collect();
    let errors = InstallationInputs::from_objects(objects).unwrap_err();
    let errors: Vec<_> = errors.iter().map(ToString::to_string).collect();
    assert!(
        errors.iter().any(|e| e.starts_with("Installation default spec.calicoNetwork.bgp:") && e.contains("Enabled")),
        "{errors:?}"
    );
    assert!(errors.iter().any(|e| e.starts_with("Node cow-0 metadata.labels:")), "{errors:?}");
}
