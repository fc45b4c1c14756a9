//! The clusterconnection controller: guardian, which connects this cluster to the one that manages it, for a
//! ManagementClusterConnection.

mod apply;
mod dereference;
mod extend;
mod render;
mod status;
mod validate;

use std::sync::Arc;

use chimera_crds::ManagementClusterConnection;

use super::driver::{Controller, Outcome};
use super::following::{self, Kind, Own, Search, find};
use crate::context::Context;

/// Clusters have such a resource under other names, too, from before.
const KIND: Kind = Kind { kind: "ManagementClusterConnection", plural: "managementclusterconnections", any_name: true };

/// The controller.
#[derive(Clone, Copy, Debug)]
pub struct ClusterConnection;

impl Controller for ClusterConnection {
    const NAME: &'static str = "clusterconnection";

    async fn reconcile(&self, context: &Context) -> Outcome {
        match find(context, KIND).await {
            Ok(Search::Unknown) => Outcome::Settled,
            // What it owns goes with it.
            Ok(Search::Nothing | Search::Leaving) => status::remove(context).await,
            Ok(Search::Found(own)) => serve(context, *own).await,
            Err((subject, message)) => status::invalid(context, &subject, vec![message]).await,
        }
    }
}

async fn serve(context: &Context, own: Own<ManagementClusterConnection>) -> Outcome {
    let subject = own.subject.clone();
    let strays = own.warnings();
    let found = match dereference::run(context, own).await {
        Ok(found) => found,
        Err(message) => return status::invalid(context, &subject, vec![message]).await,
    };
    let (config, readiness) = match validate::run(&found, context) {
        Ok(validated) => validated,
        Err(messages) => return status::invalid(context, &subject, messages).await,
    };
    let rendered = match render::run(&config, &readiness) {
        Ok(rendered) => rendered,
        Err(messages) => return status::invalid(context, &subject, messages).await,
    };
    let config = Arc::new(config);
    let extended = extend::run(context, Arc::clone(&config), rendered).await;
    let applied = apply::run(context, &config, extended).await;
    let renewal = following::until_renewal(config.as_ref(), context);
    status::run(context, &subject, &config, applied, strays).await.at_latest(renewal)
}
