//! Selectors as Calico writes them, such as `has(rack) && zone in {"a", "b"}`: whether one can be read.
//!
//! Only the form is looked at. What an expression selects is Calico's business.

#[cfg(test)]
mod tests;

/// Parentheses within parentheses that are followed; nobody needs as many.
const DEEPEST: usize = 64;
/// What may stand between words.
const BLANKS: [char; 2] = [' ', '\t'];
const OPERATORS: &str = "==, !=, in, not in, contains, starts with or ends with";

/// Why a selector cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at character {position}: {expected} is expected, not {found}")]
pub(crate) struct Error {
    /// Where, counted in characters from 1.
    position: usize,
    expected: &'static str,
    found: String,
}

/// Checks one; an empty one selects everything.
///
/// # Errors
/// Names the first place that cannot be read.
pub(crate) fn check(text: &str) -> Result<(), Error> {
    let mut reader = Reader { text, rest: text };
    reader.blanks();
    if reader.rest.is_empty() {
        return Ok(());
    }
    reader.expression(0)?;
    if reader.rest.is_empty() { Ok(()) } else { Err(reader.expected("&& or || or the end")) }
}

/// Reads from the front.
struct Reader<'a> {
    text: &'a str,
    rest: &'a str,
}

impl Reader<'_> {
    /// Operands with `&&` and `||` between them.
    fn expression(&mut self, depth: usize) -> Result<(), Error> {
        loop {
            self.operand(depth)?;
            if !self.take("&&") && !self.take("||") {
                return Ok(());
            }
        }
    }

    fn operand(&mut self, depth: usize) -> Result<(), Error> {
        while self.take("!") {}
        if self.take("(") {
            if depth >= DEEPEST {
                return Err(self.expected("an expression with less parentheses"));
            }
            self.expression(depth + 1)?;
            return self.need(")", "a closing parenthesis");
        }
        if self.take("all(") || self.take("global(") {
            return self.need(")", "a closing parenthesis");
        }
        if self.take("has(") {
            self.label("a label's name")?;
            return self.need(")", "a closing parenthesis");
        }
        self.label("a label's name, has(…), all(), global(), ! or a parenthesis")?;
        self.comparison()
    }

    fn comparison(&mut self) -> Result<(), Error> {
        let at = self.rest;
        if self.take("==") || self.take("!=") || self.take("contains") || self.words("starts") || self.words("ends") {
            return self.value();
        }
        if self.take("in") || self.take("not") && self.take("in") {
            return self.set();
        }
        self.rest = at;
        Err(self.expected(OPERATORS))
    }

    /// Takes such a word and `with`, or nothing.
    fn words(&mut self, first: &str) -> bool {
        let at = self.rest;
        let taken = self.take(first) && self.take("with");
        if !taken {
            self.rest = at;
        }
        taken
    }

    /// Values in braces. None, and a comma after the last, are fine.
    fn set(&mut self) -> Result<(), Error> {
        self.need("{", "an opening brace")?;
        while self.rest.starts_with(['"', '\'']) {
            self.value()?;
            if !self.take(",") {
                break;
            }
        }
        self.need("}", "a value in quotes, a comma or a closing brace")
    }

    /// Quotes of either kind; nothing is escaped in them.
    fn value(&mut self) -> Result<(), Error> {
        let quoted = ['"', '\''].into_iter().find_map(|quote| Some((quote, self.rest.strip_prefix(quote)?)));
        let Some((quote, inner)) = quoted else { return Err(self.expected("a value in quotes")) };
        let Some((_, after)) = inner.split_once(quote) else {
            return Err(self.expected("a value with a closing quote"));
        };
        self.rest = after;
        self.blanks();
        Ok(())
    }

    fn label(&mut self, expected: &'static str) -> Result<(), Error> {
        let after = self.rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "_./-".contains(c));
        if after.len() == self.rest.len() {
            return Err(self.expected(expected));
        }
        self.rest = after;
        self.blanks();
        Ok(())
    }

    /// Takes a text and the blanks behind it, if it comes next.
    fn take(&mut self, text: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(text) else { return false };
        self.rest = rest;
        self.blanks();
        true
    }

    fn need(&mut self, text: &str, expected: &'static str) -> Result<(), Error> {
        if self.take(text) { Ok(()) } else { Err(self.expected(expected)) }
    }

    fn blanks(&mut self) {
        self.rest = self.rest.trim_start_matches(BLANKS);
    }

    fn expected(&self, expected: &'static str) -> Error {
        const SHOWN: usize = 20;
        let read = self.text.strip_suffix(self.rest).unwrap_or_default();
        let shown: String = self.rest.chars().take(SHOWN).collect();
        let found = if shown.is_empty() { "the end".into() } else { format!("{shown:?}") };
        Error { position: read.chars().count() + 1, expected, found }
    }
}
