//! The sandbox that runs plugins: WebAssembly components that change what the core renders.
//!
//! [`source`] finds what is declared, [`Sandbox::load`] makes a [`PluginSet`] of it, and that is what the core calls.
//! Every call gets a fresh instance with all limits set ([`limits`]); its answer is checked before the core sees it.
//! Nothing here holds a client for the cluster.

pub mod adapter;
mod bindings;
pub mod compile;
mod convert;
pub mod declaration;
pub mod description;
mod engine;
pub mod failure;
pub mod grants;
mod guard;
pub mod limits;
mod link;
mod log;
pub mod manifest;
mod memo;
mod observer;
mod plugin;
mod program;
mod sandbox;
mod set;
pub mod source;
mod store;
mod text;
mod wire;

pub use declaration::Declaration;
pub use observer::Observer;
pub use program::{Error as LoadError, digest};
pub use sandbox::{Options, Sandbox};
pub use set::{Loaded, NotLoaded, PluginSet};
