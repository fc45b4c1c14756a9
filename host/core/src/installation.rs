//! The Installation: what is read for it, defaults, validation, and the config that its renderers take.

pub mod cluster;
pub mod config;
pub mod defaults;
pub mod inputs;
mod objects;
mod openshift;
pub mod overlay;
pub(crate) mod pod_cidrs;
pub mod policies;
pub mod rules;
pub mod services;
mod trust;
mod validate;

pub use config::InstallationConfig;
pub use inputs::InstallationInputs;
pub use validate::{Rejected, ip_pools, validate};
