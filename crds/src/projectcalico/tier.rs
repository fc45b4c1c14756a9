//! `Tier`: an ordered set of policies.

use serde::{Deserialize, Serialize};
use serde_json::Number;
use serde_with::skip_serializing_none;

use super::object::{Other, kinds};

kinds! {
    /// An ordered set of policies.
    Tier = TierSpec,
}

/// What a tier is.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TierSpec {
    /// Where the tier stands; lower goes first, none goes last. Kept as written, so that 100 does not become 100.0.
    pub order: Option<Number>,

    /// What happens to traffic that a policy of the tier selects and no rule decides.
    pub default_action: Option<String>,

    /// Fields that the operator does not know.
    #[serde(flatten)]
    pub other: Other,
}
