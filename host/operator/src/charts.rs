//! Chart bundles: those that the build embedded, or those of a folder. Nothing of them is in memory but while a resource
//! that needs them is looked after.

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind};
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

/// A bundle that is not read yet.
pub struct Packed {
    charts: Charts,
    reader: Box<dyn BufRead + Send>,
}

impl Packed {
    /// Finds one, in a folder if there is one, else in what the build embedded; none if there is none.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn find(charts: Charts, folder: Option<&Path>) -> Result<Option<Self>, Error> {
        let Some(folder) = folder else { return Ok(Self::embedded(charts)) };
        let path = folder.join(charts.file());
        match File::open(&path) {
            Ok(file) => Ok(Some(Self { charts, reader: Box::new(BufReader::new(file)) })),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(source) => Err(Error::Open { path, source }),
        }
    }

    fn embedded(charts: Charts) -> Option<Self> {
        let embedded = match charts {
            Charts::Gateway => GATEWAY,
            Charts::Istio => ISTIO,
        };
        (!embedded.is_empty()).then(|| Self { charts, reader: Box::new(embedded) })
    }

    /// Reads it. Of definitions only those are kept that `wanted` takes by their name.
    ///
    /// # Errors
    /// If it is no bundle that this release reads.
    pub fn read(self, wanted: impl Fn(&str) -> bool) -> Result<Bundle, Error> {
        let decoder = zstd::stream::read::Decoder::with_buffer(self.reader).map_err(Error::Unpack)?;
        Ok(Bundle::read(BufReader::new(decoder), wanted)?)
    }

    /// The same, with an error for an administrator.
    ///
    /// # Errors
    /// If it is no bundle that this release reads.
    pub fn bundle(self, wanted: impl Fn(&str) -> bool) -> Result<Bundle, Message> {
        let charts = self.charts;
        self.read(wanted).map_err(|error| unreadable(charts, &error))
    }
}

/// The bundle that a resource is rendered from, or why there is none, for an administrator.
///
/// # Errors
/// If the build had no such charts.
pub fn needed(charts: Charts, folder: Option<&Path>) -> Result<Packed, Message> {
    match Packed::find(charts, folder) {
        Ok(Some(packed)) => Ok(packed),
        Ok(None) => {
            let detail = match folder {
                Some(folder) => format!("{} has no {}", folder.display(), charts.file()),
                None => format!("this operator was built without {}", charts.input()),
            };
            Err(Message::new(&codes::CHARTS_MISSING, detail))
        }
        Err(error) => Err(unreadable(charts, &error)),
    }
}

fn unreadable(charts: Charts, error: &Error) -> Message {
    Message::new(&codes::CHARTS_UNSUITABLE, format!("what {} brought cannot be read: {error}", charts.input()))
}

#[cfg(test)]
mod tests {
    use chimera_core::charts::Chart;

    use super::*;

    #[test]
    fn an_ordinary_build_has_no_charts_and_says_which_input_brings_them() {
        for charts in Charts::ALL {
            assert!(Packed::find(charts, None).unwrap().is_none());
            let message = needed(charts, None).err().unwrap().to_string();
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
        assert_eq!(needed(Charts::Istio, Some(&folder)).ok().unwrap().bundle(|_| true).unwrap(), bundle);
        assert!(needed(Charts::Gateway, Some(&folder)).err().unwrap().to_string().contains("gateway-api.bundle"));
        std::fs::write(&file, "no bundle").unwrap();
        let message = needed(Charts::Istio, Some(&folder)).ok().unwrap().bundle(|_| true).unwrap_err();
        assert_eq!(message.code().id, codes::CHARTS_UNSUITABLE.id);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
