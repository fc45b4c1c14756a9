//! All declared plugins, in order, as the core calls them.

use std::sync::Arc;

use chimera_core::extensions::{ComponentView, ErrorKind, ExtensionError, Extensions, Modification, Point};
use serde::Serialize;

use crate::adapter::Hook;
use crate::description::{Description, Phase};
use crate::plugin::Plugin;

/// A set of plugins. It never changes: a changed set is loaded beside it and takes its place as a whole.
#[derive(Default)]
pub struct PluginSet {
    /// Declared, but not loaded: each stands before all others, so that nothing is called in vain.
    failed: Vec<NotLoaded>,
    plugins: Vec<Arc<Plugin>>,
    /// Calls in their order: place of the plugin and what is called.
    calls: Vec<(usize, Hook)>,
}

/// A plugin that is declared and could not be loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NotLoaded {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub origin: String,
    /// `sha256:…` of its bytes; empty if they could not be read.
    pub digest: String,
    /// Why, for an administrator.
    pub message: String,
    /// Whether it freezes what it may touch; not so with `failurePolicy: Ignore`.
    pub freezes: bool,
}

/// A plugin that is loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Loaded {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub origin: String,
    /// `sha256:…` of its bytes.
    pub digest: String,
    /// Phase.
    pub phase: Phase,
    /// Priority in effect.
    pub priority: i32,
    /// Interfaces by which it modifies components.
    pub interfaces: Vec<&'static str>,
    /// How often it was called to modify a component; an answer that is given again counts for nothing.
    pub calls: u64,
    /// What it says of itself.
    pub description: Description,
}

impl PluginSet {
    pub(crate) fn new(plugins: Vec<Plugin>, failed: Vec<NotLoaded>) -> Self {
        let mut plugins: Vec<_> = plugins.into_iter().map(Arc::new).collect();
        plugins.sort_by(|a, b| a.place().cmp(&b.place()));
        let of_plugin = |(place, plugin): (usize, &Arc<Plugin>)| {
            plugin.program.hooks().into_iter().map(move |hook| (place, hook)).collect::<Vec<_>>()
        };
        let calls = plugins.iter().enumerate().flat_map(of_plugin).collect();
        Self { failed, plugins, calls }
    }

    /// Plugins that are loaded, in the order in which they are called.
    pub fn loaded(&self) -> Vec<Loaded> {
        let loaded = |plugin: &Arc<Plugin>| Loaded {
            name: plugin.name.clone(),
            origin: plugin.origin.clone(),
            digest: plugin.program.digest().into(),
            phase: plugin.program.description().phase,
            priority: plugin.priority,
            interfaces: plugin.program.hooks().into_iter().map(Hook::interface).collect(),
            calls: plugin.calls(),
            description: plugin.program.description().clone(),
        };
        self.plugins.iter().map(loaded).collect()
    }

    /// Plugins that are declared and could not be loaded.
    pub fn not_loaded(&self) -> &[NotLoaded] {
        &self.failed
    }

    /// Failures that a declaration says to ignore: the component that was left as it was, and why. A plugin that could
    /// not be loaded is among [`PluginSet::not_loaded`] instead.
    pub fn ignored(&self) -> Vec<(String, ExtensionError)> {
        self.plugins.iter().flat_map(|plugin| plugin.ignored()).collect()
    }

    fn freezing(&self) -> impl Iterator<Item = &NotLoaded> {
        self.failed.iter().filter(|failed| failed.freezes)
    }
}

impl Extensions for PluginSet {
    fn modifiers(&self) -> usize {
        self.freezing().count().saturating_add(self.calls.len())
    }

    fn modify(
        &self,
        modifier: usize,
        point: Point<'_>,
        component: ComponentView<'_>,
    ) -> Result<Option<Modification>, ExtensionError> {
        if let Some(failed) = self.freezing().nth(modifier) {
            return Err(failed.error());
        }
        let call = modifier.checked_sub(self.freezing().count()).and_then(|call| self.calls.get(call));
        match call.and_then(|(place, hook)| Some((self.plugins.get(*place)?, *hook))) {
            Some((plugin, hook)) => plugin.modify(hook, point, component),
            None => Ok(None),
        }
    }

    fn variants(&self) -> Vec<String> {
        let variants = self.plugins.iter().flat_map(|plugin| &plugin.program.description().variants);
        variants.flat_map(|variant| std::iter::once(&variant.name).chain(&variant.aliases)).cloned().collect()
    }
}

impl NotLoaded {
    fn error(&self) -> ExtensionError {
        ExtensionError {
            plugin: self.name.clone(),
            digest: self.digest.clone(),
            kind: ErrorKind::Internal,
            reason: chimera_core::codes::PLUGIN_NOT_LOADED.reason.into(),
            message: format!("it is declared by {} and cannot be loaded: {}", self.origin, self.message),
            field_path: None,
            retry_after_ms: None,
        }
    }
}
