//! Where images come from. Their versions are the operator's.

use chimera_crds::installation::InstallationSpec;
use serde_json::json;

use super::report::Report;
use crate::installation::inputs::InstallationInputs;
use crate::migrate::names;

/// Registries where everybody gets Calico's images.
const PUBLIC: [&str; 4] = ["docker.io/", "quay.io/", "registry-1.docker.io/", ""];

/// Registry, path and prefix of all containers, which must agree.
pub(super) fn convert(inputs: &InstallationInputs, report: &mut Report) {
    report.of(names::node());
    let images = images(inputs);
    let Some((field, first)) = images.first() else { return };
    let Some(place) = place(first) else { return };
    for (field, image) in &images {
        if self::place(image).is_some_and(|other| other != place) {
            let what = "the Installation has one registry, path and prefix for all images; make them the same";
            report.blocked(field, image, what);
        }
    }
    let Place { registry, path, prefix } = place;
    if PUBLIC.contains(&registry.as_str()) && path == "calico" && prefix.is_empty() {
        return report.dropped(field, first, "the operator brings images of its own version");
    }
    // A user who says where images come from has said all of it.
    let InstallationSpec { registry: stated, image_path, image_prefix, .. } = &inputs.installation.spec;
    if stated.is_some() || image_path.is_some() || image_prefix.is_some() {
        return report.dropped(field, first, "the Installation says where images come from");
    }
    report.carried(field, first, "registry", json!(registry));
    report.set("imagePath", json!(path));
    if !prefix.is_empty() {
        report.set("imagePrefix", json!(prefix));
    }
}

fn images(inputs: &InstallationInputs) -> Vec<(String, String)> {
    let manifest = &inputs.manifest;
    let node = manifest.node.as_ref().and_then(|node| node.spec.as_ref()?.template.spec.as_ref());
    let pods = [&manifest.controllers, &manifest.typha]
        .map(|deployment| deployment.as_ref().and_then(|deployment| deployment.spec.as_ref()?.template.spec.as_ref()));
    let pods = node.into_iter().chain(pods.into_iter().flatten());
    let containers = pods.flat_map(|pod| pod.containers.iter().chain(pod.init_containers.iter().flatten()));
    let image = |container: &k8s_openapi::api::core::v1::Container| {
        Some((format!("containers[{}].image", container.name), container.image.clone()?))
    };
    containers.filter_map(image).collect()
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    registry: String,
    path: String,
    prefix: String,
}

/// None if the last part is no image of Calico's.
fn place(image: &str) -> Option<Place> {
    let (name, last) = image.rsplit_once('/').map_or(("", image), |(before, last)| (before, last));
    let last = last.split(['@', ':']).next().unwrap_or_default();
    let known = ["kube-controllers", "pod2daemon-flexvol", "typha", "node", "cni", "calico"];
    let prefix = known.iter().find_map(|known| last.strip_suffix(known))?;
    let (registry, path) = match name.split_once('/') {
        Some((host, path)) if host.contains(['.', ':']) || host == "localhost" => (format!("{host}/"), path.to_owned()),
        _ if name.contains(['.', ':']) => (format!("{name}/"), String::new()),
        _ => (String::new(), name.to_owned()),
    };
    Some(Place { registry, path, prefix: prefix.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_taken_apart_into_registry_path_and_prefix() {
        let of = |image: &str| place(image).map(|place| (place.registry, place.path, place.prefix));
        let some = |a: &str, b: &str, c: &str| Some((a.to_owned(), b.to_owned(), c.to_owned()));
        assert_eq!(of("docker.io/calico/node:v3.30.0"), some("docker.io/", "calico", ""));
        assert_eq!(of("calico/kube-controllers:v3"), some("", "calico", ""));
        assert_eq!(of("reg.example.com:5000/a/b/my-node@sha256:12"), some("reg.example.com:5000/", "a/b", "my-"));
        assert_eq!(of("reg.example.com/node:v3"), some("reg.example.com/", "", ""));
        assert_eq!(of("example.com/sheep:1"), None);
    }
}
