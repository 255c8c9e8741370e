//! A program as points and paths, with the effect of each path on each global.
//!
//! # Transformations
//!
//! From the program `P` as executed another one `P'` is made with `Int(P) ⊆ Int(P')` and `Ser(P') ⊆ Ser(P)`. If `P'` is
//! serializable then so is `P`: `Int(P) ⊆ Int(P') ⊆ Ser(P') ⊆ Ser(P)`.
//!
//! * **T1, extra yields.** A `yield` may be added anywhere: more interleavings, the same serial runs, because in a
//!   serial run no other request comes in between. The certificate says where; execution puts them in.
//! * **T2, no-ops.**
//!   - A path from a point to itself that changes no global and no register that is kept does nothing. Leaving it out
//!     of a run leaves a run with the same answers, interleaved or serial. So `await (c)` with a `yield` in front is
//!     `yield; assume c`.
//!   - Likewise a path without updates from `a` to `b` that leaves the registers kept at `b` as they are is a detour,
//!     if for every path and every obligation from `b` there is one from `a` that is the same. A request at `b` in a
//!     run with the detour is at `a` in the run without; all else is equal, and so are errors.
//!   - A write of the only value that a global can have, by the test on the way and its range, is no write; that the
//!     range is right is checked on the paths without such writes, which do the same wherever it is.
//!   - A register of which neither a path from a point nor an obligation there speaks need not be kept at it: requests
//!     that differ in it alone make the same steps.
//! * **T3, dominated paths.** A path with the same ends, updates, registers and answer as another one whose conditions
//!   are weaker is never needed: wherever it can be taken, so can the other one.
//! * **T4, endless paths.** In a complete run no request takes a path to a point from which no path leads to the end.
//!   Those paths are kept for what holds at every moment, because errors count in runs that never end, too; they are
//!   left out where complete runs alone matter ([`Model::completes`]).
//! * **T5, validated reads**: see [`crate::validated`]. **T6, late looks**: see [`crate::late`].
//! * **T7, attempts in several steps**: see [`crate::attempts`]. **T8, additions under a lock**: see
//!   [`crate::additions`].
//!
//! # Effects
//!
//! What a path does to a global `V` is its [`Effect`]. It *reads* `V` if the value of `V` matters for something else
//! than its own next value and a test of `V` alone: in tests of several symbols, in registers, in the answer, in the
//! value of another global.

use rustc_hash::FxHashMap;
use serval_budget::Budget;
use serval_compile::control::{Control, Reg};
use serval_syntax::GlobalVar;

use crate::domain::Domain;
use crate::execute::{Executed, Halt, execute};
use crate::kept::KeptSum;
use crate::path::{Conditions, Obligation, Path, PathId, Point, PointId, Value};
use crate::term::{Opaques, Symbol, Term};

/// Paths with the same ends and results that are compared with one another.
const MAX_ALIKE: usize = 64;
/// So often are paths and registers left out before it is enough.
const MAX_ROUNDS: usize = 8;

/// What a path does to a global.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Nothing.
    Keep,
    /// It becomes this number.
    Constant(i128),
    /// This number is added.
    Add(i128),
    /// It becomes a function of itself.
    Function(Term),
    /// Something is added that depends on no global.
    AddTerm,
    /// The same, and the sum is turned: its remainder by the second number, plus the first one.
    Turn(i128, i128),
    /// It becomes anything.
    Opaque,
}

/// How a path touches a global.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Touch {
    /// What it does to it.
    pub effect: Effect,
    /// Whether it reads it.
    pub reads: bool,
}

/// A program as points and paths.
pub struct Model {
    /// The points, by number; the first is the end.
    pub points: Vec<Point>,
    /// The entry of each request body.
    pub entries: Vec<PointId>,
    /// The registers of each request body that are parameters, with the least and the greatest value.
    pub params: Vec<Vec<(Reg, i64, i64)>>,
    /// The paths, after the transformations.
    pub paths: Vec<Path>,
    /// What must hold so that nothing is an error.
    pub obligations: Vec<Obligation>,
    /// The opaque symbols.
    pub opaques: Opaques,
    /// The initial values of the globals.
    pub initial: Vec<i64>,
    /// The declared ranges of the globals.
    pub declared: Vec<Option<(i64, i64)>>,
    /// The paths from each point.
    pub leaving: Vec<Vec<PathId>>,
    /// The paths to each point.
    pub entering: Vec<Vec<PathId>>,
    /// The paths that change each global.
    pub writers: Vec<Vec<PathId>>,
    /// The paths that touch each global.
    pub touching: Vec<Vec<PathId>>,
    /// Per path the globals that it touches, ascending.
    touches: Vec<Vec<(GlobalVar, Touch)>>,
    completes: Vec<bool>,
    begins: Vec<bool>,
    /// Sums that never change.
    pub(crate) sums: Vec<KeptSum>,
    /// Which globals some step reads or writes before anything is left out.
    pub used: Vec<bool>,
    /// Registers that were read before they are tested, with the global and the test on the way.
    pub(crate) read_before: Vec<(PointId, Reg, (GlobalVar, Domain))>,
    /// Points with a no-op, which were there before it was left out.
    pub waiting: Vec<PointId>,
    /// What locks are set to by requests that take them only in order to add something ([`crate::additions`]).
    pub taken: Vec<(GlobalVar, i128)>,
}

impl Model {
    /// Executes a program and transforms it.
    pub fn new(control: &Control<'_>, yields: &[u32], ranges: Option<&[Domain]>, budget: &mut Budget) -> Result<Self, Halt> {
        let executed = execute(control, yields, ranges, budget)?;
        Ok(Self::from_executed(executed, control))
    }

    fn from_executed(executed: Executed, control: &Control<'_>) -> Self {
        let program = control.program();
        let Executed { points, entries, paths, obligations, opaques, used } = executed;
        let mut model = Self {
            points,
            entries,
            params: control.params().to_vec(),
            paths,
            obligations,
            opaques,
            initial: program.globals.iter().map(|global| global.initial).collect(),
            declared: program.globals.iter().map(|global| global.range).collect(),
            leaving: Vec::new(),
            entering: Vec::new(),
            writers: Vec::new(),
            touching: Vec::new(),
            touches: Vec::new(),
            completes: Vec::new(),
            begins: Vec::new(),
            sums: Vec::new(),
            used: (0..).map(GlobalVar).take(program.globals.len()).map(|global| used.contains(&global)).collect(),
            read_before: Vec::new(),
            waiting: Vec::new(),
            taken: Vec::new(),
        };
        model.tidy();
        model
    }

    /// Leaves out writes of what is there already, given between which numbers globals stay; then more paths are
    /// no-ops.
    pub fn narrow(&mut self, ranges: &[Domain]) {
        if !self.would_narrow(ranges) {
            return;
        }
        for path in &mut self.paths {
            let conditions = &path.conditions;
            path.updates.retain(|(global, value)| !is_there(conditions, *global, value, ranges));
        }
        self.tidy();
    }

    /// Whether some path writes what is there already.
    pub fn would_narrow(&self, ranges: &[Domain]) -> bool {
        let there = |path: &Path| path.updates.iter().any(|(global, value)| is_there(&path.conditions, *global, value, ranges));
        self.paths.iter().any(there)
    }

    /// Leaves out no-ops, dominated paths and registers that no path reads, and finds anew what follows from the paths.
    pub(crate) fn tidy(&mut self) {
        for _ in 0..MAX_ROUNDS {
            let mut paths = std::mem::take(&mut self.paths);
            paths.retain(|path| {
                let idle = is_idle(path);
                if idle {
                    self.waiting.push(path.from);
                }
                !idle
            });
            self.paths = without_dominated(paths);
            if !(self.leave_out_detours() | self.forget()) {
                break;
            }
        }
        self.waiting.sort_unstable();
        self.waiting.dedup();
        self.index();
    }

    /// Leaves out paths to points at which nothing can be done that could not be done before. Whether there was one.
    fn leave_out_detours(&mut self) -> bool {
        let idle = |path: &Path| path.updates.is_empty() && path.to != PointId::END && path.from != path.to;
        if !self.paths.iter().any(idle) {
            return false;
        }
        let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); self.points.len()];
        for (index, path) in self.paths.iter().enumerate() {
            leaving[path.from.index()].push(index);
        }
        let mut asked: Vec<Vec<usize>> = vec![Vec::new(); self.points.len()];
        for (index, obligation) in self.obligations.iter().enumerate() {
            asked[obligation.from.index()].push(index);
        }
        let mut gone = vec![false; self.paths.len()];
        for index in 0..self.paths.len() {
            let path = &self.paths[index];
            let (here, there) = (&leaving[path.from.index()], &leaving[path.to.index()]);
            if !idle(path) || here.len() > MAX_ALIKE || there.len() > MAX_ALIKE || !self.keeps(path) {
                continue;
            }
            let others = || here.iter().filter(|&&other| other != index && !gone[other]);
            let paths =
                there.iter().filter(|&&one| !gone[one]).all(|&one| others().any(|&other| self.paths[one].does_as(&self.paths[other])));
            let same = |one: &Obligation, other: &Obligation| (&one.conditions, &one.need) == (&other.conditions, &other.need);
            let needs = asked[path.to.index()]
                .iter()
                .all(|&one| asked[path.from.index()].iter().any(|&other| same(&self.obligations[one], &self.obligations[other])));
            gone[index] = paths && needs;
            if gone[index] {
                self.waiting.push(path.to);
            }
        }
        let mut index = 0;
        self.paths.retain(|_| (index += 1, !gone[index - 1]).1);
        gone.contains(&true)
    }

    /// Whether a path leaves all registers that are kept at its end as they are.
    fn keeps(&self, path: &Path) -> bool {
        self.leaves(path, path.to, path.from, path.to)
    }

    /// Keeps no register at a point from which no path and no obligation speaks of it. Whether there was one.
    fn forget(&mut self) -> bool {
        let mut read: Vec<Vec<Reg>> = vec![Vec::new(); self.points.len()];
        for path in &self.paths {
            let read = &mut read[path.from.index()];
            let terms =
                path.updates.iter().map(|update| &update.1.term).chain(path.kept.iter().map(|kept| &kept.1.term)).chain(&path.answer);
            terms.for_each(|term| self.opaques.locals_in(&term.parts, read));
            path.conditions.0.iter().for_each(|(form, _)| self.opaques.locals_in(form, read));
        }
        for obligation in &self.obligations {
            let read = &mut read[obligation.from.index()];
            obligation.conditions.0.iter().for_each(|(form, _)| self.opaques.locals_in(form, read));
            obligation.need.terms().for_each(|term| self.opaques.locals_in(&term.parts, read));
        }
        let mut found = false;
        for (point, read) in self.points.iter_mut().zip(&mut read) {
            read.sort_unstable();
            let constants = &point.constants;
            let constant = |reg: &Reg| constants.binary_search_by_key(reg, |constant| constant.0).is_ok();
            let before = point.live.len();
            point.live.retain(|reg| constant(reg) || read.binary_search(reg).is_ok());
            found |= point.live.len() < before;
        }
        for path in &mut self.paths {
            let live = &self.points[path.to.index()].live;
            path.kept.retain(|(reg, _)| live.binary_search(reg).is_ok());
        }
        found
    }

    /// Finds who touches what, and which points lead to the end.
    fn index(&mut self) {
        let (points, globals) = (self.points.len(), self.initial.len());
        self.leaving = vec![Vec::new(); points];
        self.entering = vec![Vec::new(); points];
        self.writers = vec![Vec::new(); globals];
        self.touching = vec![Vec::new(); globals];
        self.touches = Vec::with_capacity(self.paths.len());
        for (index, path) in self.paths.iter().enumerate() {
            // There are fewer paths than `MAX_PATHS` of execution.
            let id = PathId(u32::try_from(index).unwrap_or(u32::MAX));
            self.leaving[path.from.index()].push(id);
            self.entering[path.to.index()].push(id);
            let touches = touches(&self.opaques, path);
            for (global, touch) in &touches {
                self.touching[global.index()].push(id);
                if touch.effect != Effect::Keep {
                    self.writers[global.index()].push(id);
                }
            }
            self.touches.push(touches);
        }
        self.begins = vec![false; points];
        for entry in &self.entries {
            self.begins[entry.index()] = true;
        }
        self.completes = vec![false; points];
        let mut list = vec![PointId::END];
        while let Some(point) = list.pop() {
            if !std::mem::replace(&mut self.completes[point.index()], true) {
                list.extend(self.entering[point.index()].iter().map(|&id| self.paths[id.index()].from));
            }
        }
    }

    /// A path.
    pub fn path(&self, id: PathId) -> &Path {
        &self.paths[id.index()]
    }

    /// All paths.
    pub fn ids(&self) -> impl Iterator<Item = PathId> + use<> {
        (0..u32::try_from(self.paths.len()).unwrap_or(u32::MAX)).map(PathId)
    }

    /// The globals that a path touches, ascending, and how.
    pub fn touches(&self, id: PathId) -> &[(GlobalVar, Touch)] {
        &self.touches[id.index()]
    }

    /// How a path touches a global.
    pub fn touch(&self, id: PathId, global: GlobalVar) -> Option<&Touch> {
        let touches = self.touches(id);
        touches.binary_search_by_key(&global, |touch| touch.0).ok().map(|at| &touches[at].1)
    }

    /// Whether a complete run may take this path.
    pub fn completes(&self, id: PathId) -> bool {
        self.completes[self.path(id).to.index()]
    }

    /// What a global is set to where a lock is taken in order to add, which no path does any more.
    pub fn taken(&self, global: GlobalVar) -> impl Iterator<Item = i128> + '_ {
        self.taken.iter().filter(move |taken| taken.0 == global).map(|taken| taken.1)
    }

    /// The initial value of a global.
    pub fn initial(&self, global: GlobalVar) -> i128 {
        self.initial[global.index()].into()
    }

    /// The values that a register can have at a point where requests begin: from the least to the greatest, for each
    /// request body that begins there.
    pub fn values_at_entry(&self, point: PointId, reg: Reg) -> Vec<(i64, i64)> {
        let begins = self.entries.iter().zip(&self.params).filter(|(entry, _)| **entry == point);
        let value =
            |params: &Vec<(Reg, i64, i64)>| params.iter().find(|param| param.0 == reg).map_or((0, 0), |&(_, low, high)| (low, high));
        begins.map(|(_, params)| value(params)).collect()
    }

    /// Whether some request begins at this point.
    pub fn is_entry(&self, point: PointId) -> bool {
        self.begins.get(point.index()).copied().unwrap_or(false)
    }
}

/// Whether a value is the only one that a global can have.
fn is_there(conditions: &Conditions, global: GlobalVar, value: &Value, ranges: &[Domain]) -> bool {
    let Some(range) = ranges.get(global.index()) else { return false };
    let here = conditions.symbol(Symbol::Global(global)).map_or(range.clone(), |guard| guard.and(range));
    value.term.as_constant().is_some_and(|value| here.single() == Some(value))
}

/// Whether a path does nothing at all.
fn is_idle(path: &Path) -> bool {
    let same = |(reg, value): &(Reg, Value)| value.term == Term::symbol(Symbol::Local(*reg));
    path.from == path.to && path.updates.is_empty() && path.kept.iter().all(same)
}

/// The same paths without those that others can do as well.
fn without_dominated(paths: Vec<Path>) -> Vec<Path> {
    type Key<'a> = (PointId, PointId, &'a [(GlobalVar, Value)], &'a [(Reg, Value)], &'a Option<Term>);
    let mut alike: FxHashMap<Key<'_>, Vec<usize>> = FxHashMap::default();
    let mut dominated = vec![false; paths.len()];
    for (index, path) in paths.iter().enumerate() {
        let others = alike.entry((path.from, path.to, &path.updates, &path.kept, &path.answer)).or_default();
        if others.len() >= MAX_ALIKE {
            continue;
        }
        for &other in others.iter().filter(|other| !dominated[**other]).collect::<Vec<_>>() {
            if implies(path, &paths[other]) {
                dominated[index] = true;
                break;
            }
            dominated[other] |= implies(&paths[other], path);
        }
        others.push(index);
    }
    drop(alike);
    let mut index = 0;
    paths.into_iter().filter(|_| (index += 1, !dominated[index - 1]).1).collect()
}

/// Whether the conditions of one path imply those of another.
fn implies(path: &Path, other: &Path) -> bool {
    other.conditions.0.iter().all(|(form, weaker)| path.conditions.form(form).is_some_and(|stronger| stronger.is_subset(weaker)))
}

/// What a path does to each global.
fn touches(opaques: &Opaques, path: &Path) -> Vec<(GlobalVar, Touch)> {
    let mut reads = Vec::new();
    let mut guards = Vec::new();
    for (form, _) in &path.conditions.0 {
        match form.as_slice() {
            [(Symbol::Global(global), 1)] => guards.push(*global),
            parts => opaques.globals_in(parts, &mut reads),
        }
    }
    for term in path.kept.iter().map(|(_, value)| &value.term).chain(&path.answer) {
        opaques.globals_in(&term.parts, &mut reads);
    }
    let mut effects = Vec::new();
    for (global, value) in &path.updates {
        let effect = effect(opaques, *global, &value.term);
        let mut inside = Vec::new();
        opaques.globals_in(&value.term.parts, &mut inside);
        // In its own value it is no read, unless nothing is known of the effect.
        reads.extend(inside.into_iter().filter(|other| other != global || effect == Effect::Opaque));
        effects.push((*global, effect));
    }
    reads.sort_unstable();
    reads.dedup();
    let mut all: Vec<GlobalVar> = reads.iter().chain(&guards).copied().chain(effects.iter().map(|effect| effect.0)).collect();
    all.sort_unstable();
    all.dedup();
    let of = |global: GlobalVar| {
        let effect = effects.binary_search_by_key(&global, |effect| effect.0);
        Touch { effect: effect.map_or(Effect::Keep, |at| effects[at].1.clone()), reads: reads.binary_search(&global).is_ok() }
    };
    all.into_iter().map(|global| (global, of(global))).collect()
}

fn effect(opaques: &Opaques, global: GlobalVar, term: &Term) -> Effect {
    if let Some(value) = term.as_constant() {
        return Effect::Constant(value);
    }
    let here = Symbol::Global(global);
    if term.parts == [(here, 1)] {
        return Effect::Add(term.constant);
    }
    if opaques.only_global(&term.parts, global) {
        return Effect::Function(term.clone());
    }
    if let Some((low, modulus)) = opaques.turned(term, global) {
        return Effect::Turn(low, modulus);
    }
    let own = term.parts.iter().find(|part| part.0 == here).map_or(0, |part| part.1);
    let mut others = Vec::new();
    let rest: Vec<(Symbol, i128)> = term.parts.iter().filter(|part| part.0 != here).copied().collect();
    opaques.globals_in(&rest, &mut others);
    if own == 1 && others.is_empty() { Effect::AddTerm } else { Effect::Opaque }
}
