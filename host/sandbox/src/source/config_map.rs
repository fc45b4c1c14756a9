//! ConfigMaps with the label `operator.tigera.io/plugin: NAME`, in the operator's namespace.
//!
//! One plugin may take several, as one holds 1 MiB: together they have at most one `plugin.yaml`, and the bytes either
//! as one `plugin.wasm` or numbered from 0 as `plugin.wasm.0`, `plugin.wasm.1` and so on; each of these with `.zst`
//! after `.wasm` if packed by zstd.

use std::collections::BTreeMap;
use std::io::Read as _;

use k8s_openapi::api::core::v1::ConfigMap;

use crate::declaration::{Declaration, Error};
use crate::limits;

/// The label; its value is the plugin's name.
pub const LABEL: &str = "operator.tigera.io/plugin";

const MANIFEST: &str = "plugin.yaml";
const RAW: &str = "plugin.wasm";
const PACKED: &str = "plugin.wasm.zst";

/// All declarations in these ConfigMaps, sorted by name. Those without the label are passed over.
pub fn declarations<'a>(config_maps: impl IntoIterator<Item = &'a ConfigMap>) -> Vec<Declaration> {
    let mut by_plugin: BTreeMap<&str, Vec<&ConfigMap>> = BTreeMap::new();
    for config_map in config_maps {
        if let Some(plugin) = label(config_map) {
            by_plugin.entry(plugin).or_default().push(config_map);
        }
    }
    by_plugin.into_iter().map(|(plugin, parts)| declaration(plugin, parts)).collect()
}

fn label(config_map: &ConfigMap) -> Option<&str> {
    config_map.metadata.labels.as_ref()?.get(LABEL).map(String::as_str)
}

fn declaration(plugin: &str, mut parts: Vec<&ConfigMap>) -> Declaration {
    parts.sort_by_key(name);
    let origin = origin(&parts);
    match manifest(&parts) {
        Ok(manifest) => Declaration::new(plugin, origin, manifest, || bytes(&parts)),
        Err(error) => Declaration::broken(plugin, origin, error),
    }
}

/// `ConfigMap tigera-operator/labels`, or several names.
fn origin(parts: &[&ConfigMap]) -> String {
    let namespace = parts.first().and_then(|part| part.metadata.namespace.as_deref()).unwrap_or_default();
    let names: Vec<_> = parts.iter().map(|part| format!("{namespace}/{}", name(part))).collect();
    format!("ConfigMap {}", names.join(", "))
}

fn name<'a>(config_map: &&'a ConfigMap) -> &'a str {
    config_map.metadata.name.as_deref().unwrap_or_default()
}

fn manifest<'a>(parts: &[&'a ConfigMap]) -> Result<&'a str, Error> {
    let found: Vec<_> = parts
        .iter()
        .filter_map(|part| part.data.as_ref()?.get(MANIFEST).map(|text| (name(part), text.as_str())))
        .collect();
    match found.as_slice() {
        [] => Ok(""),
        [(_, text)] => Ok(text),
        [(a, _), (b, _), ..] => Err(Error::Bytes(format!("data[{MANIFEST}] is both in {a} and in {b}; keep one"))),
    }
}

fn bytes(parts: &[&ConfigMap]) -> Result<Vec<u8>, Error> {
    let mut files = BTreeMap::new();
    for part in parts {
        for (key, value) in part.binary_data.iter().flatten().filter(|(key, _)| key.starts_with(RAW)) {
            if let Some((other, _)) = files.insert(key.as_str(), (name(part), value.0.as_slice())) {
                let message = format!("binaryData[{key}] is both in {other} and in {}; keep one", name(part));
                return Err(Error::Bytes(message));
            }
        }
    }
    let files = files.into_iter().map(|(key, (_, value))| (key, value)).collect();
    match (joined(RAW, &files)?, joined(PACKED, &files)?) {
        (Some(_), Some(_)) => Err(Error::Bytes(format!("it has both {RAW} and {PACKED}; keep one"))),
        (Some(raw), None) => Ok(raw),
        (None, Some(packed)) => unpack(&packed),
        (None, None) => Err(Error::Bytes(format!("binaryData has no {RAW}, {PACKED} or {RAW}.0"))),
    }
}

/// The file of that name, whole or from its parts; none if there is neither.
fn joined(file: &str, files: &BTreeMap<&str, &[u8]>) -> Result<Option<Vec<u8>>, Error> {
    let number = |key: &str| key.strip_prefix(file)?.strip_prefix('.')?.parse::<usize>().ok();
    let parts: BTreeMap<usize, &[u8]> = files.iter().filter_map(|(key, value)| Some((number(key)?, *value))).collect();
    match (files.get(file), parts.len()) {
        (None, 0) => Ok(None),
        (Some(whole), 0) => Ok(Some(whole.to_vec())),
        (Some(_), _) => Err(Error::Bytes(format!("binaryData has both {file} and parts of it; keep one"))),
        (None, count) => match (0..count).find(|number| !parts.contains_key(number)) {
            Some(missing) => Err(Error::Bytes(format!("binaryData has no {file}.{missing}, but later parts"))),
            None => Ok(Some(parts.into_values().flatten().copied().collect())),
        },
    }
}

fn unpack(packed: &[u8]) -> Result<Vec<u8>, Error> {
    let failed = |error: std::io::Error| Error::Bytes(format!("failed to unpack {PACKED}: {error}"));
    let decoder = zstd::stream::read::Decoder::new(packed).map_err(failed)?;
    let mut bytes = Vec::new();
    // One byte more than fits, so that loading sees that it is too large.
    let most = u64::try_from(limits::COMPONENT).unwrap_or(u64::MAX).saturating_add(1);
    decoder.take(most).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}
