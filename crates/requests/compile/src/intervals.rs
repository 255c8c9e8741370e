//! Which operations can fail: an interval analysis of the values that they work on.
//!
//! An operation that leaves 64 bits, divides by zero or leaves a declared range is an error of
//! the program, whether or not its result is used. So an operation may be removed, or
//! its operands forgotten, only if it *cannot fail*, and that is what this module finds out. It looks at the
//! graph as written; later rewritings replace operands by their values and cut off what no run
//! comes to, so its answer stays true at every node.
//!
//! **Values.** An [`IntervalValue`] is what is known of a variable at all times: it lies between two numbers
//! (`Between`), or it is `Slow`, or it can be anything. Slow values come from numbers of at most 2^60 by additions and
//! subtractions of at most 2^20 each, and by copying, negating and dividing. Let a run have made `n` operations. Then
//! every slow value lies within 2^60 + 2^20·n of zero: the first value does, and an operation adds at most 2^20. So no
//! run of fewer than 2^40 operations, which is a year's work for a simulator, takes a slow value beyond 2^61. That is
//! where we draw the line: a counter that no request reads and that needs 2^40 operations to overflow *cannot fail*;
//! integers have no bounds in the language itself, so dropping it changes no answer.
//!
//! **Solution.** Globals, and local variables within a region of the graph, have one value each; temporaries,
//! which many expressions share, have one at every node where they can still be read. The
//! equations say that a value contains what is written to it. Any solution is right; the least
//! would be found by iteration, and a value that has grown a few times is widened, so that iteration ends.

use std::collections::{BTreeMap, VecDeque};

use serval_syntax::{ArithmeticOp, Global};

use crate::graph::{Graph, Node, NodeId, Op, Operand, Reg};
use crate::liveness::{Failing, Liveness};

/// The size of a number that a slow value may come from.
const SLOW_START: u64 = 1 << 60;
/// What one operation may add to a slow value.
const SLOW_STEP: u64 = 1 << 20;
/// So often may a value grow before it is widened.
const GROWTHS: u8 = 4;

/// What is known of a variable at all times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IntervalValue {
    /// From the first to the second number.
    Between(i64, i64),
    /// It grows slowly from small numbers.
    Slow,
    /// It can be any number.
    Any,
}

impl IntervalValue {
    fn constant(value: i64) -> Self {
        Self::Between(value, value)
    }

    /// Both ends may be outside of 64 bits: what is outside is a failure.
    fn clipped(low: i128, high: i128) -> (Self, bool) {
        let clip = |end: i128| i64::try_from(end).unwrap_or(if end < 0 { i64::MIN } else { i64::MAX });
        let fails = low < i128::from(i64::MIN) || high > i128::from(i64::MAX);
        (Self::Between(clip(low), clip(high)), fails)
    }

    /// Whether it is no larger than `most`, either way.
    fn within(self, most: u64) -> bool {
        matches!(self, Self::Between(low, high) if low.unsigned_abs() <= most && high.unsigned_abs() <= most)
    }

    fn contains(self, value: i64) -> bool {
        match self {
            Self::Between(low, high) => (low..=high).contains(&value),
            Self::Slow | Self::Any => true,
        }
    }

    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Between(a, b), Self::Between(c, d)) => Self::Between(a.min(c), b.max(d)),
            (Self::Slow, Self::Slow) => Self::Slow,
            (Self::Slow, known) | (known, Self::Slow) if known.within(SLOW_START) => Self::Slow,
            _ => Self::Any,
        }
    }

    /// Something larger that no longer grows.
    fn widened(self) -> Self {
        if self == Self::Slow || self.within(SLOW_START) { Self::Slow } else { Self::Any }
    }
}

/// What `left op right` gives, and whether it can fail.
fn arithmetic(op: ArithmeticOp, left: IntervalValue, right: IntervalValue) -> (IntervalValue, bool) {
    use IntervalValue::{Any, Between, Slow};
    match (op, left, right) {
        (ArithmeticOp::Add, Between(a, b), Between(c, d)) => {
            IntervalValue::clipped(i128::from(a) + i128::from(c), i128::from(b) + i128::from(d))
        }
        (ArithmeticOp::Subtract, Between(a, b), Between(c, d)) => {
            IntervalValue::clipped(i128::from(a) - i128::from(d), i128::from(b) - i128::from(c))
        }
        (ArithmeticOp::Add | ArithmeticOp::Subtract, Slow, step) | (ArithmeticOp::Add | ArithmeticOp::Subtract, step, Slow)
            if step.within(SLOW_STEP) =>
        {
            (Slow, false)
        }
        (ArithmeticOp::Multiply, Between(a, b), Between(c, d)) => {
            // The corners bound a product; each fits 128 bits.
            let corners = [(a, c), (a, d), (b, c), (b, d)].map(|(x, y)| i128::from(x) * i128::from(y));
            IntervalValue::clipped(corners.into_iter().min().unwrap_or(0), corners.into_iter().max().unwrap_or(0))
        }
        (ArithmeticOp::Add | ArithmeticOp::Subtract | ArithmeticOp::Multiply, ..) => (Any, true),
        (ArithmeticOp::Divide, left, right) => {
            let fails = right.contains(0) || left.contains(i64::MIN) && left != Slow && right.contains(-1);
            // A quotient is not larger than what was divided.
            let value = match left {
                Between(a, b) => {
                    let most = i128::from(a.unsigned_abs().max(b.unsigned_abs()));
                    IntervalValue::clipped(-most, most).0
                }
                Slow | Any => left,
            };
            (value, fails)
        }
        (ArithmeticOp::Remainder, left, right) => {
            let value = match (left, right) {
                // Between zero and the divisor, on its side.
                (_, Between(low, high)) => Between(low.saturating_add(1).min(0), high.saturating_sub(1).max(0)),
                (_, Slow) => Slow,
                (_, Any) => Any,
            };
            (value, right.contains(0))
        }
    }
}

/// The operations that can fail in the graph of a program as written, whose live registers are those of `executed`.
pub(crate) fn failing(graph: &Graph, globals: &[Global], executed: &Liveness) -> Failing {
    let mut analysis = Analysis::new(graph, globals, executed);
    analysis.solve();
    Failing { at: analysis.fails }
}

/// A variable with one value for the whole of a region or program.
#[derive(Clone)]
struct Shared {
    value: IntervalValue,
    growths: u8,
    /// The nodes that read it.
    readers: Vec<NodeId>,
}

impl Shared {
    /// What requests that are not here do with an element that stands for others is not known.
    fn of(global: &Global) -> Self {
        let initial = Self::new(global.initial);
        if global.stands { Self { value: IntervalValue::Any, ..initial } } else { initial }
    }

    fn new(initial: i64) -> Self {
        Self { value: IntervalValue::constant(initial), growths: 0, readers: Vec::new() }
    }
}

/// What is known of the temporaries before a node.
#[derive(Clone, Default)]
struct Before {
    /// Ascending by register.
    temporaries: Vec<(Reg, IntervalValue)>,
    growths: u8,
    reached: bool,
}

struct Analysis<'a> {
    graph: &'a Graph,
    liveness: &'a Liveness,
    globals: Vec<Shared>,
    /// By region and register.
    locals: BTreeMap<(u32, Reg), Shared>,
    before: Vec<Before>,
    fails: Vec<bool>,
    list: VecDeque<NodeId>,
    listed: Vec<bool>,
}

impl<'a> Analysis<'a> {
    fn new(graph: &'a Graph, globals: &[Global], liveness: &'a Liveness) -> Self {
        let mut analysis = Self {
            graph,
            liveness,
            globals: globals.iter().map(Shared::of).collect(),
            locals: BTreeMap::new(),
            before: vec![Before::default(); graph.nodes.len()],
            fails: vec![false; graph.nodes.len()],
            list: VecDeque::new(),
            listed: vec![false; graph.nodes.len()],
        };
        for id in graph.ids() {
            let Node::Do { op, .. } = graph.node(id) else { continue };
            if let Op::Load { global, .. } = op {
                analysis.globals[global.index()].readers.push(id);
            }
            for reg in op.reads().into_iter().flatten().filter_map(Operand::reg) {
                if analysis.is_named(reg) {
                    analysis.local(id, reg).readers.push(id);
                }
            }
        }
        analysis
    }

    fn is_named(&self, reg: Reg) -> bool {
        reg.index() < self.graph.named_regs.len()
    }

    fn solve(&mut self) {
        let params = self.graph.entries.iter().zip(&self.graph.params);
        for (entry, (reg, low, high)) in params.flat_map(|(&entry, params)| params.iter().map(move |&param| (entry, param))) {
            // A parameter is a named local: it has one value in the whole body.
            grow(self.local(entry, reg), IntervalValue::Between(low, high));
        }
        for &entry in &self.graph.entries {
            // Hidden locals are temporaries here; they start at 0 as all locals do.
            self.arrive(entry, &|_| IntervalValue::constant(0));
        }
        while let Some(id) = self.list.pop_front() {
            serval_budget::checkpoint::pass();
            self.listed[id.index()] = false;
            self.visit(id);
        }
    }

    fn push(&mut self, id: NodeId) {
        if !std::mem::replace(&mut self.listed[id.index()], true) {
            self.list.push_back(id);
        }
    }

    /// Joins what is known of the temporaries into what is known before `id`.
    fn arrive(&mut self, id: NodeId, known: &dyn Fn(Reg) -> IntervalValue) {
        let named = self.graph.named_regs.len();
        let before = &mut self.before[id.index()];
        let mut grown = false;
        if before.reached {
            for (reg, old) in &mut before.temporaries {
                let joined = old.join(known(*reg));
                if joined != *old {
                    *old = if before.growths >= GROWTHS { joined.widened() } else { joined };
                    grown = true;
                }
            }
            before.growths = before.growths.saturating_add(u8::from(grown));
        } else {
            let live = self.liveness.live_at(id).into_iter().filter(|reg| reg.index() >= named);
            before.temporaries = live.map(|reg| (reg, known(reg))).collect();
            before.reached = true;
            grown = true;
        }
        if grown {
            self.push(id);
        }
    }

    fn local(&mut self, id: NodeId, reg: Reg) -> &mut Shared {
        let region = self.liveness.region_number(id).unwrap_or(u32::MAX);
        self.locals.entry((region, reg)).or_insert_with(|| Shared::new(0))
    }

    /// The value of an operand of the node `id`.
    fn read(&mut self, id: NodeId, operand: Operand) -> IntervalValue {
        match operand {
            Operand::Const(value) => IntervalValue::constant(value),
            Operand::Reg(reg) if self.is_named(reg) => self.local(id, reg).value,
            // What is read here is live here.
            Operand::Reg(reg) => value_of(&self.before[id.index()].temporaries, reg),
        }
    }

    fn visit(&mut self, id: NodeId) {
        let node = self.graph.node(id);
        let Node::Do { op, next } = node else {
            let temporaries = self.before[id.index()].temporaries.clone();
            for next in node.successors() {
                self.arrive(next, &|reg| value_of(&temporaries, reg));
            }
            return;
        };
        let (value, fails) = self.evaluate(id, op);
        self.fails[id.index()] |= fails;
        let mut temporaries = self.before[id.index()].temporaries.clone();
        match op {
            Op::Store { global, .. } => {
                let readers = grow(&mut self.globals[global.index()], value);
                readers.into_iter().for_each(|reader| self.push(reader));
            }
            // What goes on has been checked. (A local variable has one value for the
            // whole body, which contains what it was before the check.)
            Op::Check { from: Operand::Reg(reg), .. } => {
                if let Ok(at) = temporaries.binary_search_by_key(&reg, |&(reg, _)| reg) {
                    temporaries[at].1 = value;
                }
            }
            _ => match op.writes() {
                Some(to) if self.is_named(to) => {
                    let readers = grow(self.local(id, to), value);
                    readers.into_iter().for_each(|reader| self.push(reader));
                }
                Some(to) => match temporaries.binary_search_by_key(&to, |&(reg, _)| reg) {
                    Ok(at) => temporaries[at].1 = value,
                    Err(at) => temporaries.insert(at, (to, value)),
                },
                None => {}
            },
        }
        self.arrive(next, &|reg| value_of(&temporaries, reg));
    }

    /// What the operation at `id` gives, stores or lets through, and whether it can fail.
    fn evaluate(&mut self, id: NodeId, op: Op) -> (IntervalValue, bool) {
        match op {
            Op::Copy { from, .. } | Op::Store { from, .. } => (self.read(id, from), false),
            Op::Load { global, .. } => (self.globals[global.index()].value, false),
            Op::Check { from, low, high, .. } => match self.read(id, from) {
                value @ IntervalValue::Between(least, most) if low <= least && most <= high => (value, false),
                IntervalValue::Between(least, most) if least.max(low) <= most.min(high) => {
                    (IntervalValue::Between(least.max(low), most.min(high)), true)
                }
                _ => (IntervalValue::Between(low, high), true),
            },
            Op::Not { .. } | Op::Compare { .. } | Op::Choose { .. } => (IntervalValue::Between(0, 1), false),
            Op::Negate { from, .. } => match self.read(id, from) {
                IntervalValue::Between(low, high) => IntervalValue::clipped(-i128::from(high), -i128::from(low)),
                IntervalValue::Slow => (IntervalValue::Slow, false),
                IntervalValue::Any => (IntervalValue::Any, true),
            },
            Op::Arithmetic { op, left, right, .. } => {
                let (left, right) = (self.read(id, left), self.read(id, right));
                arithmetic(op, left, right)
            }
        }
    }
}

/// A temporary that cannot be read any more has no value that matters.
fn value_of(temporaries: &[(Reg, IntervalValue)], reg: Reg) -> IntervalValue {
    temporaries.binary_search_by_key(&reg, |&(reg, _)| reg).map_or(IntervalValue::Any, |at| temporaries[at].1)
}

/// Lets a variable contain `value`, and gives who must look again.
fn grow(shared: &mut Shared, value: IntervalValue) -> Vec<NodeId> {
    let joined = shared.value.join(value);
    if joined == shared.value {
        return Vec::new();
    }
    shared.value = if shared.growths >= GROWTHS { joined.widened() } else { joined };
    shared.growths = shared.growths.saturating_add(1);
    shared.readers.clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serval_syntax::value;

    const EDGES: [i64; 13] = [i64::MIN, i64::MIN + 1, -3_037_000_500, -3, -2, -1, 0, 1, 2, 5, 3_037_000_500, i64::MAX - 1, i64::MAX];

    /// What an operation gives is in its interval, and what fails is said to, for all ends of intervals near an edge.
    #[test]
    fn results_are_contained_and_failures_foreseen() {
        let ops = [ArithmeticOp::Add, ArithmeticOp::Subtract, ArithmeticOp::Multiply, ArithmeticOp::Divide, ArithmeticOp::Remainder];
        let intervals: Vec<(i64, i64)> = EDGES.iter().flat_map(|&a| EDGES.iter().map(move |&b| (a, b))).filter(|(a, b)| a <= b).collect();
        let mut failures = 0;
        for &(a, b) in &intervals {
            for &(c, d) in &intervals {
                for op in ops {
                    let (result, fails) = arithmetic(op, IntervalValue::Between(a, b), IntervalValue::Between(c, d));
                    for &x in EDGES.iter().filter(|x| (a..=b).contains(*x)) {
                        for &y in EDGES.iter().filter(|y| (c..=d).contains(*y)) {
                            match value::arithmetic(op, x, y) {
                                Ok(value) => assert!(result.contains(value), "{x} {op:?} {y} = {value} not in {result:?}"),
                                Err(_) => {
                                    failures += 1;
                                    assert!(fails, "{x} {op:?} {y} fails unforeseen in {a}..{b}, {c}..{d}");
                                }
                            }
                        }
                    }
                }
            }
        }
        assert!(failures > 1000);
    }

    /// Values that grow slowly stay within their bound, and others are not called slow.
    #[test]
    fn slow_values() {
        use ArithmeticOp::{Add, Divide, Multiply, Remainder, Subtract};
        let (one, large) = (IntervalValue::constant(1), IntervalValue::constant(1 << 40));
        for op in [Add, Subtract] {
            assert_eq!(arithmetic(op, IntervalValue::Slow, one), (IntervalValue::Slow, false));
            assert_eq!(arithmetic(op, one, IntervalValue::Slow), (IntervalValue::Slow, false));
            assert_eq!(arithmetic(op, IntervalValue::Slow, large), (IntervalValue::Any, true));
            assert_eq!(arithmetic(op, IntervalValue::Slow, IntervalValue::Slow), (IntervalValue::Any, true));
        }
        assert_eq!(arithmetic(Multiply, IntervalValue::Slow, one), (IntervalValue::Any, true));
        assert_eq!(arithmetic(Divide, IntervalValue::Slow, IntervalValue::constant(2)), (IntervalValue::Slow, false));
        assert_eq!(arithmetic(Divide, IntervalValue::Slow, IntervalValue::Slow), (IntervalValue::Slow, true));
        assert_eq!(arithmetic(Remainder, IntervalValue::Any, IntervalValue::constant(4)), (IntervalValue::Between(0, 3), false));
        assert_eq!(arithmetic(Divide, IntervalValue::Any, IntervalValue::constant(-1)), (IntervalValue::Any, true));
        assert_eq!(IntervalValue::Slow.join(one), IntervalValue::Slow);
        assert_eq!(IntervalValue::Slow.join(IntervalValue::constant(i64::MAX)), IntervalValue::Any);
        assert_eq!(IntervalValue::constant(i64::MAX).widened(), IntervalValue::Any);
    }
}
