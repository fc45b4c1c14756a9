//! One control plane for all tests; each test has a namespace, a user and an applier of its own.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use chimera_core::component::Component;
use chimera_core::env::Clock;
use chimera_core::extend::extend;
use chimera_core::extensions::{CommonConfig, NoExtensions, Point};
use chimera_core::object::{Object, ObjectKey};
use chimera_core::policies::{Owner, PolicyContext, finish};
use chimera_kit::{ControlPlane, MASTERS};
use chimera_operator::apply::live::{Known, LiveVersions};
use chimera_operator::apply::{Applier, ApplyOutcome, Options};
use chimera_operator::env::SystemClock;
use jiff::{SignedDuration, Timestamp};
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::client::Body;
use kube::core::{DynamicObject, GroupVersionKind};
use kube::discovery::{Scope, pinned_kind};
use kube::{Api, Client, ResourceExt as _};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio::sync::OnceCell;

const DEADLINE: Duration = Duration::from_secs(60);

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().expect("a runtime"));
static CONTROL_PLANE: OnceCell<ControlPlane> = OnceCell::const_new();

/// Runs a test in a namespace of its own.
pub fn run(namespace: &str, test: impl AsyncFnOnce(Fixture)) {
    RUNTIME.block_on(async {
        let start = async || ControlPlane::builder().start().await.expect("a control plane");
        let plane = CONTROL_PLANE.get_or_init(start).await;
        test(Fixture::new(plane, namespace).await).await;
    });
}

/// What a test says about versions; everything else is unknown.
#[derive(Default)]
pub struct Live(Mutex<BTreeMap<ObjectKey, Known>>);

impl Live {
    pub fn set(&self, key: ObjectKey, known: Known) {
        self.0.lock().unwrap().insert(key, known);
    }
}

impl LiveVersions for Live {
    fn version(&self, key: &ObjectKey) -> Known {
        self.0.lock().unwrap().get(key).cloned().unwrap_or(Known::Unknown)
    }
}

/// The machine's clock, so many seconds ahead.
#[derive(Debug, Default)]
struct Late(AtomicI64);

impl Clock for Late {
    fn now(&self) -> Timestamp {
        SystemClock.now() + SignedDuration::from_secs(self.0.load(Ordering::Relaxed))
    }
}

pub struct Fixture {
    plane: &'static ControlPlane,
    pub namespace: String,
    user: String,
    client: Client,
    applier: Applier,
    clock: Arc<Late>,
    pub live: Live,
    pub policies: PolicyContext,
}

pub fn config_map(name: &str, data: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})
}

impl Fixture {
    async fn new(plane: &'static ControlPlane, namespace: &str) -> Self {
        let user = format!("user-{namespace}");
        let client = plane.client_for(&user, &[MASTERS]).await.expect("a client");
        let (owner, clock) = (make_namespace(plane, namespace).await, Arc::<Late>::default());
        Self {
            plane,
            namespace: namespace.to_owned(),
            applier: Applier::with_clock(client.clone(), Arc::clone(&clock) as _),
            clock,
            user,
            client,
            live: Live::default(),
            policies: PolicyContext { owner, ..PolicyContext::default() },
        }
    }

    /// A namespace besides the test's own, as an owner.
    pub async fn make_namespace(&self, name: &str) -> Owner {
        make_namespace(self.plane, name).await
    }

    pub fn restart(&mut self) {
        self.applier = Applier::with_clock(self.client.clone(), Arc::clone(&self.clock) as _);
    }

    /// From now on it is later than the machine's clock says.
    pub fn later(&self, by: SignedDuration) {
        self.clock.0.fetch_add(by.as_secs(), Ordering::Relaxed);
    }

    pub async fn act_as(&mut self, user: &str, groups: &[&str]) {
        self.client = self.plane.client_for(user, groups).await.expect("a client");
        self.restart();
    }

    /// Acts through a connection on which somebody else edits an object right before each of the operator's next
    /// `times` updates of it.
    pub fn interfere(&mut self, key: &ObjectKey, times: usize) {
        let (real, theirs, key) = (self.client.clone(), self.plane.client(), key.clone());
        let left = Arc::new(AtomicUsize::new(times));
        let service = tower::service_fn(move |request: http::Request<Body>| {
            let (real, theirs, key, left) = (real.clone(), theirs.clone(), key.clone(), Arc::clone(&left));
            async move {
                let less = |left: usize| left.checked_sub(1);
                if request.method() == http::Method::PUT
                    && left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
                {
                    let touch = |live: &mut Value| {
                        let count = live["metadata"]["annotations"]["touched"].as_str().unwrap_or_default().len();
                        live["metadata"]["annotations"]["touched"] = "x".repeat(count + 1).into();
                    };
                    edit(theirs, &key, touch).await;
                }
                real.send(request).await
            }
        });
        self.applier = Applier::new(Client::new(service, "default"));
    }

    /// An object, in the test's namespace unless it names another or has none.
    pub fn object(&self, mut value: Value) -> Object {
        let cluster =
            ["ClusterRole", "ClusterRoleBinding", "Namespace", "Nothing"].contains(&value["kind"].as_str().unwrap());
        if !cluster && value["metadata"].get("namespace").is_none() {
            value["metadata"]["namespace"] = self.namespace.clone().into();
        }
        Object::from_value(value).expect("an object")
    }

    pub fn key(&self, api_version: &str, kind: &str, name: &str) -> ObjectKey {
        ObjectKey::namespaced(api_version, kind, &self.namespace, name)
    }

    pub async fn apply(&mut self, objects: Vec<Object>) -> ApplyOutcome {
        self.apply_with(objects, Options::default()).await
    }

    pub async fn apply_with(&mut self, objects: Vec<Object>, options: Options) -> ApplyOutcome {
        self.bring(Component::new("sheep", objects), options).await
    }

    pub async fn delete(&mut self, keys: Vec<ObjectKey>) -> ApplyOutcome {
        self.bring(Component::new("sheep", Vec::new()).deleting(keys), Options::default()).await
    }

    async fn bring(&self, component: Component, options: Options) -> ApplyOutcome {
        let common = CommonConfig::default();
        let (component, _) = extend(component, Point::Other(&common), &NoExtensions).expect("no extensions");
        let (component, _) = finish(component, &self.policies);
        self.applier.apply(&component, &self.live, options).await
    }

    pub fn know(&self, key: &ObjectKey, live: &Value) {
        let text = |pointer| live.pointer(pointer).and_then(Value::as_str).unwrap().to_owned();
        let (uid, resource_version) = (text("/metadata/uid"), text("/metadata/resourceVersion"));
        self.live.set(key.clone(), Known::At { uid, resource_version });
    }

    async fn api(&self, key: &ObjectKey) -> Api<DynamicObject> {
        api(self.plane.client(), &key.api_version, &key.kind, key.namespace.as_deref()).await
    }

    pub async fn get(&self, key: &ObjectKey) -> Option<Value> {
        let object = self.api(key).await.get_opt(&key.name).await.expect("an answer");
        object.map(|object| serde_json::to_value(object).unwrap())
    }

    /// Somebody else creates an object.
    pub async fn put(&self, value: Value) {
        dynamic(self.plane.client(), value).await.expect("it is created");
    }

    /// Somebody else, by the name `editor`, edits an object.
    pub async fn edit(&self, key: &ObjectKey, change: impl Fn(&mut Value)) {
        edit(self.plane.client(), key, change).await;
    }

    /// The autoscaler sets the replicas of a Deployment.
    pub async fn scale(&self, key: &ObjectKey, replicas: u32) {
        let params = PatchParams { field_manager: Some("kube-controller-manager".into()), ..PatchParams::default() };
        let patch = Patch::Merge(json!({"spec": {"replicas": replicas}}));
        self.api(key).await.patch_scale(&key.name, &params, &patch).await.expect("it is scaled");
    }

    pub async fn remove(&self, key: &ObjectKey) {
        self.api(key).await.delete(&key.name, &DeleteParams::default()).await.expect("it is deleted");
    }

    /// A policy on ConfigMaps of the namespace, bound.
    pub async fn policy(&self, kind: &str, mut spec: Value) {
        spec["failurePolicy"] = "Fail".into();
        spec["matchConstraints"] = json!({
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": self.namespace}},
            "resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"],
                "resources": ["configmaps"]}]});
        let api_version = "admissionregistration.k8s.io/v1";
        let name = &self.namespace;
        self.put(json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, "spec": spec})).await;
        let mut binding = json!({"policyName": name});
        if kind.starts_with("Validating") {
            binding["validationActions"] = json!(["Deny"]);
        }
        let kind = format!("{kind}Binding");
        self.put(json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, "spec": binding})).await;
    }

    /// Waits until a trial of creating the object is answered as it should.
    pub async fn until_policy(&self, object: Object, done: impl Fn(&Result<Value, kube::Error>) -> bool) {
        let api = self.api(object.key()).await;
        let object: DynamicObject = serde_json::from_value(object.into_value()).unwrap();
        let params = PostParams { dry_run: true, ..PostParams::default() };
        let check = async || {
            let answer = api.create(&params, &object).await.map(|object| serde_json::to_value(object).unwrap());
            Ok(done(&answer).then_some(()))
        };
        self.plane.wait_for("the policy to work", DEADLINE, check).await.expect("it works");
    }

    /// Waits until a kind is served.
    pub async fn until_served(&self, api_version: &str, kind: &str) {
        let (group, version) = api_version.split_once('/').expect("a group");
        let (client, kind) = (self.plane.client(), GroupVersionKind::gvk(group, version, kind));
        let check = async || Ok(pinned_kind(&client, &kind).await.ok().map(|_| ()));
        self.plane.wait_for("the kind to be served", DEADLINE, check).await.expect("it is served");
    }

    /// How many writes this test's operator made, refused ones included.
    pub async fn writes(&self) -> usize {
        self.plane.audit().await.expect("an audit log").writes_by(&self.user).len()
    }

    pub async fn requests(&self) -> usize {
        self.plane.audit().await.expect("an audit log").filter(|event| event.user == self.user).len()
    }

    /// Resources that it wrote in a trial.
    pub async fn trials(&self) -> Vec<String> {
        let log = self.plane.audit().await.expect("an audit log");
        log.filter(|event| event.user == self.user && event.dry_run).into_iter().map(|event| event.resource).collect()
    }
}

/// A real object owns what is applied, or the garbage collector would take it.
async fn make_namespace(plane: &ControlPlane, name: &str) -> Owner {
    let body = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
    let created = dynamic(plane.client(), body).await.expect("a namespace");
    Owner { api_version: "v1".into(), kind: "Namespace".into(), name: name.into(), namespace: None, uid: created.uid() }
}

async fn api(client: Client, api_version: &str, kind: &str, namespace: Option<&str>) -> Api<DynamicObject> {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let kind = GroupVersionKind::gvk(group, version, kind);
    let (resource, capabilities) = pinned_kind(&client, &kind).await.expect("the kind is served");
    match namespace.filter(|_| capabilities.scope == Scope::Namespaced) {
        Some(namespace) => Api::namespaced_with(client, namespace, &resource),
        None => Api::all_with(client, &resource),
    }
}

/// Again if a controller of Kubernetes writes in between.
async fn edit(client: Client, key: &ObjectKey, change: impl Fn(&mut Value)) {
    let api = api(client, &key.api_version, &key.kind, key.namespace.as_deref()).await;
    let params = PostParams { field_manager: Some("editor".into()), ..PostParams::default() };
    loop {
        let mut live = serde_json::to_value(api.get(&key.name).await.expect("it is there")).unwrap();
        change(&mut live);
        let object: DynamicObject = serde_json::from_value(live).unwrap();
        match api.replace(&key.name, &params, &object).await {
            Err(kube::Error::Api(status)) if status.code == 409 => {}
            answer => return drop(answer.expect("it is edited")),
        }
    }
}

async fn dynamic(client: Client, value: Value) -> Result<DynamicObject, kube::Error> {
    let text = |pointer| value.pointer(pointer).and_then(Value::as_str);
    let (api_version, kind) = (text("/apiVersion").unwrap(), text("/kind").unwrap());
    let api = api(client, api_version, kind, text("/metadata/namespace")).await;
    let params = PostParams { field_manager: Some("maker".into()), ..PostParams::default() };
    api.create(&params, &serde_json::from_value(value).unwrap()).await
}
