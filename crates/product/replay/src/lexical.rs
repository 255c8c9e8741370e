//! The words of a statement, as far as they matter for issuing it.
//!
//! `psql` reads what it is given with a lexer of its own, in which a backslash begins a command (`\!` runs a shell) and
//! `:name` is replaced. A trace may come from others. So a statement is issued only if it is one statement, with closed
//! quotes, comments and brackets, without a backslash and without a variable; then `psql` sees it as the lexer here
//! does, whatever `standard_conforming_strings` says.

/// A word of a statement, with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Token<'a> {
    kind: TokenKind,
    text: &'a str,
    begin: usize,
    /// How many brackets are open.
    depth: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TokenKind {
    Word,
    Quoted,
    Constant,
    Sign,
}

/// Which statements are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusable {
    /// Anything that is one statement.
    Nothing,
    /// What makes tables, types, indexes and rows is accepted, and nothing else.
    AllButSetup,
    /// What scripts do is accepted, and nothing else.
    AllButScripts,
}

/// One statement that can be issued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    text: String,
    /// Its first words, in lower case.
    first: Vec<String>,
    is_ordered: bool,
    /// Places of qualifiers: where each begins and ends, the dot included, and what it says.
    qualifiers: Vec<(usize, usize, String)>,
}

/// How many of its first words a statement remembers.
const FIRST: usize = 3;

impl Statement {
    /// Reads a statement; a semicolon may end it.
    ///
    /// # Errors
    ///
    /// Why it is not issued, in words.
    pub fn read(text: &str, refusable: Refusable) -> Result<Self, String> {
        let tokens = tokens(text)?;
        let semicolon = tokens.iter().position(|token| token.text == ";" && token.depth == 0);
        let (tokens, end) = match semicolon {
            Some(at) if at + 1 < tokens.len() => return Err("it is several statements".to_owned()),
            Some(at) => (&tokens[..at], tokens[at].begin),
            None => (&tokens[..], text.len()),
        };
        if tokens.is_empty() {
            return Err("there is no statement".to_owned());
        }
        let first: Vec<String> = tokens.iter().take(FIRST).map(|token| token.text.to_lowercase()).collect();
        let is = |token: &Token<'_>, word: &str| token.kind == TokenKind::Word && token.text.eq_ignore_ascii_case(word);
        let is_ordered = tokens.windows(2).any(|two| two[0].depth == 0 && is(&two[0], "order") && is(&two[1], "by"));
        for token in tokens.iter().filter(|token| matches!(token.kind, TokenKind::Word | TokenKind::Quoted)) {
            let hides = match plain(token).as_str() {
                // It could spell any other name.
                "uescape" => true,
                // It could lead names elsewhere.
                "set_config" => refusable != Refusable::Nothing,
                _ => false,
            };
            if hides {
                return Err(format!("a replay does not issue {}", token.text));
            }
        }
        let statement = Self { text: text[..end].to_owned(), first, is_ordered, qualifiers: qualifiers(tokens) };
        statement.accepted(refusable)?;
        Ok(statement)
    }

    fn accepted(&self, refusable: Refusable) -> Result<(), String> {
        let words: Vec<&str> = self.first.iter().map(String::as_str).collect();
        let wanted = match (refusable, words.as_slice()) {
            (Refusable::Nothing, _) => true,
            (Refusable::AllButSetup, ["create", "table" | "type" | "index" | "unique" | "sequence", ..]) => true,
            (Refusable::AllButSetup, ["alter", "table", ..] | ["insert", "into", ..]) => true,
            (Refusable::AllButSetup, _) => false,
            (Refusable::AllButScripts, ["set", "transaction", ..] | ["set", "session", "characteristics"]) => true,
            (Refusable::AllButScripts, ["set", "local", "lock_timeout" | "statement_timeout"]) => true,
            (Refusable::AllButScripts, [first, ..]) => SCRIPT_WORDS.contains(first),
            (Refusable::AllButScripts, []) => false,
        };
        if wanted { Ok(()) } else { Err(format!("a replay does not issue {}", words.join(" ").to_uppercase())) }
    }

    /// The statement as it is issued: qualifiers that name one of these schemas are taken away.
    pub fn led(&self, schemas: &[String]) -> String {
        let (mut led, mut at) = (String::with_capacity(self.text.len()), 0);
        for (begin, end, name) in &self.qualifiers {
            if schemas.contains(name) {
                led.push_str(&self.text[at..*begin]);
                at = *end;
            }
        }
        led + &self.text[at..]
    }

    /// The schemas, tables and aliases that names are qualified with.
    pub fn qualified_with(&self) -> impl Iterator<Item = &str> {
        self.qualifiers.iter().map(|(_, _, name)| name.as_str())
    }

    /// Whether the order of its rows means something.
    pub(crate) fn is_ordered(&self) -> bool {
        self.is_ordered
    }

    /// Whether it ends a transaction by asking for its changes to stay.
    pub(crate) fn is_commit(&self) -> bool {
        self.first.first().is_some_and(|word| word == "commit" || word == "end")
    }

    /// Whether it ends a transaction.
    pub(crate) fn is_end(&self) -> bool {
        self.is_commit() || self.first.first().is_some_and(|word| word == "rollback" || word == "abort")
    }

    /// Whether the server names the command behind the rows.
    pub(crate) fn has_tag(&self) -> bool {
        self.first.first().is_none_or(|word| !["select", "values", "table", "show", "fetch", "explain", "("].contains(&word.as_str()))
    }
}

/// How statements of scripts begin.
const SCRIPT_WORDS: [&str; 14] =
    ["select", "insert", "update", "delete", "begin", "start", "commit", "end", "rollback", "abort", "lock", "values", "table", "("];

/// A name without its quotes, as the server knows it.
fn plain(token: &Token<'_>) -> String {
    match token.kind {
        TokenKind::Quoted => token.text[1..token.text.len() - 1].replace("\"\"", "\""),
        _ => token.text.to_lowercase(),
    }
}

/// Names with a dot and a name, a star or a bracket behind them.
fn qualifiers(tokens: &[Token<'_>]) -> Vec<(usize, usize, String)> {
    let is_name = |token: &Token<'_>| matches!(token.kind, TokenKind::Word | TokenKind::Quoted);
    let mut found = Vec::new();
    for three in tokens.windows(3) {
        let [name, dot, next] = three else { continue };
        if is_name(name) && dot.text == "." && (is_name(next) || next.text == "*") {
            found.push((name.begin, dot.begin + 1, plain(name)));
        }
    }
    found
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}

fn tokens(text: &str) -> Result<Vec<Token<'_>>, String> {
    if let Some(letter) = text.chars().find(|letter| *letter == '\\' || *letter == '\0') {
        let what = if letter == '\\' { "a backslash" } else { "a byte that is zero" };
        return Err(format!("it has {what}, which psql would take for its own"));
    }
    let (mut tokens, mut at, mut depth) = (Vec::new(), 0, 0_usize);
    while let Some(letter) = text[at..].chars().next() {
        let rest = &text[at..];
        let (kind, length) = match letter {
            _ if letter.is_whitespace() => {
                at += letter.len_utf8();
                continue;
            }
            '-' if rest.starts_with("--") => {
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            '/' if rest.starts_with("/*") => {
                at += comment(rest).ok_or("a comment is not closed")?;
                continue;
            }
            '\'' => (TokenKind::Constant, closed(rest, '\'').ok_or("a text is not closed")?),
            '"' => (TokenKind::Quoted, closed(rest, '"').ok_or("a quoted name is not closed")?),
            '$' => match dollar_quoted(rest) {
                Some(length) => (TokenKind::Constant, length.ok_or("a text in dollars is not closed")?),
                None => (TokenKind::Sign, 1),
            },
            _ if letter.is_ascii_digit() => (TokenKind::Constant, number(rest)),
            _ if is_word(letter) => (TokenKind::Word, rest.find(|c| !is_word(c)).unwrap_or(rest.len())),
            ':' if rest.starts_with("::") || rest.starts_with(":=") => (TokenKind::Sign, 2),
            ':' if rest[1..].starts_with(|next: char| is_word(next) || "'\"{".contains(next)) => {
                let name: String = rest.chars().skip(1).take_while(|letter| is_word(*letter)).collect();
                return Err(format!("its variable :{name} has no value"));
            }
            _ => (TokenKind::Sign, letter.len_utf8()),
        };
        if matches!(letter, ')' | ']') {
            depth = depth.checked_sub(1).ok_or("it closes a bracket that is not open")?;
        }
        tokens.push(Token { kind, text: &rest[..length], begin: at, depth });
        if matches!(letter, '(' | '[') {
            depth += 1;
        }
        at += length;
    }
    if depth > 0 { Err("a bracket is not closed".to_owned()) } else { Ok(tokens) }
}

fn number(text: &str) -> usize {
    let digits = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    match text[digits..].strip_prefix('.') {
        Some(more) => digits + 1 + more.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(more.len()),
        None => digits,
    }
}

/// The length of a quoted text, in which two quotes stand for one.
fn closed(text: &str, quote: char) -> Option<usize> {
    let mut at = 1;
    loop {
        at += text[at..].find(quote)? + 1;
        if !text[at..].starts_with(quote) {
            return Some(at);
        }
        at += 1;
    }
}

/// The length of a comment in which others may stand.
fn comment(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0_usize, 0);
    loop {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return Some(at);
            }
        } else {
            at += rest.chars().next()?.len_utf8();
        }
    }
}

/// Where a text in dollars begins: its length, if it is closed.
fn dollar_quoted(text: &str) -> Option<Option<usize>> {
    let tag = text[1..].find('$')? + 2;
    let name = &text[1..tag - 1];
    if name.starts_with(|letter: char| letter.is_ascii_digit()) || !name.chars().all(|letter| letter.is_alphanumeric() || letter == '_') {
        return None;
    }
    Some(text[tag..].find(&text[..tag]).map(|end| tag + end + tag))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Statement, String> {
        Statement::read(text, Refusable::Nothing)
    }

    #[test]
    fn what_psql_would_take_for_its_own_is_not_issued() {
        for (text, why) in [
            ("select 1 \\! date", "backslash"),
            ("select '\\'", "backslash"),
            ("select :x", "variable :x"),
            ("select :'x'", "variable"),
            ("select 'a", "text is not closed"),
            ("select \"a", "name is not closed"),
            ("select $a$ $b$", "dollars"),
            ("select /* /* */ 1", "comment"),
            ("select (1", "bracket"),
            ("select 1)", "bracket"),
            ("select 1; select 2", "several"),
            (" -- nothing\n;", "no statement"),
            ("select 1\0", "zero"),
        ] {
            let refused = read(text).unwrap_err();
            assert!(refused.contains(why), "{text}: {refused}");
        }
        for text in ["select 1::int[]", "select 'it''s; --' /* ; */ ;", "select $$;'$$", "select $1", "select a[1]", "select 1 -- ;\n;  "] {
            read(text).unwrap();
        }
    }

    #[test]
    fn only_what_scripts_do_is_issued() {
        let script = |text: &str| Statement::read(text, Refusable::AllButScripts);
        for text in ["select 1", "BEGIN isolation level serializable", "set transaction read only", "lock table t", "(select 1)"] {
            script(text).unwrap();
        }
        for text in [
            "drop table t",
            "set search_path = public",
            "copy t to program 'x'",
            "do $$ begin end $$",
            "set role x",
            "vacuum",
            "select \"set_config\"('a', 'b', false)",
            "select U&\"d!0061ta\" uescape '!'",
        ] {
            assert!(script(text).unwrap_err().starts_with("a replay does not issue"), "{text}");
        }
        assert!(Statement::read("create extension x", Refusable::AllButSetup).is_err());
        Statement::read("create unique index on t (a)", Refusable::AllButSetup).unwrap();
    }

    #[test]
    fn qualified_names_lead_into_the_schema() {
        let schemas = ["public".to_owned(), "My \"App".to_owned()];
        let led = |text: &str| read(text).unwrap().led(&schemas);
        assert_eq!(led("select public.t.a, t.b from Public . t"), "select t.a, t.b from  t");
        assert_eq!(led("select \"public\".t.* from \"My \"\"App\".t"), "select t.* from t");
        assert_eq!(led("select 'public.t', 1.5, \"PUBLIC\".t -- public.t"), "select 'public.t', 1.5, \"PUBLIC\".t -- public.t");
    }

    #[test]
    fn the_order_of_rows_is_that_of_the_statement() {
        assert!(read("select a from t ORDER  BY a").unwrap().is_ordered());
        assert!(!read("select (select a from t order by a limit 1)").unwrap().is_ordered());
        assert!(!read("select 'order by'").unwrap().is_ordered());
    }
}
