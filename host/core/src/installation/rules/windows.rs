//! Rules about Calico on Windows nodes.

use super::{Rule, rule};

/// What Windows nodes need beside the Installation.
pub(super) const SURROUNDINGS: &str = "
{apiVersion: v1, kind: ConfigMap, metadata: {name: kubernetes-services-endpoint, namespace: tigera-operator}, data: {KUBERNETES_SERVICE_HOST: 10.0.0.10, KUBERNETES_SERVICE_PORT: '6443'}}
---
{apiVersion: crd.projectcalico.org/v1, kind: IPAMConfig, metadata: {name: default}, spec: {strictAffinity: true}}
---
{apiVersion: v1, kind: Service, metadata: {name: kube-dns, namespace: kube-system}, spec: {clusterIP: 10.96.0.10}}
";
/// The same, with blocks that nodes share.
const LOOSE: &str = "
{apiVersion: v1, kind: ConfigMap, metadata: {name: kubernetes-services-endpoint, namespace: tigera-operator}, data: {KUBERNETES_SERVICE_HOST: 10.0.0.10, KUBERNETES_SERVICE_PORT: '6443'}}
---
{apiVersion: crd.projectcalico.org/v1, kind: IPAMConfig, metadata: {name: default}, spec: {strictAffinity: false}}
---
{apiVersion: v1, kind: Service, metadata: {name: kube-dns, namespace: kube-system}, spec: {clusterIP: 10.96.0.10}}
";
/// The same, without a Service of the DNS.
const NO_DNS: &str = "
{apiVersion: v1, kind: ConfigMap, metadata: {name: kubernetes-services-endpoint, namespace: tigera-operator}, data: {KUBERNETES_SERVICE_HOST: 10.0.0.10, KUBERNETES_SERVICE_PORT: '6443'}}
---
{apiVersion: crd.projectcalico.org/v1, kind: IPAMConfig, metadata: {name: default}, spec: {strictAffinity: true}}
";

/// The rules.
pub(super) const RULES: &[Rule] = &[
    rule("spec.serviceCIDRs", "none with HNS", "{calicoNetwork: {windowsDataplane: HNS, bgp: Disabled, ipPools: [{cidr: 192.168.0.0/16, encapsulation: VXLAN}]}}", "the Windows dataplane HNS needs the ranges of Services").with(SURROUNDINGS),
    rule("spec.calicoNetwork.windowsDataplane", "HNS without the API server's address in ConfigMap kubernetes-services-endpoint", "{serviceCIDRs: [10.96.0.0/16], calicoNetwork: {windowsDataplane: HNS, bgp: Disabled, ipPools: [{cidr: 192.168.0.0/16, encapsulation: VXLAN}]}}", "HNS needs the API server's address"),
    rule("spec.cni.type", "GKE with HNS", "{serviceCIDRs: [10.96.0.0/16], kubernetesProvider: GKE, cni: {type: GKE}, calicoNetwork: {windowsDataplane: HNS}}", "the Windows dataplane HNS does not work with GKE").with(SURROUNDINGS),
    rule("spec.calicoNetwork.ipPools[].encapsulation", "anything but VXLAN, or None with BGP, with HNS", "{serviceCIDRs: [10.96.0.0/16], calicoNetwork: {windowsDataplane: HNS, bgp: Disabled, ipPools: [{cidr: 192.168.0.0/16, encapsulation: VXLANCrossSubnet}]}}", "VXLANCrossSubnet does not work with the Windows dataplane HNS").with(SURROUNDINGS),
    rule("spec.certificateManagement", "set, with HNS", "{serviceCIDRs: [10.96.0.0/16], certificateManagement: {caCert: CERTIFICATE, signerName: example.com/herd}, calicoNetwork: {windowsDataplane: HNS, bgp: Disabled, ipPools: [{cidr: 192.168.0.0/16, encapsulation: VXLAN}]}}", "pods on Windows nodes cannot request their certificates").with(SURROUNDINGS),
    rule("spec.windowsNodes.cniBinDir", "no path from the root of a drive; the same for the other directories", "{serviceCIDRs: [10.96.0.0/16], windowsNodes: {cniBinDir: bin}, calicoNetwork: {windowsDataplane: HNS, bgp: Disabled, ipPools: [{cidr: 192.168.0.0/16, encapsulation: VXLAN}]}}", r#""bin" is not the path of a directory"#).with(SURROUNDINGS),
    rule("spec.windowsNodes.cniConfigDir", "no path from the root of a drive", "{serviceCIDRs: [10.96.0.0/16], windowsNodes: {cniConfigDir: conf}, calicoNetwork: {windowsDataplane: HNS, bgp: Disabled, ipPools: [{cidr: 192.168.0.0/16, encapsulation: VXLAN}]}}", r#""conf" is not the path of a directory"#).with(SURROUNDINGS),
    rule("spec.windowsNodes.cniLogDir", "no path from the root of a drive", "{serviceCIDRs: [10.96.0.0/16], windowsNodes: {cniLogDir: log}, calicoNetwork: {windowsDataplane: HNS, bgp: Disabled, ipPools: [{cidr: 192.168.0.0/16, encapsulation: VXLAN}]}}", r#""log" is not the path of a directory"#).with(SURROUNDINGS),
    rule("spec.windowsNodes.vxlanMACPrefix", "not two bytes in hexadecimal", "{serviceCIDRs: [10.96.0.0/16], windowsNodes: {vxlanMACPrefix: 0E2A}, calicoNetwork: {windowsDataplane: HNS, bgp: Disabled, ipPools: [{cidr: 192.168.0.0/16, encapsulation: VXLAN}]}}", r#""0E2A" is not two bytes"#).with(SURROUNDINGS).by_schema(),
    rule("spec.strictAffinity", "address blocks that nodes share, with HNS and Calico's IPAM", "{serviceCIDRs: [10.96.0.0/16], calicoNetwork: {windowsDataplane: HNS, bgp: Disabled, ipPools: [{cidr: 192.168.0.0/16, encapsulation: VXLAN}]}}", "it is false").of("IPAMConfig default").with(LOOSE),
    rule("", "no Service of the cluster's DNS, with HNS", "{serviceCIDRs: [10.96.0.0/16], calicoNetwork: {windowsDataplane: HNS, bgp: Disabled, ipPools: [{cidr: 192.168.0.0/16, encapsulation: VXLAN}]}}", "the cluster's DNS has no such Service").of("Service kube-system/kube-dns").with(NO_DNS),
];
