//! Text that came from a guest, before anybody is shown it.

/// On one line, without control characters and at most so many bytes long.
pub(crate) fn clean(text: &str, most: usize) -> String {
    let mut out = String::with_capacity(text.len().min(most));
    for character in text.chars().map(|c| if c.is_control() { ' ' } else { c }) {
        if out.len() + character.len_utf8() > most {
            out.push('…');
            break;
        }
        out.push(character);
    }
    out
}

/// What a guest in Rust said when it panicked, without the place in its source: that is for its author, who has the log.
pub(crate) fn without_place(text: &str) -> &str {
    // `panicked at FILE:LINE:COLUMN: words`
    let words = text.strip_prefix("panicked at ").and_then(|rest| rest.splitn(4, ':').nth(3)).map(str::trim);
    words.filter(|words| !words.is_empty()).unwrap_or(text)
}

/// Whether it can stand as the reason of a condition.
pub(crate) fn is_reason(text: &str) -> bool {
    text.len() <= 64
        && text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.chars().all(|c| c.is_ascii_alphanumeric())
}

/// The first line of an error and of what caused it, for a message.
pub(crate) fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default().trim_end_matches('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guest_text_is_one_bounded_line() {
        assert_eq!(clean("two\nlines\u{1b}[31m", 100), "two lines [31m");
        assert_eq!(clean("ääää", 5), "ää…");
    }

    #[test]
    fn the_last_words_of_a_guest_are_told_without_a_place_in_its_source() {
        assert_eq!(without_place("panicked at src/lib.rs:40:17: the sheep: are out"), "the sheep: are out");
        assert_eq!(without_place("panicked at src/lib.rs:40:17:\nthe sheep are out"), "the sheep are out");
        assert_eq!(without_place("out of hay"), "out of hay");
    }

    #[test]
    fn a_reason_is_pascal_case() {
        assert!(is_reason("NoLicence"));
        for wrong in ["", "noLicence", "No licence", "No_Licence", &"A".repeat(65)] {
            assert!(!is_reason(wrong), "{wrong}");
        }
    }
}
