//! Equality by value: `1` and `1.0`, `1000m` and `1`.

use serde_json::Value;

/// Maps whose values are quantities.
const QUANTITIES: [&str; 6] = ["limits", "requests", "hard", "overhead", "capacity", "used"];
/// Fields that are quantities.
const QUANTITY: [&str; 4] = ["sizeLimit", "averageValue", "divisor", "storage"];

/// Whether two values of a field in a map mean the same.
pub(super) fn same(parent: &str, name: &str, a: &Value, b: &Value) -> bool {
    if (QUANTITIES.contains(&parent) || QUANTITY.contains(&name)) && quantity(a).is_some_and(|a| Some(a) == quantity(b))
    {
        return true;
    }
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(name, key, a, b)))
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(parent, name, a, b))
        }
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (a, b) => a == b,
    }
}

/// A quantity in thousand-millionths; none if it is no quantity, or too large to count so.
fn quantity(value: &Value) -> Option<i128> {
    match value {
        Value::Number(number) => scaled(&number.to_string()),
        Value::String(text) => scaled(text),
        _ => None,
    }
}

fn scaled(text: &str) -> Option<i128> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || "+-.".contains(c))).unwrap_or(text.len());
    let (number, suffix) = text.split_at(end);
    let (factor, divisor) = scale(suffix)?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
    let divisor = divisor.checked_mul(10_i128.checked_pow(u32::try_from(fraction.len()).ok()?)?)?;
    Some(digits.checked_mul(factor)?.checked_mul(1_000_000_000)? / divisor)
}

fn scale(suffix: &str) -> Option<(i128, i128)> {
    let decimal = |exponent| Some((10_i128.checked_pow(exponent)?, 1));
    let binary = |exponent| Some((1_i128 << exponent, 1));
    match suffix {
        "n" => Some((1, 1_000_000_000)),
        "u" => Some((1, 1_000_000)),
        "m" => Some((1, 1_000)),
        "" => Some((1, 1)),
        "k" => decimal(3),
        "M" => decimal(6),
        "G" => decimal(9),
        "T" => decimal(12),
        "P" => decimal(15),
        "E" => decimal(18),
        "Ki" => binary(10),
        "Mi" => binary(20),
        "Gi" => binary(30),
        "Ti" => binary(40),
        "Pi" => binary(50),
        "Ei" => binary(60),
        _ => decimal(suffix.strip_prefix(['e', 'E'])?.parse().ok()?),
    }
}
