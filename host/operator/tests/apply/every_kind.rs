//! One object of every kind that an operator writes, as sparse as a renderer leaves it.

use chimera_core::object::Object;
use serde_json::{Value, json};

pub fn objects(namespace: &str) -> Vec<Object> {
    let mut values = configuration(namespace);
    values.extend(access(namespace));
    values.extend(workloads(namespace));
    values.extend(cluster());
    values.into_iter().map(|value| Object::from_value(value).expect("an object")).collect()
}

fn object(api_version: &str, kind: &str, namespace: Option<&str>, fields: Value) -> Value {
    let mut object = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "every-sheep"}});
    if let Some(namespace) = namespace {
        object["metadata"]["namespace"] = namespace.into();
    }
    object.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    object
}

fn configuration(namespace: &str) -> Vec<Value> {
    let here = Some(namespace);
    let headless = json!({"clusterIP": "None", "selector": {"a": "b"}, "ports": [{"port": 80}]});
    let mut second = object("v1", "Service", here, json!({"spec": headless}));
    second["metadata"]["name"] = "headless".into();
    let outside = json!({"type": "LoadBalancer", "sessionAffinity": "ClientIP", "ports": [{"port": 80, "name": "a"}]});
    vec![
        object("v1", "Namespace", None, json!({})),
        object("v1", "ConfigMap", here, json!({"data": {"a": "b", "empty": ""}})),
        object("v1", "Secret", here, json!({"stringData": {"a": "b"}})),
        object("v1", "ServiceAccount", here, json!({"imagePullSecrets": [{"name": "pull"}]})),
        object("v1", "Service", here, json!({"spec": outside})),
        second,
        object("v1", "ResourceQuota", here, json!({"spec": {"hard": {"count/jobs.batch": "1000"}}})),
        object(
            "policy/v1",
            "PodDisruptionBudget",
            here,
            json!({"spec": {"maxUnavailable": 1,
            "selector": {"matchLabels": {"k8s-app": "a"}}}}),
        ),
        object(
            "networking.k8s.io/v1",
            "NetworkPolicy",
            here,
            json!({"spec": {"podSelector": {},
            "egress": [{"ports": [{"port": 53}]}], "ingress": []}}),
        ),
    ]
}

fn access(namespace: &str) -> Vec<Value> {
    let group = "rbac.authorization.k8s.io/v1";
    let role = json!({"rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]});
    let subjects = json!([{"kind": "ServiceAccount", "name": "every-sheep", "namespace": namespace},
        {"kind": "Group", "name": "g"}]);
    let binding = |kind: &str| json!({"roleRef": {"kind": kind, "name": "every-sheep"}, "subjects": subjects});
    vec![
        object(group, "ClusterRole", None, role.clone()),
        object(group, "ClusterRoleBinding", None, binding("ClusterRole")),
        object(group, "Role", Some(namespace), role),
        object(group, "RoleBinding", Some(namespace), binding("Role")),
    ]
}

fn pods() -> Value {
    json!({
        "hostNetwork": true,
        "hostPID": false,
        "serviceAccountName": "every-sheep",
        "tolerations": [{"operator": "Exists"}, {"key": "a", "effect": "NoSchedule"}],
        "affinity": {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1,
            "podAffinityTerm": {"topologyKey": "z", "labelSelector": {"matchLabels": {"a": "b"}}}}]}},
        "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "z", "whenUnsatisfiable": "ScheduleAnyway"}],
        "initContainers": [{"name": "init", "image": "grass:1", "command": ["a"]}],
        "containers": [
            {"name": "graze", "image": "grass", "args": [], "ports": [{"containerPort": 80, "hostPort": 80}],
                "env": [{"name": "EMPTY", "value": ""}, {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
                    {"name": "KEY", "valueFrom": {"configMapKeyRef": {"name": "a", "key": "b"}}}],
                "livenessProbe": {"httpGet": {"port": 80, "path": "/live"}},
                "readinessProbe": {"exec": {"command": ["a"]}},
                "startupProbe": {"tcpSocket": {"port": 80}, "failureThreshold": 9},
                "lifecycle": {"preStop": {"httpGet": {"port": 80}}},
                "resources": {"requests": {"cpu": "1000m", "memory": "1024Mi"}, "limits": {"cpu": 2}},
                "securityContext": {"privileged": false, "capabilities": {"drop": ["ALL"]}},
                "volumeMounts": [{"name": "host", "mountPath": "/a", "readOnly": false}, {"name": "none", "mountPath": "/b"}]},
            {"name": "shear", "image": "shears@sha256:0000000000000000000000000000000000000000000000000000000000000000",
                "livenessProbe": {"grpc": {"port": 81}}}],
        "volumes": [
            {"name": "host", "hostPath": {"path": "/a"}},
            {"name": "none"},
            {"name": "memory", "emptyDir": {"medium": "Memory", "sizeLimit": "1024Mi"}},
            {"name": "secret", "secret": {"secretName": "s", "items": [{"key": "a", "path": "b"}]}},
            {"name": "map", "configMap": {"name": "m", "optional": true}},
            {"name": "down", "downwardAPI": {"items": [{"path": "p", "fieldRef": {"fieldPath": "metadata.labels"}}]}},
            {"name": "image", "image": {"reference": "grass"}},
            {"name": "all", "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}, {"configMap": {"name": "m"}}]}}],
    })
}

fn workloads(namespace: &str) -> Vec<Value> {
    let here = Some(namespace);
    let template = |restart: &str| {
        let mut pods = pods();
        pods["restartPolicy"] = restart.into();
        json!({"spec": pods})
    };
    let apps = |kind: &str, mut spec: Value| {
        spec["template"] = template("Always");
        object("apps/v1", kind, here, json!({"spec": spec}))
    };
    let job = json!({"template": template("Never")});
    vec![
        apps("DaemonSet", json!({})),
        apps("Deployment", json!({"replicas": 0, "strategy": {"rollingUpdate": {"maxSurge": "100%"}}})),
        apps("StatefulSet", json!({"replicas": 0, "serviceName": "s"})),
        object("batch/v1", "Job", here, json!({"spec": {"template": template("Never"), "suspend": true}})),
        object("batch/v1", "CronJob", here, json!({"spec": {"schedule": "0 0 1 1 *", "jobTemplate": {"spec": job}}})),
        object(
            "autoscaling/v2",
            "HorizontalPodAutoscaler",
            here,
            json!({"spec": {"maxReplicas": 3,
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "other"},
            "metrics": [{"type": "Resource", "resource": {"name": "cpu",
                "target": {"type": "Utilization", "averageUtilization": 80}}}]}}),
        ),
    ]
}

fn cluster() -> Vec<Value> {
    let admission = "admissionregistration.k8s.io/v1";
    let rules = json!([{"apiGroups": ["farm.example.com"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["none"]}]);
    let hooks = json!({"webhooks": [{"name": "h.example.com", "sideEffects": "None", "admissionReviewVersions": ["v1"],
        "failurePolicy": "Ignore", "rules": rules, "clientConfig": {"service": {"name": "s", "namespace": "n"}}}]});
    let policy =
        json!({"spec": {"matchConstraints": {"resourceRules": rules}, "validations": [{"expression": "true"}]}});
    let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
        "grass": {"type": "string", "default": "green"}, "deep": {"type": "array", "items": {"type": "string"}}}}}});
    let mut definition = object(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        None,
        json!({"spec": {
        "group": "farm.example.com", "scope": "Cluster", "names": {"kind": "Meadow", "plural": "meadows"},
        "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}]}}),
    );
    definition["metadata"]["name"] = "meadows.farm.example.com".into();
    vec![
        object(admission, "ValidatingWebhookConfiguration", None, hooks.clone()),
        object(admission, "MutatingWebhookConfiguration", None, hooks),
        object(admission, "ValidatingAdmissionPolicy", None, policy),
        object(
            admission,
            "ValidatingAdmissionPolicyBinding",
            None,
            json!({"spec": {"policyName": "every-sheep",
            "validationActions": ["Deny"]}}),
        ),
        object("scheduling.k8s.io/v1", "PriorityClass", None, json!({"value": 7})),
        object("storage.k8s.io/v1", "CSIDriver", None, json!({"spec": {"volumeLifecycleModes": ["Ephemeral"]}})),
        object("storage.k8s.io/v1", "StorageClass", None, json!({"provisioner": "farm.example.com/none"})),
        definition,
    ]
}

/// A custom resource whose definition has a default.
pub fn custom() -> Object {
    let meadow = object("farm.example.com/v1", "Meadow", None, json!({"spec": {"deep": []}}));
    Object::from_value(meadow).expect("an object")
}
