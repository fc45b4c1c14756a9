//! Cases: what is in a cluster before the operator starts, what is applied then, and what has to come of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::operator::root;

/// Ends what is in the cluster before the operator starts.
const APPLY: &str = "--- # apply\n";

/// A case.
#[derive(Clone, Debug)]
pub struct Case {
    /// Name of its file, and of the files with what has to come of it.
    pub name: String,
    /// Objects that are there before the operator starts, as YAML; may be empty.
    pub before: String,
    /// What is applied while it runs, as YAML.
    pub apply: String,
    /// Simulated nodes besides those among the objects.
    pub nodes: usize,
    /// Labels of those simulated nodes, as a platform puts them there.
    pub labels: Vec<(String, String)>,
    /// CustomResourceDefinitions beyond the usual ones: `v3` or `openshift`.
    pub crds: Option<String>,
    /// Environment of the operator.
    pub env: Vec<(String, String)>,
    /// TigeraStatus and reason, for a case that has to be refused.
    pub refused: Option<(String, String)>,
    /// What a TigeraStatus says in the end that does not become Available: name, condition that is true, reason.
    pub status: Option<(String, String, String)>,
    /// Whether a cluster's own objects contradict it, so that it can be rendered only.
    pub offline: bool,
}

impl Case {
    /// Those that are served, by name.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn served() -> Result<Vec<Self>> {
        Self::all("cases")
    }

    /// Those that are refused, by name.
    ///
    /// # Errors
    /// If a file cannot be read, or does not say what refuses it.
    pub fn refused() -> Result<Vec<Self>> {
        let cases = Self::all("refused")?;
        ensure!(
            cases.iter().all(|case| case.refused.is_some()),
            "a case under refused/ has no head comment `# refused:`"
        );
        Ok(cases)
    }

    fn all(folder: &str) -> Result<Vec<Self>> {
        let folder = Self::folder().join(folder);
        let entries = fs::read_dir(&folder).with_context(|| format!("failed to list {}", folder.display()))?;
        let mut files = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
        files.sort();
        ensure!(!files.is_empty(), "{} is empty", folder.display());
        files.iter().map(|file| Self::read(file)).collect()
    }

    fn read(file: &Path) -> Result<Self> {
        let text = fs::read_to_string(file).with_context(|| format!("failed to read {}", file.display()))?;
        let name = file.file_stem().context("a file has a name")?.to_string_lossy().into_owned();
        Self::parse(name, &text).with_context(|| format!("failed to understand {}", file.display()))
    }

    fn parse(name: String, text: &str) -> Result<Self> {
        let heads = |key: &str| {
            let start = format!("# {key}: ");
            let lines = text.lines().take_while(|line| line.starts_with('#'));
            lines.filter_map(|line| line.strip_prefix(&start)).map(str::trim).map(ToOwned::to_owned).collect::<Vec<_>>()
        };
        let pair = |text: &String, separator: char| {
            let (a, b) = text.split_once(separator).with_context(|| format!("{text:?} has no {separator:?}"))?;
            Ok((a.to_owned(), b.to_owned()))
        };
        let pairs = |key: &str| {
            let text = heads(key).join(" ");
            text.split_whitespace().map(|entry| pair(&entry.to_owned(), '=')).collect::<Result<Vec<_>>>()
        };
        let (before, apply) = text.split_once(APPLY).unwrap_or(("", text));
        Ok(Self {
            name,
            before: before.to_owned(),
            apply: apply.to_owned(),
            nodes: heads("nodes").first().map_or(Ok(3), |nodes| usize::from_str(nodes)).context("# nodes")?,
            labels: pairs("labels")?,
            crds: heads("crds").pop(),
            env: pairs("env")?,
            refused: heads("refused").first().map(|text| pair(text, ' ')).transpose()?,
            status: heads("status").first().map(|text| three(text)).transpose()?,
            offline: heads("only").iter().any(|only| only == "offline"),
        })
    }

    /// The objects that are committed as what has to come of it.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn committed(&self) -> Result<Vec<Value>> {
        let file = Self::folder().join(format!("{}.yaml", self.name));
        let text = fs::read_to_string(&file).with_context(|| format!("failed to read {}", file.display()))?;
        let documents: Vec<Value> = serde_saphyr::from_multiple(&text).context("failed to read the YAML")?;
        Ok(documents.into_iter().filter(Value::is_object).collect())
    }

    fn folder() -> PathBuf {
        root().join("tests/golden")
    }

    /// Whether Calico is to run on Windows nodes.
    pub fn on_windows(&self) -> bool {
        self.apply.contains("windowsDataplane: HNS")
    }

    /// What every TigeraStatus says in the end that its custom resources bring about: name, condition that is true, reason.
    pub fn statuses(&self) -> Vec<(String, String, String)> {
        const GOOD: (&str, &str) = ("Available", "AllObjectsAvailable");
        let has = |kind: &str| self.apply.contains(&format!("kind: {kind}\n"));
        let whisker = if has("Goldmane") { GOOD } else { ("Degraded", "ResourceNotFound") };
        let all = [
            (true, "ippools", GOOD),
            (true, "calico", GOOD),
            (self.on_windows(), "calico-windows", GOOD),
            (has("APIServer"), "apiserver", GOOD),
            (has("APIServer"), "tiers", GOOD),
            (has("Goldmane"), "goldmane", GOOD),
            (has("Whisker"), "whisker", whisker),
        ];
        let stated = |name: &str| self.status.clone().filter(|(stated, ..)| stated == name);
        let full = |(_, name, (kind, reason)): (bool, &str, (&str, &str))| {
            stated(name).unwrap_or_else(|| (name.to_owned(), kind.to_owned(), reason.to_owned()))
        };
        all.into_iter().filter(|(wanted, ..)| *wanted).map(full).collect()
    }
}

fn three(text: &str) -> Result<(String, String, String)> {
    let words: Vec<_> = text.split_whitespace().map(ToOwned::to_owned).collect();
    let [name, condition, reason] = <[String; 3]>::try_from(words).ok().context("# status: NAME CONDITION REASON")?;
    Ok((name, condition, reason))
}

/// Where `whole` lacks something that `part` has, one line each. Maps may hold more; what stands for key material
/// (`<…>`, or what a certificate says) matches anything.
pub fn lacks(part: &[Value], whole: &[Value]) -> Vec<String> {
    let of = |part: &Value| {
        let name = key(part);
        match whole.iter().find(|whole| key(whole) == name) {
            None => vec![format!("{name} is missing")],
            Some(whole) => {
                let mut found = Vec::new();
                compare(part, whole, &name, &mut found);
                found
            }
        }
    };
    part.iter().flat_map(of).collect()
}

fn key(object: &Value) -> String {
    let text = |path| object.pointer(path).and_then(Value::as_str).unwrap_or_default();
    format!("{} {} {}/{}", text("/apiVersion"), text("/kind"), text("/metadata/namespace"), text("/metadata/name"))
}

fn compare(part: &Value, whole: &Value, path: &str, found: &mut Vec<String>) {
    match (part, whole) {
        (part, _) if is_marker(part) => {}
        (Value::Object(part), Value::Object(whole)) => {
            for (name, value) in part {
                compare(value, whole.get(name).unwrap_or(&Value::Null), &format!("{path}.{name}"), found);
            }
        }
        (Value::Array(part), Value::Array(whole)) if part.len() == whole.len() => {
            let pairs = part.iter().zip(whole).enumerate();
            pairs.for_each(|(at, (part, whole))| compare(part, whole, &format!("{path}[{at}]"), found));
        }
        (part, whole) if part == whole => {}
        // The API server leaves out what is empty.
        (Value::Object(part), Value::Null) if part.is_empty() => {}
        (part, whole) => found.push(format!("{path}: committed {part}, live {whole}")),
    }
}

fn is_marker(value: &Value) -> bool {
    let certificates = value.get("certificates").is_some_and(Value::is_array);
    certificates || value.as_str().is_some_and(|text| text.starts_with('<') && text.ends_with('>'))
}
