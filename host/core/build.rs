//! Refuses to build a release whose images are not those of a release.
//!
//! `CHIMERA_RELEASE=1` marks the build of a release; anybody else's `cargo build --release` needs no version.

use std::process::ExitCode;

fn main() -> ExitCode {
    for name in ["CHIMERA_RELEASE", "ALLOW_BRANCH_IMAGE_TAGS", "CALICO_VERSION", "BRANCH_IMAGE_TAG"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    match check() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            println!("cargo:warning={problem}");
            ExitCode::FAILURE
        }
    }
}

fn check() -> Result<(), String> {
    let release = given("PROFILE").as_deref() == Some("release") && given("CHIMERA_RELEASE").as_deref() == Some("1");
    if !release || given("ALLOW_BRANCH_IMAGE_TAGS").as_deref() == Some("true") {
        return Ok(());
    }
    let branch = given("BRANCH_IMAGE_TAG").unwrap_or_else(|| "master".into());
    match given("CALICO_VERSION") {
        None => Err("a release needs CALICO_VERSION, the version of the images that it deploys".into()),
        Some(version) if version == branch => Err(format!(
            "CALICO_VERSION={version} is the tag of a branch; set ALLOW_BRANCH_IMAGE_TAGS=true if that is meant"
        )),
        Some(_) => Ok(()),
    }
}

fn given(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
