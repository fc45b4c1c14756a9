//! The log of Calico's CNI plugin, as its configuration states it.

use chimera_crds::installation::{CniLogging, InstallationSpec, LogSeverity};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

const MEBIBYTE: u64 = 1024 * 1024;

/// Limits and level of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CniLog {
    /// Days that a rotated file is kept.
    pub(crate) max_age: i32,
    /// How many rotated files are kept.
    pub(crate) max_count: i32,
    /// Size at which a file is rotated, in whole MiB, as the plugin counts.
    pub(crate) max_size: u64,
    /// The least severe messages.
    pub(crate) level: &'static str,
}

impl CniLog {
    /// As the user has it.
    pub(crate) fn of(spec: &InstallationSpec) -> Self {
        let logging = spec.logging.as_ref().and_then(|logging| logging.cni.as_ref());
        Self {
            max_age: logging.and_then(|logging| logging.log_file_max_age_days).unwrap_or(30),
            max_count: logging.and_then(|logging| logging.log_file_max_count).unwrap_or(10),
            max_size: max_size(logging),
            level: level(logging),
        }
    }
}

fn level(logging: Option<&CniLogging>) -> &'static str {
    match logging.and_then(|logging| logging.log_severity) {
        Some(LogSeverity::Error) => "Error",
        Some(LogSeverity::Warning) => "Warning",
        Some(LogSeverity::Debug) => "Debug",
        Some(LogSeverity::Info) | None => "Info",
    }
}

fn max_size(logging: Option<&CniLogging>) -> u64 {
    let wanted = logging.and_then(|logging| logging.log_file_max_size.as_ref());
    wanted.and_then(bytes).map_or(100, |bytes| bytes / MEBIBYTE)
}

/// Bytes of a quantity that validation has let through: a whole number, with a suffix or not.
fn bytes(Quantity(text): &Quantity) -> Option<u64> {
    let at = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, suffix) = text.split_at_checked(at)?;
    let factor = match suffix {
        "" => 1,
        "k" => 1_000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        "Ki" => 1 << 10,
        "Mi" => 1 << 20,
        "Gi" => 1 << 30,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_log_files_are_read_with_their_suffix() {
        let of = |text: &str| bytes(&Quantity(text.into()));
        assert_eq!(of("5Mi"), Some(5 * MEBIBYTE));
        assert_eq!(of("2G"), Some(2_000_000_000));
        assert_eq!(of("1048576"), Some(MEBIBYTE));
        assert_eq!(of("wool"), None);
    }
}
