//! The same conversion and validation as the operator's, over objects that were read.

use chimera_core::codes::Severity;
use chimera_core::env::Env;
use chimera_core::installation::{self, InstallationInputs};
use chimera_core::message::Message;
use chimera_core::migrate::{self, Mark, NodeState, Setting, Verdict, names};
use chimera_core::names::TIGERA_OPERATOR;
use chimera_core::object::Object;
use k8s_openapi::api::core::v1::{Node, Pod};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::controllers::installation::migration::nodes;
use crate::env::{SystemClock, SystemRandomness};

/// What comes of the check. Its shape as JSON is stable.
#[derive(Debug, Serialize)]
pub(super) struct Check {
    /// Whether something is in the way.
    pub(super) blocked: bool,
    /// Each setting of the running install.
    pub(super) settings: Vec<Setting>,
    /// What else is to be said, errors first.
    pub(super) messages: Vec<Told>,
    /// Each Linux node.
    pub(super) nodes: Vec<NodeVerdict>,
}

/// One message.
#[derive(Debug, Serialize)]
pub(super) struct Told {
    /// Of the code registry.
    pub(super) code: &'static str,
    /// `error` or `warning`.
    pub(super) severity: &'static str,
    /// For an administrator.
    pub(super) message: String,
}

/// One node.
#[derive(Debug, Serialize)]
pub(super) struct NodeVerdict {
    /// Its name.
    pub(super) name: String,
    /// `moves`, `waits`, `moving`, `moved` or `nothing to move`.
    pub(super) verdict: &'static str,
    /// Why it waits, or what it waits for.
    pub(super) note: &'static str,
}

/// None if there is no manifest install in a cluster; files without one are a question that cannot be answered.
pub(super) fn check(objects: Vec<Object>, files: bool) -> Result<Option<Check>, Vec<String>> {
    let nodes = nodes::of(&typed::<Node>(&objects, "Node")?, &typed::<Pod>(&objects, "Pod")?);
    let inputs = inputs(objects)?;
    if inputs.manifest.canal && !inputs.manifest.is_install() {
        return Ok(Some(canal()));
    }
    if !inputs.manifest.is_install() {
        let missing =
            "the files hold no DaemonSet kube-system/calico-node, which is what a manifest install is known by";
        return if files { Err(vec![missing.into()]) } else { Ok(None) };
    }
    let env = Env { namespace: TIGERA_OPERATOR, clock: &SystemClock, randomness: &SystemRandomness };
    let messages = match installation::validate(&inputs, env) {
        Ok(config) => config.warnings,
        Err(rejected) => rejected.0,
    };
    let settings = migrate::convert(&inputs).settings;
    let nodes = nodes.iter().map(verdict).collect();
    Ok(Some(Check {
        blocked: migrate::blocks(&messages),
        settings,
        messages: messages.iter().map(told).collect(),
        nodes,
    }))
}

/// An Installation that is not there yet says nothing.
fn inputs(mut objects: Vec<Object>) -> Result<InstallationInputs, Vec<String>> {
    if !objects.iter().any(|object| object.key().kind == "Installation") {
        let empty =
            json!({"apiVersion": "operator.tigera.io/v1", "kind": "Installation", "metadata": {"name": "default"}});
        objects.push(Object::from_value(empty).map_err(|error| vec![error.to_string()])?);
    }
    let texts = |messages: Vec<Message>| messages.iter().map(ToString::to_string).collect::<Vec<_>>();
    InstallationInputs::from_objects(objects).map_err(texts)
}

fn typed<T: DeserializeOwned>(objects: &[Object], kind: &str) -> Result<Vec<T>, Vec<String>> {
    let of_kind = objects.iter().filter(|object| object.key().kind == kind && object.key().api_version == "v1");
    let read = |object: &Object| {
        let value = object.clone().into_value();
        serde_json::from_value(value).map_err(|error| vec![format!("{}: {error}", object.key())])
    };
    of_kind.map(read).collect()
}

fn canal() -> Check {
    let setting = Setting {
        object: names::canal().to_string(),
        field: "metadata.name".into(),
        value: names::CANAL.into(),
        verdict: Verdict::Blocked,
        note: "flannel does the networking, which an Installation cannot state; migrate to Calico's networking first"
            .into(),
    };
    Check { blocked: true, settings: vec![setting], messages: Vec::new(), nodes: Vec::new() }
}

fn told(message: &Message) -> Told {
    let severity = if message.code().severity == Severity::Error { "error" } else { "warning" };
    Told { code: message.code().id, severity, message: message.to_string() }
}

fn verdict(node: &NodeState) -> NodeVerdict {
    let (verdict, note) = match (node.mark, node.ready, node.old_pod, node.new_pod) {
        (Some(Mark::Migrated), _, _, Some(true)) => ("moved", ""),
        (Some(Mark::Migrated), ..) => ("moving", "its pod of the operator's install is not ready yet"),
        (Some(Mark::PreOperator), false, ..) | (None, false, Some(_), _) => {
            ("waits", "it is not ready, so it is passed over until it is back")
        }
        (None, _, None, _) => ("nothing to move", "the manifest install runs no pod there"),
        (_, true, Some(false), _) => ("moves", "first, since its pod of the manifest install is not ready"),
        (_, true, ..) => ("moves", ""),
    };
    NodeVerdict { name: node.name.clone(), verdict, note }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INSTALL: &str = include_str!("../../../../core/src/migrate/testdata/manifest-install.yaml");

    fn objects(edit: impl Fn(&str) -> String) -> Vec<Object> {
        let documents: Vec<serde_json::Value> = serde_saphyr::from_multiple(&edit(INSTALL)).unwrap();
        documents.into_iter().map(|document| Object::from_value(document).unwrap()).collect()
    }

    #[test]
    fn a_stock_install_is_fine_without_an_installation() {
        let check = check(objects(str::to_owned), true).unwrap().unwrap();
        assert!(!check.blocked, "{:?}", check.messages);
        assert!(check.settings.len() > 30);
    }

    #[test]
    fn a_setting_without_a_place_is_in_the_way() {
        let unknown = |text: &str| text.replace("name: WAIT_FOR_DATASTORE", "name: WOOL");
        let check = check(objects(unknown), true).unwrap().unwrap();
        assert!(check.blocked);
        assert!(check.messages.iter().any(|told| told.message.contains("env[WOOL]") && told.severity == "error"));
    }

    #[test]
    fn files_without_the_daemon_set_cannot_be_judged() {
        assert!(check(Vec::new(), true).is_err());
        assert!(check(Vec::new(), false).unwrap().is_none());
    }

    #[test]
    fn each_node_has_a_verdict() {
        let node = |mark, ready, old_pod, new_pod| NodeState {
            name: "barn".into(),
            mark,
            ready,
            since: None,
            old_pod,
            new_pod,
        };
        let of = |node| verdict(&node).verdict;
        assert_eq!(of(node(None, true, Some(true), None)), "moves");
        assert_eq!(of(node(None, false, Some(true), None)), "waits");
        assert_eq!(of(node(Some(Mark::PreOperator), false, None, None)), "waits");
        assert_eq!(of(node(Some(Mark::Migrated), true, None, Some(false))), "moving");
        assert_eq!(of(node(Some(Mark::Migrated), true, None, Some(true))), "moved");
        assert_eq!(of(node(None, true, None, Some(true))), "nothing to move");
    }
}
