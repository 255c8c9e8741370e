//! Checks a compilation: the compiled systems against the program as written, step by step.
//!
//! The *program as written* is the control graph as it was lowered, before anything was simplified, merged or split: a
//! state of a request is its body, the node where it goes on, all its local variables and the operands that wait for
//! others; a global state has all global variables. [`Compiled::check_translation`] explores the pairs of local and
//! global states of the program as written that can occur, for any number of requests, and checks the map `h` from its
//! states to those of the compiled components. `h` sends a local state `l` of a body to the state at the image of its
//! node with the registers that are kept there, and a global state `g`, for each component `c`, to the values `h_c(g)`
//! of the variables of `c`. Checked is:
//!
//! 1. the starts of each request name in `c` are the images of the starts of its bodies, and `h_c` of the initial
//!    global state is that of `c`;
//! 2. a finished state gives the answer that its image gives, and no other state gives one;
//! 3. for every pair `(l, g)` that can occur, `l` of a body in `c`: the images of its steps `(l', g')` are exactly the
//!    steps of `c` from `(h(l), h_c(g))`;
//! 4. and such a step changes no variable of another component: `h_d(g') = h_d(g)` for `d ≠ c`.
//!
//! **Claim.** Then both have the same interleaved and the same serial completed multisets. A configuration of the
//! program as written has as its image one configuration of each component: the images of its requests, each in the
//! component of its body, and of its global state. By 1, 3 and 4 every run of the program as written gives, step by
//! step, a run of each component. Backwards, let runs of the components be given, in any order between them. By
//! induction the configuration so far is the image of one of the program as written, whose pairs can occur; by 3 the
//! next step of component `c` is the image of a step there, which by 4 leaves the other components' images as they are.
//! Answers agree by 2. Serial runs have at most one request in flight on either side. So the map is a functional
//! bisimulation, and what is proved or refuted of the components holds of the program as written.
//!
//! **The order in time** is kept as well: spawns, steps and answers of the two sides correspond one to one, in the same
//! order and by the same requests, so a request has answered before another one comes on one side iff it has on the
//! other, and serial runs have the same requests in the same order. The components are strict iff the program as
//! written is (locality: Herlihy and Wing 1990; a request is in one component).
//!
//! This is translation validation (Pnueli, Siegel and Singerman 1998). It takes lowering, the execution of single steps
//! and the set of pairs that can occur (`explore`) for granted; the naive interpreter of the tests checks those. What
//! it makes unnecessary to believe is `simplify`, `intervals`, `liveness`, `merge` and `split`.

use std::fmt;
use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use serval_budget::{Budget, Stopped};
use serval_diagnostic::counted;
use serval_model::{GlobalId, LocalId, RequestId};

use crate::compiled::{Compiled, Component};
use crate::explore::{Explored, Failure, Pairs, explore};
use crate::space::{LocalState, Space};

/// The size of a map that was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Translation {
    /// Local states of the program as written.
    pub locals: usize,
    /// Its global states.
    pub globals: usize,
    /// Its steps.
    pub steps: usize,
}

/// Why a compilation was not found to be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TranslationError {
    /// The program as written has too many states, or it could not be found out whether a step of it that fails occurs.
    TooLarge,
    /// The budget ended.
    Stopped(Stopped),
    /// The compilation is wrong: a bug. The text says what differs.
    Differs(String),
}

impl fmt::Display for Translation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { locals, globals, steps } = self;
        write!(
            f,
            "{} between {locals} local and {} of the program as written, in the same order in time",
            counted(steps, "step"),
            counted(globals, "global state")
        )
    }
}

impl Compiled {
    /// Checks the map from the program as written, explored with at most `limit` pairs of states.
    pub fn check_translation(&self, limit: u64, budget: &Budget) -> Result<Translation, TranslationError> {
        let (mut space, explored) = self.explored_as_written(limit, budget)?;
        Map::checked(self, &mut space, &explored.pairs, budget).map(|(_, translation)| translation)
    }

    /// The states of the program as written, and the pairs of them that can occur.
    pub(crate) fn explored_as_written(&self, limit: u64, budget: &Budget) -> Result<(Space, Explored), TranslationError> {
        let mut space = self.space_as_written();
        match explore(&mut space, limit, budget) {
            Ok(explored) => Ok((space, explored)),
            Err(Failure::TooLarge { .. } | Failure::FaultWithoutRun { certain: false, .. }) => Err(TranslationError::TooLarge),
            Err(Failure::Stopped(stopped)) => Err(TranslationError::Stopped(stopped)),
            Err(Failure::Fault { fault, .. } | Failure::FaultWithoutRun { fault, .. }) => {
                differs(format!("the program as written fails ({:?}), the compiled one does not", fault.kind))
            }
        }
    }

    /// The program as written; the owner of a local state is its body.
    fn space_as_written(&self) -> Space {
        let (program, machine) = (self.program(), &self.prepared().source().machine);
        let initial = program.globals.iter().map(|global| global.initial).collect();
        let mut space = Space::new(Arc::clone(machine), initial);
        let mut names: IndexSet<&str, FxBuildHasher> = IndexSet::default();
        for (body, request) in program.requests.iter().enumerate() {
            let id = RequestId::from_index(names.insert_full(&request.name).0);
            let owner = u32::try_from(body).unwrap_or(u32::MAX);
            let waiting = machine.entry(machine.graph.entries[body]);
            space.add_start(id, LocalState { owner, waiting }, request.name_span);
        }
        space
    }
}

/// The images of the states of the program as written.
pub(crate) struct Map<'a> {
    compiled: &'a Compiled,
    /// The component of each body.
    component_of: Vec<usize>,
    /// The compiled states by what they are, per component.
    locals: Vec<FxHashMap<&'a LocalState, LocalId>>,
    globals: Vec<FxHashMap<&'a [i64], GlobalId>>,
    /// The images found so far.
    local_images: FxHashMap<LocalId, LocalId>,
    /// By component and global state as written.
    global_images: FxHashMap<(usize, GlobalId), GlobalId>,
}

pub(crate) fn differs<T>(what: String) -> Result<T, TranslationError> {
    Err(TranslationError::Differs(what))
}

impl<'a> Map<'a> {
    /// The map, after it was checked.
    pub(crate) fn checked(
        compiled: &'a Compiled,
        space: &mut Space,
        pairs: &Pairs,
        budget: &Budget,
    ) -> Result<(Self, Translation), TranslationError> {
        let mut map = Self::new(compiled)?;
        map.check_starts(space)?;
        let translation = map.check_steps(space, pairs, budget)?;
        Ok((map, translation))
    }

    fn new(compiled: &'a Compiled) -> Result<Self, TranslationError> {
        let components = compiled.components();
        let mut component_of = vec![None; compiled.program().requests.len()];
        for (index, component) in components.iter().enumerate() {
            for &body in component.bodies() {
                if component_of[body].replace(index).is_some() {
                    return differs(format!("the request body {body} is in two components"));
                }
            }
        }
        let component_of = component_of.into_iter().collect::<Option<_>>();
        let Some(component_of) = component_of else { return differs("a request body is in no component".to_owned()) };
        let locals = |component: &'a Component| component.local_states().iter().zip(component.system().locals()).collect();
        let globals = |component: &'a Component| component.system().globals().map(|id| (component.global_values(id), id)).collect();
        Ok(Self {
            compiled,
            component_of,
            locals: components.iter().map(locals).collect(),
            globals: components.iter().map(globals).collect(),
            local_images: FxHashMap::default(),
            global_images: FxHashMap::default(),
        })
    }

    fn component(&self, index: usize) -> &'a Component {
        &self.compiled.components()[index]
    }

    /// The component and the image of a local state.
    pub(crate) fn local(&mut self, space: &Space, id: LocalId) -> Result<(usize, LocalId), TranslationError> {
        let state = space.local(id);
        let body = state.owner as usize;
        let component = self.component_of[body];
        if let Some(&known) = self.local_images.get(&id) {
            return Ok((component, known));
        }
        let image = self.compiled.prepared().image_of(body, &state.waiting);
        let found = image.as_ref().and_then(|image| self.locals[component].get(image));
        let Some(&found) = found else { return differs(format!("a state of body {body} has no image: {state:?}")) };
        self.local_images.insert(id, found);
        let answer = space.answer(id).map(|answer| answer.to_string());
        let system = self.component(component).system();
        let given: Vec<&str> = system.answers_of(found).iter().map(|&(_, response)| system.response_name(response)).collect();
        if given != answer.as_deref().into_iter().collect::<Vec<_>>() {
            return differs(format!("a state of body {body} answers {answer:?}, its image {given:?}"));
        }
        Ok((component, found))
    }

    /// The same of a state whose image was looked for before.
    pub(crate) fn known(&self, space: &Space, id: LocalId) -> Option<(usize, LocalId)> {
        let component = *self.component_of.get(space.local(id).owner as usize)?;
        Some((component, *self.local_images.get(&id)?))
    }

    /// The image of a global state in a component.
    fn global(&mut self, space: &Space, component: usize, id: GlobalId) -> Result<GlobalId, TranslationError> {
        if let Some(&known) = self.global_images.get(&(component, id)) {
            return Ok(known);
        }
        let (values, variables) = (space.global(id), self.component(component).globals());
        let kept: Vec<i64> = variables.iter().map(|variable| values[variable.index()]).collect();
        let Some(&found) = self.globals[component].get(kept.as_slice()) else {
            return differs(format!("the global state {values:?} has no image in component {component}"));
        };
        self.global_images.insert((component, id), found);
        Ok(found)
    }

    /// The images of a global state in all components, if they were looked for before.
    pub(crate) fn known_global(&self, id: GlobalId) -> Option<Vec<GlobalId>> {
        (0..self.locals.len()).map(|component| self.global_images.get(&(component, id)).copied()).collect()
    }

    fn check_starts(&mut self, space: &Space) -> Result<(), TranslationError> {
        let mut images: Vec<Vec<(String, LocalId)>> = vec![Vec::new(); self.locals.len()];
        for &(_, local) in space.starts() {
            let (component, image) = self.local(space, local)?;
            let body = space.local(local).owner as usize;
            images[component].push((self.compiled.program().requests[body].name.clone(), image));
        }
        for (index, mut images) in images.into_iter().enumerate() {
            let system = self.component(index).system();
            let named = |&(request, local): &(RequestId, LocalId)| (system.request_name(request).to_owned(), local);
            let mut starts: Vec<(String, LocalId)> = system.starts().iter().map(named).collect();
            starts.sort();
            images.sort();
            images.dedup();
            if starts != images {
                return differs(format!("component {index} starts in {starts:?}, the images of the starts are {images:?}"));
            }
            if self.global(space, index, space.initial_global())? != system.initial_global() {
                return differs(format!("component {index} has another initial global state"));
            }
        }
        Ok(())
    }

    fn check_steps(&mut self, space: &mut Space, pairs: &Pairs, budget: &Budget) -> Result<Translation, TranslationError> {
        let mut steps = 0;
        let mut budget = budget.part(u64::MAX);
        for &(local, global) in pairs {
            budget.spend(1).map_err(TranslationError::Stopped)?;
            let (component, from) = self.local(space, local)?;
            let at = self.global(space, component, global)?;
            let mut images = Vec::new();
            for index in space.moves(local, global) {
                let step = space.moves[index];
                steps += 1;
                let (_, to) = self.local(space, step.local)?;
                images.push((to, self.global(space, component, step.global)?));
                if step.global != global {
                    self.check_others(space, component, global, step.global)?;
                }
            }
            images.sort_unstable();
            images.dedup();
            let system = self.component(component).system();
            let mut own: Vec<_> = system.steps_from(from, at).iter().map(|step| (step.to_local, step.to_global)).collect();
            own.sort_unstable();
            if own != images {
                let (from, at) = (system.local_name(from), system.global_name(at));
                return differs(format!(
                    "from ({from}, {at}) component {component} has the steps {own:?}, the program as written {images:?}"
                ));
            }
        }
        let locals: FxHashSet<LocalId> = pairs.iter().map(|pair| pair.0).collect();
        let globals: FxHashSet<GlobalId> = pairs.iter().map(|pair| pair.1).collect();
        Ok(Translation { locals: locals.len(), globals: globals.len(), steps })
    }

    fn check_others(&mut self, space: &Space, component: usize, before: GlobalId, after: GlobalId) -> Result<(), TranslationError> {
        for other in (0..self.locals.len()).filter(|&other| other != component) {
            if self.global(space, other, before)? != self.global(space, other, after)? {
                return differs(format!("a step of component {component} changes what component {other} sees"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctored::{rebuilt, same};
    use crate::{Options, compile};
    use serval_model::{NetworkSystem, Step};

    const TWO_PARTS: &str = "
        request a { x := X; yield; X := 1 - x; x }
        request b { if (Y) { return 2 }; yield; Y := 1; Y }";

    fn compiled() -> Compiled {
        let program = serval_syntax::analyze(TWO_PARTS).program.unwrap();
        compile(&program, Options::default(), &Budget::unlimited()).unwrap()
    }

    fn result(compiled: &Compiled) -> Result<Translation, TranslationError> {
        compiled.check_translation(10_000, &Budget::unlimited())
    }

    #[test]
    fn a_right_compilation_is_accepted() {
        let compiled = compiled();
        assert_eq!(compiled.components().len(), 2);
        let translation = result(&compiled).unwrap();
        assert!(translation.steps >= 6, "{translation}");
        assert_eq!(compiled.check_translation(1, &Budget::unlimited()), Err(TranslationError::TooLarge));
    }

    fn refused(compiled: &Compiled, why: &str) {
        match result(compiled) {
            Err(TranslationError::Differs(message)) => assert!(message.contains(why), "{message}"),
            other => panic!("{why}: {other:?}"),
        }
    }

    #[test]
    fn every_missing_added_or_bent_step_is_found() {
        let right = compiled();
        for component in 0..2 {
            let old = right.components()[component].system().clone();
            let initial = old.initial_global();
            let with = |steps: &[Step]| {
                let mut wrong = compiled();
                wrong.replace_system(component, rebuilt(&old, initial, steps, same, |_| true));
                wrong
            };
            assert!(result(&with(old.steps())).is_ok());
            for position in 0..old.steps().len() {
                let mut steps = old.steps().to_vec();
                let taken = steps.remove(position);
                refused(&with(&steps), "has the steps");
                for to_global in old.globals().filter(|&other| other != taken.to_global) {
                    let bent = Step { to_global, ..taken };
                    if !old.steps().contains(&bent) {
                        let mut steps = steps.clone();
                        steps.push(bent);
                        refused(&with(&steps), "has the steps");
                        steps.push(taken);
                        refused(&with(&steps), "has the steps");
                    }
                }
            }
        }
    }

    #[test]
    fn other_answers_starts_and_initial_states_are_found() {
        let old = compiled().components()[0].system().clone();
        let initial = old.initial_global();
        let with = |system: NetworkSystem| {
            let mut wrong = compiled();
            wrong.replace_system(0, system);
            wrong
        };
        let (first, _) = old.answers()[0];
        let other = |local: LocalId, name: &str| Some(if local == first { "7".to_owned() } else { name.to_owned() });
        refused(&with(rebuilt(&old, initial, old.steps(), other, |_| true)), "answers");
        let none = |local: LocalId, name: &str| (local != first).then(|| name.to_owned());
        refused(&with(rebuilt(&old, initial, old.steps(), none, |_| true)), "answers");
        refused(&with(rebuilt(&old, initial, old.steps(), same, |_| false)), "starts in");
        let another = old.globals().find(|&id| id != initial).unwrap();
        refused(&with(rebuilt(&old, another, old.steps(), same, |_| true)), "initial");
    }

    #[test]
    fn a_body_in_the_wrong_component_is_found() {
        let mut wrong = compiled();
        wrong.move_body(1, 0);
        assert!(matches!(result(&wrong), Err(TranslationError::Differs(_))));
    }
}
