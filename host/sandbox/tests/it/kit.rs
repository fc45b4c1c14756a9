//! What the tests share: guests by name, a component to change, and one call through the core.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{LazyLock, Mutex, PoisonError};

use chimera_core::component::{Component, Extended};
use chimera_core::extend::extend;
use chimera_core::extensions::{CommonConfig, ExtensionError, Extensions, Point};
use chimera_core::object::Object;
use chimera_core::provenance::Provenance;
use chimera_sandbox::declaration::Error;
use chimera_sandbox::{Declaration, Options, PluginSet, Sandbox};
use serde_json::{Value, json};

/// Folder of the guests that were built.
pub(crate) fn folder() -> PathBuf {
    // cargo gives tests `<target>/tmp`.
    let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    target.parent().unwrap().join("plugins")
}

/// Bytes of a guest.
pub(crate) fn guest(name: &str) -> Vec<u8> {
    warm(name);
    read(name)
}

fn read(name: &str) -> Vec<u8> {
    let file = folder().join(format!("{name}.wasm"));
    std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}; run `cargo xtask plugins` first", file.display()))
}

/// A declaration with this `plugin.yaml` and these bytes.
pub(crate) fn declared(name: &str, yaml: &str, bytes: Result<Vec<u8>, Error>) -> Declaration {
    Declaration::new(name, format!("test {name}"), yaml, || bytes)
}

/// One for all tests, as a process has one.
pub(crate) fn sandbox() -> &'static Sandbox {
    static SANDBOX: LazyLock<Sandbox> = LazyLock::new(another_sandbox);
    &SANDBOX
}

/// One that has nothing in use. What it compiles is kept for the next run of the tests.
pub(crate) fn another_sandbox() -> Sandbox {
    let cache_dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("plugin-cache");
    Sandbox::new(Options { cache_dir: Some(cache_dir), child: None }).unwrap()
}

/// Keeps each guest in use once it is loaded, so that parallel tests do not compile it again and again.
fn warm(name: &str) {
    static WARM: Mutex<BTreeMap<String, PluginSet>> = Mutex::new(BTreeMap::new());
    let mut warm = WARM.lock().unwrap_or_else(PoisonError::into_inner);
    warm.entry(name.into()).or_insert_with(|| sandbox().load(vec![declared("warm", "", Ok(read(name)))]));
}

/// A set of one guest, which must load.
pub(crate) fn set(name: &str, yaml: &str) -> PluginSet {
    let set = sandbox().load(vec![declared(name, yaml, Ok(guest(name)))]);
    assert_eq!(set.not_loaded(), []);
    set
}

pub(crate) fn daemon_set() -> Object {
    Object::from_value(json!({
        "apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "sheep", "namespace": "meadow"},
        "spec": {
            "selector": {"matchLabels": {"app": "sheep"}},
            "template": {
                "metadata": {"labels": {"app": "sheep"}},
                "spec": {"containers": [{"name": "sheep", "image": "sheep:1"}]},
            },
        },
    }))
    .unwrap()
}

/// A component with a workload and two other objects.
pub(crate) fn component(name: &'static str) -> Component {
    let other = |kind: &str| {
        json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": "grass", "namespace": "meadow"},
            "data": {"key": "c2VjcmV0"}})
    };
    let objects = vec![Object::from_value(other("ConfigMap")), Ok(daemon_set()), Object::from_value(other("Secret"))];
    Component::new(name, objects.into_iter().map(Result::unwrap).collect())
}

/// Passes the component through the plugins, at a point without a typed config.
pub(crate) fn modified(
    set: &dyn Extensions,
    name: &'static str,
) -> Result<(Component<Extended>, Provenance), ExtensionError> {
    let config = CommonConfig { cluster_domain: "cluster.local".into(), ..CommonConfig::default() };
    extend(component(name), Point::Other(&config), set)
}

/// The workload's pod template, or whatever stands at a pointer in it.
pub(crate) fn template(component: &Component<Extended>, pointer: &str) -> Value {
    let template = component.objects().iter().find_map(Object::pod_template).unwrap();
    template.pointer(pointer).cloned().unwrap_or_default()
}
