//! One setting of the running install, and what becomes of it.

use serde::Serialize;

/// What becomes of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It becomes a value of the Installation or of FelixConfiguration.
    Carried,
    /// The operator's install has it too.
    Same,
    /// It has no meaning in the operator's install; the note says why.
    Dropped,
    /// Nothing can hold it; the note says what to do.
    Blocked,
}

/// One setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// `DaemonSet kube-system/calico-node`.
    pub object: String,
    /// Path in it, such as `containers[calico-node].env[IP]`.
    pub field: String,
    /// Its value.
    pub value: String,
    /// What becomes of it.
    pub verdict: Verdict,
    /// Where it goes, why it is dropped, or what to do.
    pub note: String,
}
