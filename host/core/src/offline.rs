//! What resources beside the Installation ask for, where everything comes from files: the same configs and components as
//! in a cluster, in one call.

mod connection;
mod flows;

use chimera_crds::ApiServer;
use chimera_crds::parse;
use serde::de::DeserializeOwned;

use crate::api_server::{self, ApiServerConfig};
use crate::cluster_connection::ClusterConnectionConfig;
use crate::codes;
use crate::component::Component;
use crate::env::Env;
use crate::extensions::Point;
use crate::following::Resource;
use crate::goldmane::GoldmaneConfig;
use crate::installation::config::{InstallationConfig, Owner};
use crate::installation::inputs::InstallationInputs;
use crate::message::Message;
use crate::object::Object;
use crate::render;
use crate::tiers::TiersConfig;
use crate::whisker::WhiskerConfig;

/// The resource of a kind that goes before others.
const NAME: &str = "default";

/// What the files hold.
#[derive(Clone, Copy)]
pub struct Files<'a> {
    /// All objects.
    pub objects: &'a [Object],
    /// The same as inputs of the Installation.
    pub inputs: &'a InstallationInputs,
    /// The Installation's config.
    pub installation: &'a InstallationConfig,
    /// Where time and key material come from.
    pub env: Env<'a>,
}

/// The config of a resource's components.
#[derive(Clone, Debug)]
pub enum Config {
    /// Of an APIServer.
    ApiServer(Box<ApiServerConfig>),
    /// Of the tier of the operator's policies.
    Tiers(Box<TiersConfig>),
    /// Of a Goldmane.
    Goldmane(Box<GoldmaneConfig>),
    /// Of a Whisker.
    Whisker(Box<WhiskerConfig>),
    /// Of a ManagementClusterConnection.
    ClusterConnection(Box<ClusterConnectionConfig>),
}

impl Config {
    /// As plugins, overrides and policies take it.
    pub fn point(&self) -> Point<'_> {
        match self {
            Self::ApiServer(config) => Point::ApiServer(config),
            Self::Tiers(config) => Point::Tiers(config),
            Self::Goldmane(config) => Point::Goldmane(config),
            Self::Whisker(config) => Point::Whisker(config),
            Self::ClusterConnection(config) => Point::ClusterConnection(config),
        }
    }
}

/// What one resource comes to.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its config.
    pub config: Config,
    /// Its components.
    pub components: Vec<Component>,
    /// What deserves a look; an error where a resource cannot be served and the others can.
    pub warnings: Vec<Message>,
}

/// What one resource comes to, if there is any of its kind.
type Asked = Result<Option<Part>, Vec<Message>>;

/// Everything that resources beside the Installation ask for.
///
/// # Errors
/// Everything that is wrong with them.
pub fn parts(files: Files<'_>) -> Result<Vec<Part>, Vec<Message>> {
    let all: [Asked; 5] =
        [tiers(files), api_server(files), flows::goldmane(files), flows::whisker(files), connection::guardian(files)];
    let (parts, errors): (Vec<_>, Vec<_>) = all.into_iter().partition(Result::is_ok);
    let errors: Vec<_> = errors.into_iter().filter_map(Result::err).flatten().collect();
    if errors.is_empty() { Ok(parts.into_iter().flatten().flatten().collect()) } else { Err(errors) }
}

fn tiers(files: Files<'_>) -> Asked {
    if !files.installation.takes_policies {
        return Ok(None);
    }
    let config = TiersConfig::new(files.installation.clone());
    let component = render::tiers::component(&config).map_err(render::Error::messages)?;
    Ok(Some(Part { config: Config::Tiers(Box::new(config)), components: vec![component], warnings: Vec::new() }))
}

fn api_server(files: Files<'_>) -> Asked {
    let kind = "APIServer";
    let Some((owner, resource)) = find::<ApiServer>(files.objects, kind)? else { return Ok(None) };
    let resource = (Resource { kind, owner }, resource.spec);
    let config = api_server::validate(resource, files.inputs, files.installation.clone(), files.env)?;
    let components = render::api_server::components(&config).map_err(render::Error::messages)?;
    let warnings = config.warnings.clone();
    Ok(Some(Part { config: Config::ApiServer(Box::new(config)), components, warnings }))
}

/// The resource of a kind that a cluster would serve: the one of the usual name, else the only one.
fn find<T: DeserializeOwned>(objects: &[Object], kind: &str) -> Result<Option<(Owner, T)>, Vec<Message>> {
    let of_kind = |object: &&Object| object.key().group() == "operator.tigera.io" && object.key().kind == kind;
    let all: Vec<_> = objects.iter().filter(of_kind).collect();
    let usual = all.iter().find(|object| object.key().name == NAME);
    let Some(object) = usual.or(all.first()) else { return Ok(None) };
    if usual.is_none() && all.len() > 1 {
        let detail = format!("there are {}, and none is named {NAME}", all.len());
        return Err(vec![Message::new(&codes::UNEXPECTED_NAME, detail).on(object.key()).field("metadata.name")]);
    }
    let uid = object.pointer("/metadata/uid").and_then(serde_json::Value::as_str).map(Into::into);
    let owner = Owner { name: object.key().name.clone(), uid };
    let typed = parse::resource((*object).clone().into_value()).map_err(|error| {
        vec![Message::new(&codes::UNREADABLE_RESOURCE, error.message).on(error.resource).field(error.path)]
    })?;
    Ok(Some((owner, typed)))
}
