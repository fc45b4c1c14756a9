//! Powers of pods over the node they run on.

use std::collections::BTreeSet;

use chimera_core::object::Object;
use serde_json::Value;

use super::Power;
use crate::grants::Capability::{HostNamespaces, HostPath, Privilege, Rbac};

/// Lists of containers in a pod.
const CONTAINERS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];
/// Where kinds keep their pod.
const PODS: [&str; 3] = ["/spec/template/spec", "/spec/jobTemplate/spec/template/spec", "/spec"];
/// What a privileged container runs is a power by itself.
const PROGRAM: [&str; 4] = ["image", "command", "args", "lifecycle"];

pub(super) fn collect(object: &Object, other: Option<&Object>, powers: &mut BTreeSet<Power>) {
    for pointer in PODS {
        let Some(spec) = object.pointer(pointer).filter(|spec| spec.get("containers").is_some()) else { continue };
        let pod = Pod { path: pointer.trim_start_matches('/').replace('/', "."), spec };
        let other = other.and_then(|other| other.pointer(pointer));
        pod.namespaces(powers);
        pod.account(powers);
        pod.volumes(powers);
        pod.security(powers);
        for (list, container) in containers(spec) {
            Container { pod: &pod, list, container, known: other.is_some_and(|other| has(other, container)) }
                .all(powers);
        }
    }
}

fn containers(spec: &Value) -> impl Iterator<Item = (&'static str, &Value)> {
    CONTAINERS.into_iter().flat_map(move |list| items(spec, list).map(move |container| (list, container)))
}

fn has(spec: &Value, container: &Value) -> bool {
    containers(spec).any(|(_, other)| name(other) == name(container))
}

fn items<'a>(value: &'a Value, list: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    value.get(list).and_then(Value::as_array).into_iter().flatten()
}

fn name(item: &Value) -> &str {
    item.get("name").and_then(Value::as_str).unwrap_or_default()
}

fn is_true(value: &Value, pointer: &str) -> bool {
    value.pointer(pointer).and_then(Value::as_bool) == Some(true)
}

fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer).and_then(Value::as_str)
}

struct Pod<'a> {
    path: String,
    spec: &'a Value,
}

impl Pod<'_> {
    fn namespaces(&self, powers: &mut BTreeSet<Power>) {
        for field in ["hostNetwork", "hostPID", "hostIPC"] {
            if is_true(self.spec, &format!("/{field}")) {
                powers.insert(Power::new(HostNamespaces, format!("{}.{field}", self.path), true));
            }
        }
    }

    fn account(&self, powers: &mut BTreeSet<Power>) {
        let account = text(self.spec, "/serviceAccountName").or_else(|| text(self.spec, "/serviceAccount"));
        powers.extend(account.map(|name| Power::new(Rbac, format!("{}.serviceAccountName", self.path), name)));
    }

    fn volumes(&self, powers: &mut BTreeSet<Power>) {
        for (volume, path) in self.host_volumes() {
            powers.insert(Power::new(HostPath, format!("{}.volumes[{volume}].hostPath", self.path), path));
        }
    }

    /// Name and path.
    fn host_volumes(&self) -> impl Iterator<Item = (&str, &str)> {
        let path = |volume| text(volume, "/hostPath/path").map(|path| (name(volume), path));
        items(self.spec, "volumes").filter_map(path)
    }

    fn security(&self, powers: &mut BTreeSet<Power>) {
        weak_profiles(self.spec, &self.path, powers);
    }
}

struct Container<'a> {
    pod: &'a Pod<'a>,
    list: &'static str,
    container: &'a Value,
    /// Whether the other side of the comparison has it.
    known: bool,
}

impl Container<'_> {
    fn all(&self, powers: &mut BTreeSet<Power>) {
        self.privilege(powers);
        self.capabilities(powers);
        self.ports(powers);
        self.mounts(powers);
        weak_profiles(self.container, &self.path(), powers);
    }

    fn path(&self) -> String {
        format!("{}.{}[{}]", self.pod.path, self.list, name(self.container))
    }

    fn security(&self, field: &str) -> Option<&Value> {
        self.container.pointer(&format!("/securityContext/{field}"))
    }

    fn privilege(&self, powers: &mut BTreeSet<Power>) {
        let path = self.path();
        let is = |field, expected: bool| self.security(field).and_then(Value::as_bool) == Some(expected);
        if is("privileged", true) {
            powers.insert(Power::new(Privilege, format!("{path}.securityContext.privileged"), true));
            powers.extend(PROGRAM.into_iter().filter_map(|field| {
                self.container.get(field).map(|value| Power::new(Privilege, format!("{path}.{field}"), value))
            }));
        }
        // To leave it unset is to allow it. That is fine for a new container, but not a change to make to one that is there.
        if is("allowPrivilegeEscalation", true) || (self.known && !is("allowPrivilegeEscalation", false)) {
            powers.insert(Power::new(Privilege, format!("{path}.securityContext.allowPrivilegeEscalation"), true));
        }
        if self.known && !is("runAsNonRoot", true) {
            powers.insert(Power::new(Privilege, format!("{path}.securityContext.runAsNonRoot"), false));
        }
    }

    fn capabilities(&self, powers: &mut BTreeSet<Power>) {
        let path = self.path();
        let added = self.security("capabilities/add").and_then(Value::as_array).into_iter().flatten();
        powers
            .extend(added.map(|name| Power::new(Privilege, format!("{path}.securityContext.capabilities.add"), name)));
        let drops_all = items(self.security("capabilities").unwrap_or(&Value::Null), "drop").any(|name| name == "ALL");
        if self.known && !drops_all {
            powers.insert(Power::new(Privilege, format!("{path}.securityContext.capabilities.drop"), "not ALL"));
        }
    }

    fn ports(&self, powers: &mut BTreeSet<Power>) {
        let host = items(self.container, "ports").filter_map(|port| port.get("hostPort"));
        powers.extend(host.map(|port| Power::new(HostNamespaces, format!("{}.ports.hostPort", self.path()), port)));
    }

    /// A volume of the host may be there already; that another container sees it is new.
    fn mounts(&self, powers: &mut BTreeSet<Power>) {
        for mount in items(self.container, "volumeMounts") {
            if let Some((volume, path)) = self.pod.host_volumes().find(|(volume, _)| *volume == name(mount)) {
                let writable = if is_true(mount, "/readOnly") { "" } else { ", writable" };
                let field = format!("{}.volumeMounts[{volume}]", self.path());
                powers.insert(Power::new(HostPath, field, format!("{path}{writable}")));
            }
        }
        for device in items(self.container, "volumeDevices") {
            powers.insert(Power::new(HostPath, format!("{}.volumeDevices", self.path()), name(device)));
        }
    }
}

/// Confinement that is switched off, of a pod or a container.
fn weak_profiles(holder: &Value, path: &str, powers: &mut BTreeSet<Power>) {
    for (pointer, weak) in
        [("seccompProfile/type", "Unconfined"), ("appArmorProfile/type", "Unconfined"), ("procMount", "Unmasked")]
    {
        if text(holder, &format!("/securityContext/{pointer}")) == Some(weak) {
            let field = format!("{path}.securityContext.{}", pointer.replace('/', "."));
            powers.insert(Power::new(Privilege, field, weak));
        }
    }
    if is_true(holder, "/securityContext/windowsOptions/hostProcess") {
        powers.insert(Power::new(Privilege, format!("{path}.securityContext.windowsOptions.hostProcess"), true));
    }
    if let Some(options) = holder.pointer("/securityContext/seLinuxOptions") {
        powers.insert(Power::new(Privilege, format!("{path}.securityContext.seLinuxOptions"), options));
    }
    if holder.pointer("/securityContext/runAsUser").and_then(Value::as_i64) == Some(0) {
        powers.insert(Power::new(Privilege, format!("{path}.securityContext.runAsUser"), 0));
    }
}
