//! Tells what is left alone, by an Event and in the log; and by TigeraStatus `csr` what is wrong with the signer. While
//! nothing is wrong there is none.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use chimera_core::codes;
use chimera_core::message::Message;
use tracing::warn;

use super::super::driver::Outcome;
use super::super::health::{Applied, of};
use super::super::publish;
use super::super::subject::Subject;
use super::apply::{Answered, Left};
use crate::context::Context;

/// Name of the TigeraStatus.
const NAME: &str = "csr";
/// Addresses of pods are not watched.
const LOOK_AGAIN: Duration = Duration::from_secs(2);

/// By uid and text, what was told of requests that are there.
#[derive(Debug, Default)]
pub(super) struct Told(Mutex<BTreeSet<(String, String)>>);

impl Told {
    /// Those of which something new is to be told; what is not there any more is forgotten.
    fn news<'a>(&self, left: &'a [Left]) -> Vec<&'a Left> {
        let id = |left: &Left| (left.uid.clone().unwrap_or_default(), left.refusal.to_string());
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let news = left.iter().filter(|left| !told.contains(&id(left))).collect();
        *told = left.iter().map(id).collect();
        news
    }
}

/// After apply.
pub(super) async fn run(
    context: &Context,
    told: &Told,
    subject: &Subject,
    applied: Vec<Applied>,
    answered: Answered,
) -> Outcome {
    for left in told.news(&answered.left) {
        let message = Message::new(&codes::CERTIFICATE_REQUEST_LEFT, left.refusal.to_string()).on(&left.key);
        warn!("{message}");
        let reason = codes::CERTIFICATE_REQUEST_LEFT.reason;
        context.events.publish(&left.key, left.uid.clone(), true, reason, &message.to_string()).await;
    }
    let mut health = of(context, &applied, subject.generation).await;
    health.extend(answered.failures);
    let outcome = match health.available() {
        true => remove(context).await,
        false => publish::run(context, NAME, &health, subject).await,
    };
    if answered.waits { outcome.at_latest(LOOK_AGAIN) } else { outcome }
}

/// Nothing is wrong, or nothing is asked for.
pub(super) async fn remove(context: &Context) -> Outcome {
    publish::removed(context, NAME).await
}

/// What cannot be read is tried again.
pub(super) fn unreadable(message: &Message) -> Outcome {
    warn!("{message}");
    Outcome::Failed
}

/// Nothing can be signed.
pub(super) async fn invalid(context: &Context, subject: &Subject, messages: Vec<Message>) -> Outcome {
    publish::invalid(context, NAME, subject, messages).await
}

#[cfg(test)]
mod tests {
    use chimera_core::csr::Refusal;
    use chimera_core::object::ObjectKey;

    use super::*;

    fn left(uid: &str, refusal: Refusal) -> Left {
        Left {
            key: ObjectKey::cluster("certificates.k8s.io/v1", "CertificateSigningRequest", "sheep"),
            uid: Some(uid.into()),
            refusal,
        }
    }

    #[test]
    fn each_request_is_told_once_until_something_else_is_wrong_with_it() {
        let told = Told::default();
        let both = [left("1", Refusal::Pod), left("2", Refusal::Pod)];
        assert_eq!(told.news(&both).len(), 2);
        assert!(told.news(&both).is_empty());
        assert_eq!(told.news(&[left("1", Refusal::Token), left("2", Refusal::Pod)]).len(), 1);
        assert!(told.news(&[]).is_empty());
        assert_eq!(told.news(&both).len(), 2, "what was gone is told anew");
    }
}
