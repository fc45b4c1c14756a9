//! What is refused, and what comes of what is not.

use chimera_crds::parse;
use k8s_openapi::api::core::v1::Secret;
use serde_json::{Value, json};

use super::*;
use crate::installation::inputs::NodeFacts;
use crate::object::Object;
use crate::testing::Fixed;

fn inputs(spec: Value) -> InstallationInputs {
    let installation = json!({"apiVersion": "operator.tigera.io/v1", "kind": "Installation",
        "metadata": {"name": "default", "uid": "1-2-3"}, "spec": spec});
    InstallationInputs::new(parse::resource(installation).unwrap())
}

fn run(inputs: &InstallationInputs) -> Result<InstallationConfig, Vec<String>> {
    let result = validate(inputs, Fixed::default().env());
    result.map_err(|Rejected(messages)| messages.iter().map(ToString::to_string).collect())
}

fn refused(inputs: &InstallationInputs) -> Vec<String> {
    run(inputs).unwrap_err()
}

#[test]
fn a_plain_installation_becomes_a_config() {
    let mut inputs = inputs(json!({}));
    inputs.nodes = (0..3).map(|at| NodeFacts { name: format!("cow-{at}"), ..NodeFacts::default() }).collect();
    let config = run(&inputs).unwrap();
    assert_eq!((config.owner.name.as_str(), config.owner.uid.as_deref()), ("default", Some("1-2-3")));
    assert_eq!((config.cluster.linux_nodes, config.cluster.typha_replicas), (3, 2));
    assert_eq!(config.felix_configuration.key().kind, "FelixConfiguration");
    assert_eq!(config.defaults["controlPlaneReplicas"], 2);
    assert!(config.warnings.is_empty());
    assert_eq!(ip_pools(&inputs).unwrap().objects.len(), 1);
}

#[test]
fn the_same_input_gives_the_same_config() {
    let inputs = inputs(json!({}));
    assert_eq!(run(&inputs), run(&inputs));
}

#[test]
fn each_fault_is_named_with_its_field() {
    let cases = [
        (
            json!({"variant": "Zebra"}),
            "Installation default spec.variant: Zebra is provided by no loaded plugin; known are Calico",
        ),
        (json!({"nonPrivileged": "Enabled"}), "Installation default spec.nonPrivileged: Enabled is not supported"),
        (json!({"fipsMode": "Enabled"}), "Installation default spec.fipsMode: Enabled is not supported"),
        (
            json!({"kubernetesProvider": "GKE", "cni": {"type": "AmazonVPC"}}),
            "Installation default spec.cni.type: AmazonVPC does not work on GKE, only on EKS and RKE2",
        ),
        (
            json!({"cni": {"type": "AmazonVPC", "ipam": {"type": "Calico"}}}),
            "Installation default spec.cni.ipam.type: Calico does not work with the CNI plugin AmazonVPC; use AmazonVPC",
        ),
        (
            json!({"cni": {"type": "AzureVNET"}, "calicoNetwork": {"hostPorts": "Enabled"}}),
            "Installation default spec.calicoNetwork.hostPorts: it works with the CNI plugin Calico only",
        ),
        (
            json!({"cni": {"type": "Calico", "binDir": "opt"}}),
            "Installation default spec.cni.binDir: \"opt\" is not the path",
        ),
        (
            json!({"cni": {"type": "Calico", "ipam": {"type": "HostLocal"}}, "calicoNetwork": {"bgp": "Disabled", "ipPools": [{"cidr": "10.244.0.0/16", "encapsulation": "VXLAN"}]}}),
            "Installation default spec.calicoNetwork.ipPools[0].encapsulation: VXLAN needs",
        ),
        (
            json!({"calicoNetwork": {"ipPools": [{"cidr": "10.0.0.0/28", "blockSize": 26}]}}),
            "Installation default spec.calicoNetwork.ipPools[0].blockSize:",
        ),
        (
            json!({"calicoNetwork": {"ipPools": [{"cidr": "pasture"}]}}),
            "Installation default spec.calicoNetwork.ipPools[0].cidr: \"pasture\" is no range",
        ),
        (
            json!({"calicoNetwork": {"clusterRoutingMode": "BIRD", "bgp": "Disabled", "ipPools": [{"cidr": "10.0.0.0/16", "encapsulation": "IPIP"}]}}),
            "Installation default spec.calicoNetwork.ipPools[0].encapsulation: IP-in-IP needs routes",
        ),
        (json!({"serviceCIDRs": ["services"]}), "Installation default spec.serviceCIDRs[0]: \"services\" is no range"),
        (
            json!({"calicoNetwork": {"linuxDataplane": "VPP", "bgp": "Disabled"}}),
            "Installation default spec.calicoNetwork.bgp: the VPP dataplane needs BGP",
        ),
        (
            json!({"calicoNetwork": {"bpfNetworkBootstrap": "Enabled"}}),
            "Installation default spec.calicoNetwork.bpfNetworkBootstrap: it needs",
        ),
        (
            json!({"calicoNetwork": {"linuxDataplane": "BPF", "linuxPolicySetupTimeoutSeconds": 5}}),
            "Installation default spec.calicoNetwork.linuxPolicySetupTimeoutSeconds: the BPF",
        ),
        (json!({"calicoNetwork": {"mtu": -1}}), "Installation default spec.calicoNetwork.mtu: -1"),
        (
            json!({"calicoNetwork": {"nodeAddressAutodetectionV4": {"firstFound": true, "canReach": "10.0.0.1"}}}),
            "Installation default spec.calicoNetwork.nodeAddressAutodetectionV4: firstFound and canReach exclude",
        ),
        (
            json!({"calicoNetwork": {"nodeAddressAutodetectionV4": {"cidrs": ["10.0.0.0/8", "hill"]}}}),
            "Installation default spec.calicoNetwork.nodeAddressAutodetectionV4.cidrs[1]: \"hill\"",
        ),
        (
            json!({"calicoNetwork": {"sysctl": [{"key": "net.ipv4.tcp_keepalive_intvl", "value": "often"}]}}),
            "Installation default spec.calicoNetwork.sysctl[0].value: \"often\"",
        ),
        (json!({"controlPlaneReplicas": 0}), "Installation default spec.controlPlaneReplicas: 0 is less than 1"),
        (json!({"nodeMetricsPort": 70000}), "Installation default spec.nodeMetricsPort: 70000 is no TCP port"),
        (
            json!({"nodeUpdateStrategy": {"type": "Sometimes"}}),
            "Installation default spec.nodeUpdateStrategy.type: \"Sometimes\" is unknown",
        ),
        (json!({"registry": "https://registry.example.com/"}), "Installation default spec.registry:"),
        (json!({"imagePath": "/mirror"}), "Installation default spec.imagePath:"),
        (
            json!({"flexVolumePath": "volumes"}),
            "Installation default spec.flexVolumePath: \"volumes\" is not the path of a directory from the root, or None",
        ),
        (
            json!({"logging": {"cni": {"logFileMaxSize": "much"}}}),
            "Installation default spec.logging.cni.logFileMaxSize: \"much\"",
        ),
        (
            json!({"logging": {"cni": {"logFileMaxCount": 0}}}),
            "Installation default spec.logging.cni.logFileMaxCount: 0",
        ),
        (
            json!({"imagePullSecrets": [{"name": "hay"}]}),
            "Installation default spec.imagePullSecrets[0].name: there is no Secret tigera-operator/hay",
        ),
        (
            json!({"certificateManagement": {"caCert": "aGF5", "signerName": "example.com/herd"}}),
            "Installation default spec.certificateManagement.caCert: it holds no certificate",
        ),
        (
            json!({"tlsCipherSuites": [{}]}),
            "Installation default spec.tlsCipherSuites[0].name: a cipher suite needs a name",
        ),
    ];
    for (spec, want) in cases {
        let errors = refused(&inputs(spec.clone()));
        assert!(errors.len() == 1 && errors[0].starts_with(want), "{spec}: wanted {want}, got {errors:#?}");
    }
}

#[test]
fn all_faults_are_told_at_once() {
    let errors = refused(&inputs(json!({"nonPrivileged": "Enabled", "controlPlaneReplicas": 0, "mtu": 1,
        "calicoNetwork": {"mtu": -1, "ipPools": [{"cidr": "x"}, {"cidr": "y"}]}})));
    assert_eq!(errors.len(), 5, "{errors:#?}");
}

#[test]
fn an_installation_of_another_name_is_refused() {
    let mut other = inputs(json!({}));
    other.installation.metadata.name = Some("herd".into());
    assert!(refused(&other)[0].starts_with("Installation herd metadata.name:"));
    assert!(refused(&other)[0].ends_with("(CHM0103)"));
}

#[test]
fn a_variant_that_a_plugin_provides_is_served() {
    let mut zebra = inputs(json!({"variant": "Zebra"}));
    zebra.variants = vec!["Zebra".into()];
    assert_eq!(run(&zebra).unwrap().spec.variant.unwrap().as_str(), "Zebra");
}

#[test]
fn a_platform_that_contradicts_what_is_found_is_served_with_a_warning() {
    let mut inputs = inputs(json!({"kubernetesProvider": "EKS"}));
    inputs.api_groups.insert("config.openshift.io".into());
    let config = run(&inputs).unwrap();
    assert_eq!(config.cluster.provider, Provider::Eks);
    let warning = config.warnings[0].to_string();
    assert!(
        warning.contains("spec.kubernetesProvider: EKS is stated and served, but the cluster looks like OpenShift")
    );
    assert_eq!(config.warnings[0].code().severity, Severity::Warning);
}

#[test]
fn faults_of_other_objects_are_named_too() {
    let mut inputs = inputs(json!({}));
    inputs.config_maps.services_endpoint = Some([("KUBERNETES_SERVICE_HOST".to_owned(), "10.0.0.1".to_owned())].into());
    inputs.config_maps.kubeadm = Some([("ClusterConfiguration".to_owned(), "networking: [".to_owned())].into());
    inputs.felix = Some(
        Object::from_value(json!({"apiVersion": "crd.projectcalico.org/v1", "kind": "FelixConfiguration",
            "metadata": {"name": "default"}, "spec": {"bpfEnabled": true}}))
        .unwrap(),
    );
    inputs.secrets.insert("node-certs".into(), Secret::default().into());
    let errors = refused(&inputs);
    let want = [
        "ConfigMap tigera-operator/kubernetes-services-endpoint data.KUBERNETES_SERVICE_PORT:",
        "ConfigMap kube-system/kubeadm-config data.ClusterConfiguration:",
        "FelixConfiguration default spec.bpfEnabled:",
        "Secret tigera-operator/node-certs: it has no tls.crt",
    ];
    for want in want {
        assert!(errors.iter().any(|error| error.starts_with(want)), "{want}: {errors:#?}");
    }
}

#[test]
fn a_deprecated_field_is_served_with_a_warning() {
    let spec = json!({"componentResources": [{"componentName": "Node", "resourceRequirements": {}}]});
    let config = run(&inputs(spec)).unwrap();
    assert!(config.warnings[0].to_string().starts_with("Installation default spec.componentResources: use calicoNode"));
}
