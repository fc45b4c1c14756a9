//! What controllers share whose component has a custom resource of its own and follows from the Installation as well.

use std::time::Duration;

use chimera_core::certificates::{CA_SECRET, next_change};
use chimera_core::codes;
use chimera_core::component::Readiness;
use chimera_core::following::Following;
use chimera_core::installation::config::{InstallationConfig, Owner};
use chimera_core::installation::inputs::InstallationInputs;
use chimera_core::message::Message;
use chimera_core::names::CALICO_SYSTEM;
use chimera_core::object::ObjectKey;
use chimera_crds::parse;
use serde::de::DeserializeOwned;

use super::installation::dereference;
use super::installation::removal::{self, Stage};
use super::subject::{API_VERSION, Subject};
use crate::apply::live::{Known, LiveVersions as _};
use crate::context::Context;
use crate::watch::versions::Scope;

/// Name of the resource that is served.
const NAME: &str = "default";

/// A kind of the operator's own API of which one resource is served.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// As `APIServer`.
    pub kind: &'static str,
    /// As `apiservers`.
    pub plural: &'static str,
    /// Whether a single one of another name is served, too: clusters have such resources from before.
    pub any_name: bool,
}

/// What there is of a kind.
#[derive(Debug)]
pub enum Search<T> {
    /// It is not known yet; the watch rings once it is.
    Unknown,
    /// None.
    Nothing,
    /// One that is being deleted: what it owns goes with it.
    Leaving,
    /// This one.
    Found(Box<Own<T>>),
}

/// The resource that is served.
#[derive(Debug)]
pub struct Own<T> {
    /// As conditions and Events name it.
    pub subject: Subject,
    /// It.
    pub resource: T,
    /// Names of others of its kind.
    pub strays: Vec<String>,
}

impl<T> Own<T> {
    /// As the owner of what is rendered for it.
    pub fn owner(&self) -> Owner {
        Owner { name: self.subject.key.name.clone(), uid: self.subject.uid.clone() }
    }

    /// A warning for each of its kind that is not served.
    pub fn warnings(&self) -> Vec<Message> {
        let stray = |name: &String| {
            let served = &self.subject.key.name;
            Message::new(&codes::STRAY_RESOURCE, format!("it is ignored: the operator serves the one named `{served}`"))
                .on(format!("{} {name}", self.subject.key.kind))
                .field("metadata.name")
        };
        self.strays.iter().map(stray).collect()
    }
}

/// Looks for the one to serve: `default`, else the only one there is where the kind may have any name.
///
/// # Errors
/// If it cannot be read, or only others are there that are not served.
pub async fn find<T: DeserializeOwned>(context: &Context, kind: Kind) -> Result<Search<T>, (Subject, Message)> {
    let key = |name: &str| ObjectKey::cluster(API_VERSION, kind.kind, name);
    let subject = |name: &str| Subject { key: key(name), uid: None, generation: None };
    let scope = Scope::all(API_VERSION, kind.kind);
    let read = context.reader.get(&key(NAME), kind.plural).await;
    let mut live = read.map_err(|error| (subject(NAME), dereference::failed(error)))?;
    let mut names: Vec<_> = context.versions.keys(&scope).into_iter().map(|key| key.name).collect();
    if live.is_none() && !context.versions.is_listed(&scope) {
        return Ok(Search::Unknown);
    }
    if let (None, [name]) = (&live, names.as_slice())
        && kind.any_name
    {
        let read = context.reader.get(&key(name), kind.plural).await;
        live = read.map_err(|error| (subject(name), dereference::failed(error)))?;
    }
    let Some(live) = live else { return names.first().map_or(Ok(Search::Nothing), |name| Err(misnamed(kind, name))) };
    if live.pointer("/metadata/deletionTimestamp").is_some() {
        return Ok(Search::Leaving);
    }
    let subject = Subject::of(&live);
    let resource = parse::resource::<T>((*live).clone()).map_err(|error| (subject.clone(), unreadable(error)))?;
    names.retain(|name| *name != subject.key.name);
    Ok(Search::Found(Box::new(Own { subject, resource, strays: names })))
}

fn unreadable(error: parse::ParseError) -> Message {
    Message::new(&codes::UNREADABLE_RESOURCE, error.message).on(error.resource).field(error.path)
}

fn misnamed(kind: Kind, name: &str) -> (Subject, Message) {
    let key = ObjectKey::cluster(API_VERSION, kind.kind, name);
    let detail = format!("the operator serves one {}, named `{NAME}`, not {name:?}", kind.kind);
    let message = Message::new(&codes::UNEXPECTED_NAME, detail).on(&key).field("metadata.name");
    (Subject { key, uid: None, generation: None }, message)
}

/// What was read for the Installation, or why there is nothing to follow.
///
/// # Errors
/// If something of it cannot be read.
pub async fn installation(context: &Context) -> Result<Result<InstallationInputs, Message>, Message> {
    let waits = |detail: &str| Message::new(&codes::WAITING_FOR_INSTALLATION, detail).on("Installation default");
    match removal::stage(context).await {
        Stage::Serve => {}
        Stage::Leaving(_) => return Ok(Err(waits("it is being deleted, and nothing can run without one"))),
        Stage::Gone => return Ok(Err(waits("it is not there, and nothing can run without one"))),
    }
    let found = dereference::run(context).await?;
    Ok(found.map(|found| found.inputs).ok_or_else(|| waits("it is not there, and nothing can run without one")))
}

/// The Installation's config.
///
/// # Errors
/// If it is refused; what is wrong is told by the controller of the Installation.
pub fn config(inputs: &InstallationInputs, context: &Context) -> Result<InstallationConfig, Vec<Message>> {
    chimera_core::installation::validate(inputs, context.env()).map_err(|_| {
        let detail = "it cannot be served, see TigeraStatus calico; what follows from it stays as it is";
        vec![Message::new(&codes::INSTALLATION_REFUSED, detail).on("Installation default")]
    })
}

/// Whether the controller of the Installation has made what every component builds on: the namespace, and the authority
/// that its key pairs are issued by.
pub fn readiness(inputs: &InstallationInputs, context: &Context) -> Readiness {
    let key = ObjectKey::cluster("v1", "Namespace", CALICO_SYSTEM);
    if !matches!(context.versions.version(&key), Known::At { .. }) {
        return Readiness::Waiting(format!("Namespace {CALICO_SYSTEM} is not there yet"));
    }
    let managed = inputs.installation.spec.certificate_management.is_some();
    if managed || inputs.secrets.contains_key(CA_SECRET) {
        return Readiness::Ready;
    }
    Readiness::Waiting(format!("Secret {}/{CA_SECRET} is not there yet", context.settings.namespace))
}

/// Until a certificate of such a component is to be renewed, or its owner told. Nothing in the cluster changes when that
/// time has come, so no watch tells.
pub fn until_renewal(config: &dyn Following, context: &Context) -> Duration {
    let now = context.clock.now();
    let then = next_change(&config.key_pairs(), now);
    then.and_then(|then| Duration::try_from(then.duration_since(now)).ok()).unwrap_or(Duration::MAX)
}
