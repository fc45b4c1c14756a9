//! A wrapper that keeps secret material out of debug output, logs and panics.

use std::fmt;
use std::ops::Deref;

use k8s_openapi::api::core::v1::Secret;

/// A Secret whose debug output names it and the keys of its data, never a value.
#[derive(Clone, Default, PartialEq)]
pub struct Confidential(Secret);

impl Confidential {
    /// The Secret itself, to be rendered.
    pub fn into_inner(self) -> Secret {
        self.0
    }

    /// One value of its data, as text.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.data.as_ref()?.get(key).and_then(|value| std::str::from_utf8(&value.0).ok())
    }
}

impl From<Secret> for Confidential {
    fn from(secret: Secret) -> Self {
        Self(secret)
    }
}

impl Deref for Confidential {
    type Target = Secret;

    fn deref(&self) -> &Secret {
        &self.0
    }
}

impl fmt::Debug for Confidential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys: Vec<_> = self.data.iter().flat_map(|data| data.keys()).collect();
        f.debug_struct("Secret")
            .field("namespace", &self.metadata.namespace)
            .field("name", &self.metadata.name)
            .field("keys", &keys)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use k8s_openapi::ByteString;

    use super::*;

    #[test]
    fn debug_output_names_the_keys_and_shows_no_value() {
        let data = BTreeMap::from([("password".to_owned(), ByteString(b"swordfish".to_vec()))]);
        let shown = format!("{:?}", Confidential::from(Secret { data: Some(data), ..Secret::default() }));
        assert!(shown.contains("password"), "{shown}");
        assert!(!shown.contains("swordfish") && !shown.contains("115, 119"), "{shown}");
    }
}
