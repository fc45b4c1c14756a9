//! Prints the check.

use std::io::{Error, Result, Write};

use super::verdict::Check;
use crate::args::MigrateOutput;

/// A value longer than this, in characters, is cut in a table.
const LONGEST: usize = 60;

/// To standard output.
pub(super) fn print(check: &Check, output: MigrateOutput) -> Result<()> {
    let mut out = anstream::stdout().lock();
    match output {
        MigrateOutput::Text => text(check, &mut out)?,
        MigrateOutput::Json => writeln!(out, "{}", serde_json::to_string_pretty(check)?)?,
        MigrateOutput::Yaml => write!(out, "{}", serde_saphyr::to_string(check).map_err(Error::other)?)?,
    }
    out.flush()
}

fn text(check: &Check, out: &mut impl Write) -> Result<()> {
    let head = ["VERDICT", "OBJECT", "SETTING", "VALUE", "NOTE"].map(str::to_owned);
    let settings = check.settings.iter().map(|setting| {
        let verdict = format!("{:?}", setting.verdict).to_lowercase();
        [verdict, setting.object.clone(), setting.field.clone(), cut(&setting.value), setting.note.clone()]
    });
    table(std::iter::once(head).chain(settings).collect(), out)?;
    if !check.nodes.is_empty() {
        writeln!(out)?;
        let head = ["NODE", "VERDICT", "NOTE"].map(str::to_owned);
        let nodes = check.nodes.iter().map(|node| [node.name.clone(), node.verdict.into(), node.note.into()]);
        table(std::iter::once(head).chain(nodes).collect(), out)?;
    }
    if !check.messages.is_empty() {
        writeln!(out)?;
    }
    for told in &check.messages {
        writeln!(out, "{}: {}", told.severity, told.message)?;
    }
    let verdict = if check.blocked { "it cannot be taken over yet" } else { "it can be taken over" };
    writeln!(out, "\n{verdict}")
}

fn cut(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LONGEST {
        return line;
    }
    line.chars().take(LONGEST - 1).chain(['…']).collect()
}

fn table<const N: usize>(rows: Vec<[String; N]>, out: &mut impl Write) -> Result<()> {
    let mut widths = [0; N];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    for row in rows {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        writeln!(out, "{}", cells.collect::<Vec<_>>().join("   ").trim_end())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_under_each_other_and_long_values_are_cut() {
        let rows = vec![["A".to_owned(), "B".to_owned()], ["sheep".to_owned(), cut(&"x".repeat(99))]];
        let mut out = Vec::new();
        table(rows, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, format!("A       B\nsheep   {}…\n", "x".repeat(59)));
    }
}
