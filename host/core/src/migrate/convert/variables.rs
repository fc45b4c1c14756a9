//! Environment of a container, with what comes from ConfigMaps filled in.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Container, EnvVar};

use super::report::Report;
use crate::migrate::Manifest;
use crate::migrate::names::{CONFIG, SERVICES_ENDPOINT};

/// One variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Variable {
    /// A text.
    Text(String),
    /// A field of the pod, such as `spec.nodeName`.
    PodField(String),
    /// It comes from somewhere that cannot be followed; says from where.
    Elsewhere(String),
}

/// Variables that nobody has dealt with yet.
#[derive(Debug)]
pub(super) struct Variables {
    container: String,
    left: BTreeMap<String, Variable>,
}

impl Variables {
    /// Of a container.
    pub(super) fn of(container: &Container, manifest: &Manifest, report: &mut Report) -> Self {
        let variables = container.env.iter().flatten();
        let left = variables.filter_map(|variable| Some((variable.name.clone(), resolve(variable, manifest)?)));
        let variables = Self { container: container.name.clone(), left: left.collect() };
        variables.sources(container, report);
        variables
    }

    /// Whole ConfigMaps and Secrets that become variables.
    fn sources(&self, container: &Container, report: &mut Report) {
        for source in container.env_from.iter().flatten() {
            let field = format!("containers[{}].envFrom", self.container);
            match (&source.config_map_ref, &source.secret_ref) {
                (Some(map), None) if map.name == SERVICES_ENDPOINT => {}
                (Some(map), _) => report.blocked(&field, format!("ConfigMap {}", map.name), NAME_EACH),
                (_, Some(secret)) => report.blocked(&field, format!("Secret {}", secret.name), NAME_EACH),
                (None, None) => {}
            }
        }
    }

    /// Path of a variable in the object.
    pub(super) fn field(&self, name: &str) -> String {
        format!("containers[{}].env[{name}]", self.container)
    }

    /// Takes a variable out; none if it is not set or empty. One that cannot be followed is blocked.
    pub(super) fn take(&mut self, name: &str, report: &mut Report) -> Option<String> {
        let text = match self.left.remove(name)? {
            Variable::Text(text) => text,
            Variable::PodField(path) => {
                report.blocked(&self.field(name), path, "state a value instead of a field of the pod");
                return None;
            }
            Variable::Elsewhere(from) => {
                report.blocked(&self.field(name), from, "it does not exist, or cannot be followed; state the value");
                return None;
            }
        };
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// Takes out a variable that names the node: it has to be the Kubernetes node's name.
    pub(super) fn node_name(&mut self, name: &str, report: &mut Report) {
        let field = self.field(name);
        match self.left.remove(name) {
            None => {}
            Some(Variable::PodField(path)) if path == "spec.nodeName" => report.same(&field, path),
            Some(Variable::Text(text) | Variable::PodField(text) | Variable::Elsewhere(text)) => report.blocked(
                &field,
                text,
                "the operator names nodes as Kubernetes does; use the field spec.nodeName of the pod",
            ),
        }
    }

    /// Takes out one whose value must be this, in whatever case.
    pub(super) fn fixed(&mut self, name: &str, value: &str, what_to_do: &str, report: &mut Report) {
        let Some(text) = self.take(name, report) else { return };
        match text.eq_ignore_ascii_case(value) {
            true => report.same(&self.field(name), text),
            false => report.blocked(&self.field(name), text, what_to_do),
        }
    }

    /// Takes out those that mean nothing in the operator's install.
    pub(super) fn drop_each(&mut self, names: &[&str], why: &str, report: &mut Report) {
        for name in names {
            match self.left.remove(*name) {
                Some(Variable::Text(text) | Variable::PodField(text) | Variable::Elsewhere(text)) => {
                    report.dropped(&self.field(name), text, why);
                }
                None => {}
            }
        }
    }

    /// Names that begin so and are left.
    pub(super) fn names(&self, prefix: &str) -> Vec<String> {
        self.left.keys().filter(|name| name.starts_with(prefix)).cloned().collect()
    }

    /// What is left has no place in an Installation.
    pub(super) fn block_rest(mut self, report: &mut Report) {
        for name in self.names("") {
            let field = self.field(&name);
            if let Some(text) = self.take(&name, report) {
                report.blocked(&field, text, NO_FIELD);
            }
        }
    }
}

const NAME_EACH: &str = "the operator cannot know what it holds; name each variable under env";
const NO_FIELD: &str = "no field of the Installation sets this variable; take it out of the manifest, or set what it does in \
                        the resource of Calico's that it belongs to";

/// None if the variable is optional and not there.
fn resolve(variable: &EnvVar, manifest: &Manifest) -> Option<Variable> {
    let Some(source) = &variable.value_from else {
        return Some(Variable::Text(variable.value.clone().unwrap_or_default()));
    };
    if let Some(field) = &source.field_ref {
        return Some(Variable::PodField(field.field_path.clone()));
    }
    if let Some(key) = &source.config_map_key_ref {
        let data = match key.name.as_str() {
            CONFIG => manifest.config.as_ref(),
            SERVICES_ENDPOINT => manifest.endpoint.as_ref(),
            _ => None,
        };
        return match data.and_then(|data| data.get(&key.key)) {
            Some(text) => Some(Variable::Text(text.clone())),
            None if key.optional == Some(true) => None,
            None => Some(Variable::Elsewhere(format!("ConfigMap {} key {}", key.name, key.key))),
        };
    }
    let secret = source.secret_key_ref.as_ref().map(|key| format!("Secret {} key {}", key.name, key.key));
    Some(Variable::Elsewhere(secret.unwrap_or_else(|| "resourceFieldRef".into())))
}
