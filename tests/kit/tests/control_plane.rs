//! The control plane does what a cluster does.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use chimera_kit::{ADMIN, ControlPlane, MASTERS};
use k8s_openapi::api::apps::v1::{DaemonSet, Deployment};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod};
use kube::Api;
use kube::api::{DeleteParams, ListParams, PostParams};
use serde_json::Value;

const DEADLINE: Duration = Duration::from_secs(90);

const WORKLOADS: &str = include_str!("data/workloads.yaml");

async fn start(nodes: usize) -> Result<ControlPlane> {
    ControlPlane::builder().nodes(nodes).start().await
}

fn names(objects: &[Value]) -> Vec<String> {
    let text = |object: &Value, path| object.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    objects.iter().map(|object| text(object, "/kind") + "/" + &text(object, "/metadata/name")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn pods_of_every_workload_run_on_three_ready_nodes() -> Result<()> {
    let cluster = start(3).await?;
    let client = cluster.client();
    let nodes = Api::<Node>::all(client.clone()).list(&ListParams::default()).await?;
    assert_eq!(
        nodes.iter().filter_map(|node| node.metadata.name.as_deref()).collect::<Vec<_>>(),
        ["node-1", "node-2", "node-3"]
    );

    cluster.apply_yaml(WORKLOADS).await?;
    let deployments = &Api::<Deployment>::default_namespaced(client.clone());
    let available = || async {
        let status = deployments.get("web").await?.status.context("no status")?;
        Ok((status.available_replicas == Some(2)).then_some(()))
    };
    cluster.wait_for("a Deployment with init containers to be available", DEADLINE, available).await?;

    let daemons = &Api::<DaemonSet>::default_namespaced(client.clone());
    let ready = || async {
        let status = daemons.get("agent").await?.status.context("no status")?;
        Ok((status.desired_number_scheduled == 3 && status.number_ready == 3).then_some(()))
    };
    cluster.wait_for("a DaemonSet in the host network to be ready everywhere", DEADLINE, ready).await?;

    let jobs = &Api::<Job>::default_namespaced(client.clone());
    let complete = || async { Ok(jobs.get("once").await?.status.and_then(|status| status.completion_time)) };
    cluster.wait_for("a Job to complete", DEADLINE, complete).await?;

    let pods = &Api::<Pod>::default_namespaced(client.clone());
    let agents = pods.list(&ListParams::default().labels("app=agent")).await?;
    for status in agents.items.into_iter().filter_map(|pod| pod.status) {
        ensure!(status.pod_ip.is_some() && status.pod_ip == status.host_ip, "a pod is not in the host network");
    }

    deployments.delete("web", &DeleteParams::default()).await?;
    let gone =
        || async { Ok(pods.list(&ListParams::default().labels("app=web")).await?.items.is_empty().then_some(())) };
    cluster.wait_for("the pods of a deleted Deployment to be gone", DEADLINE, gone).await?;
    cluster.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn two_control_planes_at_once_do_not_meet() -> Result<()> {
    let (one, two) = tokio::try_join!(start(1), start(2))?;
    assert_ne!(one.url(), two.url());
    assert_ne!(one.dir(), two.dir());
    one.apply_yaml("{apiVersion: v1, kind: ConfigMap, metadata: {name: mine}}").await?;
    assert!(Api::<ConfigMap>::default_namespaced(one.client()).get_opt("mine").await?.is_some());
    assert!(Api::<ConfigMap>::default_namespaced(two.client()).get_opt("mine").await?.is_none());
    let nodes = Api::<Node>::all(two.client()).list(&ListParams::default()).await?;
    assert_eq!(nodes.items.len(), 2);
    tokio::try_join!(one.stop(), two.stop())?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_audit_log_tells_users_and_what_they_did_apart() -> Result<()> {
    let cluster = start(0).await?;
    let operator = cluster.client_for("chimera", &[MASTERS, "second"]).await?;
    let stranger = cluster.client_for("stranger", &[]).await?;
    let map: ConfigMap = serde_json::from_str(r#"{"metadata": {"name": "theirs"}}"#)?;
    let maps = |client| Api::<ConfigMap>::default_namespaced(client);

    maps(operator.clone()).create(&PostParams { dry_run: true, ..Default::default() }, &map).await?;
    maps(operator.clone()).create(&PostParams::default(), &map).await?;
    maps(operator).get("theirs").await?;
    let refused = maps(stranger).create(&PostParams::default(), &map).await.expect_err("RBAC is off");
    ensure!(refused.to_string().contains("forbidden"), "refused for another reason: {refused}");
    cluster.apply_yaml("{apiVersion: v1, kind: ConfigMap, metadata: {name: ours}}").await?;

    let audit = cluster.audit().await?;
    let written = audit.writes_by("chimera");
    assert_eq!(written.len(), 1, "{written:?}");
    let event = &written[0];
    assert_eq!((event.verb.as_str(), event.resource.as_str(), event.code), ("create", "configmaps", 201));
    assert_eq!((event.namespace.as_str(), event.api_group.as_str()), ("default", ""));
    assert_eq!(audit.reads_by("chimera").len(), 1);
    assert_eq!(audit.filter(|event| event.user == "chimera" && event.dry_run).len(), 1);
    assert_eq!(audit.writes_by("stranger").iter().map(|event| event.code).collect::<Vec<_>>(), [403]);
    assert!(audit.writes_by(ADMIN).iter().any(|event| event.verb == "patch" && event.name == "ours"));
    assert!(audit.after(&event.timestamp).writes_by("chimera").is_empty());
    cluster.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn custom_resources_apply_together_with_their_definition_and_are_dumped() -> Result<()> {
    let cluster = start(0).await?;
    cluster.apply_yaml(include_str!("data/custom.yaml")).await?;
    let dump = cluster.dump().await?;
    let names = names(&dump);
    for name in ["Widget/first", "CustomResourceDefinition/widgets.kit.example.com", "Namespace/default"] {
        assert!(names.iter().any(|found| found == name), "{name} is not among {names:?}");
    }
    let widget = dump.iter().find(|object| object["kind"] == "Widget").context("no widget")?;
    assert_eq!(widget["apiVersion"], "kit.example.com/v1");
    assert_eq!(widget["spec"]["size"], 3);
    let refused = cluster.apply_yaml("{apiVersion: v1, kind: ConfigMap, metadata: {name: UPPER}}").await;
    let message = format!("{:#}", refused.expect_err("an invalid name was taken"));
    assert!(message.contains("ConfigMap UPPER"), "{message}");
    cluster.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_control_plane_starts_from_the_data_of_another() -> Result<()> {
    let first = start(1).await?;
    first.apply_yaml("{apiVersion: v1, kind: ConfigMap, metadata: {name: kept}}").await?;
    // As good as a backup: etcd has nothing in flight, and its log is replayed.
    let second = ControlPlane::builder().etcd_data(first.dir()).nodes(1).start().await?;
    first.stop().await?;
    assert!(Api::<ConfigMap>::default_namespaced(second.client()).get_opt("kept").await?.is_some());
    second.stop().await?;

    let empty = tempfile::tempdir()?;
    let refused = ControlPlane::builder().etcd_data(empty.path()).start().await;
    let message = format!("{:#}", refused.err().context("an empty directory was taken")?);
    assert!(message.contains("no data directory of etcd"), "{message}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stage_of_the_tests_own_keeps_pods_from_becoming_ready() -> Result<()> {
    let cluster = ControlPlane::builder().nodes(1).stage(include_str!("data/broken.yaml")).start().await?;
    cluster.apply_yaml(include_str!("data/pods.yaml")).await?;
    let pods = &Api::<Pod>::default_namespaced(cluster.client());
    let phase = |name| async move { Ok::<_, kube::Error>(pods.get(name).await?.status.unwrap_or_default()) };
    let settled = || async {
        let broken = phase("broken").await?.container_statuses.unwrap_or_default();
        let waiting = broken.iter().any(|status| status.state.as_ref().is_some_and(|state| state.waiting.is_some()));
        Ok((waiting && phase("sound").await?.phase.as_deref() == Some("Running")).then_some(()))
    };
    cluster.wait_for("one pod to run and the other to wait for its image", DEADLINE, settled).await?;
    assert_eq!(phase("broken").await?.phase.as_deref(), Some("Pending"));
    cluster.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_cannot_run_is_named_with_its_log() -> Result<()> {
    let builder = ControlPlane::builder().nodes(1);
    let started = builder.stage("{apiVersion: kwok.x-k8s.io/v1alpha1, kind: Stage, spec: 7}").start();
    let message = format!("{:#}", started.await.err().context("a malformed stage was taken")?);
    assert!(message.contains("kwok ended") && message.contains("unmarshal"), "{message}");
    Ok(())
}
