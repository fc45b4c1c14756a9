//! IPPools that are in the cluster already, seen the way the Installation describes pools.

use chimera_crds::installation::{AssignmentMode, EncapsulationType, IpPool, Toggle};
use ipnet::IpNet;
use serde_json::Value;

use super::{MANAGED_BY, parse_cidr};
use crate::object::Object;

/// One IPPool.
#[derive(Clone, Copy, Debug)]
pub(super) struct Existing<'a> {
    object: &'a Object,
    /// Its addresses.
    pub(super) cidr: IpNet,
}

impl<'a> Existing<'a> {
    /// Those that can be read; a pool without a range is nothing to care for.
    pub(super) fn all(objects: &'a [Object]) -> Vec<Self> {
        let read =
            |object: &'a Object| Some(Self { object, cidr: parse_cidr(object.pointer("/spec/cidr")?.as_str()?)? });
        objects.iter().filter_map(read).collect()
    }

    /// Its name.
    pub(super) fn name(&self) -> &'a str {
        &self.object.key().name
    }

    /// The object.
    pub(super) fn object(&self) -> &'a Object {
        self.object
    }

    /// Whether the operator created it or has taken it over.
    pub(super) fn is_managed(&self) -> bool {
        let (label, value) = MANAGED_BY;
        let labels = self.object.pointer("/metadata/labels");
        labels.and_then(|labels| labels.get(label)).and_then(Value::as_str) == Some(value)
    }

    /// The same as the Installation would state it.
    pub(super) fn stated(&self) -> IpPool {
        IpPool {
            name: Some(self.name().into()),
            cidr: self.cidr.to_string(),
            encapsulation: self.encapsulation(),
            nat_outgoing: Some(if self.flag("natOutgoing") { Toggle::Enabled } else { Toggle::Disabled }),
            node_selector: self.field("nodeSelector").and_then(Value::as_str).map(Into::into),
            block_size: self.field("blockSize").and_then(Value::as_i64).and_then(|size| i32::try_from(size).ok()),
            disable_bgp_export: Some(self.flag("disableBGPExport")),
            disable_new_allocations: Some(self.flag("disabled")),
            allowed_uses: self.allowed_uses(),
            assignment_mode: self.assignment_mode(),
        }
    }

    /// A field of its spec.
    pub(super) fn field(&self, name: &str) -> Option<&'a Value> {
        self.object.fields().get("spec")?.get(name)
    }

    fn flag(&self, name: &str) -> bool {
        self.field(name).and_then(Value::as_bool).unwrap_or_default()
    }

    fn allowed_uses(&self) -> Option<Vec<String>> {
        let uses = self.field("allowedUses")?.as_array()?;
        Some(uses.iter().filter_map(Value::as_str).map(Into::into).collect())
    }

    fn assignment_mode(&self) -> Option<AssignmentMode> {
        let mode = self.field("assignmentMode")?;
        serde_json::from_value(mode.clone()).ok()
    }

    fn encapsulation(&self) -> Option<EncapsulationType> {
        let mode = |name| self.field(name).and_then(Value::as_str).unwrap_or("Never");
        match (mode("ipipMode"), mode("vxlanMode")) {
            ("Always", _) => Some(EncapsulationType::Ipip),
            ("CrossSubnet", _) => Some(EncapsulationType::IpipCrossSubnet),
            (_, "Always") => Some(EncapsulationType::Vxlan),
            (_, "CrossSubnet") => Some(EncapsulationType::VxlanCrossSubnet),
            _ => Some(EncapsulationType::None),
        }
    }
}
