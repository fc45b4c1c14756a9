//! Rules about other objects that an Installation depends on.

use super::{Rule, rule};

/// A host without a port.
const HALF: &str = "{apiVersion: v1, kind: ConfigMap, metadata: {name: kubernetes-services-endpoint, \
                    namespace: tigera-operator}, data: {KUBERNETES_SERVICE_HOST: 10.0.0.10}}";
/// What cannot be read.
const KUBEADM: &str = "{apiVersion: v1, kind: ConfigMap, metadata: {name: kubeadm-config, namespace: kube-system}, \
                       data: {ClusterConfiguration: 'networking: ['}}";
/// The user's BPF dataplane.
const FELIX: &str = "{apiVersion: crd.projectcalico.org/v1, kind: FelixConfiguration, metadata: {name: default}, \
                     spec: {bpfEnabled: true}}";
/// The user's port that is none.
const HEALTH: &str = "{apiVersion: crd.projectcalico.org/v1, kind: FelixConfiguration, metadata: {name: default}, \
                      spec: {healthPort: 0}}";
/// A Secret without its parts.
const SECRET: &str = "{apiVersion: v1, kind: Secret, metadata: {name: node-certs, namespace: tigera-operator}}";

/// The rules.
pub(super) const RULES: &[Rule] = &[
    rule(
        "data.KUBERNETES_SERVICE_PORT",
        "one half of the API server's address",
        "{}",
        "it needs KUBERNETES_SERVICE_PORT",
    )
    .of("ConfigMap tigera-operator/kubernetes-services-endpoint")
    .with(HALF),
    rule("data.ClusterConfiguration", "no configuration of kubeadm's", "{}", "")
        .of("ConfigMap kube-system/kubeadm-config")
        .with(KUBEADM),
    rule(
        "spec.bpfEnabled",
        "a value of the user's that contradicts the dataplane",
        "{}",
        "it is true, but Installation default spec.calicoNetwork.linuxDataplane asks for false",
    )
    .of("FelixConfiguration default")
    .with(FELIX),
    rule("spec.healthPort", "no TCP port", "{}", "0 is no TCP port").of("FelixConfiguration default").with(HEALTH),
    rule("", "a key pair of the user's that is not whole", "{}", "it has no tls.crt")
        .of("Secret tigera-operator/node-certs")
        .with(SECRET),
    rule("", "an ImageSet for another version only", "{}", "there is none of this name")
        .of("ImageSet calico-")
        .with("{apiVersion: operator.tigera.io/v1, kind: ImageSet, metadata: {name: calico-v0}, spec: {images: []}}"),
    rule("", "an ImageSet that lacks an image", "{}", "it lacks calico/calico").of("ImageSet calico-").with(
        "{apiVersion: operator.tigera.io/v1, kind: ImageSet, metadata: {name: calico-BUILD}, spec: {images: []}}",
    ),
];
