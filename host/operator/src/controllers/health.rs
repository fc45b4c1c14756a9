//! What became of a component: applied, frozen, or waiting; and what that means for the status.

use std::collections::BTreeSet;

use chimera_core::codes;
use chimera_core::component::{Component, Finished};
use chimera_core::extensions::ExtensionError;
use chimera_core::message::Message;
use chimera_core::object::ObjectKey;
use chimera_core::provenance::Provenance;
use tracing::{debug, info};

use super::unwatched;
use crate::apply::{ApplyOutcome, Failure, Options, Restored};
use crate::context::Context;
use crate::status::health::Health;
use crate::status::pods;
use crate::status::refused::refused;
use crate::watch::workloads::Rollout;

/// Kinds that run pods. Rollouts of the first two are watched.
const WORKLOADS: [&str; 4] = ["DaemonSet", "Deployment", "StatefulSet", "Job"];

/// One component after apply.
#[derive(Debug, Default)]
pub struct Applied {
    /// Everything to say about it.
    pub messages: Vec<Message>,
    /// Workloads that must run for the component to be available, with the version last written of those just written.
    pub workloads: Vec<(ObjectKey, Option<String>)>,
    /// Why nothing of it was applied, if a plugin froze it.
    pub frozen: Option<(&'static str, ExtensionError)>,
    /// Fields that somebody had changed and that were put back.
    pub restored: Vec<Restored>,
}

/// Applies a component if it is ready.
pub async fn apply(context: &Context, component: &Component<Finished>) -> Applied {
    let outcome = context.applier.apply(component, context.versions.as_ref(), Options::default()).await;
    note(context, component.name(), &outcome);
    let workloads = component.objects().iter().map(|object| object.key());
    let workloads = workloads.filter(|key| WORKLOADS.contains(&key.kind.as_str()));
    let workloads = workloads.map(|key| (key.clone(), context.applier.last_version(key))).collect();
    let waits = |what| Message::new(&codes::WAITING_FOR_DEPENDENCY, what).on(format!("component {}", component.name()));
    let waiting = outcome.waiting.into_iter().map(waits);
    let failures = outcome.failures.into_iter().map(|failure| blamed(failure, component.origins()));
    Applied {
        messages: waiting.chain(failures).chain(outcome.warnings).collect(),
        workloads,
        restored: outcome.restored,
        frozen: None,
    }
}

/// A message that names the plugins and overrides which set what the API server does not take.
fn blamed(failure: Failure, origins: &Provenance) -> Message {
    let setters = failure.fields.iter().flat_map(|field| origins.setters(&failure.key, field));
    let setters: BTreeSet<_> = setters.map(ToString::to_string).collect();
    if setters.is_empty() {
        return failure.message;
    }
    let setters: Vec<_> = setters.into_iter().collect();
    failure.message.adding(format!("set by {}", setters.join(" and ")))
}

/// A component that a plugin froze: nothing of it was applied.
pub fn frozen(component: &'static str, error: ExtensionError) -> Applied {
    debug!(component, plugin = error.plugin, reason = error.reason, "a component is frozen: {}", error.message);
    Applied { frozen: Some((component, error)), ..Applied::default() }
}

fn thaw_needs(applied: &[Applied]) -> Vec<Message> {
    let frozen = applied.iter().filter_map(|applied| applied.frozen.as_ref());
    by_cause(frozen.map(|(component, error)| (*component, error)), "frozen as last applied")
}

/// One message a cause: a plugin that is broken often affects every component. `what` became of them.
pub fn by_cause<'a>(failures: impl Iterator<Item = (&'a str, &'a ExtensionError)>, what: &str) -> Vec<Message> {
    let mut causes: Vec<(&ExtensionError, Vec<&str>)> = Vec::new();
    for (component, error) in failures {
        match causes.iter_mut().find(|(cause, _)| *cause == error) {
            Some((_, components)) => components.push(component),
            None => causes.push((error, vec![component])),
        }
    }
    causes.iter().map(|(error, components)| failed(error, components, what)).collect()
}

fn failed(error: &ExtensionError, components: &[&str], what: &str) -> Message {
    let code = if error.reason == "PluginNotLoaded" { &codes::PLUGIN_NOT_LOADED } else { &codes::PLUGIN_FAILED };
    let digest = if error.digest.is_empty() { String::new() } else { format!(" ({})", error.digest) };
    // The code says it by itself if it is the same.
    let reason = if error.reason == code.reason { String::new() } else { format!("{}: ", error.reason) };
    let detail = format!("{reason}{}; {what}: {}", error.message, components.join(", "));
    let message = Message::new(code, detail).on(format!("plugin {}{digest}", error.plugin));
    match &error.field_path {
        // A pointer into JSON escapes slashes, which nobody wrote.
        Some(field) => message.field(field.replace("~1", "/").replace("~0", "~")),
        None => message,
    }
}

fn note(context: &Context, component: &str, outcome: &ApplyOutcome) {
    let written = [
        ("create", &outcome.created),
        ("update", &outcome.updated),
        ("recreate", &outcome.recreated),
        ("delete", &outcome.deleted),
    ];
    for (verb, keys) in written {
        for key in keys {
            info!(component, verb, object = %key, "applied");
        }
    }
    for key in &outcome.unchanged {
        context.metrics.skipped(&key.kind, outcome.remembered.contains(key));
    }
}

/// The health of everything applied together.
pub async fn of(context: &Context, applied: &[Applied], generation: Option<i64>) -> Health {
    let mut health = Health { generation, ..Health::default() };
    health.extend(thaw_needs(applied));
    for component in applied {
        health.extend(component.messages.iter().cloned());
        for (key, written) in &component.workloads {
            workload(context, key, written.as_deref(), &mut health).await;
        }
    }
    health
}

async fn workload(context: &Context, key: &ObjectKey, written: Option<&str>, health: &mut Health) {
    if matches!(key.kind.as_str(), "StatefulSet" | "Job") {
        return health.extend(unwatched::look(context, key).await);
    }
    let Some(rollout) = context.workloads.rollout(key) else {
        return health.add(Message::new(&codes::ROLLING_OUT, "it is not there yet").on(key));
    };
    // A view from before the last write says nothing of what was just asked for.
    let stale = written.is_some_and(|written| rollout.older_than(written));
    if rollout.complete() && !stale {
        return;
    }
    health.add(Message::new(&codes::ROLLING_OUT, progress(&rollout, stale)).on(key));
    if stale {
        return;
    }
    let problems = failing(context, key, &rollout.selector).await;
    // That nothing moves on is worth telling only where the pods do not say why.
    if problems.is_empty() {
        health.extend(rollout.stuck.as_ref().map(|stuck| Message::new(stuck.code, stuck.text.clone()).on(key)));
        health.extend(not_created(context, key, &rollout).await);
    }
    health.extend(problems);
}

/// What the cluster has against pods that are missing.
async fn not_created(context: &Context, key: &ObjectKey, rollout: &Rollout) -> Option<Message> {
    if key.kind != "DaemonSet" || !rollout.observed || rollout.existing >= rollout.desired {
        return None;
    }
    refused(&context.client, key, context.clock.now()).await.unwrap_or_else(|error| {
        let detail = crate::client::reason(&error, "list");
        Some(Message::new(&codes::CLUSTER_READ_FAILED, detail).on(format!("Events about {key}")))
    })
}

/// What the pods of a workload say.
pub(super) async fn failing(context: &Context, key: &ObjectKey, selector: &str) -> Vec<Message> {
    match pods::failing(&context.client, key, selector, context.clock.now()).await {
        Ok(problems) => problems,
        Err(error) => {
            let detail = crate::client::reason(&error, "list");
            vec![Message::new(&codes::CLUSTER_READ_FAILED, detail).on(format!("Pods of {key}"))]
        }
    }
}

fn progress(rollout: &Rollout, stale: bool) -> String {
    let Rollout { desired, existing, updated, available, observed, .. } = rollout;
    if stale || !observed {
        return "its controller has not seen the last change yet".into();
    }
    match (updated < desired, existing < desired, available < desired) {
        (true, true, _) => format!("{existing} of {desired} pods are there"),
        (true, false, _) => format!("{updated} of {desired} pods run the current template"),
        (false, _, true) => format!("{available} of {desired} pods are available"),
        (false, _, false) => format!("{} pods of the former template are still there", existing - updated),
    }
}

#[cfg(test)]
mod tests {
    use chimera_core::extensions::ErrorKind;

    use super::*;

    fn trap() -> ExtensionError {
        ExtensionError {
            plugin: "shears".into(),
            digest: "sha256:1".into(),
            kind: ErrorKind::Internal,
            reason: "Trap".into(),
            message: "it crashed".into(),
            field_path: None,
            retry_after_ms: None,
        }
    }

    #[test]
    fn a_plugin_that_freezes_several_components_is_named_once() {
        let messages = thaw_needs(&[frozen("sheep", trap()), Applied::default(), frozen("goat", trap())]);
        let text: Vec<_> = messages.iter().map(ToString::to_string).collect();
        assert_eq!(text.len(), 1, "{text:?}");
        assert!(
            text[0].starts_with("plugin shears (sha256:1): Trap: it crashed; frozen as last applied: sheep, goat.")
        );
    }

    #[test]
    fn progress_says_what_is_waited_for() {
        let rollout = |existing, updated, available| Rollout {
            observed: true,
            desired: 3,
            existing,
            updated,
            available,
            ..Rollout::default()
        };
        assert_eq!(progress(&rollout(1, 0, 1), false), "1 of 3 pods are there");
        assert_eq!(progress(&rollout(3, 1, 3), false), "1 of 3 pods run the current template");
        assert_eq!(progress(&rollout(3, 3, 2), false), "2 of 3 pods are available");
        assert_eq!(progress(&rollout(4, 3, 3), false), "1 pods of the former template are still there");
        assert_eq!(progress(&rollout(3, 3, 3), true), "its controller has not seen the last change yet");
    }
}
