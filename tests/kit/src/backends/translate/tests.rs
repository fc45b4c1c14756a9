use serde_json::json;

use super::{accept, path, to_served, to_stored};

#[test]
fn a_path_leads_to_the_stored_kind_with_its_query() {
    let tiers = path("/apis/projectcalico.org/v3/tiers/default/status", Some("dryRun=All"));
    assert_eq!(tiers.as_deref(), Some("/apis/crd.projectcalico.org/v1/tiers/default/status?dryRun=All"));
    let renamed = path("/apis/projectcalico.org/v3/ipamconfigurations/default", None);
    assert_eq!(renamed.as_deref(), Some("/apis/crd.projectcalico.org/v1/ipamconfigs/default"));
    assert_eq!(path("/apis/projectcalico.org/v3", None), None);
    assert_eq!(path("/apis/crd.projectcalico.org/v1/tiers", None), None);
}

#[test]
fn an_object_is_the_same_there_and_back() {
    let served = json!({"apiVersion": "projectcalico.org/v3", "kind": "IPAMConfigurationList", "items": [{
        "apiVersion": "projectcalico.org/v3", "kind": "IPAMConfiguration",
        "metadata": {"name": "default", "uid": "1", "resourceVersion": "2", "labels": {"a": "b"},
            "managedFields": [{"apiVersion": "projectcalico.org/v3", "manager": "m"}],
            "ownerReferences": [{"apiVersion": "operator.tigera.io/v1", "kind": "Installation"}]},
    }]});
    let mut value = served.clone();
    to_stored(&mut value);
    assert_eq!(value["kind"], "IPAMConfigList");
    assert_eq!(value["items"][0]["kind"], "IPAMConfig");
    assert_eq!(value["items"][0]["apiVersion"], "crd.projectcalico.org/v1");
    assert_eq!(value["items"][0]["metadata"]["managedFields"][0]["apiVersion"], "crd.projectcalico.org/v1");
    assert_eq!(value["items"][0]["metadata"]["ownerReferences"], served["items"][0]["metadata"]["ownerReferences"]);
    to_served(&mut value);
    assert_eq!(value, served);
}

#[test]
fn a_failure_does_not_tell_of_the_storage() {
    let mut failure = json!({"apiVersion": "v1", "kind": "Status", "code": 404,
        "message": "tiers.crd.projectcalico.org \"x\" not found", "details": {"group": "crd.projectcalico.org"}});
    to_served(&mut failure);
    assert_eq!(failure["message"], "tiers.projectcalico.org \"x\" not found");
    assert_eq!(failure["details"]["group"], "projectcalico.org");
}

#[test]
fn only_json_is_asked_for() {
    let metadata = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    assert_eq!(accept(&format!("application/vnd.kubernetes.protobuf, {metadata},*/*")), metadata);
    assert_eq!(accept("application/vnd.kubernetes.protobuf"), "application/json");
}
