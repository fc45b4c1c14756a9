//! Passes the components through the plugins.

use std::sync::Arc;

use chimera_core::api_server::ApiServerConfig;
use chimera_core::component::Component;
use chimera_core::extensions::Point;

use super::super::applying::Extension;
use super::super::extending;
use crate::context::Context;

/// Each component may go on, or is frozen.
pub(super) async fn run(context: &Context, config: Arc<ApiServerConfig>, components: Vec<Component>) -> Vec<Extension> {
    extending::run(context.plugins.current(), components, move |component, extensions| {
        chimera_core::extend::extend(component, Point::ApiServer(&config), extensions)
    })
    .await
}
