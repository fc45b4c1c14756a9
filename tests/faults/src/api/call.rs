//! One request, taken apart.

use std::collections::BTreeMap;
use std::fmt;

use http::request::Parts;
use serde_json::Value;

use super::kinds::{self, Kind};

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    /// One object.
    Get,
    /// All objects.
    List,
    /// Changes from now on.
    Watch,
    /// A new object.
    Create,
    /// Another version of an object.
    Update,
    /// A change of an object.
    Patch,
    /// Away with an object.
    Delete,
}

impl Verb {
    /// Whether it changes anything.
    pub fn writes(self) -> bool {
        matches!(self, Self::Create | Self::Update | Self::Patch | Self::Delete)
    }
}

/// One request.
#[derive(Clone, Debug)]
pub struct Call {
    /// What is asked for.
    pub verb: Verb,
    /// On which kind; none: discovery, by the path alone.
    pub kind: Option<&'static Kind>,
    /// In which namespace.
    pub namespace: String,
    /// On which object; empty for a collection.
    pub name: String,
    /// `status`, or empty.
    pub subresource: String,
    /// Of the query.
    pub params: BTreeMap<String, String>,
    /// Whether only metadata is wanted.
    pub metadata_only: bool,
    /// The content, null without one.
    pub body: Value,
    /// The path.
    pub path: String,
}

impl Call {
    /// Takes a request apart; none if its path means nothing here.
    pub fn read(parts: &Parts, bytes: &[u8]) -> Option<Self> {
        let path = parts.uri.path().to_owned();
        let params: BTreeMap<String, String> =
            form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes()).into_owned().collect();
        let mut steps = path.split('/').filter(|step| !step.is_empty());
        let mut call = Self {
            verb: Verb::Get,
            kind: None,
            namespace: String::new(),
            name: String::new(),
            subresource: String::new(),
            metadata_only: accepts(parts).contains("as=PartialObjectMetadata"),
            body: if bytes.is_empty() { Value::Null } else { serde_json::from_slice(bytes).ok()? },
            path: path.clone(),
            params,
        };
        let group = match steps.next()? {
            "api" => "",
            "apis" => match steps.next() {
                Some(group) => group,
                None => return Some(call),
            },
            _ => return Some(call),
        };
        let Some(version) = steps.next() else { return Some(call) };
        let rest: Vec<_> = steps.collect();
        let rest = match rest.as_slice() {
            ["namespaces", namespace, rest @ ..]
                if !rest.is_empty() && *rest != ["status"] && *rest != ["finalize"] =>
            {
                call.namespace = (*namespace).into();
                rest
            }
            rest => rest,
        };
        let Some((plural, rest)) = rest.split_first() else { return Some(call) };
        call.kind = Some(kinds::by_path(group, version, plural)?);
        call.name = rest.first().copied().unwrap_or_default().into();
        call.subresource = rest.get(1).copied().unwrap_or_default().into();
        call.verb = verb(parts, &call)?;
        Some(call)
    }

    /// Whether it changes what is stored.
    pub fn commits(&self) -> bool {
        self.verb.writes() && !self.params.contains_key("dryRun")
    }

    /// Of the query.
    pub fn param(&self, name: &str) -> Option<&str> {
        self.params.get(name).map(String::as_str)
    }

    /// The name of the kind, or the path.
    pub fn kind_name(&self) -> &str {
        self.kind.map_or(self.path.as_str(), |kind| kind.kind.as_str())
    }

    /// Leases and Events say nothing of what the operator brings about.
    pub fn is_bookkeeping(&self) -> bool {
        matches!(self.kind_name(), "Lease" | "Event")
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match (&self.name, self.body.pointer("/metadata/name").and_then(Value::as_str)) {
            (name, Some(of_body)) if name.is_empty() => of_body,
            (name, _) => name,
        };
        write!(f, "{:?} {} {}", self.verb, self.kind_name(), self.namespace)?;
        if !self.namespace.is_empty() {
            f.write_str("/")?;
        }
        f.write_str(name)?;
        if !self.subresource.is_empty() {
            write!(f, "/{}", self.subresource)?;
        }
        if self.params.contains_key("dryRun") {
            f.write_str(" (trial)")?;
        }
        Ok(())
    }
}

fn accepts(parts: &Parts) -> &str {
    parts.headers.get(http::header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default()
}

fn verb(parts: &Parts, call: &Call) -> Option<Verb> {
    Some(match parts.method.as_str() {
        "GET" if call.param("watch").is_some_and(|watch| watch == "true" || watch == "1") => Verb::Watch,
        "GET" if call.name.is_empty() => Verb::List,
        "GET" => Verb::Get,
        "POST" => Verb::Create,
        "PUT" => Verb::Update,
        "PATCH" => Verb::Patch,
        "DELETE" => Verb::Delete,
        _ => return None,
    })
}

impl Call {
    /// A call on an object that is named.
    pub fn on(verb: Verb, key: &super::Key, manager: &str) -> Self {
        Self {
            verb,
            kind: Some(key.kind),
            namespace: key.namespace.clone(),
            name: key.name.clone(),
            subresource: String::new(),
            params: BTreeMap::from([("fieldManager".into(), manager.into())]),
            metadata_only: false,
            body: Value::Null,
            path: String::new(),
        }
    }

    /// A call on an object that says itself what it is.
    ///
    /// # Panics
    /// If its kind is not served.
    pub fn about(verb: Verb, object: &Value, manager: &str) -> Self {
        Self::on(verb, &super::Key::of(object), manager)
    }

    /// What names the object.
    ///
    /// # Panics
    /// If the call is about no object.
    pub fn key(&self) -> super::Key {
        let name = self.body.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        let name = if self.name.is_empty() { name } else { &self.name };
        super::Key {
            kind: self.kind.expect("the call is about an object"),
            namespace: self.namespace.clone(),
            name: name.into(),
        }
    }

    /// Who calls.
    pub fn manager(&self) -> &str {
        self.param("fieldManager").unwrap_or("unknown")
    }
}
