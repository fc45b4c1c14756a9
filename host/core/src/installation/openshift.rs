//! OpenShift's Network `cluster`: its spec says what pods and Services get, its status what a network plugin made of it.

use chimera_crds::installation::{InstallationSpec, Provider};
use serde_json::{Map, Value, json};

use super::inputs::InstallationInputs;
use crate::object::Object;

/// The pod CIDRs that its spec states.
pub(super) fn pod_cidrs(network: &Object) -> Vec<String> {
    let networks = network.pointer("/spec/clusterNetwork").and_then(Value::as_array);
    let cidrs = networks.into_iter().flatten().filter_map(|entry| entry.get("cidr")?.as_str());
    cidrs.map(Into::into).collect()
}

/// Its status, as other components of the platform look for it: what was asked for is what runs. None on another platform.
pub(super) fn status(spec: &InstallationSpec, inputs: &InstallationInputs) -> Option<Object> {
    let network = inputs.openshift_network.as_ref()?;
    if spec.kubernetes_provider != Some(Provider::OpenShift) {
        return None;
    }
    let mut status = Map::from_iter([("networkType".to_owned(), "Calico".into())]);
    for field in ["clusterNetwork", "serviceNetwork"] {
        let asked = network.pointer(&format!("/spec/{field}")).cloned();
        status.extend(asked.map(|value| (field.to_owned(), value)));
    }
    let mtu = spec.calico_network.as_ref().and_then(|network| network.mtu);
    status.extend(mtu.map(|mtu| ("clusterNetworkMTU".to_owned(), mtu.into())));
    let key = network.key();
    let object =
        json!({"apiVersion": key.api_version, "kind": key.kind, "metadata": {"name": key.name}, "status": status});
    Object::from_value(object).ok()
}
