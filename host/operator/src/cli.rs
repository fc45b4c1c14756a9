//! The subcommands other than `run`.

pub mod compile_plugin;
pub mod crds;
pub mod migrate;
pub mod render;
