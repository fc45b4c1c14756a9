//! The Installation: what is read for it, defaults, validation, and the config that its renderers take.

pub mod config;

pub use config::InstallationConfig;
