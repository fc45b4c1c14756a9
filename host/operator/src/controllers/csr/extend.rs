//! Passes the component through the plugins.

use std::sync::Arc;

use chimera_core::component::Component;
use chimera_core::csr::CsrConfig;
use chimera_core::extensions::Point;

use crate::context::Context;
use crate::controllers::applying::Extension;
use crate::controllers::extending;

/// It may go on, or is frozen.
pub(super) async fn run(context: &Context, config: Arc<CsrConfig>, components: Vec<Component>) -> Vec<Extension> {
    extending::run(context.plugins.current(), components, move |component, extensions| {
        chimera_core::extend::extend(component, Point::Csr(&config), extensions)
    })
    .await
}
