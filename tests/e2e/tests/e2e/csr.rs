//! Certificate signing requests: those of Calico's own pods are signed, others are left alone.

use chimera_e2e::OPERATOR_USER;
use chimera_e2e::cluster::{self, DEADLINE, get, wait_available, wait_condition};
use chimera_e2e::operator::Operator;
use chimera_e2e::requests::{Asked, ask, ask_as_administrator, management, pod};
use chimera_kit::ControlPlane;
use k8s_openapi::api::certificates::v1::CertificateSigningRequest;
use k8s_openapi::api::events::v1::Event;
use kube::Api;
use kube::api::{DeleteParams, ListParams};
use serde_json::{Value, json};

async fn state(cluster: &ControlPlane, spec: Value) {
    let installation = json!({"apiVersion": "operator.tigera.io/v1", "kind": "Installation",
        "metadata": {"name": "default"}, "spec": spec});
    cluster.apply_yaml(&installation.to_string()).await.unwrap();
}

fn requests(cluster: &ControlPlane) -> Api<CertificateSigningRequest> {
    Api::all(cluster.client())
}

/// Waits for the Event that says why a request is left alone, and that it was.
async fn wait_left(cluster: &ControlPlane, name: &str, why: &str) {
    let events: Api<Event> = Api::namespaced(cluster.client(), "default");
    let told = || async {
        let all = events.list(&ListParams::default()).await?.items;
        let is = |event: &Event| {
            let about = event.regarding.as_ref().and_then(|about| about.name.as_deref());
            about == Some(name) && event.reason.as_deref() == Some("CertificateRequestNotApproved")
        };
        Ok(all.into_iter().find(is).and_then(|event| event.note))
    };
    let note = cluster.wait_for(&format!("an Event about {name}"), DEADLINE, told).await.unwrap();
    assert!(note.contains(why), "{note}");
    is_untouched(cluster, name).await;
}

async fn is_untouched(cluster: &ControlPlane, name: &str) {
    let request = requests(cluster).get(name).await.unwrap();
    let status = request.status.unwrap_or_default();
    assert!(status.certificate.is_none() && status.conditions.is_none_or(|all| all.is_empty()), "{name}");
}

async fn wait_signed(cluster: &ControlPlane, name: &str) {
    let signed = || async {
        let status = requests(cluster).get(name).await?.status.unwrap_or_default();
        Ok(status.certificate.map(|certificate| (certificate, status.conditions.unwrap_or_default())))
    };
    let (certificate, conditions) = cluster.wait_for(&format!("{name} to be signed"), DEADLINE, signed).await.unwrap();
    let text = String::from_utf8(certificate.0).unwrap();
    assert_eq!(text.matches("BEGIN CERTIFICATE").count(), 2, "the certificate and the authority's");
    assert!(conditions.iter().any(|condition| condition.type_ == "Approved" && condition.status == "True"));
}

#[tokio::test]
async fn requests_of_calicos_own_pods_are_signed_and_forged_ones_are_left_alone_and_told() {
    let cluster = cluster::with_crds(1).await.unwrap();
    let operator = Operator::start(&cluster, &[]).unwrap();
    state(&cluster, json!({})).await;
    wait_available(&cluster).await.unwrap();
    let asked = cluster.audit().await.unwrap();
    let asked =
        asked.iter().find(|event| event.user == OPERATOR_USER && event.resource == "certificatesigningrequests");
    assert!(asked.is_none(), "nobody needs it, and yet it was asked for: {asked:?}");

    let management = management(&cluster).await.unwrap();
    state(&cluster, json!({"certificateManagement": management})).await;
    let rolled_out = || async {
        let typha = get(&cluster.client(), "apps/v1", "Deployment", Some("calico-system"), "calico-typha").await?;
        let template = typha.and_then(|typha| typha.pointer("/spec/template/spec/initContainers").cloned());
        Ok(template.map(drop))
    };
    cluster.wait_for("Typha to ask for its certificate", DEADLINE, rolled_out).await.unwrap();
    wait_available(&cluster).await.unwrap();

    let typha = pod(&cluster, "calico-typha").await.unwrap();
    let own = Asked::by(&typha, "typha-certs", "typha-server");
    ask(&cluster, &typha, &own).await.unwrap();
    wait_signed(&cluster, &own.name).await;

    // Whoever signs for it decides about it.
    let external = Asked { name: "of-another-signer".into(), signer: "example.com/signer".into(), ..own.clone() };
    ask(&cluster, &typha, &external).await.unwrap();
    let others = Asked::by(&typha, "node-certs", "typha-client");
    ask(&cluster, &typha, &others).await.unwrap();
    wait_left(&cluster, &others.name, "no component of the operator gets the certificate").await;
    is_untouched(&cluster, &external.name).await;

    let node = pod(&cluster, "calico-node").await.unwrap();
    let mut more = Asked::by(&node, "node-certs", "typha-client");
    more.dns_names.push("kubernetes.default.svc".into());
    ask(&cluster, &node, &more).await.unwrap();
    wait_left(&cluster, &more.name, "it asks for the names").await;

    requests(&cluster).delete(&own.name, &DeleteParams::default()).await.unwrap();
    ask_as_administrator(&cluster, &own).await.unwrap();
    wait_left(&cluster, &own.name, "it was made by").await;
    let status = get(&cluster.client(), "operator.tigera.io/v1", "TigeraStatus", None, "csr").await.unwrap();
    assert!(status.is_none(), "there is nothing to tell: {status:?}");

    // Pods would trust somebody else than the one who signs.
    let mut wrong = management.clone();
    wrong["caCert"] = Value::String(OTHER.trim().to_owned());
    state(&cluster, json!({"certificateManagement": wrong})).await;
    let (_, message) = wait_condition(&cluster, "csr", "Degraded").await.unwrap();
    assert!(message.starts_with("Installation default spec.certificateManagement.caCert: "), "{message}");
    state(&cluster, json!({})).await;
    let gone = || async {
        let status = get(&cluster.client(), "operator.tigera.io/v1", "TigeraStatus", None, "csr").await?;
        Ok(status.is_none().then_some(()))
    };
    cluster.wait_for("the status to go", DEADLINE, gone).await.unwrap();
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}

/// Another authority's certificate, PEM in base64.
const OTHER: &str = include_str!("csr/other-authority.b64");
