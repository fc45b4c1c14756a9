//! What there is of the Gateway API in the cluster, and the watches that tell.

use std::collections::BTreeSet;

use chimera_core::codes;
use chimera_core::gateway_api::{ENVOY, GATEWAY};
use chimera_core::message::Message;
use chimera_core::names::{OPERATOR_SECRETS_ROLE, TIGERA_GATEWAY};
use chimera_core::object::ObjectKey;

use crate::apply::live::{Known, LiveVersions as _};
use crate::client::reason;
use crate::context::Context;
use crate::controllers::wiring::{OURS, watch_also};
use crate::watch::source::Target;
use crate::watch::versions::Scope;

/// Names of all CustomResourceDefinitions; none while they are not known.
pub(super) fn definitions(context: &Context) -> Option<BTreeSet<String>> {
    const API_VERSION: &str = "apiextensions.k8s.io/v1";
    const KIND: &str = "CustomResourceDefinition";
    watch_also(context, Target::new(API_VERSION, KIND, "customresourcedefinitions").auxiliary());
    let scope = Scope::all(API_VERSION, KIND);
    let names = || context.versions.keys(&scope).into_iter().map(|key| key.name).collect();
    context.versions.is_listed(&scope).then(names)
}

/// Whether GatewayClasses and EnvoyProxies are served, which are watched from then on.
pub(super) async fn served(context: &Context) -> Result<bool, Message> {
    for (api_version, kind, plural) in
        [(GATEWAY, "GatewayClass", "gatewayclasses"), (ENVOY, "EnvoyProxy", "envoyproxies")]
    {
        if !is_served(context, api_version, plural).await? {
            return Ok(false);
        }
        let target = Target::new(api_version, kind, plural).auxiliary();
        // Classes start from EnvoyProxies of the user's.
        watch_also(context, if kind == "GatewayClass" { target.labelled(OURS) } else { target });
    }
    inside(context);
    Ok(true)
}

async fn is_served(context: &Context, api_version: &str, plural: &str) -> Result<bool, Message> {
    match context.client.list_api_group_resources(api_version).await {
        Ok(list) => Ok(list.resources.iter().any(|resource| resource.name == plural)),
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(false),
        Err(error) => {
            let detail = reason(&error, "list");
            Err(Message::new(&codes::CLUSTER_READ_FAILED, detail).on(format!("API {api_version}")))
        }
    }
}

/// In there the operator may look around only by a binding that it makes itself.
fn inside(context: &Context) {
    const RBAC: &str = "rbac.authorization.k8s.io/v1";
    let binding = ObjectKey::namespaced(RBAC, "RoleBinding", TIGERA_GATEWAY, OPERATOR_SECRETS_ROLE);
    if !matches!(context.versions.version(&binding), Known::At { .. }) {
        return;
    }
    for (kind, plural) in [("ConfigMap", "configmaps"), ("Secret", "secrets")] {
        watch_also(context, Target::new("v1", kind, plural).within(TIGERA_GATEWAY).labelled(OURS).auxiliary());
    }
}

/// Names of GatewayClasses that the operator made.
pub(super) fn made(context: &Context) -> Vec<String> {
    let keys = context.versions.keys(&Scope::all(GATEWAY, "GatewayClass"));
    keys.into_iter().map(|key| key.name).collect()
}
