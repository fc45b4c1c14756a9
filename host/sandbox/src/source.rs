//! Where declarations come from.

pub mod config_map;
pub mod directory;
