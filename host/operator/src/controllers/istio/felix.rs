//! What Felix no longer needs to know once there is no Istio.

use chimera_core::extensions::{CommonConfig, Point};
use chimera_core::istio::without;
use chimera_core::object::{Object, ObjectKey};
use chimera_core::policies::PolicyContext;
use chimera_core::render::istio::felix;
use tracing::warn;

use crate::context::Context;
use crate::controllers::{applying, extending};

/// Takes it back, if the operator set it.
pub(super) async fn forget(context: &Context) -> Result<(), ()> {
    let api_group = context.settings.api_group;
    let key = ObjectKey::cluster(api_group.api_version(), "FelixConfiguration", "default");
    let live = context.reader.get(&key, "felixconfigurations").await.map_err(|error| {
        warn!(error = error.reason(), "failed to read the FelixConfiguration; trying again");
    })?;
    let live = live.and_then(|live| Object::from_value((*live).clone()).ok());
    let Some(part) = without(live.as_ref(), api_group) else { return Ok(()) };
    let extended = extending::run(context.plugins.current(), vec![felix(part)], |component, extensions| {
        chimera_core::extend::extend(component, Point::Other(&CommonConfig::default()), extensions)
    });
    // It is shared, so that no policy and no owner is laid on.
    let applied = applying::run(context, &PolicyContext::default(), extended.await).await;
    let mut problems = applied.iter().flat_map(|applied| &applied.messages).peekable();
    if problems.peek().is_none() {
        return Ok(());
    }
    problems.for_each(|message| warn!("{message}"));
    Err(())
}
