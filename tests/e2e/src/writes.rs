//! What the operator writes, by the API server's own audit log.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Result, ensure};
use chimera_kit::ControlPlane;
use tokio::time::Instant;

use crate::OPERATOR_USER;

/// How many writes there were so far.
pub async fn count(cluster: &ControlPlane) -> Result<usize> {
    Ok(cluster.audit().await?.writes_by(OPERATOR_USER).len())
}

/// Waits until nothing was written for `pause`; fails if that does not come within a minute.
pub async fn quiet(cluster: &ControlPlane, what: &str, pause: Duration) -> Result<()> {
    let last = Cell::new((count(cluster).await?, Instant::now()));
    let check = || async {
        let now = count(cluster).await?;
        if now != last.get().0 {
            last.set((now, Instant::now()));
        }
        Ok((last.get().1.elapsed() >= pause).then_some(()))
    };
    cluster.wait_for(what, Duration::from_secs(60), check).await
}

/// Fails if anything is written within `span`, which is what is tested, not a wait for something.
pub async fn none_within(cluster: &ControlPlane, span: Duration) -> Result<()> {
    let before = count(cluster).await?;
    tokio::time::sleep(span).await;
    let audit = cluster.audit().await?.writes_by(OPERATOR_USER);
    let late: Vec<_> = audit.iter().skip(before).collect();
    ensure!(late.is_empty(), "a converged cluster was written to: {late:#?}");
    Ok(())
}

/// The writes so far but the first `skip` of them: how many of each verb and resource, as `update configmaps`.
pub async fn by_kind(cluster: &ControlPlane, skip: usize) -> Result<BTreeMap<String, usize>> {
    let mut kinds = BTreeMap::new();
    for event in cluster.audit().await?.writes_by(OPERATOR_USER).iter().skip(skip) {
        let slash = if event.subresource.is_empty() { "" } else { "/" };
        *kinds.entry(format!("{} {}{slash}{}", event.verb, event.resource, event.subresource)).or_default() += 1;
    }
    Ok(kinds)
}
