//! Defaults of workloads: `apps` and `batch`.

use serde_json::{Map, Value, json};

use super::fill::{made, set, text, with};
use super::pods;

pub(super) fn defaults(kind: &str, fields: &mut Map<String, Value>) {
    match kind {
        "DaemonSet" => made(fields, "spec", daemon_set),
        "Deployment" => made(fields, "spec", deployment),
        "StatefulSet" => made(fields, "spec", stateful_set),
        "Job" => made(fields, "spec", job),
        "CronJob" => made(fields, "spec", cron_job),
        _ => {}
    }
}

fn daemon_set(spec: &mut Map<String, Value>) {
    made(spec, "updateStrategy", |strategy| {
        set(strategy, "type", "RollingUpdate");
        rolling(strategy, &[("maxUnavailable", json!(1)), ("maxSurge", json!(0))]);
    });
    set(spec, "revisionHistoryLimit", 10);
    template(spec);
}

fn deployment(spec: &mut Map<String, Value>) {
    made(spec, "strategy", |strategy| {
        set(strategy, "type", "RollingUpdate");
        rolling(strategy, &[("maxUnavailable", json!("25%")), ("maxSurge", json!("25%"))]);
    });
    set(spec, "replicas", 1);
    set(spec, "revisionHistoryLimit", 10);
    set(spec, "progressDeadlineSeconds", 600);
    template(spec);
}

fn stateful_set(spec: &mut Map<String, Value>) {
    set(spec, "podManagementPolicy", "OrderedReady");
    made(spec, "updateStrategy", |strategy| {
        set(strategy, "type", "RollingUpdate");
        rolling(strategy, &[("partition", json!(0))]);
    });
    made(spec, "persistentVolumeClaimRetentionPolicy", |policy| {
        set(policy, "whenDeleted", "Retain");
        set(policy, "whenScaled", "Retain");
    });
    set(spec, "replicas", 1);
    set(spec, "revisionHistoryLimit", 10);
    template(spec);
}

fn rolling(strategy: &mut Map<String, Value>, values: &[(&str, Value)]) {
    if text(strategy, "type") == Some("RollingUpdate") {
        made(strategy, "rollingUpdate", |rolling| {
            values.iter().for_each(|(name, value)| set(rolling, name, value.clone()));
        });
    }
}

fn job(spec: &mut Map<String, Value>) {
    if !spec.contains_key("completions") && !spec.contains_key("parallelism") {
        set(spec, "completions", 1);
    }
    set(spec, "parallelism", 1);
    let per_index = spec.contains_key("backoffLimitPerIndex");
    set(spec, "backoffLimit", if per_index { i32::MAX } else { 6 });
    set(spec, "completionMode", "NonIndexed");
    set(spec, "suspend", false);
    let replacement = if spec.contains_key("podFailurePolicy") { "Failed" } else { "TerminatingOrFailed" };
    set(spec, "podReplacementPolicy", replacement);
    set(spec, "manualSelector", false);
    template(spec);
}

fn cron_job(spec: &mut Map<String, Value>) {
    set(spec, "concurrencyPolicy", "Allow");
    set(spec, "suspend", false);
    set(spec, "successfulJobsHistoryLimit", 3);
    set(spec, "failedJobsHistoryLimit", 1);
    // The Job's own defaults are filled only when it is made from this.
    with(spec, "jobTemplate", |template_of_job| with(template_of_job, "spec", template));
}

fn template(spec: &mut Map<String, Value>) {
    made(spec, "template", |template| made(template, "spec", pods::spec));
}
