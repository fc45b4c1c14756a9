//! What istiod makes proxies of waypoints with: its image and pull secrets stand in values that it reads itself.

use serde_json::{Map, Value};

use crate::codes;
use crate::images::Image;
use crate::installation::config::InstallationConfig;
use crate::message::Message;
use crate::object::{Object, edit_map};
use crate::render::{Error, charts};

/// The ConfigMap, as the chart names it.
pub(super) const NAME: &str = "istio-sidecar-injector";
/// The key of the values.
const VALUES: &str = "values";

/// Puts them in.
pub(super) fn configure(object: &mut Object, config: &InstallationConfig) -> Result<(), Error> {
    let key = object.key().clone();
    let unsuitable = |detail: &str| {
        Error::Charts(vec![Message::new(&codes::CHARTS_UNSUITABLE, detail).on(&key).field("data.values")])
    };
    let text = object.pointer("/data/values").and_then(Value::as_str);
    let text =
        text.ok_or_else(|| unsuitable("it holds no values, so proxies would come from a registry of their own"))?;
    let values: Map<String, Value> =
        serde_json::from_str(text).map_err(|_| unsuitable("its values are no map as JSON"))?;
    let text = serde_json::to_string(&with(values, config)).map_err(|_| unsuitable("its values cannot be written"))?;
    if let Some(Value::Object(data)) = object.pointer_mut("/data") {
        data.insert(VALUES.into(), text.into());
    }
    Ok(())
}

/// An image with a slash in it is taken as it is, whatever the registry is.
fn with(mut values: Map<String, Value>, config: &InstallationConfig) -> Map<String, Value> {
    let image = config.images.reference(Image::IstioProxy);
    let secrets = charts::pull_secret_references(config);
    edit_map(&mut values, "global", |global| {
        for proxy in ["proxy", "proxy_init"] {
            edit_map(global, proxy, |proxy| drop(proxy.insert("image".into(), image.clone().into())));
        }
        if !secrets.is_empty() {
            let names: Vec<_> = secrets.iter().filter_map(|secret| secret.get("name").cloned()).collect();
            global.insert("imagePullSecrets".into(), names.into());
        }
    });
    values
}
