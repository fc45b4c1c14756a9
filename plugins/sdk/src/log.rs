//! Lines for the operator's log.

use crate::bindings::imports::chimera::plugin::log::{Level, write};

/// For whoever looks for a mistake.
pub fn debug(message: &str) {
    write(Level::Debug, message);
}

/// For information.
pub fn info(message: &str) {
    write(Level::Info, message);
}

/// Works, but somebody should look.
pub fn warn(message: &str) {
    write(Level::Warn, message);
}

/// Does not work.
pub fn error(message: &str) {
    write(Level::Error, message);
}

/// A panic's message is lost with the instance, so it is logged first; the status then shows it.
pub(crate) fn panics() {
    std::panic::set_hook(Box::new(|panic| error(&panic.to_string())));
}
