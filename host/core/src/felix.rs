//! FelixConfiguration `default`: what the operator sets there, and what components must know of it.

mod configure;
mod defaults;
#[cfg(test)]
mod tests;

pub use configure::{BPF_ANNOTATION, Felix, configure};

/// What components must know of the FelixConfiguration as it will be once the operator's part is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FelixFacts {
    /// TCP port of Felix's health endpoint on each node.
    pub health_port: u16,
    /// Whether the BPF dataplane is on.
    pub bpf_enabled: bool,
    /// TCP port of Felix's Prometheus metrics, if FelixConfiguration turns them on.
    pub metrics_port: Option<u16>,
}

impl Default for FelixFacts {
    fn default() -> Self {
        Self { health_port: 9099, bpf_enabled: false, metrics_port: None }
    }
}
