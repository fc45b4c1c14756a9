//! An API server: what kube-apiserver and etcd do, as far as an operator can tell.

pub mod call;
pub mod kinds;
pub mod server;
pub mod status;
pub mod store;

mod admit;
mod discovery;
mod managed;
mod patch;
mod read;
mod selector;
pub(crate) mod watching;
mod write;

pub use call::{Call, Verb};
pub use server::Server;
pub use store::{Change, ChangeKind, Key, Store};
