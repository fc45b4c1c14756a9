//! The health of one component, before it becomes conditions.

use chimera_core::codes::Severity;
use chimera_core::message::Message;

/// What a reconcile found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// What is being waited for. Empty and nothing degraded: available.
    pub progressing: Vec<Message>,
    /// What somebody must mend.
    pub degraded: Vec<Message>,
    /// Works, but deserves a look; listed on Available.
    pub warnings: Vec<Message>,
    /// Generation of the custom resource that this is about.
    pub generation: Option<i64>,
}

impl Health {
    /// Files a message by the severity of its code, once.
    pub fn add(&mut self, message: Message) {
        let list = match message.code().severity {
            Severity::Info => &mut self.progressing,
            Severity::Warning => &mut self.warnings,
            Severity::Error => &mut self.degraded,
        };
        if !list.contains(&message) {
            list.push(message);
        }
    }

    /// Files several.
    pub fn extend(&mut self, messages: impl IntoIterator<Item = Message>) {
        messages.into_iter().for_each(|message| self.add(message));
    }

    /// Everything that was asked for is running.
    pub fn available(&self) -> bool {
        self.progressing.is_empty() && self.degraded.is_empty()
    }
}
