//! Digests that an ImageSet pins.

use std::collections::{BTreeMap, BTreeSet};

use chimera_crds::image_set::{Image as Entry, ImageSet};
use chimera_crds::installation::Variant;

use super::{Build, Image};
use crate::codes;
use crate::message::Message;

/// The digests to use, from the ImageSet that is meant for a variant and the version of this build.
///
/// No ImageSet for the variant: no digests. Its name is the variant's in lower case, a dash and the version.
///
/// # Errors
/// A message for each thing that is wrong with it: it is for another version, lists an image twice or one that is not
/// deployed, has a digest that is none, or lacks images.
pub fn digests(sets: &[ImageSet], variant: &Variant) -> Result<BTreeMap<Image, String>, Vec<Message>> {
    let prefix = format!("{}-", variant.as_str().to_lowercase());
    let wanted = format!("{prefix}{}", Build::current().version);
    let name = |set: &ImageSet| set.metadata.name.clone().unwrap_or_default();
    let meant: Vec<_> = sets.iter().filter(|set| name(set).starts_with(&prefix)).collect();
    match meant.iter().find(|set| name(set) == wanted) {
        Some(set) => read(&wanted, set.spec.images.as_deref().unwrap_or_default(), variant),
        None if meant.is_empty() => Ok(BTreeMap::new()),
        None => Err(vec![another_version(&wanted, &meant.into_iter().map(name).collect::<Vec<_>>())]),
    }
}

fn another_version(wanted: &str, there: &[String]) -> Message {
    let detail = format!(
        "there is none of this name, and this operator deploys {}; there is only {}: create one of this name, or delete \
         what is there to go by tags",
        Build::current().version,
        there.join(", ")
    );
    Message::new(&codes::IMAGE_SET_INVALID, detail).on(format!("ImageSet {wanted}"))
}

fn read(name: &str, entries: &[Entry], variant: &Variant) -> Result<BTreeMap<Image, String>, Vec<Message>> {
    let label = format!("ImageSet {name}");
    let wrong = |index: usize, field: &str, detail: String| {
        let path = format!("spec.images[{index}].{field}");
        Message::new(&codes::IMAGE_SET_INVALID, detail).on(&label).field(path)
    };
    let (mut digests, mut errors, mut seen) = (BTreeMap::new(), Vec::new(), BTreeSet::new());
    for (index, entry) in entries.iter().enumerate() {
        if !seen.insert(entry.image.as_str()) {
            errors.push(wrong(index, "image", format!("{} is listed before", entry.image)));
        }
        if !is_digest(&entry.digest) {
            let detail = format!("{:?} is no digest: sha256: and 64 hexadecimal digits", entry.digest);
            errors.push(wrong(index, "digest", detail));
        }
        match known(&entry.image) {
            Some(image) => drop(digests.insert(image, entry.digest.clone())),
            // What a variant deploys besides is known to its plugin only.
            None if variant.is_calico() => {
                errors.push(wrong(index, "image", format!("{} is not deployed by this version", entry.image)));
            }
            None => {}
        }
    }
    errors.extend(missing(&digests).map(|detail| Message::new(&codes::IMAGE_SET_INCOMPLETE, detail).on(&label)));
    if errors.is_empty() { Ok(digests) } else { Err(errors) }
}

fn missing(digests: &BTreeMap<Image, String>) -> Option<String> {
    let missing: Vec<_> = Image::ALL.iter().filter(|image| !digests.contains_key(image)).map(|i| i.listed()).collect();
    (!missing.is_empty()).then(|| format!("it lacks {}", missing.join(", ")))
}

fn known(listed: &str) -> Option<Image> {
    Image::ALL.iter().copied().find(|image| image.listed() == listed)
}

fn is_digest(text: &str) -> bool {
    let hex = |digits: &str| digits.len() == 64 && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    text.strip_prefix("sha256:").is_some_and(hex)
}

impl Image {
    /// As an ImageSet lists it, such as `calico/node`.
    pub fn listed(self) -> String {
        format!("{}/{}", Build::current().image_path, self.name())
    }
}
