//! What is refused, and what is served with a warning: one rule each, with an example that breaks it.
//!
//! The documentation is made of this list, and each rule is tested with its example: in validation, and against the
//! schema on a real API server.

mod fields;
mod network;
mod objects;
mod pools;
#[cfg(test)]
mod tests;
mod windows;

/// Who says that a rule is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The API server, by the schema; offline, the operator.
    Schema,
    /// The operator, in its status.
    Operator,
}

/// One rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Kind and name of the object at fault.
    pub object: &'static str,
    /// Path of the field at fault; a position in a list is `[]`. Empty if it is the object as a whole.
    pub field: &'static str,
    /// What is refused.
    pub refused: &'static str,
    /// Who refuses it.
    pub by: By,
    /// Whether it is served, with a warning.
    pub warns: bool,
    /// Spec of an Installation that breaks the rule, as YAML.
    pub spec: &'static str,
    /// Further objects of the example, as YAML.
    pub state: &'static str,
    /// How what is said of it begins.
    pub detail: &'static str,
}

/// A rule about a field of the Installation.
const fn rule(field: &'static str, refused: &'static str, spec: &'static str, detail: &'static str) -> Rule {
    let object = "Installation default";
    Rule { object, field, refused, by: By::Operator, warns: false, spec, state: "", detail }
}

impl Rule {
    /// The schema refuses it.
    const fn by_schema(self) -> Self {
        Self { by: By::Schema, ..self }
    }

    /// It is served, with a warning.
    const fn warning(self) -> Self {
        Self { warns: true, ..self }
    }

    /// The example needs these objects.
    const fn with(self, state: &'static str) -> Self {
        Self { state, ..self }
    }

    /// It is another object that is at fault.
    const fn of(self, object: &'static str) -> Self {
        Self { object, ..self }
    }
}

/// All of them, in the order of the documentation.
pub fn all() -> impl Iterator<Item = Rule> {
    let lists = [fields::RULES, network::RULES, pools::RULES, windows::RULES, objects::RULES];
    lists.into_iter().flatten().copied()
}
