//! The log.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::ParseError;

use crate::args::LogFormat;

/// Starts logging to standard error.
///
/// # Errors
/// If `level` is neither a level nor a filter.
pub fn start(format: LogFormat, level: &str) -> Result<(), ParseError> {
    let builder = tracing_subscriber::fmt().with_env_filter(EnvFilter::try_new(level)?).with_writer(std::io::stderr);
    match format {
        LogFormat::Text => builder.init(),
        LogFormat::Json => builder.json().flatten_event(true).init(),
    }
    Ok(())
}
