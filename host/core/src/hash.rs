//! Hashes in annotations: pods are replaced when the content behind one changes.
//!
//! Pods that ran before this operator took over carry such hashes already. The same content must give the same hash, or
//! taking over would restart them; hence SHA-1, over the content as a quoted string. Nothing relies on it for security.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sha1::{Digest as _, Sha1};

/// Annotation for the hash of what a component reads from this operator's own configuration.
pub fn annotation(name: &str) -> String {
    format!("hash.operator.tigera.io/{name}")
}

/// Annotation for the hash of a Secret or ConfigMap of a namespace.
pub fn annotation_of(namespace: &str, name: &str) -> String {
    format!("{namespace}.hash.operator.tigera.io/{name}")
}

/// Whether an annotation is one of these, of this operator or the one before it.
pub fn is_annotation(name: &str) -> bool {
    let domain = name.split('/').next().unwrap_or_default();
    domain.strip_suffix("hash.operator.tigera.io").is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

/// Hash of a text, 40 hexadecimal digits.
pub fn of_text(text: &str) -> String {
    hex(&Sha1::digest(quoted(text)))
}

/// Hash of the data of a ConfigMap, 40 hexadecimal digits.
pub fn of_map(data: &BTreeMap<String, String>) -> String {
    let entries: Vec<_> = data.iter().map(|(key, value)| format!("{}:{}", quoted(key), quoted(value))).collect();
    hex(&Sha1::digest(format!("map[{}]", entries.join(" "))))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Quoted with the escapes that Go and C share; control characters other than those never occur in what is hashed here.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 32 + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_hashes_as_a_quoted_string() {
        // printf '"a\\nb"' | sha1sum
        assert_eq!(of_text("a\nb"), "3e10cf070236090738d5b82cc1df9ef2bbddda46");
    }

    #[test]
    fn a_map_hashes_as_its_quoted_entries_in_order() {
        // printf 'map["a":"1" "b":"2"]' | sha1sum
        let data = BTreeMap::from([("b".into(), "2".into()), ("a".into(), "1".into())]);
        assert_eq!(of_map(&data), "3b0cf4d60856e9ce9f6324411c78d713b09ca3ba");
    }

    #[test]
    fn annotations_name_where_the_content_lives() {
        assert_eq!(annotation("cni-config"), "hash.operator.tigera.io/cni-config");
        assert_eq!(annotation_of("meadow", "keys"), "meadow.hash.operator.tigera.io/keys");
    }
}
