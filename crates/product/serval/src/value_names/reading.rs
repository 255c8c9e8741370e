//! What variables and answers of a program can be.
//!
//! A fixpoint over all assignments: a variable can be what it starts with and what is assigned to it. It becomes more
//! general from round to round; a number that still changes after a few of them is taken for any of its range.

use std::collections::{BTreeMap, BTreeSet};

use serval_syntax::{ArithmeticOp, CompareOp, Expr, ExprKind, Program, Request, Span, Variable};

use super::declared::{Declared, Members};
use super::kind::Kind;

/// Rounds before numbers that still change are taken for any.
const ROUNDS: usize = 4;

/// The name of an array without its index, or of a request without its values.
pub(super) fn base(name: &str) -> &str {
    name.split(['[', '(']).next().unwrap_or_default()
}

/// What was found.
pub(super) struct Found {
    pub(super) globals: Vec<Kind>,
    /// For each request, each of its locals.
    pub(super) locals: Vec<Vec<Kind>>,
    pub(super) answers: Vec<Kind>,
}

/// Names that a variable is compared with, by value; none where there are two for one value.
type Compared = BTreeMap<i64, Option<String>>;

/// What the variables and the answers of a program can be.
pub(super) fn read(program: &Program, declared: &Declared, text: &str) -> Found {
    let kinds = program.globals.iter().map(|global| declared.values.get(base(&global.name)).map(|members| Kind::members(members)));
    let fixed: Vec<Option<Kind>> = kinds.collect();
    let start = |(global, fixed): (&serval_syntax::Global, &Option<Kind>)| fixed.clone().unwrap_or_else(|| Kind::literal(global.initial));
    let mut reading = ValueReading {
        declared,
        text,
        params: &[],
        ranges: program.globals.iter().map(|global| global.range.unwrap_or((i64::MIN, i64::MAX))).collect(),
        globals: program.globals.iter().zip(&fixed).map(start).collect(),
        locals: Vec::new(),
        fixed,
    };
    let mut locals: Vec<Vec<Kind>> = program.requests.iter().map(|request| vec![Kind::default(); request.locals.len()]).collect();
    let mut changes = true;
    for round in 0.. {
        if !changes {
            break;
        }
        changes = false;
        for (request, known) in program.requests.iter().zip(&mut locals) {
            reading.enter(request, std::mem::take(known));
            changes |= reading.assignments(request, round >= ROUNDS);
            *known = std::mem::take(&mut reading.locals);
        }
    }
    reading.compare(program, &mut locals);
    let mut answers = Vec::new();
    for (request, known) in program.requests.iter().zip(&mut locals) {
        reading.enter(request, std::mem::take(known));
        answers.push(reading.answers(request));
        *known = std::mem::take(&mut reading.locals);
    }
    Found { globals: reading.globals, locals, answers }
}

/// Reads off requests what their variables and answers are.
struct ValueReading<'a> {
    declared: &'a Declared,
    text: &'a str,
    params: &'a [(String, Option<Members>)],
    /// The values that each global may have.
    ranges: Vec<(i64, i64)>,
    globals: Vec<Kind>,
    /// For each global that is declared with an `enum`: its members.
    fixed: Vec<Option<Kind>>,
    /// Those of the request that is read.
    locals: Vec<Kind>,
}

impl<'a> ValueReading<'a> {
    fn enter(&mut self, request: &Request, locals: Vec<Kind>) {
        self.params = self.declared.params.get(base(&request.name)).map_or(&[], Vec::as_slice);
        self.locals = locals;
    }

    /// One round of the assignments of a request; whether a variable has become more general.
    fn assignments(&mut self, request: &Request, widen: bool) -> bool {
        let mut changes = false;
        request.body.visit(&mut |part| {
            let ExprKind::Assign { target, target_span, value, .. } = &part.kind else { return };
            let (index, all) = match target {
                Variable::Global(global) => (global.index(), self.ranges[global.index()]),
                Variable::Local(local) => (local.index(), (i64::MIN, i64::MAX)),
            };
            if matches!(target, Variable::Global(_)) && self.fixed[index].is_some() {
                return;
            }
            if let Variable::Local(local) = target
                && request.locals[local.index()].name.ends_with(']')
                && *target_span == value.span
                && matches!(value.kind, ExprKind::Number(_))
            {
                // Elements of an array start with a number that is not written, as other locals do.
                return;
            }
            let kind = self.kind(value).stored(all);
            let known = match target {
                Variable::Global(_) => &mut self.globals[index],
                Variable::Local(_) => &mut self.locals[index],
            };
            let mut more = known.clone().or(&kind);
            if widen && more != *known {
                more = more.widened(all);
            }
            changes |= more != *known;
            *known = more;
        });
        changes
    }

    /// Adds the names that variables are compared with: `Seat == TAKEN` says what 1 means there. A local that takes
    /// the value of a global speaks for it.
    fn compare(&mut self, program: &Program, locals: &mut [Vec<Kind>]) {
        let mut of_globals: BTreeMap<usize, Compared> = BTreeMap::new();
        for (request, known) in program.requests.iter().zip(locals.iter_mut()) {
            self.enter(request, std::mem::take(known));
            let mut of_locals: BTreeMap<usize, Compared> = BTreeMap::new();
            let mut sources: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
            request.body.visit(&mut |part| match &part.kind {
                ExprKind::Compare { op: CompareOp::Equal | CompareOp::NotEqual, left, right } => {
                    for (one, other) in [(left, right), (right, left)] {
                        let (ExprKind::Read(variable), Some((value, name))) = (&one.kind, self.name_of(other)) else { continue };
                        let compared = match variable {
                            Variable::Global(global) => of_globals.entry(global.index()).or_default(),
                            Variable::Local(local) => of_locals.entry(local.index()).or_default(),
                        };
                        takes(compared, value, Some(name));
                    }
                }
                ExprKind::Assign { target: Variable::Local(local), value, .. } => {
                    if let ExprKind::Read(Variable::Global(global)) = value.kind {
                        sources.entry(local.index()).or_default().insert(global.index());
                    }
                }
                _ => {}
            });
            for (local, compared) in of_locals {
                for &global in sources.get(&local).into_iter().flatten() {
                    let known = of_globals.entry(global).or_default();
                    compared.iter().for_each(|(&value, name)| takes(known, value, name.clone()));
                }
                self.locals[local] = std::mem::take(&mut self.locals[local]).compared(&compared);
            }
            *known = std::mem::take(&mut self.locals);
        }
        for (global, compared) in of_globals {
            if self.fixed[global].is_none() {
                self.globals[global] = std::mem::take(&mut self.globals[global]).compared(&compared);
            }
        }
    }

    /// What the request answers, after what its locals are is known.
    fn answers(&self, request: &Request) -> Kind {
        let mut answers = self.kind(&request.body);
        request.body.visit(&mut |part| {
            if let ExprKind::Return(value) = &part.kind {
                answers = std::mem::take(&mut answers).or(&self.kind(value));
            }
        });
        answers
    }

    fn kind(&self, expr: &Expr) -> Kind {
        match &expr.kind {
            ExprKind::Constant(value) | ExprKind::Number(value) => self.constant(expr.span, *value),
            ExprKind::Read(variable) => self.variable(*variable),
            // An assignment has the value that is assigned; with a range it is the variable that says what it is.
            ExprKind::Assign { target: Variable::Global(global), .. } if self.fixed[global.index()].is_some() => {
                self.globals[global.index()].clone()
            }
            ExprKind::Assign { value, .. } | ExprKind::Within { value, .. } => self.kind(value),
            ExprKind::Sequence(parts) => {
                let kinds = parts.iter().map(|part| self.kind(part));
                let mut last = Kind::default();
                for (kind, part) in kinds.zip(parts) {
                    // What follows on something that never ends is never evaluated.
                    if kind.is_nothing() && never_ends(part) {
                        return kind;
                    }
                    last = kind;
                }
                last
            }
            ExprKind::If { arms, otherwise } => {
                let last = otherwise.as_ref().map_or_else(|| Kind::literal(0), |body| self.kind(body));
                arms.iter().fold(last, |kind, arm| kind.or(&self.kind(&arm.body)))
            }
            // A loop ends with 0; one whose condition always holds is left by `return` alone.
            ExprKind::While { condition, .. } if holds(condition) => Kind::default(),
            ExprKind::While { .. } | ExprKind::Yield => Kind::literal(0),
            ExprKind::Return(_) => Kind::default(),
            ExprKind::Choice | ExprKind::Not(_) | ExprKind::Compare { .. } | ExprKind::And(_) | ExprKind::Or(_) => Kind::between(0, 1),
            ExprKind::Arithmetic { first, rest } => self.arithmetic(first, rest),
            _ => Kind::number(),
        }
    }

    fn variable(&self, variable: Variable) -> Kind {
        match variable {
            Variable::Global(global) => self.globals[global.index()].clone(),
            Variable::Local(local) => self.locals.get(local.index()).cloned().unwrap_or_else(Kind::number),
        }
    }

    /// Sums and differences of what has a range; anything else is any number.
    fn arithmetic(&self, first: &Expr, rest: &[(ArithmeticOp, Expr)]) -> Kind {
        let operated = |(low, high): (i64, i64), (op, operand): &(ArithmeticOp, Expr)| {
            let (least, most) = self.kind(operand).range()?;
            match op {
                ArithmeticOp::Add => Some((low.saturating_add(least), high.saturating_add(most))),
                ArithmeticOp::Subtract => Some((low.saturating_sub(most), high.saturating_sub(least))),
                _ => None,
            }
        };
        let range = self.kind(first).range().and_then(|start| rest.iter().try_fold(start, operated));
        range.map_or_else(Kind::number, |(low, high)| Kind::between(low, high))
    }

    fn written(&self, span: Span) -> &'a str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default().trim()
    }

    /// The members of an `enum` of which one is chosen here.
    fn chosen(&self, span: Span) -> Option<Kind> {
        let name = self.written(span).strip_prefix("choose(")?.strip_suffix(')')?;
        Some(Kind::members(self.declared.enums.get(name.trim())?))
    }

    /// What a constant is, by what is written in its place.
    fn constant(&self, span: Span, value: i64) -> Kind {
        let text = self.written(span);
        if let Some(chosen) = self.chosen(span) {
            return chosen;
        }
        if let Some((_, members)) = self.params.iter().find(|(name, _)| name == text) {
            let name = members.as_ref().zip(usize::try_from(value).ok()).and_then(|(members, value)| members.get(value));
            return name.map_or_else(|| Kind::literal(value), |name| Kind::named(value, name));
        }
        match self.declared.with_member(text).or_else(|| self.declared.constants.get(text).map(String::as_str)) {
            Some(name) => Kind::named(value, name),
            None => Kind::literal(value),
        }
    }

    /// A constant that is written with a name.
    fn name_of(&self, expr: &Expr) -> Option<(i64, String)> {
        let (ExprKind::Constant(value) | ExprKind::Number(value)) = expr.kind else { return None };
        let name = self.constant(expr.span, value).names().remove(&value)?;
        Some((value, name))
    }
}

/// Takes down a name for a value; two names are none.
fn takes(compared: &mut Compared, value: i64, name: Option<String>) {
    let known = compared.entry(value).or_insert_with(|| name.clone());
    if *known != name {
        *known = None;
    }
}

/// Whether a condition is written as a number that is not 0: `while (true)`.
fn holds(condition: &Expr) -> bool {
    matches!(condition.kind, ExprKind::Number(value) | ExprKind::Constant(value) if value != 0)
}

/// Whether a statement is one behind which nothing is evaluated.
fn never_ends(part: &Expr) -> bool {
    match &part.kind {
        ExprKind::Return(_) => true,
        ExprKind::While { condition, .. } => holds(condition),
        ExprKind::Sequence(parts) => parts.iter().any(never_ends),
        ExprKind::If { arms, otherwise: Some(otherwise) } => arms.iter().all(|arm| never_ends(&arm.body)) && never_ends(otherwise),
        _ => false,
    }
}
