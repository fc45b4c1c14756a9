//! What applying a component came to.

use std::collections::BTreeSet;

use chimera_core::codes;
use chimera_core::message::Message;
use chimera_core::object::ObjectKey;

use super::failure::Failure;
use super::memory::Verdict;

/// Fields of an object that somebody else had changed and that were set back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// The object.
    pub key: ObjectKey,
    /// The fields, as messages give them.
    pub fields: Vec<String>,
    /// Who had changed the first of them, by the object's managed fields; none if they do not say.
    pub manager: Option<String>,
}

/// What applying a component came to; each object is in one of the lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ApplyOutcome {
    /// Name of the component.
    pub component: &'static str,
    /// What the component waits for; nothing was done then.
    pub waiting: Option<String>,
    /// Objects that were not there.
    pub created: Vec<ObjectKey>,
    /// Objects that were different.
    pub updated: Vec<ObjectKey>,
    /// Objects that were deleted and created again.
    pub recreated: Vec<ObjectKey>,
    /// Objects that were deleted.
    pub deleted: Vec<ObjectKey>,
    /// Objects that were as they should be, deletions of what is not there included.
    pub unchanged: Vec<ObjectKey>,
    /// Those of the unchanged ones that were not even read: this version of them had been compared before.
    pub remembered: BTreeSet<ObjectKey>,
    /// Objects that carry the ignore annotation.
    pub ignored: Vec<ObjectKey>,
    /// Objects that something else keeps changing.
    pub contested: Vec<ObjectKey>,
    /// Objects that could not be brought about.
    pub failures: Vec<Failure>,
    /// What was set back after somebody else had changed it.
    pub restored: Vec<Restored>,
    /// For the status.
    pub warnings: Vec<Message>,
    /// Writes that the API server accepted.
    pub writes: usize,
}

impl ApplyOutcome {
    pub(super) fn new(component: &'static str) -> Self {
        Self { component, ..Self::default() }
    }

    /// Whether every object is as it should be or was left alone on purpose.
    pub fn is_complete(&self) -> bool {
        self.waiting.is_none() && self.failures.is_empty()
    }

    pub(super) fn add(&mut self, key: &ObjectKey, step: Result<Step, Failure>) {
        let step = match step {
            Ok(step) => step,
            Err(failure) => return self.failures.push(failure),
        };
        let list = match step.action {
            Action::Created => &mut self.created,
            Action::Updated => &mut self.updated,
            Action::Recreated => &mut self.recreated,
            Action::Deleted => &mut self.deleted,
            Action::Unchanged => &mut self.unchanged,
            Action::Ignored => &mut self.ignored,
            Action::Contested => &mut self.contested,
        };
        list.push(key.clone());
        if step.remembered {
            self.remembered.insert(key.clone());
        }
        self.restored.extend(step.restored);
        self.warnings.extend(step.warning);
        self.writes += step.writes;
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Created,
    Updated,
    Recreated,
    Deleted,
    Unchanged,
    Ignored,
    Contested,
}

/// What one object came to.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) action: Action,
    pub(super) restored: Option<Restored>,
    pub(super) warning: Option<Message>,
    pub(super) writes: usize,
    pub(super) remembered: bool,
}

impl Step {
    pub(super) fn new(action: Action, writes: usize) -> Self {
        Self { action, restored: None, warning: None, writes, remembered: false }
    }

    /// What an earlier comparison of the same version came to.
    pub(super) fn remembered(key: &ObjectKey, verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Settled | Verdict::NotOurs => Self { remembered: true, ..Self::new(Action::Unchanged, 0) },
            Verdict::Ignored => Self::ignored(key),
            Verdict::Contested { field, .. } => Self::contested(key, field, 0),
        }
    }

    pub(super) fn ignored(key: &ObjectKey) -> Self {
        let detail = format!("it carries the annotation {}, so nothing of it is applied", super::IGNORE_ANNOTATION);
        let warning = Message::new(&codes::OBJECT_IGNORED, detail).on(key);
        Self { warning: Some(warning), ..Self::new(Action::Ignored, 0) }
    }

    pub(super) fn contested(key: &ObjectKey, field: &str, writes: usize) -> Self {
        let detail = "something else keeps changing it after the operator has set it, so the operator has stopped";
        let warning = Message::new(&codes::OBJECT_CONTESTED, detail).on(key).field(field);
        Self { warning: Some(warning), ..Self::new(Action::Contested, writes) }
    }
}
