//! `chimera crds`: the CustomResourceDefinitions as YAML, for `kubectl apply -f -`.

use std::io::Write as _;
use std::process::ExitCode;

use crate::args::CrdsArgs;
use crate::controllers::wiring;
use crate::crds;

/// Prints them.
pub fn main(args: &CrdsArgs) -> ExitCode {
    let group = match wiring::api_group(args.calico_api_group.as_deref()) {
        Ok(group) => group.unwrap_or_default(),
        Err(error) => {
            anstream::eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    match print(crds::wanted(group)) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads may stop early, as `head` does.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            anstream::eprintln!("error: failed to print: {error}");
            ExitCode::from(2)
        }
    }
}

fn print(documents: impl Iterator<Item = &'static str>) -> std::io::Result<()> {
    let mut out = anstream::stdout().lock();
    for json in documents {
        let document: serde_json::Value = serde_json::from_str(json)?;
        let text = serde_saphyr::to_string(&document).map_err(std::io::Error::other)?;
        write!(out, "---\n{text}")?;
    }
    out.flush()
}
