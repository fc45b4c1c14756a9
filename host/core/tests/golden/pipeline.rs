//! A case on the way that a reconcile takes: validate, render, extend, policies, and what the API server fills in.

use chimera_core::component::{Component, Finished, Readiness};
use chimera_core::defaulting;
use chimera_core::extend::extend;
use chimera_core::extensions::{NoExtensions, Point};
use chimera_core::following;
use chimera_core::installation::config::ApiGroup;
use chimera_core::installation::inputs::ServiceFacts;
use chimera_core::installation::policies::policies;
use chimera_core::installation::{InstallationConfig, InstallationInputs, validate};
use chimera_core::ip_pools;
use chimera_core::merge::{self, Plan};
use chimera_core::object::Object;
use chimera_core::offline::{self, Files, Part};
use chimera_core::policies::{PolicyContext, finish};
use chimera_core::render::installation::components;
use chimera_core::testing::Fixed;
use chimera_core::windows;

use crate::case::Case;

/// What the operator would write.
pub(crate) fn render(case: &Case) -> Vec<Object> {
    let mut inputs = InstallationInputs::from_objects(case.objects.clone())
        .unwrap_or_else(|errors| panic!("{}: {errors:?}", case.name));
    inputs.api_group = case.api_group.unwrap_or(inputs.api_group);
    inputs.takes_policies |= inputs.api_group == ApiGroup::V3;
    if inputs.goldmane.is_some() {
        // As the API server gives one to its Service.
        let facts = ServiceFacts { cluster_ips: vec!["10.96.0.7".into()], https_port: None };
        inputs.services.insert("calico-system/goldmane".into(), facts);
    }
    let fixed = Fixed::default();
    let config = validate(&inputs, fixed.env()).unwrap_or_else(|rejected| panic!("{}: {rejected}", case.name));
    let mut components = components(&config).unwrap();
    components.push(pools(&config, &inputs));
    let context = policies(&config);
    let finished = components.into_iter().map(|component| step(component, Point::Installation(&config), &context));
    let windows = windows(&inputs, &config).map(|component| step(component, Point::Windows(&config), &context));
    let files = Files { objects: &case.objects, inputs: &inputs, installation: &config, env: fixed.env() };
    let others = offline::parts(files).unwrap_or_else(|errors| panic!("{}: {errors:?}", case.name));
    let others = others.into_iter().flat_map(part);
    finished.chain(windows).chain(others).flat_map(|component| write(case, &component)).collect()
}

fn part(Part { config, components, warnings: _ }: Part) -> Vec<Component<Finished>> {
    let context = following::policies(config.point().following().unwrap());
    components.into_iter().map(|component| step(component, config.point(), &context)).collect()
}

fn windows(inputs: &InstallationInputs, config: &InstallationConfig) -> Option<Component> {
    let config = windows::is_wanted(&config.spec).then(|| windows::validate(inputs, config.clone()).unwrap())?;
    Some(chimera_core::render::windows::component(&config, Readiness::Ready).unwrap())
}

fn pools(config: &InstallationConfig, inputs: &InstallationInputs) -> Component {
    let pools = ip_pools::render(&config.spec, &inputs.ip_pools, config.cluster.api_group).unwrap();
    Component::new("ip-pools", pools.objects).deleting(pools.deletions).shared()
}

fn step(component: Component, point: Point<'_>, context: &PolicyContext) -> Component<Finished> {
    let (component, _) = extend(component, point, &NoExtensions).unwrap();
    finish(component, context).0
}

/// Laid over what the cluster has already.
fn write(case: &Case, component: &Component<Finished>) -> Vec<Object> {
    let write = |desired: &Object| {
        let live = case.objects.iter().find(|live| live.key() == desired.key());
        match live.map(|live| (merge::plan(&live.clone().into_value(), desired, component.is_shared()), live)) {
            Some((Plan::Update(update), _)) => Object::from_value(update.object).unwrap(),
            Some((Plan::Unchanged, live)) => live.clone(),
            Some((Plan::Recreate(_), _)) | None => {
                let mut desired = desired.clone();
                defaulting::default(&mut desired);
                desired
            }
        }
    };
    component.objects().iter().map(write).collect()
}
