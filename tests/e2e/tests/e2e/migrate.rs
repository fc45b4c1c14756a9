//! A manifest install of Calico becomes the operator's, one node after another.

use std::collections::BTreeMap;
use std::process::{Command, Output};

use anyhow::{Result, ensure};
use chimera_e2e::OPERATOR_USER;
use chimera_e2e::cluster::{self, DEADLINE, get, wait_available, wait_condition};
use chimera_e2e::operator::{Operator, binary};
use chimera_kit::{AuditLog, ControlPlane, MASTERS};
use k8s_openapi::api::apps::v1::DaemonSet;
use k8s_openapi::api::core::v1::{Node, Pod};
use kube::Api;
use kube::api::{ListParams, Patch, PatchParams};
use serde_json::{Value, json};

const INSTALL: &str = include_str!("../../../../host/core/src/migrate/testdata/manifest-install.yaml");
const INSTALLATION: &str =
    "{apiVersion: operator.tigera.io/v1, kind: Installation, metadata: {name: default}, spec: {}}";
/// What calico-node made when it started for the first time.
const POOL: &str = "{apiVersion: crd.projectcalico.org/v1, kind: IPPool, metadata: {name: default-ipv4-ippool}, spec: {\
                    cidr: 10.77.0.0/16, ipipMode: Always, vxlanMode: Never, natOutgoing: true, blockSize: 26, nodeSelector: all()}}";
const LABEL: &str = "projectcalico.org/operator-node-migration";
/// Labels the node that shall not be ready.
const AWAY: &str = "example.com/away";

/// A node with that label is not ready for as long as it has it.
const STAGES: [&str; 2] = [
    r#"{apiVersion: kwok.x-k8s.io/v1alpha1, kind: Stage, metadata: {name: node-goes}, spec: {
        resourceRef: {apiGroup: v1, kind: Node}, weight: 1,
        selector: {matchLabels: {example.com/away: "true"}, matchExpressions: [
            {key: '.status.conditions.[] | select( .type == "Ready" ) | .status', operator: In, values: ['True']}]},
        next: {statusTemplate: '{conditions: [{type: Ready, status: "False", reason: Away, message: away,
            lastHeartbeatTime: {{ Now | Quote }}, lastTransitionTime: {{ Now | Quote }}}]}'}}}
"#,
    r#"{apiVersion: kwok.x-k8s.io/v1alpha1, kind: Stage, metadata: {name: node-stays-away}, spec: {
        resourceRef: {apiGroup: v1, kind: Node}, weight: 1,
        selector: {matchLabels: {example.com/away: "true"}, matchExpressions: [
            {key: '.status.conditions.[] | select( .type == "Ready" ) | .status', operator: NotIn, values: ['True']}]},
        delay: {durationMilliseconds: 3600000}, next: {statusTemplate: '{phase: Running}'}}}
"#,
];

#[tokio::test]
async fn nodes_of_a_manifest_install_move_one_at_a_time_and_one_that_is_not_ready_does_not_hold_up_the_others() {
    let builder = ControlPlane::builder().nodes(3).stage(STAGES[0]).stage(STAGES[1]);
    let cluster = cluster::with_crds_on(builder).await.unwrap();
    for yaml in [INSTALL, POOL] {
        cluster.apply_yaml(yaml).await.unwrap();
    }
    running(&cluster, 3).await.unwrap();
    away(&cluster, "node-3", true).await.unwrap();

    let check = check(&cluster, &[]).unwrap();
    assert_eq!(check.status.code(), Some(0), "{}{}", text(&check.stdout), text(&check.stderr));
    assert!(text(&check.stdout).contains("it can be taken over"));
    assert!(line(&text(&check.stdout), "node-3").contains("waits"), "{}", text(&check.stdout));
    assert_eq!(cluster.audit().await.unwrap().writes_by("checker").len(), 0);

    let operator = Operator::start(&cluster, &[]).unwrap();
    cluster.apply_yaml(INSTALLATION).await.unwrap();
    wait_label(&cluster, "node-1", Some("migrated")).await.unwrap();
    wait_label(&cluster, "node-2", Some("migrated")).await.unwrap();
    let moved = wait_pods(&cluster, &["node-1", "node-2"]).await.unwrap();
    told(&cluster, "Node node-3: it is not ready").await.unwrap();
    assert_eq!(label(&cluster, "node-3").await.unwrap().as_deref(), Some("pre-operator"));

    assert!(operator.stop().await.unwrap().success());
    let operator = Operator::start(&cluster, &[]).unwrap();
    away(&cluster, "node-3", false).await.unwrap();
    for node in ["node-1", "node-2", "node-3"] {
        wait_label(&cluster, node, None).await.unwrap();
    }
    wait_available(&cluster).await.unwrap();

    one_at_a_time(&cluster).await.unwrap();
    nothing_is_left(&cluster).await.unwrap();
    let pods = wait_pods(&cluster, &["node-1", "node-2", "node-3"]).await.unwrap();
    for (node, uid) in moved {
        assert_eq!(pods.get(&node), Some(&uid), "the pod on {node} was started once");
    }
    what_ran_is_in_force(&cluster).await.unwrap();
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_manifest_install_that_cannot_be_carried_over_is_refused_and_left_alone() {
    let cluster = cluster::with_crds(1).await.unwrap();
    cluster.apply_yaml(&INSTALL.replace("name: WAIT_FOR_DATASTORE", "name: WOOL")).await.unwrap();
    running(&cluster, 1).await.unwrap();
    let before = old_daemon_set(&cluster).await.unwrap().unwrap();

    let refused = check(&cluster, &["-o", "json"]).unwrap();
    assert_eq!(refused.status.code(), Some(1), "{}", text(&refused.stderr));
    let told: Value = serde_json::from_slice(&refused.stdout).unwrap();
    assert_eq!(told["blocked"], true);

    let operator = Operator::start(&cluster, &[]).unwrap();
    cluster.apply_yaml(INSTALLATION).await.unwrap();
    let (reason, message) = wait_condition(&cluster, "calico", "Degraded").await.unwrap();
    assert_eq!(reason, "ResourceMigrationError");
    let want = "DaemonSet kube-system/calico-node containers[calico-node].env[WOOL]: true cannot be carried over";
    assert!(message.contains(want), "{message}");
    let after = old_daemon_set(&cluster).await.unwrap().unwrap();
    assert_eq!(after.metadata.generation, before.metadata.generation);
    let new = get(&cluster.client(), "apps/v1", "DaemonSet", Some("calico-system"), "calico-node").await.unwrap();
    assert_eq!(new, None);
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn an_installation_that_is_deleted_while_nodes_move_gives_them_back_to_the_manifest_install() {
    let builder = ControlPlane::builder().nodes(2).stage(STAGES[0]).stage(STAGES[1]);
    let cluster = cluster::with_crds_on(builder).await.unwrap();
    for yaml in [INSTALL, POOL] {
        cluster.apply_yaml(yaml).await.unwrap();
    }
    running(&cluster, 2).await.unwrap();
    away(&cluster, "node-2", true).await.unwrap();
    let operator = Operator::start(&cluster, &[]).unwrap();
    cluster.apply_yaml(INSTALLATION).await.unwrap();
    wait_label(&cluster, "node-1", Some("migrated")).await.unwrap();
    wait_pods(&cluster, &["node-1"]).await.unwrap();

    let client = cluster.client();
    let installation = get(&client, "operator.tigera.io/v1", "Installation", None, "default").await.unwrap().unwrap();
    cluster::delete(&client, &installation).await.unwrap();
    for node in ["node-1", "node-2"] {
        wait_label(&cluster, node, None).await.unwrap();
    }
    // Pods on a node that is away cannot end, and are waited for.
    away(&cluster, "node-2", false).await.unwrap();
    let gone = || async {
        let found = get(&cluster.client(), "v1", "Namespace", None, "calico-system").await?;
        Ok(found.is_none().then_some(()))
    };
    cluster.wait_for("the operator's install to be gone", DEADLINE, gone).await.unwrap();
    let back = || async {
        let api: Api<Pod> = Api::namespaced(cluster.client(), "kube-system");
        let pods = api.list(&ListParams::default().labels("k8s-app=calico-node")).await?.items;
        Ok(pods.iter().any(|pod| is_ready(pod) && node(pod).as_deref() == Some("node-1")).then_some(()))
    };
    cluster.wait_for("node-1 to be served by the manifest install", DEADLINE, back).await.unwrap();
    let old = serde_json::to_value(old_daemon_set(&cluster).await.unwrap().unwrap()).unwrap();
    assert!(
        !old.pointer("/spec/template/spec/nodeSelector").unwrap_or(&Value::Null).to_string().contains(LABEL),
        "{old}"
    );
    assert_eq!(old.pointer("/spec/updateStrategy/type"), Some(&json!("RollingUpdate")));
    let of = |api_version: &'static str, kind: &'static str, namespace: Option<&'static str>, name: &'static str| {
        let client = cluster.client();
        async move { get(&client, api_version, kind, namespace, name).await.unwrap() }
    };
    let controllers = of("apps/v1", "Deployment", Some("kube-system"), "calico-kube-controllers").await.unwrap();
    assert_eq!(controllers["spec"]["replicas"], 1);
    let rights = of("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", None, "calico-node-manifest-install").await;
    assert!(rights.is_some(), "the old account keeps its rights");
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}

/// Waits until the status, while nodes move, says this.
async fn told(cluster: &ControlPlane, want: &str) -> Result<()> {
    let client = cluster.client();
    let found = cluster.wait_for(want, DEADLINE, || async {
        let progressing = cluster::condition(&client, "calico", "Progressing").await?;
        Ok(progressing.filter(|(status, _, message)| status == "True" && message.contains(want)).map(drop))
    });
    found.await
}

fn check(cluster: &ControlPlane, flags: &[&str]) -> Result<Output> {
    let kubeconfig = cluster.kubeconfig_for("checker", &[MASTERS])?;
    let mut command = Command::new(binary()?);
    command.args(["migrate", "--check", "--kubeconfig"]).arg(kubeconfig).args(flags);
    Ok(command.output()?)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn line<'a>(text: &'a str, start: &str) -> &'a str {
    text.lines().find(|line| line.starts_with(start)).unwrap_or_default()
}

async fn old_daemon_set(cluster: &ControlPlane) -> Result<Option<DaemonSet>> {
    Ok(Api::<DaemonSet>::namespaced(cluster.client(), "kube-system").get_opt("calico-node").await?)
}

/// Waits until the manifest install runs on each node.
async fn running(cluster: &ControlPlane, nodes: i32) -> Result<()> {
    let ready = || async {
        let status = old_daemon_set(cluster).await?.and_then(|daemon_set| daemon_set.status).unwrap_or_default();
        Ok((status.number_ready == nodes).then_some(()))
    };
    cluster.wait_for("the manifest install to run", DEADLINE, ready).await
}

async fn away(cluster: &ControlPlane, name: &str, away: bool) -> Result<()> {
    let nodes: Api<Node> = Api::all(cluster.client());
    let value = if away { json!("true") } else { Value::Null };
    let patch = Patch::Merge(json!({"metadata": {"labels": {AWAY: value}}}));
    nodes.patch(name, &PatchParams::default(), &patch).await?;
    let seen = || async {
        let conditions = nodes.get(name).await?.status.and_then(|status| status.conditions).unwrap_or_default();
        let ready = conditions.iter().any(|condition| condition.type_ == "Ready" && condition.status == "True");
        Ok((ready != away).then_some(()))
    };
    cluster.wait_for(&format!("{name} to change"), DEADLINE, seen).await
}

async fn label(cluster: &ControlPlane, name: &str) -> Result<Option<String>> {
    let node = Api::<Node>::all(cluster.client()).get(name).await?;
    Ok(node.metadata.labels.unwrap_or_default().get(LABEL).cloned())
}

async fn wait_label(cluster: &ControlPlane, name: &str, want: Option<&str>) -> Result<()> {
    let what = format!("the label of {name} to be {want:?}");
    let found = cluster
        .wait_for(&what, DEADLINE, || async { Ok((label(cluster, name).await?.as_deref() == want).then_some(())) });
    found.await
}

/// Uids of the operator's pods on nodes, once they are ready.
async fn wait_pods(cluster: &ControlPlane, nodes: &[&str]) -> Result<BTreeMap<String, String>> {
    let ready = || async {
        let pods = pods(cluster).await?;
        let ready: BTreeMap<_, _> =
            pods.into_iter().filter(is_ready).filter_map(|pod| Some((node(&pod)?, pod.metadata.uid?))).collect();
        Ok(nodes.iter().all(|node| ready.contains_key(*node)).then_some(ready))
    };
    cluster.wait_for("the operator's pods to be ready", DEADLINE, ready).await
}

async fn pods(cluster: &ControlPlane) -> Result<Vec<Pod>> {
    let api: Api<Pod> = Api::namespaced(cluster.client(), "calico-system");
    Ok(api.list(&ListParams::default().labels("k8s-app=calico-node")).await?.items)
}

fn node(pod: &Pod) -> Option<String> {
    pod.spec.as_ref()?.node_name.clone()
}

fn is_ready(pod: &Pod) -> bool {
    let conditions = pod.status.as_ref().and_then(|status| status.conditions.as_ref()).into_iter().flatten();
    conditions.into_iter().any(|condition| condition.type_ == "Ready" && condition.status == "True")
}

/// The audit log tells: a node is labelled as moved only after the new pod of the one before was ready.
async fn one_at_a_time(cluster: &ControlPlane) -> Result<()> {
    let audit = cluster.audit().await?;
    let names: BTreeMap<_, _> =
        pods(cluster).await?.iter().filter_map(|pod| Some((pod.metadata.name.clone()?, node(pod)?))).collect();
    let moves = moves(&audit);
    ensure!(moves.len() == 3, "{moves:?}");
    for pair in moves.windows(2) {
        let ((at, name), (next, other)) = (&pair[0], &pair[1]);
        let ready = audit.iter().enumerate().find(|(_, event)| {
            event.resource == "pods" && event.subresource == "status" && names.get(&event.name) == Some(name)
        });
        let Some((ready, _)) = ready else { anyhow::bail!("no pod became ready on {name}") };
        ensure!(*at < ready && ready < *next, "{other} moved while {name} was on its way");
    }
    Ok(())
}

/// Where in the log each node was labelled for the second time: first as served by the old install, then as moved.
fn moves(audit: &AuditLog) -> Vec<(usize, String)> {
    let mut patches: BTreeMap<&str, usize> = BTreeMap::new();
    let mut moves = Vec::new();
    for (at, event) in audit.iter().enumerate() {
        if event.user == OPERATOR_USER && event.resource == "nodes" && event.verb == "patch" {
            let count = patches.entry(&event.name).or_default();
            *count += 1;
            if *count == 2 {
                moves.push((at, event.name.clone()));
            }
        }
    }
    moves
}

async fn nothing_is_left(cluster: &ControlPlane) -> Result<()> {
    let kinds = ["DaemonSet", "Deployment", "Service", "ConfigMap", "ServiceAccount", "PodDisruptionBudget", "Pod"];
    for object in cluster.dump().await? {
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        let kind = object["kind"].as_str().unwrap_or_default();
        let old =
            object["metadata"]["namespace"] == "kube-system" && kinds.contains(&kind) && name.starts_with("calico-");
        ensure!(!old && !name.ends_with("-manifest-install"), "{kind} {name} is left");
    }
    let binding =
        get(&cluster.client(), "rbac.authorization.k8s.io/v1", "ClusterRoleBinding", None, "calico-node").await?;
    let namespace = binding.as_ref().and_then(|binding| binding.pointer("/subjects/0/namespace"));
    ensure!(namespace == Some(&json!("calico-system")), "{binding:?}");
    Ok(())
}

/// The settings of the manifest install hold although nothing states them any more.
async fn what_ran_is_in_force(cluster: &ControlPlane) -> Result<()> {
    let installation = get(&cluster.client(), "operator.tigera.io/v1", "Installation", None, "default").await?;
    let computed = installation.as_ref().and_then(|installation| installation.pointer("/status/computed"));
    let computed = computed.cloned().unwrap_or_default();
    ensure!(computed["flexVolumePath"] == "None", "{computed:#}");
    ensure!(computed["calicoNetwork"]["ipPools"][0]["cidr"] == "10.77.0.0/16", "{computed:#}");
    let pods = pods(cluster).await?;
    let requests = pods[0].spec.as_ref().and_then(|spec| spec.containers[0].resources.as_ref()?.requests.clone());
    ensure!(requests.is_some_and(|requests| requests["cpu"].0 == "250m"), "the CPU request is carried over");
    Ok(())
}
