//! Cargo, started by a program that cargo itself started.

use std::process::Command;

/// What cargo sets for the programs it runs. Build scripts (ring's, for one) run anew when these change, so a nested
/// cargo that saw them would build half of the workspace again each time.
const SET_BY_CARGO: [&str; 7] = [
    "CARGO_MANIFEST_DIR",
    "CARGO_MANIFEST_PATH",
    "CARGO_MANIFEST_LINKS",
    "CARGO_CRATE_NAME",
    "CARGO_BIN_NAME",
    "CARGO_PRIMARY_PACKAGE",
    "OUT_DIR",
];

/// A cargo that builds as if it had been started by hand.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for name in SET_BY_CARGO {
        command.env_remove(name);
    }
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_")) {
            command.env_remove(name);
        }
    }
    command
}
