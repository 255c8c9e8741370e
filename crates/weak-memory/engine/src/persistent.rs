//! Persistent-set search (Godefroid 1996) of final states under sequential consistency (`serval_tso_proof::finals`).

use serval_tso_program::Op;

use crate::alike::Order;
use crate::footprints::{Footprints, disturb};
use crate::machine::{Machine, NextStep, WAYS};
use crate::models::PendingQuestions;
use crate::search::{Faulting, Label, Successors, System};

/// Sequential consistency with the steps of a persistent set from each state.
pub(crate) struct Persistent<'m, 'p> {
    pub(crate) machine: &'m Machine<'p>,
    pub(crate) asked: PendingQuestions<'p>,
}

impl Persistent<'_, '_> {
    /// The threads whose steps are needed.
    fn chosen(&self, state: &[i64]) -> Vec<usize> {
        let count = self.machine.count();
        let points: Vec<usize> = (0..count).map(|thread| self.machine.point(state, thread)).collect();
        let is_open = |thread: usize| *self.machine.op(state, thread) != Op::End;
        let Footprints { next, later } = &self.machine.analysis.footprints;
        let disturbed = |thread: usize| {
            let now = &next[thread][points[thread]];
            let disturbs = |other: &usize| thread != *other && disturb(now, &later[*other][points[*other]]);
            (0..count).filter(disturbs).fold(0_u64, |bits, other| bits | 1 << other)
        };
        // Which threads one needs does not depend on the first of the set.
        let mut needs: Vec<Option<u64>> = vec![None; count];
        let mut best: Option<Vec<usize>> = None;
        for first in (0..count).filter(|first| is_open(*first)) {
            let mut set = vec![first];
            let (mut members, mut at) = (1_u64 << first, 0);
            while let Some(&thread) = set.get(at) {
                let more = *needs[thread].get_or_insert_with(|| disturbed(thread)) & !members;
                set.extend((0..count).filter(|other| more >> other & 1 == 1));
                members |= more;
                at += 1;
            }
            set.retain(|thread| is_open(*thread));
            if best.as_ref().is_none_or(|best| set.len() < best.len()) {
                best = Some(set);
            }
            if best.as_ref().is_some_and(|best| best.len() == 1) {
                break;
            }
        }
        best.unwrap_or_default()
    }
}

impl System for Persistent<'_, '_> {
    fn initial(&self) -> Vec<i64> {
        self.machine.initial()
    }

    fn sort(&self, state: &mut Vec<i64>) -> Option<Order> {
        self.asked.alike.sort(self.machine, state)
    }

    fn meet(&mut self, number: usize, state: &[i64]) -> bool {
        self.asked.meet(self.machine, number, state);
        self.asked.all_met()
    }

    fn successors(&mut self, state: &[i64], into: &mut Successors) -> Result<(), Faulting> {
        let machine = self.machine;
        for (thread, is_other) in self.chosen(state).into_iter().flat_map(|thread| WAYS.map(|is_other| (thread, is_other))) {
            let step = match machine.next_in_memory(state, thread, is_other) {
                NextStep::Blocked => continue,
                NextStep::Fault(kind) => return Err((thread, machine.point(state, thread), kind)),
                NextStep::Step(step) => step,
            };
            let mut after = into.copy(state);
            machine.go(&mut after, thread, &step);
            machine.write(&mut after, &step.access);
            into.push(Label { thread, event: step.event() }, after);
        }
        Ok(())
    }
}
