//! A program in the core language: no declarations, no convenience forms.
//!
//! What is left are initial values, requests, `:=`, `;`, `if`, `while`,
//! `yield`, `?`, `return`, numbers and operators. Names that the core language
//! cannot have (`A[0]`, `f.x`, `transfer(1)`) become similar ones that can
//! (`A_0`, `f_x`, `transfer_1`); no two become the same. A value that must lie
//! in a range is tested, and so is what an `assert` or an `invariant` claims; the error is a division by zero.
//!
//! The text means the same program: requests in the same order with the same
//! behaviour. (`serval` reads it like any other; a test compares the two.) The layout follows from the operations
//! alone, taken two by two, so that another program can print what it has read and compare. Where
//! requests have too many combinations of parameters to be written out, those
//! that stand for all are there, with their other parameters, and a comment says so.

use std::fmt::Write;

use rustc_hash::FxHashSet;

use super::{ArithmeticOp, Arm, CompareOp, ExpectedVerdict, Expr, ExprKind, Limit, LocalVar, Program, Request, Variable, is_global};

/// The words that mean something in some places; no variable is called so.
const WORDS: &[&str] = &["request", "if", "else", "while", "yield", "return", "and", "or", "not", "skip"];

/// The program as text in the core language.
///
/// ```
/// let program = serval_syntax::analyze("request main { lock(L); x := X; unlock(L); x }").program.unwrap();
/// let core = serval_syntax::core_text(&program);
/// let body = "    while (L == 1) {\n        yield\n    };\n    L := 1;\n    x := X;\n    L := 0;\n    x\n";
/// assert_eq!(core, format!("request main {{\n{body}}}\n"));
/// ```
pub fn core_text(program: &Program) -> String {
    core_of(program).text
}

/// The core of a program, and what is called how there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Core {
    /// [`core_text`].
    pub text: String,
    /// The names of the global variables, in the order of the program.
    pub globals: Vec<String>,
    /// The names of the requests, in the order of the program, each with those of its local variables.
    pub requests: Vec<(String, Vec<String>)>,
}

/// A program in the core language, with its names.
pub fn core_of(program: &Program) -> Core {
    let mut out = String::new();
    if let Some(expectation) = &program.expectation {
        let verdict = match expectation.verdict {
            ExpectedVerdict::Serializable => "serializable",
            ExpectedVerdict::NotSerializable => "not-serializable",
            ExpectedVerdict::Fault => "fault",
            ExpectedVerdict::Strict => "strict",
            ExpectedVerdict::NotStrict => "not-strict",
            ExpectedVerdict::Undecided => "unknown",
        };
        let anomaly = expectation.anomaly.as_deref().map_or_else(String::new, |name| format!(" {name}"));
        let _ = writeln!(out, "// expect: {verdict}{anomaly}");
    }
    if program.many.is_some() {
        out.push_str("// These requests stand for all combinations of parameters.\n");
    }
    let mut taken = FxHashSet::default();
    let globals: Vec<String> = program.globals.iter().map(|global| fresh(&global.name, true, &mut taken)).collect();
    for (global, name) in program.globals.iter().zip(&globals).filter(|(global, _)| global.initial != 0) {
        let _ = writeln!(out, "{name} := {}", global.initial);
    }
    let is_bare = matches!(program.requests.as_slice(), [request] if request.name == "request");
    // Two requests may share a name on purpose; others must not come to.
    let mut names: Vec<(&str, String)> = Vec::new();
    let mut locals = Vec::new();
    let mut taken = FxHashSet::default();
    for request in &program.requests {
        let mut name = match names.iter().find(|(known, _)| *known == request.name) {
            Some((_, name)) => name.clone(),
            None => fresh(&without_ranges(request), is_global(&request.name), &mut taken),
        };
        let mut printer = Printer::new(request, &globals);
        if is_bare {
            // Without a request, an initial value would be an assignment; so
            // it gets a name where there is one.
            if program.globals.iter().all(|global| global.initial == 0) {
                printer.statements(&request.body);
                let _ = writeln!(out, "{}", printer.text);
                names.push((&request.name, request.name.clone()));
                locals.push(printer.names_as_written());
                break;
            }
            let _ = write!(out, "request main {{");
            name = "main".to_owned();
        } else {
            let _ = write!(out, "request {name}{} {{", parameters(request));
        }
        printer.indent = 1;
        printer.line();
        printer.statements(&request.body);
        let _ = writeln!(out, "{}\n}}", printer.text);
        names.push((&request.name, name));
        locals.push(printer.names_as_written());
    }
    Core { text: out, globals, requests: names.into_iter().map(|(_, name)| name).zip(locals).collect() }
}

/// The parameters that are kept as local variables.
fn parameters(request: &Request) -> String {
    let name = |local: LocalVar| request.locals.get(local.index()).map_or("", |local| local.name.as_str());
    let params: Vec<String> = request.params.iter().map(|param| format!("{}: {}..{}", name(param.local), param.low, param.high)).collect();
    if params.is_empty() { String::new() } else { format!("({})", params.join(", ")) }
}

/// The name without the ranges of such parameters.
fn without_ranges(request: &Request) -> String {
    let Some((base, values)) = request.name.split_once('(').filter(|_| !request.params.is_empty()) else { return request.name.clone() };
    let values: Vec<&str> = values.trim_end_matches(')').split(", ").filter(|value| !value.contains("..")).collect();
    if values.is_empty() { base.to_owned() } else { format!("{base}({})", values.join(", ")) }
}

/// A name of letters, digits and `_` that is like this one and not taken.
fn fresh(name: &str, global: bool, taken: &mut FxHashSet<String>) -> String {
    let mut plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    while plain.contains("__") {
        plain = plain.replace("__", "_");
    }
    if plain.len() > 1 && !name.ends_with('_') {
        plain.truncate(plain.trim_end_matches('_').len().max(1));
    }
    if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        plain = name.to_owned();
    }
    if plain.starts_with(|c: char| c.is_ascii_digit()) || name.starts_with('#') {
        plain = format!("t{}", plain.trim_start_matches('_'));
    }
    if is_global(&plain) != global {
        plain = format!("{}{plain}", if global { "G_" } else { "l_" });
    }
    while WORDS.contains(&plain.as_str()) || taken.contains(&plain) {
        plain.push('_');
    }
    taken.insert(plain.clone());
    plain
}

fn flatten<'e>(e: &'e Expr, list: &mut Vec<&'e Expr>) {
    match &e.kind {
        ExprKind::Sequence(parts) => parts.iter().for_each(|part| flatten(part, list)),
        _ => list.push(e),
    }
}

/// What a sequence is written as, where that is one part: numbers whose value is not used are left out.
fn alone(e: &Expr) -> &Expr {
    let mut list = Vec::new();
    flatten(e, &mut list);
    let last = list.len() - 1;
    let is_written = |position: usize, part: &Expr| position == last || !matches!(part.kind, ExprKind::Number(_) | ExprKind::Constant(_));
    let mut written = list.iter().enumerate().filter(|&(position, part)| is_written(position, part));
    match (written.next(), written.next()) {
        (Some((_, part)), None) => part,
        _ => e,
    }
}

fn is_zero(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Number(0) | ExprKind::Constant(0))
}

/// Whether it is written with `if`.
fn is_if(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::If { .. } | ExprKind::Within { limit: Limit::Assertion | Limit::Invariant(_), .. })
}

/// `if (!condition) { 1 / 0 }`, for a condition that must hold.
fn asserted(condition: &Expr) -> Expr {
    let made = |kind| Expr { kind, span: condition.span };
    let one = Box::new(made(ExprKind::Number(1)));
    let body = made(ExprKind::Arithmetic { first: one, rest: vec![(ArithmeticOp::Divide, made(ExprKind::Number(0)))] });
    let condition = made(ExprKind::Not(Box::new(condition.clone())));
    made(ExprKind::If { arms: vec![Arm { condition, body }], otherwise: None })
}

struct Printer<'p> {
    text: String,
    indent: usize,
    globals: &'p [String],
    locals: Vec<String>,
    /// Holds a value while it is compared with its limits; the last local.
    within: Variable,
}

impl<'p> Printer<'p> {
    fn new(request: &Request, globals: &'p [String]) -> Self {
        let mut taken = FxHashSet::default();
        // Names as written come first, so that they stay as they are.
        let is_plain = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let mut locals = vec![String::new(); request.locals.len()];
        for plain in [true, false] {
            for (local, name) in request.locals.iter().zip(&mut locals).filter(|(local, _)| is_plain(&local.name) == plain) {
                *name = fresh(&local.name, false, &mut taken);
            }
        }
        let within = Variable::Local(LocalVar(u32::try_from(locals.len()).unwrap_or(u32::MAX)));
        locals.push(fresh("within", false, &mut taken));
        Self { text: String::new(), indent: 0, globals, locals, within }
    }

    /// The names of the local variables of the program, without the one that holds values while they are compared.
    fn names_as_written(&self) -> Vec<String> {
        self.locals.split_last().map_or_else(Vec::new, |(_, names)| names.to_vec())
    }

    /// `within := value; if (within < low || within > high) { 1 / 0 }; within`
    fn tested(&self, value: &Expr, low: i64, high: i64) -> Expr {
        let made = |kind| Expr { kind, span: value.span };
        let number = |value| made(ExprKind::Number(value));
        let seen = || Box::new(made(ExprKind::Read(self.within)));
        let beyond = |op, limit| made(ExprKind::Compare { op, left: seen(), right: Box::new(number(limit)) });
        let condition = made(ExprKind::Or(vec![beyond(CompareOp::Less, low), beyond(CompareOp::Greater, high)]));
        let body = made(ExprKind::Arithmetic { first: Box::new(number(1)), rest: vec![(ArithmeticOp::Divide, number(0))] });
        made(ExprKind::Sequence(vec![
            made(ExprKind::Assign { target: self.within, target_span: value.span, value: Box::new(value.clone()), unlock: false }),
            made(ExprKind::If { arms: vec![Arm { condition, body }], otherwise: None }),
            *seen(),
        ]))
    }

    /// What tests a value that must lie in a range: a sequence, which goes on the one that ends with it.
    fn range_test(&self, e: &Expr) -> Option<Expr> {
        match &e.kind {
            ExprKind::Within { limit: Limit::Assertion | Limit::Invariant(_), .. } => None,
            ExprKind::Within { value, low, high, .. } => Some(self.tested(value, *low, *high)),
            _ => None,
        }
    }

    fn name(&self, variable: Variable) -> &str {
        match variable {
            Variable::Global(global) => &self.globals[global.index()],
            Variable::Local(local) => &self.locals[local.index()],
        }
    }

    fn line(&mut self) {
        self.text.push('\n');
        for _ in 0..self.indent {
            self.text.push_str("    ");
        }
    }

    /// The parts of a sequence, one on each line. Sequences in a sequence are
    /// part of it, and numbers whose value is not used are left out.
    fn statements(&mut self, e: &Expr) {
        let mut list = Vec::new();
        flatten(e, &mut list);
        let last = list.len() - 1;
        let mut first = true;
        for (position, part) in list.into_iter().enumerate() {
            if position < last && matches!(part.kind, ExprKind::Number(_) | ExprKind::Constant(_)) {
                continue;
            }
            if !std::mem::replace(&mut first, false) {
                self.text.push(';');
                self.line();
            }
            match self.range_test(part) {
                Some(tested) if position == last => self.statements(&tested),
                _ => self.expr(part),
            }
        }
    }

    fn block(&mut self, e: &Expr) {
        self.text.push_str(" {");
        self.indent += 1;
        self.line();
        self.statements(e);
        self.indent -= 1;
        self.line();
        self.text.push('}');
    }

    /// In parentheses, with the parts of a sequence in one line. Sequences in a sequence are part of it.
    fn paren(&mut self, e: &Expr) {
        self.text.push('(');
        self.inside(e);
        self.text.push(')');
    }

    fn inside(&mut self, e: &Expr) {
        let mut list = Vec::new();
        flatten(e, &mut list);
        let last = list.len() - 1;
        for (position, part) in list.into_iter().enumerate() {
            if position > 0 {
                self.text.push_str("; ");
            }
            match self.range_test(part) {
                Some(tested) if position == last => self.inside(&tested),
                _ => self.expr(part),
            }
        }
    }

    /// As an operand: in parentheses unless it is a single word.
    fn operand(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Number(value) | ExprKind::Constant(value) if *value >= 0 => self.expr(e),
            ExprKind::Choice | ExprKind::Yield | ExprKind::Read(_) => self.expr(e),
            _ => self.paren(e),
        }
    }

    /// What goes on a chain of the same operator on its right needs no parentheses.
    fn operands(&mut self, list: &[Expr], operator: &str, goes_on: fn(&ExprKind) -> bool) {
        for (position, operand) in list.iter().enumerate() {
            if position > 0 {
                self.text.push_str(operator);
            }
            if position + 1 == list.len() && goes_on(&operand.kind) {
                self.expr(operand);
            } else {
                self.operand(operand);
            }
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Number(value) | ExprKind::Constant(value) => {
                let _ = write!(self.text, "{value}");
            }
            ExprKind::Choice => self.text.push('?'),
            ExprKind::Yield => self.text.push_str("yield"),
            ExprKind::Read(variable) => {
                let name = self.name(*variable).to_owned();
                self.text.push_str(&name);
            }
            ExprKind::Assign { target, value, .. } => {
                let name = self.name(*target).to_owned();
                self.text.push_str(&name);
                self.text.push_str(" := ");
                match &value.kind {
                    ExprKind::Sequence(_) | ExprKind::Return(_) => self.paren(value),
                    _ => self.expr(value),
                }
            }
            ExprKind::Within { value, limit: Limit::Assertion | Limit::Invariant(_), .. } => self.expr(&asserted(value)),
            ExprKind::Within { .. } => self.paren(e),
            ExprKind::Not(operand) => {
                self.text.push('!');
                self.operand(operand);
            }
            ExprKind::Negate(operand) => {
                self.text.push('-');
                self.operand(operand);
            }
            ExprKind::Arithmetic { first, rest } => self.arithmetic(first, rest),
            ExprKind::Compare { op, left, right } => {
                self.operand(left);
                self.text.push_str(match op {
                    CompareOp::Equal => " == ",
                    CompareOp::NotEqual => " != ",
                    CompareOp::Less => " < ",
                    CompareOp::LessOrEqual => " <= ",
                    CompareOp::Greater => " > ",
                    CompareOp::GreaterOrEqual => " >= ",
                });
                self.operand(right);
            }
            ExprKind::And(list) => self.operands(list, " && ", |last| matches!(last, ExprKind::And(_))),
            ExprKind::Or(list) => self.operands(list, " || ", |last| matches!(last, ExprKind::Or(_))),
            ExprKind::Sequence(_) => self.paren(e),
            ExprKind::If { arms, otherwise } => {
                for (position, arm) in arms.iter().enumerate() {
                    self.text.push_str(if position == 0 { "if (" } else { " else if (" });
                    self.inside(&arm.condition);
                    self.text.push(')');
                    self.block(&arm.body);
                }
                match otherwise.as_deref().map(alone) {
                    None => {}
                    Some(otherwise) if is_zero(otherwise) => {}
                    Some(otherwise) if is_if(otherwise) => {
                        self.text.push_str(" else ");
                        self.expr(otherwise);
                    }
                    Some(otherwise) => {
                        self.text.push_str(" else");
                        self.block(otherwise);
                    }
                }
            }
            ExprKind::While { condition, body } => {
                self.text.push_str("while (");
                self.inside(condition);
                self.text.push(')');
                self.block(body);
            }
            ExprKind::Return(value) => {
                self.text.push_str("return ");
                self.operand(value);
            }
        }
    }

    /// Left to right; what binds differently gets parentheses.
    fn arithmetic(&mut self, first: &Expr, rest: &[(ArithmeticOp, Expr)]) {
        let tight = |op: ArithmeticOp| matches!(op, ArithmeticOp::Multiply | ArithmeticOp::Divide | ArithmeticOp::Remainder);
        // All operators of a node bind equally, in the order of the text.
        debug_assert!(rest.windows(2).all(|pair| tight(pair[0].0) == tight(pair[1].0)));
        match &first.kind {
            ExprKind::Arithmetic { rest: inner, .. }
                if inner.first().map(|pair| tight(pair.0)) == rest.first().map(|pair| tight(pair.0)) =>
            {
                self.expr(first);
            }
            _ => self.operand(first),
        }
        for (op, operand) in rest {
            self.text.push_str(match op {
                ArithmeticOp::Add => " + ",
                ArithmeticOp::Subtract => " - ",
                ArithmeticOp::Multiply => " * ",
                ArithmeticOp::Divide => " / ",
                ArithmeticOp::Remainder => " % ",
            });
            self.operand(operand);
        }
    }
}
