//! The driver as Kubernetes knows it.

use chimera_crds::installation::Provider;
use k8s_openapi::api::storage::v1::{CSIDriver, CSIDriverSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::names::CSI_DRIVER;
use crate::render::meta;

/// The CSIDriver: volumes that live as long as their pod.
pub(super) fn csi_driver(provider: Provider) -> CSIDriver {
    CSIDriver {
        metadata: metadata(provider),
        spec: CSIDriverSpec {
            pod_info_on_mount: Some(true),
            volume_lifecycle_modes: Some(vec!["Ephemeral".into()]),
            ..CSIDriverSpec::default()
        },
    }
}

fn metadata(provider: Provider) -> ObjectMeta {
    let metadata = meta::cluster(CSI_DRIVER);
    if provider != Provider::OpenShift {
        return metadata;
    }
    // Pods of all but the least trusted profile may use such volumes.
    let profile = ("security.openshift.io/csi-ephemeral-volume-profile".into(), "restricted".into());
    ObjectMeta { labels: Some([profile].into()), ..metadata }
}
