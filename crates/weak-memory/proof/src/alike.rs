//! Symmetry reduction (Ip, Dill 1996): threads that are alike change places.
//!
//! A *group* is a set of threads with the same code and equally many registers (`tso.alike.code`), written with
//! ascending numbers (`tso.alike.groups`). For a permutation π of threads that maps each group onto itself, and all
//! other threads to themselves, let `πs` be the state in which the thread `π(t)` has what `t` has in `s`: its point,
//! its registers, its buffer, and in an attack whether it is a helper. Memory, and in an attack what is kept and
//! accessed, stay. A state is *sorted* by permuting what the threads of each group have, until it ascends: so the
//! sorted state is a `πs`.
//!
//! **Lemma.**
//!
//! 1. If `t` leads from `s` to `s'` by a step or by a store that lands, then `π(t)` leads from `πs` to `πs'` in the
//!    same way.
//! 2. If the step of `t` faults, so does that of `π(t)`.
//! 3. `πs` is initial if `s` is.
//! 4. In an attack this holds if π leaves the attacker where it is, and `πs` is a violation if `s` is.
//!
//! **Proof.** What a thread does depends on its code, on what it has and on memory, and in an attack on what is
//! accessed and on whether it is the attacker, all of which are the same for `t` in `s` and for `π(t)` in `πs`.
//! Initially all threads are at point 0, with 0 in all registers, empty buffers, and no helpers. ∎
//!
//! Let `Q` be the questions that rest on a list. Exchanging two threads that stand next to each other in a group turns
//! each question of `Q` into one of `Q` (`tso.alike.question`): the same, but for the order of the sides of `&&`, `||`,
//! `==`, `!=`, `+` and `*`, and parentheses among `&&` and among `||`; both are about final states, or neither is. Both
//! sides of a sign are always evaluated, so the order does not change values, nor whether there is one. Such exchanges
//! generate all permutations of groups: if a question of `Q` seeks `s`, one of `Q` seeks `πs`.
//!
//! **Rule.** Where a rule asks that the list has the state after a step, with dead registers forgotten, it may be that
//! state, sorted. In [`crate::robust`] the attacker is taken out of its group, and a thread that is not the first of a
//! group needs no list.
//!
//! **Theorem.** What the rules show is so.
//!
//! **Proof.** The rules are shown by induction on a run `w` from a member `s` to a state that is sought by one of `Q`,
//! is a violation, or has a faulting step: a state `s'` has to be in the list, from which a run `w'` leads to such a
//! state, and `w'` comes before `w` in an order that looks at nothing but the length of the run, the numbers of the
//! points, and how many stores wait. Now the list has `πs'` instead. By the lemma `πw'`, in which `π(t)` moves for `t`,
//! leads from there to a state of that kind, and all these numbers are the same.
//!
//! As for attackers: if `a` is the first thread of the group of `b`, and an attack of `b` succeeds, then the same
//! attack with `a` and `b` exchanged is one of `a` that succeeds. So does one of a thread that has a list, for first
//! threads have smaller numbers. ∎

use std::cmp::Ordering;

use serval_evidence::require;
use serval_tso_program::{BinaryOp, Expr, Observed, Program, Question, ThreadId};

use crate::Refusal;
use crate::state::State;

/// Groups of threads that are alike.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symmetry {
    groups: Vec<Vec<usize>>,
}

impl Symmetry {
    /// The groups, if they are as they must be for these questions.
    pub(crate) fn new(program: &Program, groups: &[Vec<usize>], questions: &[usize]) -> Result<Self, Refusal> {
        for group in groups {
            let exist = group.iter().all(|thread| *thread < program.threads.len());
            require!(AlikeGroups, exist && group.is_sorted_by(|one, other| one < other), "{group:?} is not a group of threads");
        }
        // Without the condition above nothing may be asked of threads that there are not.
        let exists = |thread: &usize| *thread < program.threads.len();
        let groups: Vec<Vec<usize>> = groups.iter().map(|group| group.iter().copied().filter(exists).collect()).collect();
        let asked: Vec<&Question> = questions.iter().filter_map(|question| program.questions.get(*question)).collect();
        let texts = |exchanged: (usize, usize)| -> Vec<(bool, String)> {
            asked.iter().map(|question| (question.asked.is_final(), normal(&question.condition, exchanged))).collect()
        };
        let as_they_are = texts((0, 0));
        for pair in groups.iter().flat_map(|group| group.windows(2)) {
            let (one, other) = (&program.threads[pair[0]], &program.threads[pair[1]]);
            let same = one.code == other.code && one.registers.len() == other.registers.len();
            require!(AlikeCode, same, "{} and {} do not have the same code", one.name, other.name);
            let stay = texts((pair[0], pair[1])).iter().all(|text| as_they_are.contains(text));
            require!(AlikeQuestion, stay, "a question tells {} from {}", one.name, other.name);
        }
        Ok(Self { groups })
    }

    /// The groups, whether or not they are right.
    #[cfg(test)]
    pub(crate) fn unchecked(groups: &[Vec<usize>]) -> Self {
        Self { groups: groups.to_vec() }
    }

    /// The groups without a thread.
    pub(crate) fn without(&self, thread: usize) -> Self {
        let without = |group: &Vec<usize>| group.iter().copied().filter(|member| *member != thread).collect();
        Self { groups: self.groups.iter().map(without).collect() }
    }

    /// Whether a thread is in a group of which another is the first.
    pub(crate) fn follows(&self, thread: usize) -> bool {
        self.groups.iter().any(|group| group.iter().skip(1).any(|member| *member == thread))
    }

    /// For each thread, which one takes its place in the sorted state.
    pub(crate) fn order(&self, threads: usize, compare: impl Fn(usize, usize) -> Ordering) -> Vec<usize> {
        let mut order: Vec<usize> = (0..threads).collect();
        for group in &self.groups {
            let mut members: Vec<usize> = group.iter().map(|thread| order[*thread]).collect();
            members.sort_by(|one, other| compare(*one, *other));
            group.iter().zip(members).for_each(|(thread, member)| order[*thread] = member);
        }
        order
    }

    /// Whether no two threads are alike.
    pub(crate) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Sorts a state.
    pub(crate) fn sort(&self, state: &mut State) {
        if self.is_empty() {
            return;
        }
        let has = |thread: usize| (&state.locals[thread], &state.buffers[thread]);
        let order = self.order(state.locals.len(), |one, other| has(one).cmp(&has(other)));
        rearrange(state, &order);
    }
}

/// What is taken for a list of threads in another order.
pub(crate) fn taken<T: Clone>(list: &[T], order: &[usize]) -> Vec<T> {
    order.iter().map(|thread| list[*thread].clone()).collect()
}

/// Changes the places of what threads have.
pub(crate) fn rearrange(state: &mut State, order: &[usize]) {
    state.locals = taken(&state.locals, order);
    state.buffers = taken(&state.buffers, order);
}

/// A condition in which two threads are exchanged, with the operands of a sign in one order. Operands stand behind
/// their sign in parentheses, so that a text has one meaning.
fn normal(condition: &Expr<Observed>, exchanged: (usize, usize)) -> String {
    let of = |thread: ThreadId| match thread.index() {
        thread if thread == exchanged.0 => exchanged.1,
        thread if thread == exchanged.1 => exchanged.0,
        thread => thread,
    };
    match condition {
        Expr::Number(number) => number.to_string(),
        Expr::Atom(Observed::At(thread, point)) => format!("(at {} {})", of(*thread), point.0),
        Expr::Atom(Observed::Register(thread, register)) => format!("(register {} {})", of(*thread), register.0),
        Expr::Atom(Observed::Cell(cell)) => format!("(cell {})", cell.0),
        Expr::Not(inner) => format!("(! {})", normal(inner, exchanged)),
        Expr::Negate(inner) => format!("(negate {})", normal(inner, exchanged)),
        Expr::Binary(op, left, right) => {
            let mut operands = Vec::new();
            match op {
                BinaryOp::And | BinaryOp::Or => operands_of(*op, condition, exchanged, &mut operands),
                _ => operands.extend([normal(left, exchanged), normal(right, exchanged)]),
            }
            if matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Equal | BinaryOp::Unequal | BinaryOp::Add | BinaryOp::Multiply) {
                operands.sort_unstable();
            }
            format!("({} {})", op.sign(), operands.join(" "))
        }
    }
}

/// The operands of a sign of which it does not matter how they are put in parentheses.
fn operands_of(op: BinaryOp, condition: &Expr<Observed>, exchanged: (usize, usize), into: &mut Vec<String>) {
    match condition {
        Expr::Binary(inner, left, right) if *inner == op => {
            operands_of(op, left, exchanged, into);
            operands_of(op, right, exchanged, into);
        }
        _ => into.push(normal(condition, exchanged)),
    }
}
