//! Runs plugins beside the one thread that serves everything else, so that a slow one never holds up the lease.

use std::sync::Arc;

use chimera_core::component::{Component, Extended};
use chimera_core::extensions::{ErrorKind, ExtensionError, Extensions};
use chimera_core::provenance::Provenance;

use super::applying::Extension;

/// Extends each component by `extend`.
pub async fn run(
    extensions: Arc<dyn Extensions>,
    components: Vec<Component>,
    extend: impl Fn(Component, &dyn Extensions) -> Result<(Component<Extended>, Provenance), ExtensionError>
    + Send
    + 'static,
) -> Vec<Extension> {
    let names: Vec<_> = components.iter().map(Component::name).collect();
    let all = move || {
        let one = |component: Component| (component.name(), extend(component, extensions.as_ref()).map(|(c, _)| c));
        components.into_iter().map(one).collect()
    };
    match tokio::task::spawn_blocking(all).await {
        Ok(extended) => extended,
        // Only a bug of the host ends here; it freezes everything rather than anything wrong be applied.
        Err(_) => names.into_iter().map(|name| (name, Err(broken()))).collect(),
    }
}

fn broken() -> ExtensionError {
    ExtensionError {
        plugin: "unknown".into(),
        digest: String::new(),
        kind: ErrorKind::Internal,
        reason: "HostFailure".into(),
        message: "the operator itself failed while it ran the plugins".into(),
        field_path: None,
        retry_after_ms: None,
    }
}
