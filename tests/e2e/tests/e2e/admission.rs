//! Policies of the cluster that rewrite or deny what the operator writes: it says so and does not fight.

use std::time::Duration;

use chimera_e2e::cluster::{self, DEADLINE, condition, get, wait_available, wait_condition};
use chimera_e2e::operator::Operator;
use chimera_e2e::quiesce::Subject;
use chimera_e2e::{OPERATOR_USER, metrics, writes};
use chimera_kit::ControlPlane;
use serde_json::Value;

const DEFAULT: &str = "{apiVersion: operator.tigera.io/v1, kind: Installation, metadata: {name: default}, spec: {}}";

/// Gives every PodDisruptionBudget another limit than it asks for.
const MEDDLER: &str = r#"
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: meddler}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [policy], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [poddisruptionbudgets]}
  reinvocationPolicy: Never
  failurePolicy: Fail
  mutations:
  - patchType: JSONPatch
    jsonPatch: {expression: '[JSONPatch{op: "replace", path: "/spec/maxUnavailable", value: 7}]'}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: meddler}
spec: {policyName: meddler}
"#;

/// Denies one DaemonSet.
const GUARD: &str = r#"
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: no-drivers}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [daemonsets]}
  failurePolicy: Fail
  validations:
  - {expression: "object.metadata.name != 'csi-node-driver'", message: drivers need the farmer's consent}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: no-drivers}
spec: {policyName: no-drivers, validationActions: [Deny]}
"#;

async fn remove(cluster: &ControlPlane, kind: &str, name: &str) {
    let api_version = "admissionregistration.k8s.io/v1";
    let binding = get(&cluster.client(), api_version, kind, None, name).await.unwrap().unwrap();
    cluster::delete(&cluster.client(), &binding).await.unwrap();
}

/// Policies take a moment to be in force.
async fn in_force(
    cluster: &ControlPlane,
    policies: &str,
    trial: &str,
    works: impl Fn(anyhow::Result<Vec<Value>>) -> bool,
) {
    cluster.apply_yaml(policies).await.unwrap();
    let check = || async { Ok(works(cluster.apply_yaml(trial).await).then_some(())) };
    cluster.wait_for("the policy to be in force", DEADLINE, check).await.unwrap();
}

async fn budget(cluster: &ControlPlane) -> Value {
    let found = get(&cluster.client(), "policy/v1", "PodDisruptionBudget", Some("calico-system"), "calico-typha").await;
    found.unwrap().map(|mut object| object["spec"]["maxUnavailable"].take()).unwrap_or_default()
}

#[tokio::test]
async fn a_policy_that_rewrites_an_object_is_met_three_times_at_most_and_then_named_while_all_the_rest_runs() {
    let cluster = cluster::with_crds(1).await.unwrap();
    let trial = "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: trial}, \
                 spec: {maxUnavailable: 1, selector: {matchLabels: {a: b}}}}";
    let rewritten = |made: anyhow::Result<Vec<Value>>| made.is_ok_and(|made| made[0]["spec"]["maxUnavailable"] == 7);
    in_force(&cluster, MEDDLER, trial, rewritten).await;
    let address = metrics::free_address().unwrap();
    let operator = Operator::start(&cluster, &[&format!("--metrics-bind-address={address}")]).unwrap();
    let subject = Subject { cluster: &cluster, operator: &operator, metrics: address };
    subject.converge().await.unwrap();

    let (_, message) = wait_condition(&cluster, "calico", "Available").await.unwrap();
    let start = "Warning: PodDisruptionBudget calico-system/calico-typha spec.maxUnavailable: ";
    assert!(message.starts_with(start) && message.contains("CHM0403"), "{message}");
    assert_eq!(budget(&cluster).await, 7);
    let all = cluster.audit().await.unwrap().writes_by(OPERATOR_USER);
    let rounds = all.filter(|event| event.resource == "poddisruptionbudgets");
    assert!((1..=3).contains(&rounds.len()), "{rounds:#?}");
    subject.rest(20, Duration::from_secs(3)).await.unwrap().assert_quiet(20).unwrap();

    // Without the policy the object becomes what it should be, and the warning goes.
    remove(&cluster, "MutatingAdmissionPolicyBinding", "meddler").await;
    let plain = |made: anyhow::Result<Vec<Value>>| made.is_ok_and(|made| made[0]["spec"]["maxUnavailable"] == 1);
    in_force(&cluster, "", trial, plain).await;
    let tries = std::cell::Cell::new(100);
    let recovered = || async {
        // Each touch is another one.
        tries.set(tries.get() + 1);
        subject.touch(tries.get()).await?;
        let found = condition(&cluster.client(), "calico", "Available").await?;
        let clear = found.is_some_and(|(status, _, message)| status == "True" && !message.contains("Warning"));
        Ok((clear && budget(&cluster).await == 1).then_some(()))
    };
    cluster.wait_for("the warning to go", DEADLINE, recovered).await.unwrap();
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_policy_that_denies_an_object_is_named_holds_nothing_else_up_and_its_end_recovers() {
    let cluster = cluster::with_crds(1).await.unwrap();
    let trial = "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: csi-node-driver}, spec: {selector: \
                 {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: b}]}}}}";
    in_force(&cluster, GUARD, trial, |made| made.is_err()).await;
    let operator = Operator::start(&cluster, &[]).unwrap();
    cluster.apply_yaml(DEFAULT).await.unwrap();

    let (reason, message) = wait_condition(&cluster, "calico", "Degraded").await.unwrap();
    assert_eq!(reason, "ResourceUpdateError");
    for part in
        ["DaemonSet calico-system/csi-node-driver: ", "no-drivers", "drivers need the farmer's consent", "CHM0401"]
    {
        assert!(message.contains(part), "{part} is not in {message}");
    }
    let available = || async {
        let names =
            [("DaemonSet", "calico-node"), ("Deployment", "calico-typha"), ("Deployment", "calico-kube-controllers")];
        for (kind, name) in names {
            let found = get(&cluster.client(), "apps/v1", kind, Some("calico-system"), name).await?.unwrap_or_default();
            let status = &found["status"];
            if status["numberAvailable"].as_u64().or(status["availableReplicas"].as_u64()).unwrap_or(0) == 0 {
                return Ok(None);
            }
        }
        Ok(Some(()))
    };
    cluster.wait_for("all the rest to run", DEADLINE, available).await.unwrap();

    // It tries at 1, 2, 4, 8, … seconds, so at last there is a pause that no steady pace would have.
    writes::quiet(&cluster, "the operator to back off", Duration::from_secs(7)).await.unwrap();

    remove(&cluster, "ValidatingAdmissionPolicyBinding", "no-drivers").await;
    wait_available(&cluster).await.unwrap();
    let (status, ..) = condition(&cluster.client(), "calico", "Degraded").await.unwrap().unwrap();
    assert_eq!(status, "False", "recovery clears");
    assert!(operator.stop().await.unwrap().success());
    cluster.stop().await.unwrap();
}
