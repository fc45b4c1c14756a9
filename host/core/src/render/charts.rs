//! What objects of charts get that depends on the Installation: images, pull secrets, and a namespace to be in.

use serde_json::{Map, Value, json};

use super::{Error, meta};
use crate::charts::Charts;
use crate::codes;
use crate::images::Image;
use crate::installation::config::InstallationConfig;
use crate::message::Message;
use crate::names::{OPERATOR_SECRETS_ROLE, OPERATOR_SERVICE_ACCOUNT};
use crate::object::Object;
use crate::render::rbac;

use k8s_openapi::api::rbac::v1::RoleBinding;

/// Lists of containers of a pod.
const CONTAINERS: [&str; 2] = ["initContainers", "containers"];

/// The objects, each container with its image from where the Installation says. `images`: by the name of the container.
pub(super) fn dress(
    mut objects: Vec<Object>,
    config: &InstallationConfig,
    images: &[(&str, Image)],
) -> Result<Vec<Object>, Error> {
    let mut unknown = Vec::new();
    for object in &mut objects {
        let key = object.key().clone();
        if key.kind == "Job"
            && let Some(Value::Object(spec)) = object.pointer_mut("/spec")
        {
            // One that removes itself would be made again for ever.
            spec.remove("ttlSecondsAfterFinished");
        }
        let pod =
            object.pod_template_mut().and_then(|template| template.get_mut("spec")).and_then(Value::as_object_mut);
        let Some(pod) = pod else { continue };
        pull_secrets(pod, config);
        for name in self::images(pod, config, images) {
            let detail = format!("the charts give it a container {name:?}, of which no image is known");
            unknown.push(Message::new(&codes::CHARTS_UNSUITABLE, detail).on(&key));
        }
    }
    if unknown.is_empty() { Ok(objects) } else { Err(Error::Charts(unknown)) }
}

/// Sets images; answers with the names of containers that are not known.
fn images(pod: &mut Map<String, Value>, config: &InstallationConfig, images: &[(&str, Image)]) -> Vec<String> {
    let mut unknown = Vec::new();
    for list in CONTAINERS {
        let containers = pod.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
        for container in containers.filter_map(Value::as_object_mut) {
            let name = container.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
            match images.iter().find(|(known, _)| *known == name) {
                Some((_, image)) => drop(container.insert("image".into(), config.images.reference(*image).into())),
                None => unknown.push(name),
            }
        }
    }
    unknown
}

/// Adds the Installation's pull secrets to a pod's own.
pub(super) fn pull_secrets(pod: &mut Map<String, Value>, config: &InstallationConfig) {
    let wanted = pull_secret_references(config);
    if wanted.is_empty() {
        return;
    }
    let own = pod.entry("imagePullSecrets").or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(own) = own {
        for reference in wanted {
            if !own.contains(&reference) {
                own.push(reference);
            }
        }
    }
}

/// The Installation's pull secrets, as pods refer to them.
pub(super) fn pull_secret_references(config: &InstallationConfig) -> Vec<Value> {
    config.spec.image_pull_secrets.iter().flatten().map(|secret| json!({"name": secret.name})).collect()
}

/// Lets the operator write in a namespace what it writes in that of Calico.
pub(super) fn usual_binding(config: &InstallationConfig, namespace: &str) -> RoleBinding {
    binding(config, namespace, OPERATOR_SECRETS_ROLE, OPERATOR_SECRETS_ROLE)
}

/// Lets the operator write in a namespace what else the charts hold.
pub(super) fn own_binding(config: &InstallationConfig, namespace: &str, charts: Charts) -> RoleBinding {
    binding(config, namespace, charts.role(), charts.namespace_role())
}

fn binding(config: &InstallationConfig, namespace: &str, name: &str, role: &str) -> RoleBinding {
    RoleBinding {
        metadata: meta::namespaced(namespace, name),
        role_ref: rbac::role_ref("ClusterRole", role),
        subjects: Some(vec![rbac::account_subject(&config.cluster.operator_namespace, OPERATOR_SERVICE_ACCOUNT)]),
    }
}
