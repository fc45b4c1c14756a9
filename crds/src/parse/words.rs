//! What a deserialiser says, in words that do not suppose knowledge of Rust.

/// Says `must be a whole number, not text "big"` for `invalid type: string "big", expected i32`, and the like; anything else stays.
pub fn in_words(detail: &str) -> String {
    let detail = without_position(detail);
    if let Some(name) = quoted(detail, "missing field ") {
        return format!("{name} is required, but missing");
    }
    if let Some((name, allowed)) =
        detail.strip_prefix("unknown variant ").and_then(|rest| rest.split_once(", expected "))
    {
        return format!(
            "unsupported value {name}: supported are {}",
            allowed.strip_prefix("one of ").unwrap_or(allowed)
        );
    }
    if let Some((name, allowed)) = detail.strip_prefix("unknown field ").and_then(|rest| rest.split_once(", ")) {
        return format!(
            "unknown field {name}; there are {}",
            allowed.trim_start_matches("expected one of ").trim_start_matches("expected ")
        );
    }
    for start in ["invalid type: ", "invalid value: ", "invalid length "] {
        if let Some((found, wanted)) = detail.strip_prefix(start).and_then(|rest| rest.rsplit_once(", expected ")) {
            return format!("must be {}, not {}", expected(wanted), unexpected(found));
        }
    }
    detail.to_owned()
}

/// Line and column are those of a text that nobody wrote.
fn without_position(detail: &str) -> &str {
    detail.rsplit_once(" at line ").map_or(detail, |(detail, _)| detail)
}

fn quoted<'a>(detail: &'a str, start: &str) -> Option<&'a str> {
    detail.strip_prefix(start).map(|name| name.trim_matches('`'))
}

fn expected(wanted: &str) -> &str {
    match wanted {
        "i8" | "i16" | "i32" | "i64" | "isize" | "an integer" => "a whole number",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number from 0 up",
        "f32" | "f64" => "a number",
        "bool" | "a boolean" => "true or false",
        "a sequence" => "a list",
        "str" | "String" | "a string" | "string" | "a borrowed string" => "text",
        wanted if wanted.starts_with("struct ") || wanted == "a map" => "a map",
        wanted if wanted.starts_with("enum ") || wanted.contains("variant identifier") => {
            "one of the words that it takes"
        }
        wanted if wanted.starts_with("a sequence") || wanted.starts_with("tuple ") => "a list",
        wanted => wanted,
    }
}

fn unexpected(found: &str) -> String {
    let value = |start: &str| found.strip_prefix(start).map(|value| value.trim_matches('`'));
    if let Some(text) = found.strip_prefix("string ") {
        return format!("text {text}");
    }
    if let Some(number) = value("integer ").or_else(|| value("floating point ")) {
        return number.to_owned();
    }
    match found {
        "map" => "a map".into(),
        "sequence" => "a list".into(),
        "null" | "unit value" | "unit" | "Option value" => "nothing".into(),
        found => value("boolean ").unwrap_or(found).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::in_words;

    #[test]
    fn nothing_of_what_is_said_supposes_knowledge_of_rust() {
        for (detail, words) in [
            ("invalid type: string \"big\", expected i32", "must be a whole number, not text \"big\""),
            (
                "invalid value: integer `-1`, expected u16 at line 1 column 9",
                "must be a whole number from 0 up, not -1",
            ),
            ("invalid type: null, expected struct ObjectMeta", "must be a map, not nothing"),
            ("invalid type: map, expected a sequence", "must be a list, not a map"),
            ("invalid type: sequence, expected a map", "must be a map, not a list"),
            ("invalid type: boolean `true`, expected a string", "must be text, not true"),
            ("missing field `cidr`", "cidr is required, but missing"),
            ("unknown variant `a`, expected one of `b`, `c`", "unsupported value `a`: supported are `b`, `c`"),
            ("unknown variant `a`, expected `b`", "unsupported value `a`: supported are `b`"),
            ("unknown field `a`, expected one of `b`, `c`", "unknown field `a`; there are `b`, `c`"),
            ("a name in PascalCase", "a name in PascalCase"),
        ] {
            assert_eq!(in_words(detail), words);
        }
    }
}
