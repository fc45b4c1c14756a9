//! Passes every component through the plugins.

use std::sync::Arc;

use chimera_core::component::{Component, Extended};
use chimera_core::extensions::{ExtensionError, Point};
use chimera_core::installation::config::InstallationConfig;

use crate::context::Context;
use crate::controllers::extending;

/// A component that may go on, or why it is frozen.
pub(in crate::controllers) type Extension = (&'static str, Result<Component<Extended>, ExtensionError>);

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
