//! The EnvoyProxy of a class.

use chimera_crds::gateway_api::GatewayKind;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::Given;
use crate::images::Image;
use crate::installation::config::InstallationConfig;
use crate::message::Message;
use crate::object::edit_map;
use crate::render::gateway_api::pull_secrets;

/// The proxy's container in the pods of gateways.
const CONTAINER: &str = "envoy";
/// Fields of pods that the EnvoyProxy has under the same names.
const POD: [&str; 4] = ["affinity", "nodeSelector", "tolerations", "topologySpreadConstraints"];
/// Fields of Services that the EnvoyProxy has under the same names.
const SERVICE: [&str; 5] =
    ["loadBalancerClass", "allocateLoadBalancerNodePorts", "loadBalancerSourceRanges", "loadBalancerIP", "patch"];

/// Its specification.
pub(super) fn of(
    given: &Given<'_>,
    mut base: Map<String, Value>,
    kind: GatewayKind,
    installation: &InstallationConfig,
) -> Result<Map<String, Value>, Box<Message>> {
    let wanted = match kind {
        GatewayKind::Deployment => json(&given.class.gateway_deployment),
        GatewayKind::DaemonSet => json(&given.class.gateway_daemon_set),
    };
    let service = json(&given.class.gateway_service);
    let mut done = Ok(());
    edit_map(&mut base, "provider", |provider| {
        provider.insert("type".into(), "Kubernetes".into());
        edit_map(provider, "kubernetes", |kubernetes| {
            let name = match kind {
                GatewayKind::Deployment => "envoyDeployment",
                GatewayKind::DaemonSet => "envoyDaemonSet",
            };
            edit_map(kubernetes, name, |workload| done = self::workload(workload, &wanted, given, kind, installation));
            edit_map(kubernetes, "envoyService", |own| self::service(own, &service));
        });
    });
    done.map(|()| base)
}

fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

fn workload(
    own: &mut Map<String, Value>,
    wanted: &Value,
    given: &Given<'_>,
    kind: GatewayKind,
    installation: &InstallationConfig,
) -> Result<(), Box<Message>> {
    let image = installation.images.reference(Image::EnvoyProxy);
    let container = wanted.pointer("/spec/template/spec/containers/0");
    edit_map(own, "container", |own| {
        own.insert("image".into(), image.into());
        copy(own, "resources", container);
    });
    edit_map(own, "pod", |pod| {
        pull_secrets(pod, installation);
        let template = wanted.pointer("/spec/template");
        add(pod, template.and_then(|template| template.get("metadata")));
        POD.iter().for_each(|field| copy(pod, field, template.and_then(|template| template.get("spec"))));
    });
    copy(own, "replicas", wanted.get("spec"));
    if let Some(strategy) = wanted.pointer("/spec/strategy") {
        edit_map(own, "strategy", |own| {
            own.insert("type".into(), "RollingUpdate".into());
            copy(own, "rollingUpdate", Some(strategy));
        });
    }
    probes(own, container, given, kind)
}

fn service(own: &mut Map<String, Value>, wanted: &Value) {
    add(own, wanted.get("metadata"));
    SERVICE.iter().for_each(|field| copy(own, field, wanted.get("spec")));
}

/// Sets a field that the user set.
fn copy(own: &mut Map<String, Value>, field: &str, wanted: Option<&Value>) {
    if let Some(value) = wanted.and_then(|wanted| wanted.get(field)) {
        own.insert(field.into(), value.clone());
    }
}

/// Adds labels and annotations; what is there keeps its value.
fn add(own: &mut Map<String, Value>, metadata: Option<&Value>) {
    for name in ["labels", "annotations"] {
        let wanted = metadata.and_then(|metadata| metadata.get(name)).and_then(Value::as_object);
        let Some(wanted) = wanted else { continue };
        edit_map(own, name, |own| {
            for (key, value) in wanted {
                own.entry(key).or_insert_with(|| value.clone());
            }
        });
    }
}

/// The EnvoyProxy has no field for the timing of probes, but for patches of the workload.
fn probes(
    own: &mut Map<String, Value>,
    container: Option<&Value>,
    given: &Given<'_>,
    kind: GatewayKind,
) -> Result<(), Box<Message>> {
    let mut timing = Map::new();
    ["livenessProbe", "readinessProbe"].iter().for_each(|probe| copy(&mut timing, probe, container));
    if timing.is_empty() {
        return Ok(());
    }
    if own.contains_key("patch") {
        let field = match kind {
            GatewayKind::Deployment => "gatewayDeployment",
            GatewayKind::DaemonSet => "gatewayDaemonSet",
        };
        let detail =
            "the EnvoyProxy in envoyProxyRef patches its workload already; put the timing of probes into that patch";
        let field = format!("{field}.spec.template.spec.containers[0]");
        return Err(Box::new(given.wrong(&field, detail)));
    }
    timing.insert("name".into(), CONTAINER.into());
    let value = json!({"spec": {"template": {"spec": {"containers": [timing]}}}});
    own.insert("patch".into(), json!({"type": "StrategicMerge", "value": value}));
    Ok(())
}
