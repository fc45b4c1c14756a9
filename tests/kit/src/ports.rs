//! Free ports of 127.0.0.1.

use std::net::{Ipv4Addr, TcpListener};

use anyhow::{Context, Result};

/// Ports nobody listens on at the moment. All are held until the last is found, so that they differ; somebody may still
/// take one before its process listens, in which case the start is tried again with other ports.
pub(crate) fn free<const N: usize>() -> Result<[u16; N]> {
    let mut listeners = Vec::with_capacity(N);
    let mut ports = [0; N];
    for port in &mut ports {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("failed to find a free port")?;
        *port = listener.local_addr().context("failed to read the address of a socket")?.port();
        listeners.push(listener);
    }
    Ok(ports)
}
