//! The rules that the documentation lists, against the schema: what it is said to refuse is refused by the API server,
//! and what is left to the operator reaches it.

use chimera_core::installation::rules::{self, By, Rule};
use chimera_e2e::cluster;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, Patch, PatchParams};
use kube::{Api, Client};
use serde_json::{Value, json};

/// What the API server says of a rule's example, which is not kept.
async fn applied(client: &Client, rule: &Rule) -> Result<(), kube::Error> {
    let spec: Value = serde_saphyr::from_str(&rule.spec.replace("CERTIFICATE", "aGF5")).unwrap();
    let installation = json!({"apiVersion": "operator.tigera.io/v1", "kind": "Installation",
        "metadata": {"name": "default"}, "spec": spec});
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("operator.tigera.io", "v1", "Installation"));
    let api: Api<DynamicObject> = Api::all_with(client.clone(), &resource);
    api.patch("default", &PatchParams::apply("rules").dry_run(), &Patch::Apply(&installation)).await.map(drop)
}

#[tokio::test]
async fn the_schema_refuses_what_the_documentation_says_it_does_and_nothing_that_is_left_to_the_operator() {
    let cluster = cluster::with_crds(0).await.unwrap();
    let client = cluster.client();
    let mut wrong = Vec::new();
    for rule in rules::all() {
        match (rule.by, applied(&client, &rule).await) {
            (By::Schema, Err(kube::Error::Api(status))) if status.code == 422 => {}
            (By::Operator, Ok(())) => {}
            (by, result) => wrong.push(format!("{} ({}): {by:?}, but {result:?}", rule.field, rule.spec)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    cluster.stop().await.unwrap();
}
