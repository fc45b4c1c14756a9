//! A cluster as the Go operator leaves one, made up of what every checkout has: the objects written under its field
//! manager, RSA keys in PKCS#1, a bundle with its comments and another image's roots, and hashes by its own formulas.

use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use chimera_e2e::cluster::{self, DEADLINE};
use chimera_e2e::operator::{self, Operator};
use chimera_e2e::writes;
use chimera_kit::ControlPlane;
use kube::Client;
use serde_json::{Value, json};

use super::clusters;

/// The name that the Go operator writes under.
const MANAGER: &str = "operator";
const INSTALLATION: &str = include_str!("testdata/installation.yaml");
const CA: (&str, &str) = (include_str!("testdata/ca.crt"), include_str!("testdata/ca.key"));
/// Secret, name in the certificate, certificate and key.
const PAIRS: [(&str, &str, &str, &str); 2] = [
    ("node-certs", "typha-client", include_str!("testdata/node.crt"), include_str!("testdata/node.key")),
    ("typha-certs", "typha-server", include_str!("testdata/typha.crt"), include_str!("testdata/typha.key")),
];
/// End of all of these certificates, as annotations have it.
const EXPIRY: &str = "2126-11-06T15:55:41Z";
/// By a formula that nobody knows.
const FOREIGN_HASH: &str = "0123456789abcdef0123456789abcdef01234567";
const AUTHORITY_HASH: &str = "tigera-operator.hash.operator.tigera.io/tigera-ca-private";
const TYPHA_HASH: &str = "tigera-operator.hash.operator.tigera.io/typha-certs";

#[tokio::test]
async fn a_made_up_cluster_is_taken_over_and_later_changes_restart_only_who_must() {
    let cluster = cluster::with_crds(1).await.unwrap();
    make_up(&cluster).await.unwrap();
    if let Err(error) = clusters::check(&cluster, "a made-up cluster", &[]).await {
        panic!("{error:#}");
    }
    assert_eq!(hash(&cluster, "Deployment", "calico-typha", AUTHORITY_HASH).await, json!(FOREIGN_HASH));

    // The hashes that were kept do not hide a change.
    let operator = Operator::start(&cluster, &[]).unwrap();
    delete_typhas_pair(&cluster).await.unwrap();
    let changed = || async {
        let hash = hash(&cluster, "Deployment", "calico-typha", TYPHA_HASH).await;
        Ok((hash.is_string() && hash != json!(FOREIGN_HASH)).then_some(()))
    };
    cluster.wait_for("Typha to restart with its new pair", DEADLINE, changed).await.unwrap();
    cluster::wait_available(&cluster).await.unwrap();
    let kinds = writes::by_kind(&cluster, 0).await.unwrap();
    assert_eq!(kinds.get("update daemonsets"), None, "calico-node does not restart for that: {kinds:?}");
    assert_eq!(kinds.get("update deployments"), Some(&1), "only Typha restarts: {kinds:?}");
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}

async fn hash(cluster: &ControlPlane, kind: &str, name: &str, annotation: &str) -> Value {
    let workload =
        cluster::get(&cluster.client(), "apps/v1", kind, Some("calico-system"), name).await.unwrap().unwrap();
    workload
        .pointer("/spec/template/metadata/annotations")
        .and_then(|all| all.get(annotation))
        .cloned()
        .unwrap_or_default()
}

async fn delete_typhas_pair(cluster: &ControlPlane) -> Result<()> {
    send(&cluster.client(), "DELETE", "/api/v1/namespaces/tigera-operator/secrets/typha-certs", None).await.map(drop)
}

/// Writes everything, and waits until the pods run.
async fn make_up(cluster: &ControlPlane) -> Result<()> {
    let client = cluster.client();
    let installation = cluster.apply_yaml(INSTALLATION).await?.remove(0);
    for mut object in rendered()? {
        let Some(path) = collection(&object) else { bail!("where does {} belong?", object["kind"]) };
        for owner in object.pointer_mut("/metadata/ownerReferences").and_then(Value::as_array_mut).into_iter().flatten()
        {
            owner["uid"] = installation["metadata"]["uid"].clone();
        }
        disguise(&mut object);
        let path = format!("{path}?fieldManager={MANAGER}");
        send(&client, "POST", &path, Some(&object)).await.with_context(|| object.to_string())?;
    }
    for name in ["calico", "ippools"] {
        let status = json!({"apiVersion": "operator.tigera.io/v1", "kind": "TigeraStatus", "metadata": {"name": name}});
        send(&client, "POST", "/apis/operator.tigera.io/v1/tigerastatuses", Some(&status)).await?;
    }
    cluster.wait_for("the pods to run", DEADLINE, || running(&client)).await
}

/// What the operator renders for a cluster with these keys, this bundle and one node.
fn rendered() -> Result<Vec<Value>> {
    let folder = tempfile::tempdir().context("failed to make a folder")?;
    let (file, state) = (folder.path().join("installation.yaml"), folder.path().join("state.yaml"));
    std::fs::write(&file, INSTALLATION)?;
    std::fs::write(&state, json!({"apiVersion": "v1", "kind": "List", "items": state_of_the_cluster()}).to_string())?;
    let render = Command::new(operator::binary()?)
        .args(["render", "-o", "json", "--cluster-domain", "cluster.local", "-f"])
        .arg(&file)
        .arg("--cluster-state")
        .arg(&state)
        .output()
        .context("failed to run the operator")?;
    ensure!(render.status.success(), "{}", String::from_utf8_lossy(&render.stderr));
    let rendered: Value = serde_json::from_slice(&render.stdout).context("failed to read what was rendered")?;
    let rendered = rendered.get("items").unwrap_or(&rendered).as_array().cloned();
    rendered.context("render printed no list")
}

fn state_of_the_cluster() -> Vec<Value> {
    let node = json!({"apiVersion": "v1", "kind": "Node",
        "metadata": {"name": "node-1", "labels": {"kubernetes.io/os": "linux"}}});
    let trusted = format!("# certificate name: tigera-operator/tigera-ca-private\n{}\n\n", CA.0);
    let data = json!({"tigera-ca-bundle.crt": trusted, "ca.crt": trusted, "ca-bundle.crt": PAIRS[0].2});
    let bundle = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": data,
        "metadata": {"name": "tigera-ca-bundle", "namespace": "calico-system"}});
    let pairs = PAIRS.iter().map(|(name, dns_name, ..)| secret(name, Some(dns_name)));
    pairs.chain([node, bundle, secret("tigera-ca-private", None)]).collect()
}

fn secret(name: &str, dns_name: Option<&str>) -> Value {
    let mut annotations = json!({
        "certificates.operator.tigera.io/signer": "tigera-operator-signer",
        "certificates.operator.tigera.io/issuer": "tigera-operator-signer",
        "certificates.operator.tigera.io/expiry": EXPIRY,
    });
    annotations[format!("tigera-operator.hash.operator.tigera.io/{name}")] = FOREIGN_HASH.into();
    if let Some(dns_name) = dns_name {
        annotations["certificates.operator.tigera.io/dns-names"] = dns_name.into();
    }
    json!({"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "stringData": material(name),
        "metadata": {"name": name, "namespace": "tigera-operator", "annotations": annotations}})
}

fn material(name: &str) -> Value {
    let pair = PAIRS.iter().find(|(pair, ..)| *pair == name).map(|(.., certificate, key)| (*certificate, *key));
    let (certificate, key) = pair.unwrap_or(CA);
    json!({"tls.crt": certificate, "tls.key": key})
}

/// Keys, which are not printed, and hashes of the Go operator's own.
fn disguise(object: &mut Value) {
    if object["kind"] == "Secret" {
        let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        object["stringData"] = material(&name);
        object["data"].take();
    }
    if let Some(hash) =
        object.pointer_mut("/spec/template/metadata/annotations").and_then(|all| all.get_mut(AUTHORITY_HASH))
    {
        *hash = FOREIGN_HASH.into();
    }
}

fn collection(object: &Value) -> Option<String> {
    let plural = match object["kind"].as_str()? {
        "NetworkPolicy" => "networkpolicies".to_owned(),
        kind => format!("{}s", kind.to_lowercase()),
    };
    let version = object["apiVersion"].as_str()?;
    let start = if version.contains('/') { "/apis" } else { "/api" };
    Some(match object.pointer("/metadata/namespace").and_then(Value::as_str) {
        Some(namespace) => format!("{start}/{version}/namespaces/{namespace}/{plural}"),
        None => format!("{start}/{version}/{plural}"),
    })
}

async fn send(client: &Client, method: &str, path: &str, body: Option<&Value>) -> Result<Value> {
    let body = body.map(Value::to_string).unwrap_or_default().into_bytes();
    let request = http::Request::builder().method(method).uri(path).header("Content-Type", "application/json");
    client.request(request.body(body)?).await.with_context(|| format!("failed to {method} {path}"))
}

async fn running(client: &Client) -> Result<Option<()>> {
    let mut wanted = 0;
    for (kind, name, want, have) in [
        ("DaemonSet", "calico-node", "/status/desiredNumberScheduled", "/status/numberAvailable"),
        ("DaemonSet", "csi-node-driver", "/status/desiredNumberScheduled", "/status/numberAvailable"),
        ("Deployment", "calico-typha", "/spec/replicas", "/status/availableReplicas"),
        ("Deployment", "calico-kube-controllers", "/spec/replicas", "/status/availableReplicas"),
    ] {
        let Some(live) = cluster::get(client, "apps/v1", kind, Some("calico-system"), name).await? else {
            return Ok(None);
        };
        let number = |pointer| live.pointer(pointer).and_then(Value::as_u64).unwrap_or_default();
        if number(want) == 0 || number(have) < number(want) {
            return Ok(None);
        }
        wanted += number(want);
    }
    Ok((wanted > 0).then_some(()))
}
