//! The sandbox with real guests, which `cargo xtask plugins` builds.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails; clippy knows only functions marked as tests as such"
)]

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
