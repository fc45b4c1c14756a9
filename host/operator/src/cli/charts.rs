//! `chimera charts`: what GatewayAPI and Istio are deployed from, and the rights that this takes.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use chimera_core::charts::{Charts, grants};

use crate::args::{ChartsArgs, ChartsOutput};
use crate::charts::Packed;

/// Prints it; 1 if there are no charts at all.
pub fn main(args: &ChartsArgs) -> ExitCode {
    match print(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            anstream::eprintln!(
                "there are no charts: give --gateway-chart and --istio-charts to `cargo xtask release`"
            );
            ExitCode::from(1)
        }
        // Whoever reads may stop early, as `head` does.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            anstream::eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

fn print(args: &ChartsArgs) -> Result<bool> {
    let mut out = anstream::stdout().lock();
    let mut any = false;
    for charts in Charts::ALL {
        let brought = || format!("failed to read what {} brought", charts.input());
        let packed = Packed::find(charts, args.chart_bundles.as_deref()).with_context(brought)?;
        let Some(packed) = packed else { continue };
        let bundle = packed.read(|_| true).with_context(brought)?;
        any = true;
        match args.output {
            ChartsOutput::Names => {
                for chart in &bundle.charts {
                    writeln!(out, "{} {}", chart.name, chart.version).context("failed to print")?;
                }
            }
            ChartsOutput::Rbac => {
                for object in grants(charts, &bundle, &args.namespace) {
                    let text = serde_saphyr::to_string(&object).context("failed to write YAML")?;
                    write!(out, "---\n{text}").context("failed to print")?;
                }
            }
        }
    }
    out.flush().context("failed to print")?;
    Ok(any)
}
