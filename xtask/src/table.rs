//! Tables as kubectl prints them: the API server makes them, this only lays them out.

use anyhow::{Context as _, Result};
use http::Request;
use kube::Client;
use serde_json::Value;

/// The table of a collection, as `kubectl get` shows it.
pub(crate) async fn get(client: &Client, path: &str) -> Result<String> {
    let request = Request::get(path)
        .header("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
        .body(Vec::new())
        .context("failed to build a request")?;
    let table: Value = client.request(request).await.with_context(|| format!("failed to get {path}"))?;
    Ok(lay_out(&rows(&table)))
}

/// Heads and cells of the columns that kubectl shows without `-o wide`.
fn rows(table: &Value) -> Vec<Vec<String>> {
    let columns: Vec<&Value> = table["columnDefinitions"].as_array().into_iter().flatten().collect();
    let shown = |index: usize| columns.get(index).is_some_and(|column| column["priority"].as_i64() == Some(0));
    let heads = columns.iter().map(|column| column["name"].as_str().unwrap_or_default().to_uppercase());
    let pick = |cells: Vec<String>| cells.into_iter().enumerate().filter(|(i, _)| shown(*i)).map(|(_, c)| c).collect();
    let body = table["rows"].as_array().into_iter().flatten().map(|row| {
        row["cells"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|cell| cell.as_str().map_or_else(|| cell.to_string(), Into::into))
    });
    std::iter::once(pick(heads.collect())).chain(body.map(|cells| pick(cells.collect()))).collect()
}

fn lay_out(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<_> = (0..columns).map(|column| width(column).unwrap_or_default() + 3).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        format!("{}\n", cells.collect::<String>().trim_end())
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_table_shows_columns_of_priority_zero_under_upper_case_heads() {
        let table = json!({"columnDefinitions": [{"name": "Name", "priority": 0}, {"name": "Wide", "priority": 1},
            {"name": "Ready", "priority": 0}], "rows": [{"cells": ["sheep", "x", 3]}]});
        assert_eq!(lay_out(&rows(&table)), "NAME    READY\nsheep   3\n");
    }
}
