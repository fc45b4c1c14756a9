//! One process of the operator: its connection, and how it is started and killed.

use std::io;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use chimera_core::env::{Clock, Randomness};
use chimera_core::testing::Fixed;
use chimera_operator::args::{Cli, Command, RunArgs};
use chimera_operator::env::Machine;
use chimera_operator::metrics::Metrics;
use chimera_operator::{client, run};
use futures::stream::BoxStream;
use futures::{StreamExt as _, TryStreamExt as _};
use http::{Request, Response};
use http_body_util::{BodyExt, StreamBody};
use jiff::{SignedDuration, Timestamp};
use kube::Client;
use kube::client::Body;
use serde_json::Value;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::api::server::START;
use crate::api::{Call, Server, Verb, watching};
use crate::fault::{Effect, Hook, Lens, Moment, Seen};

type BoxError = Box<dyn std::error::Error + Send + Sync>;
type Frames = BoxStream<'static, Result<http_body::Frame<Bytes>, io::Error>>;

/// Time from a call to its answer.
const LATENCY: Duration = Duration::from_millis(2);

/// One call that a process made.
#[derive(Clone, Debug)]
pub struct Made {
    /// What was called.
    pub call: Call,
    /// When it was sent, since the world began.
    pub sent: Duration,
    /// When it was dealt with.
    pub at: Duration,
    /// Whether it is done.
    pub committed: bool,
}

/// A call on its way.
struct Sent {
    call: Call,
    at: Duration,
}

/// A process's connection to the API server.
pub struct Connection {
    server: Arc<Server>,
    hook: Hook,
    lens: Lens,
    calls: AtomicUsize,
    writes: AtomicUsize,
    /// Dies at the next call.
    doomed: AtomicBool,
    dead: CancellationToken,
    made: Mutex<Vec<Made>>,
    freeze: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

impl Connection {
    /// A connection with faults.
    pub fn new(server: &Arc<Server>, hook: Hook, lens: Lens) -> Arc<Self> {
        Arc::new(Self {
            server: Arc::clone(server),
            hook,
            lens,
            calls: AtomicUsize::new(0),
            writes: AtomicUsize::new(0),
            doomed: AtomicBool::new(false),
            dead: CancellationToken::new(),
            made: Mutex::default(),
            freeze: Mutex::default(),
        })
    }

    /// What happens in the world while the process is frozen.
    pub fn while_frozen(&self, then: impl FnOnce() + Send + 'static) {
        *self.freeze.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(then));
    }

    /// Every call so far.
    pub fn made(&self) -> Vec<Made> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many calls so far.
    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    /// A client with the operator's own layers, over this connection.
    pub fn client(self: &Arc<Self>) -> Client {
        let connection = Arc::clone(self);
        let service = tower::service_fn(move |request| Arc::clone(&connection).serve(request));
        client::layered(Client::new(service, "default"))
    }

    async fn serve(self: Arc<Self>, request: Request<Body>) -> Result<Response<StreamBody<Frames>>, BoxError> {
        if self.doomed.load(Ordering::Relaxed) {
            self.dead.cancel();
        }
        if self.dead.is_cancelled() {
            return std::future::pending().await;
        }
        let (parts, body) = request.into_parts();
        let bytes = body.collect().await?.to_bytes();
        let Some(call) = Call::read(&parts, &bytes) else {
            let refusal = crate::api::status::Refusal::no_such_path();
            return Ok(respond(refusal.code, &refusal.body, None));
        };
        let (effect, sent) = (self.count(&call), self.server.elapsed());
        tokio::time::sleep(LATENCY).await;
        self.act(Sent { call, at: sent }, effect).await
    }

    fn count(&self, call: &Call) -> Effect {
        let call_number = self.calls.fetch_add(1, Ordering::Relaxed);
        let counts = call.commits() && !call.is_bookkeeping();
        let write_number = counts.then(|| self.writes.fetch_add(1, Ordering::Relaxed));
        (self.hook)(&Seen { call_number, write_number, call, at: self.server.elapsed() })
    }

    async fn act(&self, call: Sent, effect: Effect) -> Result<Response<StreamBody<Frames>>, BoxError> {
        match effect {
            Effect::Pass => self.done(call),
            Effect::Refuse(refused) => {
                self.note(&call, false);
                let refusal = refused.refusal(&call.call);
                Ok(respond(refusal.code, &refusal.body, refused.retry_after))
            }
            Effect::RefuseAfter(refused) => {
                let refusal = refused.refusal(&call.call);
                self.done(call)?;
                Ok(respond(refusal.code, &refusal.body, refused.retry_after))
            }
            Effect::Broken => {
                self.note(&call, false);
                Err(broken())
            }
            Effect::BrokenAfter => {
                self.done(call)?;
                Err(broken())
            }
            Effect::Hang => {
                self.note(&call, false);
                std::future::pending().await
            }
            Effect::HangAfter => {
                self.done(call)?;
                std::future::pending().await
            }
            Effect::Truncated => self.truncated(call).await,
            Effect::Crash(moment) => self.crash(call, moment).await,
            Effect::Freeze(pause) => {
                let answer = self.done(call);
                if let Some(then) = self.freeze.lock().unwrap_or_else(PoisonError::into_inner).take() {
                    then();
                }
                // The clock moves at the first poll; nobody else gets a turn before the answer is seen.
                let _ = futures::poll!(std::pin::pin!(tokio::time::advance(pause)));
                answer
            }
        }
    }

    async fn truncated(&self, call: Sent) -> Result<Response<StreamBody<Frames>>, BoxError> {
        if call.call.verb == Verb::Watch {
            let half = Bytes::from_static(b"{\"type\":\"MODIFIED\",\"object\":{\"kind\":\"Partial");
            self.note(&call, false);
            return Ok(Response::new(StreamBody::new(
                futures::stream::iter([Ok(http_body::Frame::data(half))]).boxed(),
            )));
        }
        let (parts, body) = self.done(call)?.into_parts();
        let whole = BodyExt::collect(body).await?.to_bytes();
        let half = whole.slice(..whole.len() / 2);
        Ok(Response::from_parts(
            parts,
            StreamBody::new(futures::stream::iter([Ok(http_body::Frame::data(half))]).boxed()),
        ))
    }

    async fn crash(&self, call: Sent, moment: Moment) -> Result<Response<StreamBody<Frames>>, BoxError> {
        match moment {
            Moment::BeforeSend => self.dead.cancel(),
            Moment::AfterCommit => {
                self.done(call)?;
                self.dead.cancel();
            }
            Moment::AfterResponse => {
                self.doomed.store(true, Ordering::Relaxed);
                return self.done(call);
            }
        }
        std::future::pending().await
    }

    fn note(&self, call: &Sent, committed: bool) {
        let made = Made { call: call.call.clone(), sent: call.at, at: self.server.elapsed(), committed };
        self.made.lock().unwrap_or_else(PoisonError::into_inner).push(made);
    }

    fn done(&self, call: Sent) -> Result<Response<StreamBody<Frames>>, BoxError> {
        if call.call.verb == Verb::Watch {
            self.note(&call, false);
            let lines = watching::lines(&self.server, call.call, self.lens.clone());
            return Ok(Response::new(StreamBody::new(lines.map_ok(http_body::Frame::data).boxed())));
        }
        let Sent { call: asked, .. } = &call;
        let answer = self.server.answer(asked, self.lens.lag(asked.verb == Verb::List));
        self.note(&call, asked.commits() && answer.is_ok());
        Ok(match answer {
            Ok(value) => respond(if asked.verb == Verb::Create { 201 } else { 200 }, &value, None),
            Err(refusal) => respond(refusal.code, &refusal.body, None),
        })
    }
}

fn respond(code: u16, body: &Value, retry_after: Option<u32>) -> Response<StreamBody<Frames>> {
    let bytes = Bytes::from(serde_json::to_vec(body).expect("JSON is text"));
    let body = StreamBody::new(futures::stream::iter([Ok(http_body::Frame::data(bytes))]).boxed());
    let mut response = Response::new(body);
    *response.status_mut() = http::StatusCode::from_u16(code).expect("a status code");
    if let Some(seconds) = retry_after {
        response.headers_mut().insert(http::header::RETRY_AFTER, seconds.into());
    }
    response
}

fn broken() -> BoxError {
    Box::new(io::Error::from(io::ErrorKind::ConnectionReset))
}

/// Key material that is always the same, so that certificates do not tell when they were issued, nor how often.
#[derive(Debug)]
struct Same;

fn start() -> Timestamp {
    START.parse().expect("the start is a time")
}

impl Randomness for Same {
    fn key_pair(&self) -> Result<rcgen::KeyPair, rcgen::Error> {
        Fixed::at(start()).key_pair()
    }
    fn serial(&self) -> Result<rcgen::SerialNumber, rcgen::Error> {
        Fixed::at(start()).serial()
    }
}

/// A clock that is wrong by so much, and stands still unless the server's is followed.
struct Skewed {
    follows: Option<Arc<Server>>,
    by: SignedDuration,
}

impl Clock for Skewed {
    fn now(&self) -> Timestamp {
        self.follows.as_ref().map_or_else(start, |server| server.now()) + self.by
    }
}

/// A process of the operator.
pub struct Process {
    /// Its connection.
    pub connection: Arc<Connection>,
    task: JoinHandle<String>,
    stop: CancellationToken,
}

/// How to start a process.
#[derive(Clone)]
pub struct Start {
    /// What goes wrong with its calls.
    pub hook: Hook,
    /// How it sees the cluster.
    pub lens: Lens,
    /// Its name, if it must win the lease first.
    pub candidate: Option<&'static str>,
    /// How wrong its clock is; none: it stands still, so that nothing tells when it was written.
    pub skew: Option<SignedDuration>,
}

impl Default for Start {
    fn default() -> Self {
        Self { hook: crate::fault::none(), lens: Lens::default(), candidate: None, skew: None }
    }
}

impl Process {
    /// Starts one.
    pub fn start(server: &Arc<Server>, how: Start) -> Self {
        let connection = Connection::new(server, how.hook, how.lens);
        let stop = CancellationToken::new();
        let clock = Skewed { follows: how.skew.map(|_| Arc::clone(server)), by: how.skew.unwrap_or_default() };
        let machine = Machine { clock: Arc::new(clock), randomness: Arc::new(Same) };
        let (client, dead, stopped) = (connection.client(), connection.dead.clone(), stop.clone());
        let (name, args) = (how.candidate.unwrap_or("operator"), arguments(how.candidate.is_some()));
        let task = tokio::spawn(async move {
            let running = run::lead(client, &args, Arc::new(Metrics::default()), name.into(), machine, &stopped);
            tokio::select! {
                () = dead.cancelled() => "crashed".to_owned(),
                result = running => match result {
                    Ok(()) => "stopped".to_owned(),
                    Err(error) => format!("{error:#}"),
                },
            }
        });
        Self { connection, task, stop }
    }

    /// Whether it still runs.
    pub fn runs(&self) -> bool {
        !self.task.is_finished()
    }

    /// Waits until it ends by itself, and tells why.
    pub async fn ended(&mut self) -> String {
        (&mut self.task).await.unwrap_or_else(|error| format!("it broke: {error}"))
    }

    /// Kills it.
    pub async fn kill(self) {
        self.connection.dead.cancel();
        self.task.abort();
        while !self.task.is_finished() {
            tokio::task::yield_now().await;
        }
    }

    /// Stops it as SIGTERM does.
    pub async fn stop(self) -> String {
        self.stop.cancel();
        self.task.await.unwrap_or_else(|error| format!("it broke: {error}"))
    }
}

fn arguments(elect: bool) -> RunArgs {
    use clap::Parser as _;
    let elect = if elect { "--leader-elect=true" } else { "--leader-elect=false" };
    match Cli::parse_from(["chimera", "run", elect, "--cluster-domain=cluster.local"]).command {
        Command::Run(args) => args,
        other => panic!("{other:?} is not what was asked for"),
    }
}
