//! What upstream charts came to at build time: a bundle of objects, one line of JSON each.
//!
//! A build renders the charts with Helm's own rules and packs the result; the operator never runs a template. What depends
//! on the cluster is laid over the objects when they are rendered.

mod grants;
mod order;
#[cfg(test)]
mod tests;

use std::io::{BufRead, Write};

use serde::{Deserialize, Serialize};

pub use grants::grants;

use crate::object::{self, Object, ObjectKey};

/// Version of the format; a reader takes no other.
const FORMAT: u32 = 1;
/// API version and kind of what brings new kinds.
const DEFINITION: (&str, &str) = ("apiextensions.k8s.io/v1", "CustomResourceDefinition");

/// A set of charts that a component is rendered from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Charts {
    /// Envoy Gateway and the definitions of the Gateway API.
    Gateway,
    /// Istio's ambient mesh.
    Istio,
}

impl Charts {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Gateway, Self::Istio];

    /// Name of the file that a build packs it into.
    pub fn file(self) -> &'static str {
        match self {
            Self::Gateway => "gateway-api.bundle",
            Self::Istio => "istio.bundle",
        }
    }

    /// Option of the release build that brings it.
    pub fn input(self) -> &'static str {
        match self {
            Self::Gateway => "--gateway-chart",
            Self::Istio => "--istio-charts",
        }
    }

    /// Environment variable that tells the operator's build where the packed file is.
    pub fn variable(self) -> &'static str {
        match self {
            Self::Gateway => "CHIMERA_GATEWAY_BUNDLE",
            Self::Istio => "CHIMERA_ISTIO_BUNDLE",
        }
    }
}

/// Why a bundle cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The bytes cannot be read or written.
    #[error("failed to read or write a chart bundle")]
    Io(#[from] std::io::Error),
    /// A line is not what it should be.
    #[error("failed to read line {line} of a chart bundle")]
    Line {
        /// Counted from 1.
        line: usize,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// A line holds no object.
    #[error("failed to read the object in line {line} of a chart bundle")]
    Object {
        /// Counted from 1.
        line: usize,
        /// What is wrong.
        source: object::Error,
    },
    /// It was written by a build of another release.
    #[error("failed to read a chart bundle of format {0}: this release reads format {FORMAT}")]
    Format(u32),
    /// It is empty.
    #[error("failed to read a chart bundle without a head")]
    Headless,
}

/// One chart that went into a bundle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Chart {
    /// Its name, as `gateway-helm`.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// Objects that charts were rendered to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bundle {
    /// The charts.
    pub charts: Vec<Chart>,
    /// CustomResourceDefinitions.
    pub definitions: Vec<Object>,
    /// Everything else, in the order to apply it in.
    pub objects: Vec<Object>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    format: u32,
    charts: Vec<Chart>,
}

/// What names an object, read without the rest of it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Named {
    api_version: String,
    kind: String,
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Metadata {
    name: String,
}

impl Bundle {
    /// Of objects in any order.
    pub fn new(charts: Vec<Chart>, objects: Vec<Object>) -> Self {
        let (definitions, mut objects): (Vec<_>, Vec<_>) =
            objects.into_iter().partition(|object| is_definition(object.key()));
        order::sort(&mut objects);
        Self { charts, definitions, objects }
    }

    /// Reads one. Definitions are long, so that only those that `wanted` takes by their name are kept at all.
    ///
    /// # Errors
    /// If the bytes are no bundle, or one of another format.
    pub fn read(reader: impl BufRead, wanted: impl Fn(&str) -> bool) -> Result<Self, Error> {
        let mut lines = reader.lines().enumerate();
        let (_, head) = lines.next().ok_or(Error::Headless)?;
        let head: Head = serde_json::from_str(&head?).map_err(|source| Error::Line { line: 1, source })?;
        if head.format != FORMAT {
            return Err(Error::Format(head.format));
        }
        let mut objects = Vec::new();
        for (index, text) in lines {
            objects.extend(object(index + 1, &text?, &wanted)?);
        }
        Ok(Self::new(head.charts, objects))
    }

    /// Writes it so that [`Bundle::read`] reads it.
    ///
    /// # Errors
    /// If the bytes cannot be written.
    pub fn write(&self, mut writer: impl Write) -> Result<(), Error> {
        let head = Head { format: FORMAT, charts: self.charts.clone() };
        line(&mut writer, &head)?;
        self.definitions.iter().chain(&self.objects).try_for_each(|object| line(&mut writer, object.fields()))
    }

    /// The charts and their versions, for people.
    pub fn label(&self) -> String {
        let names: Vec<_> = self.charts.iter().map(|chart| format!("{} {}", chart.name, chart.version)).collect();
        names.join(", ")
    }
}

fn line(writer: &mut impl Write, value: &impl Serialize) -> Result<(), Error> {
    serde_json::to_writer(&mut *writer, value).map_err(std::io::Error::from)?;
    Ok(writer.write_all(b"\n")?)
}

fn object(line: usize, text: &str, wanted: impl Fn(&str) -> bool) -> Result<Option<Object>, Error> {
    let broken = |source| Error::Line { line, source };
    let named: Named = serde_json::from_str(text).map_err(broken)?;
    if (named.api_version.as_str(), named.kind.as_str()) == DEFINITION && !wanted(&named.metadata.name) {
        return Ok(None);
    }
    let value = serde_json::from_str(text).map_err(broken)?;
    Object::from_value(value).map(Some).map_err(|source| Error::Object { line, source })
}

fn is_definition(key: &ObjectKey) -> bool {
    (key.api_version.as_str(), key.kind.as_str()) == DEFINITION
}
