//! The operator's metrics, as Prometheus reads them.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};

use anyhow::{Context as _, Result};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// An address that nothing listens on.
pub fn free_address() -> Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("failed to find a free port")?;
    listener.local_addr().context("failed to read a free port")
}

/// How many reconciles all controllers have finished.
pub async fn reconciles(address: SocketAddr) -> Result<u64> {
    Ok(sum(&scrape(address).await?, "chimera_reconcile_duration_seconds_count"))
}

/// The text at `/metrics`.
pub async fn scrape(address: SocketAddr) -> Result<String> {
    let mut stream = TcpStream::connect(address).await.context("failed to reach the operator's metrics")?;
    let request = format!("GET /metrics HTTP/1.0\r\nHost: {address}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.context("failed to ask for the metrics")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.context("failed to read the metrics")?;
    let (_, body) = answer.split_once("\r\n\r\n").context("the metrics came without an HTTP head")?;
    Ok(body.to_owned())
}

/// The sum of a counter over all its labels.
pub fn sum(text: &str, name: &str) -> u64 {
    let lines = text.lines().filter(|line| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(['{', ' '])));
    lines.filter_map(|line| line.rsplit_once(' ')?.1.parse::<u64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_is_summed_over_its_labels() {
        let text = "a_count{c=\"x\"} 2\na_count{c=\"y\"} 3\na_counter 9\n# a_count\nb_count 1\n";
        assert_eq!(sum(text, "a_count"), 5);
    }
}
