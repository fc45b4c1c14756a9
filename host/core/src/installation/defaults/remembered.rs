//! What the operator chose before, laid under what the user states.
//!
//! Most of it are the operator's own constants, which change nothing. What was taken over from a manifest install stands
//! nowhere else once that is gone.

use std::collections::BTreeMap;

use chimera_crds::installation::{CalicoNetwork, Cni, CniType, InstallationSpec, Logging};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::migrate;

/// Reads `status.defaults` field by field. `cni` is the CNI plugin in force, which is not part of it where the user
/// states it.
pub(super) fn read(defaults: Option<&BTreeMap<String, Value>>, cni: Option<CniType>) -> InstallationSpec {
    let read = |(name, value): (&String, &Value)| {
        let mut value = value.clone();
        whole(name, &mut value, cni);
        let one = Value::Object([(name.clone(), value.clone())].into_iter().collect());
        serde_json::from_value::<InstallationSpec>(one).is_ok().then(|| (name.clone(), value))
    };
    let fields = defaults.into_iter().flatten().filter_map(read).collect();
    serde_json::from_value(Value::Object(fields)).unwrap_or_default()
}

/// What is recorded lacks what the user states; a part that means nothing without it must not hide its neighbours.
fn whole(name: &str, value: &mut Value, cni: Option<CniType>) {
    let Some(map) = value.as_object_mut() else { return };
    match (name, cni) {
        ("cni", Some(cni)) => drop(map.entry("type").or_insert_with(|| json!(cni))),
        ("calicoNetwork", _) => {
            let pools = map.get("ipPools").and_then(Value::as_array);
            if pools.is_some_and(|pools| pools.iter().any(|pool| pool.get("cidr").is_none())) {
                map.remove("ipPools");
            }
        }
        _ => {}
    }
}

/// Fills in what does not depend on the cluster; what does is chosen where it is needed.
pub(super) fn lay_under(spec: &mut InstallationSpec, memory: &InstallationSpec) {
    images(spec, memory);
    paths(spec, memory);
    or(&mut spec.node_metrics_port, &memory.node_metrics_port);
    or(&mut spec.typha_metrics_port, &memory.typha_metrics_port);
    or(&mut spec.node_update_strategy, &memory.node_update_strategy);
    merged(&mut spec.calico_node_daemon_set, &memory.calico_node_daemon_set);
    merged(&mut spec.typha_deployment, &memory.typha_deployment);
    merged(&mut spec.calico_kube_controllers_deployment, &memory.calico_kube_controllers_deployment);
    let Some(cni) = &memory.cni else { return };
    // With another plugin nothing of this has the meaning that it had.
    if spec.cni.as_ref().is_none_or(|stated| stated.type_ == cni.type_) {
        if let Some(stated) = &mut spec.cni {
            self::cni(stated, cni);
        } else {
            spec.cni = Some(Cni { ipam: None, ..cni.clone() });
        }
        logging(&mut spec.logging, memory.logging.as_ref());
        if let Some(network) = &memory.calico_network {
            self::network(spec.calico_network.get_or_insert_default(), network);
        }
    }
}

fn images(spec: &mut InstallationSpec, memory: &InstallationSpec) {
    // Whoever states one of them has said where images come from.
    if spec.registry.is_none() && spec.image_path.is_none() && spec.image_prefix.is_none() {
        spec.registry.clone_from(&memory.registry);
        spec.image_path.clone_from(&memory.image_path);
        spec.image_prefix.clone_from(&memory.image_prefix);
    }
    or(&mut spec.image_pull_secrets, &memory.image_pull_secrets);
}

fn paths(spec: &mut InstallationSpec, memory: &InstallationSpec) {
    or(&mut spec.flex_volume_path, &memory.flex_volume_path);
    or(&mut spec.calico_lib_host_path, &memory.calico_lib_host_path);
    or(&mut spec.calico_run_host_path, &memory.calico_run_host_path);
}

fn cni(stated: &mut Cni, memory: &Cni) {
    or(&mut stated.bin_dir, &memory.bin_dir);
    or(&mut stated.conf_dir, &memory.conf_dir);
    or(&mut stated.install_mode, &memory.install_mode);
    or(&mut stated.spec_version, &memory.spec_version);
}

fn logging(stated: &mut Option<Logging>, memory: Option<&Logging>) {
    let Some(memory) = memory.and_then(|logging| logging.cni.as_ref()) else { return };
    let stated = stated.get_or_insert_default().cni.get_or_insert_default();
    or(&mut stated.log_severity, &memory.log_severity);
    or(&mut stated.log_file_max_size, &memory.log_file_max_size);
    or(&mut stated.log_file_max_age_days, &memory.log_file_max_age_days);
    or(&mut stated.log_file_max_count, &memory.log_file_max_count);
}

/// Pools, dataplane and the search for addresses depend on more, and are chosen with that.
fn network(stated: &mut CalicoNetwork, memory: &CalicoNetwork) {
    or(&mut stated.mtu, &memory.mtu);
    or(&mut stated.bgp, &memory.bgp);
    or(&mut stated.host_ports, &memory.host_ports);
    or(&mut stated.container_ip_forwarding, &memory.container_ip_forwarding);
    or(&mut stated.sysctl, &memory.sysctl);
    // Zero is the operator's constant, and not every dataplane takes it.
    let timeout = memory.linux_policy_setup_timeout_seconds.filter(|seconds| *seconds > 0);
    or(&mut stated.linux_policy_setup_timeout_seconds, &timeout);
}

fn or<T: Clone>(stated: &mut Option<T>, memory: &Option<T>) {
    if stated.is_none() {
        stated.clone_from(memory);
    }
}

/// Overrides that touch different fields go together.
fn merged<T: Clone + PartialEq + Serialize + DeserializeOwned>(stated: &mut Option<T>, memory: &Option<T>) {
    match (&mut *stated, memory) {
        (Some(stated), Some(memory)) if stated != memory => *stated = migrate::under(stated, memory),
        _ => or(stated, memory),
    }
}
