//! `version V: K`: numbers of which a program only knows whether they are the latest.
//!
//! Nothing repeats, so a version cannot be a number in finitely many states. What
//! a program may ask is finite: a local that has taken a version, a *token*, can be
//! compared with `V`, and holds the present version until a request makes a fresh
//! one. For `K` tokens at once `K` *slots* are enough, globals `V[1]`, …, `V[K]`
//! that are 0 (free), 1 (held, and current) or 2 (held, and stale); a token is the
//! number of its slot, and 0 before it has taken any.
//!
//! | form | becomes |
//! |---|---|
//! | `t := V` | `if (t == 1) { V[1] := 0 } …; if (V[1] == 0) { V[1] := 1; t := 1 } … else { while (1) { 0 } }` |
//! | `t == V` | `if (t == 1) { V[1] == 1 } else … else { 0 }` |
//! | `t != V` | `if (t == 1) { V[1] != 1 } else … else { 1 }` |
//! | `fresh(V)` | `V[1] := if (V[1] == 1) { 2 } else { V[1] }; …` |
//! | an answer `e` | `(x := e; if (t == 1) { V[1] := 0 } else …; x)`, for each token `t` of the request |
//!
//! # Why the runs are the same
//! Read `V` as an integer that starts at 1, `fresh(V)` as `V := V + 1`, and `t := V`
//! and the comparisons as they stand. *The runs of a program with slots are those
//! runs of the integers in which at most `K` tokens are held at a time.* Related
//! are states in which a token is 0 in both readings, or its slot is current where
//! its integer is that of `V`, and stale where it is not; a slot is held by one
//! token. Each form keeps this: a comparison gives the same, a fresh version is
//! equal to no token, and a token that is taken is current. The loop behind the
//! last slot never ends and never yields, so where no slot is free there is *no
//! step*: the request stays where its last step ended, and what it would have done
//! before it took a version is not seen by any request. So slots take runs away and
//! add none; not even places where others can run. A serial run holds the tokens
//! of one request, for which there must be slots, so none of these is taken away.

//! # The same with integers
//! [`read_for_proof`](crate::read_for_proof) lowers a program with an integer for each version: `t := V` and
//! comparisons as they stand, and `fresh(V)` as `V := V + 1`, from 1 on. By the above `Int` of the program with slots
//! is a part of `Int` of that with integers, and both have the same `Ser`: if the latter is serializable, so is the
//! program. An error of the program with slots is one of that with integers. The integers are those of mathematics:
//! that `V + 1` leaves 64 bits is no error of the program.

use super::{assign, compare, made, number, read, sequence};
use crate::diagnostic::{Diagnostic, codes};
use crate::grammar::SyntaxKind;
use crate::lowering::Lowering;
use crate::lowering::declared::Slots;
use crate::program::{ArithmeticOp, Arm, CompareOp, Expr, ExprKind, GlobalVar, LocalVar, Variable, is_global};
use crate::tree::{SyntaxNode, SyntaxToken, ast, span};
use serval_diagnostic::Span;

const FREE: i64 = 0;
const CURRENT: i64 = 1;
const STALE: i64 = 2;

/// How a version is used, for those who got it wrong.
const USE: &str = "take it with `t := V`, compare it with `t == V` or `t != V`, change it with `fresh(V)`";

/// A local of the request that takes versions.
#[derive(Clone, Debug)]
pub(crate) struct VersionLocal {
    name: String,
    version: String,
    /// Where it takes the first one.
    place: Span,
}

/// What an operand of a comparison is.
enum ComparedSide {
    Version,
    Token(VersionLocal),
    /// Another local variable.
    Local,
    Other,
}

impl Lowering<'_> {
    /// Finds the tokens of a request.
    pub(crate) fn find_tokens(&mut self, statements: &[ast::Expr]) {
        self.tokens.clear();
        if self.declared.versions.is_empty() {
            return;
        }
        for expr in statements.iter().flat_map(|statement| statement.syntax().descendants()).filter_map(ast::Expr::cast) {
            let Some((name, version)) = self.taken(&expr) else { continue };
            if is_global(name.text()) {
                continue;
            }
            let place = span(expr.syntax().text_range());
            match self.tokens.iter().find(|token| token.name == name.text()) {
                Some(known) if known.version != version.text() => {
                    let (first, other) = (known.place, known.version.clone());
                    self.error(|| {
                        let message = format!("`{}` holds versions of `{other}`, not of `{}`", name.text(), version.text());
                        bad_version(place, message)
                            .also(first, "taken here")
                            .expected("one local for each version")
                            .help("take it into another local")
                    });
                }
                Some(_) => {}
                None => self.tokens.push(VersionLocal { name: name.text().to_owned(), version: version.text().to_owned(), place }),
            }
        }
        self.enough_slots();
    }

    /// One request must be able to hold all its tokens: else it could not even run alone.
    fn enough_slots(&mut self) {
        if self.declared.reading.integers {
            return;
        }
        for (version, slots) in &self.declared.versions {
            let held: Vec<&VersionLocal> = self.tokens.iter().filter(|token| token.version == *version).collect();
            let count = u32::try_from(held.len()).unwrap_or(u32::MAX);
            if let Some(last) = held.last().filter(|_| count > slots.count) {
                let (place, declared, most) = (last.place, slots.place, slots.count);
                self.errors.push(|| {
                    let message = format!("this request holds {count} versions of `{version}` at once, and the declaration allows {most}");
                    bad_version(place, message)
                        .also(declared, "declared here")
                        .expected(format!("at most {most} locals that take a version of `{version}`"))
                        .help(format!("write `version {version}: {count}`, or a greater number"))
                });
            }
        }
    }

    /// The names in `t := V`, where `V` is a version.
    fn taken(&self, expr: &ast::Expr) -> Option<(SyntaxToken, SyntaxToken)> {
        if expr.kind() != SyntaxKind::AssignExpr || expr.operators().nth(1) != Some(SyntaxKind::Assign) {
            return None;
        }
        let value = expr.operands().next()?;
        let version = value.token().filter(|_| value.kind() == SyntaxKind::NameExpr)?;
        let name = expr.token().filter(|name| name.kind() == SyntaxKind::Name)?;
        self.declared.versions.contains_key(version.text()).then_some((name, version))
    }

    /// The token of this name, in the request itself.
    fn token(&self, name: &str) -> Option<VersionLocal> {
        let here = self.frames.is_empty() && self.scope.iter().all(|known| known.0 != name);
        self.tokens.iter().find(|token| here && token.name == name).cloned()
    }

    /// Where the local of this name takes its first version, if it takes any.
    pub(crate) fn token_place(&self, name: &str) -> Option<Span> {
        self.token(name).map(|token| token.place)
    }

    /// `t := V` and `V := e`; `None` inside for any other assignment.
    pub(crate) fn assign_version(&mut self, expr: &ast::Expr) -> Option<Option<Expr>> {
        let place = span(expr.syntax().text_range());
        if self.declared.versions.is_empty() {
            return Some(None);
        }
        let Some((name, version)) = self.taken(expr) else {
            let target = expr.token()?;
            if !self.declared.versions.contains_key(target.text()) {
                return Some(None);
            }
            let at = span(target.text_range());
            self.error(|| {
                bad_version(at, format!("`{}` is a version and not assigned to", target.text()))
                    .expected("a variable")
                    .help(format!("write `fresh({})` for a version that there never was", target.text()))
            });
            return Some(Some(number(0, place)));
        };
        let at = span(name.text_range());
        let Some(token) = self.token(name.text()) else {
            if !self.frames.is_empty() {
                self.error(|| {
                    bad_version(place, format!("a function cannot take a version of `{}`", version.text()))
                        .expected("versions that are taken and compared in requests")
                        .help("take it in the request; a function may make a fresh one")
                });
            } else if is_global(name.text()) {
                self.error(|| {
                    bad_version(at, format!("the global `{}` cannot hold a version of `{}`", name.text(), version.text()))
                        .expected("a local variable, whose first letter is lower-case")
                        .help("let each request take the version that it wants to compare")
                });
            } else {
                // A constant; that is said as of any other.
                self.target(&name);
            }
            return Some(Some(number(0, place)));
        };
        self.no_value(expr.syntax(), "what was taken");
        let slots = self.declared.versions.get(version.text()).copied()?;
        let local = self.locals.number(name.text(), at);
        let usage = self.locals.usage_mut(local);
        (usage.written, usage.token) = (true, !self.declared.reading.integers);
        usage.read.get_or_insert(at);
        let local = Variable::Local(LocalVar(local));
        if self.declared.reading.integers {
            self.count(4);
            return Some(Some(sequence(vec![assign(local, place, read(slots.integer(), place)), number(0, place)], place)));
        }
        let mut list = vec![self.give_back(&token, place)?];
        let mut arms = Vec::new();
        for (index, slot) in (1..).zip(slots.globals()) {
            self.count(6);
            let body = sequence(vec![assign(slot, place, number(CURRENT, place)), assign(local, place, number(index, place))], place);
            arms.push(Arm { condition: compare(CompareOp::Equal, read(slot, place), FREE), body });
        }
        let endless = ExprKind::While { condition: Box::new(number(1, place)), body: Box::new(number(0, place)) };
        list.push(made(ExprKind::If { arms, otherwise: Some(Box::new(made(endless, place))) }, place));
        list.push(number(0, place));
        Some(Some(made(ExprKind::Sequence(list), place)))
    }

    /// Frees the slot of a token, if it has one.
    fn give_back(&mut self, token: &VersionLocal, place: Span) -> Option<Expr> {
        let slots = self.declared.versions.get(&token.version).copied()?;
        let local = Variable::Local(LocalVar(self.locals.number(&token.name, token.place)));
        self.count(6 * u64::from(slots.count));
        let arm = |(index, slot)| Arm {
            condition: compare(CompareOp::Equal, read(local, place), index),
            body: assign(slot, place, number(FREE, place)),
        };
        Some(made(ExprKind::If { arms: (1..).zip(slots.globals()).map(arm).collect(), otherwise: None }, place))
    }

    /// An answer of the request, which gives back what its tokens hold.
    pub(crate) fn answered(&mut self, value: Expr) -> Option<Expr> {
        if self.tokens.is_empty() || self.declared.reading.integers {
            return Some(value);
        }
        let whole = value.span;
        let (mut list, value) = match value.kind {
            ExprKind::Sequence(mut list) => {
                let last = list.pop()?;
                (list, last)
            }
            _ => (Vec::new(), value),
        };
        // It gives back what there is by itself.
        if matches!(value.kind, ExprKind::Return(_)) {
            list.push(value);
            return Some(sequence(list, whole));
        }
        let place = value.span;
        // What gives a version back changes no constant and no local.
        let is_plain = matches!(value.kind, ExprKind::Number(_) | ExprKind::Constant(_) | ExprKind::Read(Variable::Local(_)));
        let answer = if is_plain {
            value
        } else {
            let answer = self.hidden(place);
            list.push(assign(answer, place, value));
            read(answer, place)
        };
        for token in self.tokens.clone() {
            list.push(self.give_back(&token, place)?);
        }
        list.push(answer);
        Some(made(ExprKind::Sequence(list), whole))
    }

    fn side(&self, operand: &ast::Expr) -> ComparedSide {
        let Some(name) = operand.token().filter(|_| operand.kind() == SyntaxKind::NameExpr) else { return ComparedSide::Other };
        match self.token(name.text()) {
            Some(token) => ComparedSide::Token(token),
            None if self.declared.versions.contains_key(name.text()) => ComparedSide::Version,
            None if is_global(name.text()) => ComparedSide::Other,
            None => ComparedSide::Local,
        }
    }

    /// `t == V` or `t != V`; `None` for any other comparison.
    pub(crate) fn compare_version(&mut self, expr: &ast::Expr) -> Option<ExprKind> {
        if self.declared.versions.is_empty() {
            return None;
        }
        let place = span(expr.syntax().text_range());
        let mut operands = expr.operands();
        let (left, right) = (operands.next()?, operands.next()?);
        let op = match expr.operators().next()? {
            SyntaxKind::EqualEqual => Some(CompareOp::Equal),
            SyntaxKind::NotEqual => Some(CompareOp::NotEqual),
            _ => None,
        };
        let (version, other, token) = match (self.side(&left), self.side(&right)) {
            (ComparedSide::Version, ComparedSide::Token(token)) => (left, right, Some(token)),
            (ComparedSide::Token(token), ComparedSide::Version) => (right, left, Some(token)),
            (ComparedSide::Version, ComparedSide::Local) => (left, right, None),
            (ComparedSide::Local, ComparedSide::Version) => (right, left, None),
            (ComparedSide::Token(one), ComparedSide::Token(_)) => {
                self.error(|| {
                    bad_version(place, "two versions that were taken cannot be compared".to_owned())
                        .expected(format!("`{}` on one side", one.version))
                        .help(format!("write `{} == {}`: is it still the latest?", one.name, one.version))
                });
                return Some(ExprKind::Choice);
            }
            _ => return None,
        };
        let (version, other) = (version.token()?, other.token()?);
        if !self.frames.is_empty() {
            self.error(|| {
                bad_version(place, format!("a function cannot compare with `{}`", version.text()))
                    .expected("versions that are taken and compared in requests")
                    .help("compare in the request, and give the function what came out")
            });
            return Some(ExprKind::Choice);
        }
        let Some(op) = op else {
            self.error(|| {
                bad_version(place, format!("versions of `{}` have no order", version.text())).expected("`==` or `!=`").help(format!(
                    "write `{0} == {1}` or `{0} != {1}`",
                    other.text(),
                    version.text()
                ))
            });
            return Some(ExprKind::Choice);
        };
        let Some(token) = token.filter(|token| token.version == version.text()) else {
            let at = span(other.text_range());
            self.error(|| {
                bad_version(at, format!("`{}` holds no version of `{}`", other.text(), version.text()))
                    .expected(format!("a local of this request to which `{}` was assigned", version.text()))
                    .help(format!("write `{} := {}` before, in the request", other.text(), version.text()))
            });
            return Some(ExprKind::Choice);
        };
        let slots = self.declared.versions.get(&token.version).copied()?;
        let local = Variable::Local(LocalVar(self.locals.number(&token.name, token.place)));
        if self.declared.reading.integers {
            self.count(4);
            let (left, right) = (Box::new(read(slots.integer(), place)), Box::new(read(local, place)));
            return Some(ExprKind::Compare { op, left, right });
        }
        self.count(6 * u64::from(slots.count));
        let arm = |(index, slot)| Arm {
            condition: compare(CompareOp::Equal, read(local, place), index),
            body: compare(op, read(slot, place), CURRENT),
        };
        let none = number(i64::from(op == CompareOp::NotEqual), place);
        Some(ExprKind::If { arms: (1..).zip(slots.globals()).map(arm).collect(), otherwise: Some(Box::new(none)) })
    }

    /// `fresh(V)`
    pub(crate) fn fresh(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let place = span(expr.syntax().text_range());
        let mut operands = expr.operands();
        let name = operands.next().filter(|operand| operand.kind() == SyntaxKind::NameExpr && operands.next().is_none());
        let name = name.and_then(|operand| operand.token());
        let Some(slots) = name.and_then(|name| self.declared.versions.get(name.text()).copied()) else {
            if !self.declared.incomplete {
                self.error(|| {
                    bad_version(place, "`fresh` takes one version".to_owned())
                        .expected("the name of a version")
                        .help("declare it before the first request, as in `version V: 2`, and write `fresh(V)`")
                });
            }
            return Some(number(0, place));
        };
        self.no_value(expr.syntax(), "a fresh version");
        if self.declared.reading.integers {
            self.count(6);
            let rest = vec![(ArithmeticOp::Add, number(1, place))];
            let next = made(ExprKind::Arithmetic { first: Box::new(read(slots.integer(), place)), rest }, place);
            return Some(sequence(vec![assign(slots.integer(), place, next), number(0, place)], place));
        }
        let mut list = Vec::new();
        for slot in slots.globals() {
            self.count(6);
            let arm = Arm { condition: compare(CompareOp::Equal, read(slot, place), CURRENT), body: number(STALE, place) };
            let value = made(ExprKind::If { arms: vec![arm], otherwise: Some(Box::new(read(slot, place))) }, place);
            list.push(assign(slot, place, value));
        }
        list.push(number(0, place));
        Some(made(ExprKind::Sequence(list), place))
    }

    /// Complains where the value of this form goes somewhere: a version is no number.
    fn no_value(&mut self, form: &SyntaxNode, what: &str) {
        if value_is_used(form) {
            let place = span(form.text_range());
            self.error(|| {
                bad_version(place, format!("{what} is not a value"))
                    .expected("a statement that others follow")
                    .help("let it stand alone, and write what is meant to be the value behind it")
            });
        }
    }

    /// A version, or a local that holds one, where a number is meant; says so.
    pub(crate) fn is_version(&mut self, name: &SyntaxToken) -> bool {
        let (text, place) = (name.text(), span(name.text_range()));
        if self.declared.versions.contains_key(text) {
            self.error(|| bad_version(place, format!("`{text}` is a version, not a number")).expected("a variable or a number"));
            return true;
        }
        let Some(token) = self.token(text) else { return false };
        self.error(|| {
            bad_version(place, format!("`{text}` holds a version of `{}`, not a number", token.version))
                .also(token.place, "taken here")
                .expected("a variable or a number")
                .help(format!("compare it with `{text} == {}`; for anything else use another local", token.version))
        });
        true
    }
}

impl Slots {
    /// The global that is the version itself, where versions are integers.
    fn integer(self) -> Variable {
        Variable::Global(GlobalVar(self.first))
    }

    fn globals(self) -> impl Iterator<Item = Variable> {
        (self.first..self.first + self.count).map(|number| Variable::Global(GlobalVar(number)))
    }
}

fn bad_version(place: Span, message: String) -> Diagnostic {
    Diagnostic::error(codes::BAD_VERSION, place, message).help(USE)
}

/// Whether something is done with the value of a form.
fn value_is_used(form: &SyntaxNode) -> bool {
    let mut node = form.clone();
    while let Some(around) = node.parent() {
        let last = around.children().filter_map(ast::Expr::cast).last().is_some_and(|last| *last.syntax() == node);
        match around.kind() {
            SyntaxKind::Block | SyntaxKind::ParenExpr | SyntaxKind::SourceFile | SyntaxKind::Condition if !last => return false,
            SyntaxKind::WhileExpr | SyntaxKind::ForExpr if node.kind() == SyntaxKind::Block => return false,
            SyntaxKind::Block | SyntaxKind::ParenExpr | SyntaxKind::IfExpr | SyntaxKind::AtomicExpr => node = around,
            _ => return true,
        }
    }
    true
}
