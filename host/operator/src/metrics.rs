//! Metrics of the operator, in base units, without labels that grow with the cluster.

use std::sync::atomic::AtomicI64;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// Upper bounds of the reconcile histogram, in seconds.
const BUCKETS: [f64; 9] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0];

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Controller {
    controller: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Verb {
    verb: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Condition {
    component: String,
    condition: String,
}

/// All metrics.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    reconciles: Family<Controller, Histogram>,
    failures: Family<Controller, Counter>,
    writes: Family<Verb, Counter>,
    conditions: Family<Condition, Gauge<i64, AtomicI64>>,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::default();
        let reconciles = Family::new_with_constructor((|| Histogram::new(BUCKETS)) as fn() -> Histogram);
        let (failures, writes, conditions) = (Family::default(), Family::default(), Family::default());
        registry.register("chimera_reconcile_duration_seconds", "Time that one reconcile took", reconciles.clone());
        registry.register("chimera_reconcile_failures", "Reconciles that ended in an error", Family::clone(&failures));
        registry.register("chimera_api_writes", "Objects written, by verb", Family::clone(&writes));
        registry.register(
            "tigera_operator_component_status",
            "1 if the condition of the component's TigeraStatus is True, else 0",
            Family::clone(&conditions),
        );
        Self { registry, reconciles, failures, writes, conditions }
    }
}

impl Metrics {
    /// One reconcile ended.
    pub fn reconciled(&self, controller: &'static str, took: Duration, failed: bool) {
        self.reconciles.get_or_create(&Controller { controller }).observe(took.as_secs_f64());
        if failed {
            self.failures.get_or_create(&Controller { controller }).inc();
        }
    }

    /// Objects were written.
    pub fn wrote(&self, verb: &'static str, objects: usize) {
        self.writes.get_or_create(&Verb { verb }).inc_by(u64::try_from(objects).unwrap_or(u64::MAX));
    }

    /// A condition was worked out.
    pub fn condition(&self, component: &str, condition: &str, holds: bool) {
        let labels = Condition { component: component.into(), condition: condition.into() };
        self.conditions.get_or_create(&labels).set(holds.into());
    }

    /// A component is gone.
    pub fn forget(&self, component: &str) {
        for condition in ["Available", "Progressing", "Degraded"] {
            self.conditions.remove(&Condition { component: component.into(), condition: condition.into() });
        }
    }

    /// The text that Prometheus reads.
    ///
    /// # Errors
    /// If formatting fails.
    pub fn encode(&self) -> Result<String, std::fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_text_with_a_unit_in_the_name() {
        let metrics = Metrics::default();
        metrics.reconciled("installation", Duration::from_millis(2), true);
        metrics.condition("calico", "Available", true);
        metrics.wrote("create", 3);
        let text = metrics.encode().unwrap();
        assert!(text.contains("chimera_reconcile_duration_seconds_bucket{le=\"0.005\",controller=\"installation\"} 1"));
        assert!(text.contains("chimera_reconcile_failures_total{controller=\"installation\"} 1"));
        assert!(text.contains("tigera_operator_component_status{component=\"calico\",condition=\"Available\"} 1"));
        assert!(text.contains("chimera_api_writes_total{verb=\"create\"} 3"));
    }
}
