//! Who a certificate is about.

use std::net::IpAddr;

use crate::names::CALICO_SYSTEM;

/// Whom a component's certificate names, and which Secret carries it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Name of the Secret, in every namespace.
    pub secret: &'static str,
    /// Common name of the subject.
    pub common_name: String,
    /// DNS names that it is good for.
    pub dns_names: Vec<String>,
    /// Addresses that it is good for.
    pub addresses: Vec<IpAddr>,
    /// The namespace that the hash annotation of its Secret names; none: the operator's. What pods carry must stay what
    /// it was, so each component keeps the one it always had.
    pub hashed_in: Option<&'static str>,
}

impl Identity {
    /// Good for one DNS name only.
    pub fn named(secret: &'static str, dns_name: &str) -> Self {
        Self {
            secret,
            common_name: dns_name.to_owned(),
            dns_names: vec![dns_name.to_owned()],
            addresses: Vec::new(),
            hashed_in: None,
        }
    }

    /// Good for every name of a Service in the namespace that Calico runs in.
    pub fn of_service(secret: &'static str, service: &str, cluster_domain: &str) -> Self {
        let mut identity = Self::named(secret, service);
        identity.dns_names = service_names(service, cluster_domain);
        identity
    }
}

/// Names by which pods reach a Service in the namespace that Calico runs in.
pub fn service_names(service: &str, cluster_domain: &str) -> Vec<String> {
    let in_namespace = format!("{service}.{CALICO_SYSTEM}");
    let names = [service.to_owned(), in_namespace.clone(), format!("{in_namespace}.svc")];
    names.into_iter().chain([format!("{in_namespace}.svc.{cluster_domain}")]).collect()
}
