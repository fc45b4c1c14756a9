//! What the servers log.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

/// Logs of the servers.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiServerLogging {
    /// Log of the container calico-apiserver.
    pub api_server: Option<ServerLogging>,

    /// Log of the container tigera-queryserver, in variants that have it.
    pub query_server: Option<ServerLogging>,
}

/// One server's log.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerLogging {
    /// The least severe messages that are written. Default: Info.
    #[schemars(extend("default" = "Info"))]
    pub log_severity: Option<ApiServerLogSeverity>,
}

/// The least severe messages that are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
pub enum ApiServerLogSeverity {
    /// Only what ends the process.
    Fatal,
    /// Also failures.
    Error,
    /// Also what may become a failure.
    Warn,
    /// Also normal events.
    #[default]
    Info,
    /// Also details for troubleshooting.
    Debug,
    /// Everything.
    Trace,
}

impl ApiServerLogSeverity {
    /// The word that stands in the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fatal => "Fatal",
            Self::Error => "Error",
            Self::Warn => "Warn",
            Self::Info => "Info",
            Self::Debug => "Debug",
            Self::Trace => "Trace",
        }
    }
}
