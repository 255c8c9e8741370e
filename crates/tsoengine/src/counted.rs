//! Configurations: a state of some threads, and how many further copies of each `thread*` there are where. What they mean is said in `serval_tsoproof::any`.
//!
//! They are searched from ω copies at the beginning, with numbers up to a small bound, beyond which they count as ω. That may find what there is not, and misses nothing.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serval_budget::Budget;
use serval_tso::{Program, ThreadId};
use serval_tsoproof::Configuration;

use crate::live::Analysis;
use crate::machine::Machine;
use crate::search::{Ended, System};

/// Where a copy is, and how many are there; nothing is ω.
type Copies = BTreeMap<(u32, Vec<i64>), Option<u64>>;

/// What became of a search.
pub(crate) enum Searched {
    /// All configurations.
    All(Vec<Configuration>),
    /// Something that was looked for, or a fault: whether it is real is not known.
    Perhaps,
    Ended(Ended),
}

/// What is searched: the machine of the core, and that of the core and one copy of each `thread*`, with the systems of both.
pub(crate) struct Counted<'m, 'p, S> {
    pub(crate) program: &'m Program,
    pub(crate) core: &'m Machine<'p>,
    pub(crate) system: S,
    pub(crate) joint: Vec<(&'m Machine<'p>, S)>,
    /// Whether the system has a number for each thread behind all others: whether it is a helper.
    pub(crate) helpers: bool,
}

/// What is known of a program in which nothing is urgent, with these live registers.
pub(crate) fn nothing_urgent(program: &Program, live: Vec<Vec<u64>>) -> Analysis {
    let mut analysis = Analysis::new(program, &program.questions);
    analysis.seen.iter_mut().for_each(|seen| seen.points.iter_mut().for_each(|seen| *seen = true));
    Analysis { live, ..analysis }
}

/// The live registers of the threads that are one each, and of these copies behind them.
pub(crate) fn live_of(program: &Program, live: &[Vec<u64>], copies: &[ThreadId]) -> Vec<Vec<u64>> {
    let fixed = program.threads.iter().zip(live).filter(|(thread, _)| !thread.many).map(|(_, sets)| sets.clone());
    fixed.chain(copies.iter().map(|id| live[id.index()].clone())).collect()
}

impl<S: System> Counted<'_, '_, S> {
    /// Searches all configurations, with numbers up to the bound; `visit` sees each core, and ends the search where it says so.
    pub(crate) fn search(&mut self, bound: u64, most: usize, budget: &mut Budget, visit: &mut dyn FnMut(&[i64]) -> bool) -> Searched {
        let many = self.program.many();
        let length = |kind: &ThreadId| self.program.threads[kind.index()].registers.len() + 1 + usize::from(self.helpers);
        let beginning: Copies = many.iter().map(|kind| ((kind.0, vec![0; length(kind)]), None)).collect();
        let mut members: BTreeMap<Vec<i64>, BTreeSet<Copies>> = BTreeMap::new();
        let mut open = VecDeque::from([(self.system.initial(), beginning)]);
        let (mut count, mut after) = (0, Vec::new());
        while let Some((core, copies)) = open.pop_front() {
            let known = members.entry(core.clone()).or_default();
            if known.iter().any(|above| is_below(&copies, above)) {
                continue;
            }
            // What is below the new one is not needed any more; what it leads to is below what the new one leads to.
            known.retain(|below| !is_below(below, &copies));
            known.insert(copies.clone());
            count += 1;
            if let Err(stopped) = budget.spend(1) {
                return Searched::Ended(Ended::Stopped(stopped));
            }
            if count > most {
                return Searched::Ended(Ended::TooMany);
            }
            if visit(&core) || self.system.successors(&core, &mut after).is_err() {
                return Searched::Perhaps;
            }
            open.extend(after.drain(..).map(|(_, core)| (core, copies.clone())));
            for at in copies.keys() {
                let Some(kind) = many.iter().position(|kind| kind.0 == at.0) else { continue };
                let both = self.joined(&core, &at.1);
                let (machine, system) = &mut self.joint[kind];
                // Steps of the threads of the core are those above; a fault is one there too, or of the copy.
                if system.successors(&both, &mut after).is_err() {
                    return Searched::Perhaps;
                }
                let (machine, slot) = (*machine, machine.count() - 1);
                for (_, both) in after.drain(..).filter(|(label, _)| label.thread == slot) {
                    let (core, local) = self.parted(machine, &both);
                    open.push_back((core, moved(&copies, at, (at.0, local), bound)));
                }
            }
        }
        let configuration = |core: &Vec<i64>, copies: Copies| {
            let copies = copies.into_iter().map(|((kind, local), count)| (kind, local, count)).collect();
            Configuration { core: core.clone(), copies }
        };
        Searched::All(members.into_iter().flat_map(|(core, all)| all.into_iter().map(move |copies| configuration(&core, copies))).collect())
    }

    /// The numbers of the core with a copy behind its threads.
    fn joined(&self, core: &[i64], copy: &[i64]) -> Vec<i64> {
        let local = copy.len() - usize::from(self.helpers);
        let mut numbers = core[..self.core.memory].to_vec();
        numbers.extend(&copy[..local]);
        numbers.extend(&core[self.core.memory..]);
        numbers.extend(&copy[local..]);
        numbers
    }

    /// The numbers of the core, and the copy behind its threads.
    fn parted(&self, joint: &Machine<'_>, both: &[i64]) -> (Vec<i64>, Vec<i64>) {
        let (rest, helper) = both.split_at(both.len() - usize::from(self.helpers));
        let mut copy = rest[self.core.memory..joint.memory].to_vec();
        copy.extend(helper);
        let mut core = rest[..self.core.memory].to_vec();
        core.extend(&rest[joint.memory..]);
        (core, copy)
    }
}

fn is_below(copies: &Copies, above: &Copies) -> bool {
    copies.iter().all(|(at, count)| match (above.get(at), count) {
        (Some(None), _) => true,
        (Some(Some(most)), Some(count)) => count <= most,
        _ => false,
    })
}

fn moved(copies: &Copies, from: &(u32, Vec<i64>), to: (u32, Vec<i64>), bound: u64) -> Copies {
    let mut after = copies.clone();
    if let Some(Some(count)) = after.get(from).copied() {
        if count == 1 {
            after.remove(from);
        } else {
            after.insert(from.clone(), Some(count - 1));
        }
    }
    let now = match after.get(&to) {
        Some(None) => None,
        Some(Some(count)) => Some(count + 1).filter(|count| *count <= bound),
        None => Some(1),
    };
    after.insert(to, now);
    after
}
