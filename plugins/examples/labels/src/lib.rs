//! Adds the labels of its settings to the pods of every component: `settings: {labels: {team: network}}`.

use std::collections::BTreeMap;

use chimera_plugin_sdk::{AnyConfig, Component, ModifyAny, Plugin, Result, register};

struct Labels;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    #[serde(default)]
    labels: BTreeMap<String, String>,
}

impl Plugin for Labels {
    type Settings = Settings;
}

impl ModifyAny for Labels {
    fn modify(component: &mut Component, config: &AnyConfig<Settings>) -> Result<()> {
        for mut template in component.pod_templates_mut() {
            config.settings.labels.iter().for_each(|(name, value)| template.set_label(name, value));
        }
        Ok(())
    }
}

register!(Labels: modify_any);
