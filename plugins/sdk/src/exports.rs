//! What the registered exports do, between the generated types and the traits.

use serde::de::DeserializeOwned;

use crate::bindings::any::exports::chimera::plugin::modify_any;
use crate::bindings::imports::chimera::plugin::types::{self, Operation, PluginError};
use crate::{
    Component, Config, Description, Error, ErrorKind, ModifyAny, ModifyInstallation, Phase, Plugin, installation, log,
};

/// Answer of a modifier.
pub type Answer = Result<Vec<Operation>, PluginError>;

/// `describe`.
pub fn describe<P: Plugin>(name: &str, version: &str) -> Description {
    log::panics();
    P::describe(Description {
        name: name.into(),
        version: version.into(),
        phase: Phase::Normal,
        priority: 0,
        variants: Vec::new(),
        capabilities: Vec::new(),
        settings_schema: None,
    })
}

/// `modify-any`.
pub fn modify_any<P: ModifyAny>(facts: modify_any::Config, objects: Vec<types::Object>) -> Answer {
    log::panics();
    let settings = settings(&facts.settings)?;
    let mut component = Component::new(facts.component.clone(), objects);
    P::modify(&mut component, &Config { facts, settings })?;
    Ok(component.into_operations())
}

/// `modify-installation`.
pub fn modify_installation<P: ModifyInstallation>(facts: installation::Config, objects: Vec<types::Object>) -> Answer {
    log::panics();
    let settings = settings(&facts.settings)?;
    let mut component = Component::new(facts.component.clone(), objects);
    P::modify(&mut component, &Config { facts, settings })?;
    Ok(component.into_operations())
}

fn settings<S: DeserializeOwned>(json: &str) -> Result<S, Error> {
    // A plugin without settings may say so by `()`, which in JSON is null.
    if let ("{}", Ok(none)) = (json, serde_json::from_str("null")) {
        return Ok(none);
    }
    let mut text = serde_json::Deserializer::from_str(json);
    serde_path_to_error::deserialize(&mut text).map_err(|error| {
        let field = match error.path().to_string().as_str() {
            "." => "settings".to_owned(),
            path => format!("settings.{path}"),
        };
        Error::new(ErrorKind::InvalidConfig, "InvalidSettings", error.inner().to_string()).field(field)
    })
}
