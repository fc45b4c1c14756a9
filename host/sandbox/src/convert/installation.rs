//! The Installation's config as facts for a guest.

use chimera_core::certificates::{BUNDLE_CONFIG_MAP, KeyPair};
use chimera_core::extensions::CommonConfig;
use chimera_core::images::Image;
use chimera_core::installation::config::{ApiGroup, Cluster, Endpoint, InstallationConfig};
use serde::Serialize;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::wire;

/// What components of every point come with.
pub(super) fn common(config: &InstallationConfig) -> Result<CommonConfig, Failure> {
    Ok(CommonConfig {
        cluster_domain: config.cluster.domain.clone(),
        provider: text_of(&config.cluster.provider)?,
        variant: variant(config)?,
        resource: resource(config)?,
    })
}

/// What components of the Installation come with.
pub(super) fn facts(
    component: &str,
    config: &InstallationConfig,
    settings: &str,
) -> Result<wire::Installation, Failure> {
    Ok(wire::Installation {
        component: component.into(),
        variant: variant(config)?,
        cluster: cluster(&config.cluster)?,
        images: images(config),
        key_pairs: key_pairs(config),
        bundle_name: BUNDLE_CONFIG_MAP.into(),
        bundle_annotations: config.certificates.bundle.annotations().into_iter().collect(),
        pull_secrets: config.pull_secrets.iter().filter_map(|secret| secret.metadata.name.clone()).collect(),
        installation: resource(config)?.to_string(),
        settings: settings.into(),
    })
}

fn images(config: &InstallationConfig) -> Vec<(String, String)> {
    let mut images: Vec<_> =
        Image::ALL.iter().map(|image| (image.name().to_owned(), config.images.reference(*image))).collect();
    images.sort();
    images
}

fn key_pairs(config: &InstallationConfig) -> Vec<wire::KeyPair> {
    let pair =
        |pair: &KeyPair| wire::KeyPair { secret_name: pair.secret_name().into(), annotation: pair.hash_annotation() };
    let mut pairs: Vec<_> = [&config.certificates.node, &config.certificates.typha].map(pair).into();
    pairs.sort_by(|a: &wire::KeyPair, b| a.secret_name.cmp(&b.secret_name));
    pairs
}

fn cluster(cluster: &Cluster) -> Result<wire::Cluster, Failure> {
    let Cluster {
        domain,
        provider,
        api_group,
        linux_nodes,
        windows_nodes,
        control_plane_nodes,
        typha_replicas,
        api_server,
        operator_namespace: _,
        bootstrap: _,
    } = cluster;
    Ok(wire::Cluster {
        domain: domain.clone(),
        provider: text_of(provider)?,
        v3: *api_group == ApiGroup::V3,
        linux_nodes: *linux_nodes,
        windows_nodes: *windows_nodes,
        control_plane_nodes: *control_plane_nodes,
        typha_replicas: u32::try_from(*typha_replicas).unwrap_or_default(),
        api_server: api_server.as_ref().map(endpoint).transpose()?,
    })
}

fn endpoint(endpoint: &Endpoint) -> Result<(String, u16), Failure> {
    let port = endpoint.port.parse();
    let port = port.map_err(|_| internal(format!("port {:?} of the API server is no port", endpoint.port)))?;
    Ok((endpoint.host.clone(), port))
}

fn variant(config: &InstallationConfig) -> Result<String, Failure> {
    config.spec.variant.as_ref().map_or_else(|| Ok(String::new()), text_of)
}

fn resource(config: &InstallationConfig) -> Result<Value, Failure> {
    let spec = serde_json::to_value(&config.spec).map_err(|error| internal(error.to_string()))?;
    Ok(json!({
        "apiVersion": "operator.tigera.io/v1",
        "kind": "Installation",
        "metadata": {"name": config.owner.name},
        "spec": spec,
    }))
}

/// How a resource spells a value.
fn text_of(value: &impl Serialize) -> Result<String, Failure> {
    match serde_json::to_value(value) {
        Ok(Value::String(text)) => Ok(text),
        Ok(Value::Null) => Ok(String::new()),
        other => Err(internal(format!("{other:?} is no text"))),
    }
}

fn internal(why: String) -> Failure {
    Failure::Host(format!("the Installation cannot be passed on: {why}"))
}
