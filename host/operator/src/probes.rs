//! Answers the kubelet's questions: whether the process works, and whether it may be counted on.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use chimera_core::installation::config::ApiGroup;
use kube::Client;
use tokio::time::timeout;

use crate::controllers::wiring;
use crate::crds;
use crate::metrics::Metrics;
use crate::vitals::Stage;

/// So long the API server may have been silent before it is asked; a candidate or a leader hears of it every 2 s.
const SILENCE: Duration = Duration::from_secs(10);
/// It has to answer the question within this time, which is less than the kubelet waits for.
const PATIENCE: Duration = Duration::from_secs(3);

/// What is fine, or everything that is not, each in a line of its own.
pub type Verdict = Result<&'static str, Vec<String>>;

/// Answers the probes.
pub struct Probes {
    client: Client,
    metrics: Arc<Metrics>,
    group: Option<ApiGroup>,
}

impl Probes {
    /// With the connection that the process works with.
    ///
    /// # Errors
    /// If there is no such API group of Calico's resources.
    pub fn new(client: Client, metrics: Arc<Metrics>, api_group: Option<&str>) -> Result<Self> {
        Ok(Self { client, metrics, group: wiring::api_group(api_group)? })
    }

    /// Whether the process works; if not, only a restart helps.
    pub fn alive(&self) -> Verdict {
        fine(self.metrics.vitals().stuck(), "no controller is stuck")
    }

    /// Whether the process acts, or would if it had to.
    pub async fn ready(&self) -> Verdict {
        if let Some(fault) = self.disconnected().await {
            return Err(vec![fault]);
        }
        match self.metrics.vitals().stage() {
            Stage::Starting => Err(vec!["it is starting".into()]),
            Stage::StandsBy => fine(self.missing().await, "standing by, another process leads"),
            Stage::OtherOperator(namespace) => {
                Err(vec![format!("an operator in namespace {namespace} serves this cluster; waiting for its end")])
            }
            Stage::LacksCrds(missing) if missing.is_empty() => Err(vec!["it is starting".into()]),
            Stage::LacksCrds(missing) => Err(missing.iter().map(|name| lacking(name)).collect()),
            Stage::LoadsPlugins => Err(vec!["the declared plugins are being loaded".into()]),
            Stage::Acts => fine(self.metrics.vitals().blind(), "leading, all watches are up to date"),
        }
    }

    /// The API server is asked if it has said nothing for a while: a watch may be silent for long.
    async fn disconnected(&self) -> Option<String> {
        let recent = || self.metrics.vitals().silence().is_some_and(|silence| silence < SILENCE);
        if recent() {
            return None;
        }
        let _ = timeout(PATIENCE, self.client.apiserver_version()).await;
        (!recent()).then(|| match self.metrics.vitals().silence() {
            Some(silence) => format!("the API server has not answered for {} s", silence.as_secs()),
            None => "the API server has not answered yet".into(),
        })
    }

    /// One that stands by has not looked for them yet.
    async fn missing(&self) -> Vec<String> {
        match timeout(PATIENCE, crds::unserved(&self.client, self.group)).await {
            Ok(Ok(missing)) => missing.iter().map(|name| lacking(name)).collect(),
            _ => vec!["the API server does not say which kinds it serves".into()],
        }
    }
}

fn lacking(name: &str) -> String {
    format!("CustomResourceDefinition {name} is not served")
}

fn fine(faults: Vec<String>, text: &'static str) -> Verdict {
    if faults.is_empty() { Ok(text) } else { Err(faults) }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use clap::Parser as _;
    use kube::client::Body;
    use tokio::time::sleep;

    use super::*;
    use crate::args::{Cli, Command};
    use crate::context::Context;
    use crate::controllers::driver::{self, Controller, Outcome};
    use crate::controllers::wiring::Served;
    use crate::env::Machine;
    use crate::vitals::STUCK;
    use crate::watch::signal::Signal;

    /// An API server that answers every request with nothing.
    fn client() -> Client {
        let answer = |_| async { Ok::<_, Infallible>(http::Response::new(Body::empty())) };
        Client::new(tower::service_fn(answer), "default")
    }

    fn context(metrics: &Arc<Metrics>) -> Context {
        let Command::Run(args) = Cli::parse_from(["chimera", "run"]).command else { panic!("it is no other command") };
        let (served, machine) = (Served::default(), Machine::default());
        wiring::context(client(), &args, served, Arc::clone(metrics), "dolly".into(), machine).unwrap()
    }

    struct Endless;

    impl Controller for Endless {
        const NAME: &'static str = "endless";

        async fn reconcile(&self, _: &Context) -> Outcome {
            std::future::pending().await
        }
    }

    struct Quick;

    impl Controller for Quick {
        const NAME: &'static str = "quick";

        async fn reconcile(&self, _: &Context) -> Outcome {
            Outcome::Settled
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_reconcile_without_an_end_makes_the_process_unhealthy_and_one_that_idles_does_not() {
        let metrics = Arc::new(Metrics::default());
        let (probes, context) =
            (Probes::new(client(), Arc::clone(&metrics), None).unwrap(), Arc::new(context(&metrics)));
        let quick = tokio::spawn(driver::run(Quick, Arc::clone(&context), Signal::default()));
        sleep(STUCK * 3).await;
        assert!(probes.alive().is_ok());
        let endless = tokio::spawn(driver::run(Endless, context, Signal::default()));
        sleep(STUCK).await;
        assert!(probes.alive().is_ok(), "it may still end");
        sleep(Duration::from_secs(2)).await;
        let faults = probes.alive().unwrap_err();
        assert!(faults.len() == 1 && faults[0].starts_with("controller endless is stuck"), "{faults:?}");
        endless.abort();
        let _ = endless.await;
        assert!(probes.alive().is_ok());
        quick.abort();
    }

    #[tokio::test(start_paused = true)]
    async fn readiness_follows_the_stage_and_the_watches() {
        let metrics = Arc::new(Metrics::default());
        let (probes, vitals) = (Probes::new(client(), Arc::clone(&metrics), None).unwrap(), metrics.vitals());
        let faults = probes.ready().await.unwrap_err();
        assert_eq!(faults, ["the API server has not answered yet"]);
        vitals.answered();
        for (stage, fault) in [
            (Stage::Starting, "it is starting"),
            (Stage::OtherOperator("barn".into()), "an operator in namespace barn serves this cluster"),
            (Stage::LacksCrds(["sheep.farm.example".to_owned()].into()), "CustomResourceDefinition sheep.farm.example"),
            (Stage::LoadsPlugins, "the declared plugins are being loaded"),
        ] {
            vitals.enter(stage);
            let faults = probes.ready().await.unwrap_err();
            assert!(faults.len() == 1 && faults[0].starts_with(fault), "{faults:?}");
        }
        vitals.enter(Stage::Acts);
        vitals.lists("sheep");
        assert_eq!(probes.ready().await.unwrap_err(), ["watch of sheep: not listed yet"]);
        vitals.follows("sheep");
        assert!(probes.ready().await.unwrap().contains("leading"));
        sleep(SILENCE).await;
        assert_eq!(probes.ready().await.unwrap_err(), ["the API server has not answered for 10 s"]);
    }
}
