//! `chimera compile-plugin`: compiles one component, from standard input, in a process that ends afterwards.

use std::process::ExitCode;

use chimera_sandbox::compile;

use crate::args::CompilePluginArgs;

/// Compiles; the parent reads what is wrong from standard error.
pub fn main(args: &CompilePluginArgs) -> ExitCode {
    match compile::child(std::io::stdin().lock(), &args.cache_dir) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            anstream::eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
