//! Why pods of a DaemonSet are not even created: unlike a Deployment, it says so nowhere but in Events.

use std::time::Duration;

use chimera_core::codes;
use chimera_core::message::Message;
use chimera_core::object::ObjectKey;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Event;
use kube::api::ListParams;
use kube::{Api, Client};

/// What was said longer ago may have been mended since. Between two tries its controller waits for up to 17 minutes.
const RECENT: Duration = Duration::from_secs(20 * 60);
/// Events of one kind about one object are counted, not repeated, so that there are few.
const FEW: u32 = 20;

/// What the cluster last had against the pods of a DaemonSet.
///
/// # Errors
/// If the Events cannot be listed.
pub async fn refused(client: &Client, workload: &ObjectKey, now: Timestamp) -> Result<Option<Message>, kube::Error> {
    let namespace = workload.namespace.as_deref().unwrap_or_default();
    let events: Api<Event> = Api::namespaced(client.clone(), namespace);
    let about = format!(
        "involvedObject.kind={},involvedObject.name={},reason=FailedCreate,type=Warning",
        workload.kind, workload.name
    );
    let list = events.list(&ListParams::default().fields(&about).limit(FEW)).await?;
    Ok(newest(list.items, now).map(|text| {
        let detail = format!("the cluster does not let its pods be created: {text}");
        Message::new(&codes::PODS_NOT_CREATED, detail).on(workload)
    }))
}

fn newest(events: Vec<Event>, now: Timestamp) -> Option<String> {
    let recent = |event: &Event| at(event).is_some_and(|at| now.duration_since(at).unsigned_abs() < RECENT);
    let newest = events.into_iter().filter(recent).max_by_key(at)?;
    let text = newest.message.unwrap_or_default();
    Some(text.trim_start_matches("Error creating: ").trim_end_matches('.').to_owned())
}

/// When it was last said.
fn at(event: &Event) -> Option<Timestamp> {
    let series = event.series.as_ref().and_then(|series| series.last_observed_time.as_ref()).map(|time| time.0);
    let last = event.last_timestamp.as_ref().map(|time| time.0);
    series.or(last).or_else(|| event.event_time.as_ref().map(|time| time.0))
}

#[cfg(test)]
mod tests {
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

    use super::*;

    fn event(seconds: i64, message: &str) -> Event {
        let at = Timestamp::from_second(seconds).unwrap();
        Event { last_timestamp: Some(Time(at)), message: Some(message.into()), ..Event::default() }
    }

    #[test]
    fn the_newest_refusal_counts_unless_it_is_long_past() {
        let now = Timestamp::from_second(10_000).unwrap();
        let events = vec![event(9_000, "Error creating: no wool"), event(9_500, "Error creating: no hay.")];
        assert_eq!(newest(events, now).as_deref(), Some("no hay"));
        assert_eq!(newest(vec![event(5_000, "Error creating: no wool")], now), None);
    }
}
