//! Between the host's own types and the generated ones.

use chimera_core::extensions::ErrorKind;
use chimera_core::object::ObjectKey;

use crate::bindings::v0_1::chimera::plugin::types;
use crate::bindings::v0_1::exports::chimera::plugin::{describe, modify_any, modify_installation as of_installation};
use crate::description::{Description, Phase, Variant};
use crate::failure::PluginError;
use crate::wire;

pub(super) fn object(object: wire::WireObject) -> types::Object {
    let ObjectKey { api_version, kind, namespace, name } = object.key;
    types::Object { key: types::ObjectKey { api_version, kind, namespace, name }, json: object.json }
}

pub(super) fn operation(operation: types::Operation) -> wire::WireOperation {
    match operation {
        types::Operation::Add(object) => wire::WireOperation::Add(object_back(object)),
        types::Operation::Replace(object) => wire::WireOperation::Replace(object_back(object)),
        types::Operation::Remove(types::Removal { key, reason }) => {
            wire::WireOperation::Remove { key: key_back(key), reason }
        }
    }
}

fn object_back(object: types::Object) -> wire::WireObject {
    wire::WireObject { key: key_back(object.key), json: object.json }
}

fn key_back(key: types::ObjectKey) -> ObjectKey {
    let types::ObjectKey { api_version, kind, namespace, name } = key;
    ObjectKey { api_version, kind, namespace, name }
}

pub(super) fn error(error: types::PluginError) -> PluginError {
    let types::PluginError { kind, reason, message, field_path, retry_after_ms } = error;
    let kind = match kind {
        types::ErrorKind::InvalidConfig => ErrorKind::InvalidConfig,
        types::ErrorKind::NotReady => ErrorKind::NotReady,
        types::ErrorKind::Denied => ErrorKind::Denied,
        types::ErrorKind::Internal => ErrorKind::Internal,
        types::ErrorKind::Other => ErrorKind::Other,
    };
    PluginError { kind, reason, message, field_path, retry_after_ms }
}

pub(super) fn description(description: describe::Description) -> Description {
    let describe::Description { name, version, phase, priority, variants, capabilities, settings_schema } = description;
    let phase = match phase {
        describe::Phase::Early => Phase::Early,
        describe::Phase::Normal => Phase::Normal,
        describe::Phase::Late => Phase::Late,
    };
    let variant = |variant: describe::ProvidedVariant| Variant { name: variant.name, aliases: variant.aliases };
    let variants = variants.into_iter().map(variant).collect();
    Description { name, version, phase, priority, variants, capabilities, settings_schema }
}

pub(super) fn any(config: wire::Any) -> modify_any::Config {
    let wire::Any { component, point, variant, cluster_domain, provider, custom_resource, settings } = config;
    let point = point.into();
    modify_any::Config { component, point, variant, cluster_domain, provider, custom_resource, settings }
}

pub(super) fn installation(config: wire::Installation) -> of_installation::Config {
    let wire::Installation {
        component,
        variant,
        cluster,
        images,
        key_pairs,
        bundle_name,
        bundle_annotations,
        pull_secrets,
        installation,
        settings,
    } = config;
    let image = |(name, reference)| of_installation::Image { name, reference };
    of_installation::Config {
        component,
        variant,
        cluster: self::cluster(cluster),
        images: images.into_iter().map(image).collect(),
        key_pairs: key_pairs.into_iter().map(key_pair).collect(),
        trusted_bundle: of_installation::TrustedBundle {
            config_map_name: bundle_name,
            annotations: bundle_annotations.into_iter().map(annotation).collect(),
        },
        pull_secrets,
        installation,
        settings,
    }
}

fn annotation((name, value): (String, String)) -> of_installation::Annotation {
    of_installation::Annotation { name, value }
}

fn key_pair(pair: wire::KeyPair) -> of_installation::KeyPair {
    of_installation::KeyPair { secret_name: pair.secret_name, annotation: annotation(pair.annotation) }
}

fn cluster(cluster: wire::Cluster) -> of_installation::Cluster {
    let wire::Cluster {
        domain,
        provider,
        v3,
        linux_nodes,
        windows_nodes,
        control_plane_nodes,
        typha_replicas,
        api_server,
    } = cluster;
    let api_group = if v3 { of_installation::ApiGroup::V3 } else { of_installation::ApiGroup::V1 };
    let api_server = api_server.map(|(host, port)| of_installation::Endpoint { host, port });
    of_installation::Cluster {
        domain,
        provider,
        api_group,
        linux_nodes,
        windows_nodes,
        control_plane_nodes,
        typha_replicas,
        api_server,
    }
}
