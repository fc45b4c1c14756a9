//! Passes every component through the plugins.

use std::sync::Arc;

use chimera_core::component::Component;
use chimera_core::extensions::Point;
use chimera_core::installation::config::InstallationConfig;

use crate::context::Context;
use crate::controllers::applying::Extension;
use crate::controllers::extending;

/// Each on its own, so that one frozen component does not hold the others.
pub(in crate::controllers) async fn run(
    context: &Context,
    config: Arc<InstallationConfig>,
    components: Vec<Component>,
) -> Vec<Extension> {
    let extensions = context.plugins.current();
    extending::run(extensions, components, move |component, extensions| {
        chimera_core::extend::extend(component, Point::Installation(&config), extensions)
    })
    .await
}
