//! `cargo xtask …`: the one developer interface.

fn main() {}
