//! The sandbox with real guests, which `cargo xtask plugins` builds.

mod compiling;
mod every_guest;
mod installation;
mod kit;
mod labels;
mod limits;
mod loading;
mod misbehaving;
mod order;
mod sources;
mod wasi;
