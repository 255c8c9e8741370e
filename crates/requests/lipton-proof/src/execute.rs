//! Symbolic execution (King 1976): from the control graph to points and paths.
//!
//! **What is found.** Requests begin at the points of their entries, where all registers are 0 but parameters, which
//! have any value: a register that a point does not say is a symbol of the request. From every point that
//! is found the graph is followed to the next `yield` (or a node in front of which one is to be added) or to an answer.
//! A test whose outcome is not known forks: one way where it holds and one where it does not. Each way that comes to
//! its end is a path; one that comes round a loop and finds everything as it was that is read from there on (registers
//! that are live, globals, what tests have found) never ends and is none.
//!
//! **Claim.** Let a request wait at point `p`, and let a step of the machine take it from its registers and the globals
//! to others, without error. Then some path from `p` has conditions that hold at the start, and its terms have the
//! values that the step leaves. Conversely every path whose conditions hold at the start is such a step, unless the
//! step is an error.
//!
//! **Proof.** By induction on the operations: the state of exactly one way per sequence of choices has conditions that
//! hold for the values at the start, because a fork splits on a test and its negation, and its terms have, at the
//! values of the start, the values of the machine.
//!
//! - For sums and differences this is arithmetic of integers, right as long as nothing leaves 64 bits.
//! - Opaque symbols stand for the operation itself.
//! - A term is replaced by a number only where the conditions leave one value for its symbols.
//! - A register that is not kept at `p` is not read (liveness, in [`serval_compile`]). ∎
//!
//! **Errors.** Wherever an operation may leave 64 bits, divide by zero or leave a range or an array, an [`Obligation`]
//! with the conditions so far says what must hold. A step of the machine is an error iff some obligation whose
//! conditions hold is not met. The way itself goes on as if it were met, and does not test it: if all obligations are
//! met in all reachable configurations there is no error, and a path whose conditions hold is a step. So no path needs
//! the test as a guard, and two steps that commute but for such a test do commute. The value that was tested lies
//! within the limits from then on ([`Value::checked`](crate::path::Value)).
//!
//! **Points.** Where a register has the same value whichever way a request comes, execution does not know it; so each
//! value of a register makes a point of its own, up to `MAX_VARIANTS` of a node. Beyond that new points of the node no
//! longer distinguish the register with most values; points that are there stay. Which requests wait at which point
//! changes nothing in the proof of the claim.

mod state;

use rustc_hash::{FxHashMap, FxHashSet};
use serval_budget::{Budget, Stopped};
use serval_compile::control::{Control, Node, NodeId, Op, Operand, Reg};
use serval_syntax::{ArithmeticOp, CompareOp, GlobalVar, Limit, Span};

use state::{Relation, Round, State, Test, negated};

use crate::domain::Domain;
use crate::path::{Conditions, Need, Obligation, Path, Point, PointId, Value};
use crate::term::{Opaques, Symbol, Term, calculate, operation};

/// Paths of one point.
const MAX_PATHS_OF_POINT: usize = 2_048;
/// Paths in all.
const MAX_PATHS: usize = 1_000_000;
/// Operations from one point.
const MAX_OPERATIONS: u64 = 1_000_000;
/// Rounds of a loop in one way through a step.
const MAX_LOOP: u32 = 256;
/// Points of one node that differ in the values of registers.
const MAX_VARIANTS: usize = 64;

/// Why execution was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// There is too much of something.
    TooLarge {
        /// Of what.
        what: &'static str,
        /// How much is allowed.
        limit: u64,
    },
    /// The budget is used up, or the flag was raised.
    Stopped(Stopped),
}

impl From<Stopped> for Halt {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

/// What execution finds.
#[derive(Debug, Default)]
pub struct Executed {
    /// The points, by number.
    pub points: Vec<Point>,
    /// The entry of each request body.
    pub entries: Vec<PointId>,
    /// The paths.
    pub paths: Vec<Path>,
    /// What must hold.
    pub obligations: Vec<Obligation>,
    /// The opaque symbols.
    pub opaques: Opaques,
    /// The globals that some step reads or writes, also one that never ends and so has no path.
    pub used: FxHashSet<GlobalVar>,
}

/// Executes all requests, with a `yield` in front of each of `yields`. `ranges` says between which numbers globals
/// stay: what follows from that need not be an obligation. Without it there are no obligations.
pub fn execute(control: &Control<'_>, yields: &[u32], ranges: Option<&[Domain]>, budget: &mut Budget) -> Result<Executed, Halt> {
    let mut extra = vec![false; control.node_count()];
    for &node in yields {
        if let Some(extra) = extra.get_mut(node as usize) {
            *extra = true;
        }
    }
    let points = vec![Point { node: None, constants: Vec::new(), live: Vec::new() }];
    let mut executor = Executor {
        control,
        extra,
        loops: loops(control),
        ranges,
        largest: ranges.and_then(largest),
        numbers: FxHashMap::default(),
        variants: FxHashMap::default(),
        told: FxHashSet::default(),
        found: Executed { points, ..Executed::default() },
        operations: 0,
        of_point: 0,
        current: PointId::END,
    };
    let mut done = 1;
    for (&entry, params) in control.entries().iter().zip(control.params()) {
        if control.is_apart() {
            executor.numbers.clear();
            executor.variants.clear();
            executor.found.opaques.begin_anew();
        }
        let constants = control.live_at(entry).into_iter().filter(|&reg| !is_param(params, reg)).map(|reg| (reg, 0)).collect();
        let point = executor.point(entry, constants)?;
        executor.found.entries.push(point);
        while done < executor.found.points.len() {
            executor.paths_of(done, budget)?;
            done += 1;
        }
    }
    Ok(executor.found)
}

/// Whether a register is one of these parameters.
fn is_param(params: &[(Reg, i64, i64)], reg: Reg) -> bool {
    params.iter().any(|param| param.0 == reg)
}

/// No global is further from 0 than this.
fn largest(ranges: &[Domain]) -> Option<i128> {
    let ends = ranges.iter().filter(|range| !range.is_empty()).flat_map(|range| [range.low(), range.high()]);
    ends.map(i128::checked_abs).try_fold(0, |largest, end| Some(end?.max(largest)))
}

/// Where ways of one step lead back to. Every cycle without a `yield` has such a node.
fn loops(control: &Control<'_>) -> Vec<bool> {
    let (mut loops, mut marks) = (vec![false; control.node_count()], vec![0_u8; control.node_count()]);
    for root in (0..control.node_count()).filter_map(|index| u32::try_from(index).ok()).map(NodeId) {
        if marks[root.index()] != 0 {
            continue;
        }
        marks[root.index()] = 1;
        let mut calls = vec![(root, 0)];
        while let Some(&mut (id, ref mut position)) = calls.last_mut() {
            let next = control.node(id).successors_in_step().nth(*position);
            *position += 1;
            match next {
                Some(next) if marks[next.index()] == 0 => {
                    marks[next.index()] = 1;
                    calls.push((next, 0));
                }
                Some(next) => loops[next.index()] |= marks[next.index()] == 1,
                None => {
                    marks[id.index()] = 2;
                    calls.pop();
                }
            }
        }
    }
    loops
}

struct Executor<'a> {
    control: &'a Control<'a>,
    extra: Vec<bool>,
    loops: Vec<bool>,
    ranges: Option<&'a [Domain]>,
    /// No global is further from 0, if that is known.
    largest: Option<i128>,
    numbers: FxHashMap<(NodeId, Vec<(Reg, i64)>), PointId>,
    /// Per node: its points, and the registers that are no longer told apart.
    variants: FxHashMap<NodeId, (Vec<PointId>, Vec<Reg>)>,
    /// Obligations of the point at hand.
    told: FxHashSet<Obligation>,
    found: Executed,
    operations: u64,
    of_point: usize,
    current: PointId,
}

fn too_large(what: &'static str, limit: usize) -> Halt {
    Halt::TooLarge { what, limit: u64::try_from(limit).unwrap_or(u64::MAX) }
}

/// Numbers grow too large for terms.
fn large() -> Halt {
    too_large("nested products or large factors in a step", 8)
}

impl Executor<'_> {
    /// The point for a node where some registers are known to have these values.
    fn point(&mut self, node: NodeId, mut constants: Vec<(Reg, i64)>) -> Result<PointId, Halt> {
        let (points, merged) = self.variants.entry(node).or_default();
        constants.retain(|(reg, _)| !merged.contains(reg));
        if let Some(&known) = self.numbers.get(&(node, constants.clone())) {
            return Ok(known);
        }
        if points.len() >= MAX_VARIANTS {
            // The register with most values; of several, the first.
            let mut values: Vec<(Reg, i64)> =
                points.iter().flat_map(|point| &self.found.points[point.index()].constants).copied().collect();
            values.sort_unstable();
            values.dedup();
            let mut best: Option<(usize, Reg)> = None;
            for group in values.chunk_by(|a, b| a.0 == b.0) {
                if best.is_none_or(|(count, _)| group.len() > count) && constants.iter().any(|(reg, _)| *reg == group[0].0) {
                    best = Some((group.len(), group[0].0));
                }
            }
            if let Some((_, reg)) = best {
                merged.push(reg);
                return self.point(node, constants);
            }
        }
        let id = PointId(u32::try_from(self.found.points.len()).map_err(|_| too_large("points", MAX_PATHS))?);
        points.push(id);
        self.found.points.push(Point { node: Some(node), constants: constants.clone(), live: self.control.live_at(node) });
        self.numbers.insert((node, constants), id);
        Ok(id)
    }

    /// Finds the paths from a point.
    fn paths_of(&mut self, index: usize, budget: &mut Budget) -> Result<(), Halt> {
        let Some(Point { node: Some(node), constants, .. }) = self.found.points.get(index).cloned() else { return Ok(()) };
        self.current = PointId(u32::try_from(index).map_err(|_| too_large("points", MAX_PATHS))?);
        self.operations = 0;
        self.of_point = 0;
        self.told.clear();
        let start = State {
            node,
            registers: constants.iter().map(|&(reg, value)| (reg, Term::constant(value.into()))).collect(),
            globals: Vec::new(),
            conditions: Conditions::default(),
            checked: Vec::new(),
            seen: Vec::new(),
            span: None,
            accesses: Vec::new(),
        };
        let mut ways = vec![start];
        let mut begins = true;
        while let Some(way) = ways.pop() {
            self.follow(way, begins, &mut ways, budget)?;
            begins = false;
        }
        Ok(())
    }

    /// Follows a way to its end; leaves others on the stack.
    fn follow(&mut self, mut way: State, mut begins: bool, ways: &mut Vec<State>, budget: &mut Budget) -> Result<(), Halt> {
        loop {
            budget.spend(1 + u64::try_from(way.conditions.0.len() / 8).unwrap_or(0))?;
            self.operations += 1;
            if self.operations > MAX_OPERATIONS {
                return Err(Halt::TooLarge { what: "operations in one step", limit: MAX_OPERATIONS });
            }
            let at = way.node;
            if !begins && self.extra[at.index()] {
                return self.ends(way, Some(at));
            }
            begins = false;
            if self.loops[at.index()] {
                match way.comes_to(at, &|| self.control.live_at(at)) {
                    Round::Same => return Ok(()),
                    Round::New(rounds) if rounds > MAX_LOOP => {
                        return Err(Halt::TooLarge { what: "rounds of a loop in one step", limit: MAX_LOOP.into() });
                    }
                    Round::New(_) => {}
                }
            }
            let span = self.control.span(at);
            match self.control.node(at) {
                Node::Never => return Ok(()),
                Node::Yield { next } => {
                    way.visit(span);
                    return self.ends(way, Some(next));
                }
                Node::Answer { value } => {
                    if way.span.is_none() {
                        way.visit(span);
                    }
                    let answer = way.read(value);
                    way.set(Reg(u32::MAX), answer);
                    return self.ends(way, None);
                }
                Node::Branch { test, then, otherwise } => {
                    let test = (way.read(test), Relation::NotZero);
                    let Some(next) = self.fork(way, &test, ways, |way, holds| way.node = if holds { then } else { otherwise })? else {
                        return Ok(());
                    };
                    way = next;
                }
                Node::Do { op, next } => {
                    way.visit(span);
                    way.node = next;
                    let Some(on) = self.operation(way, op, span, ways)? else { return Ok(()) };
                    way = on;
                }
            }
        }
    }

    /// Goes on where the test holds and where it does not, if that can be; one of the two is returned.
    fn fork(&self, way: State, test: &Test, ways: &mut Vec<State>, go: impl Fn(&mut State, bool)) -> Result<Option<State>, Halt> {
        let opaques = &self.found.opaques;
        if let Some(value) = test.0.as_constant() {
            let mut way = way;
            let holds = way.assume(opaques, &(Term::constant(value), test.1));
            go(&mut way, holds);
            return Ok(Some(way));
        }
        let other = negated(test).ok_or_else(large)?;
        let (mut yes, mut no) = (way.clone(), way);
        let yes = yes.assume(opaques, test).then(|| {
            go(&mut yes, true);
            yes
        });
        let no = no.assume(opaques, &other).then(|| {
            go(&mut no, false);
            no
        });
        match (yes, no) {
            (Some(yes), Some(no)) => {
                ways.push(no);
                Ok(Some(yes))
            }
            (one, other) => Ok(one.or(other)),
        }
    }

    fn operation(&mut self, mut way: State, op: Op, span: Span, ways: &mut Vec<State>) -> Result<Option<State>, Halt> {
        match op {
            Op::Copy { to, from } => {
                let value = way.read(from);
                way.set(to, value);
            }
            Op::Load { to, global } => {
                way.accesses.push((global, false, span));
                self.found.used.insert(global);
                let value = way.load(global);
                way.set(to, value);
            }
            Op::Store { global, from, .. } => {
                way.accesses.push((global, true, span));
                self.found.used.insert(global);
                let value = way.read(from);
                way.store(global, value);
            }
            Op::Check { from, low, high, limit } => {
                let term = way.read(from);
                self.need(&way, Need::Within { term: term.clone(), low, high, limit: Some(limit) }, span);
                if let Some(value) = term.as_constant() {
                    // An error in every run that comes here; there is no step.
                    if value < low.into() || value > high.into() {
                        return Ok(None);
                    }
                } else {
                    way.checked.push((term, low, high));
                }
            }
            Op::Choose { to } => {
                let mut other = way.clone();
                other.set(to, Term::constant(1));
                ways.push(other);
                way.set(to, Term::constant(0));
            }
            Op::Not { to, from } => {
                let test = (way.read(from), Relation::Zero);
                return self.fork(way, &test, ways, |way, holds| way.set(to, Term::constant(holds.into())));
            }
            Op::Compare { op, to, left, right } => {
                let (left, right) = (way.read(left), way.read(right));
                let (less, more) = (left.plus(&right, -1), right.plus(&left, -1));
                let strict = |difference: Option<Term>| difference.and_then(|term| term.plus(&Term::constant(1), 1));
                let (term, relation) = match op {
                    CompareOp::Equal => (less, Relation::Zero),
                    CompareOp::NotEqual => (less, Relation::NotZero),
                    CompareOp::LessOrEqual => (less, Relation::NotPositive),
                    CompareOp::GreaterOrEqual => (more, Relation::NotPositive),
                    CompareOp::Less => (strict(less), Relation::NotPositive),
                    CompareOp::Greater => (strict(more), Relation::NotPositive),
                };
                let test = (term.ok_or_else(large)?, relation);
                return self.fork(way, &test, ways, |way, holds| way.set(to, Term::constant(holds.into())));
            }
            Op::Negate { to, from } => {
                let value = way.read(from).times(-1).ok_or_else(large)?;
                if !self.fits(&way, &value, span) {
                    return Ok(None);
                }
                way.set(to, value);
            }
            Op::Arithmetic { op, to, left, right } => {
                let (left, right) = (way.read(left), way.read(right));
                let Some(value) = self.arithmetic(&way, op, left, right, span)? else { return Ok(None) };
                way.set(to, value);
            }
        }
        Ok(Some(way))
    }

    /// The value of an operation; none if it is always an error.
    fn arithmetic(&mut self, way: &State, op: ArithmeticOp, left: Term, right: Term, span: Span) -> Result<Option<Term>, Halt> {
        let divides = matches!(op, ArithmeticOp::Divide | ArithmeticOp::Remainder);
        if divides {
            self.need(way, Need::Divisor(right.clone()), span);
        }
        let opaque = |found: &mut Executed, left: &Term, right: &Term| {
            found.opaques.symbol(op, left.clone(), right.clone()).map(Term::symbol).ok_or_else(large)
        };
        let value = match (op, left.as_constant(), right.as_constant()) {
            (ArithmeticOp::Add, ..) => left.plus(&right, 1).ok_or_else(large)?,
            (ArithmeticOp::Subtract, ..) => left.plus(&right, -1).ok_or_else(large)?,
            (ArithmeticOp::Multiply, Some(factor), _) => right.times(factor).ok_or_else(large)?,
            (ArithmeticOp::Multiply, _, Some(factor)) => left.times(factor).ok_or_else(large)?,
            (_, _, Some(0)) => return Ok(None),
            (_, Some(a), Some(b)) => match calculate(op, a, b) {
                Some(value) => Term::constant(value),
                None => return Ok(None),
            },
            (ArithmeticOp::Multiply, ..) => {
                self.need(way, Need::Product(left.clone(), right.clone()), span);
                return opaque(&mut self.found, &left, &right).map(Some);
            }
            (ArithmeticOp::Divide, ..) => {
                self.need(way, Need::Quotient(left.clone(), right.clone()), span);
                return opaque(&mut self.found, &left, &right).map(Some);
            }
            (ArithmeticOp::Remainder, ..) => return opaque(&mut self.found, &left, &right).map(Some),
        };
        Ok(self.fits(way, &value, span).then_some(value))
    }

    /// A value must fit 64 bits. Whether it can.
    fn fits(&mut self, way: &State, term: &Term, span: Span) -> bool {
        let base = |symbol: Symbol| match symbol {
            Symbol::Global(global) => self.ranges?.get(global.index()).cloned(),
            _ => None,
        };
        let within =
            |this: &Self| this.surely_fits(term) || way.conditions.bounds(&this.found.opaques, term, &base).is_subset(&Domain::values());
        if self.ranges.is_some() && !within(self) {
            self.need(way, Need::Within { term: term.clone(), low: i64::MIN, high: i64::MAX, limit: None }, span);
        }
        term.as_constant().is_none_or(|value| i64::try_from(value).is_ok())
    }

    /// Whether a sum of globals fits 64 bits even if each is the largest of all. Long sums are made of one addition
    /// after the other, and this answers without looking for the range of each global each time.
    fn surely_fits(&self, term: &Term) -> bool {
        let Some(largest) = self.largest else { return false };
        if !term.parts.iter().all(|(symbol, _)| matches!(symbol, Symbol::Global(_))) {
            return false;
        }
        // Factors are small, and there are not many: their sum is no large number.
        let factors = term.parts.iter().map(|(_, factor)| factor.abs()).sum::<i128>();
        let most = factors.checked_mul(largest).and_then(|most| most.checked_add(term.constant.checked_abs()?));
        most.is_some_and(|most| most <= i128::from(i64::MAX))
    }

    fn need(&mut self, way: &State, need: Need, span: Span) {
        let Some(ranges) = self.ranges else { return };
        let base = |symbol: Symbol| match symbol {
            Symbol::Global(global) => ranges.get(global.index()).cloned(),
            _ => None,
        };
        if meets(&self.found.opaques, &way.conditions, &need, &base) {
            return;
        }
        let obligation = Obligation { from: self.current, conditions: way.conditions.clone(), need, span };
        if self.told.insert(obligation.clone()) {
            self.found.obligations.push(obligation);
        }
    }

    /// A way ends at a node, or with an answer.
    fn ends(&mut self, way: State, next: Option<NodeId>) -> Result<(), Halt> {
        self.of_point += 1;
        if self.of_point > MAX_PATHS_OF_POINT {
            return Err(too_large("ways through one step", MAX_PATHS_OF_POINT));
        }
        if self.found.paths.len() >= MAX_PATHS {
            return Err(too_large("paths", MAX_PATHS));
        }
        let value = |term: &Term| {
            let term = way.simple(term);
            let checked = way.checked.iter().filter(|(other, ..)| *other == term);
            let checked = checked.fold(None, |known: Option<(i64, i64)>, &(_, low, high)| {
                Some(known.map_or((low, high), |(a, b)| (a.max(low), b.min(high))))
            });
            Value { term, checked }
        };
        let mut updates = Vec::new();
        for (global, term) in &way.globals {
            let value = value(term);
            let here = Symbol::Global(*global);
            let same = value.term == Term::symbol(here)
                || value.term.as_constant().is_some_and(|value| way.conditions.symbol(here).and_then(Domain::single) == Some(value));
            if !same {
                updates.push((*global, value));
            }
        }
        let (to, kept, answer) = match next {
            None => (PointId::END, Vec::new(), Some(way.read(Operand::Reg(Reg(u32::MAX))))),
            Some(node) => {
                let live = self.control.live_at(node);
                let values: Vec<(Reg, Value)> = live.into_iter().map(|reg| (reg, value(&way.read(Operand::Reg(reg))))).collect();
                let known = |value: &Value| value.term.as_constant().and_then(|value| i64::try_from(value).ok());
                let constants = values.iter().filter_map(|(reg, value)| Some((*reg, known(value)?))).collect();
                let to = self.point(node, constants)?;
                let point = &self.found.points[to.index()];
                let split = |reg: &Reg| point.constants.binary_search_by_key(reg, |constant| constant.0).is_ok();
                (to, values.into_iter().filter(|(reg, _)| !split(reg)).collect(), None)
            }
        };
        let span = way.span.unwrap_or_default();
        self.found.paths.push(Path {
            from: self.current,
            to,
            conditions: way.conditions,
            updates,
            kept,
            answer,
            span,
            accesses: way.accesses,
        });
        Ok(())
    }
}

/// Whether something that must hold does, as far as intervals tell.
pub fn meets(opaques: &Opaques, conditions: &Conditions, need: &Need, base: &dyn Fn(Symbol) -> Option<Domain>) -> bool {
    let bounds = |term: &Term| conditions.bounds(opaques, term, base);
    match need {
        Need::Within { term, low, high, .. } => bounds(term).is_subset(&Domain::between((*low).into(), (*high).into())),
        Need::Divisor(term) => !bounds(term).contains(0),
        Need::Product(left, right) => operation(ArithmeticOp::Multiply, &bounds(left), &bounds(right)).is_subset(&Domain::values()),
        Need::Quotient(left, right) => !(bounds(left).contains(i64::MIN.into()) && bounds(right).contains(-1)),
    }
}

/// What an obligation is about, in words.
pub fn told(need: &Need) -> &'static str {
    match need {
        Need::Within { limit: Some(Limit::Range(_)), .. } => "may leave the range of the variable",
        Need::Within { limit: Some(Limit::Index(..)), .. } => "may be outside of the array",
        Need::Within { limit: Some(Limit::Assertion), .. } => "may break the assertion",
        Need::Within { limit: Some(Limit::Invariant(_)), .. } => "may break the invariant",
        Need::Within { limit: None, .. } | Need::Product(..) | Need::Quotient(..) => "may leave 64 bits",
        Need::Divisor(_) => "may divide by zero",
    }
}
