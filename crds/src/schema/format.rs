//! Formats of text, and patterns.

use std::net::IpAddr;

use regex_lite::Regex;
use serde_json::Value;

/// What a text has to be, if it is not.
pub(super) fn wanted(schema: &Value, text: &str) -> Option<String> {
    let format = schema.get("format").and_then(Value::as_str).unwrap_or_default();
    let by_format = match format {
        "cidr" if !is_range(text) => Some("must be a range, such as 192.168.0.0/16"),
        "ipv4" if !text.parse::<IpAddr>().is_ok_and(|address| address.is_ipv4()) => Some("must be an IPv4 address"),
        "ipv6" if !text.parse::<IpAddr>().is_ok_and(|address| address.is_ipv6()) => Some("must be an IPv6 address"),
        "byte" if !is_base64(text) => Some("must be base64"),
        _ => None,
    };
    by_format.map(str::to_owned).or_else(|| {
        let pattern = schema.get("pattern").and_then(Value::as_str)?;
        // One that cannot be read here is left to the API server.
        let fits = Regex::new(pattern).ok()?.is_match(text);
        (!fits).then(|| format!("must match {pattern}"))
    })
}

fn is_range(text: &str) -> bool {
    let Some((address, length)) = text.split_once('/') else { return false };
    let Ok(address) = address.parse::<IpAddr>() else { return false };
    let longest = if address.is_ipv4() { 32 } else { 128 };
    length.bytes().all(|byte| byte.is_ascii_digit()) && length.parse::<u8>().is_ok_and(|length| length <= longest)
}

/// As Go reads it: with padding, line breaks anywhere.
fn is_base64(text: &str) -> bool {
    let bytes: Vec<_> = text.bytes().filter(|byte| !matches!(byte, b'\n' | b'\r')).collect();
    let padding = bytes.iter().rev().take_while(|byte| **byte == b'=').count();
    let body = bytes.get(..bytes.len() - padding).unwrap_or_default();
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    bytes.len().is_multiple_of(4) && padding <= 2 && body.iter().all(allowed)
}
