//! Symmetry reduction (Ip, Dill 1996): of threads that are alike a search looks at one order only
//! (`serval_tso_proof::alike`).
//!
//! Two threads are alike if they have the same code, and if exchanging them turns the questions that are asked into
//! each other. This is an equivalence, since to exchange the first with the third is to exchange the first with the
//! second, the second with the third, and again the first with the second.

use std::cmp::Ordering;

use serval_tso_program::{BinaryOp, Expr, Observed, Program, Question, ThreadId};

use crate::layout::Buffers;
use crate::machine::Machine;

/// For each thread, which one takes its place.
pub(crate) type Order = Vec<usize>;

/// Groups of threads that are alike, and what that says about questions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symmetry {
    /// Of two threads or more.
    pub(crate) groups: Vec<Vec<usize>>,
    /// For each question those that it is turned into, each with the threads that take the places of others in it.
    pub(crate) turned: Vec<Vec<(usize, Order)>>,
}

/// An expression in which it does not matter in which order some operands stand.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Normal {
    Number(i64),
    At(usize, u32),
    Register(usize, u32),
    Cell(u32),
    Signed(&'static str, Vec<Self>),
}

fn normal(condition: &Expr<Observed>, thread: &dyn Fn(ThreadId) -> usize) -> Normal {
    match condition {
        Expr::Number(number) => Normal::Number(*number),
        Expr::Atom(Observed::At(of, point)) => Normal::At(thread(*of), point.0),
        Expr::Atom(Observed::Register(of, register)) => Normal::Register(thread(*of), register.0),
        Expr::Atom(Observed::Cell(cell)) => Normal::Cell(cell.0),
        Expr::Not(inner) => Normal::Signed("!", vec![normal(inner, thread)]),
        Expr::Negate(inner) => Normal::Signed("negate", vec![normal(inner, thread)]),
        Expr::Binary(op, left, right) => {
            let mut operands = vec![normal(left, thread), normal(right, thread)];
            if matches!(op, BinaryOp::And | BinaryOp::Or) {
                let flat = |operand: Normal| match operand {
                    Normal::Signed(sign, inner) if sign == op.sign() => inner,
                    other => vec![other],
                };
                operands = operands.into_iter().flat_map(flat).collect();
            }
            if matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Equal | BinaryOp::Unequal | BinaryOp::Add | BinaryOp::Multiply) {
                operands.sort_unstable();
            }
            Normal::Signed(op.sign(), operands)
        }
    }
}

/// The order in which two threads are exchanged.
fn exchange(count: usize, one: usize, other: usize) -> Order {
    let mut order: Order = (0..count).collect();
    order.swap(one, other);
    order
}

impl Symmetry {
    /// The largest groups for these questions.
    pub(crate) fn new(program: &Program, questions: &[usize]) -> Self {
        let count = program.threads.len();
        let asked = |number: &usize| (*number, &program.questions[*number]);
        let asked: Vec<(usize, &Question)> = questions.iter().map(asked).collect();
        let as_they_are: Vec<(bool, Normal)> =
            asked.iter().map(|(_, question)| (question.asked.is_final(), normal(&question.condition, &ThreadId::index))).collect();
        // Which question each is turned into, if all are turned into some.
        let turns = |one: usize, other: usize| -> Option<Vec<usize>> {
            let (one_is, other_is) = (&program.threads[one], &program.threads[other]);
            if one_is.registers.len() != other_is.registers.len() || one_is.code != other_is.code {
                return None;
            }
            let order = exchange(count, one, other);
            let turned = |(_, question): &(usize, &Question)| {
                let condition = normal(&question.condition, &|thread| order[thread.index()]);
                as_they_are.iter().position(|(is_final, as_is)| *is_final == question.asked.is_final() && *as_is == condition)
            };
            asked.iter().map(turned).collect()
        };
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut exchanges = Vec::new();
        for thread in 0..count {
            let of = |group: &Vec<usize>| group.last().and_then(|last| Some((*last, turns(*last, thread)?)));
            match groups.iter_mut().find_map(|group| of(group).map(|found| (group, found))) {
                Some((group, (last, turned))) => {
                    group.push(thread);
                    exchanges.push((exchange(count, last, thread), turned));
                }
                None => groups.push(vec![thread]),
            }
        }
        groups.retain(|group| group.len() > 1);
        let mut all = vec![Vec::new(); program.questions.len()];
        for (place, (number, _)) in asked.iter().enumerate() {
            // From one exchange to the next.
            let mut found: Vec<(usize, Order)> = vec![(place, (0..count).collect())];
            let mut at = 0;
            while let Some((from, order)) = found.get(at).cloned() {
                for (exchange, turned) in &exchanges {
                    let to = turned[from];
                    if found.iter().all(|(known, _)| *known != to) {
                        found.push((to, order.iter().map(|thread| exchange[*thread]).collect()));
                    }
                }
                at += 1;
            }
            all[*number] = found.into_iter().skip(1).map(|(place, order)| (asked[place].0, order)).collect();
        }
        Self { groups, turned: all }
    }

    /// The groups without a thread.
    pub(crate) fn without(&self, thread: usize) -> Self {
        let without = |group: &Vec<usize>| group.iter().copied().filter(|member| *member != thread).collect::<Vec<usize>>();
        Self { groups: self.groups.iter().map(without).filter(|group| group.len() > 1).collect(), turned: Vec::new() }
    }

    /// Whether a thread is in a group of which another is the first.
    pub(crate) fn follows(&self, thread: usize) -> bool {
        self.groups.iter().any(|group| group[1..].contains(&thread))
    }

    /// The order in which what the threads of each group have ascends, unless it does so already.
    pub(crate) fn order(&self, count: usize, compare: impl Fn(usize, usize) -> Ordering) -> Option<Order> {
        if self.groups.iter().all(|group| group.is_sorted_by(|one, other| compare(*one, *other) != Ordering::Greater)) {
            return None;
        }
        let mut order: Order = (0..count).collect();
        for group in &self.groups {
            let mut members = group.clone();
            members.sort_by(|one, other| compare(*one, *other));
            group.iter().zip(members).for_each(|(thread, member)| order[*thread] = member);
        }
        Some(order)
    }

    /// Sorts a state of points, registers and memory alone.
    pub(crate) fn sort(&self, machine: &Machine<'_>, state: &mut [i64]) -> Option<Order> {
        let order = self.order(machine.count(), |one, other| machine.layout.local(state, one).cmp(machine.layout.local(state, other)))?;
        machine.layout.move_locals(state, &order);
        Some(order)
    }

    /// Sorts a state with buffers behind memory, whose entries have `entry` numbers.
    pub(crate) fn sort_buffered(&self, machine: &Machine<'_>, state: &mut Vec<i64>, entry: usize) -> Option<Order> {
        if self.groups.is_empty() {
            return None;
        }
        let buffers = Buffers::of(&machine.layout, state, entry);
        // First by cells and values of all entries, and then by what else there is of them.
        let compare = |one: usize, other: usize| {
            let by_locals = machine.layout.local(state, one).cmp(machine.layout.local(state, other));
            let stores = |thread: usize| buffers.entries(state, thread).flat_map(|entry| &entry[..2]);
            let more = |thread: usize| buffers.entries(state, thread).flat_map(|entry| &entry[2..]);
            by_locals.then_with(|| stores(one).cmp(stores(other))).then_with(|| more(one).cmp(more(other)))
        };
        let order = self.order(machine.count(), compare)?;
        buffers.reorder(&machine.layout, state, &order);
        machine.layout.move_locals(state, &order);
        Some(order)
    }
}
