//! Passes the components through the plugins.

use std::sync::Arc;

use chimera_core::component::Component;
use chimera_core::extensions::Point;
use chimera_core::istio::IstioConfig;

use crate::context::Context;
use crate::controllers::applying::Extension;
use crate::controllers::extending;

/// Each may go on, or is frozen.
pub(super) async fn run(context: &Context, config: Arc<IstioConfig>, components: Vec<Component>) -> Vec<Extension> {
    extending::run(context.plugins.current(), components, move |component, extensions| {
        chimera_core::extend::extend(component, Point::Istio(&config), extensions)
    })
    .await
}
