//! Where declarations come from.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use chimera_sandbox::Declaration;
use chimera_sandbox::source::{config_map, directory};
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::kit::{guest, sandbox};

fn config_map(name: &str, yaml: Option<&str>, files: &[(&str, &[u8])]) -> ConfigMap {
    let labels = BTreeMap::from([(config_map::LABEL.to_owned(), "labels".to_owned())]);
    let file = |(key, value): &(&str, &[u8])| ((*key).to_owned(), ByteString(value.to_vec()));
    ConfigMap {
        metadata: ObjectMeta {
            name: Some(name.into()),
            namespace: Some("operators".into()),
            labels: Some(labels),
            ..ObjectMeta::default()
        },
        data: yaml.map(|yaml| BTreeMap::from([("plugin.yaml".to_owned(), yaml.to_owned())])),
        binary_data: Some(files.iter().map(file).collect()),
        ..ConfigMap::default()
    }
}

/// The one declaration in these.
fn one(config_maps: &[ConfigMap]) -> Declaration {
    let declarations = config_map::declarations(config_maps);
    assert_eq!(declarations.len(), 1, "{declarations:?}");
    declarations.into_iter().next().unwrap()
}

fn why(config_maps: &[ConfigMap]) -> String {
    one(config_maps).bytes.unwrap_err().to_string()
}

#[test]
fn a_config_map_declares_a_plugin_by_its_label() {
    let ours = config_map("a", Some("priority: 4"), &[("plugin.wasm", &guest("labels"))]);
    let other = ConfigMap { metadata: ObjectMeta::default(), ..ours.clone() };
    let declaration = one(&[other, ours]);
    assert_eq!((declaration.name.as_str(), declaration.origin.as_str()), ("labels", "ConfigMap operators/a"));
    assert_eq!(declaration.manifest.priority, Some(4));
    let set = sandbox().load(vec![declaration]);
    assert_eq!((set.loaded().len(), set.not_loaded().len()), (1, 0));
}

#[test]
fn bytes_may_be_packed_and_in_parts_over_several_config_maps() {
    let whole = guest("labels");
    let packed = zstd::encode_all(whole.as_slice(), 3).unwrap();
    let (first, second) = packed.split_at(packed.len() / 2);
    let parts = |name: &str, number: usize, bytes: &[u8]| {
        config_map(name, None, &[(format!("plugin.wasm.zst.{number}").as_str(), bytes)])
    };
    assert_eq!(one(&[config_map("a", None, &[("plugin.wasm.zst", &packed)])]).bytes.unwrap(), whole);
    let declaration = one(&[parts("z", 0, first), config_map("m", Some("priority: 1"), &[]), parts("a", 1, second)]);
    assert_eq!(declaration.origin, "ConfigMap operators/a, operators/m, operators/z");
    assert_eq!((declaration.manifest.priority, declaration.bytes.unwrap()), (Some(1), whole));
}

#[test]
fn a_config_map_that_makes_no_sense_is_a_declaration_that_says_so() {
    let raw: (&str, &[u8]) = ("plugin.wasm", b"x");
    assert!(why(&[config_map("a", None, &[])]).contains("no plugin.wasm"));
    assert!(why(&[config_map("a", None, &[("plugin.wasm.1", b"x")])]).contains("plugin.wasm.0"));
    assert!(why(&[config_map("a", None, &[raw]), config_map("b", None, &[raw])]).contains("both in a and in b"));
    assert!(why(&[config_map("a", None, &[raw, ("plugin.wasm.0", b"x")])]).contains("both plugin.wasm and parts"));
    assert!(why(&[config_map("a", None, &[("plugin.wasm.zst", b"x")])]).contains("failed to unpack"));
    assert!(why(&[config_map("a", Some("limits: {memory: x}"), &[raw])]).contains("limits.memory"));
    let twice = [config_map("a", Some(""), &[raw]), config_map("b", Some(""), &[])];
    assert!(why(&twice).contains("plugin.yaml"));
}

/// Names and bytes, or what is wrong.
fn read(folder: &Path) -> Vec<(String, Result<Vec<u8>, String>)> {
    let declarations = directory::read(folder).unwrap();
    declarations.into_iter().map(|one| (one.name, one.bytes.map_err(|error| error.to_string()))).collect()
}

#[test]
fn a_directory_declares_each_wasm_file_with_the_yaml_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, content: &str| fs::write(folder.path().join(name), content).unwrap();
    put("b.wasm", "b");
    put("a.wasm", "a");
    put("a.yaml", "priority: 2");
    put("README.md", "");
    put(".hidden.wasm", "");
    assert_eq!(read(folder.path()), [("a".into(), Ok(b"a".to_vec())), ("b".into(), Ok(b"b".to_vec()))]);
    assert_eq!(directory::read(folder.path()).unwrap()[0].manifest.priority, Some(2));

    put("a.yaml", "prioriti: 2");
    put("c.yaml", "");
    let wrong: Vec<_> = read(folder.path()).into_iter().filter_map(|(_, bytes)| bytes.err()).collect();
    assert!(wrong[0].contains("prioriti"), "{wrong:?}");
    assert!(wrong[1].contains("there is no file") && wrong[1].contains("c.wasm"), "{wrong:?}");
}

#[test]
fn a_directory_that_is_not_there_is_named() {
    let error = directory::read(Path::new("/nowhere/plugins")).unwrap_err().to_string();
    assert!(error.contains("/nowhere/plugins") && error.contains("--plugin-dir"), "{error}");
}

#[test]
fn a_change_in_a_directory_is_noticed_even_if_a_mount_swaps_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let volume = tempfile::tempdir().unwrap();
    for (version, content) in [("v1", "old"), ("v2", "new")] {
        fs::create_dir(volume.path().join(version)).unwrap();
        fs::write(volume.path().join(version).join("a.wasm"), content).unwrap();
    }
    let link = |version: &str| {
        let fresh = folder.path().join("..fresh");
        std::os::unix::fs::symlink(volume.path().join(version), &fresh).unwrap();
        fs::rename(fresh, folder.path().join("..data")).unwrap();
    };
    link("v1");
    std::os::unix::fs::symlink("..data/a.wasm", folder.path().join("a.wasm")).unwrap();
    assert_eq!(read(folder.path()), [("a".into(), Ok(b"old".to_vec()))]);

    let (sender, changes) = mpsc::channel();
    let watch = directory::watch(folder.path(), move || sender.send(()).unwrap_or_default()).unwrap();
    link("v2");
    changes.recv_timeout(Duration::from_secs(30)).unwrap();
    assert_eq!(read(folder.path()), [("a".into(), Ok(b"new".to_vec()))]);
    drop(watch);
}
