//! Values of flags that can be found wrong before anything is done.

use std::path::PathBuf;

use chimera_core::names::{is_dns_label, is_object_name};

use crate::controllers::wiring;

pub(super) fn namespace(text: &str) -> Result<String, String> {
    match is_dns_label(text) {
        true => Ok(text.into()),
        false => {
            Err("no namespace can have this name: give 1 to 63 lower-case letters, digits and inner hyphens".into())
        }
    }
}

pub(super) fn domain(text: &str) -> Result<String, String> {
    match is_object_name(text) {
        true => Ok(text.into()),
        false => {
            Err("not a DNS domain: give labels of lower-case letters, digits and inner hyphens, joined by full stops, \
                      as in cluster.local"
                .into())
        }
    }
}

pub(super) fn api_group(text: &str) -> Result<String, String> {
    match wiring::api_group(Some(text)) {
        Ok(_) => Ok(text.into()),
        Err(_) => Err("give crd.projectcalico.org/v1 or projectcalico.org/v3".into()),
    }
}

/// It is made where it is missing.
pub(super) fn cache_dir(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.exists() && !path.is_dir() {
        true => Err("this is not a folder: name one, or leave the flag out".into()),
        false => Ok(path),
    }
}
