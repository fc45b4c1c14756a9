//! IPPool objects.

use chimera_crds::installation::{EncapsulationType, InstallationSpec, IpPool, Toggle};
use serde_json::{Map, Value, json};

use super::existing::Existing;
use super::parse_cidr;
use crate::installation::config::ApiGroup;
use crate::object::{self, Object, ObjectKey};

/// Label by which the operator knows the pools that it looks after.
pub const MANAGED_BY: (&str, &str) = ("app.kubernetes.io/managed-by", "tigera-operator");

/// What the pools of an Installation come to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IpPools {
    /// Pools to create or to bring to this. They get no owner and no other labels.
    pub objects: Vec<Object>,
    /// Pools that the operator looked after and that the Installation no longer lists.
    pub deletions: Vec<ObjectKey>,
}

/// The objects for an effective spec.
///
/// Fields of an existing pool that the Installation does not state keep their values, since the effective spec took them
/// from there. Pools without the operator's label are never deleted.
///
/// # Errors
/// If a pool without a name slipped through validation.
pub fn render(spec: &InstallationSpec, existing: &[Object], api_group: ApiGroup) -> object::Result<IpPools> {
    let pools = spec.calico_network.as_ref().and_then(|network| network.ip_pools.as_deref()).unwrap_or_default();
    let existing = Existing::all(existing);
    let find = |name: &str| existing.iter().find(|there| there.name() == name);
    let objects = pools.iter().map(|pool| {
        let name = pool.name.as_deref().unwrap_or_default();
        object_of(name, fields(pool, find(name)), api_group)
    });
    let objects = objects.collect::<object::Result<Vec<_>>>()?;
    let listed = |name: &str| pools.iter().any(|pool| pool.name.as_deref() == Some(name));
    let gone = existing.iter().filter(|there| there.is_managed() && !listed(there.name()));
    Ok(IpPools { deletions: gone.map(|there| there.object().key().clone()).collect(), objects })
}

fn object_of(name: &str, fields: Map<String, Value>, api_group: ApiGroup) -> object::Result<Object> {
    let (label, value) = MANAGED_BY;
    Object::from_value(json!({
        "apiVersion": api_group.api_version(),
        "kind": "IPPool",
        "metadata": {"name": name, "labels": {label: value}},
        "spec": fields,
    }))
}

fn fields(pool: &IpPool, there: Option<&Existing<'_>>) -> Map<String, Value> {
    let has = |name: &str| there.is_some_and(|there| there.field(name).is_some());
    let mut fields = Map::new();
    fields.insert("cidr".into(), cidr(pool, there).into());
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            fields.insert(name.to_owned(), value);
        }
    };
    set("blockSize", pool.block_size.map(Into::into));
    set("nodeSelector", pool.node_selector.clone().map(Into::into));
    set("allowedUses", pool.allowed_uses.clone().map(Into::into));
    set("assignmentMode", pool.assignment_mode.and_then(|mode| serde_json::to_value(mode).ok()));
    // What is off is left out of a new pool, as Calico's own clients do, and stated on one that has the field.
    let mut flag = |name: &str, on: bool| set(name, (on || has(name)).then_some(Value::Bool(on)));
    flag("natOutgoing", pool.nat_outgoing.is_some_and(Toggle::is_enabled));
    flag("disableBGPExport", pool.disable_bgp_export.unwrap_or_default());
    flag("disabled", pool.disable_new_allocations.unwrap_or_default());
    if let Some((ipip, vxlan)) = modes(pool.encapsulation, has("ipipMode") || has("vxlanMode")) {
        set("ipipMode", Some(ipip.into()));
        set("vxlanMode", Some(vxlan.into()));
    }
    fields
}

/// A range cannot change, its spelling included: a pool keeps the one that it was made with.
fn cidr(pool: &IpPool, there: Option<&Existing<'_>>) -> String {
    let kept = there.filter(|there| parse_cidr(&pool.cidr) == Some(there.cidr));
    let spelt = kept.and_then(|there| there.field("cidr")?.as_str());
    spelt.map_or_else(|| pool.cidr.clone(), Into::into)
}

fn modes(encapsulation: Option<EncapsulationType>, stated: bool) -> Option<(&'static str, &'static str)> {
    match encapsulation? {
        EncapsulationType::Ipip => Some(("Always", "Never")),
        EncapsulationType::IpipCrossSubnet => Some(("CrossSubnet", "Never")),
        EncapsulationType::Vxlan => Some(("Never", "Always")),
        EncapsulationType::VxlanCrossSubnet => Some(("Never", "CrossSubnet")),
        EncapsulationType::None => stated.then_some(("Never", "Never")),
    }
}
