//! Turns kube-proxy off while the BPF dataplane serves Services in its place, and on again otherwise, where the
//! Installation asks for that.

use chimera_core::codes;
use chimera_core::installation::inputs::InstallationInputs;
use chimera_core::kube_proxy::{change, daemon_set, is_managed, is_replaced};
use chimera_core::message::Message;
use kube::Api;
use kube::api::{Patch, PatchParams};
use serde_json::Value;
use tracing::info;

use super::dereference::failed;
use crate::client::{FIELD_MANAGER, reason};
use crate::context::Context;
use crate::controllers::health::Applied;
use crate::controllers::wiring::watch_also;
use crate::watch::source::Target;

const PLURAL: &str = "daemonsets";

/// What the Installation and Felix say of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wish {
    /// Whether the operator looks after it.
    managed: bool,
    /// Whether it did before.
    was_managed: bool,
    /// Whether nodes serve Services without it.
    replaced: bool,
}

impl Wish {
    /// As it was read.
    pub(super) fn of(inputs: &InstallationInputs) -> Self {
        let installation = &inputs.installation;
        let before = installation.status.as_ref().and_then(|status| status.computed.as_deref());
        Self {
            managed: is_managed(&installation.spec),
            was_managed: before.is_some_and(is_managed),
            replaced: is_replaced(inputs.felix.as_ref()),
        }
    }
}

/// Brings it to what is wished. Where nobody ever asked for that, it is not even looked at.
pub(super) async fn run(context: &Context, wish: Wish) -> Applied {
    let target = target();
    let looks = wish.managed || wish.was_managed || context.versions.is_listed(&target.scope());
    if !looks {
        return Applied::default();
    }
    watch_also(context, target);
    let runs = !(wish.managed && wish.replaced);
    let messages = bring(context, wish.managed, runs).await.err().into_iter().collect();
    Applied { messages, ..Applied::default() }
}

fn target() -> Target {
    let target = Target::new("apps/v1", "DaemonSet", PLURAL);
    target.within(chimera_core::migrate::names::KUBE_SYSTEM).named(chimera_core::names::KUBE_PROXY)
}

/// Without Calico, Services need it.
pub(super) async fn give_back(context: &Context, installation: &Value) -> Result<(), Message> {
    let asks = |pointer: &str| installation.pointer(pointer).is_some_and(|toggle| toggle == "Enabled");
    let paths = ["/spec/calicoNetwork/kubeProxyManagement", "/status/computed/calicoNetwork/kubeProxyManagement"];
    if !paths.into_iter().any(asks) {
        return Ok(());
    }
    bring(context, false, true).await
}

async fn bring(context: &Context, managed: bool, runs: bool) -> Result<(), Message> {
    match context.reader.get(&daemon_set(), PLURAL).await.map_err(failed)? {
        // There is nothing to put back, and nobody asks for it.
        None if !managed => Ok(()),
        live => turn(context, live.as_deref(), runs).await,
    }
}

async fn turn(context: &Context, live: Option<&Value>, runs: bool) -> Result<(), Message> {
    let Some(patch) = change(live, runs)? else { return Ok(()) };
    let key = daemon_set();
    let namespace = key.namespace.as_deref().unwrap_or_default();
    let api: Api<k8s_openapi::api::apps::v1::DaemonSet> = Api::namespaced(context.client.clone(), namespace);
    let params = PatchParams { field_manager: Some(FIELD_MANAGER.into()), ..PatchParams::default() };
    let patched = api.patch(&key.name, &params, &Patch::Merge(patch)).await;
    patched.map_err(|error| Message::new(&codes::APPLY_FAILED, reason(&error, "patch")).on(&key))?;
    info!(object = %key, "{}", if runs { "turned kube-proxy on" } else { "turned kube-proxy off, BPF takes its place" });
    Ok(())
}
