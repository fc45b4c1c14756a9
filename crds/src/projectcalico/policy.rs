//! `NetworkPolicy` and `GlobalNetworkPolicy`: the policies that protect what the operator installs.

use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde::{Deserialize, Serialize};
use serde_json::Number;
use serde_with::skip_serializing_none;

use super::object::{Other, kinds};

kinds! {
    /// A policy within a namespace.
    NetworkPolicy = NetworkPolicySpec,
    /// A policy for the whole cluster.
    GlobalNetworkPolicy = GlobalNetworkPolicySpec,
}

/// What a policy within a namespace says.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NetworkPolicySpec {
    /// The tier that the policy belongs to.
    pub tier: Option<String>,

    /// Where the policy stands in its tier; lower goes first.
    pub order: Option<Number>,

    /// The endpoints that the policy applies to.
    pub selector: Option<String>,

    /// The service accounts that the policy applies to.
    pub service_account_selector: Option<String>,

    /// Whether the policy is about Ingress, Egress or both.
    pub types: Option<Vec<String>>,

    /// Rules for traffic to the selected endpoints.
    pub ingress: Option<Vec<Rule>>,

    /// Rules for traffic from the selected endpoints.
    pub egress: Option<Vec<Rule>>,

    /// Fields that the operator does not know.
    #[serde(flatten)]
    pub other: Other,
}

/// What a policy for the whole cluster says.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GlobalNetworkPolicySpec {
    /// The namespaces that the policy applies to; none means all, and endpoints without one.
    pub namespace_selector: Option<String>,

    /// The fields that a policy within a namespace has too, unknown ones included.
    #[serde(flatten)]
    pub common: NetworkPolicySpec,
}

/// One rule; the first that fits decides.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    /// Allow, Deny, Log or Pass.
    #[serde(default)]
    pub action: String,

    /// The protocol, by name or number.
    pub protocol: Option<IntOrString>,

    /// Where traffic comes from.
    pub source: Option<EntityRule>,

    /// Where traffic goes to.
    pub destination: Option<EntityRule>,

    /// Fields that the operator does not know.
    #[serde(flatten)]
    pub other: Other,
}

/// One end of the traffic.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityRule {
    /// Ranges that the address lies in.
    pub nets: Option<Vec<String>>,

    /// Which endpoints.
    pub selector: Option<String>,

    /// Which endpoints not.
    pub not_selector: Option<String>,

    /// Which namespaces.
    pub namespace_selector: Option<String>,

    /// Ports: a number, a range such as `30000:32767`, or a name.
    pub ports: Option<Vec<IntOrString>>,

    /// The endpoints of a Service.
    pub services: Option<ServiceMatch>,

    /// Fields that the operator does not know.
    #[serde(flatten)]
    pub other: Other,
}

/// A Service.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct ServiceMatch {
    /// Its name.
    #[serde(default)]
    pub name: String,

    /// Its namespace; by default the policy's.
    pub namespace: Option<String>,
}
