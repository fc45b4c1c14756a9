//! Writes what it is told of the Installation into annotations of every pod template.

use chimera_plugin_sdk::{
    Component, Description, InstallationConfig, ModifyInstallation, Phase, Plugin, Result, register,
};

struct Witness;

impl Plugin for Witness {
    type Settings = ();

    fn describe(description: Description) -> Description {
        Description { phase: Phase::Early, ..description }
    }
}

impl ModifyInstallation for Witness {
    fn modify(component: &mut Component, config: &InstallationConfig<()>) -> Result<()> {
        let installation: serde_json::Value = serde_json::from_str(&config.installation).unwrap_or_default();
        let node = config.images.iter().find(|image| image.name == "node").map(|image| image.reference.as_str());
        let pairs: Vec<_> = config.key_pairs.iter().map(|pair| pair.secret_name.as_str()).collect();
        let facts = [
            ("domain", config.cluster.domain.clone()),
            ("linux-nodes", config.cluster.linux_nodes.to_string()),
            ("typha-replicas", config.cluster.typha_replicas.to_string()),
            ("node-image", node.unwrap_or_default().to_owned()),
            ("key-pairs", pairs.join(",")),
            ("bundle", config.trusted_bundle.config_map_name.clone()),
            ("kind", installation.get("kind").and_then(|kind| kind.as_str()).unwrap_or_default().to_owned()),
        ];
        for mut template in component.pod_templates_mut() {
            facts.iter().for_each(|(name, value)| template.set_annotation(&format!("witness/{name}"), value));
        }
        Ok(())
    }
}

register!(Witness: modify_installation);
