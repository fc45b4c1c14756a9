//! `ImageSet`: digests for the images that the operator deploys.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

/// The images of one release, pinned by digest.
#[skip_serializing_none]
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[kube(
    group = "operator.tigera.io",
    version = "v1",
    kind = "ImageSet",
    plural = "imagesets",
    shortname = "imgset",
    category = "calico",
    derive = "PartialEq",
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    doc = "ImageSet pins the images of one release by digest, so that what runs is exactly what was checked. Its name says what it is for: the lower-case name of the variant, a dash and the version, such as `calico-v3.32.0`. `chimera images` prints the images that it has to list. As soon as one ImageSet exists for a variant, one with the version that the operator deploys must exist too."
)]
#[serde(rename_all = "camelCase")]
pub struct ImageSetSpec {
    /// The digest of each image. An image that is listed and that the operator does not deploy is an error, and so is one that it
    /// deploys and that is missing.
    pub images: Option<Vec<Image>>,
}

/// One image and its digest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Image {
    /// Name of the image without registry and tag, such as `calico/node`.
    pub image: String,

    /// Digest that replaces the tag, with its algorithm: `sha256:` and 64 hexadecimal digits.
    pub digest: String,
}
