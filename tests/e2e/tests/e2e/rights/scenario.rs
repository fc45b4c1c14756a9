//! Drives the operator through everything that it may need a right for.

use anyhow::{Result, ensure};
use chimera_e2e::OPERATOR_USER;
use chimera_e2e::cluster::{self, DEADLINE, get, wait_available};
use chimera_e2e::compare;
use chimera_e2e::golden::Case;
use chimera_e2e::operator::Operator;
use chimera_e2e::requests;
use chimera_e2e::rights::grant;
use chimera_kit::{AuditEvent, ControlPlane};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Api;
use kube::api::{ApiResource, DeleteParams, DynamicObject, GroupVersionKind, Patch, PatchParams};
use serde_json::{Value, json};

const MANAGED: &str = "app.kubernetes.io/managed-by";
const RBAC: &str = "rbac.authorization.k8s.io/v1";
const MANIFEST: &str = include_str!("../../../../../host/core/src/migrate/testdata/manifest-install.yaml");
/// What a cluster has before.
const BEFORE: &str = "
{apiVersion: v1, kind: ConfigMap, metadata: {name: kubeadm-config, namespace: kube-system}, data: {ClusterConfiguration: \"networking: {podSubnet: 10.42.0.0/16}\"}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: kubernetes-services-endpoint, namespace: tigera-operator}, data: {KUBERNETES_SERVICE_HOST: 10.0.0.10, KUBERNETES_SERVICE_PORT: '6443'}}
---
{apiVersion: v1, kind: Secret, metadata: {name: wool, namespace: tigera-operator}, type: kubernetes.io/dockerconfigjson, data: {.dockerconfigjson: e30=}}
---
{apiVersion: v1, kind: Secret, metadata: {name: tigera-managed-cluster-connection, namespace: tigera-operator}, stringData: {managed-cluster.crt: wool}}
---
{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: kube-proxy, namespace: kube-system}, spec: {selector: {matchLabels: {k8s-app: kube-proxy}}, template: {metadata: {labels: {k8s-app: kube-proxy}}, spec: {containers: [{name: kube-proxy, image: registry.example.com/kube-proxy}]}}}}
---
{apiVersion: v1, kind: Service, metadata: {name: kube-dns, namespace: kube-system}, spec: {clusterIP: 10.96.0.10, ports: [{name: dns, port: 53, protocol: UDP}]}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: openshift-dns}}
---
{apiVersion: v1, kind: Service, metadata: {name: dns-default, namespace: openshift-dns}, spec: {ports: [{name: dns, port: 53, protocol: UDP}]}}
---
{apiVersion: v1, kind: Service, metadata: {name: rke2-coredns-rke2-coredns, namespace: kube-system}, spec: {ports: [{name: dns, port: 53, protocol: UDP}]}}
---
{apiVersion: config.openshift.io/v1, kind: Network, metadata: {name: cluster}, spec: {clusterNetwork: [{cidr: 10.42.0.0/16, hostPrefix: 23}], networkType: Calico}}
---
{apiVersion: crd.projectcalico.org/v1, kind: BGPConfiguration, metadata: {name: default}, spec: {}}
---
{apiVersion: crd.projectcalico.org/v1, kind: IPAMConfig, metadata: {name: default}, spec: {strictAffinity: true, autoAllocateBlocks: true}}
";
const QUOTA: &str = "{apiVersion: v1, kind: ResourceQuota, metadata: {name: calico-critical-pods, namespace: calico-system}, spec: {hard: {pods: 1k}}}";
const FORMER_POLICIES: &str = "
{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: goldmane, namespace: calico-system, labels: {app.kubernetes.io/managed-by: tigera-operator}}, spec: {podSelector: {}}}
---
{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: whisker, namespace: calico-system, labels: {app.kubernetes.io/managed-by: tigera-operator}}, spec: {podSelector: {}}}
";

const FORMER_API_SERVER: &str = "
{apiVersion: v1, kind: Namespace, metadata: {name: calico-apiserver, labels: {app.kubernetes.io/managed-by: tigera-operator}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: calico-apiserver, namespace: calico-apiserver, labels: {app.kubernetes.io/managed-by: tigera-operator}}, spec: {replicas: 0, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: a}]}}}}
---
{apiVersion: v1, kind: Service, metadata: {name: calico-api, namespace: calico-apiserver, labels: {app.kubernetes.io/managed-by: tigera-operator}}, spec: {ports: [{port: 443}]}}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: calico-apiserver, namespace: calico-apiserver, labels: {app.kubernetes.io/managed-by: tigera-operator}}, spec: {maxUnavailable: 1}}
";
const API_SERVER: &str = "{apiVersion: operator.tigera.io/v1, kind: APIServer, metadata: {name: default}, spec: {}}";

/// An object, by API version, kind, namespace and name.
type Name<'a> = (&'a str, &'a str, Option<&'a str>, &'a str);

pub async fn run(cluster: &ControlPlane) {
    grant(cluster, None, &["docker-enterprise"]).unwrap();
    cluster.apply_yaml(include_str!("../../../src/openshift.yaml")).await.unwrap();
    cluster.apply_yaml(BEFORE).await.unwrap();
    outdate_crds(cluster).await;
    let operator = Operator::start(cluster, &["--manage-crds"]).unwrap();
    install(cluster).await.unwrap();
    put_back(cluster).await.unwrap();
    no_pods(cluster).await.unwrap();
    features(cluster).await.unwrap();
    assert!(operator.stop().await.unwrap().success());
    let operator = Operator::start(cluster, &["--manage-crds"]).unwrap();
    state(cluster, "").await.unwrap();
    remove(cluster).await.unwrap();
    migrate(cluster).await.unwrap();
    assert!(operator.stop().await.unwrap().success());
}

/// One that is missing is created, one that differs is updated.
async fn outdate_crds(cluster: &ControlPlane) {
    let crds: Api<CustomResourceDefinition> = Api::all(cluster.client());
    let image_sets = "imagesets.operator.tigera.io";
    crds.delete(image_sets, &DeleteParams::default()).await.unwrap();
    there(cluster, ("apiextensions.k8s.io/v1", "CustomResourceDefinition", None, image_sets), false).await.unwrap();
    let change = Patch::Merge(json!({"spec": {"names": {"shortNames": ["outdated"]}}}));
    crds.patch("tigerastatuses.operator.tigera.io", &PatchParams::default(), &change).await.unwrap();
}

async fn state(cluster: &ControlPlane, spec: &str) -> Result<()> {
    let spec = if spec.is_empty() { String::new() } else { format!("{spec}, ") };
    let yaml = format!(
        "{{apiVersion: operator.tigera.io/v1, kind: Installation, metadata: {{name: default}}, spec: {{{spec}imagePullSecrets: [{{name: wool}}]}}}}"
    );
    cluster.apply_yaml(&yaml).await.map(drop)
}

async fn install(cluster: &ControlPlane) -> Result<()> {
    let served = || async { Ok(state(cluster, "typhaMetricsPort: 9093").await.ok()) };
    cluster.wait_for("the Installation to be taken", DEADLINE, served).await?;
    wait_available(cluster).await?;
    api_server(cluster).await?;
    flows(cluster).await?;
    charts(cluster).await?;
    connection(cluster).await?;
    let image_set =
        "{apiVersion: operator.tigera.io/v1, kind: ImageSet, metadata: {name: calico-v0.0.1}, spec: {images: []}}";
    cluster.apply_yaml(image_set).await?;
    asked(cluster, "get", "imagesets").await?;
    chimera_e2e::cluster::delete(&cluster.client(), &serde_saphyr::from_str(image_set)?).await
}

/// Calico's API server, where an earlier release ran one in a namespace of its own, and what can be only once it answers.
async fn api_server(cluster: &ControlPlane) -> Result<()> {
    cluster.apply_yaml(FORMER_API_SERVER).await?;
    cluster.apply_yaml(API_SERVER).await?;
    for name in ["apiserver", "tiers"] {
        cluster::wait_condition(cluster, name, "Available").await?;
    }
    there(cluster, ("v1", "Namespace", None, "calico-apiserver"), false).await?;
    for (namespace, name) in [
        ("calico-system", "calico-system.default-deny"),
        ("calico-system", "calico-system.apiserver-access"),
        ("openshift-dns", "calico-system.cluster-dns"),
    ] {
        there(cluster, ("projectcalico.org/v3", "NetworkPolicy", Some(namespace), name), true).await?;
    }
    let tier = get(&cluster.client(), "projectcalico.org/v3", "Tier", None, "calico-system").await?.unwrap_or_default();
    let change = Patch::Merge(json!({"spec": {"order": 200}}));
    api(cluster, &tier).patch("calico-system", &PatchParams::default(), &change).await?;
    asked(cluster, "update", "tiers").await?;
    let policy = ("projectcalico.org/v3", "NetworkPolicy", Some("calico-system"), "calico-system.default-deny");
    state(cluster, "networkPolicy: {managePolicies: Disabled}").await?;
    there(cluster, policy, false).await?;
    state(cluster, "typhaMetricsPort: 9093").await?;
    there(cluster, policy, true).await
}

/// Resources whose charts this build has not; what it needs where it has them is printed by `chimera charts`.
async fn charts(cluster: &ControlPlane) -> Result<()> {
    for (kind, name) in [("GatewayAPI", "gatewayapi"), ("Istio", "istio")] {
        let resource = format!("{{apiVersion: operator.tigera.io/v1, kind: {kind}, metadata: {{name: default}}}}");
        cluster.apply_yaml(&resource).await?;
        cluster::wait_condition(cluster, name, "Degraded").await?;
        let client = cluster.client();
        let told = || async {
            let live = get(&client, "operator.tigera.io/v1", kind, None, "default").await?;
            Ok(live.filter(|live| live["status"]["conditions"].is_array()))
        };
        let live = cluster.wait_for(&format!("the status of {kind}"), DEADLINE, told).await?;
        cluster::delete(&client, &live).await?;
        there(cluster, ("operator.tigera.io/v1", "TigeraStatus", None, name), false).await?;
    }
    Ok(())
}

/// Goldmane and Whisker, where a release before them has left a network policy behind.
async fn flows(cluster: &ControlPlane) -> Result<()> {
    let goldmane = |spec: &str| {
        format!("{{apiVersion: operator.tigera.io/v1, kind: Goldmane, metadata: {{name: default}}, spec: {{{spec}}}}}")
    };
    cluster.apply_yaml(FORMER_POLICIES).await?;
    cluster.apply_yaml(&goldmane("metricsPort: 9081")).await?;
    cluster.apply_yaml("{apiVersion: operator.tigera.io/v1, kind: Whisker, metadata: {name: default}}").await?;
    for name in ["goldmane", "whisker"] {
        cluster::wait_condition(cluster, name, "Available").await?;
        there(cluster, ("networking.k8s.io/v1", "NetworkPolicy", Some("calico-system"), name), false).await?;
    }
    let information = "{apiVersion: crd.projectcalico.org/v1, kind: ClusterInformation, metadata: {name: default}, spec: {clusterGUID: wool}}";
    cluster.apply_yaml(information).await?;
    asked(cluster, "get", "clusterinformations").await?;
    cluster.apply_yaml(&goldmane("metricsPort: 0")).await?;
    there(cluster, ("v1", "Service", Some("calico-system"), "goldmane-metrics"), false).await
}

/// The connection to a managing cluster.
async fn connection(cluster: &ControlPlane) -> Result<()> {
    let connection = "{apiVersion: operator.tigera.io/v1, kind: ManagementClusterConnection, metadata: {name: default}, spec: {managementClusterAddr: 'meadow:9449'}}";
    cluster.apply_yaml(connection).await?;
    cluster::wait_condition(cluster, "management-cluster-connection", "Available").await.map(drop)
}

/// Whatever somebody changes is put back, and what cannot be changed in place is made anew.
async fn put_back(cluster: &ControlPlane) -> Result<()> {
    let mut changed = Vec::new();
    for object in compare::written(cluster).await? {
        if object.pointer("/metadata/labels").and_then(|labels| labels.get(MANAGED)).is_some() {
            let change = Patch::Merge(json!({"metadata": {"labels": {MANAGED: "somebody"}}}));
            api(cluster, &object).patch(name(&object), &PatchParams::default(), &change).await?;
            changed.push(object);
        }
    }
    ensure!(changed.len() > 25, "only {} objects were changed", changed.len());
    for object in &changed {
        let back = || async {
            let live = api(cluster, object).get(name(object)).await?;
            Ok((live.metadata.labels.unwrap_or_default().get(MANAGED).map(String::as_str) == Some("tigera-operator"))
                .then_some(()))
        };
        cluster.wait_for(&format!("{} {} to be put back", object["kind"], name(object)), DEADLINE, back).await?;
    }
    for of in [
        (RBAC, "ClusterRoleBinding", None, "calico-typha"),
        (RBAC, "RoleBinding", Some("calico-system"), "tigera-operator-secrets"),
    ] {
        replaced(cluster, of, |object| object["roleRef"]["name"] = "view".into(), "/roleRef/name").await?;
    }
    let secret = ("v1", "Secret", Some("calico-system"), "node-certs");
    replaced(cluster, secret, |object| object["type"] = "example.com/other".into(), "/type").await
}

/// Puts another object in its place, and waits until the operator has made its own again.
async fn replaced(cluster: &ControlPlane, of: Name<'_>, change: impl Fn(&mut Value), pointer: &str) -> Result<()> {
    let (api_version, kind, namespace, name) = of;
    let own = get(&cluster.client(), api_version, kind, namespace, name).await?.unwrap_or_default();
    let mut other = own.clone();
    change(&mut other);
    other["metadata"] = json!({"name": name, "namespace": namespace, "labels": {MANAGED: "tigera-operator"}});
    let api = api(cluster, &own);
    // The operator may be faster than the next request.
    let swapped = || async {
        api.delete(name, &DeleteParams::default()).await?;
        let created = api.create(&kube::api::PostParams::default(), &serde_json::from_value(other.clone())?).await;
        Ok(created.ok().map(drop))
    };
    cluster.wait_for(&format!("another {kind} {name}"), DEADLINE, swapped).await?;
    let back = || async {
        let live = get(&cluster.client(), api_version, kind, namespace, name).await?;
        Ok((live.as_ref().and_then(|live| live.pointer(pointer)) == own.pointer(pointer)).then_some(()))
    };
    cluster.wait_for(&format!("{kind} {name} to be made anew"), DEADLINE, back).await
}

/// Pods of a DaemonSet that the cluster does not let be created.
async fn no_pods(cluster: &ControlPlane) -> Result<()> {
    let none = "{apiVersion: v1, kind: ResourceQuota, metadata: {name: none, namespace: calico-system}, spec: {hard: {pods: 0}}}";
    let quota = cluster.apply_yaml(none).await?;
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "Pod"));
    let pods: Api<DynamicObject> = Api::namespaced_with(cluster.client(), "calico-system", &kind);
    let drivers = kube::api::ListParams::default().labels("k8s-app=csi-node-driver");
    pods.delete_collection(&DeleteParams::default().grace_period(0), &drivers).await?;
    asked(cluster, "list", "events").await?;
    for quota in &quota {
        chimera_e2e::cluster::delete(&cluster.client(), quota).await?;
    }
    Ok(())
}

async fn features(cluster: &ControlPlane) -> Result<()> {
    let csi = [
        ("apps/v1", "DaemonSet", Some("calico-system"), "csi-node-driver"),
        ("storage.k8s.io/v1", "CSIDriver", None, "csi.tigera.io"),
        ("v1", "ServiceAccount", Some("calico-system"), "csi-node-driver"),
    ];
    state(cluster, "kubeletVolumePluginPath: None").await?;
    for object in csi {
        there(cluster, object, false).await?;
    }
    there(cluster, ("v1", "Service", Some("calico-system"), "calico-typha-metrics"), false).await?;

    pools(cluster).await?;
    certificates(cluster).await?;
    state(cluster, "serviceCIDRs: [10.96.0.0/16], calicoNetwork: {windowsDataplane: HNS, bgp: Disabled, ipPools: [{cidr: 10.42.0.0/16, encapsulation: VXLAN}]}").await?;
    asked(cluster, "get", "ipamconfigs").await?;
    there(cluster, ("v1", "ConfigMap", Some("calico-system"), "cni-config-windows"), true).await?;
    // Both of them would be too much.
    let endpoint = ("v1", "ConfigMap", Some("tigera-operator"), "kubernetes-services-endpoint");
    let live = get(&cluster.client(), endpoint.0, endpoint.1, endpoint.2, endpoint.3).await?.unwrap_or_default();
    cluster::delete(&cluster.client(), &live).await?;
    state(cluster, "calicoNetwork: {linuxDataplane: BPF, bpfNetworkBootstrap: Enabled, kubeProxyManagement: Enabled}")
        .await?;
    asked(cluster, "patch", "daemonsets").await?;
    asked(cluster, "list", "endpointslices").await?;
    asked(cluster, "update", "felixconfigurations").await?;
    there(cluster, ("v1", "ConfigMap", Some("calico-system"), "cni-config-windows"), false).await?;
    providers(cluster).await
}

async fn pools(cluster: &ControlPlane) -> Result<()> {
    state(cluster, "calicoNetwork: {ipPools: [{cidr: 10.42.0.0/16}, {name: meadow, cidr: 10.77.0.0/16}]}").await?;
    let meadow = ("crd.projectcalico.org/v1", "IPPool", None, "meadow");
    there(cluster, meadow, true).await?;
    state(
        cluster,
        "calicoNetwork: {ipPools: [{cidr: 10.42.0.0/16}, {name: meadow, cidr: 10.77.0.0/16, natOutgoing: Disabled}]}",
    )
    .await?;
    asked(cluster, "update", "ippools").await?;
    state(cluster, "calicoNetwork: {ipPools: [{cidr: 10.42.0.0/16}]}").await?;
    there(cluster, meadow, false).await
}

async fn certificates(cluster: &ControlPlane) -> Result<()> {
    let cases = Case::served()?;
    let case = cases.iter().find(|case| case.name == "certificate-management");
    cluster.apply_yaml(&case.map(|case| case.apply.clone()).unwrap_or_default()).await?;
    let role = (RBAC, "ClusterRole", None, "tigera-csr-creator");
    there(cluster, role, true).await?;
    let bindings = [
        "calico-node:csr-creator",
        "calico-typha:csr-creator",
        "calico-kube-controllers:csr-creator",
        "calico-apiserver:csr-creator",
        "goldmane:csr-creator",
        "guardian:csr-creator",
        "whisker:csr-creator",
    ];
    for binding in bindings {
        there(cluster, (RBAC, "ClusterRoleBinding", None, binding), true).await?;
    }
    state(cluster, &format!("certificateManagement: {}", requests::management(cluster).await?)).await?;
    requests::obtain(cluster, "calico-typha", "typha-certs", "typha-server").await?;
    state(cluster, "").await?;
    for binding in bindings {
        there(cluster, (RBAC, "ClusterRoleBinding", None, binding), false).await?;
    }
    there(cluster, role, false).await
}

async fn providers(cluster: &ControlPlane) -> Result<()> {
    let role = (RBAC, "Role", Some("calico-system"), "csi-node-driver");
    let endpoints = (RBAC, "ClusterRoleBinding", None, "calico-kube-controllers-endpoint-controller");
    state(cluster, "kubernetesProvider: OpenShift").await?;
    there(cluster, role, true).await?;
    there(cluster, endpoints, true).await?;
    asked(cluster, "update", "networks").await?;
    put_back_role(cluster).await?;
    let admin = (RBAC, "ClusterRoleBinding", None, "calico-cluster-admin");
    state(cluster, "kubernetesProvider: DockerEnterprise").await?;
    there(cluster, admin, true).await?;
    there(cluster, role, false).await?;
    there(cluster, endpoints, false).await?;
    // One of this name that somebody else has made.
    cluster.apply_yaml(QUOTA).await?;
    state(cluster, "kubernetesProvider: GKE, cni: {type: Calico}").await?;
    asked(cluster, "update", "resourcequotas").await?;
    there(cluster, admin, false).await
}

async fn put_back_role(cluster: &ControlPlane) -> Result<()> {
    for kind in ["Role", "RoleBinding"] {
        let live =
            get(&cluster.client(), RBAC, kind, Some("calico-system"), "csi-node-driver").await?.unwrap_or_default();
        let change = Patch::Merge(json!({"metadata": {"labels": {MANAGED: "somebody"}}}));
        api(cluster, &live).patch("csi-node-driver", &PatchParams::default(), &change).await?;
    }
    asked(cluster, "update", "roles").await
}

async fn remove(cluster: &ControlPlane) -> Result<()> {
    for kind in ["Whisker", "Goldmane"] {
        let live = get(&cluster.client(), "operator.tigera.io/v1", kind, None, "default").await?.unwrap_or_default();
        cluster::delete(&cluster.client(), &live).await?;
        there(cluster, ("operator.tigera.io/v1", "TigeraStatus", None, &kind.to_lowercase()), false).await?;
    }
    let installation = ("operator.tigera.io/v1", "Installation", None, "default");
    let live = get(&cluster.client(), installation.0, installation.1, None, "default").await?.unwrap_or_default();
    cluster::delete(&cluster.client(), &live).await?;
    for of in [
        installation,
        ("v1", "Namespace", None, "calico-system"),
        ("operator.tigera.io/v1", "TigeraStatus", None, "calico"),
    ] {
        there(cluster, of, false).await?;
    }
    Ok(())
}

async fn migrate(cluster: &ControlPlane) -> Result<()> {
    // Something that goes into FelixConfiguration before nodes move.
    let health = "{name: FELIX_HEALTHENABLED, value: \"true\"}";
    let more = format!("{health}\n        - {{name: FELIX_LOGSEVERITYSCREEN, value: WARNING}}");
    ensure!(MANIFEST.contains(health), "the manifest install has changed");
    cluster.apply_yaml(&MANIFEST.replace(health, &more)).await?;
    // A node without a pod of it has nothing to move.
    let running = || async {
        let live = get(&cluster.client(), "apps/v1", "DaemonSet", Some("kube-system"), "calico-node").await?;
        let ready = live.as_ref().and_then(|live| live.pointer("/status/numberReady")).and_then(Value::as_i64);
        Ok((ready == Some(2)).then_some(()))
    };
    cluster.wait_for("the manifest install to run", DEADLINE, running).await?;
    state(cluster, "").await?;
    for of in [
        ("apps/v1", "DaemonSet", Some("kube-system"), "calico-node"),
        ("apps/v1", "Deployment", Some("kube-system"), "calico-typha"),
        ("v1", "ServiceAccount", Some("kube-system"), "calico-node"),
        (RBAC, "ClusterRole", None, "calico-node-manifest-install"),
        (RBAC, "ClusterRole", None, "calico-cni-plugin-manifest-install"),
    ] {
        there(cluster, of, false).await?;
    }
    wait_available(cluster).await
}

fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}

fn api(cluster: &ControlPlane, object: &Value) -> Api<DynamicObject> {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let (group, version) = text("/apiVersion").split_once('/').unwrap_or(("", text("/apiVersion")));
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, text("/kind")));
    match text("/metadata/namespace") {
        "" => Api::all_with(cluster.client(), &resource),
        namespace => Api::namespaced_with(cluster.client(), namespace, &resource),
    }
}

/// Waits until an object is there, or is not.
async fn there(cluster: &ControlPlane, (api_version, kind, namespace, name): Name<'_>, wanted: bool) -> Result<()> {
    let client = cluster.client();
    let check = || async {
        let found = get(&client, api_version, kind, namespace, name).await?;
        Ok((found.is_some() == wanted).then_some(()))
    };
    let what = format!("{kind} {name} to be {}", if wanted { "there" } else { "gone" });
    cluster.wait_for(&what, DEADLINE, check).await
}

/// Waits until the operator has asked for something and got it.
async fn asked(cluster: &ControlPlane, verb: &str, resource: &str) -> Result<()> {
    let is = |event: &AuditEvent| {
        event.user == OPERATOR_USER && event.verb == verb && event.resource == resource && event.code < 400
    };
    let check = || async { Ok(cluster.audit().await?.iter().any(is).then_some(())) };
    cluster.wait_for(&format!("the operator to {verb} {resource}"), DEADLINE, check).await
}
