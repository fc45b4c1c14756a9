//! What the process takes of the machine, read when somebody asks.

use std::fmt::Error;

use procfs::process::{Process as Proc, Stat};
use procfs::{WithCurrentSystemInfo as _, boot_time_secs, ticks_per_second};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

/// The process itself, under the names that Prometheus' own clients use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Process;

impl Collector for Process {
    /// Where `/proc` cannot be read, nothing is told.
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), Error> {
        let Ok(stat) = Proc::myself().and_then(|process| process.stat()) else { return Ok(()) };
        let mut one = |name: &str, help: &str, metric: &dyn Encode| metric.put(&mut encoder, name, help);
        one("process_cpu_seconds", "CPU time used", &ConstCounter::new(cpu(&stat)))?;
        one("process_resident_memory_bytes", "Memory in use", &ConstGauge::new(resident(&stat)))?;
        match started(&stat) {
            Some(started) => one("process_start_time_seconds", "When the process started", &ConstGauge::new(started)),
            None => Ok(()),
        }
    }
}

/// A metric of either type.
trait Encode {
    fn put(&self, encoder: &mut DescriptorEncoder<'_>, name: &str, help: &str) -> Result<(), Error>;
}

impl<M: EncodeMetric> Encode for M {
    fn put(&self, encoder: &mut DescriptorEncoder<'_>, name: &str, help: &str) -> Result<(), Error> {
        let metric = encoder.encode_descriptor(name, help, None, self.metric_type())?;
        self.encode(metric)
    }
}

fn cpu(stat: &Stat) -> f64 {
    seconds(stat.utime.saturating_add(stat.stime))
}

fn resident(stat: &Stat) -> i64 {
    i64::try_from(stat.rss_bytes().get()).unwrap_or(i64::MAX)
}

fn started(stat: &Stat) -> Option<f64> {
    let booted = Float(boot_time_secs().ok()?);
    Some(booted.get() + seconds(stat.starttime))
}

fn seconds(ticks: u64) -> f64 {
    Float(ticks).get() / Float(ticks_per_second()).get()
}

/// Seconds and ticks are far below what a float holds without loss.
struct Float(u64);

impl Float {
    fn get(&self) -> f64 {
        let (high, low) = (u32::try_from(self.0 >> 32), u32::try_from(self.0 & 0xffff_ffff));
        f64::from(high.unwrap_or(u32::MAX)) * 4_294_967_296.0 + f64::from(low.unwrap_or(u32::MAX))
    }
}
