//! Conditions from health: pure.

use chimera_core::codes::{self, Code};
use chimera_core::message::Message;
use chimera_crds::{ConditionStatus, TigeraStatusCondition};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::health::Health;

/// Messages beyond this many are only counted, so that a condition stays readable.
const SHOWN: usize = 5;

/// The three conditions, in the order Available, Progressing, Degraded. A transition time moves only when the status
/// changes.
pub fn of(health: &Health, before: &[TigeraStatusCondition], now: Timestamp) -> Vec<TigeraStatusCondition> {
    let all_well = (codes::ALL_AVAILABLE.reason, String::new());
    let degraded = summary(&health.degraded);
    let progressing = summary(&health.progressing);
    let worst = degraded.clone().or_else(|| progressing.clone()).unwrap_or_else(|| all_well.clone());
    let available = if health.available() { (all_well.0, available_text(health)) } else { worst.clone() };
    let draft = [
        ("Available", health.available(), available),
        ("Progressing", progressing.is_some(), progressing.unwrap_or_else(|| worst.clone())),
        ("Degraded", degraded.is_some(), degraded.unwrap_or(worst)),
    ];
    let conditions = draft.into_iter().map(|(kind, holds, (reason, message))| TigeraStatusCondition {
        type_: kind.into(),
        status: holds.into(),
        last_transition_time: transition(before, kind, holds.into(), now),
        reason: Some(reason.into()),
        message: Some(message).filter(|message| !message.is_empty()).or_else(|| Some(all_well_text())),
        // A resource that cannot be read has not been observed any further than before.
        observed_generation: health.generation.or_else(|| observed(before, kind)),
    });
    conditions.collect()
}

/// The generation that a condition was about before.
fn observed(before: &[TigeraStatusCondition], kind: &str) -> Option<i64> {
    before.iter().find(|old| old.type_ == kind)?.observed_generation
}

/// Conditions whose status is another than before.
pub fn transitions<'a>(
    before: &'a [TigeraStatusCondition],
    after: &'a [TigeraStatusCondition],
) -> impl Iterator<Item = &'a TigeraStatusCondition> {
    after.iter().filter(|new| !before.iter().any(|old| old.type_ == new.type_ && old.status == new.status))
}

fn transition(before: &[TigeraStatusCondition], kind: &str, status: ConditionStatus, now: Timestamp) -> Time {
    let old = before.iter().find(|old| old.type_ == kind && old.status == status);
    old.map_or_else(|| Time(seconds(now)), |old| old.last_transition_time.clone())
}

/// The API keeps whole seconds; cut here, so that what is read back equals what was written.
fn seconds(now: Timestamp) -> Timestamp {
    Timestamp::from_second(now.as_second()).unwrap_or(now)
}

fn summary(messages: &[Message]) -> Option<(&'static str, String)> {
    let reason = messages.first()?.code().reason;
    debug_assert_eq!(
        messages.iter().find(|message| !message.is_complete()),
        None,
        "a message names no object or field"
    );
    let mut text: Vec<_> = messages.iter().take(SHOWN).map(ToString::to_string).collect();
    if messages.len() > SHOWN {
        text.push(format!("and {} more", messages.len() - SHOWN));
    }
    Some((reason, text.join("; ")))
}

fn all_well_text() -> String {
    let Code { id, title, .. } = &codes::ALL_AVAILABLE;
    format!("{title} ({id})")
}

fn available_text(health: &Health) -> String {
    summary(&health.warnings).map_or_else(String::new, |(_, text)| format!("Warning: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn told(conditions: &[TigeraStatusCondition]) -> Vec<(&str, &str, &str)> {
        conditions.iter().map(|c| (c.type_.as_str(), c.status.as_str(), c.reason.as_deref().unwrap())).collect()
    }

    fn counting(text: &str) -> Message {
        Message::new(&codes::ROLLING_OUT, text).on("DaemonSet meadow/sheep")
    }

    fn rolling() -> Health {
        Health { progressing: vec![counting("1 of 3 pods")], ..Health::default() }
    }

    #[test]
    fn nothing_to_say_means_available() {
        let conditions = of(&Health::default(), &[], at(1));
        let reason = "AllObjectsAvailable";
        assert_eq!(
            told(&conditions),
            [("Available", "True", reason), ("Progressing", "False", reason), ("Degraded", "False", reason)]
        );
    }

    #[test]
    fn a_transition_time_moves_only_with_the_status() {
        let first = of(&rolling(), &[], at(1));
        let mut further = rolling();
        further.progressing.insert(0, counting("2 of 3 pods"));
        let second = of(&further, &first, at(2));
        assert_ne!(first, second);
        assert!(second.iter().all(|condition| condition.last_transition_time.0 == at(1)));
        let third = of(&Health::default(), &second, at(3));
        let moved: Vec<_> = transitions(&second, &third).map(|c| c.type_.as_str()).collect();
        assert_eq!(moved, ["Available", "Progressing"]);
        assert_eq!(third[0].last_transition_time.0, at(3));
        assert_eq!(third[2].last_transition_time.0, at(1), "Degraded was and is False");
    }

    #[test]
    fn a_resource_that_cannot_be_read_leaves_its_observed_generation() {
        let first = of(&Health { generation: Some(7), ..Health::default() }, &[], at(1));
        let second = of(&rolling(), &first, at(2));
        assert!(second.iter().all(|condition| condition.observed_generation == Some(7)), "{second:?}");
    }

    #[test]
    fn no_condition_has_an_empty_message() {
        for health in [Health::default(), rolling()] {
            assert!(of(&health, &[], at(1)).iter().all(|c| !c.message.as_deref().unwrap_or_default().is_empty()));
        }
    }

    #[test]
    fn warnings_stand_on_available() {
        let warning = Message::new(&codes::OBJECT_IGNORED, "left alone").on("Service meadow/gate");
        let health = Health { warnings: vec![warning], ..Health::default() };
        let conditions = of(&health, &[], at(1));
        assert_eq!(conditions[0].status, ConditionStatus::True);
        assert!(conditions[0].message.as_deref().unwrap().starts_with("Warning: Service meadow/gate: left alone."));
    }
}
