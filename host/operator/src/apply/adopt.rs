//! Keeps hashes that the former operator left in pod templates, so that taking over restarts nothing.

use std::borrow::Cow;
use std::collections::BTreeMap;

use chimera_core::merge::hashes;
use chimera_core::object::Object;
use serde_json::Value;

use super::failure::Failure;
use super::{Applier, Desired};

impl Applier {
    /// The desired workload, with those hashes of the live one that still stand for what they were made of. Costs
    /// requests only where a hash is all that would change.
    pub(super) async fn adopt<'a>(&self, desired: &Desired<'a>, live: &Value) -> Result<Cow<'a, Object>, Failure> {
        let mut kept = BTreeMap::new();
        for (annotation, hash) in hashes::in_doubt(live, desired.object, desired.shared) {
            if self.still_stands(desired, live, &annotation).await? {
                kept.insert(annotation, hash);
            }
        }
        Ok(if kept.is_empty() {
            Cow::Borrowed(desired.object)
        } else {
            Cow::Owned(hashes::adopt(desired.object, &kept))
        })
    }

    async fn still_stands(&self, desired: &Desired<'_>, live: &Value, annotation: &str) -> Result<bool, Failure> {
        for key in hashes::hashed(desired.object.key(), annotation) {
            if let Some(hashed) = self.requests.get(&key).await? {
                return Ok(hashes::stands_for(live, &hashed));
            }
        }
        Ok(false)
    }
}
