//! Rules about `spec.calicoNetwork`.

use super::{Rule, rule};

/// The Service in front of the API servers.
const SERVICE: &str = "{apiVersion: v1, kind: Service, metadata: {name: kubernetes, namespace: default}, \
                       spec: {clusterIP: 10.96.0.1, ports: [{name: https, port: 443}]}}";
/// The API server's address both ways.
const BOTH: &str = "
{apiVersion: v1, kind: Service, metadata: {name: kubernetes, namespace: default}, spec: {clusterIP: 10.96.0.1, ports: [{name: https, port: 443}]}}
---
{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: kubernetes, namespace: default, labels: {kubernetes.io/service-name: kubernetes}}, addressType: IPv4, endpoints: [{addresses: [172.18.0.2]}], ports: [{name: https, port: 6443}]}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: kubernetes-services-endpoint, namespace: tigera-operator}, data: {KUBERNETES_SERVICE_HOST: 10.0.0.10, KUBERNETES_SERVICE_PORT: '6443'}}
";

/// The rules.
pub(super) const RULES: &[Rule] = &[
    rule(
        "spec.calicoNetwork.hostPorts",
        "a setting of Calico's CNI plugin with another one",
        "{kubernetesProvider: AKS, cni: {type: AzureVNET}, calicoNetwork: {hostPorts: Enabled}}",
        "it works with the CNI plugin Calico only",
    ),
    rule(
        "spec.calicoNetwork.multiInterfaceMode",
        "a setting of Calico's CNI plugin with another one",
        "{kubernetesProvider: AKS, cni: {type: AzureVNET}, calicoNetwork: {multiInterfaceMode: None}}",
        "it works with the CNI plugin Calico only",
    ),
    rule(
        "spec.calicoNetwork.containerIPForwarding",
        "a setting of Calico's CNI plugin with another one",
        "{kubernetesProvider: AKS, cni: {type: AzureVNET}, calicoNetwork: {containerIPForwarding: Enabled}}",
        "it works with the CNI plugin Calico only",
    ),
    rule(
        "spec.calicoNetwork.sysctl",
        "a setting of Calico's CNI plugin with another one",
        "{kubernetesProvider: AKS, cni: {type: AzureVNET}, calicoNetwork: {sysctl: [{key: net.ipv4.tcp_keepalive_intvl, value: '15'}]}}",
        "it works with the CNI plugin Calico only",
    ),
    rule(
        "spec.calicoNetwork.linuxPodInterfaceType",
        "a setting of Calico's CNI plugin with another one",
        "{kubernetesProvider: AKS, cni: {type: AzureVNET}, calicoNetwork: {linuxPodInterfaceType: Veth}}",
        "it works with the CNI plugin Calico only",
    ),
    rule(
        "spec.calicoNetwork.linuxPolicySetupTimeoutSeconds",
        "a setting of Calico's CNI plugin with another one",
        "{kubernetesProvider: AKS, cni: {type: AzureVNET}, calicoNetwork: {linuxPolicySetupTimeoutSeconds: 5}}",
        "it works with the CNI plugin Calico only",
    ),
    rule(
        "spec.calicoNetwork.bgp",
        "Disabled with the VPP dataplane",
        "{calicoNetwork: {linuxDataplane: VPP, bgp: Disabled}}",
        "the VPP dataplane needs BGP",
    ),
    rule(
        "spec.calicoNetwork.linuxPolicySetupTimeoutSeconds",
        "a wait with the BPF dataplane",
        "{calicoNetwork: {linuxDataplane: BPF, linuxPolicySetupTimeoutSeconds: 5}}",
        "the BPF dataplane does not serve it",
    ),
    rule(
        "spec.calicoNetwork.linuxPolicySetupTimeoutSeconds",
        "less than 0",
        "{calicoNetwork: {linuxPolicySetupTimeoutSeconds: -1}}",
        "-1 is less than 0 seconds",
    ),
    rule("spec.calicoNetwork.mtu", "no size of a packet", "{calicoNetwork: {mtu: -1}}", "-1 is no size of a packet"),
    rule(
        "spec.calicoNetwork.mtu",
        "less than 576 bytes, or 1280 with a pool of IPv6",
        "{calicoNetwork: {mtu: 10}}",
        "10 bytes are too few for IPv4; use 576 or more",
    ),
    rule(
        "spec.calicoNetwork.bpfNetworkBootstrap",
        "Enabled with another dataplane than BPF",
        "{calicoNetwork: {linuxDataplane: Iptables, bpfNetworkBootstrap: Enabled}}",
        "it needs spec.calicoNetwork.linuxDataplane BPF",
    )
    .by_schema(),
    rule(
        "spec.calicoNetwork.bpfNetworkBootstrap",
        "Enabled besides the ConfigMap kubernetes-services-endpoint",
        "{calicoNetwork: {linuxDataplane: BPF, bpfNetworkBootstrap: Enabled}}",
        "ConfigMap kubernetes-services-endpoint in the operator's namespace does the same by hand",
    )
    .with(BOTH),
    rule(
        "spec.calicoNetwork.bpfNetworkBootstrap",
        "Enabled where the API server's Service has no address",
        "{calicoNetwork: {linuxDataplane: BPF, bpfNetworkBootstrap: Enabled}}",
        "Service default/kubernetes has no cluster IP",
    ),
    rule(
        "spec.calicoNetwork.bpfNetworkBootstrap",
        "Enabled where no API server is listed behind the Service",
        "{calicoNetwork: {linuxDataplane: BPF, bpfNetworkBootstrap: Enabled}}",
        "the EndpointSlices of Service default/kubernetes list no API server",
    )
    .with(SERVICE),
    rule(
        "spec.calicoNetwork.kubeProxyManagement",
        "Enabled where nothing else leads to the API server",
        "{calicoNetwork: {linuxDataplane: BPF, kubeProxyManagement: Enabled}}",
        "without kube-proxy nodes need the API server's address",
    ),
    rule(
        "spec.calicoNetwork.sysctl[].key",
        "a parameter that is set twice",
        "{calicoNetwork: {sysctl: [{key: net.ipv4.tcp_keepalive_intvl, value: '15'}, {key: net.ipv4.tcp_keepalive_intvl, value: '16'}]}}",
        "net.ipv4.tcp_keepalive_intvl is set twice",
    ),
    rule(
        "spec.calicoNetwork.sysctl[].value",
        "no number",
        "{calicoNetwork: {sysctl: [{key: net.ipv4.tcp_keepalive_intvl, value: often}]}}",
        r#""often" is no number"#,
    ),
    rule(
        "spec.calicoNetwork.nodeAddressAutodetectionV4",
        "more than one way to find the address",
        "{calicoNetwork: {nodeAddressAutodetectionV4: {firstFound: true, canReach: 10.0.0.1}}}",
        "firstFound and canReach exclude each other",
    )
    .by_schema(),
    rule(
        "spec.calicoNetwork.nodeAddressAutodetectionV6",
        "more than one way to find the address",
        "{calicoNetwork: {nodeAddressAutodetectionV6: {interface: eth0, cidrs: ['fd00::/8']}}}",
        "interface and cidrs exclude each other",
    )
    .by_schema(),
    rule(
        "spec.calicoNetwork.nodeAddressAutodetectionV4.cidrs[]",
        "no range; the same for IPv6",
        "{calicoNetwork: {nodeAddressAutodetectionV4: {cidrs: [10.0.0.0/8, hill]}}}",
        r#""hill" is no range"#,
    ),
    rule(
        "spec.calicoNetwork.nodeAddressAutodetectionV4.cidrs[]",
        "a range of the other family; the same for IPv6",
        "{calicoNetwork: {nodeAddressAutodetectionV4: {cidrs: ['fd00::/8']}}}",
        "fd00::/8 is no range of IPv4",
    ),
    rule(
        "spec.calicoNetwork.nodeAddressAutodetectionV4.interface",
        "what can be no regular expressions; the same for skipInterface and IPv6",
        "{calicoNetwork: {nodeAddressAutodetectionV4: {interface: 'eth('}}}",
        r#""eth(" is no list of regular expressions: a ( is not closed"#,
    ),
    rule(
        "spec.calicoNetwork.nodeAddressAutodetectionV4.canReach",
        "neither an address nor a name; the same for IPv6",
        "{calicoNetwork: {nodeAddressAutodetectionV4: {canReach: 'not an address !'}}}",
        r#""not an address !" is neither an address nor the name of a host"#,
    ),
    rule("spec.serviceCIDRs[]", "no range", "{serviceCIDRs: [services]}", r#""services" is no range"#),
];
