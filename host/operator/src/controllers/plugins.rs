//! The plugins controller: keeps the plugins in use as they are declared, and tells which could not be loaded.

use std::time::Duration;

use chimera_core::codes;
use chimera_core::extensions::StartupConfig;
use chimera_core::message::Message;
use chimera_core::object::ObjectKey;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::ListParams;
use tracing::{info, warn};

use super::driver::{Controller, Outcome};
use super::publish;
use super::subject::{API_VERSION, Subject};
use super::wiring::PLUGIN;
use crate::apply::live::{Known, LiveVersions as _};
use crate::context::{Context, Settings};
use crate::status::health::Health;
use crate::watch::signal::Signal;

/// Name of the TigeraStatus.
const NAME: &str = "plugins";

/// Between two tries while the declared plugins cannot be used at the start.
const TRY_EVERY: Duration = Duration::from_secs(2);

/// The controller.
#[derive(Clone, Copy, Debug)]
pub struct Plugins;

impl Controller for Plugins {
    const NAME: &'static str = "plugins";

    async fn reconcile(&self, context: &Context) -> Outcome {
        match load(context).await {
            Ok(()) => tell(context).await,
            Err(message) => refused(context, message).await,
        }
    }
}

/// Loads for the first time, for as long as it takes: nothing may be applied before.
pub async fn load_first(context: &Context) {
    while let Err(message) = load(context).await {
        refused(context, message).await;
        tokio::time::sleep(TRY_EVERY).await;
    }
}

/// The set in use stays, at the start none, with which nothing is applied.
async fn refused(context: &Context, message: Message) -> Outcome {
    warn!("{message}; the declared plugins are not in use");
    // Which are declared is not even known, so there is nothing to tell of them.
    if message.code().id == codes::CLUSTER_READ_FAILED.id {
        return Outcome::Failed;
    }
    publish::invalid(context, NAME, &subject(), [message]).await
}

fn subject() -> Subject {
    Subject { key: ObjectKey::cluster(API_VERSION, "TigeraStatus", NAME), uid: None, generation: None }
}

async fn load(context: &Context) -> Result<(), Message> {
    let api: Api<ConfigMap> = Api::namespaced(context.client.clone(), &context.settings.namespace);
    let found = api.list(&ListParams::default().labels(PLUGIN)).await.map_err(|error| {
        let detail = crate::client::reason(&error, "list");
        Message::new(&codes::CLUSTER_READ_FAILED, detail).on(format!("ConfigMaps of {}", context.settings.namespace))
    })?;
    let changed = context
        .plugins
        .load(&found.items, &cluster(context))
        .await
        .map_err(|error| Message::new(&codes::PLUGIN_NOT_LOADED, chain(&error)).on("plugins"))?;
    if changed {
        let set = context.plugins.set();
        for plugin in set.loaded() {
            info!(plugin = plugin.name, digest = plugin.digest, origin = plugin.origin, "a plugin is in use");
        }
        info!(loaded = set.loaded().len(), failed = set.not_loaded().len(), "the plugins changed");
        context.bells.extended().iter().for_each(Signal::ring);
    }
    Ok(())
}

fn cluster(context: &Context) -> StartupConfig {
    let Settings { namespace, cluster_domain, api_group, api_groups, .. } = &context.settings;
    StartupConfig {
        api_groups: api_groups.clone(),
        api_group: *api_group,
        cluster_domain: cluster_domain.clone(),
        operator_namespace: namespace.clone(),
    }
}

/// An error and what is below it, for the log and the status.
fn chain(error: &dyn std::error::Error) -> String {
    let below = std::iter::successors(error.source(), |error| error.source()).map(ToString::to_string);
    std::iter::once(error.to_string()).chain(below).collect::<Vec<_>>().join(": ")
}

/// TigeraStatus `plugins`, which is there only if a plugin is or was declared.
async fn tell(context: &Context) -> Outcome {
    let Subject { key, .. } = subject();
    let set = context.plugins.set();
    let declared = !set.loaded().is_empty() || !set.not_loaded().is_empty();
    if !declared && !matches!(context.versions.version(&key), Known::At { .. }) {
        return Outcome::Settled;
    }
    let mut health = Health::default();
    health.extend(set.not_loaded().iter().map(|failed| {
        Message::new(&codes::PLUGIN_NOT_LOADED, format!("{}: {}", failed.origin, failed.message))
            .on(format!("plugin {}", failed.name))
    }));
    let outcome = publish::run(context, NAME, &health, &subject()).await;
    // A plugin that cannot be loaded is not tried again until something changes.
    match outcome {
        Outcome::Failed => Outcome::Settled,
        Outcome::Held(pause) => Outcome::Again(pause),
        outcome => outcome,
    }
}
