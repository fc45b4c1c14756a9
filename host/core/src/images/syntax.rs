//! What registries take as names, piece by piece, as the user states them.

/// Whether it is a host, with a port if need be, and a path behind it if need be. One slash may end it.
pub(crate) fn is_registry(text: &str) -> bool {
    let text = text.strip_suffix('/').unwrap_or(text);
    let (host, path) = text.split_once('/').map_or((text, None), |(host, path)| (host, Some(path)));
    is_host(host) && path.is_none_or(is_path)
}

/// Whether it is a path in a registry: names with slashes between them.
pub(crate) fn is_path(text: &str) -> bool {
    text.split('/').all(is_name)
}

/// Whether images whose names begin with it have a name that registries take.
pub(crate) fn is_prefix(text: &str) -> bool {
    is_path(&format!("{text}x"))
}

fn is_host(text: &str) -> bool {
    // An address of IPv6 has colons of its own.
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !text.ends_with(']') => (host, Some(port)),
        _ => (text, None),
    };
    let port = port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0));
    let in_brackets = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let host = match in_brackets {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c)),
    };
    host && port
}

/// Lower-case letters and digits, between them a full stop, one or two underscores, or hyphens.
fn is_name(text: &str) -> bool {
    let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let separators = text.split(is_word).filter(|between| !between.is_empty());
    let mut between = separators.map(|text| matches!(text, "." | "_" | "__") || text.chars().all(|c| c == '-'));
    text.starts_with(is_word) && text.ends_with(is_word) && between.all(|good| good)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_registries_take_is_taken_and_nothing_else() {
        for good in
            ["quay.io", "quay.io/", "host:5000/", "Host.example:443/team/a_b/", "[fd00::1]:5000/", "[::1]", "my_host/"]
        {
            assert!(is_registry(good), "{good}");
        }
        for bad in
            ["https://x", "host:99999/", "host:0", "host:/", "a b", "/x", "host//x", "host/UPPER/", "[x]/", "x@y"]
        {
            assert!(!is_registry(bad), "{bad}");
        }
        for good in ["calico", "mirror/calico", "a.b_c__d---e/0"] {
            assert!(is_path(good), "{good}");
        }
        for bad in ["/x", "x/", "../../x", "a//b", "UPPER", "a b", "a..b", "a___b", "-a", "a@b"] {
            assert!(!is_path(bad), "{bad}");
        }
        for good in ["acme-", "acme.", "acme", "team/", "a__"] {
            assert!(is_prefix(good), "{good}");
        }
        for bad in ["/x", "UPPER@x", "a b", "-", "a..", "../"] {
            assert!(!is_prefix(bad), "{bad}");
        }
    }
}
