//! Calico's API server: `projectcalico.org/v3`, answered from the CustomResourceDefinitions of the stored group.
//!
//! kube-apiserver has authorized a request before it comes here. It is passed on in the name of who made it, so that the
//! audit log tells whom the stored object was written for.

use std::io;

use bytes::Bytes;
use futures::{AsyncBufReadExt, Stream, StreamExt, TryStreamExt};
use http::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};
use http::request::Parts;
use http::{HeaderName, HeaderValue, Request, Response, StatusCode};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::{Frame, Incoming};
use kube::Client;
use kube::client::Body as ClientBody;
use serde_json::Value;

use super::reply::{self, Body, Reply};
use super::{discovery, translate};
use crate::MASTERS;

const REMOTE_USER: HeaderName = HeaderName::from_static("x-remote-user");
const IMPERSONATED_USER: HeaderName = HeaderName::from_static("impersonate-user");
const IMPERSONATED_GROUP: HeaderName = HeaderName::from_static("impersonate-group");

/// Answers one request.
pub(super) async fn answer(client: &Client, request: Request<Incoming>) -> Reply {
    match request.uri().path().trim_end_matches('/') {
        "/healthz" | "/livez" | "/readyz" => reply::raw(StatusCode::OK, "text/plain", Bytes::from_static(b"ok")),
        "/apis" => discovery::groups(),
        "/apis/projectcalico.org" => discovery::group(),
        "/apis/projectcalico.org/v3" => discovery::resources(client).await,
        path => match translate::path(path, request.uri().query()) {
            Some(target) => pass_on(client, &target, request).await,
            None => reply::not_found(),
        },
    }
}

async fn pass_on(client: &Client, target: &str, request: Request<Incoming>) -> Reply {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
    let query = parts.uri.query().unwrap_or_default();
    let watch = query.split('&').any(|pair| ["watch=true", "watch=1"].contains(&pair));
    let request = stored(&parts, target, &body)?;
    let Ok(answer) = client.send(request).await else { return reply::unavailable() };
    if watch && answer.status().is_success() { watched(answer) } else { whole(answer).await }
}

/// The request as it goes to the stored group.
fn stored(parts: &Parts, target: &str, body: &Bytes) -> io::Result<Request<ClientBody>> {
    let mut request = Request::builder().method(&parts.method).uri(target);
    for name in [CONTENT_TYPE, USER_AGENT] {
        if let Some(value) = parts.headers.get(&name) {
            request = request.header(name, value);
        }
    }
    if let Some(user) = parts.headers.get(REMOTE_USER) {
        request = request.header(IMPERSONATED_USER, user).header(IMPERSONATED_GROUP, MASTERS);
    }
    let accept = parts.headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    request = request.header(ACCEPT, translate::accept(accept));
    request.body(stored_body(body).into()).map_err(io::Error::other)
}

/// JSON or YAML with the stored names; anything else as it is.
fn stored_body(body: &Bytes) -> Vec<u8> {
    let value = serde_json::from_slice(body).ok();
    let value: Option<Value> = value.or_else(|| serde_saphyr::from_slice(body).ok());
    match value {
        Some(mut value) if !body.is_empty() => {
            translate::to_stored(&mut value);
            value.to_string().into_bytes()
        }
        _ => body.to_vec(),
    }
}

async fn whole(answer: Response<ClientBody>) -> Reply {
    let (status, content_type) = (answer.status(), content_type(&answer));
    let body = answer.into_body().collect().await.map_err(io::Error::other)?.to_bytes();
    let body = served_body(&body).map_or(body, Bytes::from);
    reply::raw(status, content_type.to_str().unwrap_or("application/json"), body)
}

fn content_type(answer: &Response<ClientBody>) -> HeaderValue {
    let json = HeaderValue::from_static("application/json");
    answer.headers().get(CONTENT_TYPE).cloned().unwrap_or(json)
}

fn served_body(body: &[u8]) -> Option<Vec<u8>> {
    let mut value: Value = serde_json::from_slice(body).ok()?;
    translate::to_served(&mut value);
    Some(value.to_string().into_bytes())
}

/// Event by event, as they come.
fn watched(answer: Response<ClientBody>) -> Reply {
    let content_type = content_type(&answer);
    let body: Body = StreamBody::new(events(answer.into_body()).map_ok(Frame::data)).boxed_unsync();
    let response = Response::builder().header(CONTENT_TYPE, content_type);
    response.body(body).map_err(io::Error::other)
}

/// Each is a line.
fn events(body: ClientBody) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
    let lines = body.into_data_stream().map_err(io::Error::other).into_async_read().lines();
    lines.map(|line| {
        let line = line?;
        let mut event = served_body(line.as_bytes()).unwrap_or_else(|| line.into_bytes());
        event.push(b'\n');
        Ok(Bytes::from(event))
    })
}
