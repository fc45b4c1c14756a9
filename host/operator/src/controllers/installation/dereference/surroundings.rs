//! What only some Installations depend on. It is watched from when one of them does.

use chimera_core::codes;
use chimera_core::installation::config::{ApiGroup, Endpoint};
use chimera_core::installation::inputs::{InstallationInputs, ServiceFacts};
use chimera_core::installation::services;
use chimera_core::message::Message;
use chimera_core::object::{Object, ObjectKey};
use chimera_core::windows;
use k8s_openapi::api::core::v1::Service;
use k8s_openapi::api::discovery::v1::EndpointSlice;
use kube::Api;
use kube::api::ListParams;

use super::{broken, failed, typed};
use crate::context::Context;
use crate::controllers::wiring::watch_also;
use crate::watch::source::Target;

/// API group of OpenShift's own configuration.
const OPENSHIFT: &str = "config.openshift.io";
/// The EndpointSlices of the Service in front of the API servers.
const API_SERVERS: &str = "kubernetes.io/service-name=kubernetes";

/// Reads what this Installation depends on.
pub(super) async fn read(context: &Context, inputs: &mut InstallationInputs) -> Result<(), Message> {
    if inputs.api_groups.contains(OPENSHIFT) {
        watch_also(context, Target::new("config.openshift.io/v1", "Network", "networks").named("cluster"));
        let key = ObjectKey::cluster("config.openshift.io/v1", "Network", "cluster");
        if let Some(network) = object(context, &key, "networks").await? {
            inputs.take_openshift(network);
        }
    }
    let spec = &inputs.installation.spec;
    let (on_windows, bootstraps) = (windows::is_wanted(spec), services::bootstraps(spec));
    if on_windows {
        inputs.ipam = ipam(context).await?;
    }
    if on_windows || bootstraps {
        for (namespace, name) in services::all() {
            watch_also(context, Target::new("v1", "Service", "services").within(namespace).named(name));
            if let Some(facts) = service(context, namespace, name).await? {
                inputs.services.insert(format!("{namespace}/{name}"), facts);
            }
        }
    }
    if bootstraps {
        inputs.api_servers = api_servers(context).await?;
    }
    Ok(())
}

async fn ipam(context: &Context) -> Result<Option<Object>, Message> {
    let group = context.settings.api_group;
    let (kind, plural) = match group {
        ApiGroup::V1 => ("IPAMConfig", "ipamconfigs"),
        ApiGroup::V3 => ("IPAMConfiguration", "ipamconfigurations"),
    };
    watch_also(context, Target::new(group.api_version(), kind, plural).named("default"));
    object(context, &ObjectKey::cluster(group.api_version(), kind, "default"), plural).await
}

async fn object(context: &Context, key: &ObjectKey, plural: &str) -> Result<Option<Object>, Message> {
    let live = context.reader.get(key, plural).await.map_err(failed)?;
    live.map(|live| Object::from_value((*live).clone()).map_err(|error| broken(&key.kind, &error))).transpose()
}

async fn service(context: &Context, namespace: &str, name: &str) -> Result<Option<ServiceFacts>, Message> {
    let key = ObjectKey::namespaced("v1", "Service", namespace, name);
    let Some(live) = context.reader.get(&key, "services").await.map_err(failed)? else { return Ok(None) };
    let service: Service = typed(&key, &live)?;
    Ok(Some(services::facts(&service)))
}

/// In one order each time, for they end up in pods.
async fn api_servers(context: &Context) -> Result<Vec<Endpoint>, Message> {
    let slices = Target::new("discovery.k8s.io/v1", "EndpointSlice", "endpointslices");
    watch_also(context, slices.within(services::API_SERVICE.0).labelled(API_SERVERS));
    let api: Api<EndpointSlice> = Api::namespaced(context.client.clone(), services::API_SERVICE.0);
    let slices = api.list(&ListParams::default().labels(API_SERVERS)).await.map_err(|error| {
        let detail = crate::client::reason(&error, "list");
        Message::new(&codes::CLUSTER_READ_FAILED, detail).on("EndpointSlices of Service default/kubernetes")
    })?;
    let mut servers: Vec<_> = slices.items.iter().flat_map(services::api_servers).collect();
    servers.sort_by_key(ToString::to_string);
    servers.dedup();
    Ok(servers)
}
