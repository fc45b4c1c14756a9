//! The controllers, and the watches that wake them.

pub mod api_server;
pub mod applying;
pub mod calico_api;
pub mod cluster_connection;
pub mod csr;
pub mod driver;
pub mod extending;
pub mod following;
pub mod gateway_api;
pub mod goldmane;
pub mod health;
pub mod installation;
pub mod installation_status;
pub mod ip_pools;
pub mod istio;
pub mod plugins;
pub mod publish;
pub mod resource_status;
pub mod subject;
pub mod tiers;
pub mod unwatched;
pub mod whisker;
pub mod windows;
pub mod wiring;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use kube::Client;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tracing::warn;

use crate::args::RunArgs;
use crate::env::Machine;
use crate::metrics::Metrics;
use crate::vitals::Stage;

/// Between two tries while the cluster does not say what it serves.
const ASK_AGAIN: Duration = Duration::from_secs(2);

/// Prepares the cluster, then runs every controller for as long as the process leads.
///
/// # Errors
/// If a flag makes no sense, the CustomResourceDefinitions cannot be installed, or a task ends.
pub async fn run(
    client: Client,
    args: &RunArgs,
    metrics: Arc<Metrics>,
    identity: String,
    machine: Machine,
) -> Result<()> {
    let vitals = metrics.vitals();
    crate::active::wait(&client, &args.namespace, vitals).await;
    let group = wiring::api_group(args.calico_api_group.as_deref())?;
    let api_group = crate::crds::prepare(&client, args.manage_crds, group, vitals).await?;
    vitals.enter(Stage::LoadsPlugins);
    let served = wiring::Served { api_group, api_groups: api_groups(&client).await };
    let context = Arc::new(
        wiring::context(client, args, served, Arc::clone(&metrics), identity, machine).context("failed to set up")?,
    );
    let bells = &context.bells;
    let _folder = context.plugins.watch(bells.plugins.clone())?;
    let mut tasks = JoinSet::new();
    tasks.spawn(crate::crds::keep(context.client.clone(), args.manage_crds, api_group));
    wiring::watches(&context, &mut tasks);
    // Nothing is applied before every declared plugin is loaded, so this one goes first.
    plugins::load_first(&context).await;
    vitals.enter(Stage::Acts);
    tasks.spawn(driver::run(plugins::Plugins, Arc::clone(&context), bells.plugins.clone()));
    tasks.spawn(driver::run(ip_pools::IpPools, Arc::clone(&context), bells.ip_pools.clone()));
    tasks.spawn(driver::run(installation::Installation, Arc::clone(&context), bells.installation.clone()));
    tasks.spawn(driver::run(windows::Windows, Arc::clone(&context), bells.windows.clone()));
    tasks.spawn(driver::run(csr::Csr::default(), Arc::clone(&context), bells.csr.clone()));
    let (connection, bell) = (cluster_connection::ClusterConnection, bells.cluster_connection.clone());
    tasks.spawn(driver::run(connection, Arc::clone(&context), bell));
    tasks.spawn(driver::run(api_server::ApiServer, Arc::clone(&context), bells.api_server.clone()));
    tasks.spawn(driver::run(goldmane::Goldmane, Arc::clone(&context), bells.goldmane.clone()));
    tasks.spawn(driver::run(whisker::Whisker, Arc::clone(&context), bells.whisker.clone()));
    tasks.spawn(driver::run(tiers::Tiers, Arc::clone(&context), bells.tiers.clone()));
    tasks.spawn(driver::run(gateway_api::GatewayApi, Arc::clone(&context), bells.gateway_api.clone()));
    tasks.spawn(driver::run(istio::Istio, Arc::clone(&context), bells.istio.clone()));
    match tasks.join_next().await {
        Some(Err(error)) => Err(error).context("a task of the operator broke"),
        Some(Ok(())) | None => anyhow::bail!("a task of the operator ended by itself"),
    }
}

/// All API groups that the cluster serves, asked for as long as it takes.
async fn api_groups(client: &Client) -> BTreeSet<String> {
    loop {
        match client.list_api_groups().await {
            Ok(list) => return list.groups.into_iter().map(|group| group.name).collect(),
            Err(error) => {
                warn!(error = crate::client::reason(&error, "list"), "failed to list the API groups; trying again")
            }
        }
        sleep(ASK_AGAIN).await;
    }
}
