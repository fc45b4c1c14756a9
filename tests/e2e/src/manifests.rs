//! `deploy/manifests` as kustomize builds it: resources, components, images and patches that add.

use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use crate::operator::root;

/// Everything that the shipped manifests bring, with components by their names.
///
/// # Errors
/// If a file is missing or malformed, or says something that is not understood here.
pub fn build(components: &[&str]) -> Result<Vec<Value>> {
    let folder = root().join("deploy/manifests");
    let mut objects = Vec::new();
    kustomize(&folder, &mut objects)?;
    for component in components {
        kustomize(&folder.join("components").join(component), &mut objects)?;
    }
    Ok(objects)
}

/// Names of all components.
///
/// # Errors
/// If the folder cannot be listed.
pub fn components() -> Result<Vec<String>> {
    let entries = std::fs::read_dir(root().join("deploy/manifests/components")).context("failed to list components")?;
    let mut names: Vec<_> =
        entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect::<Result<_>>()?;
    names.sort();
    Ok(names)
}

fn kustomize(folder: &Path, objects: &mut Vec<Value>) -> Result<()> {
    let file = ["kustomization.yaml", "Kustomization"].map(|name| folder.join(name));
    let file = file.iter().find(|file| file.is_file());
    let file = file.with_context(|| format!("{} has no kustomization", folder.display()))?;
    let documents = documents(file)?;
    let [kustomization] = documents.as_slice() else { bail!("{} is not one document", file.display()) };
    let known = ["apiVersion", "kind", "resources", "images", "patches"];
    let strange = kustomization.as_object().context("it is no map")?.keys().find(|key| !known.contains(&key.as_str()));
    ensure!(strange.is_none(), "{}: {strange:?} is not understood", file.display());
    let list = |name: &str| kustomization[name].as_array().cloned().unwrap_or_default();
    for resource in list("resources") {
        let path = folder.join(resource.as_str().context("a resource is a path")?);
        if path.is_dir() { kustomize(&path, objects)? } else { objects.extend(self::documents(&path)?) }
    }
    list("images").iter().try_for_each(|image| rename(objects, image))?;
    list("patches").iter().try_for_each(|patch| self::patch(objects, patch))
}

/// Documents of a file, each with what an object needs at least.
fn documents(file: &Path) -> Result<Vec<Value>> {
    let name = || format!("failed to read {}", file.display());
    let text = std::fs::read_to_string(file).with_context(name)?;
    let documents: Vec<Value> = serde_saphyr::from_multiple(&text).with_context(name)?;
    let whole = |object: &Value| object["apiVersion"].is_string() && object["kind"].is_string();
    ensure!(!documents.is_empty() && documents.iter().all(whole), "{} holds something else", file.display());
    Ok(documents)
}

fn rename(objects: &mut [Value], image: &Value) -> Result<()> {
    let text = |name: &str| image[name].as_str().with_context(|| format!("an image needs {name}"));
    let (from, to) = (text("name")?, format!("{}:{}", text("newName")?, text("newTag")?));
    let mut renamed = 0;
    for object in objects {
        let containers = object.pointer_mut("/spec/template/spec/containers").and_then(Value::as_array_mut);
        for container in containers.into_iter().flatten().filter(|container| container["image"] == from) {
            container["image"] = to.clone().into();
            renamed += 1;
        }
    }
    ensure!(renamed > 0, "no container has the image {from}");
    Ok(())
}

fn patch(objects: &mut [Value], patch: &Value) -> Result<()> {
    let target = &patch["target"];
    let object = objects
        .iter_mut()
        .find(|object| object["kind"] == target["kind"] && object["metadata"]["name"] == target["name"]);
    let object = object.with_context(|| format!("there is nothing to patch for {target}"))?;
    let steps: Vec<Value> = serde_saphyr::from_str(patch["patch"].as_str().context("a patch is text")?)?;
    for step in steps {
        let path = step["path"].as_str().and_then(|path| path.strip_suffix("/-"));
        let list = path.and_then(|path| object.pointer_mut(path)).and_then(Value::as_array_mut);
        ensure!(step["op"] == "add", "{step} is not understood");
        list.with_context(|| format!("{step} names no list"))?.push(step["value"].clone());
    }
    Ok(())
}
