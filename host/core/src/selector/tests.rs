//! What Calico reads, and what it does not.

use super::*;

#[test]
fn everything_that_calico_reads_is_taken() {
    for selector in [
        "",
        "  ",
        "all()",
        "all( )",
        "global()",
        "has(barn)",
        "has( farm.example/barn )",
        "!has(barn)",
        "! ! has(barn)",
        "!(a == 'b')",
        "a=='b'",
        "a != \"it's\"",
        "a == ''",
        "a in {}",
        "a in {'b'}",
        "a in{ 'b' , \"c\", }",
        "a not in {'b','c'}",
        "a notin {'b'}",
        "a contains 'b'",
        "a starts with 'b'",
        "a startswith'b'",
        "a ends\twith 'b'",
        "(a == 'b' && has(c)) || !has(d) && all()",
        "((all()))",
        "all == 'in' && has == 'x' && in in {'in'} && not not in {'a'}",
        "kubernetes.io/os == 'linux' && !has(node-role.kubernetes.io/control-plane)",
        "a == 'käse'",
    ] {
        assert_eq!(check(selector), Ok(()), "{selector}");
    }
}

#[test]
fn what_calico_does_not_read_is_refused_and_the_place_is_named() {
    for (selector, position, expected) in [
        ("foo === bar", 7, "a value in quotes"),
        ("foo = 'bar'", 5, OPERATORS),
        ("foo == bar", 8, "a value in quotes"),
        ("foo == 'bar", 8, "a value with a closing quote"),
        ("foo", 4, OPERATORS),
        ("foo is 'bar'", 5, OPERATORS),
        ("foo starts 'bar'", 5, OPERATORS),
        ("foo not 'bar'", 5, OPERATORS),
        ("has()", 5, "a label's name"),
        ("has(foo", 8, "a closing parenthesis"),
        ("all(", 5, "a closing parenthesis"),
        ("all ()", 5, OPERATORS),
        ("(all()", 7, "a closing parenthesis"),
        ("all())", 6, "&& or || or the end"),
        ("all() all()", 7, "&& or || or the end"),
        ("all() & all()", 7, "&& or || or the end"),
        ("all() &&", 9, "a label's name, has(…), all(), global(), ! or a parenthesis"),
        ("&& all()", 1, "a label's name, has(…), all(), global(), ! or a parenthesis"),
        ("foo in 'bar'", 8, "an opening brace"),
        ("foo in {bar}", 9, "a value in quotes, a comma or a closing brace"),
        ("foo in {'bar' 'baz'}", 15, "a value in quotes, a comma or a closing brace"),
        ("foo in {'bar'", 14, "a value in quotes, a comma or a closing brace"),
        ("a == 'ä' || ö", 13, "a label's name, has(…), all(), global(), ! or a parenthesis"),
        ("all()\n", 6, "&& or || or the end"),
    ] {
        let error = check(selector).expect_err(selector);
        assert_eq!((error.position, error.expected), (position, expected), "{selector}");
    }
    let error = check("foo === bar").unwrap_err().to_string();
    assert_eq!(error, "at character 7: a value in quotes is expected, not \"= bar\"");
    assert!(check(&"(".repeat(100_000)).is_err());
}
