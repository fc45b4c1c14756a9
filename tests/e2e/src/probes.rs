//! Asks the operator what the kubelet asks it.

use std::net::SocketAddr;

use anyhow::{Context as _, Result};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Status and body of the answer at a path, such as `/readyz`.
///
/// # Errors
/// If nobody answers.
pub async fn ask(address: SocketAddr, path: &str) -> Result<(u16, String)> {
    let mut stream = TcpStream::connect(address).await.context("failed to reach the operator")?;
    let request = format!("GET {path} HTTP/1.0\r\nHost: {address}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.context("failed to ask the operator")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.context("failed to read the answer")?;
    let (head, body) = answer.split_once("\r\n\r\n").context("the answer has no HTTP head")?;
    let status = head.split_whitespace().nth(1).context("the answer has no status")?;
    Ok((status.parse().context("the status is no number")?, body.to_owned()))
}
