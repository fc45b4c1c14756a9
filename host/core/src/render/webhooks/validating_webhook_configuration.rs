//! Has the Kubernetes API servers ask the webhooks before they store what these check.

use k8s_openapi::api::admissionregistration::v1::{
    RuleWithOperations, ServiceReference, ValidatingWebhook, ValidatingWebhookConfiguration, WebhookClientConfig,
};

use crate::api_server::ApiServerConfig;
use crate::certificates::KeyPair;
use crate::names::{CALICO_SYSTEM, WEBHOOKS};
use crate::render::meta;
use crate::render::pod::{certificates, words};

/// Name of the configuration.
pub(super) const NAME: &str = "api.projectcalico.org";

const TIMEOUT_SECONDS: i32 = 5;
/// Policies in tiers.
const TIERED: [&str; 4] =
    ["networkpolicies", "globalnetworkpolicies", "stagednetworkpolicies", "stagedglobalnetworkpolicies"];

/// The configuration. Nothing about policies is stored unchecked, or anybody could write into any tier.
pub(super) fn webhooks(config: &ApiServerConfig, pair: &KeyPair) -> ValidatingWebhookConfiguration {
    let webhook = |name: &str, path: &str, failure_policy: &str, rules| ValidatingWebhook {
        admission_review_versions: vec!["v1".into()],
        client_config: client(config, pair, path),
        failure_policy: Some(failure_policy.into()),
        name: format!("{name}.{NAME}"),
        rules: Some(rules),
        side_effects: "None".into(),
        timeout_seconds: Some(TIMEOUT_SECONDS),
        ..ValidatingWebhook::default()
    };
    let changes = ["CREATE", "UPDATE", "DELETE"];
    let all = [changes.as_slice(), &["CONNECT"]].concat();
    let tiered = vec![rule(&TIERED, &changes), rule(&TIERED, &all)];
    ValidatingWebhookConfiguration {
        metadata: meta::cluster(NAME),
        webhooks: Some(vec![
            webhook("tiered-rbac", "/rbac", "Fail", tiered),
            webhook("cluster-info", "/cluster-info", "Ignore", vec![rule(&["clusterinformations"], &changes)]),
        ]),
    }
}

fn client(config: &ApiServerConfig, pair: &KeyPair, path: &str) -> WebhookClientConfig {
    let service = ServiceReference {
        name: WEBHOOKS.into(),
        namespace: CALICO_SYSTEM.into(),
        path: Some(path.into()),
        ..ServiceReference::default()
    };
    WebhookClientConfig {
        ca_bundle: certificates::known_by(pair, &config.installation),
        service: Some(service),
        ..WebhookClientConfig::default()
    }
}

fn rule(resources: &[&str], operations: &[&str]) -> RuleWithOperations {
    RuleWithOperations {
        api_groups: words(["projectcalico.org"]),
        api_versions: words(["v3"]),
        operations: words(operations.iter().copied()),
        resources: words(resources.iter().copied()),
        ..RuleWithOperations::default()
    }
}
