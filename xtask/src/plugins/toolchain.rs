//! What builds guests: the pinned toolchain with the WebAssembly target, or Debian's, which builds the standard library
//! for it from source.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};

/// Target of guests.
pub(super) const TARGET: &str = "wasm32-unknown-unknown";

/// Where Debian puts programs, beside which a rustup may stand in front in `PATH`.
const DEBIAN: &str = "/usr/bin";
/// Debian's packages.
const PACKAGES: [&str; 4] = ["rustc-web", "cargo-web", "rust-web-src", "lld-19"];
/// Debian's linker for WebAssembly, of that package.
const LINKER: &str = "wasm-ld-19";
/// What cargo and rustup hand down to programs that they start, which would bend another toolchain to this one; and
/// flags that are meant for programs of the host.
const INHERITED: [&str; 9] = [
    "CARGO",
    "CARGO_BUILD_TARGET",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_TARGET_DIR",
    "RUSTC",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTDOC",
    "RUSTFLAGS",
    "RUST_RECURSION_COUNT",
];

/// A toolchain that can build guests.
pub(super) struct Toolchain {
    workspace: PathBuf,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// The one in `PATH`, which has the target.
    Pinned,
    /// Debian's.
    Debian,
}

impl Toolchain {
    /// Finds one, and installs what is missing where that can be done.
    pub(super) fn find(workspace: &Path) -> Result<Self> {
        let toolchain = |kind| Self { workspace: workspace.into(), kind };
        if let Some(kind) = there(workspace) {
            return Ok(toolchain(kind));
        }
        anstream::eprintln!("installing what builds guests for {TARGET} (once)");
        let installed = install_by_rustup(workspace) || install_by_apt();
        if let Some(kind) = there(workspace).filter(|_| installed) {
            return Ok(toolchain(kind));
        }
        bail!(
            "nothing here can build for {TARGET}; run `rustup target add {TARGET}`, or on Debian `apt-get install {}`",
            PACKAGES.join(" ")
        )
    }

    /// Names of all guests.
    pub(super) fn guests(&self) -> Result<Vec<super::Guest>> {
        let output =
            self.cargo().args(["metadata", "--no-deps", "--format-version=1"]).stderr(Stdio::inherit()).output();
        let output = output.context("failed to start cargo metadata")?;
        ensure!(output.status.success(), "cargo metadata failed in {}", self.workspace.display());
        super::guests(&output.stdout)
    }

    /// Builds modules of these guests.
    pub(super) fn build(&self, guests: &[String], target_dir: &Path) -> Result<()> {
        let mut cargo = self.cargo();
        cargo.args(["build", "--release", "--quiet", "--target", TARGET, "--target-dir"]).arg(target_dir);
        if self.kind == Kind::Debian {
            cargo.arg("-Zbuild-std=std,panic_abort");
        }
        cargo.args(guests.iter().flat_map(|guest| ["--package", guest]));
        let status = cargo.status().context("failed to start cargo build")?;
        ensure!(status.success(), "building guests failed");
        Ok(())
    }

    /// Keeps this machine's folders out of the modules, so that the same source gives the same bytes elsewhere.
    fn flags(&self) -> OsString {
        let mut flags = OsString::new();
        let sources = self.workspace.parent().map(Path::to_path_buf);
        for folder in [sources, cargo_home()].into_iter().flatten() {
            if !flags.is_empty() {
                // As cargo wants it between flags.
                flags.push("\u{1f}");
            }
            flags.push("--remap-path-prefix=");
            flags.push(folder);
            flags.push("=.");
        }
        flags
    }

    fn cargo(&self) -> Command {
        let mut cargo = match self.kind {
            Kind::Pinned => Command::new("cargo"),
            Kind::Debian => Command::new(debian("cargo")),
        };
        without_inherited(&mut cargo);
        cargo.env("CARGO_ENCODED_RUSTFLAGS", self.flags());
        if self.kind == Kind::Debian {
            cargo.env_remove("RUSTUP_TOOLCHAIN").env("RUSTC", debian("rustc")).env("RUSTC_BOOTSTRAP", "1");
            cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", LINKER);
        }
        cargo.current_dir(&self.workspace);
        cargo
    }
}

/// Where cargo keeps sources of dependencies.
fn cargo_home() -> Option<PathBuf> {
    let named = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    named.or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo")))
}

fn without_inherited(command: &mut Command) {
    for name in INHERITED {
        command.env_remove(name);
    }
}

fn debian(program: &str) -> PathBuf {
    Path::new(DEBIAN).join(program)
}

fn there(workspace: &Path) -> Option<Kind> {
    if has_target(workspace) {
        return Some(Kind::Pinned);
    }
    (has_source() && debian("cargo").exists() && debian(LINKER).exists()).then_some(Kind::Debian)
}

/// Whether the pinned compiler has the standard library of the target.
fn has_target(workspace: &Path) -> bool {
    let mut rustc = Command::new("rustc");
    without_inherited(&mut rustc);
    rustc.current_dir(workspace).args(["--print", "target-libdir", "--target", TARGET]);
    printed(rustc).is_some_and(|folder| folder.exists())
}

/// Whether Debian's compiler has the source of the standard library.
fn has_source() -> bool {
    let mut rustc = Command::new(debian("rustc"));
    rustc.args(["--print", "sysroot"]);
    printed(rustc).is_some_and(|sysroot| sysroot.join("lib/rustlib/src/rust/library/Cargo.toml").exists())
}

/// The path that a program prints.
fn printed(mut command: Command) -> Option<PathBuf> {
    let output = command.stderr(Stdio::null()).output().ok().filter(|output| output.status.success())?;
    Some(PathBuf::from(String::from_utf8(output.stdout).ok()?.trim()))
}

fn install_by_rustup(workspace: &Path) -> bool {
    let mut rustup = Command::new("rustup");
    rustup.args(["target", "add", TARGET]).current_dir(workspace);
    succeeds(rustup)
}

fn install_by_apt() -> bool {
    let apt = |arguments: &[&str]| {
        let mut apt = Command::new("apt-get");
        apt.args(arguments).env("DEBIAN_FRONTEND", OsString::from("noninteractive")).stdout(Stdio::null());
        succeeds(apt)
    };
    let install: Vec<_> = ["install", "--yes", "--no-install-recommends"].into_iter().chain(PACKAGES).collect();
    apt(&["update"]) && apt(&install)
}

/// One that is not there, or not for this user, does not succeed either.
fn succeeds(mut command: Command) -> bool {
    command.status().is_ok_and(|status| status.success())
}
