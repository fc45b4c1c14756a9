//! Each custom resource stands on its own: it is served, changed and removed whatever the others do, whether Calico's
//! own API answers or not, and with another aggregated API of the cluster broken all the time.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, ensure};
use chimera_e2e::cluster::{self, DEADLINE, get, wait_available, wait_condition};
use chimera_e2e::operator::Operator;
use chimera_e2e::quiesce::annotate;
use chimera_kit::{Behaviour, ControlPlane};
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, ListParams};
use kube::{Api, ResourceExt};
use serde_json::Value;

const API: &str = "operator.tigera.io/v1";
const STORED: &str = "crd.projectcalico.org/v1";
/// An API of somebody else's that nobody answers.
const BROKEN: &str = "
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.broken.example.com}
spec:
  group: broken.example.com
  version: v1
  groupPriorityMinimum: 1000
  versionPriority: 10
  insecureSkipTLSVerify: true
  service: {namespace: default, name: nowhere, port: 443}
";
/// Made and removed by Kubernetes itself.
const NOT_OURS: [&str; 8] =
    ["Event", "Lease", "Pod", "ReplicaSet", "EndpointSlice", "Endpoints", "IPAddress", "ControllerRevision"];
/// What comes with Calico's own API and belongs to the Installation.
const WITH_THE_API: [&str; 4] = [
    "crd.projectcalico.org/v1 Tier /calico-system",
    "crd.projectcalico.org/v1 NetworkPolicy calico-system/calico-system.default-deny",
    "crd.projectcalico.org/v1 NetworkPolicy calico-system/calico-system.kube-controller-access",
    "crd.projectcalico.org/v1 NetworkPolicy kube-system/calico-system.cluster-dns",
];

#[tokio::test]
async fn each_resource_comes_and_goes_whatever_the_others_do_and_whichever_apis_are_broken() {
    let builder = ControlPlane::builder().nodes(1).backends(Behaviour::Hanging);
    let cluster = cluster::with_crds_on(builder).await.unwrap();
    cluster.apply_yaml(BROKEN).await.unwrap();
    let operator = Operator::start(&cluster, &[]).unwrap();
    if let Err(error) = scenario(&cluster).await {
        panic!("{error:#}\n---- the operator's log\n{}", operator.log());
    }
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}

async fn scenario(cluster: &ControlPlane) -> Result<()> {
    create(cluster, "Installation").await?;
    wait_available(cluster).await?;
    let plain = names(cluster).await?;
    without_its_backend(cluster).await.context("Calico's API server hangs")?;
    once_it_answers(cluster).await.context("Calico's API server answers")?;
    when_it_breaks(cluster).await.context("Calico's API server refuses")?;

    let mut whole = names(cluster).await?;
    // The API goes last: what is stored behind it is collected by its means.
    for kind in ["Goldmane", "Whisker", "APIServer"] {
        whole = leaves(cluster, kind, &whole).await.with_context(|| format!("{kind} was deleted"))?;
    }
    none_degraded(cluster, &[]).await?;
    let wanted: BTreeSet<_> = plain.into_iter().chain(WITH_THE_API.map(Into::into)).collect();
    let different: Vec<_> = whole.symmetric_difference(&wanted).collect();
    ensure!(different.is_empty(), "with the Installation alone again there is too much or too little: {different:#?}");

    for (kind, status) in [("Goldmane", "goldmane"), ("Whisker", "whisker"), ("APIServer", "apiserver")] {
        create(cluster, kind).await?;
        wait_condition(cluster, status, "Available").await.with_context(|| format!("{kind} came back"))?;
    }
    wait_condition(cluster, "tiers", "Available").await?;
    none_degraded(cluster, &[]).await
}

/// All are served but what has to ask it.
async fn without_its_backend(cluster: &ControlPlane) -> Result<()> {
    create(cluster, "Whisker").await?;
    let (reason, message) = wait_condition(cluster, "whisker", "Degraded").await?;
    ensure!(reason == "ResourceNotFound" && message.contains("Goldmane"), "{reason}: {message}");
    create(cluster, "APIServer").await?;
    appears(cluster, "apps/v1", "Deployment", "calico-apiserver").await?;
    create(cluster, "Goldmane").await?;
    for status in ["goldmane", "whisker", "calico", "ippools"] {
        wait_condition(cluster, status, "Available").await?;
    }
    none_degraded(cluster, &["apiserver"]).await
}

async fn once_it_answers(cluster: &ControlPlane) -> Result<()> {
    cluster.backends().api(Behaviour::Served);
    look_again(cluster, "answers").await?;
    for status in ["apiserver", "tiers"] {
        wait_condition(cluster, status, "Available").await?;
    }
    for policy in ["goldmane", "whisker", "apiserver-access", "default-deny"] {
        appears(cluster, STORED, "NetworkPolicy", &format!("calico-system.{policy}")).await?;
    }
    none_degraded(cluster, &[]).await
}

/// What is there stays, the others go on, and it is told in the end.
async fn when_it_breaks(cluster: &ControlPlane) -> Result<()> {
    let before = names(cluster).await?;
    cluster.backends().api(Behaviour::Refused);
    look_again(cluster, "breaks").await?;
    let tiers = || async { Ok(condition_of(cluster, "tiers", "Available").await?.filter(|status| status != "True")) };
    cluster.wait_for("TigeraStatus tiers to tell that the API is gone", DEADLINE, tiers).await?;
    let quieter = "{apiVersion: operator.tigera.io/v1, kind: Whisker, metadata: {name: default}, spec: {notifications: Disabled}}";
    cluster.apply_yaml(quieter).await?;
    let generation = || async {
        let whisker = get(&cluster.client(), API, "Whisker", None, "default").await?.context("no Whisker")?;
        let status = get(&cluster.client(), API, "TigeraStatus", None, "whisker").await?.context("no TigeraStatus")?;
        let conditions = status.pointer("/status/conditions").and_then(Value::as_array).cloned().unwrap_or_default();
        let current = conditions.iter().any(|condition| {
            condition["type"] == "Available"
                && condition["status"] == "True"
                && condition["observedGeneration"] == whisker["metadata"]["generation"]
        });
        Ok(current.then_some(()))
    };
    cluster.wait_for("a change of the Whisker to be Available", DEADLINE, generation).await?;
    none_degraded(cluster, &["apiserver"]).await?;
    let gone: Vec<_> = before.difference(&names(cluster).await?).cloned().collect();
    ensure!(gone.is_empty(), "because the API broke, these went: {gone:#?}");

    cluster.backends().api(Behaviour::Served);
    look_again(cluster, "answers again").await?;
    for status in ["apiserver", "tiers"] {
        wait_condition(cluster, status, "Available").await?;
    }
    Ok(())
}

/// Deletes a resource: what it owns and its status go, and nothing else does. Answers what is left.
async fn leaves(cluster: &ControlPlane, kind: &str, before: &BTreeSet<String>) -> Result<BTreeSet<String>> {
    let resource = get(&cluster.client(), API, kind, None, "default").await?.context("it is not there")?;
    let status = format!("{API} TigeraStatus /{}", kind.to_lowercase());
    let mut leaving = owned(cluster, &resource).await?;
    leaving.extend([format!("{API} {kind} /default"), status]);
    if kind == "APIServer" {
        // Nobody asks for what tiers are a part of any more.
        leaving.insert(format!("{API} TigeraStatus /tiers"));
    }
    cluster::delete(&cluster.client(), &resource).await?;
    let gone = || async {
        let left = names(cluster).await?;
        let late: Vec<_> = leaving.intersection(&left).cloned().collect();
        ensure!(late.is_empty(), "still there: {late:?}");
        Ok(Some(left))
    };
    let left = cluster.wait_for("all that it brought to go", DEADLINE, gone).await?;
    let too: Vec<_> = before.difference(&left).filter(|name| !leaving.contains(*name)).collect();
    ensure!(too.is_empty(), "these went as well: {too:#?}");
    Ok(left)
}

/// What says that a resource owns it.
async fn owned(cluster: &ControlPlane, owner: &Value) -> Result<BTreeSet<String>> {
    let uid = &owner["metadata"]["uid"];
    let mut objects = cluster.dump().await?;
    objects.retain(|object| {
        let owners = object.pointer("/metadata/ownerReferences").and_then(Value::as_array);
        is_compared(object) && owners.into_iter().flatten().any(|owner| owner["uid"] == *uid)
    });
    ensure!(!objects.is_empty(), "it owns nothing");
    Ok(objects.iter().map(name).collect())
}

async fn names(cluster: &ControlPlane) -> Result<BTreeSet<String>> {
    Ok(cluster.dump().await?.iter().filter(|object| is_compared(object)).map(name).collect())
}

/// What Calico's API server serves is among what it stores.
fn is_compared(object: &Value) -> bool {
    !NOT_OURS.contains(&object["kind"].as_str().unwrap_or_default()) && object["apiVersion"] != "projectcalico.org/v3"
}

fn name(object: &Value) -> String {
    let [version, kind, namespace, name] = ["/apiVersion", "/kind", "/metadata/namespace", "/metadata/name"]
        .map(|path| object.pointer(path).and_then(Value::as_str).unwrap_or_default());
    format!("{version} {kind} {namespace}/{name}")
}

async fn create(cluster: &ControlPlane, kind: &str) -> Result<()> {
    let yaml = format!("{{apiVersion: {API}, kind: {kind}, metadata: {{name: default}}, spec: {{}}}}");
    cluster.apply_yaml(&yaml).await.map(drop)
}

async fn appears(cluster: &ControlPlane, api_version: &str, kind: &str, name: &str) -> Result<()> {
    let found = || async { get(&cluster.client(), api_version, kind, Some("calico-system"), name).await };
    cluster.wait_for(&format!("{kind} {name}"), DEADLINE, found).await.map(drop)
}

/// kube-apiserver looks at an APIService whenever it changes.
async fn look_again(cluster: &ControlPlane, value: &str) -> Result<()> {
    annotate(cluster, "apiregistration.k8s.io/v1", "APIService", "", "v3.projectcalico.org", value).await
}

async fn condition_of(cluster: &ControlPlane, name: &str, kind: &str) -> Result<Option<String>> {
    Ok(cluster::condition(&cluster.client(), name, kind).await?.map(|(status, ..)| status))
}

/// No TigeraStatus but these is Degraded.
async fn none_degraded(cluster: &ControlPlane, except: &[&str]) -> Result<()> {
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("operator.tigera.io", "v1", "TigeraStatus"));
    let statuses: Api<DynamicObject> = Api::all_with(cluster.client(), &kind);
    for name in statuses.list(&ListParams::default()).await?.iter().map(ResourceExt::name_any) {
        let degraded = cluster::condition(&cluster.client(), &name, "Degraded").await?;
        let Some((_, reason, message)) = degraded.filter(|(status, ..)| status == "True") else { continue };
        ensure!(except.contains(&name.as_str()), "TigeraStatus {name} is Degraded: {reason}: {message}");
    }
    Ok(())
}
