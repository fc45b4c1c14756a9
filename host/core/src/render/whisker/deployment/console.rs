//! The container that serves the console's pages.

use chimera_crds::installation::Toggle;
use k8s_openapi::api::core::v1::{Container, EnvVar, SecurityContext};

use super::NGINX_CONFIG;
use crate::images::Image;
use crate::names::WHISKER;
use crate::render::pod::{certificates, env, volume};
use crate::whisker::WhiskerConfig;

/// The container.
pub(super) fn whisker(config: &WhiskerConfig, security_context: SecurityContext) -> Container {
    Container {
        name: WHISKER.into(),
        image: Some(config.installation.images.reference(Image::Whisker)),
        env: Some(environment(config)),
        security_context: Some(security_context),
        volume_mounts: Some(vec![
            volume::read_only(NGINX_CONFIG, "/etc/nginx/conf.d"),
            certificates::key_pair_mount(&config.key_pair),
        ]),
        ..Container::default()
    }
}

fn environment(config: &WhiskerConfig) -> Vec<EnvVar> {
    let cluster = &config.cluster;
    let notifications = config.spec.notifications.is_none_or(Toggle::is_enabled);
    vec![
        env::value("LOG_LEVEL", "INFO"),
        stated("CALICO_VERSION", cluster.calico_version.as_ref()),
        stated("CLUSTER_ID", cluster.cluster_guid.as_ref()),
        stated("CLUSTER_TYPE", cluster.cluster_type.as_ref()),
        env::value("NOTIFICATIONS", if notifications { "Enabled" } else { "Disabled" }),
    ]
}

/// A variable that is there in any case. An API server drops an empty value, so none is written.
fn stated(name: &str, value: Option<&String>) -> EnvVar {
    EnvVar { name: name.into(), value: value.filter(|value| !value.is_empty()).cloned(), ..EnvVar::default() }
}
