//! What guests log: bounded, marked with the plugin's name, and passed on to the host's own log.

use crate::limits;
use crate::text;

/// How loud a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Debug,
    Info,
    Warn,
    Error,
}

/// The lines of one call.
pub(crate) struct Lines {
    plugin: String,
    component: String,
    written: usize,
    last_error: Option<String>,
}

impl Lines {
    pub(crate) fn new(plugin: &str, component: &str) -> Self {
        Self { plugin: plugin.into(), component: component.into(), written: 0, last_error: None }
    }

    /// The last thing that the guest called an error; a guest that panics says why before it traps.
    pub(crate) fn last_error(&self) -> Option<&str> {
        self.last_error.as_deref()
    }

    pub(crate) fn write(&mut self, level: Level, message: &str) {
        let message = text::clean(message, limits::LOG_LINE);
        self.written = self.written.saturating_add(1);
        if self.written <= limits::LOG_LINES {
            self.emit(level, &message);
        } else if self.written == limits::LOG_LINES.saturating_add(1) {
            self.emit(Level::Warn, "the plugin logs too much; the rest of this call is dropped");
        }
        if level == Level::Error {
            self.last_error = Some(message);
        }
    }

    fn emit(&self, level: Level, message: &str) {
        let (plugin, component) = (self.plugin.as_str(), self.component.as_str());
        match level {
            Level::Debug => tracing::debug!(target: "chimera::plugin", plugin, component, "{message}"),
            Level::Info => tracing::info!(target: "chimera::plugin", plugin, component, "{message}"),
            Level::Warn => tracing::warn!(target: "chimera::plugin", plugin, component, "{message}"),
            Level::Error => tracing::error!(target: "chimera::plugin", plugin, component, "{message}"),
        }
    }
}
