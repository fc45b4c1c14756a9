//! The probes tell the truth, and the log tells which reconcile did what.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;

use anyhow::Result;
use chimera_e2e::OPERATOR_USER;
use chimera_e2e::cluster::{self, DEADLINE, wait_available};
use chimera_e2e::metrics::{free_address, scrape};
use chimera_e2e::operator::Operator;
use chimera_e2e::probes::ask;
use chimera_kit::{AuditEvent, ControlPlane};
use serde_json::Value;

const DEFAULT: &str = "{apiVersion: operator.tigera.io/v1, kind: Installation, metadata: {name: default}, spec: {}}";

fn start(cluster: &ControlPlane, flags: &[&str]) -> (Operator, SocketAddr) {
    let address = free_address().unwrap();
    let probes = format!("--health-probe-bind-address={address}");
    (Operator::start(cluster, &[flags, &[probes.as_str()]].concat()).unwrap(), address)
}

/// Waits for an answer of `/readyz`.
async fn wait_ready(cluster: &ControlPlane, address: SocketAddr, status: u16, text: &str) -> String {
    let what = format!("{status} with {text:?} at /readyz");
    let answer = || async {
        let (code, body) = ask(address, "/readyz").await?;
        anyhow::ensure!(code == status && body.contains(text), "it is {code}: {body}");
        Ok(Some(body))
    };
    cluster.wait_for(&what, DEADLINE, answer).await.unwrap()
}

#[tokio::test]
async fn an_operator_is_ready_with_its_crds_and_its_api_server_and_says_what_is_missing_without() {
    let cluster = ControlPlane::builder().start().await.unwrap();
    let (operator, address) = start(&cluster, &["--leader-elect=false"]);
    let body = wait_ready(&cluster, address, 503, "installations.operator.tigera.io").await;
    for name in ["tigerastatuses.operator.tigera.io", "ippools.crd.projectcalico.org"] {
        assert!(body.contains(name), "{name} is not in {body}");
    }
    let (standing, by) = start(&cluster, &[]);
    let (candidate, standby) = start(&cluster, &[]);
    // Whichever holds the lease looks for them itself.
    wait_ready(&cluster, by, 503, "imagesets.operator.tigera.io is not served").await;
    wait_ready(&cluster, standby, 503, "imagesets.operator.tigera.io is not served").await;
    cluster::apply_crds(&cluster, "v1").await.unwrap();
    wait_ready(&cluster, address, 200, "all watches are up to date").await;
    let one_each = || async {
        let answers = [ask(by, "/readyz").await?, ask(standby, "/readyz").await?];
        let says = |text: &str| answers.iter().filter(|(code, body)| *code == 200 && body.contains(text)).count();
        anyhow::ensure!(says("leading") == 1 && says("standing by") == 1, "{answers:?}");
        Ok(Some(()))
    };
    cluster.wait_for("one that leads and one that stands by", DEADLINE, one_each).await.unwrap();
    for operator in [standing, candidate] {
        assert!(operator.stop().await.unwrap().success());
    }

    cluster.pause("kube-apiserver").unwrap();
    let silent = wait_silent(address).await;
    cluster.resume("kube-apiserver").unwrap();
    assert!(silent.unwrap().contains("the API server has not answered for"));
    assert_eq!(ask(address, "/healthz").await.unwrap().0, 200, "a restart would not help");
    wait_ready(&cluster, address, 200, "ok").await;
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}

/// Waits without asking the cluster, which cannot answer.
async fn wait_silent(address: SocketAddr) -> Result<String> {
    let silent = || async {
        let (code, body) = ask(address, "/readyz").await?;
        // A watch that was just to be begun anew may be told of first.
        Ok((code == 503 && body.contains("has not answered for")).then_some(body))
    };
    chimera_kit::wait_for("503 at /readyz", DEADLINE, silent).await
}

fn counted(text: &str, verb: &str, kind: &str) -> Option<usize> {
    let line = format!("chimera_api_writes_total{{verb=\"{verb}\",kind=\"{kind}\"}} ");
    text.lines().find_map(|text| text.strip_prefix(&line)?.parse().ok())
}

#[tokio::test]
async fn each_write_is_logged_in_the_span_of_its_reconcile_and_counted_by_verb_and_kind() {
    let cluster = cluster::with_crds(1).await.unwrap();
    let metrics = free_address().unwrap();
    let served = format!("--metrics-bind-address={metrics}");
    let operator = Operator::start(&cluster, &["--log-format=json", &served]).unwrap();
    cluster.apply_yaml(DEFAULT).await.unwrap();
    wait_available(&cluster).await.unwrap();

    let lines: Vec<Value> = operator.log().lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let applied: Vec<_> = lines.iter().filter(|line| line["message"] == "applied").collect();
    assert!(applied.len() > 30, "{} lines tell of a write", applied.len());
    let mut reconciles: BTreeMap<u64, BTreeSet<String>> = BTreeMap::new();
    for line in applied {
        let span = &line["span"];
        assert_eq!(span["name"], "reconcile", "{line}");
        assert!(span["generation"].as_i64().is_some_and(|generation| generation > 0), "{line}");
        assert_eq!(span["object"], "Installation default", "{line}");
        let id = span["id"].as_u64().unwrap_or_else(|| panic!("{line}"));
        reconciles.entry(id).or_default().insert(span["controller"].to_string());
    }
    assert!(reconciles.values().all(|controllers| controllers.len() == 1), "an id is one reconcile's: {reconciles:?}");

    for (verb, kind, resource) in [
        ("create", "DaemonSet", "daemonsets"),
        ("create", "TigeraStatus", "tigerastatuses"),
        ("create", "Event", "events"),
        ("patch", "Installation", "installations"),
    ] {
        // Another one may come between the two looks.
        let same = || async {
            let counted = counted(&scrape(metrics).await?, verb, kind);
            let audit = cluster.audit().await?.writes_by(OPERATOR_USER);
            let is = |event: &&AuditEvent| event.verb == verb && event.resource == resource && event.code < 300;
            let want = audit.iter().filter(is).count();
            anyhow::ensure!(want > 0 && counted == Some(want), "{want} by the audit log, {counted:?} counted");
            Ok(Some(()))
        };
        cluster.wait_for(&format!("{verb} {kind} to be counted"), DEADLINE, same).await.unwrap();
    }
    let text = scrape(metrics).await.unwrap();
    assert!(text.contains("chimera_leader 1"), "{text}");
    let secret = "chimera_certificate_expiry_timestamp_seconds{secret=\"node-certs\"}";
    assert!(text.contains(secret), "{text}");
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}
