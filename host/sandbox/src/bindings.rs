//! Generated bindings, a file a version of the interfaces, and nothing else.

pub(crate) mod v0_1;
