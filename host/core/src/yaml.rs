//! What is wrong with a text that is no YAML, on one line and in words that do not suppose knowledge of a parser.

pub use chimera_crds::parse::in_words;
use serde_saphyr::{Error, MessageFormatter as _, UserMessageFormatter};

/// Says where (line and column, each from 1) and what.
pub fn problem(error: &Error) -> String {
    let error = error.without_snippet();
    let what = what(error);
    let what = what.split_whitespace().collect::<Vec<_>>().join(" ");
    match error.location().filter(|at| at.line() > 0) {
        Some(at) => format!("line {}, column {}: {what}", at.line(), at.column()),
        None => what,
    }
}

fn what(error: &Error) -> String {
    match error {
        Error::DuplicateMappingKey { key: Some(key), .. } => format!("{key} stands twice in the same map"),
        Error::DuplicateMappingKey { .. } => "a key stands twice in the same map".into(),
        Error::Budget { .. } => "it is too large or too deep to be read".into(),
        Error::NonFiniteFloat { value, .. } => format!("{value} is no number that can be served"),
        Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. } => "its aliases come to too much to be read".into(),
        Error::InvalidUtf8Input => "it is no text in UTF-8".into(),
        other => match UserMessageFormatter.format_message(other) {
            text if text.contains("recursion limit") => "it is too deep to be read".into(),
            text => in_words(&text),
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::testing::internals;

    #[test]
    fn the_place_is_named_on_one_line_and_nothing_of_the_parsers() {
        let many = format!("a: [{}]", "1,".repeat(300_000));
        let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
        for (text, says) in [
            ("spec: {}\nspec: {}\n", "line 2, column 1: spec stands twice in the same map"),
            ("a: 1e400", "1e400 is no number that can be served"),
            (many.as_str(), "it is too large or too deep to be read"),
            (deep.as_str(), "it is too deep to be read"),
            ("a: [1, 2", "line "),
            ("a: {b: c", "line "),
            ("a: *nowhere", "line "),
            ("a: 'b", "line "),
            ("a: b: c", "line "),
        ] {
            let error = serde_saphyr::from_multiple::<Value>(text).unwrap_err();
            let said = problem(&error);
            assert!(said.contains(says), "{said}");
            assert!(said.lines().count() == 1 && said.len() < 200, "{said}");
            for words in ["Options", "budget", "configured policy", "-->", "Policy"] {
                assert!(!said.contains(words), "{said}");
            }
            assert_eq!(internals(&said), None, "{said}");
        }
    }
}
