//! Words and forms of other languages that the author of a handler types, and what to
//! write instead.
//!
//! Such a word would be a variable that is always 0, and its program would get a verdict
//! about something else. A word that the file itself assigns to or declares is a name.

use rustc_hash::FxHashSet;

use super::kind::SyntaxKind::{self, *};
use super::parser::{List, Parser};
use super::quoted::capital;
use crate::diagnostic::{Code, Diagnostic, codes};
use crate::program::is_global;
use serval_diagnostic::Span;

/// How much goes with a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// Nothing.
    Alone,
    /// The rest of the statement.
    Statement,
    /// A block, and others that belong to it.
    Blocks,
}

/// A word, what is expected in its place, and what to write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OtherWord {
    extent: Extent,
    expected: &'static str,
    help: &'static str,
}

/// What is said of a word, wherever it stands as a name.
fn other_word(text: &str) -> Option<OtherWord> {
    use Extent::{Alone, Blocks, Statement};
    let (extent, expected, help) = match text {
        "begin" | "BEGIN" | "transaction" | "TRANSACTION" => (
            Statement,
            "a statement",
            "remove it: what stands between two `yield`s is one step; `atomic { … }` says that no `yield` may come between",
        ),
        "commit" | "COMMIT" => (
            Statement,
            "a statement",
            "remove it: what is written is there for others as soon as the step ends, at a `yield` or at the end",
        ),
        "rollback" | "ROLLBACK" | "abort" => (
            Statement,
            "a statement",
            "nothing is taken back: test before you write, or write the old values again; `return -1` ends the request",
        ),
        "savepoint" | "SAVEPOINT" => (Statement, "a statement", "nothing is taken back: keep the old values in local variables"),
        "null" | "NULL" | "Null" | "nil" | "undefined" | "None" | "none" => (
            Alone,
            "a number or a name",
            "there is no empty value: give an `enum` a member for it, as in `enum Owner { None, Ann, Bob }` and `var Holder: Owner`",
        ),
        "True" | "TRUE" => (Alone, "`true`", "write `true`"),
        "False" | "FALSE" => (Alone, "`false`", "write `false`"),
        "this" | "self" => {
            (Statement, "a variable", "there are no objects: a variable whose first letter is upper-case is shared by all requests")
        }
        "switch" | "case" | "default" | "match" => (Blocks, "`if`", "write `if (x == 1) { … } else if (x == 2) { … } else { … }`"),
        "try" | "catch" | "except" | "finally" | "rescue" => {
            (Blocks, "a statement", "nothing is thrown here: let what can fail give a number that says so, and test it with `if (…) { … }`")
        }
        "throw" | "throws" | "raise" => {
            (Statement, "`return`", "write `return` and an answer that says what went wrong, such as `return -1`")
        }
        "async" => (Statement, "a statement", "remove it: all requests run at the same time as others; write `yield` where one waits"),
        "goto" => (Statement, "a statement", "there are no jumps: use `while`, `break`, `continue` and `return`"),
        "new" => {
            (Statement, "an expression", "there are no objects: variables start at 0, and arrays are declared, as in `var Seat[0..3]`")
        }
        "function" | "def" | "func" | "fun" | "lambda" => {
            (Blocks, "a statement", "write functions outside of requests, as `fn name(x) { … }`")
        }
        "do" => (Blocks, "`while`", "write `while (1) { …; if (…) { break } }` where the test comes last, or `while (…) { … }`"),
        "until" => (Blocks, "`while`", "write `while (!(…)) { … }`; to wait until something holds, `await (…)`"),
        "repeat" | "loop" | "forever" => (Blocks, "`while`", "write `while (1) { … }`, with `break` where it ends"),
        "unless" => (Blocks, "`if`", "write `if (!(…)) { … }`"),
        "foreach" => (Blocks, "`for`", "write `for i in 0..3 { … }`"),
        "import" | "export" | "package" | "include" => (Statement, "a statement", "remove it: a program is one file"),
        "class" | "struct" | "interface" => (
            Blocks,
            "`request`, `fn` or a declaration",
            "there are no objects: write a global for each part, or an array with an element for each object",
        ),
        "public" | "private" | "static" | "void" => {
            (Statement, "a statement", "remove it: globals and locals differ in their first letter alone")
        }
        "synchronized" => (Blocks, "a statement", "write `lock(L)` before and `unlock(L)` behind it, where `L` is a global"),
        "end" | "END" | "endif" => (Alone, "`}`", "a block ends with `}`"),
        "then" => (Alone, "`{`", "a block stands in braces: `if (…) { … }`"),
        "elif" | "elsif" | "elseif" => (Blocks, "`else if`", "`else if` stands right after the `}` of an `if`"),
        "pass" => (Alone, "`skip`", "write `skip`"),
        "select" | "insert" | "update" | "delete" | "SELECT" | "INSERT" | "UPDATE" | "DELETE" => {
            (Statement, "a statement", "there are no tables: a row is a global, or an element of an array, that is read and assigned to")
        }
        "random" => (Alone, "an expression", "write `?` for 0 or 1, or `choose(1..6)` for one of several numbers: all of them are tried"),
        "sleep" => (Alone, "a statement", "write `yield`: others run meanwhile, for however long it takes"),
        "now" => (
            Alone,
            "an expression",
            "there is no clock: write `choose(0..3)` for any time, or let a request count it, as in `request tick { Now += 1 }`",
        ),
        "return" => (Alone, "an expression", "write `return 0`"),
        _ => return None,
    };
    Some(OtherWord { extent, expected, help })
}

/// What is said of a word that is called, where the file has no function of that name.
fn other_call(text: &str) -> Option<OtherWord> {
    let alike = match text {
        "rand" | "randint" | "randrange" | "randInt" => "random",
        "delay" | "setTimeout" | "usleep" => "sleep",
        "time" | "clock" | "timestamp" => "now",
        "require" => {
            let help = "write `if (!(…)) { return -1 }`, with an answer that says what went wrong, or `assert (…)` for what must never be otherwise";
            return Some(OtherWord { extent: Extent::Alone, expected: "`if` or `assert`", help });
        }
        "Some" | "Just" => {
            let help = "a value is a number: give an `enum` a member for what may be missing, as in `enum Owner { None, Ann, Bob }`";
            return Some(OtherWord { extent: Extent::Alone, expected: "an expression", help });
        }
        // These stand before something else, and say there what is wrong.
        "elif" | "elsif" | "elseif" | "return" | "function" | "def" => return None,
        _ => text,
    };
    other_word(alike)
}

/// Whether types of other languages begin with this name.
fn is_map(text: &str) -> bool {
    matches!(text, "map" | "Map" | "HashMap" | "dict" | "Dict")
}

fn error(code: Code, span: Span, message: String, expected: &str, help: impl Into<String>) -> Diagnostic {
    Diagnostic::error(code, span, message).expected(expected).help(help)
}

fn said(word: OtherWord, text: &str, span: Span) -> Diagnostic {
    if text == "return" {
        return error(codes::EXPECTED_EXPRESSION, span, "`return` needs a value".to_owned(), word.expected, word.help);
    }
    error(codes::UNKNOWN_WORD, span, format!("`{text}` is no word of the language"), word.expected, word.help)
}

/// What a statement of SQL begins with; `next` and `third` are the words behind it.
fn begins_sql(word: &str, next: &str, third: &str) -> bool {
    let is = |text: &str, words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    let is_name = |text: &str| text.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '"'));
    match word.to_ascii_lowercase().as_str() {
        "select" => next == "*" || next == "(" || is_name(next) || next.bytes().all(|byte| byte.is_ascii_digit()) && !next.is_empty(),
        "insert" => is(next, &["into"]),
        "delete" => is(next, &["from"]),
        "update" => is_name(next) && (is(third, &["set", "as"]) || third == "." || is_name(third)),
        "create" | "drop" | "alter" | "truncate" => is(next, &["table", "index", "view", "unique"]),
        "begin" | "start" | "commit" | "rollback" => is(next, &["transaction", "work", "to"]),
        "set" => is(next, &["transaction", "local", "session"]),
        "with" => is(third, &["as"]),
        _ => false,
    }
}

/// What stands between statements of SQL.
fn joins_sql(word: &str) -> bool {
    ["begin", "commit", "rollback", "end", "savepoint"].iter().any(|known| word.eq_ignore_ascii_case(known))
}

impl<'t> Parser<'t> {
    /// The words of other languages that are names in this file: it assigns to
    /// them, or declares them.
    pub(super) fn own_words(&self) -> FxHashSet<&'t str> {
        let mut own = FxHashSet::default();
        // Up to where names are declared; the last word, and the one before it.
        let mut declares: Option<SyntaxKind> = None;
        let (mut before, mut word) = ("", "");
        for (kind, text) in self.plain_tokens() {
            let is_new = kind == Name && (declares.is_some() || matches!(word, "const" | "enum" | "var" | "version" | "fn" | "for"));
            if is_new && is_foreign(text) {
                own.insert(text);
            }
            match kind {
                Assign | CompoundAssign | Equal if is_foreign(word) => {
                    own.insert(word);
                }
                LeftParen if matches!(before, "fn" | "request") => declares = Some(RightParen),
                LeftBrace if before == "enum" => declares = Some(RightBrace),
                closer if declares == Some(closer) => declares = None,
                _ => {}
            }
            (before, word) = (word, text);
        }
        own
    }

    /// At a name: what is said of it, if it is a word of another language.
    fn other_word(&self) -> Option<OtherWord> {
        let text = self.text();
        if self.own.contains(text) {
            return None;
        }
        other_word(text)
    }

    /// At the beginning of a statement: passes over what belongs to another language.
    pub(super) fn other_statement(&mut self) -> bool {
        if !self.at(Name) {
            return false;
        }
        if self.at_sql() {
            self.sql();
            return true;
        }
        let Some(word) = self.other_word() else { return false };
        // These are forms, or have messages of their own.
        let is_other = self.text() == "return" || matches!(self.ahead(1), LeftParen | Dot) && word.extent == Extent::Alone;
        if is_other || matches!(self.ahead(1), Name) && self.at_foreign_item() {
            return false;
        }
        self.pass_word(word, true);
        true
    }

    /// At a name in an operand: passes over a word of another language.
    pub(super) fn other_operand(&mut self) -> bool {
        if self.at_sql() {
            self.sql();
            return true;
        }
        if self.at_map() {
            self.pass_map();
            return true;
        }
        let called = self.ahead(1) == LeftParen && !self.functions.contains(self.text()) && !self.own.contains(self.text());
        if called && let Some(word) = other_call(self.text()) {
            self.pass_call(word);
            return true;
        }
        if matches!(self.ahead(1), LeftParen | Dot) {
            return false;
        }
        let Some(word) = self.other_word() else { return false };
        self.pass_word(word, false);
        true
    }

    /// Reports the word, and passes over what goes with it.
    fn pass_word(&mut self, word: OtherWord, as_statement: bool) {
        let begin = self.span().start;
        self.error(|p| said(word, p.text(), p.span()));
        let goes_on = matches!(self.ahead(1), Name | LeftParen | LeftBrace | Text | Number | Dot | Question | Star);
        if word.extent == Extent::Alone || !(as_statement || goes_on) {
            self.bump_error();
        } else {
            self.skip_line();
            while word.extent == Extent::Blocks && self.belongs_to_block() {
                self.skip_line();
            }
            // Behind a block another statement begins.
            if self.previous_kind() != Some(RightBrace) {
                self.hush();
            }
        }
        self.leave_unread(begin);
    }

    /// At `catch (…) { … }`, behind the block of `try`, and its like.
    fn belongs_to_block(&self) -> bool {
        match self.current() {
            Name => {
                matches!(self.text(), "catch" | "except" | "finally" | "rescue" | "until" | "case" | "default")
                    && !self.own.contains(self.text())
            }
            WhileKw => self.previous_kind() == Some(RightBrace) && !self.on_new_line(),
            _ => false,
        }
    }

    /// `sleep(5)`
    fn pass_call(&mut self, word: OtherWord) {
        let begin = self.span().start;
        self.error(|p| said(word, p.text(), p.span()));
        self.bump_error();
        self.skip_parens();
        if self.at(ForeignCompare) || self.at(LeftBrace) && word.extent == Extent::Blocks && self.list != List::Condition {
            self.skip_line();
            while self.belongs_to_block() {
                self.skip_line();
            }
            self.hush();
        }
        self.leave_unread(begin);
    }

    /// At `map[int]int` and its like.
    pub(super) fn at_map(&self) -> bool {
        self.at(Name) && is_map(self.text()) && matches!(self.ahead(1), LeftBracket | Less | LeftBrace) && !self.own.contains(self.text())
    }

    /// Passes over the type.
    pub(super) fn pass_map(&mut self) {
        let begin = self.span().start;
        self.error(|p| {
            let help = "declare an array, with an index for each key and the values that it can have: `var Stock[0..3]: 0..9`";
            error(codes::UNSUPPORTED_FORM, p.span(), "there are no maps".to_owned(), "an array", help)
        });
        self.pass_over(|kind| matches!(kind, Semicolon | Assign | Equal));
        self.leave_unread(begin);
    }

    /// At `user.balance`: a name, perhaps with an index, and a part of it. Members of an `enum` are no parts.
    pub(super) fn at_part(&self) -> bool {
        self.ahead(1) == Dot && self.ahead(2) == Name && !self.names_enum()
    }

    /// Reports a part of a record, or a method, that begins at `start`, where its first
    /// name stands; the parser is at that name, or at the dot.
    pub(super) fn part(&mut self, start: Span, name: &'t str) {
        self.start(Error);
        if self.at(Name) {
            self.bump();
        }
        let mut last = name;
        while self.at(Dot) && self.ahead(1) == Name {
            self.bump();
            last = self.text();
            self.bump();
        }
        let (place, calls) = (start.to(self.previous_span()), self.at(LeftParen));
        let written = self.text_since(start.start);
        self.report_part(place, written, (name, last), calls);
        self.end();
        if calls {
            self.skip_parens();
        }
        self.hush();
        self.leave_unread(start.start);
    }

    fn report_part(&mut self, place: Span, written: &str, (name, last): (&str, &str), calls: bool) {
        if place.start < self.unread.last().map_or(0, |span| span.end) {
            return;
        }
        if let Some(word) = Some(last).filter(|_| calls).and_then(other_call) {
            return self.report(|_| said(word, last, place));
        }
        let known = written.len() <= 40 && !written.contains('\n');
        let written = if known { written } else { "a.b" };
        let message = if calls { format!("`{written}(…)`: nothing has methods") } else { format!("`{written}`: nothing has parts") };
        let help = if calls {
            "write functions as `fn name(x) { … }`, and where the call waits for others, a `yield`".to_owned()
        } else {
            let whole = if matches!(name, "this" | "self") { String::new() } else { capital(name) };
            let (one, many) = if known { (format!("{whole}{}", capital(last)), capital(last)) } else { ("AB".into(), "B".into()) };
            format!("write a global for each part, such as `{one}`, or where there are many an array, `var {many}[0..3]`")
        };
        self.report(|_| error(codes::UNSUPPORTED_FORM, place, message, "a variable", help));
    }

    /// At `?` behind an operand: `c ? a : b`, `a ?? b`.
    pub(super) fn at_foreign_question(&self) -> bool {
        self.at(Question) && (matches!(self.ahead(1), Question | Dot) || self.ternary_colon())
    }

    /// Whether a `:` belongs to the `?` looked at.
    fn ternary_colon(&self) -> bool {
        const FARTHEST: usize = 64;
        let mut depth = 0usize;
        for ahead in 1..FARTHEST {
            match self.ahead(ahead) {
                Colon if depth == 0 => return true,
                LeftParen | LeftBracket => depth += 1,
                RightParen | RightBracket if depth == 0 => return false,
                RightParen | RightBracket => depth -= 1,
                Semicolon | LeftBrace | RightBrace | RequestKw | End => return false,
                _ => {}
            }
        }
        false
    }

    /// Reports it; `start` is where the condition begins.
    pub(super) fn foreign_question(&mut self, start: Span) {
        let empty = matches!(self.ahead(1), Question | Dot);
        let (place, condition) = (self.span(), self.text_since(start.start));
        self.start(Error);
        let mut depth = 0usize;
        let mut colon = None;
        while !self.at(End) && !self.at_request() {
            match self.current() {
                Semicolon | Comma | LeftBrace | RightBrace if depth == 0 => break,
                RightParen | RightBracket if depth == 0 => break,
                LeftParen | LeftBracket => depth += 1,
                RightParen | RightBracket => depth -= 1,
                Colon if depth == 0 && colon.is_none() => colon = Some(self.span()),
                _ => {}
            }
            self.bump();
        }
        let chosen = colon.map_or("", |colon| self.text_between(place.end, colon.start));
        let other = colon.map_or("", |colon| self.text_since(colon.end));
        self.end();
        if empty {
            let help = "there is no empty value: give an `enum` a member for it, and write `if (x == None) { … } else { … }`";
            self.error(|_| {
                error(codes::FOREIGN_OPERATOR, place, "there is no empty value to ask for".to_owned(), "`;` or an operator", help)
            });
        } else {
            let is_short = |text: &str| !text.is_empty() && text.len() <= 30 && !text.contains(['\n', '?']);
            let help = if [condition, chosen, other].into_iter().all(is_short) {
                format!("write `if ({condition}) {{ {} }} else {{ {} }}`, which has a value", chosen.trim(), other.trim())
            } else {
                "write `if (c) { a } else { b }`, which has a value".to_owned()
            };
            self.error(|_| error(codes::FOREIGN_OPERATOR, place, "`? :` is not an operator".to_owned(), "`;` or an operator", help));
        }
        self.hush();
        self.leave_unread(place.start);
    }

    /// At a word that declares a variable in other languages, outside of requests.
    pub(super) fn at_foreign_variable(&self) -> bool {
        self.at(Name) && self.ahead(1) == Name && super::blocks::DECLARING.contains(&self.text()) && !self.own.contains(self.text())
    }

    /// `let x = 1` outside of requests.
    pub(super) fn foreign_variable(&mut self) {
        let begin = self.span().start;
        self.error(|p| {
            let name = p.text_ahead(1);
            let global = if is_global(name) { name.to_owned() } else { capital(name) };
            let more = if is_global(name) { "" } else { "; its first letter is upper-case, as requests share it" };
            let value = match (p.ahead(2), p.ahead(3)) {
                (Equal | Assign, Number) if p.text_ahead(3).len() <= 20 => format!(" := {}", p.text_ahead(3)),
                (Equal | Assign, _) => " := …".to_owned(),
                _ => String::new(),
            };
            let expected = "`var`, or an initial value such as `A := 1`";
            error(
                codes::UNKNOWN_WORD,
                p.span(),
                format!("`{}` is no word of the language", p.text()),
                expected,
                format!("write `var {global}{value}`{more}"),
            )
        });
        self.skip_line();
        self.hush();
        self.eat(Semicolon);
        self.leave_unread(begin);
    }

    /// At a word of another language outside of requests, where no request can be meant.
    pub(super) fn at_other_item(&self) -> bool {
        let word = || self.other_word().filter(|word| word.extent != Extent::Alone);
        self.at(Name) && (self.at_sql() || word().is_some_and(|word| word.extent == Extent::Blocks || self.ahead(1) != LeftBrace))
    }

    /// Passes over it.
    pub(super) fn other_item(&mut self) {
        if !self.other_statement() {
            self.bump_error();
        }
        self.eat(Semicolon);
    }

    fn at_sql(&self) -> bool {
        if self.own.contains(self.text()) {
            return false;
        }
        begins_sql(self.text(), self.text_ahead(1), self.text_ahead(2))
            || joins_sql(self.text())
                && self.ahead(1) == Semicolon
                && begins_sql(self.text_ahead(2), self.text_ahead(3), self.text_ahead(4))
    }

    /// One message for all statements of SQL that follow one another.
    fn sql(&mut self) {
        let begin = self.span().start;
        self.error(|p| {
            let help = "a row is a global, or an element of an array: `SELECT` reads it and `UPDATE` assigns to it; \
                        put a `yield` where others can run between two statements";
            error(codes::UNSUPPORTED_FORM, p.span(), "SQL is not read".to_owned(), "a statement", help)
        });
        loop {
            self.pass_over(|kind| kind == Semicolon);
            let next = (self.text_ahead(1), self.text_ahead(2), self.text_ahead(3));
            if !self.at(Semicolon) || !(begins_sql(next.0, next.1, next.2) || joins_sql(next.0)) {
                break;
            }
            self.bump_error();
        }
        self.leave_unread(begin);
    }

    /// Moves on to what `stop` accepts, or to what closes the brackets around this place. Lines do not count.
    fn pass_over(&mut self, stop: impl Fn(SyntaxKind) -> bool) {
        let mut depth = 0usize;
        self.start(Error);
        while !self.at(End) && !self.at_request() {
            match self.current() {
                kind if depth == 0 && stop(kind) => break,
                LeftBrace if depth == 0 && self.list == List::Condition => break,
                RightBrace if depth == 0 && !self.open_braces.is_empty() => break,
                RightParen if depth == 0 && !self.open_parens.is_empty() => break,
                LeftParen | LeftBracket | LeftBrace => depth += 1,
                RightParen | RightBracket | RightBrace => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.bump();
        }
        self.end();
        self.hush();
    }

    /// What the lexer found wrong from `begin` to here belongs to what has been reported.
    fn leave_unread(&mut self, begin: u32) {
        let end = self.previous_span().end;
        self.unread.push(Span::new(begin, end));
    }
}

fn is_foreign(text: &str) -> bool {
    other_word(text).is_some() || other_call(text).is_some() || is_map(text) || super::forms::LOOP_WORDS.contains(&text) || text == "set"
}
