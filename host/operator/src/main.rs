//! The `chimera` binary: parses the command line and hands over to the library.

use std::process::ExitCode;

use chimera_operator::args::{Cli, Command};
use chimera_operator::{cli, run};
use clap::Parser as _;

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Run(args) => run::main(args),
        Command::Render(args) => cli::render::main(args),
        Command::Images(args) => cli::images::main(&args),
        Command::Crds(args) => cli::crds::main(&args),
        Command::Charts(args) => cli::charts::main(&args),
        Command::Migrate(args) => cli::migrate::main(&args),
        Command::CompilePlugin(args) => cli::compile_plugin::main(&args),
    }
}
