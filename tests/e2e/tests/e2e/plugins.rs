//! Plugins on a real control plane: what they change, and that a bad one freezes its component and is named.

use std::path::{Path, PathBuf};

use chimera_e2e::cluster::{self, DEADLINE, condition, get, wait_available, wait_condition};
use chimera_e2e::operator::{Operator, guest};
use chimera_kit::ControlPlane;
use serde_json::{Value, json};

const DEFAULT: &str = "{apiVersion: operator.tigera.io/v1, kind: Installation, metadata: {name: default}, spec: {}}";
const WORKLOADS: [(&str, &str); 4] = [
    ("DaemonSet", "calico-node"),
    ("DaemonSet", "csi-node-driver"),
    ("Deployment", "calico-kube-controllers"),
    ("Deployment", "calico-typha"),
];
/// As a declaration gives it, in a file beside the component or in a ConfigMap.
const SETTINGS: &str = "settings:\n  labels:\n    farm.example/flock: sheep\n";

fn folder(cluster: &ControlPlane) -> PathBuf {
    let folder = cluster.dir().join("plugins");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Puts a plugin into a folder as a whole, as a volume mount does.
fn drop_in(folder: &Path, name: &str, of: &str, settings: &str) {
    std::fs::write(folder.join(format!("{name}.yaml")), settings).unwrap();
    let partial = folder.join(format!(".{name}.partial"));
    std::fs::copy(guest(of).unwrap(), &partial).unwrap();
    std::fs::rename(partial, folder.join(format!("{name}.wasm"))).unwrap();
}

/// Takes a plugin out; a declaration without its component would still freeze what it may touch.
fn take_out(folder: &Path, name: &str) {
    let _ = std::fs::remove_file(folder.join(format!("{name}.yaml")));
    std::fs::remove_file(folder.join(format!("{name}.wasm"))).unwrap();
}

async fn workload(cluster: &ControlPlane, kind: &str, name: &str) -> Value {
    get(&cluster.client(), "apps/v1", kind, Some("calico-system"), name).await.unwrap().unwrap()
}

/// All workloads' specs, with the plugin's label taken out of the pod templates and told apart.
async fn specs(cluster: &ControlPlane) -> (Vec<Value>, usize) {
    let (mut specs, mut labelled) = (Vec::new(), 0);
    for (kind, name) in WORKLOADS {
        let mut spec = workload(cluster, kind, name).await["spec"].take();
        let labels = spec.pointer_mut("/template/metadata/labels").unwrap().as_object_mut().unwrap();
        labelled += usize::from(labels.remove("farm.example/flock") == Some(json!("sheep")));
        specs.push(spec);
    }
    (specs, labelled)
}

async fn wait_labelled(cluster: &ControlPlane, count: usize) -> Vec<Value> {
    let check = || async {
        let (specs, labelled) = specs(cluster).await;
        Ok((labelled == count).then_some(specs))
    };
    cluster.wait_for(&format!("{count} labelled pod templates"), DEADLINE, check).await.unwrap()
}

#[tokio::test]
async fn the_labels_example_labels_every_pod_template_and_nothing_else_from_a_folder_and_from_a_config_map() {
    let cluster = cluster::with_crds(1).await.unwrap();
    let folder = folder(&cluster);
    let operator = Operator::start(&cluster, &["--plugin-dir", folder.to_str().unwrap()]).unwrap();
    cluster.apply_yaml(DEFAULT).await.unwrap();
    wait_available(&cluster).await.unwrap();
    let plain = wait_labelled(&cluster, 0).await;

    drop_in(&folder, "labels", "labels", SETTINGS);
    assert_eq!(wait_labelled(&cluster, WORKLOADS.len()).await, plain, "only the label is new");
    take_out(&folder, "labels");
    assert_eq!(wait_labelled(&cluster, 0).await, plain, "the label goes with the plugin");

    let bytes = std::fs::read(guest("labels").unwrap()).unwrap();
    let declaration = json!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "labels", "namespace": "tigera-operator", "labels": {"operator.tigera.io/plugin": "labels"}},
        "data": {"plugin.yaml": SETTINGS}, "binaryData": {"plugin.wasm": k8s_openapi::ByteString(bytes)}});
    cluster.apply_yaml(&declaration.to_string()).await.unwrap();
    assert_eq!(wait_labelled(&cluster, WORKLOADS.len()).await, plain, "a ConfigMap does the same");
    wait_available(&cluster).await.unwrap();
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}

/// A plugin that cannot be used, and what the status must say besides its name.
const BAD: [(&str, &str); 7] = [
    ("panic", "Trap"),
    ("spin", "OutOfFuel"),
    ("eat-memory", "OutOfMemory"),
    ("garbage", "InvalidAnswer"),
    ("host-network", "hostNetwork"),
    ("not-a-component", "component"),
    ("unknown-import", "farm:evil/socket"),
];

fn bad(folder: &Path, name: &str) {
    match name {
        "not-a-component" => std::fs::write(folder.join("not-a-component.wasm"), "shears").unwrap(),
        "unknown-import" => {
            let text = r#"(component
                (import "farm:evil/socket@0.1.0" (instance (export "open" (func))))
                (import "farm:evil/clock@0.1.0" (instance (export "now" (func)))))"#;
            std::fs::write(folder.join("unknown-import.wasm"), wat::parse_str(text).unwrap()).unwrap();
        }
        // One guest does whatever its settings name.
        _ => drop_in(folder, name, "misbehaving", &format!("settings: {{do: {name}}}\n")),
    }
}

#[tokio::test]
async fn a_bad_plugin_freezes_its_component_is_named_with_its_reason_and_recovery_clears() {
    let cluster = cluster::with_crds(1).await.unwrap();
    let folder = folder(&cluster);
    let operator = Operator::start(&cluster, &["--plugin-dir", folder.to_str().unwrap()]).unwrap();
    cluster.apply_yaml(DEFAULT).await.unwrap();
    wait_available(&cluster).await.unwrap();
    let before = wait_labelled(&cluster, 0).await;

    for (name, says) in BAD {
        bad(&folder, name);
        let named = || async {
            let found = condition(&cluster.client(), "calico", "Degraded").await?;
            // The declaration alone, which is there a moment earlier, is a fault as well.
            let says_all = |message: &str| message.contains(name) && message.contains(says);
            Ok(found.filter(|(status, _, message)| status == "True" && says_all(message)))
        };
        let waiting = format!("{name} to be named with {says}");
        let (.., message) = cluster.wait_for(&waiting, DEADLINE, named).await.unwrap();
        if name == "unknown-import" {
            assert!(message.contains("farm:evil/clock"), "every unknown import is named: {message}");
        }
        assert_eq!(specs(&cluster).await.0, before, "{name}: what is applied stays as it was");
        take_out(&folder, name);
        wait_condition(&cluster, "calico", "Available").await.unwrap();
    }
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn nothing_is_applied_before_every_declared_plugin_is_loaded() {
    let cluster = cluster::with_crds(1).await.unwrap();
    let folder = folder(&cluster);
    bad(&folder, "not-a-component");
    let operator = Operator::start(&cluster, &["--plugin-dir", folder.to_str().unwrap()]).unwrap();
    cluster.apply_yaml(DEFAULT).await.unwrap();
    let (_, message) = wait_condition(&cluster, "calico", "Degraded").await.unwrap();
    assert!(message.contains("not-a-component"), "{message}");
    let found = get(&cluster.client(), "apps/v1", "DaemonSet", Some("calico-system"), "calico-node").await.unwrap();
    assert!(found.is_none(), "a component that the plugin could change was applied");

    take_out(&folder, "not-a-component");
    wait_available(&cluster).await.unwrap();
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}
