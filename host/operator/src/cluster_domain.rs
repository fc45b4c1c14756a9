//! The DNS domain of the cluster, from the resolver configuration that Kubernetes gives each pod.

const FALLBACK: &str = "cluster.local";

/// The domain from `/etc/resolv.conf`, else `cluster.local`.
pub fn detect() -> String {
    let text = std::fs::read_to_string("/etc/resolv.conf").unwrap_or_default();
    from_resolv_conf(&text).unwrap_or(FALLBACK).to_owned()
}

/// Kubernetes puts `NAMESPACE.svc.DOMAIN svc.DOMAIN DOMAIN` into the search list.
fn from_resolv_conf(text: &str) -> Option<&str> {
    let search = text.lines().filter_map(|line| line.trim().strip_prefix("search")).flat_map(str::split_whitespace);
    let mut domains = search.filter_map(|entry| entry.strip_prefix("svc."));
    domains.next().map(|domain| domain.trim_end_matches('.')).filter(|domain| !domain.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_domain_comes_from_the_search_list_of_a_pod() {
        let text = "nameserver 10.0.0.10\nsearch meadow.svc.farm.example svc.farm.example farm.example\n";
        assert_eq!(from_resolv_conf(text), Some("farm.example"));
    }

    #[test]
    fn a_machine_outside_a_cluster_says_nothing() {
        assert_eq!(from_resolv_conf("search example.com\nnameserver 192.0.2.1\n"), None);
    }
}
