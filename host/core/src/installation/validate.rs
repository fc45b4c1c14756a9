//! From what was read to the one config that renderers take, or to everything that is wrong.

mod autodetection;
mod cni;
mod fields;
mod network;
mod references;
#[cfg(test)]
mod tests;
mod windows;

use chimera_crds::installation::{InstallationSpec, Provider, Variant};
use serde_json::{Map, Value};

use super::config::{InstallationConfig, Owner};
use super::inputs::InstallationInputs;
use super::objects::unexpected_name;
use super::overlay;
use super::trust::trusted;
use super::{cluster, defaults, openshift, pod_cidrs, services};
use crate::bgp;
use crate::certificates;
use crate::codes::{self, Severity};
use crate::env::Env;
use crate::felix::{self, Felix};
use crate::images::{self, Images};
use crate::ip_pools::{self, IpPools};
use crate::message::Message;
use crate::migrate;
use crate::object::Object;

/// Name of the one Installation that is served.
pub(super) const NAME: &str = "default";
/// How messages name it.
const LABEL: &str = "Installation default";

/// Why an Installation cannot be served: everything at once, errors first.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct Rejected(pub Vec<Message>);

/// Checks what was read and works out the config.
///
/// Key material and time come from `env` only, and only where no key pair that is good exists.
///
/// # Errors
/// Every problem that was found.
pub fn validate(inputs: &InstallationInputs, env: Env<'_>) -> Result<InstallationConfig, Rejected> {
    let mut problems = Problems::default();
    let spec = checked(inputs, &mut problems);
    let pull_secrets = references::pull_secrets(&spec, inputs, env.namespace, &mut problems);
    let cluster = cluster::facts(inputs, &spec, env.namespace, &mut problems.0);
    let parts = parts(inputs, &spec, &mut problems, env);
    let (errors, warnings) = problems.split(inputs.overlay.as_ref());
    let Some(Parts { images, certificates, felix, bgp }) = parts.filter(|_| errors.is_empty()) else {
        return Err(Rejected(errors.into_iter().chain(warnings).collect()));
    };
    let metadata = &inputs.installation.metadata;
    let openshift_network = openshift::status(&spec, inputs);
    let Felix { facts, object } = felix;
    Ok(InstallationConfig {
        owner: Owner { name: metadata.name.clone().unwrap_or_default(), uid: metadata.uid.clone() },
        overlay: inputs.overlay.clone(),
        defaults: chosen(&inputs.installation.spec, &spec),
        spec,
        cluster,
        images,
        certificates,
        felix: facts,
        felix_configuration: object,
        bgp_configuration: bgp,
        openshift_network,
        goldmane: services::goldmane(inputs),
        takes_policies: inputs.takes_policies,
        pull_secrets,
        warnings,
    })
}

/// Checks what was read and works out the IP pools; needs no key material and no time.
///
/// # Errors
/// Every problem that was found with the Installation's spec.
pub fn ip_pools(inputs: &InstallationInputs) -> Result<IpPools, Rejected> {
    let mut problems = Problems::default();
    let spec = checked(inputs, &mut problems);
    let rendered = ip_pools::render(&spec, &inputs.ip_pools, inputs.api_group);
    let (errors, warnings) = problems.split(inputs.overlay.as_ref());
    match rendered {
        Ok(pools) if errors.is_empty() => Ok(pools),
        // A pool without a name or range, which is among the errors.
        _ => Err(Rejected(errors.into_iter().chain(warnings).collect())),
    }
}

/// The effective spec, with what is wrong with it.
fn checked(inputs: &InstallationInputs, problems: &mut Problems) -> InstallationSpec {
    let installation = &inputs.installation;
    let name = installation.metadata.name.as_deref().unwrap_or_default();
    if name != NAME {
        problems.0.push(unexpected_name(name));
    }
    variant(installation.spec.variant.as_ref(), inputs, problems);
    let spec = defaults::effective(inputs);
    let provider = spec.kubernetes_provider.unwrap_or_default();
    self::provider(installation.spec.kubernetes_provider, inputs, problems);
    fields::check(&installation.spec, problems);
    cni::check(&spec, &installation.spec, provider, problems);
    network::check(&spec, inputs, problems);
    windows::check(&spec, inputs, problems);
    problems.0.extend(pod_cidrs::check(inputs));
    problems.0.extend(migrate::check(inputs));
    spec
}

/// The parts of the config that other modules make.
struct Parts {
    images: Images,
    certificates: certificates::Certificates,
    felix: Felix,
    bgp: Option<Object>,
}

fn parts(inputs: &InstallationInputs, spec: &InstallationSpec, problems: &mut Problems, env: Env<'_>) -> Option<Parts> {
    let variant = spec.variant.clone().unwrap_or_default();
    let digests = problems.take(images::digests(&inputs.image_sets, &variant));
    // What a manifest install has in variables holds as if it stood in the resource, where it is on its way to.
    let migrated = migrate::with_felix(inputs);
    let felix = migrated.as_ref().or(inputs.felix.as_ref());
    let felix = problems.take(felix::configure(spec, previous(inputs), felix, inputs.api_group));
    let bgp = problems.take(bgp::configure(spec, inputs.bgp.as_ref(), inputs.api_group));
    let management = spec.certificate_management.as_ref();
    let certificates = problems.take(certificates::establish(&inputs.secrets, &trusted(inputs), management, env));
    let (certificates, warnings) = certificates?;
    problems.0.extend(warnings);
    Some(Parts { images: Images::new(spec, digests?), certificates, felix: felix?, bgp: bgp? })
}

/// The effective spec of the reconcile before.
pub(crate) fn previous(inputs: &InstallationInputs) -> Option<&InstallationSpec> {
    inputs.installation.status.as_ref()?.computed.as_deref()
}

/// What the operator chose, for `status.defaults`.
fn chosen(stated: &InstallationSpec, effective: &InstallationSpec) -> Value {
    let json = |spec| serde_json::to_value(spec).unwrap_or_default();
    defaults::difference(Some(&json(stated)), &json(effective)).unwrap_or_else(|| Value::Object(Map::new()))
}

fn variant(variant: Option<&Variant>, inputs: &InstallationInputs, problems: &mut Problems) {
    let Some(variant) = variant.filter(|variant| !variant.is_calico()) else { return };
    if !inputs.variants.iter().any(|known| known == variant.as_str()) {
        let mut known = vec![Variant::CALICO];
        known.extend(inputs.variants.iter().map(String::as_str));
        let detail = format!("{variant} is provided by no loaded plugin; known are {}", known.join(", "));
        problems.0.push(Message::new(&codes::UNKNOWN_VARIANT, detail).on(LABEL).field("spec.variant"));
    }
}

/// What is stated goes before what is found, but hardly anybody means the two to differ.
fn provider(stated: Option<Provider>, inputs: &InstallationInputs, problems: &mut Problems) {
    let Some(stated) = stated.filter(|stated| *stated != Provider::None) else { return };
    let Some(found) = cluster::detected_provider(inputs).filter(|found| *found != stated) else { return };
    let (stated, found) = (cluster::provider_name(stated), cluster::provider_name(found));
    let detail = format!("{stated} is stated and served, but the cluster looks like {found}");
    let message = Message::new(&codes::PROVIDER_CONTRADICTED, detail).on(LABEL);
    problems.0.push(message.field("spec.kubernetesProvider"));
}

/// Messages that come up.
#[derive(Default)]
struct Problems(Vec<Message>);

impl Problems {
    /// A field of the Installation that cannot be served.
    fn add(&mut self, field: impl Into<String>, detail: impl Into<String>) {
        self.0.push(Message::new(&codes::INVALID_CONFIGURATION, detail).on(LABEL).field(field));
    }

    /// A pool that works only if the platform does not mind.
    fn odd_pool(&mut self, field: String, detail: String) {
        self.0.push(Message::new(&codes::IP_POOL_OUTSIDE, detail).on(LABEL).field(field));
    }

    /// A pool that takes addresses from Services.
    fn pool_in_services(&mut self, field: String, detail: String) {
        self.0.push(Message::new(&codes::IP_POOL_IN_SERVICES, detail).on(LABEL).field(field));
    }

    /// A field of the Installation that will go away.
    fn deprecated(&mut self, field: &str, detail: &str) {
        self.0.push(Message::new(&codes::DEPRECATED_FIELD, detail).on(LABEL).field(field));
    }

    /// Keeps the messages of what failed.
    fn take<T>(&mut self, result: Result<T, Vec<Message>>) -> Option<T> {
        result.map_err(|messages| self.0.extend(messages)).ok()
    }

    /// Errors, and what is milder.
    fn split(self, overlay: Option<&Value>) -> (Vec<Message>, Vec<Message>) {
        let attributed = self.0.into_iter().map(|message| overlay::attribute(message, overlay));
        attributed.partition(|message| message.code().severity == Severity::Error)
    }
}
