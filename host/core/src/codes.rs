//! The registry of message codes: `CHM` and four digits.
//!
//! `codes/registry.yaml` is the source; `cargo xtask codes` writes [`generated`] and the docs page from it.

#[rustfmt::skip]
mod generated;

pub use generated::*;

/// How bad a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// For information.
    Info,
    /// Works, but somebody should look.
    Warning,
    /// Does not work.
    Error,
}

/// What every message of a code names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// Nothing: it is about the cluster as a whole.
    Cluster,
    /// An object.
    Object,
    /// An object and one of its fields.
    Field,
}

/// One entry of the registry.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// `CHM0101`.
    pub id: &'static str,
    /// Reason of the condition and of the Event: PascalCase, stable, what scripts may wait for.
    pub reason: &'static str,
    /// How bad.
    pub severity: Severity,
    /// What its messages name.
    pub about: About,
    /// What it means, in one sentence.
    pub title: &'static str,
    /// What an administrator should do, in one sentence without a full stop.
    pub action: &'static str,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::testing::internals;

    fn all() -> impl Iterator<Item = &'static Code> {
        ALL.iter().copied()
    }

    #[test]
    fn every_code_is_unique_and_says_what_it_means_and_what_to_do_in_plain_words() {
        let ids: BTreeSet<_> = all().map(|code| code.id).collect();
        assert_eq!(ids.len(), ALL.len());
        for Code { id, reason, title, action, .. } in all() {
            assert!(title.ends_with('.') && title.len() > 10, "{id}: {title:?} is no sentence");
            assert!(!action.is_empty() && !action.ends_with('.'), "{id}: {action:?}");
            assert_eq!(internals(title).or(internals(action)), None, "{id}");
            let pascal = reason.starts_with(|c: char| c.is_ascii_uppercase());
            assert!(pascal && reason.chars().all(|c| c.is_ascii_alphanumeric()), "{id}: {reason:?} is not PascalCase");
        }
    }
}
