//! `chimera migrate --check`: what the operator would make of a manifest install, without a write. Exit codes: 0 it can be
//! taken over, 1 something is in the way, 2 could not decide.

mod cluster;
mod print;
mod verdict;

use std::process::ExitCode;

use chimera_core::object::Object;

use super::render::files;
use crate::args::MigrateArgs;
use verdict::Check;

/// Checks.
pub fn main(args: &MigrateArgs) -> ExitCode {
    let objects = if args.filename.is_empty() { cluster::read(args.kubeconfig.as_deref()) } else { from_files(args) };
    let checked = objects.and_then(|objects| verdict::check(objects, !args.filename.is_empty()));
    let check = match checked {
        Ok(Some(check)) => check,
        Ok(None) => {
            anstream::eprintln!(
                "there is no manifest install of Calico: DaemonSet kube-system/calico-node does not exist"
            );
            return ExitCode::SUCCESS;
        }
        Err(problems) => return could_not(&problems),
    };
    match print::print(&check, args.output) {
        Ok(()) => verdict(&check),
        // Whoever reads may stop early, as `head` does.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => verdict(&check),
        Err(error) => could_not(&[format!("failed to print: {error}")]),
    }
}

fn verdict(check: &Check) -> ExitCode {
    if check.blocked { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn from_files(args: &MigrateArgs) -> Result<Vec<Object>, Vec<String>> {
    files::objects(&args.filename).map_err(|error| vec![error.to_string()])
}

fn could_not(problems: &[String]) -> ExitCode {
    for problem in problems {
        anstream::eprintln!("error: {problem}");
    }
    ExitCode::from(2)
}
