//! Collects settings and what becomes of them.

use chimera_crds::installation::InstallationSpec;
use serde_json::{Map, Value};

use super::{Conversion, Setting, Verdict};

/// What was found so far.
#[derive(Debug, Default)]
pub(super) struct Report {
    object: String,
    spec: Value,
    felix: Map<String, Value>,
    settings: Vec<Setting>,
}

impl Report {
    /// Settings that follow are of this object.
    pub(super) fn of(&mut self, object: impl std::fmt::Display) {
        self.object = object.to_string();
    }

    /// Sets a field of the Installation, given as `cni/ipam/type`.
    pub(super) fn set(&mut self, path: &str, value: Value) {
        let mut at = &mut self.spec;
        for name in path.split('/') {
            if !at.is_object() {
                *at = Value::Object(Map::new());
            }
            let Value::Object(map) = at else { return };
            at = map.entry(name).or_insert(Value::Null);
        }
        *at = value;
    }

    /// What is set so far.
    pub(super) fn get(&self, path: &str) -> Option<&Value> {
        path.split('/').try_fold(&self.spec, |at, name| at.get(name))
    }

    /// A setting that the Installation can hold.
    pub(super) fn carried(&mut self, field: &str, value: impl ToString, path: &str, to: Value) {
        self.set(path, to);
        self.add(field, value, Verdict::Carried, format!("Installation spec.{}", path.replace('/', ".")));
    }

    /// A setting that FelixConfiguration can hold.
    pub(super) fn carried_to_felix(&mut self, field: &str, value: impl ToString, name: &str, to: Value) {
        self.felix.insert(name.into(), to);
        self.add(field, value, Verdict::Carried, format!("FelixConfiguration spec.{name}"));
    }

    /// A setting that the operator's install has too.
    pub(super) fn same(&mut self, field: &str, value: impl ToString) {
        self.add(field, value, Verdict::Same, String::new());
    }

    /// A setting without a meaning in the operator's install.
    pub(super) fn dropped(&mut self, field: &str, value: impl ToString, why: &str) {
        self.add(field, value, Verdict::Dropped, why.into());
    }

    /// A setting that nothing can hold.
    pub(super) fn blocked(&mut self, field: &str, value: impl ToString, what_to_do: impl Into<String>) {
        self.add(field, value, Verdict::Blocked, what_to_do.into());
    }

    fn add(&mut self, field: &str, value: impl ToString, verdict: Verdict, note: String) {
        let (object, field, value) = (self.object.clone(), field.to_owned(), value.to_string());
        self.settings.push(Setting { object, field, value, verdict, note });
    }

    /// All of it.
    pub(super) fn finish(mut self) -> Conversion {
        let spec = if self.spec.is_null() { Value::Object(Map::new()) } else { self.spec.take() };
        let spec = serde_json::from_value::<InstallationSpec>(spec).unwrap_or_else(|error| {
            // A value that the Installation's types do not know is as good as one that has no field.
            self.object = "DaemonSet kube-system/calico-node".into();
            self.blocked("spec", error, "the value fits no field of the Installation; correct it in the manifest");
            InstallationSpec::default()
        });
        Conversion { spec, felix: self.felix, settings: self.settings }
    }
}
