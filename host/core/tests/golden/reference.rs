//! Outputs of the operator that clusters run already, where this checkout has them next to it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use chimera_core::certificates::{BUNDLE_CONFIG_MAP, SYSTEM_BUNDLE_KEY};
use chimera_core::object::Object;
use serde_json::{Value, json};

use crate::case::Case;
use crate::pipeline;

/// Beginnings of differences that say nothing about rendering, with a field to look for behind the object's name.
const NOT_RENDERED: [(&str, &str); 3] = [
    // What a running operator says of itself.
    ("missing operator.tigera.io/v1/TigeraStatus/", ""),
    // Given by the API server.
    ("differs v1/Service/", " spec.clusterIP"),
    ("differs v1/Service/", " spec.ipFamil"),
];

/// Custom resources of other controllers.
const OTHER_KINDS: [&str; 3] = ["APIServer", "Goldmane", "Whisker"];

/// The folder.
pub(crate) struct Reference(PathBuf);

impl Reference {
    /// None where it is not there.
    pub(crate) fn beside_this_checkout() -> Option<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/goldens");
        folder.join("normalize.py").exists().then_some(Self(folder))
    }

    /// Lines that say what a case renders otherwise than the reference has it; none for a case that it lacks.
    pub(crate) fn differences(&self, case: &Case) -> Vec<String> {
        let expected = self.0.join(format!("expected/{}.yaml", case.name));
        if !expected.exists() {
            return Vec::new();
        }
        let rendered = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}.yaml", case.name));
        let items: Vec<_> = pipeline::render(case).into_iter().map(without_system_roots).collect();
        let list = json!({"kind": "List", "items": items});
        fs::write(&rendered, list.to_string()).unwrap();
        let script = self.0.join("normalize.py");
        let output = Command::new("python3").arg(script).arg("--diff").arg(expected).arg(rendered).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.ends_with("differences\n"), "{}", String::from_utf8_lossy(&output.stderr));
        let lines = text
            .lines()
            .filter(|line| line.starts_with("missing") || line.starts_with("extra") || line.starts_with("differs"));
        let beyond = self.beyond(case);
        let meant = |line: &&str| is_rendered(line) && !beyond.iter().any(|start| line.starts_with(start));
        lines.filter(meant).map(|line| format!("{}: {line}", case.name)).collect()
    }

    /// Beginnings of differences that come from other custom resources, if the reference was recorded with any.
    fn beyond(&self, case: &Case) -> Vec<String> {
        let recorded = fs::read_to_string(self.0.join(format!("cases/{}.yaml", case.name))).unwrap();
        if !OTHER_KINDS.iter().any(|kind| recorded.contains(&format!("kind: {kind}\n"))) {
            return Vec::new();
        }
        let list = fs::read_to_string(case.golden().with_file_name("beyond.txt")).unwrap();
        list.lines().filter(|line| !line.starts_with('#')).map(Into::into).collect()
    }
}

/// As the script would have it, which looks at each root in a process of its own.
fn without_system_roots(object: Object) -> Value {
    let bundle = object.key().name == BUNDLE_CONFIG_MAP;
    let mut value = object.into_value();
    if let Some(roots) = value.pointer_mut(&format!("/data/{SYSTEM_BUNDLE_KEY}")).filter(|_| bundle) {
        *roots = json!({"certificates": ["<system roots>"]});
    }
    value
}

fn is_rendered(line: &str) -> bool {
    !NOT_RENDERED.iter().any(|(start, field)| line.starts_with(start) && line.contains(field))
}
