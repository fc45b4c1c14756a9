//! Passes the component through the plugins.

use std::sync::Arc;

use chimera_core::component::Component;
use chimera_core::extensions::Point;
use chimera_core::tiers::TiersConfig;

use super::super::applying::Extension;
use super::super::extending;
use crate::context::Context;

/// The component may go on, or is frozen.
pub(super) async fn run(context: &Context, config: Arc<TiersConfig>, components: Vec<Component>) -> Vec<Extension> {
    extending::run(context.plugins.current(), components, move |component, extensions| {
        chimera_core::extend::extend(component, Point::Tiers(&config), extensions)
    })
    .await
}
