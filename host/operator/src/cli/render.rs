//! `chimera render`: the operator's own code without a cluster. Objects go to standard output, problems to standard
//! error with exit code 1; 2 means that the question itself could not be understood.

pub(super) mod files;
mod offline;
mod print;
mod refused;

use std::process::ExitCode;

use crate::args::RenderArgs;

/// Renders.
pub fn main(args: RenderArgs) -> ExitCode {
    let given = match files::read(&args) {
        Ok(given) => given,
        Err(error) => return could_not(&error.to_string()),
    };
    let refused = refused::problems(&given);
    if !refused.is_empty() {
        return findings(&refused);
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
    match print::print(&rendered, args.output) {
        Ok(()) if rendered.problems.is_empty() => ExitCode::SUCCESS,
        Ok(()) => findings(&rendered.problems),
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
