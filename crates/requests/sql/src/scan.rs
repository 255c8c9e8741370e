//! A file of SQL in pieces: statements, commands of the client, names of scripts and directives.
//!
//! Statements are cut here and not by the parser of SQL, which knows nothing of `\gset`, `:x` and sections. What stands
//! for a value becomes a placeholder `$n`, where n counts the holes of the statement; `FOR NO KEY UPDATE` and
//! `FOR KEY SHARE`, which the parser does not know, are noted and written as the strengths that it knows.

use serval_diagnostic::Span;

use crate::workload::Strength;

/// A piece of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Chunk {
    /// A statement, without its `;`.
    Statement(Text),
    /// `\word rest`: a command of the client.
    Command {
        span: Span,
        /// Such as `set`.
        word: String,
        /// What stands behind it.
        rest: Text,
    },
    /// `-- name: NAME`
    Name { span: Span, name: String },
    /// `-- serval: WORDS`
    Directive { span: Span, words: String },
}

/// SQL with holes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text {
    /// Where it stands.
    pub(crate) span: Span,
    /// With placeholders for holes.
    pub(crate) sql: String,
    /// What the holes are called, by their numbers.
    pub(crate) holes: Vec<Hole>,
    /// The strength of a lock that the parser does not know.
    pub(crate) strength: Option<Strength>,
    /// Its first words, in lower case.
    pub(crate) words: Vec<String>,
}

/// What stands for a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hole {
    pub(crate) span: Span,
    /// Without its sign.
    pub(crate) name: String,
}

/// What can go wrong while a file is cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unclosed {
    pub(crate) span: Span,
    pub(crate) what: &'static str,
}

/// How many of its first words a statement keeps.
const WORDS: usize = 8;

/// Cuts a file that begins at byte `base` of the bundle.
pub(crate) fn scan(text: &str, base: u32) -> Result<Vec<Chunk>, Unclosed> {
    let mut scanner = Scanner { text, base, at: 0, chunks: Vec::new(), open: Text::default(), begun: None, copied: 0, depth: 0 };
    scanner.run()?;
    Ok(scanner.chunks)
}

struct Scanner<'t> {
    text: &'t str,
    base: u32,
    at: usize,
    chunks: Vec<Chunk>,
    /// The statement that is being read.
    open: Text,
    /// Where it began.
    begun: Option<usize>,
    /// Up to where its text has been taken.
    copied: usize,
    depth: u32,
}

impl Scanner<'_> {
    fn span(&self, start: usize, end: usize) -> Span {
        let offset = |at: usize| self.base.saturating_add(u32::try_from(at).unwrap_or(u32::MAX));
        Span::new(offset(start), offset(end))
    }

    fn run(&mut self) -> Result<(), Unclosed> {
        while let Some(next) = self.text[self.at..].chars().next() {
            serval_budget::checkpoint::pass();
            let rest = &self.text[self.at..];
            match next {
                _ if rest.starts_with("--") => self.comment(),
                _ if rest.starts_with("/*") => self.long_comment()?,
                '\'' | '"' => self.quoted(next)?,
                '$' => self.dollar()?,
                ':' | '@' => self.hole(next),
                '\\' => self.command(),
                ';' if self.depth == 0 => {
                    self.finish(self.at);
                    self.at += 1;
                }
                '\u{feff}' if self.at == 0 => self.at += next.len_utf8(),
                _ if next.is_whitespace() => self.at += next.len_utf8(),
                _ if next.is_alphabetic() || next == '_' => self.word(),
                _ => {
                    self.begin();
                    self.depth = match next {
                        '(' => self.depth.saturating_add(1),
                        ')' => self.depth.saturating_sub(1),
                        _ => self.depth,
                    };
                    self.at += next.len_utf8();
                }
            }
        }
        self.finish(self.at);
        Ok(())
    }

    /// A statement begins here, unless one has begun.
    fn begin(&mut self) {
        if self.begun.is_none() {
            (self.begun, self.copied) = (Some(self.at), self.at);
        }
    }

    /// The statement ends here, if one has begun.
    fn finish(&mut self, end: usize) {
        let text = self.take(end);
        if !text.sql.trim().is_empty() {
            self.chunks.push(Chunk::Statement(text));
        }
    }

    fn take(&mut self, end: usize) -> Text {
        let mut text = std::mem::take(&mut self.open);
        if let Some(begun) = self.begun.take() {
            text.sql.push_str(&self.text[self.copied.min(end)..end]);
            text.sql.truncate(text.sql.trim_end().len());
            let shown = self.text[begun..end].trim_end().len();
            text.span = self.span(begun, begun + shown);
        }
        self.depth = 0;
        text
    }

    /// Puts something in the place of the text from here to `end`.
    fn replace(&mut self, end: usize, with: &str) {
        self.open.sql.push_str(&self.text[self.copied..self.at]);
        self.open.sql.push_str(with);
        (self.at, self.copied) = (end, end);
    }

    fn line_end(&self) -> usize {
        self.text[self.at..].find('\n').map_or(self.text.len(), |length| self.at + length)
    }

    fn comment(&mut self) {
        let (start, end) = (self.at, self.line_end());
        let words = self.text[start + 2..end].trim();
        let span = self.span(start, end);
        if let Some(name) = words.strip_prefix("name:") {
            self.finish(start);
            let name = name.split_whitespace().next().unwrap_or_default().to_owned();
            self.chunks.push(Chunk::Name { span, name });
        } else if let Some(words) = words.strip_prefix("serval:") {
            // Inside of a statement it would be dropped with the comment; so it is put before the statement.
            self.chunks.push(Chunk::Directive { span, words: words.trim().to_owned() });
        }
        if self.begun.is_some() {
            self.replace(end, " ");
        } else {
            self.at = end;
        }
    }

    fn long_comment(&mut self) -> Result<(), Unclosed> {
        let (mut at, mut depth) = (self.at + 2, 1_u32);
        while depth > 0 {
            let rest = &self.text[at..];
            let next = rest.find(['*', '/']).filter(|_| !rest.is_empty());
            let Some(next) = next else {
                return Err(Unclosed { span: self.span(self.at, self.at + 2), what: "comment" });
            };
            at += next;
            let rest = &self.text[at..];
            if rest.starts_with("*/") {
                (depth, at) = (depth - 1, at + 2);
            } else if rest.starts_with("/*") {
                (depth, at) = (depth + 1, at + 2);
            } else {
                at += 1;
            }
        }
        if self.begun.is_some() {
            self.replace(at, " ");
        } else {
            self.at = at;
        }
        Ok(())
    }

    fn quoted(&mut self, quote: char) -> Result<(), Unclosed> {
        self.begin();
        // E'…' has backslashes.
        let escapes = quote == '\'' && self.text[..self.at].ends_with(['e', 'E']) && !ends_in_longer_word(&self.text[..self.at]);
        let mut at = self.at + 1;
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(at) {
                None => return Err(Unclosed { span: self.span(self.at, self.at + 1), what: "quoted text" }),
                Some(b'\\') if escapes => at += 2,
                Some(&byte) if byte == quote as u8 => {
                    if bytes.get(at + 1) == Some(&byte) {
                        at += 2;
                    } else {
                        break;
                    }
                }
                Some(_) => at += 1,
            }
        }
        self.at = at + 1;
        Ok(())
    }

    /// `$1`, `$tag$…$tag$`
    fn dollar(&mut self) -> Result<(), Unclosed> {
        self.begin();
        let rest = &self.text[self.at + 1..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            self.make_hole(self.at + 1 + digits, rest[..digits].to_owned());
            return Ok(());
        }
        let tag = rest.bytes().take_while(|&byte| byte.is_ascii_alphanumeric() || byte == b'_').count();
        if rest.as_bytes().get(tag) != Some(&b'$') {
            self.at += 1;
            return Ok(());
        }
        let close = &self.text[self.at..self.at + tag + 2];
        let inside = self.at + close.len();
        let length = self.text[inside..].find(close).ok_or(Unclosed { span: self.span(self.at, inside), what: "quoted text" })?;
        self.at = inside + length + close.len();
        Ok(())
    }

    /// `:x`, `:'x'`, `@x`; `::` is a cast.
    fn hole(&mut self, sign: char) {
        self.begin();
        let rest = &self.text[self.at + 1..];
        if rest.starts_with(sign) {
            self.at += 2;
            return;
        }
        let quote = rest.chars().next().filter(|&c| sign == ':' && (c == '\'' || c == '"'));
        let name_from = usize::from(quote.is_some());
        let length = name_length(&rest[name_from..]);
        let mut end = name_from + length;
        if length == 0 {
            self.at += 1;
            return;
        }
        if let Some(quote) = quote {
            if !rest[end..].starts_with(quote) {
                self.at += 1;
                return;
            }
            end += 1;
        }
        let name = rest[name_from..name_from + length].to_owned();
        self.make_hole(self.at + 1 + end, name);
    }

    fn make_hole(&mut self, end: usize, name: String) {
        let span = self.span(self.at, end);
        self.open.holes.push(Hole { span, name });
        let placeholder = format!("${}", self.open.holes.len());
        self.replace(end, &placeholder);
    }

    fn word(&mut self) {
        self.begin();
        let rest = &self.text[self.at..];
        let length = name_length(rest).max(1);
        let length = if rest.is_char_boundary(length) { length } else { rest.chars().next().map_or(1, char::len_utf8) };
        let word = rest[..length].to_ascii_lowercase();
        if word == "sqlc"
            && let Some((name, end)) = sqlc(rest)
        {
            return self.make_hole(self.at + end, name);
        }
        if word == "for"
            && let Some((strength, end)) = strength(rest)
        {
            self.open.strength = Some(strength);
            let with = if strength == Strength::NoKeyUpdate { "FOR UPDATE" } else { "FOR SHARE" };
            return self.replace(self.at + end, with);
        }
        if self.open.words.len() < WORDS {
            self.open.words.push(word);
        }
        self.at += length;
    }

    /// `\word rest` to the end of the line. What was being read ends here.
    fn command(&mut self) {
        let (start, end) = (self.at, self.line_end());
        self.finish(start);
        let line = &self.text[start + 1..end];
        let length = line.find(char::is_whitespace).unwrap_or(line.len());
        let word = line[..length].to_ascii_lowercase();
        let from = start + 1 + length;
        let mut inner = Scanner {
            text: &self.text[..end],
            base: self.base,
            at: from,
            chunks: Vec::new(),
            open: Text::default(),
            begun: None,
            copied: from,
            depth: 1,
        };
        let rest = match inner.run_line() {
            Ok(rest) => rest,
            Err(_) => Text { span: self.span(from, end), sql: self.text[from..end].trim().to_owned(), ..Text::default() },
        };
        self.chunks.push(Chunk::Command { span: self.span(start, start + 1 + line.trim_end().len()), word, rest });
        self.at = end;
    }

    /// The rest of a line as one text.
    fn run_line(&mut self) -> Result<Text, Unclosed> {
        while let Some(next) = self.text[self.at..].chars().next() {
            match next {
                '\'' | '"' => self.quoted(next)?,
                '$' => self.dollar()?,
                ':' | '@' => self.hole(next),
                _ if next.is_alphabetic() || next == '_' => self.word(),
                _ if next.is_whitespace() => self.at += next.len_utf8(),
                _ => {
                    self.begin();
                    self.at += next.len_utf8();
                }
            }
        }
        Ok(self.take(self.at))
    }
}

fn name_length(text: &str) -> usize {
    text.bytes().take_while(|&byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80).count()
}

/// Whether the text ends in a word of more than one letter.
fn ends_in_longer_word(text: &str) -> bool {
    let mut letters = text.chars().rev();
    letters.next();
    letters.next().is_some_and(|c| c.is_alphanumeric() || c == '_')
}

/// `sqlc.arg(name)`, `sqlc.narg('name')`: the name, and where it ends.
fn sqlc(text: &str) -> Option<(String, usize)> {
    let open = text.find('(')?;
    let function = text[..open].trim();
    if !["sqlc.arg", "sqlc.narg"].contains(&function) {
        return None;
    }
    let close = open + text[open..].find(')')?;
    let name = text[open + 1..close].trim().trim_matches('\'').to_owned();
    (name_length(&name) == name.len() && !name.is_empty()).then_some((name, close + 1))
}

/// `FOR NO KEY UPDATE`, `FOR KEY SHARE`, and where it ends.
fn strength(text: &str) -> Option<(Strength, usize)> {
    for (words, strength) in [(&["for", "no", "key", "update"][..], Strength::NoKeyUpdate), (&["for", "key", "share"], Strength::KeyShare)]
    {
        let (mut at, mut all) = (0, true);
        for word in words {
            let rest = &text[at..];
            at += rest.len() - rest.trim_start().len();
            let length = name_length(&text[at..]);
            all &= text[at..at + length].eq_ignore_ascii_case(word);
            at += length;
        }
        if all {
            return Some((strength, at));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statements(text: &str) -> Vec<(String, Vec<String>)> {
        let chunks = scan(text, 0).unwrap();
        let statement = |chunk: Chunk| match chunk {
            Chunk::Statement(text) => Some((text.sql, text.holes.into_iter().map(|hole| hole.name).collect())),
            _ => None,
        };
        chunks.into_iter().filter_map(statement).collect()
    }

    #[test]
    fn values_become_placeholders_and_casts_do_not() {
        let found = statements("select :a::int, @b, $7, sqlc.arg(c), ':d;', $x$ ; $x$, :'e' -- :f\n; select 1");
        let names = ["a", "b", "7", "c", "e"].map(str::to_owned).to_vec();
        assert_eq!(found[0], ("select $1::int, $2, $3, $4, ':d;', $x$ ; $x$, $5".to_owned(), names));
        assert_eq!(found[1], ("select 1".to_owned(), Vec::new()));
    }

    #[test]
    fn a_command_ends_a_statement() {
        let chunks = scan("select a from t where id = :id \\gset p_\n\\set x :p_a + 1\n", 10).unwrap();
        assert!(matches!(&chunks[0], Chunk::Statement(text) if text.sql == "select a from t where id = $1"));
        assert!(matches!(&chunks[1], Chunk::Command { word, rest, .. } if word == "gset" && rest.sql == "p_"));
        assert!(matches!(&chunks[2], Chunk::Command { word, rest, .. } if word == "set" && rest.sql == "x $1 + 1"));
    }

    #[test]
    fn locks_that_the_parser_does_not_know_are_noted() {
        let chunks = scan("select 1 from t for no  key update skip locked", 0).unwrap();
        let Chunk::Statement(text) = &chunks[0] else { panic!() };
        assert_eq!((text.sql.as_str(), text.strength), ("select 1 from t FOR UPDATE skip locked", Some(Strength::NoKeyUpdate)));
    }
}
