//! Statements without their values: the *shape* is the text with blanks made one and a hole for each value.

/// A value in a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hole {
    /// As it stands there; for a parameter the value that the log gives, `None` where it gives none, or not all of it.
    pub(crate) value: Option<String>,
    /// Whether it is a parameter of the protocol, and not a constant of the text.
    pub(crate) is_bound: bool,
    /// The column that stands before it, if one does.
    pub(crate) column: Option<String>,
}

/// A statement, cut at its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shaped {
    /// The text with `\u{1}` for each value.
    pub(crate) shape: String,
    pub(crate) holes: Vec<Hole>,
}

impl Shaped {
    /// How long it is, with its values.
    pub(crate) fn bytes(&self) -> usize {
        let value = |hole: &Hole| hole.value.as_deref().map_or(0, str::len) + hole.column.as_deref().map_or(0, str::len);
        self.shape.len() + self.holes.iter().map(|hole| value(hole) + size_of::<Hole>()).sum::<usize>()
    }
}

/// What stands for a value in a shape.
pub(crate) const HOLE: char = '\u{1}';

/// The shapes of the statements of one text; `values` is what the log says of parameters.
pub(crate) fn shapes(sql: &str, values: Option<&str>) -> Vec<Shaped> {
    let bound = values.map(bound_values).unwrap_or_default();
    let mut shaper = Shaper { sql, at: 0, bound, out: String::new(), holes: Vec::new(), column: None, done: Vec::new(), is_gap: false };
    shaper.run();
    shaper.done
}

struct Shaper<'s> {
    sql: &'s str,
    at: usize,
    bound: Vec<Option<String>>,
    out: String,
    holes: Vec<Hole>,
    /// The name that was read last and that a value may belong to.
    column: Option<String>,
    done: Vec<Shaped>,
    /// Whether blanks were passed over.
    is_gap: bool,
}

impl Shaper<'_> {
    fn run(&mut self) {
        while let Some(next) = self.sql[self.at..].chars().next() {
            let rest = &self.sql[self.at..];
            if next.is_whitespace() {
                self.at += next.len_utf8();
                self.is_gap = true;
            } else if rest.starts_with("--") {
                self.at += rest.find('\n').unwrap_or(rest.len());
                self.is_gap = true;
            } else if rest.starts_with("/*") {
                self.at += comment(rest);
                self.is_gap = true;
            } else if next == ';' {
                self.at += 1;
                self.finish();
            } else if next == '\'' {
                let length = quoted(rest, '\'', false);
                self.value(length);
            } else if next == '"' {
                let length = quoted(rest, '"', false);
                self.column = Some(rest[1..length].trim_end_matches('"').to_owned());
                self.push(length);
            } else if next == '$' {
                self.dollar(rest);
            } else if next.is_ascii_digit() {
                let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).unwrap_or(rest.len());
                self.value(length);
            } else if next.is_alphabetic() || next == '_' {
                self.word(rest);
            } else {
                // A list, or a sign between: the column stays for `(`, `+`, `=` and the like, and is over at a comma.
                if next == ',' || next == ')' {
                    self.column = None;
                }
                self.push(next.len_utf8());
            }
        }
        self.finish();
    }

    fn gap(&mut self) {
        if std::mem::take(&mut self.is_gap) && !self.out.is_empty() {
            self.out.push(' ');
        }
    }

    fn push(&mut self, length: usize) {
        self.gap();
        self.out.push_str(&self.sql[self.at..self.at + length]);
        self.at += length;
    }

    fn finish(&mut self) {
        let (shape, holes) = (std::mem::take(&mut self.out), std::mem::take(&mut self.holes));
        (self.is_gap, self.column) = (false, None);
        if !shape.is_empty() {
            self.done.push(Shaped { shape, holes });
        }
    }

    fn word(&mut self, rest: &str) {
        let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let word = &rest[..length];
        if matches!(word, "E" | "e") && rest[length..].starts_with('\'') {
            let length = length + quoted(&rest[length..], '\'', true);
            return self.value(length);
        }
        let upper = word.to_ascii_uppercase();
        if KEYWORDS.contains(&upper.as_str()) {
            if !["IN", "BETWEEN", "LIKE", "AND", "NOT"].contains(&upper.as_str()) || upper == "AND" {
                self.column = if upper == "AND" { self.column.take() } else { None };
            }
        } else {
            self.column = Some(word.to_owned());
        }
        self.push(length);
    }

    fn dollar(&mut self, rest: &str) {
        let digits = rest[1..].bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            let number: usize = rest[1..=digits].parse().unwrap_or(0);
            let value = number.checked_sub(1).and_then(|index| self.bound.get(index).cloned()).flatten();
            self.at += 1 + digits;
            self.hole(value, true);
            return;
        }
        let tag = rest[1..].bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        let Some(close) = rest.get(..tag + 2).filter(|close| close.ends_with('$')) else { return self.push(1) };
        let length = rest[close.len()..].find(close).map_or(rest.len(), |length| length + 2 * close.len());
        self.value(length);
    }

    /// A constant of the text.
    fn value(&mut self, length: usize) {
        let value = self.sql[self.at..self.at + length].to_owned();
        self.at += length;
        self.hole(Some(value), false);
    }

    fn hole(&mut self, value: Option<String>, is_bound: bool) {
        self.gap();
        self.out.push(HOLE);
        self.holes.push(Hole { value, is_bound, column: self.column.clone() });
        if is_bound {
            self.at += cast(&self.sql[self.at..]);
        }
    }
}

/// Words that are no names of columns.
const KEYWORDS: [&str; 34] = [
    "SELECT",
    "FROM",
    "WHERE",
    "AND",
    "OR",
    "NOT",
    "SET",
    "VALUES",
    "INSERT",
    "INTO",
    "UPDATE",
    "DELETE",
    "IN",
    "BETWEEN",
    "LIKE",
    "IS",
    "NULL",
    "LIMIT",
    "OFFSET",
    "ORDER",
    "BY",
    "FOR",
    "RETURNING",
    "CASE",
    "WHEN",
    "THEN",
    "ELSE",
    "END",
    "ON",
    "CONFLICT",
    "DO",
    "AS",
    "ASC",
    "DESC",
];

/// How long the cast is that follows a parameter: drivers write one behind each, and it says nothing that the column
/// does not say.
fn cast(rest: &str) -> usize {
    let Some(name) = rest.strip_prefix("::") else { return 0 };
    let word = |text: &str| text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '"')).unwrap_or(text.len());
    let mut length = word(name);
    for more in [" varying", " precision", " without time zone", " with time zone"] {
        if name[length..].get(..more.len()).is_some_and(|next| next.eq_ignore_ascii_case(more)) {
            length += more.len();
        }
    }
    if name[length..].starts_with('(') {
        length += name[length..].find(')').map_or(0, |end| end + 1);
    }
    2 + length
}

/// How long a quoted text is, its quotes included.
fn quoted(text: &str, quote: char, escapes: bool) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if escapes => at += 2,
            byte if byte == quote as u8 => {
                if bytes.get(at + 1) != Some(&byte) {
                    return at + 1;
                }
                at += 2;
            }
            _ => at += 1,
        }
    }
    text.len()
}

fn comment(text: &str) -> usize {
    let (mut at, mut depth) = (2, 1_u32);
    while depth > 0 {
        let Some(next) = text.get(at..).and_then(|rest| rest.find(['*', '/'])) else { return text.len() };
        at += next;
        if text[at..].starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
        } else if text[at..].starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else {
            at += 1;
        }
    }
    at
}

/// `$1 = '1', $2 = NULL, $3 = 'a...'`: values in the order of their numbers; nothing for one that was cut.
fn bound_values(text: &str) -> Vec<Option<String>> {
    let mut values: Vec<Option<String>> = Vec::new();
    let mut rest = text.trim();
    while let Some(begin) = rest.strip_prefix('$') {
        let digits = begin.bytes().take_while(u8::is_ascii_digit).count();
        let Some((number, after)) = begin[..digits].parse::<usize>().ok().zip(begin[digits..].strip_prefix(" = ")) else { break };
        let (value, length) = if after.starts_with('\'') {
            let length = quoted(after, '\'', false);
            let value = &after[..length];
            ((!value.ends_with("...'")).then(|| value.to_owned()), length)
        } else {
            let length = after.find(',').unwrap_or(after.len());
            ((!after[..length].ends_with("...")).then(|| after[..length].trim().to_owned()), length)
        };
        if number == 0 || number > 65_535 {
            break;
        }
        if values.len() < number {
            values.resize(number, None);
        }
        values[number - 1] = value;
        rest = after[length..].trim_start_matches([',', ' ']);
    }
    values
}
