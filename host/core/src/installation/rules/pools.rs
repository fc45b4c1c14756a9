//! Rules about `spec.calicoNetwork.ipPools`.

use super::{Rule, rule};

/// A pool that the user made.
const THERE: &str = "{apiVersion: crd.projectcalico.org/v1, kind: IPPool, metadata: {name: herd}, \
                     spec: {cidr: 10.1.0.0/17, blockSize: 26}}";
/// A cluster that says where its pods are.
const KUBEADM: &str = "
apiVersion: v1
kind: ConfigMap
metadata: {name: kubeadm-config, namespace: kube-system}
data: {ClusterConfiguration: 'networking: {podSubnet: 192.168.0.0/16}'}
";

/// A cluster that says where its Services are.
const SERVICES: &str = "
apiVersion: v1
kind: ConfigMap
metadata: {name: kubeadm-config, namespace: kube-system}
data: {ClusterConfiguration: 'networking: {serviceSubnet: 10.96.0.0/12}'}
";

/// The rules.
pub(super) const RULES: &[Rule] = &[
    rule("spec.calicoNetwork.ipPools", "more than 25 pools", "{calicoNetwork: {ipPools: [{cidr: 10.1.0.0/16}, {cidr: 10.2.0.0/16}, {cidr: 10.3.0.0/16}, {cidr: 10.4.0.0/16}, {cidr: 10.5.0.0/16}, {cidr: 10.6.0.0/16}, {cidr: 10.7.0.0/16}, {cidr: 10.8.0.0/16}, {cidr: 10.9.0.0/16}, {cidr: 10.10.0.0/16}, {cidr: 10.11.0.0/16}, {cidr: 10.12.0.0/16}, {cidr: 10.13.0.0/16}, {cidr: 10.14.0.0/16}, {cidr: 10.15.0.0/16}, {cidr: 10.16.0.0/16}, {cidr: 10.17.0.0/16}, {cidr: 10.18.0.0/16}, {cidr: 10.19.0.0/16}, {cidr: 10.20.0.0/16}, {cidr: 10.21.0.0/16}, {cidr: 10.22.0.0/16}, {cidr: 10.23.0.0/16}, {cidr: 10.24.0.0/16}, {cidr: 10.25.0.0/16}, {cidr: 10.26.0.0/16}]}}", "26 pools are listed").by_schema(),
    rule("spec.calicoNetwork.ipPools[].name", "a name that is used twice", "{calicoNetwork: {ipPools: [{name: a, cidr: 10.1.0.0/16}, {name: a, cidr: 10.2.0.0/16}]}}", "a is the name of another pool"),
    rule("spec.calicoNetwork.ipPools[].cidr", "no range", "{calicoNetwork: {ipPools: [{cidr: pasture}]}}", r#""pasture" is no range"#).by_schema(),
    rule("spec.calicoNetwork.ipPools[].cidr", "a range that overlaps another pool of the list", "{calicoNetwork: {ipPools: [{cidr: 10.1.0.0/16}, {cidr: 10.1.128.0/17}]}}", "10.1.128.0/17 overlaps 10.1.0.0/16 of pool [0]"),
    rule("spec.calicoNetwork.ipPools[].cidr", "a range that overlaps an IPPool of the user's", "{calicoNetwork: {ipPools: [{cidr: 10.1.0.0/16}]}}", "10.1.0.0/16 overlaps 10.1.0.0/17 of IPPool herd").with(THERE),
    rule("spec.calicoNetwork.ipPools[].cidr", "another range for an IPPool that exists", "{calicoNetwork: {ipPools: [{name: herd, cidr: 10.2.0.0/16}]}}", "IPPool herd has 10.1.0.0/17, which cannot change").with(THERE),
    rule("spec.calicoNetwork.ipPools[].cidr", "a range that overlaps the Services'", "{serviceCIDRs: [10.96.0.0/12], calicoNetwork: {ipPools: [{cidr: 10.100.0.0/16}]}}", "10.100.0.0/16 overlaps 10.96.0.0/12 of spec.serviceCIDRs"),
    rule("spec.calicoNetwork.ipPools[].cidr", "a range with addresses that no pod can have: loopback, link-local, multicast", "{calicoNetwork: {ipPools: [{cidr: 169.254.0.0/16}]}}", "169.254.0.0/16 overlaps the link-local addresses 169.254.0.0/16"),
    rule("spec.calicoNetwork.ipPools[].cidr", "a second pool of a family with HostLocal", "{cni: {type: Calico, ipam: {type: HostLocal}}, calicoNetwork: {bgp: Disabled, ipPools: [{cidr: 10.1.0.0/16, encapsulation: None}, {cidr: 10.2.0.0/16, encapsulation: None}]}}", "with HostLocal there is one pool for each IP family"),
    rule("spec.calicoNetwork.ipPools[].cidr", "a range outside the cluster's pod CIDR", "{calicoNetwork: {ipPools: [{cidr: 10.1.0.0/16}]}}", "10.1.0.0/16 is not within the cluster's pod CIDR").warning().with(KUBEADM),
    rule("spec.calicoNetwork.ipPools[].cidr", "a range that overlaps what kubeadm's configuration, or the address of Service default/kubernetes where it is read, says of Services", "{calicoNetwork: {ipPools: [{cidr: 10.96.0.0/16}]}}", "10.96.0.0/16 overlaps 10.96.0.0/12").warning().with(SERVICES),
    rule("spec.calicoNetwork.ipPools[].blockSize", "a size that Calico does not take", "{calicoNetwork: {ipPools: [{cidr: 10.1.0.0/16, blockSize: 19}]}}", "19 is not between 20 and 32").by_schema(),
    rule("spec.calicoNetwork.ipPools[].blockSize", "a block that does not fit into the range", "{calicoNetwork: {ipPools: [{cidr: 10.0.0.0/28, blockSize: 26}]}}", "a block of /26 does not fit into 10.0.0.0/28"),
    rule("spec.calicoNetwork.ipPools[].blockSize", "another size for an IPPool that exists", "{calicoNetwork: {ipPools: [{name: herd, cidr: 10.1.0.0/17, blockSize: 28}]}}", "IPPool herd has 26, which cannot change to 28").with(THERE),
    rule("spec.calicoNetwork.ipPools[].encapsulation", "IP-in-IP for IPv6", "{calicoNetwork: {ipPools: [{cidr: 'fd00:10::/48', encapsulation: IPIP}]}}", "IP-in-IP carries IPv4 only").by_schema(),
    rule("spec.calicoNetwork.ipPools[].encapsulation", "IP-in-IP where nobody programs routes", "{calicoNetwork: {clusterRoutingMode: BIRD, bgp: Disabled, ipPools: [{cidr: 10.1.0.0/16, encapsulation: IPIP}]}}", "IP-in-IP needs routes"),
    rule("spec.calicoNetwork.ipPools[].encapsulation", "VXLAN with HostLocal", "{cni: {type: Calico, ipam: {type: HostLocal}}, calicoNetwork: {bgp: Disabled, ipPools: [{cidr: 10.1.0.0/16, encapsulation: VXLAN}]}}", "VXLAN needs Calico's IPAM"),
    rule("spec.calicoNetwork.ipPools[].nodeSelector", "some nodes only with HostLocal", r#"{cni: {type: Calico, ipam: {type: HostLocal}}, calicoNetwork: {bgp: Disabled, ipPools: [{cidr: 10.1.0.0/16, encapsulation: None, nodeSelector: "has(barn)"}]}}"#, r#""has(barn)" has no effect with HostLocal"#),
    rule("spec.calicoNetwork.ipPools[].nodeSelector", "no selector that Calico can read", r#"{calicoNetwork: {ipPools: [{cidr: 10.1.0.0/16, nodeSelector: "foo === bar"}]}}"#, r#""foo === bar" is no selector of nodes: at character 7"#),
    rule("spec.calicoNetwork.ipPools[].allowedUses", "an unknown use", "{calicoNetwork: {ipPools: [{cidr: 10.1.0.0/16, allowedUses: [Milk]}]}}", r#""Milk" is unknown"#),
    rule("spec.calicoNetwork.ipPools[].allowedUses", "LoadBalancer among others", "{calicoNetwork: {ipPools: [{cidr: 10.1.0.0/16, allowedUses: [Workload, LoadBalancer]}]}}", "LoadBalancer cannot be combined with other uses"),
];
