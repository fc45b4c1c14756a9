//! The Installation: defaults, validation and the config that its renderers take.

pub mod config;
