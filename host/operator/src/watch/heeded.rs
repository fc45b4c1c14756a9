//! Among many objects that are none of the operator's business, wakes it only for those that it reads or writes.

use std::collections::BTreeSet;
use std::sync::Arc;

use chimera_core::object::ObjectKey;

use super::source::Observer;
use crate::context::Context;

/// Keeps nothing.
pub struct Heeded(pub Arc<Context>);

impl<K> Observer<K> for Heeded {
    fn present(&self, key: &ObjectKey, _: &K) -> bool {
        is_heeded(&self.0, key)
    }
    fn gone(&self, _: &ObjectKey) {}
    fn only(&self, _: &BTreeSet<ObjectKey>) {}
    fn heeds(&self, key: &ObjectKey) -> bool {
        is_heeded(&self.0, key)
    }
}

/// The reader notes what it is asked for before it looks, so a change is either seen by that look or heeded here.
fn is_heeded(context: &Context, key: &ObjectKey) -> bool {
    context.reader.was_asked_for(key) || context.applier.last_version(key).is_some()
}
