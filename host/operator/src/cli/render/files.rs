//! Reads YAML files of objects.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use chimera_core::object::{self, Object};
use chimera_core::yaml;
use serde_json::Value;

use crate::args::RenderArgs;

/// A file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(in crate::cli) enum Error {
    /// It cannot be read.
    #[error("failed to read {file}: {source}")]
    Read { file: String, source: std::io::Error },
    /// It is something else than a text.
    #[error("{file} is no text in UTF-8")]
    NoText { file: String },
    /// It is no YAML.
    #[error("{file} is not valid YAML: {message}")]
    Yaml { file: String, message: String },
    /// It can be read only once.
    #[error("standard input (`-`) is named more than once, but can be read only once")]
    StandardInputTwice,
    /// A document in it is no Kubernetes object.
    #[error("document {number} of {file}: {source}")]
    Object { file: String, number: usize, source: object::Error },
}

/// What the files hold, Lists taken apart.
pub(super) struct Given {
    /// What is to be applied.
    pub(super) wanted: Vec<Object>,
    /// What stands for the cluster's state.
    pub(super) state: Vec<Object>,
}

/// All objects of all files.
pub(super) fn read(args: &RenderArgs) -> Result<Given, Error> {
    read_once(args.filename.iter().chain(&args.cluster_state))?;
    Ok(Given { wanted: all(&args.filename)?, state: all(&args.cluster_state)? })
}

/// All objects of some files.
pub(in crate::cli) fn objects(files: &[PathBuf]) -> Result<Vec<Object>, Error> {
    read_once(files.iter())?;
    all(files)
}

fn read_once<'a>(files: impl Iterator<Item = &'a PathBuf>) -> Result<(), Error> {
    let inputs = files.filter(|file| is_standard_input(file)).count();
    if inputs > 1 { Err(Error::StandardInputTwice) } else { Ok(()) }
}

fn is_standard_input(file: &Path) -> bool {
    file == Path::new("-")
}

fn all(files: &[PathBuf]) -> Result<Vec<Object>, Error> {
    let objects = files.iter().map(|file| one(file)).collect::<Result<Vec<_>, _>>()?;
    Ok(objects.into_iter().flatten().collect())
}

fn one(file: &Path) -> Result<Vec<Object>, Error> {
    let name = file.display().to_string();
    let text = text(file).map_err(|source| match source.kind() {
        std::io::ErrorKind::InvalidData => Error::NoText { file: name.clone() },
        _ => Error::Read { file: name.clone(), source },
    })?;
    parse(&name, &text)
}

fn text(file: &Path) -> std::io::Result<String> {
    if !is_standard_input(file) {
        return std::fs::read_to_string(file);
    }
    let mut text = String::new();
    std::io::stdin().lock().read_to_string(&mut text)?;
    Ok(text)
}

pub(in crate::cli) fn parse(file: &str, text: &str) -> Result<Vec<Object>, Error> {
    let documents: Vec<Value> = serde_saphyr::from_multiple(text)
        .map_err(|error| Error::Yaml { file: file.into(), message: yaml::problem(&error) })?;
    let numbered = documents.into_iter().enumerate().filter(|(_, document)| !document.is_null());
    let items = numbered.flat_map(|(index, document)| items(document).into_iter().map(move |item| (index + 1, item)));
    items.map(|(number, item)| object(file, number, item)).collect()
}

fn object(file: &str, number: usize, item: Value) -> Result<Object, Error> {
    Object::from_value(item).map_err(|source| Error::Object { file: file.into(), number, source })
}

/// The items of a List, or the one object.
fn items(mut document: Value) -> Vec<Value> {
    let is_list = document.get("kind").and_then(Value::as_str).is_some_and(|kind| kind.ends_with("List"));
    match document.get_mut("items").map(Value::take) {
        Some(Value::Array(items)) if is_list => items,
        _ => vec![document],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_taken_apart_and_empty_documents_passed_over() {
        let text =
            "---\n---\nkind: List\napiVersion: v1\nitems:\n- {apiVersion: v1, kind: Node, metadata: {name: barn}}\n";
        let objects = parse("farm.yaml", text).unwrap();
        assert_eq!(objects.iter().map(|o| o.key().to_string()).collect::<Vec<_>>(), ["Node barn"]);
    }

    #[test]
    fn a_document_without_a_name_is_refused_with_file_number_and_field() {
        let error = parse("farm.yaml", "apiVersion: v1\nkind: Node\n").unwrap_err().to_string();
        assert_eq!(error, "document 1 of farm.yaml: an object has no metadata.name");
    }
}
