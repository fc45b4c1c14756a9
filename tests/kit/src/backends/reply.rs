//! Answers as an API server gives them.

use std::io;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{Response, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};

/// A body, whole or in pieces.
pub(super) type Body = UnsyncBoxBody<Bytes, io::Error>;
/// An answer; an error cuts the connection.
pub(super) type Reply = Result<Response<Body>, io::Error>;

/// A JSON document.
pub(super) fn json(status: StatusCode, document: &Value) -> Reply {
    raw(status, "application/json", document.to_string().into())
}

/// Bytes of some type.
pub(super) fn raw(status: StatusCode, content_type: &str, bytes: Bytes) -> Reply {
    let body = Full::new(bytes).map_err(|never| match never {}).boxed_unsync();
    let response = Response::builder().status(status).header(CONTENT_TYPE, content_type);
    response.body(body).map_err(io::Error::other)
}

/// Nothing is served at this path.
pub(super) fn not_found() -> Reply {
    failure(StatusCode::NOT_FOUND, "NotFound", "the server could not find the requested resource")
}

/// Nothing is served at the moment.
pub(super) fn unavailable() -> Reply {
    failure(StatusCode::SERVICE_UNAVAILABLE, "ServiceUnavailable", "the server is currently unable to answer")
}

fn failure(status: StatusCode, reason: &str, message: &str) -> Reply {
    let document = json!({"apiVersion": "v1", "kind": "Status", "status": "Failure", "reason": reason,
        "message": message, "code": status.as_u16()});
    json(status, &document)
}
