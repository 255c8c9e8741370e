//! Reads JSON piece by piece, and knows at every moment where it is.
//!
//! The reader asks for what must come next instead of building a tree: that
//! is what lets an error say what was expected, and where, to the character.
//! It never recurses, so deep nesting costs nothing.

use std::borrow::Cow;
use std::ops::Range;

use super::{JsonError, MAX_JSON_BYTES, code};

/// A name and the bytes of the text where it stands, quotes included.
pub(super) type Name<'t> = (Cow<'t, str>, Range<usize>);

/// A place in a text. Everything before `at` has been read.
pub(super) struct Reader<'t> {
    text: &'t str,
    at: usize,
    /// What closes the brackets around `at`, outermost first. Never more than
    /// the format has levels.
    open: Vec<u8>,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str) -> Result<Self, JsonError> {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let reader = Self { text, at, open: Vec::new() };
        if text.len() > MAX_JSON_BYTES {
            let message = format!("the text has {} bytes", text.len());
            let expected = format!("at most {MAX_JSON_BYTES} bytes");
            return Err(reader.error(code::TOO_LARGE, at..at, message, &expected, ""));
        }
        Ok(reader)
    }

    /// Where the reader is, in bytes.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Skips white space and returns the byte that follows, which stays unread.
    pub(super) fn peek(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        let skipped = rest.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
        self.at += skipped.unwrap_or(rest.len());
        rest.get(skipped?).copied()
    }

    /// Reads `{ "key": value, … }`. Each value is read by `field`, which is
    /// given its key and where the key stands.
    pub(super) fn object(
        &mut self,
        what: &str,
        mut field: impl FnMut(&mut Self, &str, Range<usize>) -> Result<(), JsonError>,
    ) -> Result<(), JsonError> {
        if self.peek() != Some(b'{') {
            return Err(self.wrong_type(what, "an object"));
        }
        self.items(b'}', "a field name in double quotes", |reader| {
            if reader.peek() != Some(b'"') {
                return Err(reader.unexpected("a field name in double quotes"));
            }
            let (key, span) = reader.string("a field name")?;
            if reader.peek() != Some(b':') {
                return Err(reader.unexpected(&format!("`:` and the value of {}", quoted(&key))));
            }
            reader.at += 1;
            field(reader, &key, span)
        })
    }

    /// Reads `[ …, … ]` where the next byte is `[`. Each item is read by `item`.
    pub(super) fn list(&mut self, item: impl FnMut(&mut Self) -> Result<(), JsonError>) -> Result<(), JsonError> {
        self.items(b']', "a value", item)
    }

    /// Reads a list of lists of exactly `N` strings; `names` says what they are.
    pub(super) fn tuples<const N: usize>(
        &mut self,
        field: &str,
        names: [&str; N],
        mut tuple: impl FnMut(&mut Self, [Name<'t>; N]) -> Result<(), JsonError>,
    ) -> Result<(), JsonError> {
        if self.peek() != Some(b'[') {
            return Err(self.wrong_type(&format!("`{field}`"), &format!("a list of lists of {N} names")));
        }
        self.list(|reader| {
            let entry = reader.tuple(field, names)?;
            tuple(reader, entry)
        })
    }

    fn tuple<const N: usize>(&mut self, field: &str, names: [&str; N]) -> Result<[Name<'t>; N], JsonError> {
        // There may be millions of entries, so words are put together only
        // for an error.
        let expected = || format!("{N} names: {}", names.join(", "));
        if self.peek() != Some(b'[') {
            return Err(self.wrong_type(&format!("an entry of `{field}`"), &format!("a list of {}", expected())));
        }
        let mut entry = Vec::with_capacity(N);
        self.list(|reader| {
            let Some(name) = names.get(entry.len()) else {
                let message = format!("this entry of `{field}` has more than {N} names");
                let help = match field {
                    "transitions" => "a transition does not name its request; the local state tells which it is".to_owned(),
                    _ => format!("each {} with its {} is an entry of its own", names[0], names[1..].join(", ")),
                };
                return Err(reader.error_here(code::WRONG_LENGTH, message, &expected(), &help));
            };
            if reader.peek() != Some(b'"') {
                return Err(reader.wrong_type(&format!("the {name} in `{field}`"), "a string"));
            }
            entry.push(reader.string(name)?);
            Ok(())
        })?;
        <[Name<'t>; N]>::try_from(entry).map_err(|entry| {
            let plural = if entry.len() == 1 { "name" } else { "names" };
            let message = format!("this entry of `{field}` has {} {plural}", entry.len());
            let missing: Vec<String> = names[entry.len()..].iter().map(|name| format!("the {name}")).collect();
            let help = format!("add {}", in_words(&missing));
            // The closing bracket: the missing name belongs before it.
            self.error(code::WRONG_LENGTH, self.at - 1..self.at, message, &expected(), &help)
        })
    }

    /// Reads a string. `what` says what it is the value of.
    pub(super) fn string(&mut self, what: &str) -> Result<Name<'t>, JsonError> {
        serval_budget::checkpoint::pass();
        if self.peek() != Some(b'"') {
            return Err(self.wrong_type(what, "a string"));
        }
        let (start, text) = (self.at, self.text);
        let mut at = start + 1;
        // Stays borrowed until an escape makes it differ from the text.
        let mut value: Cow<'t, str> = Cow::Borrowed("");
        loop {
            let rest = &text[at..];
            // Quotes, backslashes and control characters are one byte each,
            // and no byte of a longer character looks like them.
            let Some(plain) = rest.bytes().position(|byte| byte == b'"' || byte == b'\\' || byte < b' ') else {
                return Err(self.unclosed_string(start));
            };
            if value.is_empty() {
                value = Cow::Borrowed(&rest[..plain]);
            } else {
                value.to_mut().push_str(&rest[..plain]);
            }
            at += plain;
            match text.as_bytes()[at] {
                b'"' => {
                    self.at = at + 1;
                    return Ok((value, start..self.at));
                }
                b'\\' => value.to_mut().push(self.escape(&mut at)?),
                b'\n' | b'\r' => return Err(self.unclosed_string(start)),
                control => {
                    let message = format!("a string contains the control character U+{control:04X}");
                    let help = format!("write \\u{control:04x}");
                    return Err(self.error(code::SYNTAX, at..at + 1, message, "characters from U+0020 on", &help));
                }
            }
        }
    }

    /// Reads the escape sequence at `at`, which is at its backslash, and moves
    /// `at` behind it.
    fn escape(&self, at: &mut usize) -> Result<char, JsonError> {
        let (start, bytes) = (*at, self.text.as_bytes());
        let c = match bytes.get(start + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(at),
            other => {
                let mut end = start + 1;
                if other.is_some_and(|byte| *byte >= b' ') {
                    end += self.text[end..].chars().next().map_or(0, char::len_utf8);
                }
                let message = "an escape sequence that JSON does not have".to_owned();
                let expected = "one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX";
                return Err(self.error(code::SYNTAX, start..end, message, expected, "a backslash itself is written \\\\"));
            }
        };
        *at = start + 2;
        Ok(c)
    }

    /// Reads `\uXXXX`, or two of them that make one character.
    fn unicode_escape(&self, at: &mut usize) -> Result<char, JsonError> {
        let start = *at;
        let first = self.four_digits(start)?;
        *at = start + 6;
        if let Some(c) = char::from_u32(first) {
            return Ok(c);
        }
        // 0xD800–0xDFFF: halves of a character beyond U+FFFF, first the high one.
        if first < 0xdc00 && self.text[*at..].starts_with("\\u") {
            let second = self.four_digits(*at)?;
            if (0xdc00..0xe000).contains(&second)
                && let Some(c) = char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00))
            {
                *at += 6;
                return Ok(c);
            }
        }
        let message = format!("\\u{first:04x} is half of a surrogate pair, the other half is missing");
        let help =
            if first < 0xdc00 { "write the other half after it, or remove it" } else { "write the other half before it, or remove it" };
        Err(self.error(code::NOT_UNICODE, start..start + 6, message, "Unicode text", help))
    }

    /// The number in `\uXXXX` at `start`.
    fn four_digits(&self, start: usize) -> Result<u32, JsonError> {
        let digits = self.text.as_bytes().get(start + 2..start + 6);
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok()).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).ok_or_else(|| {
            let message = "\\u is not followed by four hexadecimal digits".to_owned();
            self.error(code::SYNTAX, start..start + 2, message, "\\uXXXX", "")
        })
    }

    /// Checks that nothing follows.
    pub(super) fn end(&mut self) -> Result<(), JsonError> {
        match self.peek() {
            None => Ok(()),
            Some(next) => {
                let help = if next == b'{' || next == b',' { "several systems are written as an array: [{…}, {…}]" } else { "" };
                Err(self.error_here(code::TRAILING_TEXT, "there is text after the end of the system".to_owned(), "the end", help))
            }
        }
    }

    /// Reads what is between brackets: items with commas between them. The
    /// opening bracket is next and is skipped here.
    fn items(&mut self, close: u8, first: &str, mut item: impl FnMut(&mut Self) -> Result<(), JsonError>) -> Result<(), JsonError> {
        let shown = char::from(close);
        self.at += 1;
        self.open.push(close);
        if self.peek() == Some(close) {
            self.close();
            return Ok(());
        }
        if self.peek() == Some(b',') {
            return Err(self.unexpected(&format!("{first} or `{shown}`")));
        }
        loop {
            item(self)?;
            match self.peek() {
                Some(b',') => {
                    let comma = self.at;
                    self.at += 1;
                    if self.peek() == Some(close) {
                        let message = format!("a comma before `{shown}`");
                        return Err(self.error(code::SYNTAX, comma..comma + 1, message, first, "remove the comma"));
                    }
                }
                Some(next) if next == close => {
                    self.close();
                    return Ok(());
                }
                _ => return Err(self.unexpected(&format!("`,` or `{shown}`"))),
            }
        }
    }

    /// Reads the closing bracket, which is next.
    fn close(&mut self) {
        self.at += 1;
        self.open.pop();
    }

    /// The error for a value that is not what it should be: of a wrong type,
    /// or no value at all.
    pub(super) fn wrong_type(&mut self, what: &str, expected: &str) -> JsonError {
        let word = self.word();
        let found = match self.peek() {
            Some(b'{') => "an object",
            Some(b'[') => "a list",
            Some(b'"') => "a string",
            _ if is_number(word) => "a number",
            _ if matches!(word, "true" | "false" | "null") => word,
            _ => return self.unexpected(expected),
        };
        let help = if found == "a number" && expected == "a string" { "names are strings: put it in double quotes" } else { "" };
        self.error_here(code::WRONG_TYPE, format!("{found} in place of {what}"), expected, help)
    }

    /// The error for text that cannot stand here in JSON.
    fn unexpected(&mut self, expected: &str) -> JsonError {
        let Some(next) = self.peek() else { return self.unexpected_end("the text ends too early", expected.to_owned()) };
        let rest = &self.text[self.at..];
        let help = match next {
            _ if self.open.is_empty() && begins_program(rest) => {
                "this looks like a program: give the file the ending `.ser`, or say `--input ser`"
            }
            b'\'' => "JSON has double quotes only",
            b'/' | b'#' => "JSON has no comments",
            b'"' | b'[' | b'{' if expected.starts_with("`,`") => "is a comma missing?",
            _ if !self.word().is_empty() => "strings are written in double quotes",
            _ => "",
        };
        let message = match rest.chars().next() {
            Some(c) if self.word().is_empty() && !matches!(c, '\'' | '"') => format!("unexpected `{}`", c.escape_debug()),
            Some(c) if self.word().is_empty() => format!("unexpected `{c}`"),
            _ => format!("unexpected {}", quoted(self.word())),
        };
        self.error_here(code::SYNTAX, message, expected, help)
    }

    /// The error for a text that ends too early. It points behind the last
    /// thing that is there, rather than at an empty line below it.
    pub(super) fn unexpected_end(&self, message: &str, expected: String) -> JsonError {
        let end = self.text.trim_end_matches([' ', '\t', '\n', '\r']).len();
        let closers: Vec<String> = self.open.iter().rev().map(|&close| format!("`{}`", char::from(close))).collect();
        let help = if closers.is_empty() { String::new() } else { format!("close what is open: {}", in_words(&closers)) };
        self.error(code::SYNTAX, end..end, message.to_owned(), &expected, &help)
    }

    fn unclosed_string(&self, start: usize) -> JsonError {
        let line = self.text[start..].lines().next().unwrap_or_default();
        let message = "this string is not closed on its line".to_owned();
        self.error(
            code::SYNTAX,
            start..start + line.len(),
            message,
            "`\"` at the end of the string",
            "a line break in a string is written \\n",
        )
    }

    /// The letters, digits and signs that follow, up to anything else.
    fn word(&mut self) -> &'t str {
        self.peek();
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '+' | '.')).unwrap_or(rest.len());
        &rest[..end]
    }

    /// An error about what follows: a word, a string, or one character.
    pub(super) fn error_here(&mut self, code: &'static str, message: String, expected: &str, help: &str) -> JsonError {
        self.peek();
        let (start, word) = (self.at, self.word());
        let length = if self.peek() == Some(b'"') {
            self.string("").map_or(1, |(_, span)| span.len())
        } else if word.is_empty() {
            self.text[start..].chars().next().map_or(0, char::len_utf8)
        } else {
            word.len()
        };
        self.error(code, start..start + length, message, expected, help)
    }

    pub(super) fn error(&self, code: &'static str, span: Range<usize>, message: String, expected: &str, help: &str) -> JsonError {
        let before = self.text[..span.start].trim_start_matches('\u{feff}');
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let column = before[line_start..].chars().count() + 1;
        JsonError { line: self.line_of(span.start), column, span, message, expected: expected.to_owned(), help: help.to_owned(), code }
    }

    /// The line, from 1, of the byte at `position`.
    pub(super) fn line_of(&self, position: usize) -> usize {
        self.text.as_bytes()[..position].iter().filter(|&&byte| byte == b'\n').count() + 1
    }
}

/// `a`, `b` and `c`, as they are.
pub(super) fn in_words(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Whether this is the beginning of a program in the SER language: after any
/// comments, the word `request`, or a name and `:=`.
fn begins_program(text: &str) -> bool {
    let mut rest = text.trim_start();
    loop {
        let after = match rest.get(..2) {
            Some("//") => rest.split_once('\n'),
            Some("/*") => rest[2..].split_once("*/"),
            _ => break,
        };
        let Some((_, after)) = after else { return false };
        rest = after.trim_start();
    }
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    word == "request" || word.starts_with(|c: char| !c.is_ascii_digit()) && after.trim_start().starts_with(":=")
}

/// A piece of the text for a message: cut short, because it may be as long as
/// the text, and without characters that would disturb a terminal.
pub(super) fn quoted(text: &str) -> String {
    let start: String = text.chars().take(40).collect();
    let more = if start.len() < text.len() { "…" } else { "" };
    format!("{start:?}{more}")
}

/// Whether `word` is a number as JSON writes it: `-0.5e+3`, not `.5`, `01` or `+1`.
fn is_number(word: &str) -> bool {
    let unsigned = word.strip_prefix('-').unwrap_or(word);
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).map_or((unsigned, None), |(m, e)| (m, Some(e)));
    let (whole, fraction) = mantissa.split_once('.').map_or((mantissa, None), |(w, f)| (w, Some(f)));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|exponent| digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)))
}
