//! What administrators read: no message may show the inside of the program.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use chimera_core::codes::{self, About};
use chimera_core::testing::internals;
use chimera_kit::ControlPlane;
use serde_json::Value;

/// Everything that conditions of TigeraStatus and Installation and the operator's Events say at the moment.
///
/// # Errors
/// If the cluster cannot be asked.
pub async fn told(cluster: &ControlPlane) -> Result<BTreeSet<String>> {
    let mut texts = BTreeSet::new();
    for object in cluster.dump().await? {
        match object["kind"].as_str().unwrap_or_default() {
            "TigeraStatus" | "Installation" => {
                let conditions = object.pointer("/status/conditions").and_then(Value::as_array).into_iter().flatten();
                texts.extend(conditions.map(|condition| text(&condition["message"])));
            }
            "Event" if object["reportingComponent"] == "chimera" => _ = texts.insert(text(&object["message"])),
            _ => {}
        }
    }
    Ok(texts)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Fails if a text says what only the inside of a program says, or a message in it lacks what its code has it name.
///
/// # Errors
/// What is wrong with which text.
pub fn check(text: &str) -> Result<()> {
    let found = internals(text);
    ensure!(found.is_none(), "{found:?} is the inside of the program: {text}");
    for code in codes::ALL {
        let end = format!(" ({})", code.id);
        // What stands before the code, from the end of the message before it.
        let Some((before, _)) = text.split_once(&end) else { continue };
        let former = before.rfind("(CHM").and_then(|at| before.get(at..)?.split_once("); "));
        let message = former.map_or(before, |(_, message)| message);
        let id = code.id;
        ensure!(before.ends_with(code.action) || code.about == About::Cluster, "{id} does not say what to do: {text}");
        let named = code.about == About::Cluster || message.contains(": ");
        ensure!(named, "{id} names nothing: {text}");
    }
    Ok(())
}

/// [`check`] for all that is told.
///
/// # Errors
/// What is wrong with which text.
pub async fn check_all(cluster: &ControlPlane) -> Result<()> {
    told(cluster).await?.iter().try_for_each(|text| check(text))
}
