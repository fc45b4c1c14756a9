//! Messages for an administrator: what is wrong, in which object and field, and what to do.

use std::fmt;

use crate::codes::{About, Code};

/// One message. Its code comes from the registry, so that condition, Event, log, metric and command line agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    code: &'static Code,
    object: Option<String>,
    field: Option<String>,
    detail: String,
}

impl Message {
    /// A message about the cluster as a whole.
    pub fn new(code: &'static Code, detail: impl Into<String>) -> Self {
        Self { code, object: None, field: None, detail: detail.into() }
    }

    /// Names the object it is about, as `Installation default`.
    #[must_use]
    pub fn on(mut self, object: impl fmt::Display) -> Self {
        self.object = Some(object.to_string());
        self
    }

    /// Names the field it is about, as `spec.calicoNetwork.mtu`.
    #[must_use]
    pub fn field(mut self, path: impl Into<String>) -> Self {
        self.field = Some(path.into());
        self
    }

    /// Says more.
    #[must_use]
    pub fn adding(mut self, more: impl fmt::Display) -> Self {
        self.detail = format!("{}; {more}", self.detail);
        self
    }

    /// Its entry in the registry.
    pub fn code(&self) -> &'static Code {
        self.code
    }

    /// Whether it says something, and names all that messages of its code name.
    pub fn is_complete(&self) -> bool {
        let named = match self.code.about {
            About::Cluster => true,
            About::Object => self.object.is_some(),
            About::Field => self.object.is_some() && self.field.is_some(),
        };
        named && !self.detail.trim().is_empty()
    }

    /// The object that it is about, if it is about one.
    pub fn object(&self) -> Option<&str> {
        self.object.as_deref()
    }

    /// Path of the field it is about, if it is about one.
    pub fn field_path(&self) -> Option<&str> {
        self.field.as_deref()
    }
}

impl fmt::Display for Message {
    /// `Installation default spec.cni.type: <detail>. <what to do> (CHM0101)`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.object, &self.field) {
            (Some(object), Some(field)) => write!(f, "{object} {field}: ")?,
            (Some(object), None) => write!(f, "{object}: ")?,
            (None, Some(field)) => write!(f, "{field}: ")?,
            (None, None) => {}
        }
        let detail = self.detail.trim_end_matches('.');
        // A question ends by itself.
        let end = if detail.ends_with('?') { "" } else { "." };
        write!(f, "{detail}{end} {} ({})", self.code.action, self.code.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes;

    #[test]
    fn a_message_is_complete_only_with_all_that_its_code_names() {
        let message = Message::new(&codes::INVALID_CONFIGURATION, "it is 0");
        assert!(!message.is_complete());
        assert!(!message.clone().on("Installation default").is_complete());
        assert!(message.on("Installation default").field("spec.mtu").is_complete());
        assert!(!Message::new(&codes::POD_FAILING, " ").on("Pod a/b").is_complete());
        let asks = Message::new(&codes::INVALID_CONFIGURATION, "did you mean mtu?").on("a").field("b").to_string();
        assert!(asks.starts_with("a b: did you mean mtu? Correct"), "{asks}");
        assert!(Message::new(&codes::WAITING_FOR_INSTALLATION, "there is none").is_complete());
    }
}
