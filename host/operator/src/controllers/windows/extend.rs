//! Passes the component through the plugins.

use std::sync::Arc;

use chimera_core::component::Component;
use chimera_core::extensions::Point;
use chimera_core::installation::config::InstallationConfig;

use crate::context::Context;
use crate::controllers::applying::Extension;
use crate::controllers::extending;

/// The component may go on, or is frozen.
pub(super) async fn run(
    context: &Context,
    config: Arc<InstallationConfig>,
    components: Vec<Component>,
) -> Vec<Extension> {
    extending::run(context.plugins.current(), components, move |component, extensions| {
        chimera_core::extend::extend(component, Point::Windows(&config), extensions)
    })
    .await
}
