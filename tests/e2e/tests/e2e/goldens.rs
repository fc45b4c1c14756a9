//! Every case of `tests/golden` on the real control plane.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use chimera_e2e::cluster::{self, DEADLINE, condition, get, wait_condition};
use chimera_e2e::golden::{Case, lacks};
use chimera_e2e::operator::Operator;
use chimera_e2e::{compare, rights};
use chimera_kit::ControlPlane;
use futures::{StreamExt as _, stream};
use serde_json::Value;

/// Clusters that run at the same time.
const PARALLEL: usize = 2;
/// The last writes may still be on their way when everything is available.
const SETTLED: Duration = Duration::from_secs(20);

#[tokio::test]
async fn every_case_lands_as_the_go_operator_wrote_it_and_as_it_is_committed() {
    let only = std::env::var("CHIMERA_CASES").unwrap_or_default();
    let chosen = |case: &Case| !case.offline && (only.is_empty() || only.split(',').any(|name| name == case.name));
    let cases: Vec<_> = Case::served().unwrap().into_iter().filter(chosen).collect();
    assert!(!cases.is_empty(), "CHIMERA_CASES={only} names no case");
    chimera_e2e::operator::binary().unwrap();
    let findings: Vec<_> = stream::iter(cases).map(checked).buffer_unordered(PARALLEL).collect().await;
    let findings: Vec<_> = findings.into_iter().filter(|finding| !finding.is_empty()).collect();
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

async fn checked(case: Case) -> String {
    let started = std::time::Instant::now();
    let findings = match landed(&case).await {
        Ok(findings) => findings,
        Err(error) => format!("{error:#}"),
    };
    eprintln!(
        "{} took {:.0?}: {}",
        case.name,
        started.elapsed(),
        if findings.is_empty() { "as wanted" } else { "differs" }
    );
    if findings.is_empty() { findings } else { format!("---- {}\n{findings}", case.name) }
}

/// What differs.
async fn landed(case: &Case) -> Result<String> {
    let cluster = cluster::serving(case.nodes, case.crds.as_deref()).await?;
    cluster::label_nodes(&cluster.client(), &case.labels).await?;
    if !case.before.is_empty() {
        cluster::prepare(&cluster, &case.before).await.context("before the operator starts")?;
    }
    if case.apply.contains("kubernetesProvider: DockerEnterprise") {
        rights::grant(&cluster, None, &["docker-enterprise"])?;
    }
    let operator = Operator::start_with_env(&cluster, &[], &case.env)?;
    let findings = applied(case, &cluster).await;
    let findings = findings.with_context(|| format!("the operator's log:\n{}", operator.log()))?;
    ensure!(operator.stop().await?.success(), "the operator ended badly");
    cluster.stop().await?;
    Ok(findings)
}

async fn applied(case: &Case, cluster: &ControlPlane) -> Result<String> {
    cluster.apply_yaml(&case.apply).await?;
    for (name, condition, reason) in case.statuses() {
        let (found, message) = wait_condition(cluster, &name, &condition).await?;
        ensure!(found == reason, "TigeraStatus {name} is {condition} for {found}, not for {reason}: {message}");
    }
    let mut last = String::new();
    let deadline = tokio::time::Instant::now() + SETTLED;
    loop {
        // To compare may take longer than to settle: what counts is what was there when it began.
        let began = tokio::time::Instant::now();
        last = differences(case, cluster).await.unwrap_or(last);
        if last.is_empty() || began >= deadline {
            return Ok(last);
        }
        // Whatever is still to be written wakes nobody here, so it is looked for.
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

async fn differences(case: &Case, cluster: &ControlPlane) -> Result<String> {
    let objects = compare::written(cluster).await?;
    let all = cluster.dump().await?;
    let mut findings = lacks(&case.committed()?, &all);
    if let Some(goldens) = compare::goldens().filter(|goldens| compare::has_reference(goldens, &case.name)) {
        let name = case.name.clone();
        // It starts a process for each certificate, and the other cluster is waited for meanwhile.
        let reference = tokio::task::spawn_blocking(move || compare::differences(&goldens, &name, &objects)).await??;
        // What a case states itself was waited for.
        let stated =
            case.status.as_ref().map(|(name, ..)| format!("differs operator.tigera.io/v1/TigeraStatus//{name} "));
        let is_stated = |line: &&str| stated.as_ref().is_some_and(|stated| line.starts_with(stated));
        findings.extend(reference.lines().filter(|line| !is_stated(line)).map(Into::into));
    }
    Ok(findings.join("\n"))
}

#[tokio::test]
async fn every_refused_case_is_degraded_with_its_reason_and_nothing_is_rendered() {
    let cluster = cluster::with_crds(1).await.unwrap();
    let operator = Operator::start(&cluster, &[]).unwrap();
    for case in Case::refused().unwrap() {
        let refused = refused(&case, &cluster).await;
        refused.with_context(|| case.name.clone()).unwrap_or_else(|error| panic!("{error:#}\n{}", operator.log()));
    }
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}

async fn refused(case: &Case, cluster: &ControlPlane) -> Result<()> {
    let (component, reason) = case.refused.clone().context("it is refused")?;
    let before = if case.before.is_empty() { Vec::new() } else { cluster.apply_yaml(&case.before).await? };
    let applied = cluster.apply_yaml(&case.apply).await?;
    let generation = applied.first().context("there is an Installation")?["metadata"]["generation"].clone();
    let told = || async {
        let status = get(&cluster.client(), "operator.tigera.io/v1", "TigeraStatus", None, &component).await?;
        Ok(status.filter(|status| degraded(status, &generation, &reason)))
    };
    let what = format!("TigeraStatus {component} to be Degraded with {reason}");
    if let Err(error) = cluster.wait_for(&what, DEADLINE, told).await {
        return Err(error.context(format!("it says {:?}", condition(&cluster.client(), &component, "Degraded").await?)));
    }
    for (kind, name) in
        [("DaemonSet", "calico-node"), ("Deployment", "calico-typha"), ("DaemonSet", "calico-node-windows")]
    {
        let found = get(&cluster.client(), "apps/v1", kind, Some("calico-system"), name).await?;
        ensure!(found.is_none(), "{kind} {name} was rendered");
    }
    // The Installation first: without the rest it might be served.
    for object in applied.iter().chain(&before) {
        cluster::delete(&cluster.client(), object).await?;
    }
    let gone = || async {
        let status = get(&cluster.client(), "operator.tigera.io/v1", "TigeraStatus", None, &component).await?;
        Ok(status.is_none().then_some(()))
    };
    cluster.wait_for(&format!("TigeraStatus {component} to go with the Installation"), DEADLINE, gone).await
}

fn degraded(status: &Value, generation: &Value, reason: &str) -> bool {
    let conditions = status.pointer("/status/conditions").and_then(Value::as_array).into_iter().flatten();
    let mut degraded = conditions.filter(|condition| condition["type"] == "Degraded" && condition["status"] == "True");
    degraded.any(|condition| condition["reason"] == reason && condition["observedGeneration"] == *generation)
}
