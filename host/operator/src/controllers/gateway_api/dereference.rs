//! Reads the GatewayAPI, the Installation that it follows from, what both refer to, and what there is of the Gateway API;
//! decides nothing. What belongs to the Gateway API is watched only from here on, so only where there is such a resource.

mod kinds;

use std::collections::BTreeMap;

use chimera_core::charts::Charts;
use chimera_core::codes;
use chimera_core::gateway_api::{ENVOY, GatewayApiInputs, references, takes_definition};
use chimera_core::installation::inputs::InstallationInputs;
use chimera_core::message::Message;
use chimera_core::object::ObjectKey;
use chimera_crds::gateway_api::{GatewayApi, GatewayApiSpec, ObjectReference};
use serde_json::Value;

use crate::charts;
use crate::context::Context;
use crate::controllers::following::{self, Kind, Own, Search};
use crate::controllers::installation::dereference::failed;
use crate::controllers::subject::Subject;

/// What was read.
pub(super) struct Found {
    pub(super) inputs: GatewayApiInputs,
    pub(super) installation: InstallationInputs,
    pub(super) warnings: Vec<Message>,
}

/// The resource.
pub(super) async fn own(context: &Context) -> Result<Search<GatewayApi>, (Subject, Message)> {
    following::find(context, Kind { kind: "GatewayAPI", plural: "gatewayapis", any_name: true }).await
}

/// All the rest, or what is missing or waited for.
pub(super) async fn run(context: &Context, own: Own<GatewayApi>) -> Result<Found, Message> {
    let on_resource = |message: Message| message.on(&own.subject.key);
    let packed = charts::needed(Charts::Gateway, context.settings.chart_bundles.as_deref()).map_err(on_resource)?;
    let definitions = kinds::definitions(context);
    let spec = &own.resource.spec;
    let is_there = |name: &str| definitions.as_ref().is_none_or(|there| there.contains(name));
    let bundle = packed.bundle(|name| takes_definition(spec, name, is_there(name))).map_err(on_resource)?;
    let installation = following::installation(context).await??;
    if definitions.is_none() {
        let detail = "which CustomResourceDefinitions there are is not known yet";
        return Err(Message::new(&codes::WAITING_FOR_DEPENDENCY, detail).on(&own.subject.key));
    }
    let inputs = GatewayApiInputs {
        owner: own.owner(),
        config_map: config_map(context, spec).await?,
        proxies: proxies(context, spec).await?,
        serves: kinds::served(context).await?,
        made: kinds::made(context),
        bundle,
        resource: own.resource.clone(),
    };
    Ok(Found { inputs, installation, warnings: own.warnings() })
}

/// The user's configuration of the controller, if the resource names one and it is there.
async fn config_map(context: &Context, spec: &GatewayApiSpec) -> Result<Option<BTreeMap<String, String>>, Message> {
    let (Some(ObjectReference { namespace, name }), _) = references(spec) else { return Ok(None) };
    let key = ObjectKey::namespaced("v1", "ConfigMap", namespace, name);
    let Some(live) = context.reader.get(&key, "configmaps").await.map_err(failed)? else { return Ok(None) };
    let data = live.get("data").and_then(Value::as_object).into_iter().flatten();
    Ok(Some(data.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()))
}

/// The user's EnvoyProxies that classes start from and that are there.
async fn proxies(context: &Context, spec: &GatewayApiSpec) -> Result<BTreeMap<(String, String), Value>, Message> {
    let mut proxies = BTreeMap::new();
    for ObjectReference { namespace, name } in references(spec).1 {
        let key = ObjectKey::namespaced(ENVOY, "EnvoyProxy", namespace, name);
        if let Some(live) = context.reader.get(&key, "envoyproxies").await.map_err(failed)? {
            proxies.insert((namespace.clone(), name.clone()), (*live).clone());
        }
    }
    Ok(proxies)
}
