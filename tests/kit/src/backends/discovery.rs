//! What Calico's API server says that it serves.

use std::io;

use http::StatusCode;
use kube::Client;
use serde_json::{Value, json};

use super::reply::{self, Reply};
use super::translate::{GROUP, SERVED, STORED, VERSION, served_kind, served_plural};

/// Kinds of the stored group that are its own business.
const INTERNAL: [&str; 2] = ["ipamblocks", "ipamhandles"];

/// All groups.
pub(super) fn groups() -> Reply {
    reply::json(StatusCode::OK, &json!({"apiVersion": "v1", "kind": "APIGroupList", "groups": [described()]}))
}

/// The group.
pub(super) fn group() -> Reply {
    let mut group = described();
    group["apiVersion"] = "v1".into();
    group["kind"] = "APIGroup".into();
    reply::json(StatusCode::OK, &group)
}

fn described() -> Value {
    let version = json!({"groupVersion": SERVED, "version": VERSION});
    json!({"name": GROUP, "versions": [version], "preferredVersion": version})
}

/// The kinds, which are those of the stored group.
pub(super) async fn resources(client: &Client) -> Reply {
    let Ok(stored) = client.list_api_group_resources(STORED).await else { return reply::unavailable() };
    let mut resources = Vec::new();
    for resource in stored.resources {
        let mut resource = serde_json::to_value(resource).map_err(io::Error::other)?;
        let name = resource["name"].as_str().unwrap_or_default().to_owned();
        let plural = name.split('/').next().unwrap_or_default();
        if INTERNAL.contains(&plural) {
            continue;
        }
        resource["kind"] = served_kind(resource["kind"].as_str().unwrap_or_default()).into();
        resource["name"] = name.replacen(plural, served_plural(plural), 1).into();
        resources.push(resource);
    }
    let list = json!({"apiVersion": "v1", "kind": "APIResourceList", "groupVersion": SERVED, "resources": resources});
    reply::json(StatusCode::OK, &list)
}
