//! How nodes find their own address.

use chimera_crds::installation::NodeAddressAutodetection;
use ipnet::IpNet;

use super::Problems;
use crate::ip_pools::parse_cidr;

/// Checks one of the two. `is_v6`: it is for addresses of IPv6.
pub(super) fn check(field: &str, detection: &NodeAddressAutodetection, is_v6: bool, problems: &mut Problems) {
    let text = |value: &Option<String>| value.as_deref().is_some_and(|value| !value.is_empty());
    let cidrs = detection.cidrs.as_deref().unwrap_or_default();
    let ways = [
        ("firstFound", detection.first_found == Some(true)),
        ("kubernetes", detection.kubernetes.is_some()),
        ("interface", text(&detection.interface)),
        ("skipInterface", text(&detection.skip_interface)),
        ("canReach", text(&detection.can_reach)),
        ("cidrs", !cidrs.is_empty()),
    ];
    let set: Vec<_> = ways.into_iter().filter_map(|(way, set)| set.then_some(way)).collect();
    if set.len() > 1 {
        problems.add(field, format!("{} exclude each other; keep one", set.join(" and ")));
    }
    ranges(field, cidrs, is_v6, problems);
    for (name, patterns) in [("interface", &detection.interface), ("skipInterface", &detection.skip_interface)] {
        let patterns = patterns.as_deref().unwrap_or_default();
        if let Some(fault) = fault(&joined(patterns)) {
            let detail = format!("{patterns:?} is no list of regular expressions: {fault}");
            problems.add(format!("{field}.{name}"), detail);
        }
    }
    let is_host = |host: &&String| host.chars().all(|c| c.is_ascii_alphanumeric() || ".:_-%".contains(c));
    if let Some(host) = detection.can_reach.as_ref().filter(|host| !is_host(host)) {
        problems.add(format!("{field}.canReach"), format!("{host:?} is neither an address nor the name of a host"));
    }
}

fn ranges(field: &str, cidrs: &[String], is_v6: bool, problems: &mut Problems) {
    for (index, cidr) in cidrs.iter().enumerate() {
        let detail = match parse_cidr(cidr) {
            None => format!("{cidr:?} is no range in CIDR notation"),
            Some(net) if matches!(net, IpNet::V6(_)) != is_v6 => {
                format!("{net} is no range of {}", if is_v6 { "IPv6" } else { "IPv4" })
            }
            Some(_) => continue,
        };
        problems.add(format!("{field}.cidrs[{index}]"), detail);
    }
}

/// A list with commas as the one expression that Calico makes of it.
fn joined(patterns: &str) -> String {
    format!("({})", patterns.split(',').map(str::trim).collect::<Vec<_>>().join(")|("))
}

/// What no reader of regular expressions takes, whatever its dialect; others may stumble over more.
fn fault(pattern: &str) -> Option<&'static str> {
    // From here on a dialect may take anything as it is.
    if pattern.contains("\\Q") {
        return None;
    }
    let (mut open, mut chars) = (0_usize, pattern.chars().peekable());
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            // A bracket right at the start of a class stands for itself.
            '[' => {
                chars.next_if_eq(&'^');
                chars.next_if_eq(&']');
                if !class(&mut chars) {
                    return Some("a [ is not closed");
                }
            }
            '(' if chars.peek().is_some_and(|next| "*+".contains(*next)) => return Some("a * or + repeats nothing"),
            '(' => open += 1,
            ')' if open == 0 => return Some("a ) closes nothing"),
            ')' => open -= 1,
            _ => {}
        }
    }
    (open > 0).then_some("a ( is not closed")
}

/// Reads up to the end of a class; whether there is one.
fn class(chars: &mut impl Iterator<Item = char>) -> bool {
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            ']' => return true,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{fault, joined};

    #[test]
    fn only_what_every_dialect_refuses_is_a_fault() {
        for good in [
            "eth.*",
            "^(eth|ens)\\d+$",
            "[]a]",
            "[^]]",
            "[(]",
            "\\(",
            "[a\\]]",
            "(?i)eth",
            "\\Qa(b",
            "[[:alpha:]]+",
            "a{",
            "",
            "(eth,ens)",
            "a,b",
        ] {
            assert_eq!(fault(&joined(good)), None, "{good}");
        }
        for bad in ["[(", "(", "eth)", "(a(b)", "[^]", "*eth", "eth.*,+", "[a\\]"] {
            assert!(fault(&joined(bad)).is_some(), "{bad}");
        }
    }
}
