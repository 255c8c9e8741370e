//! Tokens to tree. A mistake is reported once, where it is, and reading goes on at the next statement or item.

mod expressions;
mod statements;

use serval_diagnostic::{Diagnostic, Span, similar};

pub(crate) use expressions::LONGEST;

use crate::codes;
use crate::limits::{MAX_DEPTH, MAX_STATEMENTS};
use crate::tokens::{Kind, Token};
use crate::tree::{CellItem, File, Name, QuestionForm, QuestionItem, ThreadItem, ValuesItem};

/// Words that begin an item.
const ITEMS: &[&str] = &["memory", "values", "thread", "never", "exists", "forall"];
/// Words that are no names.
pub(crate) const WORDS: &[&str] = &[
    "memory", "values", "thread", "never", "exists", "forall", "skip", "fence", "goto", "break", "assume", "assert", "if", "else", "while",
    "loop", "atomic", "xchg", "fadd", "cas",
];

/// That something was wrong, and has been reported.
pub(crate) struct Wrong;
pub(crate) type Read<T> = Result<T, Wrong>;

pub(crate) struct Parser<'t> {
    text: &'t str,
    tokens: &'t [Token],
    at: usize,
    depth: usize,
    /// How many expressions are around, and how many operators the outermost one has so far.
    within: usize,
    operators: usize,
    /// Statements and labels of the thread so far.
    statements: usize,
    /// Whether nothing more is read or said.
    over: bool,
    diagnostics: &'t mut Vec<Diagnostic>,
}

/// The tree of a text.
pub(crate) fn parse(text: &str, tokens: &[Token], diagnostics: &mut Vec<Diagnostic>) -> File {
    let mut parser = Parser { text, tokens, at: 0, depth: 0, within: 0, operators: 0, statements: 0, over: false, diagnostics };
    let mut file = File::default();
    while parser.kind() != Kind::End {
        let start = parser.at;
        if parser.item(&mut file).is_err() {
            parser.next_item(start);
        }
    }
    file.end = parser.span();
    file
}

impl<'t> Parser<'t> {
    fn token(&self) -> Token {
        // The end is the last token, and no rule goes beyond it.
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    pub(crate) fn kind(&self) -> Kind {
        self.token().kind
    }

    pub(crate) fn span(&self) -> Span {
        self.token().span
    }

    /// The span of the token before.
    pub(crate) fn before(&self) -> Span {
        self.tokens[self.at.saturating_sub(1).min(self.tokens.len() - 1)].span
    }

    pub(crate) fn word(&self) -> &'t str {
        &self.text[self.span().range()]
    }

    pub(crate) fn advance(&mut self) {
        self.at += usize::from(self.kind() != Kind::End);
    }

    pub(crate) fn is(&self, sign: &str) -> bool {
        matches!(self.kind(), Kind::Sign(found) if found == sign)
    }

    /// Whether the sign comes after `ahead` tokens.
    pub(crate) fn is_ahead(&self, ahead: usize, sign: &str) -> bool {
        matches!(self.tokens.get(self.at + ahead), Some(Token { kind: Kind::Sign(found), .. }) if *found == sign)
    }

    pub(crate) fn is_word(&self, word: &str) -> bool {
        self.kind() == Kind::Name && self.word() == word
    }

    pub(crate) fn eat(&mut self, sign: &str) -> bool {
        let found = self.is(sign);
        if found {
            self.advance();
        }
        found
    }

    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    /// What stands here, for a message.
    pub(crate) fn found(&self) -> String {
        match self.kind() {
            Kind::End => "the text ends".to_owned(),
            _ => format!("found `{:.40}`", self.word()),
        }
    }

    pub(crate) fn wrong(&mut self, expected: &str, help: impl Into<String>) -> Wrong {
        let message = format!("expected {expected}, but {}", self.found());
        if self.over {
            return Wrong;
        }
        self.diagnostics.push(Diagnostic::error(codes::UNEXPECTED, self.span(), message).expected(expected).help(help));
        Wrong
    }

    pub(crate) fn expect(&mut self, sign: &str) -> Read<()> {
        if self.eat(sign) {
            return Ok(());
        }
        Err(self.wrong(&format!("`{sign}`"), format!("add `{sign}`")))
    }

    /// The `;` at the end of something. It may be left out before `}`; where it is missing otherwise, that is all that
    /// is said.
    pub(crate) fn semicolon(&mut self) {
        if self.eat(";") || self.is("}") || self.over {
            return;
        }
        let end = self.before().end;
        let missing = Diagnostic::error(codes::MISSING_SEMICOLON, Span::new(end, end), format!("missing `;`: {}", self.found()));
        self.diagnostics.push(missing.expected("`;`").help("add `;` here"));
    }

    pub(crate) fn name(&mut self, what: &str) -> Read<Name> {
        if self.kind() != Kind::Name {
            return Err(self.wrong(what, format!("write {what}")));
        }
        if WORDS.contains(&self.word()) {
            let help = format!("`{}` is a word of the language; take another name", self.word());
            return Err(self.wrong(what, help));
        }
        let name = Name { text: self.word().to_owned(), span: self.span() };
        self.advance();
        Ok(name)
    }

    pub(crate) fn number(&mut self, what: &str) -> Read<(i64, Span)> {
        let start = self.span();
        let negative = self.eat("-");
        let Kind::Number(number) = self.kind() else { return Err(self.wrong(what, "write a number")) };
        let span = start.to(self.span());
        self.advance();
        Ok((if negative { number.saturating_neg() } else { number }, span))
    }

    /// One level deeper, if that is not too deep.
    pub(crate) fn deeper<T>(&mut self, work: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= MAX_DEPTH && !self.over {
            let here = self.span();
            // Whatever follows is as deep.
            (self.over, self.at) = (true, self.tokens.len() - 1);
            let message = format!("blocks and parentheses nest more than {MAX_DEPTH} deep");
            let deep = Diagnostic::error(codes::TOO_MUCH, here, message);
            self.diagnostics.push(deep.expected("less nesting").help("compute parts of it before"));
        }
        if self.over {
            return Err(Wrong);
        }
        self.depth += 1;
        let result = work(self);
        self.depth -= 1;
        result
    }

    /// One statement or label more, if that is not too many: later passes look for labels among all of them.
    pub(crate) fn counted(&mut self) -> Read<()> {
        self.statements += 1;
        if self.statements > MAX_STATEMENTS && !self.over {
            let message = format!("the thread has more than {MAX_STATEMENTS} statements and labels");
            let long = Diagnostic::error(codes::TOO_MUCH, self.span(), message);
            self.diagnostics.push(long.expected("a smaller thread").help("split the thread"));
            (self.over, self.at) = (true, self.tokens.len() - 1);
        }
        if self.over { Err(Wrong) } else { Ok(()) }
    }

    /// Goes to where an item may begin, at least one token further than `start`.
    fn next_item(&mut self, start: usize) {
        self.at = self.at.max(start + 1).min(self.tokens.len() - 1);
        while self.kind() != Kind::End && !(self.kind() == Kind::Name && ITEMS.contains(&self.word())) {
            self.advance();
        }
    }

    fn item(&mut self, file: &mut File) -> Read<()> {
        let start = self.span();
        let word = if self.kind() == Kind::Name { self.word() } else { "" };
        match word {
            "memory" => self.memory(file),
            "values" => self.values(file),
            "thread" => self.thread(file),
            "never" => self.question(file, QuestionForm::Never, start),
            "exists" => self.question(file, QuestionForm::Exists, start),
            "forall" => self.question(file, QuestionForm::Forall, start),
            _ => {
                let help = match similar(word, ITEMS.iter().copied()) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => "statements stand in a thread: `thread T { … }`".to_owned(),
                };
                Err(self.wrong("`memory`, `values`, `thread`, `never`, `exists` or `forall`", help))
            }
        }
    }

    fn memory(&mut self, file: &mut File) -> Read<()> {
        self.advance();
        loop {
            let name = self.name("the name of a cell")?;
            let length = match self.eat("[") {
                true => {
                    let length = self.number("how many cells there are")?;
                    self.expect("]")?;
                    Some(length)
                }
                false => None,
            };
            let mut initial = (0, name.span);
            if self.is(":=") {
                return Err(self.wrong("`=`", "an initial value is written `= 0`"));
            }
            if self.eat("=") {
                initial = self.number("the initial value")?;
            }
            file.cells.push(CellItem { name, length, initial });
            if !self.eat(",") {
                break;
            }
        }
        self.semicolon();
        Ok(())
    }

    fn values(&mut self, file: &mut File) -> Read<()> {
        let start = self.span();
        self.advance();
        let low = self.number("the least value")?.0;
        self.expect("..")?;
        let high = self.number("the greatest value")?.0;
        let wrap = self.eat_word("wrap");
        file.values.push(ValuesItem { low, high, wrap, span: start.to(self.before()) });
        self.semicolon();
        Ok(())
    }

    fn thread(&mut self, file: &mut File) -> Read<()> {
        self.advance();
        let many = self.eat("*");
        let name = self.name("the name of the thread")?;
        self.statements = 0;
        let body = self.block()?;
        file.threads.push(ThreadItem { name, many, body });
        Ok(())
    }

    fn question(&mut self, file: &mut File, kind: QuestionForm, start: Span) -> Read<()> {
        self.advance();
        let condition = self.expression()?;
        let span = start.to(self.before());
        // Only blanks change, so that a question is one line wherever it is shown.
        let text = self.text[span.range()].split_whitespace().collect::<Vec<_>>().join(" ");
        file.questions.push(QuestionItem { kind, condition, text, span });
        self.semicolon();
        Ok(())
    }
}
