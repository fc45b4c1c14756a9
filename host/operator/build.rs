//! Puts the chart bundles that a release is built with where the operator includes them; an ordinary build has none, so
//! that they are empty there.

use std::path::Path;
use std::process::ExitCode;

/// Variable and name of the file, as the core's `Charts` says them.
const BUNDLES: [(&str, &str); 2] =
    [("CHIMERA_GATEWAY_BUNDLE", "gateway-api.bundle"), ("CHIMERA_ISTIO_BUNDLE", "istio.bundle")];

fn main() -> ExitCode {
    println!("cargo:rerun-if-changed=build.rs");
    for (variable, name) in BUNDLES {
        println!("cargo:rerun-if-env-changed={variable}");
        if let Err(problem) = embed(variable, name) {
            println!("cargo:warning={problem}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn embed(variable: &str, name: &str) -> Result<(), String> {
    let folder = std::env::var_os("OUT_DIR").ok_or("cargo sets no OUT_DIR")?;
    let target = Path::new(&folder).join(name);
    let source = std::env::var_os(variable).filter(|path| !path.is_empty());
    let done = match &source {
        Some(path) => {
            println!("cargo:rerun-if-changed={}", Path::new(path).display());
            std::fs::copy(path, &target).map(drop)
        }
        None => std::fs::write(&target, ""),
    };
    done.map_err(|error| format!("failed to embed what {variable} names: {error}"))
}
