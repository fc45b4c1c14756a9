//! DSCP marks: numbers, and the names of classes.

use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

/// The mark that Calico uses unless the resource says another.
const USUAL: u8 = 23;
const LAST: u8 = 63;

/// The number of a mark; none if it is no mark.
pub(super) fn value(mark: Option<&IntOrString>) -> Option<u8> {
    match mark {
        None => Some(USUAL),
        Some(IntOrString::Int(number)) => u8::try_from(*number).ok().filter(|number| *number <= LAST),
        Some(IntOrString::String(text)) => named(&text.to_ascii_uppercase()),
    }
}

/// Class selectors count in eights; assured forwarding adds twice the drop precedence to that.
fn named(text: &str) -> Option<u8> {
    let digits = |text: &str| {
        text.chars().map(|c| c.to_digit(10).and_then(|d| u8::try_from(d).ok())).collect::<Option<Vec<_>>>()
    };
    match text.split_at_checked(2) {
        Some(("DF", "")) => Some(0),
        Some(("EF", "")) => Some(46),
        Some(("CS", class)) => match digits(class)?.as_slice() {
            [class @ 0..=6] => Some(class * 8),
            _ => None,
        },
        Some(("AF", class)) => match digits(class)?.as_slice() {
            [class @ 1..=4, precedence @ 1..=3] => Some(class * 8 + precedence * 2),
            _ => None,
        },
        _ => text.parse().ok().filter(|number| *number <= LAST),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_a_number_or_a_name() {
        let of = |text: &str| value(Some(&IntOrString::String(text.into())));
        assert_eq!(value(None), Some(23));
        assert_eq!((value(Some(&IntOrString::Int(63))), value(Some(&IntOrString::Int(64)))), (Some(63), None));
        assert_eq!(value(Some(&IntOrString::Int(-1))), None);
        assert_eq!((of("7"), of("007"), of("64"), of("")), (Some(7), Some(7), None, None));
        assert_eq!((of("df"), of("EF"), of("cs6"), of("CS7")), (Some(0), Some(46), Some(48), None));
        assert_eq!((of("AF11"), of("af43"), of("AF44"), of("AF1")), (Some(10), Some(38), None, None));
    }
}
