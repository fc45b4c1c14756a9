//! `chimera render`: the operator's own code without a cluster. Objects go to standard output. Problems, also of files
//! that cannot be read, go to standard error with exit code 1, and then nothing is printed, so that nobody applies a half;
//! 2 means that the command line itself could not be understood.

pub(super) mod files;
mod offline;
mod print;
pub(super) mod refused;

use std::process::ExitCode;

use crate::args::RenderArgs;

/// Renders.
pub fn main(args: RenderArgs) -> ExitCode {
    let given = match files::read(&args) {
        Ok(given) => given,
        Err(error @ files::Error::StandardInputTwice) => return could_not(&error.to_string()),
        Err(error) => return findings(&[error.to_string()]),
    };
    let refused = refused::problems(&given);
    if !refused.is_empty() {
        return findings(&refused);
    }
    for left_out in refused::left_out(&given) {
        anstream::eprintln!("warning: {left_out}");
    }
    let plugins = match offline::plugins(&args.plugin) {
        Ok(plugins) => plugins,
        Err(error) => return could_not(&error),
    };
    let objects = given.wanted.into_iter().chain(given.state).collect();
    let rendered = match offline::render(&args, objects, &plugins) {
        Ok(rendered) => rendered,
        Err(problems) => return findings(&problems),
    };
    offline::warn_of_ignored(&plugins);
    if !rendered.problems.is_empty() {
        return findings(&rendered.problems);
    }
    match print::print(&rendered, args.output) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads may stop early, as `head` does.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => could_not(&format!("failed to print: {error}")),
    }
}

fn findings(problems: &[String]) -> ExitCode {
    for problem in problems {
        anstream::eprintln!("error: {problem}");
    }
    ExitCode::FAILURE
}

fn could_not(problem: &str) -> ExitCode {
    anstream::eprintln!("error: {problem}");
    ExitCode::from(2)
}
