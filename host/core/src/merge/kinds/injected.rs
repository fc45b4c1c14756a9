//! Certificates of authorities that somebody else puts in (a certificate manager, the API server's own controllers),
//! where the operator gives none.

use serde_json::{Map, Value};

use super::keep;

pub(super) fn webhooks(live: &Map<String, Value>, wanted: &mut Map<String, Value>) {
    let before = live.get("webhooks").and_then(Value::as_array);
    let wanted = wanted.get_mut("webhooks").and_then(Value::as_array_mut);
    for hook in wanted.into_iter().flatten().filter_map(Value::as_object_mut) {
        let twin = before.into_iter().flatten().find(|twin| twin.get("name") == hook.get("name"));
        if let Some(Value::Object(twin)) = twin {
            keep(twin, hook, &["clientConfig", "caBundle"]);
        }
    }
}

pub(super) fn api_service(live: &Map<String, Value>, wanted: &mut Map<String, Value>) {
    if wanted
        .get("spec")
        .is_some_and(|spec| spec.get("service").is_some() && spec.get("insecureSkipTLSVerify").is_none())
    {
        keep(live, wanted, &["spec", "caBundle"]);
    }
}

pub(super) fn definition(live: &Map<String, Value>, wanted: &mut Map<String, Value>) {
    let conversion = wanted.get("spec").and_then(|spec| spec.get("conversion"));
    if conversion.is_some_and(|conversion| conversion.get("webhook").is_some()) {
        keep(live, wanted, &["spec", "conversion", "webhook", "clientConfig", "caBundle"]);
    }
}
