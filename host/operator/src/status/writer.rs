//! Writes `TigeraStatus`, only when it says something new.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use chimera_core::env::Clock;
use chimera_core::object::ObjectKey;
use chimera_crds::{TigeraStatus, TigeraStatusCondition, TigeraStatusSpec, TigeraStatusStatus};
use kube::api::{DeleteParams, ObjectMeta, PostParams};
use kube::{Api, Client};
use tokio::sync::Mutex;
use tokio::time::Instant;
use tracing::info;

use super::conditions;
use super::events::Events;
use super::health::Health;
use crate::apply::live::{Known, LiveVersions};
use crate::client::FIELD_MANAGER;
use crate::metrics::Metrics;
use crate::watch::versions::Versions;

/// A message alone (no transition) is written at most this often, so that a rollout's count does not become a flood.
const MESSAGE_EVERY: Duration = Duration::from_secs(5);

/// What was last written or read of one TigeraStatus.
#[derive(Clone)]
struct Last {
    resource_version: String,
    conditions: Vec<TigeraStatusCondition>,
    at: Instant,
}

/// What a publication came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Published {
    /// The cluster says what was to be said.
    Done,
    /// The message is held back; publish again after this long.
    Later(Duration),
}

/// Writes all of them.
pub struct StatusWriter {
    api: Api<TigeraStatus>,
    versions: Arc<Versions>,
    clock: Arc<dyn Clock>,
    events: Events,
    metrics: Arc<Metrics>,
    last: Mutex<BTreeMap<&'static str, Last>>,
}

impl StatusWriter {
    /// A writer that has written nothing yet.
    pub fn new(
        client: Client,
        versions: Arc<Versions>,
        clock: Arc<dyn Clock>,
        events: Events,
        metrics: Arc<Metrics>,
    ) -> Self {
        Self { api: Api::all(client), versions, clock, events, metrics, last: Mutex::default() }
    }

    /// Makes the TigeraStatus `name` say what `health` says; each transition becomes an Event about `subject`.
    ///
    /// # Errors
    /// If the API server does not take it.
    pub async fn publish(
        &self,
        name: &'static str,
        health: &Health,
        subject: &ObjectKey,
        subject_uid: Option<String>,
    ) -> Result<Published, kube::Error> {
        let mut all = self.last.lock().await;
        let live = self.live(name, all.get(name)).await?;
        // What somebody else made of it is no transition: what the operator said last counts, so far as it is known.
        let said = all.get(name).or(live.as_ref());
        let before = said.map(|last| last.conditions.clone()).unwrap_or_default();
        let after = conditions::of(health, &before, self.clock.now());
        self.count(name, &after);
        if let Some(live) = live.as_ref()
            && let Some(published) = held_back(live, &after)
        {
            if published == Published::Done || !all.contains_key(name) {
                all.insert(name, live.clone());
            }
            return Ok(published);
        }
        let moved: Vec<_> = conditions::transitions(&before, &after).cloned().collect();
        let resource_version = self.write(name, live.as_ref(), &after).await?;
        all.insert(name, Last { resource_version, conditions: after, at: Instant::now() });
        drop(all);
        self.announce(name, &moved, subject, subject_uid).await;
        Ok(Published::Done)
    }

    /// Deletes the TigeraStatus `name`: what it told of is no more.
    ///
    /// # Errors
    /// If the API server does not take it.
    pub async fn remove(&self, name: &'static str) -> Result<(), kube::Error> {
        let mut all = self.last.lock().await;
        let key = ObjectKey::cluster("operator.tigera.io/v1", "TigeraStatus", name);
        if all.remove(name).is_none() && self.versions.version(&key) == Known::Absent {
            return Ok(());
        }
        self.metrics.forget(name);
        match self.api.delete(name, &DeleteParams::default()).await {
            Ok(_) => {
                info!(component = name, "the component is gone, and its status with it");
                Ok(())
            }
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// What the cluster holds, read only if it is not what was last written.
    async fn live(&self, name: &str, last: Option<&Last>) -> Result<Option<Last>, kube::Error> {
        let key = ObjectKey::cluster("operator.tigera.io/v1", "TigeraStatus", name);
        match (self.versions.version(&key), last) {
            (Known::At { resource_version, .. }, Some(last)) if resource_version == last.resource_version => {
                Ok(Some(last.clone()))
            }
            (Known::Absent, None) => Ok(None),
            _ => Ok(self.api.get_opt(name).await?.map(|status| Last {
                resource_version: status.metadata.resource_version.unwrap_or_default(),
                conditions: status.status.unwrap_or_default().conditions,
                at: last.map_or_else(Instant::now, |last| last.at),
            })),
        }
    }

    /// Writes; gives back the new version.
    async fn write(
        &self,
        name: &str,
        current: Option<&Last>,
        conditions: &[TigeraStatusCondition],
    ) -> Result<String, kube::Error> {
        let params = PostParams { field_manager: Some(FIELD_MANAGER.into()), ..PostParams::default() };
        let mut status = TigeraStatus {
            metadata: ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() },
            spec: TigeraStatusSpec::default(),
            status: Some(TigeraStatusStatus { conditions: conditions.to_vec() }),
        };
        status.metadata.resource_version = match current {
            Some(last) => Some(last.resource_version.clone()),
            None => self.api.create(&params, &status).await?.metadata.resource_version,
        };
        let written = self.api.replace_status(name, &params, &status).await?;
        Ok(written.metadata.resource_version.unwrap_or_default())
    }

    fn count(&self, name: &str, conditions: &[TigeraStatusCondition]) {
        for condition in conditions {
            let holds = condition.status == chimera_crds::ConditionStatus::True;
            self.metrics.condition(name, &condition.type_, holds);
        }
    }

    /// One Event for each condition that came to hold; that the others ceased to is said by these.
    async fn announce(
        &self,
        name: &str,
        moved: &[TigeraStatusCondition],
        subject: &ObjectKey,
        subject_uid: Option<String>,
    ) {
        for condition in moved.iter().filter(|c| c.status == chimera_crds::ConditionStatus::True) {
            let reason = condition.reason.as_deref().unwrap_or_default();
            let message = condition.message.as_deref().unwrap_or_default();
            info!(component = name, condition = condition.type_, reason, message, "the component's status changed");
            let note = format!("{name} is {}: {message}", condition.type_);
            let warning = condition.type_ == "Degraded";
            self.events.publish(subject, subject_uid.clone(), warning, reason, &note).await;
        }
    }
}

/// Whether nothing is to be written, or not yet.
fn held_back(last: &Last, after: &[TigeraStatusCondition]) -> Option<Published> {
    if last.conditions == after {
        return Some(Published::Done);
    }
    if conditions::transitions(&last.conditions, after).next().is_some() {
        return None;
    }
    let left = MESSAGE_EVERY.saturating_sub(last.at.elapsed());
    (!left.is_zero()).then_some(Published::Later(left))
}
