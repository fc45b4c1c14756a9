//! The status tells the truth: what fails is named as an administrator would want it, and its end clears it.

use chimera_e2e::cluster::{self, DEADLINE, condition, get, wait_available, wait_condition};
use chimera_e2e::messages;
use chimera_e2e::operator::Operator;
use chimera_e2e::quiesce::annotate;
use chimera_kit::ControlPlane;
use k8s_openapi::api::core::v1::{Event, Pod};
use kube::Api;
use kube::api::{
    ApiResource, DeleteParams, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams, PostParams,
};
use serde_json::{Value, json};

const V1: &str = "operator.tigera.io/v1";

async fn installation(cluster: &ControlPlane, spec: &str) -> i64 {
    let yaml = format!("{{apiVersion: {V1}, kind: Installation, metadata: {{name: default}}, spec: {spec}}}");
    cluster.apply_yaml(&yaml).await.unwrap().remove(0)["metadata"]["generation"].as_i64().unwrap()
}

fn pods(cluster: &ControlPlane) -> Api<Pod> {
    Api::namespaced(cluster.client(), "calico-system")
}

/// The first pod of a workload that is not on its way out.
async fn pod(cluster: &ControlPlane, app: &str) -> Pod {
    let params = ListParams::default().labels(&format!("k8s-app={app}"));
    let found = || async {
        let all = pods(cluster).list(&params).await?.items;
        Ok(all.into_iter().find(|pod| pod.metadata.deletion_timestamp.is_none()))
    };
    cluster.wait_for(&format!("a pod of {app}"), DEADLINE, found).await.unwrap()
}

fn container(name: &str, image: &str, fields: &Value) -> Value {
    let mut status = json!({"name": name, "image": image, "imageID": "", "ready": false, "restartCount": 4});
    status.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    status
}

/// Makes a pod what its kubelet would report, and not ready since long ago; gives back its name.
async fn report(cluster: &ControlPlane, app: &str, prepares: bool, fields: Value) -> (String, String) {
    let pod = pod(cluster, app).await;
    let (name, spec) = (pod.metadata.name.unwrap(), pod.spec.unwrap());
    let specs = if prepares { spec.init_containers.unwrap() } else { spec.containers };
    let image = specs[0].image.clone().unwrap();
    let list = if prepares { "initContainerStatuses" } else { "containerStatuses" };
    let long_ago = "2020-01-01T00:00:00Z";
    let ready =
        json!({"type": "Ready", "status": "False", "reason": "ContainersNotReady", "lastTransitionTime": long_ago});
    let status = json!({"status": {"conditions": [ready], list: [container(&specs[0].name, &image, &fields)]}});
    pods(cluster).patch_status(&name, &PatchParams::default(), &Patch::Merge(&status)).await.unwrap();
    (name, image)
}

async fn wait_message(cluster: &ControlPlane, kind: &str, parts: &[&str]) {
    let check = || async {
        let found = condition(&cluster.client(), "calico", kind).await?;
        Ok(found.filter(|(status, _, message)| status == "True" && parts.iter().all(|part| message.contains(part))))
    };
    if let Err(error) = cluster.wait_for(&format!("calico to be {kind} with {parts:?}"), DEADLINE, check).await {
        panic!("{error:#}; it says {:?}", condition(&cluster.client(), "calico", kind).await);
    }
}

/// Replaces a pod by a new one, which runs, and waits until nothing of the fault is told any more.
async fn recover(cluster: &ControlPlane, pod: &str) {
    pods(cluster).delete(pod, &DeleteParams::default().grace_period(0)).await.unwrap();
    clear(cluster).await;
}

async fn clear(cluster: &ControlPlane) {
    wait_available(cluster).await.unwrap();
    for kind in ["Degraded", "Progressing"] {
        let (status, _, message) = condition(&cluster.client(), "calico", kind).await.unwrap().unwrap();
        assert_eq!(status, "False", "{kind}: {message}");
    }
    let (_, _, message) = condition(&cluster.client(), "calico", "Available").await.unwrap().unwrap();
    assert!(!message.contains("Warning"), "{message}");
}

/// What fails in a pod, whether it is a container that prepares it, and what has to be said besides pod and image.
fn faults() -> Vec<(&'static str, bool, Value, Vec<&'static str>)> {
    let crash = json!({"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}});
    let ended = |code: i32, reason: &str| json!({"terminated": {"exitCode": code, "reason": reason}});
    let pull = json!({"waiting": {"reason": "ImagePullBackOff", "message": "Back-off pulling image: not found"}});
    let config = json!({"waiting": {"reason": "CreateContainerConfigError", "message": "secret \"wool\" not found"}});
    let running = json!({"running": {"startedAt": "2020-01-01T00:00:00Z"}});
    vec![
        (
            "calico-node",
            false,
            json!({"state": crash, "lastState": ended(2, "Error")}),
            vec!["container calico-node", "CrashLoopBackOff", "exit code 2", "kubectl logs --previous", "CHM0504"],
        ),
        (
            "calico-node",
            false,
            json!({"state": crash, "lastState": ended(137, "OOMKilled")}),
            vec!["container calico-node", "OOMKilled", "memory limit", "CHM0505"],
        ),
        (
            "calico-typha",
            false,
            json!({"state": pull}),
            vec!["container calico-typha", "cannot get its image", "not found", "spec.imagePullSecrets", "CHM0503"],
        ),
        ("calico-node", true, json!({"state": ended(1, "Error")}), vec!["init container ", "exit code 1", "CHM0504"]),
        (
            "calico-kube-controllers",
            false,
            json!({"state": config}),
            vec!["CreateContainerConfigError: secret \"wool\" not found", "CHM0502"],
        ),
        (
            "calico-kube-controllers",
            false,
            json!({"state": running}),
            vec!["container calico-kube-controllers", "does not pass its readiness probe", "kubectl logs", "CHM0507"],
        ),
    ]
}

#[tokio::test]
async fn each_way_a_pod_fails_is_named_with_pod_container_image_and_remedy_and_its_end_clears_the_status() {
    let cluster = cluster::with_crds(1).await.unwrap();
    let operator = Operator::start(&cluster, &[]).unwrap();
    installation(&cluster, "{}").await;
    clear(&cluster).await;

    for (app, prepares, fields, parts) in faults() {
        let (pod, image) = report(&cluster, app, prepares, fields).await;
        let named = format!("Pod calico-system/{pod}: ");
        wait_message(&cluster, "Degraded", &[&[named.as_str(), image.as_str()], parts.as_slice()].concat()).await;
        let (status, ..) = condition(&cluster.client(), "calico", "Available").await.unwrap().unwrap();
        assert_eq!(status, "False", "what fails is not available");
        recover(&cluster, &pod).await;
    }

    // A real scheduler finds no node.
    installation(&cluster, "{controlPlaneNodeSelector: {example.com/none: here}}").await;
    let parts = ["Pod calico-system/calico-kube-controllers-", "no node takes it", "node affinity/selector", "CHM0506"];
    wait_message(&cluster, "Degraded", &parts).await;
    let (_, progress) = wait_condition(&cluster, "calico", "Progressing").await.unwrap();
    assert!(progress.contains("Deployment calico-system/calico-kube-controllers: 0 of 1 pods"), "{progress}");
    installation(&cluster, "{}").await;
    clear(&cluster).await;

    // Pods that the cluster does not even let be created.
    let quota = "{apiVersion: v1, kind: ResourceQuota, metadata: {name: none, namespace: calico-system}, spec: {hard: {pods: 0}}}";
    cluster.apply_yaml(quota).await.unwrap();
    let trial = json!({"metadata": {"name": "trial"}, "spec": {"containers": [{"name": "a", "image": "b"}]}});
    let trial: Pod = serde_json::from_value(trial).unwrap();
    let params = PostParams { dry_run: true, ..PostParams::default() };
    let denied = || async { Ok(pods(&cluster).create(&params, &trial).await.is_err().then_some(())) };
    cluster.wait_for("the quota to be in force", DEADLINE, denied).await.unwrap();
    for app in ["calico-kube-controllers", "csi-node-driver"] {
        let gone = pod(&cluster, app).await.metadata.name.unwrap();
        pods(&cluster).delete(&gone, &DeleteParams::default().grace_period(0)).await.unwrap();
    }
    for workload in ["Deployment calico-system/calico-kube-controllers: ", "DaemonSet calico-system/csi-node-driver: "]
    {
        wait_message(&cluster, "Degraded", &[workload, "does not let its pods be created", "quota", "CHM0508"]).await;
    }
    let quotas: Api<k8s_openapi::api::core::v1::ResourceQuota> = Api::namespaced(cluster.client(), "calico-system");
    quotas.delete("none", &DeleteParams::default()).await.unwrap();
    let tries = std::cell::Cell::new(0);
    let retried = || async {
        // Kubernetes itself backs off; a change of the workload has it try at once.
        tries.set(tries.get() + 1);
        for (kind, name) in [("Deployment", "calico-kube-controllers"), ("DaemonSet", "csi-node-driver")] {
            annotate(&cluster, "apps/v1", kind, "calico-system", name, &tries.get().to_string()).await?;
        }
        let found = condition(&cluster.client(), "calico", "Available").await?;
        Ok(found.filter(|(status, ..)| status == "True").map(drop))
    };
    cluster.wait_for("the pods to come back", DEADLINE, retried).await.unwrap();
    clear(&cluster).await;
    messages::check_all(&cluster).await.unwrap();
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}

async fn conditions(cluster: &ControlPlane, kind: &str, name: &str) -> Vec<Value> {
    let found = get(&cluster.client(), V1, kind, None, name).await.unwrap().unwrap_or_default();
    found.pointer("/status/conditions").and_then(Value::as_array).cloned().unwrap_or_default()
}

/// The operator's Events, by reason and text.
async fn events(cluster: &ControlPlane) -> Vec<String> {
    let api: Api<Event> = Api::all(cluster.client());
    let all = api.list(&ListParams::default()).await.unwrap().items;
    let own = all.into_iter().filter(|event| event.reporting_component.as_deref() == Some("chimera"));
    own.map(|event| format!("{}: {}", event.reason.unwrap_or_default(), event.message.unwrap_or_default())).collect()
}

async fn wait_observed(cluster: &ControlPlane, generation: i64) {
    let check = || async {
        let mut all = conditions(cluster, "TigeraStatus", "calico").await;
        all.extend(conditions(cluster, "TigeraStatus", "ippools").await);
        all.extend(conditions(cluster, "Installation", "default").await);
        let observed = all.iter().filter(|condition| condition["observedGeneration"] == generation).count();
        Ok((observed == 9 && all.len() == 9).then_some(()))
    };
    cluster.wait_for(&format!("generation {generation} to be observed"), DEADLINE, check).await.unwrap();
}

async fn patch_status(cluster: &ControlPlane, patch: &Value) {
    let resource = ApiResource {
        plural: "tigerastatuses".into(),
        ..ApiResource::from_gvk(&GroupVersionKind::gvk("operator.tigera.io", "v1", "TigeraStatus"))
    };
    let api: Api<DynamicObject> = Api::all_with(cluster.client(), &resource);
    api.patch_status("calico", &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
}

#[tokio::test]
async fn a_status_that_is_edited_or_deleted_comes_back_as_it_was_and_a_transition_has_one_time_and_one_event() {
    let cluster = cluster::with_crds(1).await.unwrap();
    let operator = Operator::start(&cluster, &[]).unwrap();
    let first = installation(&cluster, "{}").await;
    clear(&cluster).await;
    wait_observed(&cluster, first).await;

    // A change that asks for what is there already: observed, but no transition.
    let settled = |events: Vec<String>| events.iter().filter(|event| event.contains(" is Available: ")).count();
    chimera_e2e::writes::quiet(&cluster, "the cluster to be at rest", std::time::Duration::from_secs(3)).await.unwrap();
    let (before, told) = (conditions(&cluster, "TigeraStatus", "calico").await, events(&cluster).await);
    let second = installation(&cluster, "{calicoNetwork: {bgp: Enabled}}").await;
    assert_eq!(second, first + 1);
    wait_observed(&cluster, second).await;
    let times = |conditions: &[Value]| conditions.iter().map(|c| c["lastTransitionTime"].clone()).collect::<Vec<_>>();
    let after = conditions(&cluster, "TigeraStatus", "calico").await;
    assert_eq!(times(&after), times(&before));

    // Edited and deleted by somebody else.
    let mut lie = after.clone();
    lie[0]["status"] = "False".into();
    lie[0]["message"] = "all is lost".into();
    lie[0]["lastTransitionTime"] = "2020-01-01T00:00:00Z".into();
    patch_status(&cluster, &json!({"status": {"conditions": lie}})).await;
    wait_same(&cluster, &after).await;
    let status = get(&cluster.client(), V1, "TigeraStatus", None, "calico").await.unwrap().unwrap();
    cluster::delete(&cluster.client(), &status).await.unwrap();
    wait_same(&cluster, &after).await;
    chimera_e2e::writes::quiet(&cluster, "the cluster to be at rest", std::time::Duration::from_secs(3)).await.unwrap();
    assert_eq!(events(&cluster).await, told, "no transition, no Event");
    assert_eq!(settled(told), 2, "one Event for calico and one for ippools");

    // A transition there and back moves its times, and has one Event each way.
    let (pod, _) =
        report(&cluster, "calico-node", false, json!({"state": {"waiting": {"reason": "CrashLoopBackOff"}}})).await;
    wait_message(&cluster, "Degraded", &[&pod]).await;
    recover(&cluster, &pod).await;
    chimera_e2e::writes::quiet(&cluster, "the cluster to be at rest", std::time::Duration::from_secs(3)).await.unwrap();
    let all = events(&cluster).await;
    let degraded: Vec<_> = all.iter().filter(|event| event.starts_with("PodFailure: calico is Degraded: ")).collect();
    assert_eq!(degraded.len(), 1, "{all:#?}");
    assert_eq!(settled(all.clone()), 3, "{all:#?}");
    assert_ne!(
        times(&conditions(&cluster, "TigeraStatus", "calico").await),
        times(&after),
        "times move with transitions"
    );
    messages::check_all(&cluster).await.unwrap();
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}

async fn wait_same(cluster: &ControlPlane, wanted: &[Value]) {
    let check = || async { Ok((conditions(cluster, "TigeraStatus", "calico").await == wanted).then_some(())) };
    if let Err(error) = cluster.wait_for("the status to come back", DEADLINE, check).await {
        panic!("{error:#}: {:#?}", conditions(cluster, "TigeraStatus", "calico").await);
    }
}
