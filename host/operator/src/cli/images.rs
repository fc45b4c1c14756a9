//! `chimera images`: what the operator deploys, for a mirror, a scanner or an ImageSet.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use chimera_core::images::{Build, Image, Images};
use chimera_core::installation::defaults::effective;
use chimera_core::installation::inputs::InstallationInputs;
use chimera_core::object::Object;

use super::render::{files, refused};
use crate::args::{ImagesArgs, ImagesOutput};

/// What an Installation is without a file.
const DEFAULT: &str = "{apiVersion: operator.tigera.io/v1, kind: Installation, metadata: {name: default}}";

/// Prints them.
pub fn main(args: &ImagesArgs) -> ExitCode {
    let images = match images(&args.filename) {
        Ok(images) => images,
        Err((problem, code)) => {
            anstream::eprintln!("error: {problem}");
            return code;
        }
    };
    let text = match args.output {
        ImagesOutput::References => Image::ALL.iter().map(|image| images.reference(*image) + "\n").collect(),
        ImagesOutput::ImageSet => image_set(),
    };
    match print(&text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            anstream::eprintln!("error: failed to print: {error}");
            ExitCode::from(2)
        }
        _ => ExitCode::SUCCESS,
    }
}

fn print(text: &str) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Digests are left out: they come from the registry that the cluster pulls from.
fn images(files: &[PathBuf]) -> Result<Images, (String, ExitCode)> {
    let objects = objects(files).map_err(|error| (error, ExitCode::from(2)))?;
    let refused = refused::of(&objects);
    if !refused.is_empty() {
        return Err((refused.join("\nerror: "), ExitCode::FAILURE));
    }
    let inputs = InstallationInputs::from_objects(objects).map_err(|problems| {
        let problems: Vec<_> = problems.iter().map(ToString::to_string).collect();
        (problems.join("\nerror: "), ExitCode::FAILURE)
    })?;
    Ok(Images::new(&effective(&inputs), Default::default()))
}

fn objects(files: &[PathBuf]) -> Result<Vec<Object>, String> {
    if files.is_empty() {
        return files::parse("the default Installation", DEFAULT).map_err(|error| error.to_string());
    }
    files::objects(files).map_err(|error| error.to_string())
}

/// Complete but for the digests, which the schema wants as `sha256:` and 64 hexadecimal digits.
fn image_set() -> String {
    let mut text = format!(
        "apiVersion: operator.tigera.io/v1\nkind: ImageSet\nmetadata:\n  name: calico-{}\nspec:\n  images:\n",
        Build::current().version
    );
    for image in Image::ALL {
        // Writing to a string cannot fail.
        let _ = write!(text, "    - image: {}\n      digest: sha256:REPLACE\n", image.listed());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_of_the_installation_is_in_every_reference() {
        let text = DEFAULT.replace("}}", "}, spec: {registry: farm.example}}");
        let inputs = InstallationInputs::from_objects(files::parse("farm.yaml", &text).unwrap()).unwrap();
        let images = Images::new(&effective(&inputs), Default::default());
        assert!(Image::ALL.iter().all(|image| images.reference(*image).starts_with("farm.example/")));
    }

    #[test]
    fn the_image_set_lists_every_image() {
        let set: serde_json::Value = serde_saphyr::from_str(&image_set()).unwrap();
        assert_eq!(set["spec"]["images"].as_array().unwrap().len(), Image::ALL.len());
    }
}
