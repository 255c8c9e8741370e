//! Formulas as people write them: `2*idle + busy <= 3 and not fireable(grab) or done = 0`.
//!
//! From loosest to tightest: `->` (to the right), `or`, `and`, `not`, the comparisons
//! `= != < <= > >=`, `+` and `-`, `*`, `-` before a sum. Names that are no words, or are
//! words of this language, stand in quotes: `"my place"`, with `\"` and `\\` inside. Products
//! need a number on one side. `fireable(t, u)` is that one of them can fire, `deadlock` that
//! none of all can.
//!
//! A marking is a list of `place = number`; places that it does not name have no token, or any number where the list
//! ends with `*`.

mod markings;
mod text;

use super::{Formula, FormulaPart};
pub use markings::{marking, partial_marking, start, target};
pub use text::{marking_text, quoted, sum_text, text};

use crate::{Constraint, Linear, Net, PlaceId};

/// How deep parentheses and prefixes may nest.
const NESTING: usize = 200;
/// How many parts a formula may have, `fireable` and `deadlock` written out.
const PARTS: usize = 4_000_000;

/// What is wrong with a formula, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordsError {
    /// Where it begins, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// What is wrong.
    pub message: String,
    /// The name that the net does not have, if that is what is wrong.
    pub unknown: Option<Unknown>,
}

/// A name that nothing has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// It should be one of a place.
    Place(String),
    /// It should be one of a transition.
    Transition(String),
    /// It should be one of a property.
    Property(String),
}

impl std::fmt::Display for WordsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for WordsError {}

/// How large something can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Most {
    /// As large as this, and no larger.
    Number(u64),
    /// Larger than every number.
    Omega,
}

impl std::fmt::Display for Most {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Omega => f.write_str("ω"),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum WordToken {
    Name(String),
    Number(u64),
    Sign(&'static str),
    End,
}

impl WordToken {
    fn told(&self) -> String {
        match self {
            Self::Name(name) => format!("“{name}”"),
            Self::Number(number) => number.to_string(),
            Self::Sign(sign) => format!("“{sign}”"),
            Self::End => "the end".to_owned(),
        }
    }
}

/// Longer signs before those that they begin with.
const SIGNS: &[&str] = &["->", "!=", "<=", ">=", "=", "<", ">", "+", "-", "*", "(", ")", ","];
/// Words that are no names.
const WORDS: &[&str] = &["and", "or", "not", "true", "false", "fireable", "deadlock"];

struct Lexed {
    token: WordToken,
    start: usize,
    end: usize,
}

fn lex(text: &str) -> Result<Vec<Lexed>, WordsError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let start = at;
        let fail = |end: usize, message: &str| WordsError { start, end, message: message.to_owned(), unknown: None };
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let rest = &text[at..];
        let token = if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            at += sign.len();
            WordToken::Sign(sign)
        } else if first == '"' {
            let mut name = String::new();
            let mut characters = rest.char_indices().skip(1);
            let closed = loop {
                match characters.next() {
                    Some((offset, '"')) => break offset + 1,
                    Some((_, '\\')) => match characters.next() {
                        Some((_, escaped @ ('"' | '\\'))) => name.push(escaped),
                        _ => return Err(fail(text.len(), "after \\ comes \" or \\")),
                    },
                    Some((_, other)) => name.push(other),
                    None => return Err(fail(text.len(), "the quote is never closed")),
                }
            };
            at += closed;
            // In quotes even the words of the language are names.
            tokens.push(Lexed { token: WordToken::Name(name), start, end: at });
            continue;
        } else if first.is_ascii_digit() {
            let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            at += length;
            if text[at..].strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
                return Err(fail(at + 1, "tokens are whole: a number has no fraction"));
            }
            WordToken::Number(rest[..length].parse().map_err(|_| fail(at, "the number does not fit 64 bits"))?)
        } else if first.is_alphabetic() || first == '_' {
            let length = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'))).unwrap_or(rest.len());
            at += length;
            match WORDS.iter().find(|word| **word == &rest[..length]) {
                Some(word) => WordToken::Sign(word),
                None => WordToken::Name(rest[..length].to_owned()),
            }
        } else {
            return Err(fail(at + first.len_utf8(), "a formula has no such character; names that are no words stand in quotes"));
        };
        tokens.push(Lexed { token, start, end: at });
    }
    tokens.push(Lexed { token: WordToken::End, start: text.len(), end: text.len() });
    Ok(tokens)
}

/// What an expression may be.
enum ExpressionValue {
    Formula(Formula),
    Sum(WordSum),
}

#[derive(Default)]
struct WordSum {
    terms: Vec<(PlaceId, i128)>,
    constant: i128,
}

impl WordSum {
    /// This one and `factor` times the other; numbers of 64 bits are sums and products of a few.
    fn plus(mut self, other: &Self, factor: i128) -> Option<Self> {
        for &(place, weight) in &other.terms {
            self.terms.push((place, weight.checked_mul(factor)?));
        }
        self.constant = other.constant.checked_mul(factor).and_then(|more| self.constant.checked_add(more))?;
        Some(self)
    }
}

struct Parser<'a> {
    net: &'a Net,
    tokens: Vec<Lexed>,
    at: usize,
    depth: usize,
}

type Parsed<T> = Result<T, WordsError>;

/// Reads a formula about a net.
///
/// ```
/// use serval_petri::{Net, words};
/// let mut net = Net::new("a lock");
/// let (free, held) = (net.add_place("free", 1).unwrap(), net.add_place("my lock", 0).unwrap());
/// net.add_transition("take", [(free, 1)], [(held, 1)]).unwrap();
/// let formula = words::formula("free + 2*\"my lock\" >= 1 and fireable(take)", &net).unwrap();
/// assert!(formula.holds(&net.initial()));
/// let error = words::formula("free and frei > 0", &net).unwrap_err();
/// assert_eq!(error.message, "“and” joins formulas, and a number of tokens is none: compare it with something");
/// ```
pub fn formula(text: &str, net: &Net) -> Parsed<Formula> {
    let mut parser = Parser { net, tokens: lex(text)?, at: 0, depth: 0 };
    let value = parser.implication()?;
    match parser.token() {
        WordToken::End => parser.expect_formula(value, (0, text.len()), "this"),
        other => Err(parser.here(format!("expected an operator or the end, found {}", other.told()))),
    }
}

/// Reads a sum of places, each counted at least once, `a + 2*b`: the places, ascending.
pub fn places(text: &str, net: &Net) -> Parsed<Vec<PlaceId>> {
    let mut parser = Parser { net, tokens: lex(text)?, at: 0, depth: 0 };
    let sum = parser.places(text, "bounded:")?;
    if *parser.token() != WordToken::End {
        return Err(parser.here(format!("expected “+” or the end, found {}", parser.token().told())));
    }
    Ok(sum.terms().iter().map(|term| term.0).collect())
}

/// Reads a sum of places, each counted at least once, and perhaps what it is at most: `a + 2*b`, `a + 2*b = 3`,
/// `a = ω`.
pub fn bound(text: &str, net: &Net) -> Parsed<(Linear, Option<Most>)> {
    let mut parser = Parser { net, tokens: lex(text)?, at: 0, depth: 0 };
    let sum = parser.places(text, "bound:")?;
    if sum.constant() != 0 {
        let message = "expected a sum of places, and nothing that is added to it".to_owned();
        return Err(WordsError { start: 0, end: text.len(), message, unknown: None });
    }
    let most = if parser.takes("=") {
        let most = match parser.token() {
            WordToken::Number(number) => Most::Number(*number),
            WordToken::Name(name) if name == "ω" || name == "omega" => Most::Omega,
            other => return Err(parser.here(format!("expected a number or ω, found {}", other.told()))),
        };
        parser.at += 1;
        Some(most)
    } else {
        None
    };
    if *parser.token() != WordToken::End {
        return Err(parser.here(format!("expected “+”, “= NUMBER”, “= ω” or the end, found {}", parser.token().told())));
    }
    Ok((sum, most))
}

impl Parser<'_> {
    /// A sum of places, each counted at least once.
    fn places(&mut self, text: &str, operator: &str) -> Parsed<Linear> {
        let value = self.sum()?;
        let sum = self.expect_sum(value, (0, text.len()), operator)?;
        let fail = |message: &str| WordsError { start: 0, end: text.len(), message: message.to_owned(), unknown: None };
        let Some(sum) = Linear::from_wide(sum.terms, sum.constant) else { return Err(fail(&too_large())) };
        if sum.terms().is_empty() || sum.terms().iter().any(|term| term.1 < 0) {
            return Err(fail("expected a sum of places, without “-”"));
        }
        Ok(sum)
    }

    fn token(&self) -> &WordToken {
        self.tokens.get(self.at).map_or(&WordToken::End, |lexed| &lexed.token)
    }

    fn span(&self) -> (usize, usize) {
        self.tokens.get(self.at).or(self.tokens.last()).map_or((0, 0), |lexed| (lexed.start, lexed.end))
    }

    /// From where something began to what was read last.
    fn since(&self, start: usize) -> (usize, usize) {
        (start, self.tokens[..self.at].last().map_or(start, |lexed| lexed.end.max(start)))
    }

    fn here(&self, message: impl Into<String>) -> WordsError {
        let (start, end) = self.span();
        WordsError { start, end, message: message.into(), unknown: None }
    }

    fn takes(&mut self, sign: &str) -> bool {
        let is_next = matches!(self.token(), WordToken::Sign(next) if *next == sign);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.takes(sign) { Ok(()) } else { Err(self.here(format!("expected “{sign}”, found {}", self.token().told()))) }
    }

    fn name(&mut self, what: &str) -> Parsed<String> {
        let WordToken::Name(name) = self.token().clone() else {
            return Err(self.here(format!("expected {what}, found {}", self.token().told())));
        };
        self.at += 1;
        Ok(name)
    }

    fn place(&self, name: String, (start, end): (usize, usize)) -> Parsed<PlaceId> {
        self.net.place_named(&name).ok_or_else(|| {
            let message = format!("the net has no place “{name}”");
            WordsError { start, end, message, unknown: Some(Unknown::Place(name)) }
        })
    }

    /// Goes one level down.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == NESTING {
            return Err(self.here(format!("formulas nest at most {NESTING} deep")));
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn expect_formula(&self, value: ExpressionValue, (start, end): (usize, usize), operator: &str) -> Parsed<Formula> {
        match value {
            ExpressionValue::Formula(formula) if formula.parts.len() > PARTS => {
                let message = format!("the formula has more than {PARTS} parts");
                Err(WordsError { start, end, message, unknown: None })
            }
            ExpressionValue::Formula(formula) => Ok(formula),
            ExpressionValue::Sum(_) => {
                let message = if operator == "this" {
                    "this is a number of tokens, not a formula: compare it with something".to_owned()
                } else {
                    format!("“{operator}” joins formulas, and a number of tokens is none: compare it with something")
                };
                Err(WordsError { start, end, message, unknown: None })
            }
        }
    }

    fn expect_sum(&self, value: ExpressionValue, (start, end): (usize, usize), operator: &str) -> Parsed<WordSum> {
        match value {
            ExpressionValue::Sum(sum) => Ok(sum),
            ExpressionValue::Formula(_) => {
                let message = format!("“{operator}” needs numbers of tokens, and a formula is none");
                Err(WordsError { start, end, message, unknown: None })
            }
        }
    }

    fn negated(&self, formula: &Formula, (start, end): (usize, usize)) -> Parsed<Formula> {
        formula.negated().ok_or_else(|| WordsError { start, end, message: too_large(), unknown: None })
    }

    fn implication(&mut self) -> Parsed<ExpressionValue> {
        let start = self.span().0;
        let left = self.joined("or")?;
        let span = self.since(start);
        if !self.takes("->") {
            return Ok(left);
        }
        let left = self.expect_formula(left, span, "->")?;
        let left = self.negated(&left, span)?;
        let start = self.span().0;
        let right = self.deeper(Self::implication)?;
        let right = self.expect_formula(right, self.since(start), "->")?;
        Ok(ExpressionValue::Formula(Formula::any([left, right])))
    }

    /// A chain of `or`, or of `and`.
    fn joined(&mut self, operator: &'static str) -> Parsed<ExpressionValue> {
        let operand = |parser: &mut Self| if operator == "or" { parser.joined("and") } else { parser.negation() };
        let start = self.span().0;
        let first = operand(self)?;
        let span = self.since(start);
        if !matches!(self.token(), WordToken::Sign(sign) if *sign == operator) {
            return Ok(first);
        }
        let mut all = vec![self.expect_formula(first, span, operator)?];
        while self.takes(operator) {
            let start = self.span().0;
            let next = operand(self)?;
            all.push(self.expect_formula(next, self.since(start), operator)?);
        }
        Ok(ExpressionValue::Formula(if operator == "or" { Formula::any(all) } else { Formula::all(all) }))
    }

    fn negation(&mut self) -> Parsed<ExpressionValue> {
        if !self.takes("not") {
            return self.comparison();
        }
        let start = self.span().0;
        let inner = self.deeper(Self::negation)?;
        let span = self.since(start);
        let inner = self.expect_formula(inner, span, "not")?;
        Ok(ExpressionValue::Formula(self.negated(&inner, span)?))
    }

    fn comparison(&mut self) -> Parsed<ExpressionValue> {
        let start = self.span().0;
        let left = self.sum()?;
        let span = self.since(start);
        let Some(operator) = ["=", "!=", "<", "<=", ">", ">="].into_iter().find(|sign| self.takes(sign)) else { return Ok(left) };
        let left = self.expect_sum(left, span, operator)?;
        let second = self.span().0;
        let right = self.sum()?;
        let right = self.expect_sum(right, self.since(second), operator)?;
        if matches!(self.token(), WordToken::Sign("=" | "!=" | "<" | "<=" | ">" | ">=")) {
            return Err(self.here("comparisons do not chain: join two of them by “and”"));
        }
        let (start, end) = self.since(start);
        let formula = compared(operator, left, right).ok_or_else(|| WordsError { start, end, message: too_large(), unknown: None })?;
        Ok(ExpressionValue::Formula(formula))
    }

    fn sum(&mut self) -> Parsed<ExpressionValue> {
        let start = self.span().0;
        let mut value = self.product()?;
        loop {
            let (operator, factor) = match self.token() {
                WordToken::Sign("+") => ("+", 1),
                WordToken::Sign("-") => ("-", -1),
                _ => return Ok(value),
            };
            let left = self.expect_sum(value, self.since(start), operator)?;
            self.at += 1;
            let second = self.span().0;
            let right = self.product()?;
            let right = self.expect_sum(right, self.since(second), operator)?;
            value = ExpressionValue::Sum(left.plus(&right, factor).ok_or_else(|| self.here(too_large()))?);
        }
    }

    fn product(&mut self) -> Parsed<ExpressionValue> {
        let start = self.span().0;
        let mut value = self.prefixed()?;
        while matches!(self.token(), WordToken::Sign("*")) {
            let left = self.expect_sum(value, self.since(start), "*")?;
            self.at += 1;
            let second = self.span().0;
            let right = self.prefixed()?;
            let right = self.expect_sum(right, self.since(second), "*")?;
            let (sum, factor) = match (&left.terms[..], &right.terms[..]) {
                ([], _) => (right, left.constant),
                (_, []) => (left, right.constant),
                _ => {
                    let (start, end) = self.since(start);
                    let message = "a product of two places is not linear".to_owned();
                    return Err(WordsError { start, end, message, unknown: None });
                }
            };
            value = ExpressionValue::Sum(WordSum::default().plus(&sum, factor).ok_or_else(|| self.here(too_large()))?);
        }
        Ok(value)
    }

    fn prefixed(&mut self) -> Parsed<ExpressionValue> {
        if !self.takes("-") {
            return self.operand();
        }
        let start = self.span().0;
        let inner = self.deeper(Self::prefixed)?;
        let inner = self.expect_sum(inner, self.since(start), "-")?;
        Ok(ExpressionValue::Sum(WordSum::default().plus(&inner, -1).ok_or_else(|| self.here(too_large()))?))
    }

    fn operand(&mut self) -> Parsed<ExpressionValue> {
        let span = self.span();
        let token = self.token().clone();
        match token {
            WordToken::Number(number) => {
                self.at += 1;
                Ok(ExpressionValue::Sum(WordSum { constant: number.into(), ..WordSum::default() }))
            }
            WordToken::Name(name) => {
                self.at += 1;
                let place = self.place(name, span)?;
                Ok(ExpressionValue::Sum(WordSum { terms: vec![(place, 1)], constant: 0 }))
            }
            WordToken::Sign("(") => {
                self.at += 1;
                let inner = self.deeper(Self::implication)?;
                self.expect(")")?;
                Ok(inner)
            }
            WordToken::Sign("true") => self.word(Formula::all([])),
            WordToken::Sign("false") => self.word(Formula::any([])),
            WordToken::Sign("deadlock") => {
                let formula = Formula::deadlock(self.net).ok_or_else(|| self.here(too_large()))?;
                self.word(formula)
            }
            WordToken::Sign("fireable") => self.fireable(),
            other => Err(self.here(format!("expected a place, a number or a formula, found {}", other.told()))),
        }
    }

    fn word(&mut self, formula: Formula) -> Parsed<ExpressionValue> {
        self.at += 1;
        Ok(ExpressionValue::Formula(formula))
    }

    fn fireable(&mut self) -> Parsed<ExpressionValue> {
        self.at += 1;
        self.expect("(")?;
        let mut any = Vec::new();
        loop {
            let (start, end) = self.span();
            let name = self.name("the name of a transition")?;
            let Some(transition) = self.net.transition_named(&name) else {
                let message = format!("the net has no transition “{name}”");
                return Err(WordsError { start, end, message, unknown: Some(Unknown::Transition(name)) });
            };
            let formula = Formula::fireable(self.net, transition);
            any.push(formula.ok_or_else(|| WordsError { start, end, message: too_large(), unknown: None })?);
            if !self.takes(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(ExpressionValue::Formula(Formula::any(any)))
    }
}

fn too_large() -> String {
    "a number does not fit 64 bits".to_owned()
}

/// `left operator right`.
fn compared(operator: &str, left: WordSum, right: WordSum) -> Option<Formula> {
    let difference = |larger: &WordSum, smaller: &WordSum, by: i128| {
        let sum = WordSum { constant: -by, ..WordSum::default() }.plus(larger, 1)?.plus(smaller, -1)?;
        Linear::from_wide(sum.terms, sum.constant)
    };
    let at_least =
        |larger: &WordSum, smaller: &WordSum, by| Some(FormulaPart::Constraint(Constraint::AtLeastZero(difference(larger, smaller, by)?)));
    let parts = match operator {
        "<=" => vec![at_least(&right, &left, 0)?],
        "<" => vec![at_least(&right, &left, 1)?],
        ">=" => vec![at_least(&left, &right, 0)?],
        ">" => vec![at_least(&left, &right, 1)?],
        "=" => vec![FormulaPart::Constraint(Constraint::Zero(difference(&left, &right, 0)?))],
        _ => vec![at_least(&right, &left, 1)?, at_least(&left, &right, 1)?, FormulaPart::Any(2)],
    };
    Some(Formula::from_parts(parts))
}
