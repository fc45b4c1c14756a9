//! `cargo xtask charts`: renders upstream charts by Helm's own rules and packs what they come to, as the operator reads it.

mod objects;
mod sets;

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use chimera_core::charts::{Bundle, Chart, Charts};
use chimera_kit::binaries;

use sets::Part;

/// How hard zstd works: what is read at run time wants a small window, not the last percent.
const LEVEL: i32 = 9;

/// Which charts; a set that is not given is left out.
#[derive(clap::Args)]
pub(crate) struct Inputs {
    /// Chart of Envoy Gateway (gateway-helm): a folder, an archive or an oci:// reference
    #[arg(long, value_name = "CHART")]
    gateway_chart: Option<String>,
    /// Folder with the charts of Istio: base, istiod, cni and ztunnel, each a folder or an archive
    #[arg(long, value_name = "FOLDER")]
    istio_charts: Option<PathBuf>,
}

/// Arguments of the subcommand.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: Inputs,
    /// Folder to write the bundles to
    #[arg(long, default_value = "target/charts", value_name = "FOLDER")]
    output: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let packed = pack(&args.inputs, &args.output)?;
    ensure!(!packed.is_empty(), "give --gateway-chart, --istio-charts or both");
    Ok(())
}

/// Packs those that are given; answers with where each is.
pub(crate) fn pack(inputs: &Inputs, folder: &Path) -> Result<Vec<(Charts, PathBuf)>> {
    let mut packed = Vec::new();
    for charts in Charts::ALL {
        let parts = match charts {
            Charts::Gateway => inputs.gateway_chart.as_deref().map(sets::gateway),
            Charts::Istio => inputs.istio_charts.as_deref().map(sets::istio).transpose()?,
        };
        if let Some(parts) = parts {
            let bundle = bundle(&parts).with_context(|| format!("failed to render what {} names", charts.input()))?;
            packed.push((charts, write(&bundle, &folder.join(charts.file()))?));
        }
    }
    Ok(packed)
}

fn bundle(parts: &[Part]) -> Result<Bundle> {
    let helm = binaries::helm()?;
    let (mut charts, mut objects) = (Vec::new(), Vec::new());
    for part in parts {
        charts.push(chart(&helm, part)?);
        let text = call(&helm, &part.template())?;
        let rendered = objects::of(&text, part.namespace).with_context(|| format!("failed to read {}", part.chart))?;
        objects.extend(rendered);
    }
    objects::check(&objects)?;
    Ok(Bundle::new(charts, objects))
}

fn chart(helm: &Path, part: &Part) -> Result<Chart> {
    let text = call(helm, &["show".into(), "chart".into(), part.chart.clone()])?;
    let shown: serde_json::Value =
        serde_saphyr::from_str(&text).context("failed to read what helm shows of a chart")?;
    let text = |name: &str| shown.get(name).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
    Ok(Chart { name: text("name"), version: text("version") })
}

fn call(helm: &Path, arguments: &[String]) -> Result<String> {
    let output =
        Command::new(helm).args(arguments).output().with_context(|| format!("failed to start {}", helm.display()))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "helm {} failed: {}", arguments.join(" "), said.trim());
    String::from_utf8(output.stdout).context("helm printed something other than text")
}

fn write(bundle: &Bundle, path: &Path) -> Result<PathBuf> {
    let name = || format!("failed to write {}", path.display());
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(name)?;
    }
    let file = File::create(path).with_context(name)?;
    let mut packed = zstd::Encoder::new(file, LEVEL).with_context(name)?;
    bundle.write(&mut packed).with_context(name)?;
    packed.finish().and_then(|mut file| file.flush()).with_context(name)?;
    let (definitions, objects) = (bundle.definitions.len(), bundle.objects.len());
    anstream::eprintln!("{}: {}; {definitions} definitions, {objects} objects", path.display(), bundle.label());
    path.canonicalize().with_context(name)
}
