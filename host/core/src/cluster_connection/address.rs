//! Host and port of the managing cluster's end of the tunnel.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

/// Host and port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Name or address, without brackets.
    host: String,
    port: u16,
}

/// What is wrong with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There is none.
    #[error("it is not set; give the host and the port at which the managing cluster is reached")]
    Missing,
    /// There is no port, or none that exists.
    #[error("it has no port between 1 and 65535; give host and port, such as management.example.com:9449")]
    Port,
    /// There is no host, or one that is none.
    #[error("it has no host that exists; give a name, an IPv4 address, or an IPv6 address in brackets")]
    Host,
}

impl Address {
    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The host as an address; none if it is a name.
    pub fn ip(&self) -> Option<IpAddr> {
        self.host.parse().ok()
    }
}

impl FromStr for Address {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        if text.is_empty() {
            return Err(Error::Missing);
        }
        let (host, port) = text.rsplit_once(':').ok_or(Error::Port)?;
        let port = port.parse().ok().filter(|port| *port > 0).ok_or(Error::Port)?;
        let host = match host.strip_prefix('[').map(|host| host.strip_suffix(']')) {
            Some(Some(host)) if host.parse::<Ipv6Addr>().is_ok() => host,
            None if is_name(host) => host,
            _ => return Err(Error::Host),
        };
        Ok(Self { host: host.to_owned(), port })
    }
}

/// Host and port of a URL such as `http://user:word@proxy.example.com:3128/`; none where the port is not stated.
pub(super) fn of_url(url: &str) -> Option<Address> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit_once('@').map_or(authority, |(_, host)| host).parse().ok()
}

/// Names and IPv4 addresses have letters, digits, hyphens and full stops.
fn is_name(host: &str) -> bool {
    let labels =
        |label: &str| !label.is_empty() && label.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    host.len() <= 253 && host.split('.').all(labels)
}

impl fmt::Display for Address {
    /// As it stands in the resource.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port } = self;
        if host.contains(':') { write!(f, "[{host}]:{port}") } else { write!(f, "{host}:{port}") }
    }
}
