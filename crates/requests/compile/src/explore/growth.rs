//! Programs that grow for ever: which variable, and a run that shows it.
//!
//! A *pump* is a piece of a real run from a configuration `c` to `c'` in which
//! the same requests wait at the same places, all values are the same except
//! that some have changed by constants `d`. The piece is run once more with
//! every changed value written as `v + d·t` for an unknown `t ≥ 0`: if every
//! test comes out the same for all `t`, and the values at the end are exactly
//! `v + d·(t + 1)`, then the piece can be repeated without end and the program
//! has infinitely many states. Nothing is claimed otherwise.

use std::collections::BTreeMap;

use serval_model::LocalId;
use serval_syntax::{ArithmeticOp, CompareOp, value};

use super::trail::{Trail, TrailStep};
use crate::graph::{Node, NodeId, Op, Operand, Reg};
use crate::space::Space;

/// What grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grower {
    /// Position in the global state.
    Global(usize),
    /// A register.
    Local(Reg),
}

/// `a + b·t` for all `t ≥ 0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct GrowthLine {
    a: i64,
    b: i64,
}

impl GrowthLine {
    fn constant(a: i64) -> Self {
        Self { a, b: 0 }
    }

    fn minus(self, other: Self) -> Option<Self> {
        Some(Self { a: self.a.checked_sub(other.a)?, b: self.b.checked_sub(other.b)? })
    }

    /// Whether it is zero for all `t`, for none, or (`None`) for some.
    fn is_zero(self) -> Option<bool> {
        if self.b == 0 {
            return Some(self.a == 0);
        }
        // The only root is t = -a/b.
        let root_is_natural = self.a.checked_rem(self.b)? == 0 && self.a.checked_div(self.b)? <= 0;
        if root_is_natural { None } else { Some(false) }
    }

    /// Whether it is negative for all `t`, for none, or (`None`) for some.
    fn is_negative(self) -> Option<bool> {
        match (self.a < 0, self.b) {
            (true, ..=0) => Some(true),
            (false, 0..) => Some(false),
            _ => None,
        }
    }
}

fn compare(op: CompareOp, left: GrowthLine, right: GrowthLine) -> Option<GrowthLine> {
    let difference = left.minus(right)?;
    let holds = match op {
        CompareOp::Equal => difference.is_zero()?,
        CompareOp::NotEqual => !difference.is_zero()?,
        CompareOp::Less => difference.is_negative()?,
        CompareOp::GreaterOrEqual => !difference.is_negative()?,
        CompareOp::Greater => right.minus(left)?.is_negative()?,
        CompareOp::LessOrEqual => !right.minus(left)?.is_negative()?,
    };
    Some(GrowthLine::constant(i64::from(holds)))
}

fn arithmetic(op: ArithmeticOp, left: GrowthLine, right: GrowthLine) -> Option<GrowthLine> {
    match op {
        ArithmeticOp::Add => Some(GrowthLine { a: left.a.checked_add(right.a)?, b: left.b.checked_add(right.b)? }),
        ArithmeticOp::Subtract => left.minus(right),
        ArithmeticOp::Multiply if left.b == 0 => Some(GrowthLine { a: left.a.checked_mul(right.a)?, b: left.a.checked_mul(right.b)? }),
        ArithmeticOp::Multiply if right.b == 0 => arithmetic(op, right, left),
        _ if left.b == 0 && right.b == 0 => Some(GrowthLine::constant(value::arithmetic(op, left.a, right.a).ok()?)),
        _ => None,
    }
}

/// A request or the globals with values that depend on `t`.
#[derive(Clone)]
struct Thread {
    node: Option<NodeId>,
    registers: Vec<GrowthLine>,
}

/// How many operations one step may take here.
const MAX_OPERATIONS: u32 = 20_000;

/// Looks for a pump in the run; gives its end and what grows.
pub(crate) fn find_pump(space: &Space, trail: &Trail) -> Option<(usize, Vec<Grower>)> {
    let stops = configurations(space, trail);
    let mut tries = 0;
    for end in 1..stops.len() {
        for start in (0..end).rev() {
            tries += 1;
            if tries > 20_000 {
                return None;
            }
            if let Some(growers) = pump(space, &trail[start..end], &stops[start], &stops[end]) {
                return Some((end, growers));
            }
        }
    }
    None
}

/// A configuration on the trail.
struct TrailStop {
    global: Box<[i64]>,
    flight: BTreeMap<usize, LocalId>,
}

fn configurations(space: &Space, trail: &Trail) -> Vec<TrailStop> {
    let mut flight = BTreeMap::new();
    let mut stops = vec![TrailStop { global: space.global(space.initial_global()).into(), flight: flight.clone() }];
    for step in trail {
        let to = space.moves[step.step];
        flight.insert(step.thread, to.local);
        // A thread that takes no more steps in the trail does not take part.
        flight.retain(|_, &mut local| !space.is_finished(local));
        stops.push(TrailStop { global: space.global(to.global).into(), flight: flight.clone() });
    }
    stops
}

fn pump(space: &Space, piece: &[TrailStep], start: &TrailStop, end: &TrailStop) -> Option<Vec<Grower>> {
    let machine = &space.machine;
    let mut growers = Vec::new();
    let mut globals: Vec<GrowthLine> = Vec::new();
    for (slot, (&a, &after)) in start.global.iter().zip(&end.global).enumerate() {
        let b = after.checked_sub(a)?;
        if b != 0 {
            growers.push(Grower::Global(slot));
        }
        globals.push(GrowthLine { a, b });
    }
    // Requests in flight at the start must be there again at the end: the same
    // ones at the same place, values changed by constants.
    let mut threads: BTreeMap<usize, Thread> = BTreeMap::new();
    for (&id, &local) in &start.flight {
        let before = &space.local(local).waiting;
        let after = &space.local(*end.flight.get(&id)?).waiting;
        if before.node != after.node {
            return None;
        }
        let mut registers = vec![GrowthLine::constant(0); machine.graph.reg_count];
        for (&reg, (&a, &next)) in machine.kept_at(before.node?).iter().zip(before.values.iter().zip(&after.values)) {
            let b = next.checked_sub(a)?;
            if b != 0 {
                growers.push(Grower::Local(reg));
            }
            registers[reg.index()] = GrowthLine { a, b };
        }
        threads.insert(id, Thread { node: before.node, registers });
    }
    if growers.is_empty() {
        return None;
    }
    let wanted_globals = globals.clone();
    let wanted_threads = threads.clone();
    for step in piece {
        let target = space.moves[step.step];
        let thread = threads.entry(step.thread).or_insert_with(|| Thread {
            node: space.local(step.from).waiting.node,
            registers: vec![GrowthLine::constant(0); machine.graph.reg_count],
        });
        let from = Thread { node: thread.node, registers: thread.registers.clone() };
        let (after, after_globals) = run_step(space, from, &globals, target.local, space.global(target.global))?;
        globals = after_globals;
        *thread = after;
    }
    let shifted = |start: &GrowthLine, now: &GrowthLine| now.b == start.b && start.a.checked_add(start.b) == Some(now.a);
    let globals_fit = wanted_globals.iter().zip(&globals).all(|(start, now)| shifted(start, now));
    let threads_fit = wanted_threads.iter().all(|(id, start)| {
        let Some(node) = start.node else { return false };
        threads.get(id).is_some_and(|now| {
            now.node == start.node
                && machine.kept_at(node).iter().all(|reg| shifted(&start.registers[reg.index()], &now.registers[reg.index()]))
        })
    });
    (globals_fit && threads_fit).then_some(growers)
}

/// Runs one step on lines along every choice; gives the way that ends, for
/// `t = 0`, in the given target.
fn run_step(
    space: &Space,
    from: Thread,
    globals: &[GrowthLine],
    to_local: LocalId,
    to_global: &[i64],
) -> Option<(Thread, Vec<GrowthLine>)> {
    let machine = &space.machine;
    let target = &space.local(to_local).waiting;
    let mut ways = vec![(from.node?, from.registers, globals.to_vec())];
    let mut left = MAX_OPERATIONS;
    while let Some((mut at, mut registers, mut globals)) = ways.pop() {
        loop {
            left = left.checked_sub(1)?;
            let read = |operand: Operand, registers: &[GrowthLine]| match operand {
                Operand::Const(value) => GrowthLine::constant(value),
                Operand::Reg(reg) => registers[reg.index()],
            };
            match machine.graph.node(at) {
                Node::Do { op: Op::Choose { to }, next } => {
                    let mut other = registers.clone();
                    other[to.index()] = GrowthLine::constant(1);
                    ways.push((next, other, globals.clone()));
                    registers[to.index()] = GrowthLine::constant(0);
                    at = next;
                }
                // What stays in a range does not grow; a line may leave it.
                Node::Do { op: Op::Check { from, low, high, .. }, next } => {
                    let line = read(from, &registers);
                    (line.b == 0 && (low..=high).contains(&line.a)).then_some(())?;
                    at = next;
                }
                Node::Do { op, next } => {
                    let value = match op {
                        Op::Copy { from, .. } => read(from, &registers),
                        Op::Load { global, .. } => machine.slot(global).map_or(GrowthLine::constant(0), |slot| globals[slot]),
                        Op::Store { from, .. } => read(from, &registers),
                        Op::Not { from, .. } => GrowthLine::constant(i64::from(read(from, &registers).is_zero()?)),
                        Op::Negate { from, .. } => GrowthLine::constant(0).minus(read(from, &registers))?,
                        Op::Arithmetic { op, left, right, .. } => arithmetic(op, read(left, &registers), read(right, &registers))?,
                        Op::Compare { op, left, right, .. } => compare(op, read(left, &registers), read(right, &registers))?,
                        Op::Choose { .. } | Op::Check { .. } => return None,
                    };
                    match op {
                        Op::Store { global, .. } => {
                            if let Some(slot) = machine.slot(global) {
                                globals[slot] = value;
                            }
                        }
                        _ => registers[op.writes()?.index()] = value,
                    }
                    at = next;
                }
                Node::Branch { test, then, otherwise } => at = if read(test, &registers).is_zero()? { otherwise } else { then },
                Node::Yield { next } => {
                    let values = machine.kept_at(next).iter().map(|reg| registers[reg.index()].a);
                    let reached = target.node == Some(next) && target.values.iter().copied().eq(values);
                    if reached && globals.iter().map(|line| line.a).eq(to_global.iter().copied()) {
                        return Some((Thread { node: Some(next), registers }, globals));
                    }
                    break;
                }
                Node::Answer { value } => {
                    let reached = target.node.is_none() && target.values.first() == Some(&read(value, &registers).a);
                    if reached && globals.iter().map(|line| line.a).eq(to_global.iter().copied()) {
                        return Some((Thread { node: None, registers }, globals));
                    }
                    break;
                }
                Node::Never => break,
            }
        }
    }
    None
}
