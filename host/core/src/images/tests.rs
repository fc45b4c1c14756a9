//! References and ImageSets.

use chimera_crds::image_set::{Image as Entry, ImageSet, ImageSetSpec};
use chimera_crds::installation::Variant;
use serde_json::json;

use super::*;
use crate::message::Message;

fn spec(value: serde_json::Value) -> InstallationSpec {
    serde_json::from_value(value).unwrap()
}

fn reference(value: serde_json::Value) -> String {
    Images::new(&spec(value), BTreeMap::new()).reference(Image::Node)
}

fn digest(number: usize) -> String {
    format!("sha256:{number:064x}")
}

fn full() -> Vec<Entry> {
    let entries = Image::ALL.iter().enumerate();
    entries.map(|(number, image)| Entry { image: image.listed(), digest: digest(number) }).collect()
}

fn set(version: &str, images: Vec<Entry>) -> ImageSet {
    ImageSet::new(&format!("calico-{version}"), ImageSetSpec { images: Some(images) })
}

fn refused(sets: &[ImageSet]) -> Vec<String> {
    digests(sets, &Variant::default()).unwrap_err().iter().map(Message::to_string).collect()
}

#[test]
fn an_image_comes_from_where_the_user_says() {
    let Build { version, registry, image_path } = Build::current();
    let standard = format!("{registry}{image_path}/node:{version}");
    assert_eq!(reference(json!({})), standard);
    let default = json!({"registry": "UseDefault", "imagePath": "UseDefault", "imagePrefix": "UseDefault"});
    assert_eq!(reference(default), standard);
    let mirror = json!({"registry": "registry.example.com/", "imagePath": "mirror/calico", "imagePrefix": "acme-"});
    assert_eq!(reference(mirror), format!("registry.example.com/mirror/calico/acme-node:{version}"));
    let bare = json!({"registry": "registry.example.com"});
    assert_eq!(reference(bare), format!("registry.example.com/{image_path}/node:{version}"));
}

#[test]
fn an_image_set_replaces_tags_by_digests() {
    let version = Build::current().version;
    let digests = digests(&[set(version, full())], &Variant::default()).unwrap();
    let images = Images::new(&spec(json!({"registry": "registry.example.com/"})), digests);
    let reference = images.reference(Image::Calico);
    assert_eq!(reference, format!("registry.example.com/{}/calico@{}", Build::current().image_path, digest(0)));
}

#[test]
fn without_an_image_set_for_the_variant_there_are_no_digests() {
    let other = ImageSet::new("zebra-v1", ImageSetSpec::default());
    assert!(digests(&[other], &Variant::default()).unwrap().is_empty());
}

#[test]
fn an_image_set_for_another_version_only_is_an_error_that_names_both() {
    let messages = refused(&[set("v0.0.0", full())]);
    assert!(messages[0].contains(&format!("ImageSet calico-{}", Build::current().version)), "{messages:?}");
    assert!(messages[0].contains("only calico-v0.0.0"), "{messages:?}");
}

#[test]
fn everything_wrong_with_an_image_set_is_told_at_once() {
    let mut images = full();
    let removed = images.pop().unwrap();
    images.push(Entry { image: "calico/typo".into(), digest: digest(1) });
    images.push(Entry { image: Image::Node.listed(), digest: "sha256:12".into() });
    let messages = refused(&[set(Build::current().version, images)]);
    let expected = ["calico/typo is not deployed", "is listed before", "\"sha256:12\" is no digest", &removed.image];
    assert_eq!(messages.len(), expected.len(), "{messages:?}");
    for text in expected {
        assert!(messages.iter().any(|message| message.contains(text)), "{text} is not in {messages:?}");
    }
}

#[test]
fn the_sample_is_for_what_a_build_without_a_version_deploys_and_lists_everything() {
    let text = include_str!("../../../../crds/samples/imageset.yaml");
    let mut sample: ImageSet = serde_saphyr::from_str(text).unwrap();
    assert_eq!(sample.metadata.name.as_deref(), Some("calico-master"));
    sample.metadata.name = Some(format!("calico-{}", Build::current().version));
    let digests = digests(&[sample], &Variant::default()).unwrap();
    assert_eq!(digests.len(), Image::ALL.len());
}
