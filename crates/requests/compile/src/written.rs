//! The map between the states of the program as written and those of its components, as data for another checker.
//!
//! It is the map that [`Compiled::check_translation`] checks. A state of a request as written is said in terms of the
//! text: the `yield` after which the request goes on, counted in the order of the text of its body, its local variables
//! and the operands that have a value and wait for others of the same operator. Nothing rests on what stands here: a
//! checker takes it as a hint.

use std::collections::BTreeMap;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use serval_budget::Budget;
use serval_model::{GlobalId, LocalId};

use crate::compiled::Compiled;
use crate::explore::{Closure, Cover, Explored, Marking, OMEGA};
use crate::graph::{NodeId, Operand, Reg};
use crate::lower::{BodyPlaces, lower_with_places};
use crate::machine::Waiting;
use crate::translation::{Map, TranslationError, differs};

/// The map between states, with what it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenMap {
    /// The component of each request body.
    pub components: Vec<usize>,
    /// Where requests are between two steps.
    pub points: Vec<WrittenPoint>,
    /// The local states.
    pub states: Vec<WrittenState>,
    /// The global states: the values of all global variables, and the global state of each component.
    pub globals: Vec<(Vec<i64>, Vec<GlobalId>)>,
    /// The local and the global states that can occur together, by number, without those of requests at their ends.
    pub pairs: Vec<(usize, usize)>,
    /// Why no others occur, where it does not follow from the pairs: for each global state markings, and every
    /// configuration is below one. A marking has local states by number, with how many requests are in them at most;
    /// `None` is any number, as it is for states in which requests come.
    pub markings: Option<Vec<Vec<WrittenMarking>>>,
}

/// How many requests are in local states, by number.
pub type WrittenMarking = Vec<(usize, Option<u32>)>;

/// A place of a request body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenPoint {
    /// The body, by its number in the program.
    pub body: usize,
    /// Where a request of it is.
    pub place: WrittenPlace,
    /// What is known of its state there.
    pub kept: Vec<WrittenValue>,
}

/// Where in a body a request can be between two steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenPlace {
    /// It has not begun.
    Start,
    /// It waits at this `yield`, counted from 0 in the order of the text.
    Yield(usize),
    /// It is at its end; the only value is its answer.
    End,
}

/// A part of the state of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenValue {
    /// The local variable with this number in the body.
    Local(usize),
    /// An operand that waits for others, counted from 0, the outermost first.
    Operand(usize),
    /// The answer.
    Answer,
}

/// A local state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenState {
    /// Its place, as a position in [`WrittenMap::points`].
    pub point: usize,
    /// What is kept there.
    pub values: Vec<i64>,
    /// The local state of the component.
    pub image: LocalId,
}

impl Compiled {
    /// The map between states, after it was checked, with at most `limit` pairs of states as written.
    pub fn map_as_written(&self, limit: u64, budget: &Budget) -> Result<WrittenMap, TranslationError> {
        let (mut space, Explored { mut pairs, closure }) = self.explored_as_written(limit, budget)?;
        let (map, _) = Map::checked(self, &mut space, &pairs, budget)?;
        let markings = match closure {
            Closure::Markings(markings) => Some(markings),
            Closure::Counts { functions, .. } if functions.is_empty() => None,
            // Counts have no place in the map; the exact pass may have one.
            Closure::Counts { .. } => {
                let mut cover = Cover::default();
                let done = cover.run(&mut space, &mut budget.part(limit));
                done.is_ok().then(|| {
                    pairs = cover.pairs;
                    cover.largest
                })
            }
        };
        let (_, places) = lower_with_places(self.program());
        let mut written = Writing { compiled: self, places: &places, points: Vec::new(), numbers: FxHashMap::default() };
        let mut known: FxHashMap<LocalId, usize> = FxHashMap::default();
        let mut states: IndexSet<(usize, Vec<i64>), FxBuildHasher> = IndexSet::default();
        let mut images = Vec::new();
        for local in (0..space.local_count()).map(LocalId::from_index) {
            // Only what occurs has an image.
            let Some((_, image)) = map.known(&space, local) else { continue };
            let state = space.local(local);
            let (point, values) = written.state(state.owner as usize, &state.waiting)?;
            let (number, new) = states.insert_full((point, values));
            if new {
                images.push(image);
            } else if images.get(number) != Some(&image) {
                return differs(format!("two states of body {} differ in their images alone", state.owner));
            }
            known.insert(local, number);
        }
        let (mut globals, mut number_of) = (Vec::new(), vec![None; space.global_count()]);
        for global in (0..space.global_count()).map(GlobalId::from_index) {
            if let Some(images) = map.known_global(global) {
                number_of[global.index()] = Some(globals.len());
                globals.push((space.global(global).to_vec(), images));
            }
        }
        let occurs = |&(local, global): &(LocalId, GlobalId)| {
            let state = known.get(&local).filter(|_| !space.is_finished(local))?;
            Some((*state, number_of[global.index()]?))
        };
        let mut occurring: Vec<(usize, usize)> = pairs.iter().filter_map(occurs).collect();
        occurring.sort_unstable();
        let markings = markings.map(|markings| {
            let number = |&(local, count): &(LocalId, u32)| Some((*known.get(&local)?, (count != OMEGA).then_some(count)));
            let of_global = |list: &[Marking]| list.iter().map(|marking| marking.iter().filter_map(number).collect()).collect();
            let occurring = number_of.iter().enumerate().filter(|(_, number)| number.is_some());
            occurring.map(|(global, _)| markings.get(global).map_or_else(Vec::new, |list| of_global(list))).collect()
        });
        let mut components = vec![0; self.program().requests.len()];
        for (number, component) in self.components().iter().enumerate() {
            for &body in component.bodies() {
                components[body] = number;
            }
        }
        let states = states.into_iter().zip(images).map(|((point, values), image)| WrittenState { point, values, image });
        Ok(WrittenMap { components, points: written.points, states: states.collect(), globals, pairs: occurring, markings })
    }
}

/// The points met so far.
struct Writing<'a> {
    compiled: &'a Compiled,
    places: &'a [BodyPlaces],
    points: Vec<WrittenPoint>,
    numbers: FxHashMap<(usize, Option<NodeId>), usize>,
}

impl Writing<'_> {
    /// The point and the values of a state.
    fn state(&mut self, body: usize, waiting: &Waiting) -> Result<(usize, Vec<i64>), TranslationError> {
        let point = match self.numbers.get(&(body, waiting.node)) {
            Some(&known) => known,
            None => {
                let (place, kept) = self.place(body, waiting.node)?;
                self.points.push(WrittenPoint { body, place, kept });
                self.numbers.insert((body, waiting.node), self.points.len() - 1);
                self.points.len() - 1
            }
        };
        let values = match waiting.node {
            None => waiting.values.iter().take(1).copied().collect(),
            Some(node) => {
                let kept = self.compiled.prepared().source().machine.kept_at(node).iter();
                let by_reg: BTreeMap<Reg, i64> = kept.copied().zip(waiting.values.iter().copied()).collect();
                let regs = self.regs(body, node);
                regs.into_iter().filter_map(|(_, reg)| by_reg.get(&reg).copied()).collect()
            }
        };
        Ok((point, values))
    }

    fn place(&self, body: usize, node: Option<NodeId>) -> Result<(WrittenPlace, Vec<WrittenValue>), TranslationError> {
        let Some(node) = node else { return Ok((WrittenPlace::End, vec![WrittenValue::Answer])) };
        let machine = &self.compiled.prepared().source().machine;
        let kept = self.regs(body, node).into_iter().map(|(value, _)| value).collect();
        if machine.graph.entries[body] == node {
            return Ok((WrittenPlace::Start, kept));
        }
        match self.places[body].resumes.iter().position(|(resume, _)| *resume == node) {
            Some(number) => Ok((WrittenPlace::Yield(number), kept)),
            None => differs(format!("body {body} waits at no `yield` of the text")),
        }
    }

    /// What is kept at a node that the text has a name for, with its register: local variables, then operands.
    fn regs(&self, body: usize, node: NodeId) -> Vec<(WrittenValue, Reg)> {
        let kept = self.compiled.prepared().source().machine.kept_at(node);
        let BodyPlaces { resumes, locals } = &self.places[body];
        let waiting = resumes.iter().find(|(resume, _)| *resume == node).map_or(&[][..], |(_, waiting)| waiting);
        let locals = locals.iter().enumerate().map(|(number, &reg)| (WrittenValue::Local(number), reg));
        let operand = |(number, operand): (usize, &Operand)| Some((WrittenValue::Operand(number), operand.reg()?));
        let operands = waiting.iter().enumerate().filter_map(operand);
        locals.chain(operands).filter(|(_, reg)| kept.contains(reg)).collect()
    }
}
