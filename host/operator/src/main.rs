//! The `chimera` binary.

fn main() {}
