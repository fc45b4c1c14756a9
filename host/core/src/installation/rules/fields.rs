//! Rules about fields of the spec that stand for themselves.

use super::{Rule, rule};

/// Signs of OpenShift.
const OPENSHIFT: &str = "{apiVersion: config.openshift.io/v1, kind: Network, metadata: {name: cluster}}";

/// The rules.
pub(super) const RULES: &[Rule] = &[
    rule("spec.variant", "a variant that no loaded plugin provides", "{variant: Zebra}", "Zebra is provided by no loaded plugin"),
    rule("spec.kubernetesProvider", "another platform than the cluster shows", "{kubernetesProvider: EKS}", "EKS is stated and served, but the cluster looks like OpenShift").warning().with(OPENSHIFT),
    rule("spec.registry", "anything but a host with a port and a path if need be, such as a scheme or a port that is none", r#"{registry: "https://registry.example.com/"}"#, r#""https://registry.example.com/" is no registry"#),
    rule("spec.imagePath", "what registries take no path as: a slash at an end, blanks, upper case", "{imagePath: /mirror}", r#""/mirror" is no path of images"#),
    rule("spec.imagePrefix", "what no image's name begins with: blanks, upper case, a slash at the start", r#"{imagePrefix: "UPPER@x"}"#, r#""UPPER@x" cannot begin the name of an image"#),
    rule("spec.imagePullSecrets[].name", "a Secret that does not exist in the operator's namespace", "{imagePullSecrets: [{name: hay}]}", "there is no Secret tigera-operator/hay"),
    rule("spec.cni.type", "a cloud's CNI plugin on another platform", "{kubernetesProvider: GKE, cni: {type: AmazonVPC}}", "AmazonVPC does not work on GKE, only on EKS and RKE2"),
    rule("spec.cni.ipam.type", "an IPAM plugin that the CNI plugin does not take", "{cni: {type: AmazonVPC, ipam: {type: Calico}}}", "Calico does not work with the CNI plugin AmazonVPC").by_schema(),
    rule("spec.cni.binDir", "no path from the root", "{cni: {type: Calico, binDir: opt}}", r#""opt" is not the path of a directory"#),
    rule("spec.cni.confDir", "no path from the root", "{cni: {type: Calico, confDir: ../etc}}", r#""../etc" is not the path of a directory"#),
    rule("spec.controlPlaneReplicas", "less than 1", "{controlPlaneReplicas: 0}", "0 is less than 1"),
    rule("spec.nodeMetricsPort", "no TCP port", "{nodeMetricsPort: 70000}", "70000 is no TCP port"),
    rule("spec.typhaMetricsPort", "no TCP port", "{typhaMetricsPort: 0}", "0 is no TCP port"),
    rule("spec.typhaMetricsPort", "the port of nodeMetricsPort: both listen on the host", "{nodeMetricsPort: 9091, typhaMetricsPort: 9091}", "9091 is spec.nodeMetricsPort too"),
    rule("spec.nodeMetricsPort", "the port that Typha serves nodes at", "{nodeMetricsPort: 5473}", "5473 is where Typha serves nodes"),
    rule("spec.typhaMetricsPort", "the port that Typha serves nodes at", "{typhaMetricsPort: 5473}", "5473 is where Typha serves nodes"),
    rule("spec.typhaDeployment.spec.template.spec.containers[].name", "a container that is named twice; the same for the other overrides of workloads", "{typhaDeployment: {spec: {template: {spec: {containers: [{name: calico-typha}, {name: calico-typha}]}}}}}", r#""calico-typha" is named before in the list"#),
    rule("spec.nodeUpdateStrategy.type", "anything but RollingUpdate and OnDelete", "{nodeUpdateStrategy: {type: Sometimes}}", r#""Sometimes" is unknown"#),
    rule("spec.nodeUpdateStrategy.rollingUpdate", "its settings with the type OnDelete", "{nodeUpdateStrategy: {type: OnDelete, rollingUpdate: {maxUnavailable: 1}}}", "it goes with the type RollingUpdate only"),
    rule("spec.flexVolumePath", "neither a path from the root nor None", "{flexVolumePath: volumes}", r#""volumes" is not the path of a directory from the root, or None"#),
    rule("spec.kubeletVolumePluginPath", "neither a path from the root nor None", "{kubeletVolumePluginPath: kubelet}", r#""kubelet" is not the path of a directory from the root, or None"#),
    rule("spec.calicoLibHostPath", "no path from the root", "{calicoLibHostPath: lib}", r#""lib" is not the path of a directory"#),
    rule("spec.calicoRunHostPath", "no path from the root", "{calicoRunHostPath: run}", r#""run" is not the path of a directory"#),
    rule("spec.logging.cni.logFileMaxSize", "no size of a file", "{logging: {cni: {logFileMaxSize: 1.5Gi}}}", r#""1.5Gi" is no size of a file"#),
    rule("spec.logging.cni.logFileMaxAgeDays", "less than 1", "{logging: {cni: {logFileMaxAgeDays: 0}}}", "0 is less than 1"),
    rule("spec.logging.cni.logFileMaxCount", "less than 1", "{logging: {cni: {logFileMaxCount: 0}}}", "0 is less than 1"),
    rule("spec.logging.cni", "a setting of Calico's CNI plugin with another one", "{kubernetesProvider: GKE, cni: {type: GKE}, logging: {cni: {logSeverity: Debug}}}", "it works with the CNI plugin Calico only"),
    rule("spec.tlsCipherSuites[].name", "a suite without a name", "{tlsCipherSuites: [{}]}", "a cipher suite needs a name"),
    rule("spec.tlsCipherSuites[].name", "a suite that is listed twice", "{tlsCipherSuites: [{name: TLS_AES_256_GCM_SHA384}, {name: TLS_AES_256_GCM_SHA384}]}", "TLS_AES_256_GCM_SHA384 is listed twice"),
    rule("spec.tlsMinVersion", "1.3 where all cipher suites are of earlier versions", "{tlsMinVersion: '1.3', tlsCipherSuites: [{name: TLS_RSA_WITH_AES_256_GCM_SHA384}]}", "none of spec.tlsCipherSuites is one of TLS 1.3"),
    rule("spec.certificateManagement.caCert", "no certificate", "{certificateManagement: {caCert: aGF5, signerName: example.com/herd}}", "it holds no certificate"),
    rule("spec.certificateManagement.signerName", "no signer's name", "{certificateManagement: {caCert: CERTIFICATE, signerName: herd}}", r#""herd" is no signer"#),
    rule("spec.certificateManagement.signatureAlgorithm", "a signature that the key cannot make", "{certificateManagement: {caCert: CERTIFICATE, signerName: example.com/herd, keyAlgorithm: RSAWithSize2048, signatureAlgorithm: ECDSAWithSHA256}}", "the key is RSA"),
    rule("spec.nonPrivileged", "Enabled: not supported any more", "{nonPrivileged: Enabled}", "Enabled is not supported any more"),
    rule("spec.fipsMode", "Enabled: not supported any more", "{fipsMode: Enabled}", "Enabled is not supported any more"),
    rule("spec.calicoNodeDaemonSet.spec.template.spec.initContainers[].name", "a container that the workload does not have; the same for the other overrides of workloads", "{flexVolumePath: None, calicoNodeDaemonSet: {spec: {template: {spec: {initContainers: [{name: flexvol-driver}]}}}}}", r#"DaemonSet calico-system/calico-node has no such container "flexvol-driver""#),
    rule("spec.calicoNodeWindowsDaemonSet.spec.template.spec.containers[].name", "a container that the workload does not have, on Windows nodes", "{serviceCIDRs: [10.96.0.0/16], cni: {type: Calico, ipam: {type: HostLocal}}, calicoNetwork: {windowsDataplane: HNS, bgp: Disabled, ipPools: []}, calicoNodeWindowsDaemonSet: {spec: {template: {spec: {containers: [{name: confd}]}}}}}", r#"DaemonSet calico-system/calico-node-windows has no such container "confd""#).with(super::windows::SURROUNDINGS),
    rule("spec.componentResources", "deprecated: use the override of the workload", "{componentResources: [{componentName: Node, resourceRequirements: {}}]}", "use calicoNodeDaemonSet").warning(),
    rule("spec.typhaAffinity", "deprecated: use typhaDeployment", "{typhaAffinity: {}}", "use typhaDeployment").warning(),
    rule("spec.calicoWindowsUpgradeDaemonSet", "deprecated: has no effect", "{calicoWindowsUpgradeDaemonSet: {}}", "there is no such DaemonSet any more").warning(),
];
