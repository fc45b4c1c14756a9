//! CPU time and memory of a process, from `/proc` (proc(5)).

use anyhow::{Context as _, Result};

/// What a process used so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Usage {
    /// User and system time, in seconds.
    pub(crate) cpu: f64,
    /// Resident memory, in MiB.
    pub(crate) resident: f64,
    /// The most resident memory it ever had, in MiB.
    pub(crate) peak: f64,
}

/// Linux counts CPU time for user programs in hundredths of a second (`getconf CLK_TCK`).
const TICKS_PER_SECOND: f64 = 100.0;

/// Reads the usage of a running process.
pub(crate) fn usage(pid: u32) -> Result<Usage> {
    let read = |file: &str| {
        let path = format!("/proc/{pid}/{file}");
        std::fs::read_to_string(&path).with_context(|| format!("failed to read {path}"))
    };
    let (stat, status) = (read("stat")?, read("status")?);
    Ok(Usage {
        cpu: cpu(&stat).context("/proc/PID/stat has another form")?,
        resident: mebibytes(&status, "VmRSS:").context("/proc/PID/status has no VmRSS")?,
        peak: mebibytes(&status, "VmHWM:").context("/proc/PID/status has no VmHWM")?,
    })
}

/// Fields 14 and 15; the second field is a name in parentheses that may hold blanks.
fn cpu(stat: &str) -> Option<f64> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(11).map(str::parse::<f64>);
    Some((fields.next()?.ok()? + fields.next()?.ok()?) / TICKS_PER_SECOND)
}

fn mebibytes(status: &str, field: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kibibytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_is_the_sum_of_user_and_system_ticks() {
        let stat = "7 (a (b) c) S 1 7 7 0 -1 4194560 100 0 0 0 150 50 0 0 20 0 1 0 1";
        assert_eq!(cpu(stat), Some(2.0));
    }

    #[test]
    fn memory_is_read_in_mebibytes() {
        assert_eq!(mebibytes("VmHWM:\t  2048 kB\nVmRSS:\t 1024 kB\n", "VmRSS:"), Some(1.0));
    }
}
