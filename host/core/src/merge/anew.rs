//! What to create in the place of an object that had to be deleted.

use serde_json::{Map, Value};

use super::overlay::Overlay;
use super::{managed, metadata};
use crate::defaulting::canonical::is_built_in;
use crate::object::{Object, edit_map};

/// Annotations that Kubernetes' controllers keep about the very object that went.
const OF_THE_FORMER: [&str; 2] = ["deprecated.daemonset.template.generation", "deployment.kubernetes.io/revision"];

/// The name under which labels and annotations of others are laid back on: under the operator's own they would count as
/// its own, and go with the next look.
pub const KEPT_MANAGER: &str = "chimera-kept";

/// An object to create, and what to lay on it then.
#[derive(Clone, Debug, PartialEq)]
pub struct Anew {
    /// The desired object, with owners that others gave the former one.
    pub object: Object,
    /// Their labels and annotations, by these names; none: there are none.
    kept: Map<String, Value>,
}

impl Anew {
    /// The object as it was created, with what others had laid on the former one; none if that is nothing. It is to be
    /// written as [`KEPT_MANAGER`].
    pub fn with_kept(&self, created: &Value) -> Option<Value> {
        if self.kept.is_empty() {
            return None;
        }
        let mut object = created.clone();
        let metadata = object.get_mut("metadata")?.as_object_mut()?;
        metadata.remove("managedFields");
        for (name, kept) in self.kept.iter().filter_map(|(name, kept)| Some((name, kept.as_object()?))) {
            edit_map(metadata, name, |map| map.extend(kept.clone()));
        }
        Some(object)
    }
}

/// Nothing that the API server set is carried over, nor finalizers: whoever had one is done.
pub fn anew(former: &Value, desired: &Object) -> Anew {
    let mut anew = Anew { object: desired.clone(), kept: Map::new() };
    let Value::Object(former) = former else { return anew };
    let overlay = Overlay { built_in: is_built_in(desired.key()), removes: true };
    let Value::Object(laid) = metadata::lay(&overlay, former, desired.fields(), &managed::managed(former)) else {
        return anew;
    };
    if let Some(owners) = laid.get("ownerReferences") {
        anew.object.set_owner_references(owners.clone());
    }
    let kept = ["labels", "annotations"].map(|name| (name.to_owned(), foreign(name, &laid, desired)));
    anew.kept = kept.into_iter().filter(|(_, map)| !map.is_empty()).map(|(name, map)| (name, map.into())).collect();
    anew
}

/// What desired does not say.
fn foreign(name: &str, laid: &Map<String, Value>, desired: &Object) -> Map<String, Value> {
    let wanted = desired.pointer(&format!("/metadata/{name}"));
    let all = laid.get(name).and_then(Value::as_object).into_iter().flatten();
    let is_foreign =
        |name: &String| wanted.and_then(|wanted| wanted.get(name)).is_none() && !OF_THE_FORMER.contains(&name.as_str());
    all.filter(|(name, _)| is_foreign(name)).map(|(name, value)| (name.clone(), value.clone())).collect()
}
