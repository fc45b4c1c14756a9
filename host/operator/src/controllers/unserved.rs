//! Custom resources that no controller of this release serves: what they ask for is not looked after, and their
//! TigeraStatus says so.
//!
//! The operator before this one may have left such a TigeraStatus behind, which would go on telling of a component that
//! nobody looks at any more. Where its resource is gone as well, it goes.

use std::collections::BTreeSet;
use std::time::Duration;

use chimera_core::codes;
use chimera_core::message::Message;
use chimera_core::object::ObjectKey;
use kube::api::{ApiResource, DynamicObject, ListParams};
use kube::{Api, ResourceExt as _};
use tracing::warn;

use super::driver::{Controller, Outcome};
use super::publish;
use super::subject::{API_VERSION, Subject};
use crate::apply::live::{Known, LiveVersions as _};
use crate::client::reason;
use crate::context::Context;
use crate::status::health::Health;

/// None of these kinds need be served, so they are not watched.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// A component that other releases look after.
struct Component {
    /// Name of its TigeraStatus.
    status: &'static str,
    /// Kind and plural of its resource; none: it follows from others.
    resource: Option<(&'static str, &'static str)>,
}

const fn component(status: &'static str, kind: &'static str, plural: &'static str) -> Component {
    Component { status, resource: Some((kind, plural)) }
}

/// One leaves the list with the controller that serves it.
const COMPONENTS: [Component; 7] = [
    component("apiserver", "APIServer", "apiservers"),
    component("goldmane", "Goldmane", "goldmanes"),
    component("whisker", "Whisker", "whiskers"),
    component("gatewayapi", "GatewayAPI", "gatewayapis"),
    component("istio", "Istio", "istios"),
    component("management-cluster-connection", "ManagementClusterConnection", "managementclusterconnections"),
    Component { status: "tiers", resource: None },
];

/// The controller.
#[derive(Clone, Copy, Debug)]
pub struct Unserved;

impl Controller for Unserved {
    const NAME: &'static str = "unserved";

    async fn reconcile(&self, context: &Context) -> Outcome {
        match look(context).await {
            Ok(()) => Outcome::Again(LOOK_EVERY),
            Err(error) => {
                warn!(error = reason(&error, "list"), "failed to look for resources that are not served; trying again");
                Outcome::Failed
            }
        }
    }
}

async fn look(context: &Context) -> Result<(), kube::Error> {
    let kinds = served(context).await?;
    for component in &COMPONENTS {
        let resource = component.resource.filter(|(kind, _)| kinds.contains(*kind));
        let live = match resource {
            Some((kind, plural)) => first(context, kind, plural).await?,
            None => None,
        };
        match live {
            Some(subject) => tell(context, component.status, &subject).await,
            None if is_there(context, component.status) => context.status.remove(component.status).await?,
            None => {}
        }
    }
    Ok(())
}

/// Kinds of the operator's group that the cluster serves.
async fn served(context: &Context) -> Result<BTreeSet<String>, kube::Error> {
    let list = context.client.list_api_group_resources(API_VERSION).await?;
    Ok(list.resources.into_iter().map(|resource| resource.kind).collect())
}

/// One resource of a kind: there is none, or one.
async fn first(context: &Context, kind: &str, plural: &str) -> Result<Option<Subject>, kube::Error> {
    let (group, version) = API_VERSION.split_once('/').unwrap_or_default();
    let resource = ApiResource {
        group: group.into(),
        version: version.into(),
        api_version: API_VERSION.into(),
        kind: kind.into(),
        plural: plural.into(),
    };
    let api: Api<DynamicObject> = Api::all_with(context.client.clone(), &resource);
    let list = api.list_metadata(&ListParams::default().limit(1)).await?;
    let found = list.items.into_iter().next();
    Ok(found.map(|object| Subject {
        key: ObjectKey::cluster(API_VERSION, kind, &object.name_any()),
        uid: object.uid(),
        generation: object.metadata.generation,
    }))
}

async fn tell(context: &Context, status: &'static str, subject: &Subject) {
    let mut health = Health { generation: subject.generation, ..Health::default() };
    let detail = "this release of the operator has no controller for it, so what it runs stays as it is";
    health.add(Message::new(&codes::UNSERVED_RESOURCE, detail).on(&subject.key));
    publish::run(context, status, &health, subject).await;
}

fn is_there(context: &Context, status: &str) -> bool {
    let key = ObjectKey::cluster(API_VERSION, "TigeraStatus", status);
    matches!(context.versions.version(&key), Known::At { .. })
}
