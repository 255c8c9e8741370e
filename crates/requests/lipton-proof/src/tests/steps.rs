//! Every concrete step is an instance of exactly the paths that cover it.
//!
//! A step is run node by node with numbers, along every choice, from random values of globals and registers; the paths
//! from the same point whose conditions hold for those values must leave the same, and a step is an error iff an
//! obligation is not met.

use std::collections::BTreeSet;

use serval_budget::Budget;
use serval_compile::control::{Control, Node, NodeId, Op, Operand, Reg};
use serval_compile::{Options, Prepared};
use serval_syntax::value;
use serval_testkit::random::{Shape, SplitMix64, random_program};

use crate::domain::Domain;
use crate::execute::{Executed, execute, meets};
use crate::path::{Conditions, PointId};
use crate::term::{Symbol, Term};

/// Where a step ends, with the values of the registers that are kept there, and the globals; or the answer.
type End = (Option<NodeId>, Vec<i128>, Vec<i64>);

struct Machine<'a> {
    control: &'a Control<'a>,
    ends: BTreeSet<End>,
    fails: bool,
    left: u32,
}

impl Machine<'_> {
    /// Runs along every choice; whether it came to an end in time.
    fn run(&mut self, mut at: NodeId, mut registers: Vec<i64>, mut globals: Vec<i64>) -> bool {
        loop {
            if self.left == 0 {
                return false;
            }
            self.left -= 1;
            let read = |registers: &[i64], operand: Operand| match operand {
                Operand::Const(value) => value,
                Operand::Reg(reg) => registers[reg.index()],
            };
            match self.control.node(at) {
                Node::Never => return true,
                Node::Branch { test, then, otherwise } => at = if read(&registers, test) != 0 { then } else { otherwise },
                Node::Yield { next } => {
                    let kept = self.control.live_at(next).iter().map(|reg| registers[reg.index()].into()).collect();
                    self.ends.insert((Some(next), kept, globals));
                    return true;
                }
                Node::Answer { value } => {
                    self.ends.insert((None, vec![read(&registers, value).into()], globals));
                    return true;
                }
                Node::Do { op, next } => {
                    let done = match op {
                        Op::Copy { to, from } => Some((to, Ok(read(&registers, from)))),
                        Op::Load { to, global } => Some((to, Ok(globals[global.index()]))),
                        Op::Store { global, from, .. } => {
                            globals[global.index()] = read(&registers, from);
                            None
                        }
                        Op::Check { from, low, high, .. } => {
                            if !(low..=high).contains(&read(&registers, from)) {
                                self.fails = true;
                                return true;
                            }
                            None
                        }
                        Op::Not { to, from } => Some((to, Ok(i64::from(read(&registers, from) == 0)))),
                        Op::Negate { to, from } => Some((to, value::negate(read(&registers, from)))),
                        Op::Arithmetic { op, to, left, right } => {
                            Some((to, value::arithmetic(op, read(&registers, left), read(&registers, right))))
                        }
                        Op::Compare { op, to, left, right } => {
                            Some((to, Ok(value::compare(op, read(&registers, left), read(&registers, right)))))
                        }
                        Op::Choose { to } => {
                            let mut other = registers.clone();
                            other[to.index()] = 1;
                            if !self.run(next, other, globals.clone()) {
                                return false;
                            }
                            Some((to, Ok(0)))
                        }
                    };
                    match done {
                        Some((to, Ok(value))) => registers[to.index()] = value,
                        Some((_, Err(_))) => {
                            self.fails = true;
                            return true;
                        }
                        None => {}
                    }
                    at = next;
                }
            }
        }
    }
}

fn holds(executed: &Executed, conditions: &Conditions, known: &dyn Fn(Symbol) -> Option<i128>) -> bool {
    conditions.0.iter().all(|(form, said)| {
        let term = Term { constant: 0, parts: form.clone() };
        executed.opaques.value(&term, known).is_some_and(|value| said.contains(value))
    })
}

/// Compares one step; whether it could be compared.
fn compare(control: &Control<'_>, executed: &Executed, point: usize, rng: &mut SplitMix64) -> bool {
    let Some(node) = executed.points[point].node else { return false };
    let small = |rng: &mut SplitMix64| match rng.below(12) {
        0 => i64::MAX,
        1 => i64::MIN,
        _ => rng.between(-2, 3),
    };
    let globals: Vec<i64> = control.program().globals.iter().map(|_| small(rng)).collect();
    let mut registers: Vec<i64> = (0..control.reg_count()).map(|_| small(rng)).collect();
    for &(reg, value) in &executed.points[point].constants {
        registers[reg.index()] = value;
    }
    let mut machine = Machine { control, ends: BTreeSet::new(), fails: false, left: 2_000 };
    if !machine.run(node, registers.clone(), globals.clone()) {
        return false;
    }
    let known = |symbol: Symbol| match symbol {
        Symbol::Global(global) => Some(i128::from(globals[global.index()])),
        Symbol::Local(reg) => Some(i128::from(registers[reg.index()])),
        Symbol::Opaque(_) => None,
    };
    let from = PointId(u32::try_from(point).unwrap());
    let exactly = |symbol: Symbol| known(symbol).map(Domain::point);
    let unmet = executed.obligations.iter().filter(|obligation| obligation.from == from).any(|obligation| {
        holds(executed, &obligation.conditions, &known) && !meets(&executed.opaques, &Conditions::default(), &obligation.need, &exactly)
    });
    assert_eq!(machine.fails, unmet, "point {point} {globals:?} {registers:?}: {:?}", executed.obligations);
    if machine.fails {
        return true;
    }
    let mut ends: BTreeSet<End> = BTreeSet::new();
    for path in executed.paths.iter().filter(|path| path.from == from && holds(executed, &path.conditions, &known)) {
        let value = |term: &Term| executed.opaques.value(term, &known).unwrap();
        let after = globals.iter().enumerate().map(|(index, &before)| {
            let update = path.updates.iter().find(|update| update.0.index() == index);
            update.map_or(before, |(_, update)| i64::try_from(value(&update.term)).unwrap())
        });
        let to = &executed.points[path.to.index()];
        let values = match &path.answer {
            Some(answer) => vec![value(answer)],
            None => to.live.iter().map(|&reg| kept(to, path, reg, &value)).collect(),
        };
        let end = (to.node, values, after.collect());
        assert!(machine.ends.contains(&end), "point {point} {globals:?} {registers:?}: no step to {end:?}");
        ends.insert(end);
    }
    assert_eq!(ends, machine.ends, "point {point} {globals:?} {registers:?}");
    true
}

fn kept(to: &crate::path::Point, path: &crate::path::Path, reg: Reg, value: &dyn Fn(&Term) -> i128) -> i128 {
    let constant = to.constants.iter().find(|constant| constant.0 == reg).map(|constant| i128::from(constant.1));
    constant.unwrap_or_else(|| value(&path.kept.iter().find(|kept| kept.0 == reg).unwrap().1.term))
}

#[test]
fn concrete_steps_are_instances_of_paths() {
    let sweep = serval_effort::sweep("symbolic.steps", 2_500, 10_000);
    let (mut compared, mut seed) = (0_u64, sweep.seed(0));
    while compared < sweep.count() {
        seed += 1;
        assert!(seed - sweep.seed(0) <= 10 * sweep.count(), "hardly any step can be compared");
        for shape in Shape::WITH_EDGES {
            let program = serval_syntax::analyze(&random_program(seed, shape)).program.unwrap();
            let prepared = Prepared::new(&program, Options::default());
            let control = prepared.control();
            let ranges = vec![Domain::values(); program.globals.len()];
            let rng = &mut SplitMix64::new(seed);
            let yields: Vec<u32> = if seed % 3 == 0 { vec![u32::try_from(rng.below(control.node_count())).unwrap()] } else { Vec::new() };
            let Ok(executed) = execute(&control, &[], Some(&ranges), &mut Budget::ticks(200_000)) else { continue };
            let _ = execute(&control, &yields, None, &mut Budget::ticks(200_000));
            for _ in 0..20 {
                let point = rng.below(executed.points.len());
                let same = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| compare(&control, &executed, point, rng)));
                let text = || random_program(seed, shape);
                compared += u64::from(same.unwrap_or_else(|_| panic!("seed {seed} {shape:?}\n{}", text())));
            }
        }
    }
}

/// A test that is made of several changes a register several times in each round, also where it waits forever.
#[test]
fn a_loop_that_waits_comes_back_to_what_it_was() {
    let text = "request take {
    flag := 2;
    while (!(!(flag == 2 || flag == 1) || Held == 0)) { 0 };
    Held := 1;
    yield;
    Held := 0
}";
    let program = serval_syntax::analyze(text).program.unwrap();
    let prepared = Prepared::new(&program, Options::default());
    let executed = execute(&prepared.control(), &[], None, &mut Budget::ticks(200_000)).unwrap();
    // One takes it where it is free, one gives it back.
    assert_eq!(executed.paths.len(), 2, "{:?}", executed.paths);
}
