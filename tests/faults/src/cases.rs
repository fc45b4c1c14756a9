//! The Installations that plans run on: those of the golden tests, with the clusters that they need.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use serde_json::{Value, json};

/// What is in a cluster when the operator starts.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// Its objects, the Installation among them.
    pub objects: Vec<Value>,
}

static ALL: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden/cases");
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("the golden cases are there").map(|file| file.expect("a file").path()).collect();
    files.sort();
    files.iter().map(|file| read(file)).collect()
});

/// All whose objects are of kinds that are served here.
pub fn all() -> &'static [Case] {
    &ALL
}

/// By its name.
///
/// # Panics
/// If there is none.
pub fn named(name: &str) -> &'static Case {
    all().iter().find(|case| case.name == name).unwrap_or_else(|| panic!("there is no case {name}"))
}

fn read(file: &Path) -> Case {
    let text = fs::read_to_string(file).expect("a case can be read");
    let documents: Vec<Value> = serde_saphyr::from_multiple(&text).expect("a case is YAML");
    let kind = |object: &Value| object["kind"].as_str().unwrap_or_default().to_owned();
    // A cluster's own configuration, of kinds that only some platforms serve.
    let served = |object: &Value| object.is_object() && !["Infrastructure", "Network"].contains(&kind(object).as_str());
    let mut objects = cluster();
    objects.extend(documents.into_iter().filter(served).map(spelled));
    // The Installation comes last, so that what it refers to is there.
    objects.sort_by_key(|object| kind(object) == "Installation");
    Case { name: file.file_stem().expect("a name").to_string_lossy().into_owned(), objects }
}

/// The group that is served here.
fn spelled(mut object: Value) -> Value {
    if object["apiVersion"] == "projectcalico.org/v3" {
        object["apiVersion"] = "crd.projectcalico.org/v1".into();
    }
    object
}

/// What every cluster has.
fn cluster() -> Vec<Value> {
    let node = |number: usize| {
        json!({"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": format!("node-{number}"), "labels": {"kubernetes.io/os": "linux"}}})
    };
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "tigera-operator"}});
    std::iter::once(namespace).chain((0..3).map(node)).collect()
}
