//! Why a run gives answers that no serial order gives: which reads matter, and
//! where the nearest serial order parts from the run.
//!
//! All of it is found by running requests again ([`player`]): among the others
//! with a read that finds another value ([`effects`]), and one at a time
//! ([`nearest`]). What chooses an explanation may be wrong without harm; what is
//! said is either in the run that the checker has accepted, or has been
//! performed by the compiler's machine on the text.

mod effects;
mod nearest;
mod player;

use std::collections::BTreeMap;

use serval_compile::{Access, Source};
use serval_report::{Causes, Hindrance, NearestOrder, OtherCourse};
use serval_syntax::{GlobalVar, LineIndex, Program};

use crate::simulator::Performance;
use crate::value_names::ValueNames;
use crate::versions::version_of;
use effects::{Effects, ReadPlace};
use nearest::{Departure, Reason};
use player::Player;

/// Operations for explaining one run.
const FUEL: u64 = 3_000_000;

/// What is known of the reads of a run.
pub(crate) struct RunCauses<'a> {
    effects: Effects<'a>,
    departure: Option<Departure>,
    /// For the event of a step and the position of an access in it: which access of which request that is.
    places: BTreeMap<(usize, usize), ReadPlace>,
}

impl<'a> RunCauses<'a> {
    /// Nothing where the run is too long to try things out.
    pub(crate) fn new(run: &'a Performance, source: &'a Source) -> Option<Self> {
        let effects = Effects::new(run, Player::new(source, FUEL))?;
        let departure = nearest::nearest(&effects);
        let mut places = BTreeMap::new();
        let mut done: BTreeMap<u32, usize> = BTreeMap::new();
        for step in &run.steps {
            let first = done.entry(step.id).or_default();
            // Versions are shown by what they stand for, which is no single access.
            let is_version = |access: &Access| version_of(source.program(), access.variable).is_some();
            if !step.accesses.iter().any(is_version) {
                places.extend((0..step.accesses.len()).map(|at| ((step.event, at), (step.id, *first + at))));
            }
            *first += step.accesses.len();
        }
        Some(Self { effects, departure, places })
    }

    /// Where the nearest serial order parts from the run, in the names of the program.
    pub(crate) fn nearest(&self, text: &str, names: &ValueNames) -> Option<NearestOrder> {
        let departure = self.departure.as_ref()?;
        let program = self.effects.player.source.program();
        let Access { variable, value, span, .. } = departure.read;
        // What stands for a version has no name that people know.
        if version_of(program, variable).is_some() {
            return None;
        }
        let (base, _) = self.effects.base.get(&departure.id)?;
        let lines = LineIndex::new(text);
        let (start, end) = (lines.position(text, span.start), lines.position(text, span.end));
        let (event, _) = self.places.iter().find(|(_, place)| **place == (departure.id, departure.at))?.0;
        let body = *self.effects.run.bodies.get(&departure.id)?;
        let told = |value: i64| names.global(variable, value).unwrap_or_else(|| value.to_string());
        let answer = |value: i64| names.answer(body, value).unwrap_or_else(|| value.to_string());
        let hindrance = departure.reason(&self.effects).map(|reason| match reason {
            Reason::NotYet(id) => Hindrance::NotYet(id),
            Reason::Between(id, value) => Hindrance::Between(id, told(value)),
            Reason::Already(id) => Hindrance::Already(id),
            Reason::Overwritten(id, other) => Hindrance::Overwritten(id, other),
        });
        let mut answers: Vec<String> = Vec::new();
        for given in departure.ways.iter().filter_map(|way| way.answer).map(answer) {
            if !answers.contains(&given) {
                answers.push(given);
            }
        }
        Some(NearestOrder {
            before: departure.before.clone(),
            id: departure.id,
            variable: name_of(program, variable),
            span: [start.line, start.column, end.line, end.column],
            event: *event,
            serial: told(value),
            here: told(base.accesses.get(departure.at)?.value),
            answers,
            answered: base.answer.map(answer).unwrap_or_default(),
            leaves: self.leaves(departure, program),
            writes: self.writes(departure, program, names),
            hindrance,
        })
    }

    fn leaves(&self, departure: &Departure, program: &Program) -> Vec<String> {
        let mut leaves: Vec<String> = Vec::new();
        for variable in departure.left_alone(&self.effects) {
            let name = version_of(program, variable).map_or_else(|| name_of(program, variable), |version| version.name.clone());
            if !leaves.contains(&name) {
                leaves.push(name);
            }
        }
        leaves
    }

    fn writes(&self, departure: &Departure, program: &Program, names: &ValueNames) -> Option<(String, String)> {
        let (variable, there, _) =
            departure.other_write(&self.effects).filter(|(variable, _, _)| version_of(program, *variable).is_none())?;
        Some((name_of(program, variable), names.global(variable, there).unwrap_or_else(|| there.to_string())))
    }
}

fn name_of(program: &Program, variable: GlobalVar) -> String {
    program.globals.get(variable.index()).map(|global| global.name.clone()).unwrap_or_default()
}

impl Causes for RunCauses<'_> {
    fn instead(&self, event: usize, access: usize, value: i64, lasts: bool) -> Option<OtherCourse> {
        let place = *self.places.get(&(event, access))?;
        let change = self.effects.decides(place, value, lasts)?;
        Some(OtherCourse { branch: change.path, writes: !change.variables.is_empty() })
    }

    fn flows_back(&self, event: usize, access: usize) -> bool {
        let Some(&(id, at)) = self.places.get(&(event, access)) else { return false };
        let Some((base, _)) = self.effects.base.get(&id) else { return false };
        let variable = base.accesses.get(at).map(|access| access.variable);
        let mut flows = base.flows.iter().filter(|(_, reads)| reads.has(at));
        flows.any(|&(write, _)| base.accesses.get(write).map(|access| access.variable) == variable)
    }

    fn parting(&self) -> Option<(usize, usize)> {
        let departure = self.departure.as_ref()?;
        self.places.iter().find(|(_, place)| **place == (departure.id, departure.at)).map(|(key, _)| *key)
    }
}
