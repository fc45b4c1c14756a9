//! What an Installation says to every object that is rendered for it.

use chimera_crds::installation::Toggle;
use serde::Serialize;

use super::config::{self, InstallationConfig};
use crate::policies::{Owner, PolicyContext};

/// The uniform policies of an Installation.
pub fn policies(config: &InstallationConfig) -> PolicyContext {
    policies_of(config, "Installation", &config.owner)
}

/// The same for what another resource owns.
pub(crate) fn policies_of(config: &InstallationConfig, kind: &str, owner: &config::Owner) -> PolicyContext {
    let suites = config.spec.tls_cipher_suites.iter().flatten().filter_map(|suite| word(suite.name.as_ref()?));
    let suites: Vec<_> = suites.collect();
    PolicyContext {
        owner: self::owner(kind, owner),
        image_pull_policy: config.spec.image_pull_policy.as_ref().and_then(word),
        tls_cipher_suites: (!suites.is_empty()).then(|| suites.join(",")),
        tls_min_version: config.spec.tls_min_version.map(|version| version.as_str().into()),
        leaves_network_policies: leaves_network_policies(config),
    }
}

fn leaves_network_policies(config: &InstallationConfig) -> bool {
    let management = config.spec.network_policy.as_ref().and_then(|management| management.manage_policies);
    management == Some(Toggle::Disabled)
}

fn owner(kind: &str, owner: &config::Owner) -> Owner {
    Owner {
        api_version: "operator.tigera.io/v1".into(),
        kind: kind.into(),
        name: owner.name.clone(),
        namespace: None,
        uid: owner.uid.clone(),
    }
}

/// An enum's value as it stands in the resource.
fn word(value: &impl Serialize) -> Option<String> {
    serde_json::to_value(value).ok()?.as_str().map(Into::into)
}
