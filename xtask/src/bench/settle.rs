//! Waiting until a cluster is at rest.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use chimera_e2e::OPERATOR_USER;
use chimera_kit::ControlPlane;

/// A cluster counts as at rest when the operator wrote nothing for this long.
const QUIET: Duration = Duration::from_secs(15);
/// It is given up after this long.
pub(super) const PATIENCE: Duration = Duration::from_secs(180);

/// Waits until nothing was written for a while.
pub(super) async fn settle(cluster: &ControlPlane) -> Result<()> {
    let started = Instant::now();
    let (mut count, mut since) = (0, Instant::now());
    while since.elapsed() < QUIET {
        ensure!(started.elapsed() < PATIENCE, "the operator still writes after {} s", PATIENCE.as_secs());
        let now = cluster.audit().await?.writes_by(OPERATOR_USER).len();
        if now != count {
            (count, since) = (now, Instant::now());
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    Ok(())
}
