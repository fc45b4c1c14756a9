//! The metrics, and that documentation, dashboard and alert rules name those that there are.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

const DOCS: &str = include_str!("../../../../docs/operations.md");
const DASHBOARD: &str = include_str!("../../../../deploy/grafana/dashboard.json");
const RULES: &str = include_str!("../../../../deploy/prometheus/rules.yaml");

/// Metrics of which each has a value.
fn filled() -> Metrics {
    let metrics = Metrics::default();
    metrics.reconciled("installation", Duration::from_millis(2), true);
    metrics.wrote("create", "Secret");
    metrics.skipped("Secret", true);
    metrics.request_failed("get", "403");
    metrics.called("shears", Duration::from_millis(2), Some("Trap"));
    metrics.plugins(1, 0);
    metrics.leads(true);
    metrics.certificate("node-certs", Timestamp::UNIX_EPOCH);
    metrics.condition("calico", "Available", true);
    metrics
}

/// Names as they are scraped, with their types.
fn exposed() -> BTreeMap<String, String> {
    let text = filled().encode().unwrap();
    let types = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '));
    let suffix = |kind: &str| match kind {
        "counter" => "_total",
        "info" => "_info",
        _ => "",
    };
    types.map(|(name, kind)| (format!("{name}{}", suffix(kind)), kind.to_owned())).collect()
}

/// Names in a text that look like ours, without what a histogram adds.
fn named(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let ours = words.filter(|word| ["chimera_", "tigera_", "process_"].iter().any(|start| word.starts_with(start)));
    let base = |word: &str| {
        let part = ["_bucket", "_sum", "_count"].iter().find_map(|end| word.strip_suffix(end));
        part.unwrap_or(word).to_owned()
    };
    ours.map(base).collect()
}

#[test]
fn metrics_are_text_with_a_unit_in_the_name() {
    let text = filled().encode().unwrap();
    for line in [
        "chimera_reconcile_duration_seconds_bucket{le=\"0.005\",controller=\"installation\"} 1",
        "chimera_reconcile_failures_total{controller=\"installation\"} 1",
        "chimera_api_writes_total{verb=\"create\",kind=\"Secret\"} 1",
        "chimera_api_writes_skipped_total{kind=\"Secret\",how=\"remembered\"} 1",
        "chimera_api_request_failures_total{verb=\"get\",code=\"403\"} 1",
        "chimera_plugin_call_failures_total{plugin=\"shears\",reason=\"Trap\"} 1",
        "chimera_plugins{state=\"loaded\"} 1",
        "chimera_leader 1",
        "tigera_operator_component_status{component=\"calico\",condition=\"Available\"} 1",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
    }
    assert!(text.contains("chimera_build_info{version="));
}

#[test]
fn the_process_tells_what_it_takes() {
    let text = filled().encode().unwrap();
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("{name} is missing")).parse::<f64>().unwrap()
    };
    assert!(value("process_resident_memory_bytes") > 1e6);
    assert!(value("process_cpu_seconds_total") >= 0.0);
    let started = Timestamp::from_second(value("process_start_time_seconds") as i64).unwrap();
    let age = Timestamp::now().duration_since(started).as_secs();
    assert!((-60..86_400).contains(&age), "a test does not run since {age} s");
}

#[test]
fn a_reconcile_that_went_well_makes_failures_zero_and_not_unknown() {
    let metrics = Metrics::default();
    metrics.reconciled("installation", Duration::ZERO, false);
    assert!(metrics.encode().unwrap().contains("chimera_reconcile_failures_total{controller=\"installation\"} 0"));
}

/// Rows of a table in the documentation: `| name | type | unit | labels | meaning |`.
#[test]
fn every_metric_is_documented_with_type_unit_and_meaning_and_no_other_is() {
    let rows = DOCS.lines().filter_map(|line| {
        let cells: Vec<_> = line.strip_prefix("| `")?.trim_end_matches('|').split('|').map(str::trim).collect();
        let (name, rest) = cells.split_first()?;
        let name = name.trim_end_matches('`');
        let ours = ["chimera_", "tigera_", "process_"].iter().any(|start| name.starts_with(start));
        (ours && rest.len() == 4).then(|| (name.to_owned(), rest.to_vec()))
    });
    let rows: BTreeMap<_, _> = rows.collect();
    let exposed = exposed();
    assert_eq!(rows.keys().collect::<Vec<_>>(), exposed.keys().collect::<Vec<_>>());
    for (name, cells) in rows {
        assert_eq!(cells[0], exposed[&name], "type of {name}");
        assert!(!cells[1].is_empty() && !cells[3].is_empty(), "unit or meaning of {name} is missing");
    }
}

#[test]
fn dashboard_and_rules_use_only_metrics_that_there_are() {
    let exposed: BTreeSet<_> = exposed().into_keys().collect();
    for (file, text) in [("dashboard", DASHBOARD), ("rules", RULES)] {
        let named = named(text);
        assert!(named.len() > 4, "{file} names {named:?} only");
        assert_eq!(named.difference(&exposed).collect::<Vec<_>>(), Vec::<&String>::new(), "in the {file}");
    }
}

#[test]
fn the_dashboard_is_whole() {
    let dashboard: serde_json::Value = serde_json::from_str(DASHBOARD).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let shown = panels.iter().filter(|panel| panel["type"] != "row");
    let mut ids = BTreeSet::new();
    for panel in shown {
        assert!(ids.insert(panel["id"].as_u64().unwrap()), "{panel:#} has the id of another");
        let targets = panel["targets"].as_array().unwrap();
        assert!(!targets.is_empty() && targets.iter().all(|target| target["expr"].is_string()), "{panel:#}");
        assert!(panel["description"].is_string() && panel["fieldConfig"]["defaults"]["unit"].is_string(), "{panel:#}");
    }
}

/// Each alert, and a heading of the documentation that it points to.
#[test]
fn every_alert_says_what_it_is_and_points_to_a_part_of_the_documentation() {
    let rules: serde_json::Value = serde_saphyr::from_str(RULES).unwrap();
    let headings: BTreeSet<_> =
        DOCS.lines().filter_map(|line| line.strip_prefix("### ")).map(str::to_lowercase).collect();
    let groups = rules["spec"]["groups"].as_array().unwrap();
    let alerts: Vec<_> = groups.iter().flat_map(|group| group["rules"].as_array().unwrap()).collect();
    assert!(alerts.len() >= 7);
    for alert in alerts {
        let name = alert["alert"].as_str().unwrap();
        assert!(alert["expr"].is_string() && alert["labels"]["severity"].is_string(), "{name}");
        for field in ["summary", "description", "runbook_url"] {
            assert!(alert["annotations"][field].is_string(), "{name} lacks {field}");
        }
        let runbook = alert["annotations"]["runbook_url"].as_str().unwrap();
        let (file, anchor) = runbook.split_once('#').unwrap();
        assert!(file.ends_with("docs/operations.md"), "{name}: {runbook}");
        assert!(headings.contains(anchor), "{name}: there is no heading {anchor} in {headings:?}");
    }
}
