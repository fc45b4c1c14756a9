//! The log.

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::ParseError;

use crate::args::LogFormat;

/// Words that stand for a level.
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// The text is neither a level nor a filter.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A word that is no level.
    #[error("{0:?} is no level; there are {levels}, and filters such as info,chimera_operator=debug", levels = LEVELS.join(", "))]
    Level(String),
    /// A filter that cannot be read.
    #[error("it is no filter")]
    Filter(#[source] ParseError),
}

/// Starts logging to standard error.
///
/// # Errors
/// If `level` is neither a level nor a filter.
pub fn start(format: LogFormat, level: &str) -> Result<(), Error> {
    // A lone word that is no level would name a module, and silence all others.
    let words = level.split(',').map(str::trim).filter(|part| !part.contains(['=', '[', ':']));
    if let Some(word) = words.into_iter().find(|word| !LEVELS.contains(&word.to_lowercase().as_str())) {
        return Err(Error::Level(word.into()));
    }
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let filter = EnvFilter::try_new(level).map_err(Error::Filter)?;
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(colour).with_writer(std::io::stderr);
    match format {
        LogFormat::Text => builder.init(),
        LogFormat::Json => builder.json().flatten_event(true).init(),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_no_level_is_refused_instead_of_silencing_the_log() {
        let error = start(LogFormat::Text, "blah").unwrap_err().to_string();
        assert!(error.contains("blah") && error.contains("debug"), "{error}");
    }
}
