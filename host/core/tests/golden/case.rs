//! One case: objects that are in a cluster, the Installation among them.

use std::fs;
use std::path::{Path, PathBuf};

use chimera_core::installation::config::ApiGroup;
use chimera_core::object::Object;
use serde_json::{Value, json};

/// A case.
pub(crate) struct Case {
    /// Name of its files.
    pub(crate) name: String,
    /// The API group of Calico's own resources, if its head says so (`# crds: v3`).
    pub(crate) api_group: Option<ApiGroup>,
    /// What is in the cluster.
    pub(crate) objects: Vec<Object>,
}

/// The folder with the committed outputs.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden")
}

impl Case {
    /// All of them, by name.
    pub(crate) fn all() -> Vec<Self> {
        let mut files: Vec<_> =
            fs::read_dir(folder().join("cases")).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        assert!(!files.is_empty(), "there are no cases");
        files.iter().map(|file| Self::read(file)).collect()
    }

    /// Where its committed output is.
    pub(crate) fn golden(&self) -> PathBuf {
        folder().join(format!("{}.yaml", self.name))
    }

    /// Nodes come on top of what the file holds: three, or as many as its head says (`# nodes: 5`).
    fn read(file: &Path) -> Self {
        let text = fs::read_to_string(file).unwrap();
        let head = |key: &str| text.lines().find_map(|line| line.strip_prefix(&format!("# {key}: ")));
        let nodes: usize = head("nodes").map_or(3, |nodes| nodes.trim().parse().unwrap());
        let documents = serde_saphyr::from_multiple::<Value>(&text).unwrap();
        let documents = documents.into_iter().filter(Value::is_object).chain((0..nodes).map(node));
        Self {
            name: file.file_stem().unwrap().to_string_lossy().into_owned(),
            api_group: head("crds").filter(|crds| crds.trim() == "v3").map(|_| ApiGroup::V3),
            objects: documents.map(|document| Object::from_value(document).unwrap()).collect(),
        }
    }
}

fn node(number: usize) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": format!("node-{number}"), "labels": {"kubernetes.io/os": "linux"}},
    })
}
