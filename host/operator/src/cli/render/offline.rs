//! The pipeline without its ends: `validate → render → extend`, with the policies that apply lays on.

use std::path::PathBuf;

use chimera_core::codes::{self, Severity};
use chimera_core::component::{Component, Readiness};
use chimera_core::env::Env;
use chimera_core::extend::extend;
use chimera_core::extensions::{ExtensionError, Extensions, Point};
use chimera_core::following;
use chimera_core::installation::config::{ApiGroup, InstallationConfig};
use chimera_core::installation::inputs::InstallationInputs;
use chimera_core::installation::policies::policies;
use chimera_core::ip_pools;
use chimera_core::message::Message;
use chimera_core::object::Object;
use chimera_core::offline::{self, Files, Part};
use chimera_core::policies::finish;
use chimera_core::provenance::Provenance;
use chimera_core::render::{self, installation};
use chimera_core::windows;
use chimera_sandbox::source::directory;
use chimera_sandbox::{Options, PluginSet, Sandbox, compile};

use crate::args::RenderArgs;
use crate::controllers::{health, wiring};
use crate::env::{SystemClock, SystemRandomness};

/// What came of it.
#[derive(Default)]
pub(super) struct Rendered {
    pub(super) objects: Vec<Object>,
    pub(super) provenance: Provenance,
    /// Components that are missing, and which plugin failed at them.
    left_out: Vec<(&'static str, ExtensionError)>,
    /// The same for the administrator.
    pub(super) problems: Vec<String>,
}

impl Rendered {
    fn append(&mut self, other: Self) {
        let Self { objects, provenance, left_out, problems } = other;
        self.objects.extend(objects);
        self.provenance.merge(provenance);
        self.left_out.extend(left_out);
        self.problems.extend(problems);
    }
}

/// Loads plugins given as files, each with the settings beside it.
pub(super) fn plugins(files: &[PathBuf]) -> Result<PluginSet, String> {
    if files.is_empty() {
        return Ok(PluginSet::default());
    }
    let declarations = files.iter().map(|file| directory::file(file)).collect();
    // Compiled in this process, which ends soon; the cache spares the next one the work.
    let options = Options { cache_dir: compile::default_cache_dir(), child: None };
    let sandbox = Sandbox::new(options).map_err(|error| error.to_string())?;
    Ok(sandbox.load(declarations))
}

/// Says what plugins failed at that are declared with `failurePolicy: Ignore`.
pub(super) fn warn_of_ignored(plugins: &PluginSet) {
    let ignored = plugins.ignored();
    let failures = ignored.iter().map(|(component, error)| (component.as_str(), error));
    let failed = health::by_cause(failures, "ignored, as its declaration says, so these are without it");
    let left_out = plugins.not_loaded().iter().filter(|failed| !failed.freezes).map(|failed| {
        let detail = format!("{}: {}; ignored, as its declaration says", failed.origin, failed.message);
        Message::new(&codes::PLUGIN_NOT_LOADED, detail).on(format!("plugin {}", failed.name))
    });
    for warning in failed.into_iter().chain(left_out) {
        anstream::eprintln!("warning: {warning}");
    }
}

/// Renders.
pub(super) fn render(args: &RenderArgs, objects: Vec<Object>, extensions: &PluginSet) -> Result<Rendered, Vec<String>> {
    let mut inputs = InstallationInputs::from_objects_of(objects.clone(), &args.namespace).map_err(texts)?;
    let group = wiring::api_group(args.calico_api_group.as_deref()).map_err(|error| vec![error.to_string()])?;
    inputs.api_group = group.unwrap_or(inputs.api_group);
    // There the API is made of CustomResourceDefinitions, which a cluster has before anything else.
    inputs.takes_policies |= inputs.api_group == ApiGroup::V3;
    inputs.cluster_domain.clone_from(&args.cluster_domain);
    inputs.variants = extensions.variants();
    let env = Env { namespace: &args.namespace, clock: &SystemClock, randomness: &SystemRandomness };
    let config = chimera_core::installation::validate(&inputs, env).map_err(|rejected| texts(rejected.0))?;
    for warning in &config.warnings {
        anstream::eprintln!("warning: {warning}");
    }
    let mut rendered = finished(components(&config, &inputs.ip_pools)?, Point::Installation(&config), extensions);
    if windows::is_wanted(&config.spec) {
        rendered.append(finished(on_windows(&inputs, &config)?, Point::Windows(&config), extensions));
    }
    let files = Files { objects: &objects, inputs: &inputs, installation: &config, env };
    for Part { config, components, warnings } in offline::parts(files).map_err(texts)? {
        let is_error = |message: &&Message| message.code().severity == Severity::Error;
        let (errors, warnings): (Vec<_>, Vec<_>) = warnings.iter().partition(is_error);
        for warning in warnings {
            anstream::eprintln!("warning: {warning}");
        }
        rendered.problems.extend(errors.iter().map(ToString::to_string));
        rendered.append(finished(components, config.point(), extensions));
    }
    let left_out = rendered.left_out.iter().map(|(component, error)| (*component, error));
    rendered.problems.extend(texts(health::by_cause(left_out, "left out")));
    Ok(rendered)
}

fn components(config: &InstallationConfig, existing: &[Object]) -> Result<Vec<Component>, Vec<String>> {
    let pools = ip_pools::render(&config.spec, existing, config.cluster.api_group)
        .map_err(|error| vec![format!("IPPools: {error}")])?;
    let mut components = installation::components(config).map_err(|error| texts(error.messages()))?;
    components.push(Component::new("ip-pools", pools.objects).shared());
    Ok(components)
}

fn on_windows(inputs: &InstallationInputs, config: &InstallationConfig) -> Result<Vec<Component>, Vec<String>> {
    let config = windows::validate(inputs, config.clone()).map_err(texts)?;
    let component = render::windows::component(&config, Readiness::Ready);
    Ok(vec![component.map_err(|error| texts(error.messages()))?])
}

fn finished(components: Vec<Component>, point: Point<'_>, extensions: &dyn Extensions) -> Rendered {
    let context = match (point, point.following()) {
        (_, Some(config)) => following::policies(config),
        (Point::Installation(config) | Point::Windows(config), None) => policies(config),
        _ => return Rendered::default(),
    };
    let mut rendered = Rendered::default();
    for component in components {
        let name = component.name();
        match extend(component, point, extensions) {
            Ok((component, plugins)) => {
                let (component, policies) = finish(component, &context);
                rendered.objects.extend(component.objects().iter().cloned());
                // What a plugin set is the plugin's, also where a policy saw it afterwards.
                rendered.provenance.merge(policies);
                rendered.provenance.merge(plugins);
            }
            Err(error) => rendered.left_out.push((name, error)),
        }
    }
    rendered
}

fn texts(messages: Vec<Message>) -> Vec<String> {
    messages.iter().map(ToString::to_string).collect()
}
