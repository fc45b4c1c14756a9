//! Calico's admission webhooks: they admit everything.

use std::io;

use http::{Request, StatusCode};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use serde_json::{Value, json};

use super::reply::{self, Reply};

/// Answers an AdmissionReview; what is none gets 404.
pub(super) async fn answer(request: Request<Incoming>) -> Reply {
    let body = request.into_body().collect().await.map_err(io::Error::other)?.to_bytes();
    let Ok(review) = serde_json::from_slice::<Value>(&body) else { return reply::not_found() };
    let Some(uid) = review.pointer("/request/uid") else { return reply::not_found() };
    let answer = json!({"apiVersion": review["apiVersion"], "kind": review["kind"],
        "response": {"uid": uid, "allowed": true}});
    reply::json(StatusCode::OK, &answer)
}
