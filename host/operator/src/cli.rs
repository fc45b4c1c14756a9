//! The subcommands other than `run`.

pub mod charts;
pub mod compile_plugin;
pub mod crds;
pub mod images;
pub mod migrate;
pub mod render;
