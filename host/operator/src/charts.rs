//! Chart bundles: those that the build embedded, or those of a folder. Nothing of them is in memory but while a resource
//! that needs them is looked after.

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use chimera_core::charts::{self, Bundle, Charts};
use chimera_core::codes;
use chimera_core::message::Message;

/// What the build embedded, packed by zstd; empty if it was given no charts.
const GATEWAY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/gateway-api.bundle"));
const ISTIO: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/istio.bundle"));

/// Why a bundle cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file of the folder cannot be read.
    #[error("failed to open {path}")]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is not packed by zstd.
    #[error("failed to unpack a chart bundle")]
    Unpack(#[source] std::io::Error),
    /// It is no bundle.
    #[error("failed to read a chart bundle")]
    Read(#[from] charts::Error),
}

/// Reads one, from a folder if there is one, else from what the build embedded; none if there is none. Of definitions only
/// those are kept that `wanted` takes by their name.
///
/// # Errors
/// If what is there is no bundle that this release reads.
pub fn load(charts: Charts, folder: Option<&Path>, wanted: impl Fn(&str) -> bool) -> Result<Option<Bundle>, Error> {
    let Some(folder) = folder else {
        let embedded = match charts {
            Charts::Gateway => GATEWAY,
            Charts::Istio => ISTIO,
        };
        return if embedded.is_empty() { Ok(None) } else { unpack(embedded, wanted).map(Some) };
    };
    let path = folder.join(charts.file());
    match File::open(&path) {
        Ok(file) => unpack(BufReader::new(file), wanted).map(Some),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::Open { path, source }),
    }
}

fn unpack(packed: impl BufRead + Read, wanted: impl Fn(&str) -> bool) -> Result<Bundle, Error> {
    let decoder = zstd::stream::read::Decoder::with_buffer(packed).map_err(Error::Unpack)?;
    Ok(Bundle::read(BufReader::new(decoder), wanted)?)
}

/// The bundle that a resource is rendered from, or why there is none, for an administrator.
///
/// # Errors
/// If the build had no such charts, or they cannot be read.
pub fn needed(charts: Charts, folder: Option<&Path>, wanted: impl Fn(&str) -> bool) -> Result<Bundle, Message> {
    match load(charts, folder, wanted) {
        Ok(Some(bundle)) => Ok(bundle),
        Ok(None) => {
            let detail = match folder {
                Some(folder) => format!("{} has no {}", folder.display(), charts.file()),
                None => format!("this operator was built without {}", charts.input()),
            };
            Err(Message::new(&codes::CHARTS_MISSING, detail))
        }
        Err(error) => {
            let detail = format!("what {} brought cannot be read: {error}", charts.input());
            Err(Message::new(&codes::CHARTS_UNSUITABLE, detail))
        }
    }
}

#[cfg(test)]
mod tests {
    use chimera_core::charts::Chart;

    use super::*;

    #[test]
    fn an_ordinary_build_has_no_charts_and_says_which_input_brings_them() {
        for charts in Charts::ALL {
            assert!(load(charts, None, |_| true).unwrap().is_none());
            let message = needed(charts, None, |_| true).unwrap_err().to_string();
            assert!(message.contains(charts.input()), "{message}");
        }
    }

    #[test]
    fn bundles_of_a_folder_take_the_place_of_embedded_ones() {
        let folder = std::env::temp_dir().join(format!("chimera-charts-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let bundle = Bundle::new(vec![Chart { name: "farm".into(), version: "1".into() }], Vec::new());
        let mut bytes = Vec::new();
        bundle.write(&mut bytes).unwrap();
        let file = folder.join(Charts::Istio.file());
        std::fs::write(&file, zstd::encode_all(bytes.as_slice(), 3).unwrap()).unwrap();
        assert_eq!(load(Charts::Istio, Some(&folder), |_| true).unwrap(), Some(bundle));
        assert!(load(Charts::Gateway, Some(&folder), |_| true).unwrap().is_none());
        std::fs::write(&file, "no bundle").unwrap();
        assert!(needed(Charts::Istio, Some(&folder), |_| true).is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
