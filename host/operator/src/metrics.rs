//! Metrics of the operator, in base units. No label grows with the cluster: kinds, never names of objects; reasons from
//! a closed list, never text of an error.
//!
//! `docs/operations.md` describes each; a test keeps the two in step.

mod labels;
mod process;
#[cfg(test)]
mod tests;

use std::sync::atomic::AtomicI64;
use std::time::Duration;

use jiff::Timestamp;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;

use crate::vitals::Vitals;
use labels::{Build, Certificate, Condition, Controller, Failure, Plugin, PluginFailure, Skipped, State, Write};

/// Upper bounds of the histogram of reconciles, in seconds.
const RECONCILES: [f64; 9] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0];
/// Upper bounds of the histogram of plugin calls, in seconds.
const CALLS: [f64; 9] = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0];

type Histograms<L> = Family<L, Histogram, fn() -> Histogram>;
type Number = Gauge<i64, AtomicI64>;

/// All metrics, and what the probes are answered from.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    reconciles: Histograms<Controller>,
    failures: Family<Controller, Counter>,
    writes: Family<Write, Counter>,
    skipped: Family<Skipped, Counter>,
    request_failures: Family<Failure, Counter>,
    calls: Histograms<Plugin>,
    call_failures: Family<PluginFailure, Counter>,
    plugins: Family<State, Number>,
    conditions: Family<Condition, Number>,
    certificates: Family<Certificate, Number>,
    leader: Number,
    vitals: Vitals,
}

impl Default for Metrics {
    fn default() -> Self {
        let reconciles = || Histogram::new(RECONCILES);
        let calls = || Histogram::new(CALLS);
        let mut metrics = Self {
            registry: Registry::default(),
            reconciles: Family::new_with_constructor(reconciles as fn() -> Histogram),
            failures: Family::default(),
            writes: Family::default(),
            skipped: Family::default(),
            request_failures: Family::default(),
            calls: Family::new_with_constructor(calls as fn() -> Histogram),
            call_failures: Family::default(),
            plugins: Family::default(),
            conditions: Family::default(),
            certificates: Family::default(),
            leader: Gauge::default(),
            vitals: Vitals::default(),
        };
        metrics.register();
        metrics
    }
}

impl Metrics {
    fn register(&mut self) {
        let registry = &mut self.registry;
        let about = |text: &str| text.to_owned();
        registry.register("chimera_build", "The program that runs", Info::new(Build::this()));
        registry.register("chimera_leader", about("1 if this process acts, 0 if it stands by"), self.leader.clone());
        let (name, help) = ("chimera_reconcile_duration_seconds", "Time that one reconcile took");
        registry.register(name, help, self.reconciles.clone());
        let (name, help) = ("chimera_reconcile_failures", "Reconciles that ended in an error");
        registry.register(name, help, self.failures.clone());
        let (name, help) = ("chimera_api_writes", "Writes that the API server accepted");
        registry.register(name, help, self.writes.clone());
        let (name, help) =
            ("chimera_api_writes_skipped", "Objects that were as they should be, so that none was written");
        registry.register(name, help, self.skipped.clone());
        let (name, help) = ("chimera_api_request_failures", "Requests that the API server refused or did not answer");
        registry.register(name, help, self.request_failures.clone());
        let (name, help) = ("chimera_plugin_call_duration_seconds", "Time that one call of a plugin took");
        registry.register(name, help, self.calls.clone());
        let (name, help) = ("chimera_plugin_call_failures", "Calls of a plugin that failed");
        registry.register(name, help, self.call_failures.clone());
        registry.register("chimera_plugins", "Declared plugins", self.plugins.clone());
        let (name, help) =
            ("tigera_operator_component_status", "1 if the condition of the TigeraStatus is True, else 0");
        registry.register(name, help, self.conditions.clone());
        let (name, help) = ("chimera_certificate_expiry_timestamp_seconds", "When a certificate in use expires");
        registry.register(name, help, self.certificates.clone());
        registry.register_collector(Box::new(process::Process));
    }

    /// What the probes are answered from.
    pub fn vitals(&self) -> &Vitals {
        &self.vitals
    }

    /// One reconcile ended.
    pub fn reconciled(&self, controller: &'static str, took: Duration, failed: bool) {
        self.reconciles.get_or_create(&Controller { controller }).observe(took.as_secs_f64());
        let failures = self.failures.get_or_create(&Controller { controller });
        failures.inc_by(failed.into());
    }

    /// The API server accepted a write of an object of a kind.
    pub fn wrote(&self, verb: &'static str, kind: &'static str) {
        self.writes.get_or_create(&Write { verb, kind }).inc();
    }

    /// An object was as it should be. `remembered`: it was not even read, since its version had been compared before.
    pub fn skipped(&self, kind: &str, remembered: bool) {
        let how = if remembered { "remembered" } else { "compared" };
        self.skipped.get_or_create(&Skipped { kind: kind.into(), how }).inc();
    }

    /// The API server answered a request with an error, or not at all (`code` is `none` then).
    pub fn request_failed(&self, verb: &'static str, code: &str) {
        self.request_failures.get_or_create(&Failure { verb, code: code.into() }).inc();
    }

    /// A plugin was called; `reason` says why the call failed, from a closed list.
    pub fn called(&self, plugin: &str, took: Duration, reason: Option<&'static str>) {
        self.calls.get_or_create(&Plugin { plugin: plugin.into() }).observe(took.as_secs_f64());
        if let Some(reason) = reason {
            self.call_failures.get_or_create(&PluginFailure { plugin: plugin.into(), reason }).inc();
        }
    }

    /// So many plugins are in use, and so many are declared and could not be loaded.
    pub fn plugins(&self, loaded: usize, failed: usize) {
        for (state, number) in [("loaded", loaded), ("failed", failed)] {
            self.plugins.get_or_create(&State { state }).set(i64::try_from(number).unwrap_or(i64::MAX));
        }
    }

    /// Whether this process acts from now on.
    pub fn leads(&self, leads: bool) {
        self.leader.set(leads.into());
    }

    /// A certificate that is in use, by its Secret in the operator's namespace.
    pub fn certificate(&self, secret: &'static str, expires: Timestamp) {
        self.certificates.get_or_create(&Certificate { secret }).set(expires.as_second());
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
