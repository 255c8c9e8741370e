//! Counter abstraction (Pnueli, Xu, Zuck 2002): a state of some threads, and how many further copies of each `thread*`
//! there are where. `serval_tso_proof::any` says what these configurations mean.
//!
//! They are searched from ω copies at the beginning, with numbers up to a small bound, beyond which they count as ω.
//! That may find what there is not, and misses nothing.
//!
//! With the bound 0 every place that some copy comes to has ω copies from the beginning on, so that all configurations
//! have the same places: there are as many as there are states of the core, where registers of many values would make
//! far too many sets of places otherwise.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serval_budget::Budget;
use serval_states::StateSet;
use serval_tso_program::{Program, ThreadId};
use serval_tso_proof::Configuration;

use crate::live::ProgramAnalysis;
use crate::machine::Machine;
use crate::search::{Ended, Successors, System};

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

/// What is searched: the machine of the core, and that of the core and one copy of each `thread*`, with the systems of
/// both.
pub(crate) struct Counted<'m, 'p, S> {
    pub(crate) program: &'m Program,
    pub(crate) core: &'m Machine<'p>,
    pub(crate) system: S,
    pub(crate) joint: Vec<(&'m Machine<'p>, S)>,
    /// Whether the system has a number for each thread behind all others: whether it is a helper.
    pub(crate) helpers: bool,
}

/// What is known of a program in which nothing is urgent, with these live registers.
pub(crate) fn nothing_urgent(program: &Program, live: Vec<Vec<u64>>) -> ProgramAnalysis {
    let mut analysis = ProgramAnalysis::new(program, &program.questions);
    analysis.seen.iter_mut().for_each(|seen| seen.points.iter_mut().for_each(|seen| *seen = true));
    ProgramAnalysis { live, ..analysis }
}

/// The live registers of the threads that are one each, and of these copies behind them.
pub(crate) fn live_of(program: &Program, live: &[Vec<u64>], copies: &[ThreadId]) -> Vec<Vec<u64>> {
    let fixed = program.threads.iter().zip(live).filter(|(thread, _)| !thread.many).map(|(_, sets)| sets.clone());
    fixed.chain(copies.iter().map(|id| live[id.index()].clone())).collect()
}

/// Places of copies: rows that begin with the number of a `thread*`.
#[derive(Default)]
struct Places {
    rows: StateSet<i64>,
    row: Vec<i64>,
}

impl Places {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn insert(&mut self, kind: u32, local: &[i64]) {
        self.row.clear();
        self.row.push(kind.into());
        self.row.extend_from_slice(local);
        self.rows.insert(&self.row);
    }

    /// The number of the `thread*`, and the point and the registers of the copy.
    fn read(&mut self, number: usize, local: &mut Vec<i64>) -> u32 {
        self.rows.read(number, &mut self.row);
        local.clear();
        local.extend_from_slice(self.row.get(1..).unwrap_or_default());
        self.row.first().and_then(|kind| u32::try_from(*kind).ok()).unwrap_or(u32::MAX)
    }

    fn ascending(self) -> Vec<(u32, Vec<i64>)> {
        let parted = |row: Vec<i64>| (u32::try_from(row[0]).unwrap_or(u32::MAX), row[1..].to_vec());
        self.rows.ascending().iter().map(parted).collect()
    }
}

/// Numbers of all configurations together, beyond which there are too many.
const NUMBERS: usize = 20_000_000;

impl<S: System> Counted<'_, '_, S> {
    /// Where copies begin.
    fn beginning(&self) -> Vec<(u32, Vec<i64>)> {
        let length = |kind: &ThreadId| self.program.threads[kind.index()].registers.len() + 1 + usize::from(self.helpers);
        self.program.many().iter().map(|kind| (kind.0, vec![0; length(kind)])).collect()
    }

    /// What a copy at a place makes of the core and of its place; nothing where a step faults.
    fn of_copy(&mut self, core: &[i64], local: &[i64], kind: usize) -> Option<Vec<(Vec<i64>, Vec<i64>)>> {
        let both = self.joined(core, local);
        let (machine, system) = &mut self.joint[kind];
        let mut after = Successors::default();
        // Steps of the threads of the core are made elsewhere; a fault is one there too, or of the copy.
        system.successors(&both, &mut after).ok()?;
        let (machine, slot) = (*machine, machine.count() - 1);
        let of_copy = after.iter_mut().filter(|(label, _)| label.thread == slot);
        Some(of_copy.map(|(_, both)| self.parted(machine, both)).collect())
    }

    /// Searches all configurations with ω copies wherever a copy comes.
    fn together(&mut self, most: usize, budget: &mut Budget, visit: &mut dyn FnMut(&[i64]) -> bool) -> Searched {
        let many = self.program.many();
        let (mut cores, mut places) = (StateSet::default(), Places::default());
        cores.insert(&self.system.initial());
        self.beginning().iter().for_each(|(kind, local)| places.insert(*kind, local));
        let length = self.beginning().first().map_or(1, |place| place.1.len());
        let (mut core, mut local, mut after) = (Vec::new(), Vec::new(), Successors::default());
        // How many of the cores have met how many of the places.
        let (mut known_cores, mut known_places) = (0, 0);
        while (known_cores, known_places) != (cores.len(), places.len()) {
            let (now_cores, now_places) = (cores.len(), places.len());
            for number in 0..now_cores {
                cores.read(number, &mut core);
                if number >= known_cores {
                    if visit(&core) || self.system.successors(&core, &mut after).is_err() {
                        return Searched::Perhaps;
                    }
                    after.iter_mut().for_each(|(_, core)| _ = cores.insert(core));
                    after.clear();
                }
                for place in if number < known_cores { known_places } else { 0 }..now_places {
                    let of = places.read(place, &mut local);
                    let Some(kind) = many.iter().position(|kind| kind.0 == of) else { continue };
                    if let Err(stopped) = budget.spend(1) {
                        return Searched::Ended(Ended::Stopped(stopped));
                    }
                    let Some(after) = self.of_copy(&core, &local, kind) else { return Searched::Perhaps };
                    for (core, local) in after {
                        cores.insert(&core);
                        places.insert(of, &local);
                    }
                }
                let numbers = cores.len().saturating_mul(places.len()).saturating_mul(length);
                if cores.len() > most || numbers > NUMBERS {
                    return Searched::Ended(Ended::TooMany);
                }
            }
            (known_cores, known_places) = (now_cores, now_places);
        }
        let copies: Vec<_> = places.ascending().into_iter().map(|(kind, local)| (kind, local, None)).collect();
        Searched::All(cores.ascending().iter().map(|core| Configuration { core, copies: copies.clone() }).collect())
    }

    /// Searches all configurations, with numbers up to the bound; `visit` sees each core, and ends the search where it
    /// says so.
    pub(crate) fn search(&mut self, bound: u64, most: usize, budget: &mut Budget, visit: &mut dyn FnMut(&[i64]) -> bool) -> Searched {
        if bound == 0 {
            return self.together(most, budget, visit);
        }
        let many = self.program.many();
        let beginning: Copies = self.beginning().into_iter().map(|at| (at, None)).collect();
        let mut members: BTreeMap<Vec<i64>, BTreeSet<Copies>> = BTreeMap::new();
        let mut open = VecDeque::from([(self.system.initial(), beginning)]);
        let (mut count, mut after) = (0, Successors::default());
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
            open.extend(after.iter_mut().map(|(_, core)| (std::mem::take(core), copies.clone())));
            after.clear();
            for at in copies.keys() {
                let Some(kind) = many.iter().position(|kind| kind.0 == at.0) else { continue };
                let Some(after) = self.of_copy(&core, &at.1, kind) else { return Searched::Perhaps };
                open.extend(after.into_iter().map(|(core, local)| (core, moved(&copies, at, (at.0, local), bound))));
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
        let (local, helper) = copy.split_at(copy.len() - usize::from(self.helpers));
        let (threads, rest) = self.core.layout.at_memory(core);
        [threads, local, rest, helper].concat()
    }

    /// The numbers of the core, and the copy behind its threads.
    fn parted(&self, joint: &Machine<'_>, both: &[i64]) -> (Vec<i64>, Vec<i64>) {
        let (both, helper) = both.split_at(both.len() - usize::from(self.helpers));
        let (all, rest) = joint.layout.at_memory(both);
        let (threads, local) = self.core.layout.at_memory(all);
        ([threads, rest].concat(), [local, helper].concat())
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
            after.insert(from.clone(), Some(count.saturating_sub(1)));
        }
    }
    let now = match after.get(&to) {
        Some(None) => None,
        Some(Some(count)) => Some(count.saturating_add(1)).filter(|count| *count <= bound),
        None => Some(1),
    };
    after.insert(to, now);
    after
}
