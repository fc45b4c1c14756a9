//! The connection to a cluster that manages this one.

use chimera_crds::ManagementClusterConnection;

use super::{Asked, Config, Files, Part, find};
use crate::cluster_connection;
use crate::component::Readiness;
use crate::render::{self, guardian};

/// guardian, and its network policy where the cluster takes it.
pub(super) fn guardian(files: Files<'_>) -> Asked {
    let found = find::<ManagementClusterConnection>(files.objects, "ManagementClusterConnection")?;
    let Some((owner, resource)) = found else { return Ok(None) };
    let installation = files.installation.clone();
    let config = cluster_connection::validate(&resource, owner, files.inputs, installation, files.env)?;
    let components = guardian::components(&config, &Readiness::Ready).map_err(render::Error::messages)?;
    let warnings = config.warnings.clone();
    Ok(Some(Part { config: Config::ClusterConnection(Box::new(config)), components, warnings }))
}
