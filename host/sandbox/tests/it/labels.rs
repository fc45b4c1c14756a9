//! The example, through the core's own step.

use serde_json::json;

use crate::kit::{component, modified, set, template};

const SETTINGS: &str = "settings: {labels: {team: network, tier: gold}}";

#[test]
fn labels_are_added_to_pod_templates_and_nothing_else_changes() {
    let (after, provenance) = modified(&set("labels", SETTINGS), "sheep").unwrap();
    assert_eq!(template(&after, "/metadata/labels"), json!({"app": "sheep", "team": "network", "tier": "gold"}));

    let mut expected = component("sheep").objects().to_vec();
    let workload = expected.iter_mut().find_map(|object| object.pod_template_mut()).unwrap();
    workload["metadata"]["labels"] = template(&after, "/metadata/labels");
    assert_eq!(after.objects(), expected);
    assert_eq!(after.deletions(), []);

    let fields: Vec<_> = provenance.all().values().flat_map(|fields| fields.keys()).collect();
    assert_eq!(fields, ["/spec/template/metadata/labels/team", "/spec/template/metadata/labels/tier"]);
}

#[test]
fn the_same_input_is_answered_again_without_a_call() {
    let set = set("labels", SETTINGS);
    let first = modified(&set, "sheep").unwrap();
    assert_eq!(set.loaded()[0].calls, 1);
    assert_eq!(modified(&set, "sheep").unwrap(), first);
    assert_eq!(set.loaded()[0].calls, 1);

    modified(&set, "goat").unwrap();
    assert_eq!(set.loaded()[0].calls, 2);
}

#[test]
fn two_instances_give_the_same_bytes() {
    assert_eq!(modified(&set("labels", SETTINGS), "sheep"), modified(&set("labels", SETTINGS), "sheep"));
}

#[test]
fn settings_that_do_not_fit_freeze_the_component_and_name_the_field() {
    for (settings, field) in
        [("settings: {labels: {team: [1]}}", "settings.labels.team"), ("settings: {lables: {}}", "settings.lables")]
    {
        let error = modified(&set("labels", settings), "sheep").unwrap_err();
        assert_eq!(error.reason, "InvalidSettings", "{error}");
        assert_eq!(error.field_path.as_deref(), Some(field), "{error}");
        assert_eq!(error.plugin, "labels");
    }
}

#[test]
fn a_plugin_is_described_by_its_crate() {
    let loaded = set("labels", "priority: 3").loaded();
    assert_eq!(loaded[0].description.name, "labels");
    assert!(!loaded[0].description.version.is_empty());
    assert_eq!((loaded[0].priority, loaded[0].interfaces.as_slice()), (3, ["modify-any"].as_slice()));
}
