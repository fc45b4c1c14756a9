//! kube-apiserver reaches what pods would answer: Calico's API server and its admission webhooks.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use chimera_kit::{Behaviour, ControlPlane};
use futures::TryStreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{
    ApiResource, DeleteParams, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams, WatchEvent,
};
use kube::api::{PostParams, WatchParams};
use kube::{Api, Client};
use rcgen::{CertificateParams, KeyPair};
use serde_json::{Value, json};

const DEADLINE: Duration = Duration::from_secs(90);
const API_SERVICE: &str = "v3.projectcalico.org";

#[tokio::test(flavor = "multi_thread")]
async fn calicos_api_is_answered_from_what_is_stored_until_its_backend_breaks() -> Result<()> {
    let cluster = ControlPlane::builder().start().await?;
    for plural in ["tiers", "networkpolicies"] {
        cluster.apply_yaml(&definition(plural)?).await?;
    }
    cluster.apply_yaml("{apiVersion: v1, kind: Namespace, metadata: {name: calico-system}}").await?;
    let authority = serve_behind(&cluster, "calico-api", "calico-apiserver-certs", 1).await?;
    cluster.apply_yaml(&api_service(&authority).to_string()).await?;
    available(&cluster, "True").await?;

    objects_live_and_die(&cluster).await?;
    owners_take_what_they_own_along(&cluster).await?;
    watches_tell(&cluster.client()).await?;

    for behaviour in [Behaviour::Refused, Behaviour::Unavailable, Behaviour::Hanging] {
        cluster.backends().api(behaviour);
        touch(&cluster, &format!("{behaviour:?}")).await?;
        available(&cluster, "False").await.with_context(|| format!("{behaviour:?}"))?;
        let maps: Api<ConfigMap> = Api::default_namespaced(cluster.client());
        maps.list(&ListParams::default()).await.context("other APIs go on")?;
        let refused = tiers(&cluster.impatient_client(), "projectcalico.org").list(&ListParams::default()).await;
        ensure!(matches!(&refused, Err(kube::Error::Api(status)) if status.code == 503), "{refused:?}");
        cluster.dump().await.context("a dump leaves out what does not answer")?;
        cluster.backends().api(Behaviour::Served);
        touch(&cluster, &format!("no longer {behaviour:?}")).await?;
        available(&cluster, "True").await.with_context(|| format!("after {behaviour:?}"))?;
    }
    // A new certificate, by another authority, counts at once.
    let authority = serve_behind(&cluster, "calico-api", "calico-apiserver-certs", 2).await?;
    cluster.apply_yaml(&api_service(&authority).to_string()).await?;
    available(&cluster, "True").await?;
    cluster.stop().await
}

/// Created, read as what it is stored as, applied, patched, deleted.
async fn objects_live_and_die(cluster: &ControlPlane) -> Result<()> {
    let client = cluster.client_for("somebody", &[chimera_kit::MASTERS]).await?;
    let (served, stored) = (tiers(&client, "projectcalico.org"), tiers(&client, "crd.projectcalico.org"));
    let tier: DynamicObject = serde_json::from_value(json!({"apiVersion": "projectcalico.org/v3", "kind": "Tier",
        "metadata": {"name": "first", "labels": {"a": "b"}}, "spec": {"order": 5}}))?;
    let created = served.create(&PostParams::default(), &tier).await?;
    let types = created.types.clone().context("no type")?;
    ensure!((types.api_version.as_str(), types.kind.as_str()) == ("projectcalico.org/v3", "Tier"), "{types:?}");

    let under = stored.get("first").await?;
    assert_eq!(under.metadata.uid, created.metadata.uid);
    assert_eq!(under.metadata.resource_version, created.metadata.resource_version);
    assert_eq!(under.metadata.labels, created.metadata.labels);
    assert_eq!(served.list(&ListParams::default().labels("a=b")).await?.items.len(), 1);

    let applied = json!({"apiVersion": "projectcalico.org/v3", "kind": "Tier", "spec": {"order": 6}});
    served.patch("first", &PatchParams::apply("test").force(), &Patch::Apply(&applied)).await?;
    let mut read = served.get("first").await?;
    assert_eq!(read.data["spec"]["order"], 6);
    let versions = read.metadata.managed_fields.take().unwrap_or_default();
    ensure!(versions.iter().all(|field| field.api_version.as_deref() == Some("projectcalico.org/v3")), "{versions:?}");
    read.data["spec"]["order"] = 7.into();
    served.replace("first", &PostParams::default(), &read).await?;
    assert_eq!(stored.get("first").await?.data["spec"]["order"], 7);

    served.delete("first", &DeleteParams::default()).await?;
    ensure!(stored.get_opt("first").await?.is_none() && served.get_opt("first").await?.is_none(), "it is still there");
    let audit = cluster.audit().await?;
    let writes = |group: &str| audit.writes_for("somebody").filter(|event| event.api_group == group).len();
    assert_eq!((writes("projectcalico.org"), writes("crd.projectcalico.org")), (4, 4));
    assert_eq!(audit.writes_by("somebody").len(), 4);
    Ok(())
}

async fn owners_take_what_they_own_along(cluster: &ControlPlane) -> Result<()> {
    let client = cluster.client();
    let owner = cluster.apply_yaml("{apiVersion: v1, kind: ConfigMap, metadata: {name: owner}}").await?.remove(0);
    let reference = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"]});
    let policy = json!({"apiVersion": "projectcalico.org/v3", "kind": "NetworkPolicy",
        "metadata": {"name": "default.owned", "namespace": "default", "ownerReferences": [reference]}, "spec": {}});
    cluster.apply_yaml(&policy.to_string()).await?;
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    maps.delete("owner", &DeleteParams::default()).await?;
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("projectcalico.org", "v3", "NetworkPolicy"));
    let policies: &Api<DynamicObject> = &Api::default_namespaced_with(client, &kind);
    let gone = || async { Ok(policies.get_opt("default.owned").await?.is_none().then_some(())) };
    cluster.wait_for("what a deleted object owned to be gone", DEADLINE, gone).await
}

async fn watches_tell(client: &Client) -> Result<()> {
    let served = tiers(client, "projectcalico.org");
    let version = served.list(&ListParams::default()).await?.metadata.resource_version.context("no version")?;
    let events = served.watch(&WatchParams::default().timeout(60), &version).await?;
    let tier: DynamicObject = serde_json::from_value(json!({"apiVersion": "crd.projectcalico.org/v1", "kind": "Tier",
        "metadata": {"name": "watched"}, "spec": {}}))?;
    tiers(client, "crd.projectcalico.org").create(&PostParams::default(), &tier).await?;
    let mut events = std::pin::pin!(events);
    let event = events.try_next().await?;
    let Some(WatchEvent::Added(seen)) = event else { anyhow::bail!("{event:?}") };
    assert_eq!(seen.metadata.name.as_deref(), Some("watched"));
    assert_eq!(seen.types.context("no type")?.api_version, "projectcalico.org/v3");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn admission_webhooks_admit_while_they_are_served() -> Result<()> {
    let cluster = ControlPlane::builder().backends(Behaviour::Unavailable).start().await?;
    cluster.apply_yaml("{apiVersion: v1, kind: Namespace, metadata: {name: calico-system}}").await?;
    let authority = serve_behind(&cluster, "calico-webhooks", "calico-webhooks-tls", 1).await?;
    let service = json!({"name": "calico-webhooks", "namespace": "calico-system", "path": "/", "port": 443});
    let rule = json!({"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"], "operations": ["CREATE"]});
    let webhook = json!({"name": "api.projectcalico.org", "sideEffects": "None", "admissionReviewVersions": ["v1"],
        "matchConditions": [{"name": "ours", "expression": "object.metadata.namespace == 'default'"}],
        "clientConfig": {"service": service, "caBundle": authority}, "rules": [rule]});
    let configuration = json!({"apiVersion": "admissionregistration.k8s.io/v1", "webhooks": [webhook],
        "kind": "ValidatingWebhookConfiguration", "metadata": {"name": "test"}});
    cluster.apply_yaml(&configuration.to_string()).await?;
    let maps: &Api<ConfigMap> = &Api::default_namespaced(cluster.impatient_client());
    let create = || async {
        let map = serde_json::from_value(json!({"metadata": {"generateName": "any-"}}))?;
        Ok::<_, anyhow::Error>(maps.create(&PostParams::default(), &map).await)
    };
    let refused = || async { Ok(create().await?.err().map(drop)) };
    cluster.wait_for("a broken webhook to keep objects out", DEADLINE, refused).await?;
    cluster.backends().webhooks(Behaviour::Served);
    let admitted = || async { Ok(create().await?.ok().map(drop)) };
    cluster.wait_for("a served webhook to admit", DEADLINE, admitted).await?;
    cluster.stop().await
}

fn tiers(client: &Client, group: &str) -> Api<DynamicObject> {
    let version = if group == "projectcalico.org" { "v3" } else { "v1" };
    Api::all_with(client.clone(), &ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, "Tier")))
}

fn definition(plural: &str) -> Result<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crds/yaml/projectcalico/v1");
    let file = folder.join(format!("crd.projectcalico.org_{plural}.yaml"));
    std::fs::read_to_string(&file).with_context(|| format!("failed to read {}", file.display()))
}

/// A Service with an endpoint and a certificate of its own; answers the authority, as a `caBundle`.
async fn serve_behind(cluster: &ControlPlane, service: &str, secret: &str, serial: u8) -> Result<Value> {
    let key = KeyPair::generate()?;
    let mut params = CertificateParams::new(vec![format!("{service}.calico-system.svc")])?;
    params.serial_number = Some(vec![serial].into());
    let certificate = params.self_signed(&key)?.pem();
    let meta = |name: &str| json!({"name": name, "namespace": "calico-system"});
    let labelled =
        json!({"name": service, "namespace": "calico-system", "labels": {"kubernetes.io/service-name": service}});
    let port = json!({"name": "https", "port": 443});
    let objects = json!({"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "v1", "kind": "Secret", "metadata": meta(secret), "type": "kubernetes.io/tls",
            "stringData": {"tls.crt": certificate, "tls.key": key.serialize_pem()}},
        {"apiVersion": "v1", "kind": "Service", "metadata": meta(service), "spec": {"ports": [port]}},
        {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "metadata": labelled, "addressType": "IPv4",
            "ports": [port], "endpoints": [{"addresses": ["10.244.0.9"]}]},
    ]});
    cluster.apply_yaml(&objects.to_string()).await?;
    Ok(base64::Engine::encode(&base64::engine::general_purpose::STANDARD, certificate).into())
}

fn api_service(authority: &Value) -> Value {
    json!({"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": API_SERVICE}, "spec": {
        "group": "projectcalico.org", "version": "v3", "groupPriorityMinimum": 1500, "versionPriority": 200,
        "caBundle": authority, "service": {"name": "calico-api", "namespace": "calico-system", "port": 443}}})
}

fn api_services(client: Client) -> Api<DynamicObject> {
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("apiregistration.k8s.io", "v1", "APIService"));
    Api::all_with(client, &kind)
}

/// Makes kube-apiserver look anew.
async fn touch(cluster: &ControlPlane, value: &str) -> Result<()> {
    let patch = Patch::Merge(json!({"metadata": {"annotations": {"example.com/touched": value}}}));
    api_services(cluster.client()).patch(API_SERVICE, &PatchParams::default(), &patch).await?;
    Ok(())
}

async fn available(cluster: &ControlPlane, status: &str) -> Result<()> {
    let services = &api_services(cluster.client());
    let check = || async {
        let live = services.get(API_SERVICE).await?;
        let conditions = live.data.pointer("/status/conditions").cloned().context("no conditions yet")?;
        let conditions = conditions.as_array().cloned().unwrap_or_default();
        let found =
            conditions.iter().any(|condition| condition["type"] == "Available" && condition["status"] == status);
        ensure!(found, "{conditions:?}");
        Ok(Some(()))
    };
    cluster.wait_for(&format!("the APIService to be Available={status}"), DEADLINE, check).await
}
