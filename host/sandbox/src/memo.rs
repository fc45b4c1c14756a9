//! Answers that are given again without a call, since plugins are pure: for each component the last one.

use std::collections::BTreeMap;
use std::hash::{Hash as _, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

use sha2::{Digest as _, Sha256};

use crate::adapter::Hook;
use crate::failure::Failure;
use crate::wire::{Input, WireOperation};

/// Bytes that the kept answers of one plugin may take; past that all are forgotten and asked for again.
const BYTES: usize = 4 * 1024 * 1024;

/// What a call came to.
pub(crate) type Answer = Result<Vec<WireOperation>, Failure>;
/// What an answer depends on.
pub(crate) type Fingerprint = [u8; 32];

/// The last answers of one plugin.
#[derive(Default)]
pub(crate) struct Memo(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    answers: BTreeMap<(Hook, String), (Fingerprint, Answer)>,
    bytes: usize,
}

/// Hash of all arguments of a call.
pub(crate) fn fingerprint(input: &Input) -> Fingerprint {
    let mut hasher = Sha(Sha256::new());
    input.hash(&mut hasher);
    hasher.0.finalize().into()
}

impl Memo {
    /// The answer to the same arguments, if that was the last one.
    pub(crate) fn get(&self, hook: Hook, component: &str, fingerprint: &Fingerprint) -> Option<Answer> {
        let kept = self.lock();
        let (of, answer) = kept.answers.get(&(hook, component.to_owned()))?;
        (of == fingerprint).then(|| answer.clone())
    }

    /// Keeps an answer in place of the component's last one.
    pub(crate) fn put(&self, hook: Hook, component: &str, fingerprint: Fingerprint, answer: &Answer) {
        if answer.as_ref().is_err_and(|failure| !failure.repeats()) {
            return;
        }
        let mut kept = self.lock();
        let old = kept.answers.remove(&(hook, component.to_owned()));
        kept.bytes = kept.bytes.saturating_sub(old.map_or(0, |(_, answer)| size(&answer))).saturating_add(size(answer));
        if kept.bytes > BYTES {
            *kept = Kept::default();
            return;
        }
        kept.answers.insert((hook, component.to_owned()), (fingerprint, answer.clone()));
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn size(answer: &Answer) -> usize {
    let operations = answer.as_deref().unwrap_or_default();
    operations.iter().map(WireOperation::size).sum::<usize>().saturating_add(256)
}

/// Feeds what is hashed to SHA-256, which nobody can find two inputs for.
struct Sha(Sha256);

impl Hasher for Sha {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Not used: the whole hash is taken instead.
    fn finish(&self) -> u64 {
        0
    }
}

#[cfg(test)]
mod tests {
    use chimera_core::object::ObjectKey;

    use super::*;
    use crate::wire::WireObject;

    fn answer(bytes: usize) -> Answer {
        let key = ObjectKey::cluster("v1", "Namespace", "meadow");
        Ok(vec![WireOperation::Add(WireObject { key, json: "x".repeat(bytes) })])
    }

    #[test]
    fn an_answer_is_kept_for_the_same_arguments_only() {
        let memo = Memo::default();
        memo.put(Hook::Any, "node", [1; 32], &answer(1));
        assert_eq!(memo.get(Hook::Any, "node", &[1; 32]), Some(answer(1)));
        assert_eq!(memo.get(Hook::Any, "node", &[2; 32]), None);
        assert_eq!(memo.get(Hook::Any, "typha", &[1; 32]), None);
        assert_eq!(memo.get(Hook::Installation, "node", &[1; 32]), None);
    }

    #[test]
    fn answers_that_take_too_much_memory_are_forgotten() {
        let memo = Memo::default();
        memo.put(Hook::Any, "node", [1; 32], &answer(BYTES / 2));
        memo.put(Hook::Any, "typha", [1; 32], &answer(BYTES));
        assert_eq!(memo.get(Hook::Any, "typha", &[1; 32]), None);
        memo.put(Hook::Any, "node", [1; 32], &answer(1));
        assert_eq!(memo.get(Hook::Any, "node", &[1; 32]), Some(answer(1)));
    }

    #[test]
    fn a_deadline_that_passed_is_tried_again() {
        let memo = Memo::default();
        memo.put(Hook::Any, "node", [1; 32], &Err(Failure::Timeout(1)));
        assert_eq!(memo.get(Hook::Any, "node", &[1; 32]), None);
        memo.put(Hook::Any, "node", [1; 32], &Err(Failure::OutOfFuel(1)));
        assert_eq!(memo.get(Hook::Any, "node", &[1; 32]), Some(Err(Failure::OutOfFuel(1))));
    }
}
