//! Types of `operator.tigera.io/v1` and of the projectcalico.org resources that the operator touches.
//!
//! The Rust types are the one source of the operator's CRDs: `cargo xtask crds` writes `crds/yaml` from them. Doc comments of fields
//! become what `kubectl explain` shows. No client and no behaviour lives here, only shapes and the validation that a schema can say.

#![allow(clippy::duplicated_attributes, reason = "the columns of a CRD repeat `type_`")]

pub mod api_server;
pub mod component_status;
pub mod gateway_api;
pub mod generate;
pub mod goldmane;
pub mod image_set;
pub mod installation;
pub mod istio;
pub mod management_cluster_connection;
pub mod manifests;
pub mod parse;
pub mod projectcalico;
pub mod schema;
pub mod tigera_status;
pub mod whisker;

pub use api_server::{ApiServer, ApiServerSpec, ApiServerStatus};
pub use component_status::ComponentStatus;
pub use gateway_api::{GatewayApi, GatewayApiSpec};
pub use goldmane::{Goldmane, GoldmaneSpec};
pub use image_set::{Image, ImageSet, ImageSetSpec};
pub use installation::{Installation, InstallationSpec, InstallationStatus, Variant};
pub use istio::{Istio, IstioSpec};
pub use management_cluster_connection::{ManagementClusterConnection, ManagementClusterConnectionSpec};
pub use tigera_status::{ConditionStatus, TigeraStatus, TigeraStatusCondition, TigeraStatusSpec, TigeraStatusStatus};
pub use whisker::{Whisker, WhiskerSpec};
