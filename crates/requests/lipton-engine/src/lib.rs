//! Finds proofs by reduction (Lipton 1975) on the control graph of a program.
//!
//! What a proof is, and why it is one, is in `serval-lipton-proof`. Here it is found: ranges by intervals, counts by
//! propagation, owners and doom as greatest sets of guesses that hold together, phases as the least that they can be.
//! Every question about a path or a pair of paths is asked of the functions with which the checker asks it.
//!
//! Extra `yield`s can help (a test that fails before waiting is a read that commutes with nothing; behind a `yield` it
//! is gone) and can hurt, so each `Transformation` is tried in turn.

mod additions;
mod attempts;
mod flags;
mod heads;
mod infer;
mod known;
mod late;
mod movers;
mod ranges;
mod retries;
mod rows;
mod sums;
mod tickets;
mod why;

pub use why::{Conflict, PossibleError, TextPlace, Why};

use rustc_hash::FxHashMap;
use serval_budget::{Budget, Stopped};
use serval_compile::Prepared;
use serval_compile::control::{Control, Reg};
use serval_lipton_proof::domain::Domain;
use serval_lipton_proof::execute::{Halt, told};
use serval_lipton_proof::facts::{Facts, SLOW, ranges as claimed_ranges};
use serval_lipton_proof::first_error;
use serval_lipton_proof::invariants::Claims;
use serval_lipton_proof::model::{Effect, Model};
use serval_lipton_proof::path::{Obligation, PathId, PointId};
use serval_lipton_proof::rows::Bodies;
use serval_proof::{Bounds, Reduction, Refusal};
use serval_syntax::GlobalVar;

use crate::infer::{Regions, globals, runs};
use crate::movers::Phases;
use crate::retries::candidates;
use crate::rows::Alike;

/// A proof that was found. It is a claim like any other: the checker decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundReduction {
    /// The certificate.
    pub reduction: Reduction,
}

/// Looks for a proof that the program is serializable and free of errors.
///
/// ```
/// use serval_budget::Budget;
/// use serval_compile::{Options, Prepared};
/// let text = "request add { lock(L); x := X; yield; X := 1 - x; unlock(L) }";
/// let program = serval_syntax::analyze(text).program.unwrap();
/// let prepared = Prepared::new(&program, Options::default());
/// let found = serval_lipton_engine::prove(&prepared, &mut Budget::ticks(100_000)).unwrap();
/// assert_eq!(found.reduction.owners.len(), 1);
/// ```
pub fn prove(prepared: &Prepared, budget: &mut Budget) -> Result<FoundReduction, Why> {
    let control = prepared.control();
    if let Some(found) = prove_by_few(prepared, &control, budget)? {
        return Ok(found);
    }
    if let Some(many) = &prepared.program().many {
        // Those that are there stand for the others in any case.
        let all: Vec<u32> = (0..).take(control.entries().len()).collect();
        return if many.stands {
            prove_by(prepared, &all, budget)
        } else {
            Err(Why::TooLarge { what: "combinations of parameters", limit: 0 })
        };
    }
    prove_of_all(prepared, budget)
}

/// Looks for a proof in which each request body stands for itself.
pub fn prove_of_all(prepared: &Prepared, budget: &mut Budget) -> Result<FoundReduction, Why> {
    attempts(&prepared.control(), None, budget).map(|reduction| FoundReduction { reduction })
}

/// Looks for a proof in which few request bodies stand for all.
fn prove_by_few(prepared: &Prepared, control: &Control<'_>, budget: &mut Budget) -> Result<Option<FoundReduction>, Why> {
    let bodies = Bodies::new(control);
    let Some(chosen) = rows::choose(&bodies, control.program().globals.len(), budget)? else { return Ok(None) };
    match prove_by(prepared, &chosen, budget) {
        Err(why @ Why::Stopped(_)) => Err(why),
        Err(_) => Ok(None),
        Ok(found) => {
            let holds: Result<(), Refusal<()>> = serval_lipton_proof::check(prepared, &found.reduction, budget);
            Ok(holds.is_ok().then_some(found))
        }
    }
}

/// Looks for a proof in which these request bodies, ascending, stand for all, though they may not be able to.
pub fn prove_by(prepared: &Prepared, chosen: &[u32], budget: &mut Budget) -> Result<FoundReduction, Why> {
    let control = prepared.control();
    let bodies = Bodies::new(&control);
    attempts(&control.only(chosen), Some((&bodies, chosen)), budget).map(|reduction| FoundReduction { reduction })
}

/// Bodies, and those among them that stand for all.
type Few<'a> = Option<(&'a Bodies, &'a [u32])>;

/// What is changed about a program before a proof is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transformation {
    /// Nothing.
    AsWritten,
    /// A `yield` in front of loops that wait: there waiting is no read that must commute.
    YieldBeforeWaiting,
    /// A `yield` in front of all loops that have one. Retries count here, which are such loops.
    YieldBeforeLoops,
    /// A `yield` in front of loops that wait, without tests that are made again later, where leaving one out may help.
    WithoutEarlyTests,
    /// A `yield` in front of loops that wait, without locks that are taken only in order to add something.
    WithoutAddersLocks,
}

impl Transformation {
    /// All of them, in the order in which they are tried.
    const ORDER: [Self; 5] =
        [Self::AsWritten, Self::YieldBeforeWaiting, Self::YieldBeforeLoops, Self::WithoutEarlyTests, Self::WithoutAddersLocks];

    /// The nodes in front of which requests yield.
    fn yields(self, control: &Control<'_>, hints: &Hints) -> Vec<u32> {
        match self {
            Self::AsWritten => Vec::new(),
            Self::YieldBeforeWaiting | Self::WithoutEarlyTests | Self::WithoutAddersLocks => hints.waiting_as_written.clone(),
            Self::YieldBeforeLoops => heads::loops_with_yields(control),
        }
    }

    /// Whether its reason, if it fails, says more than those of the transformations before it. The second one, where
    /// waiting is no read, says most.
    fn says_most(self) -> bool {
        matches!(self, Self::AsWritten | Self::YieldBeforeWaiting)
    }
}

fn attempts(control: &Control<'_>, few: Few<'_>, budget: &mut Budget) -> Result<Reduction, Why> {
    let mut tried: Vec<Vec<u32>> = Vec::new();
    let mut reported = None;
    let mut hints = Hints::default();
    for transformation in Transformation::ORDER {
        let yields = transformation.yields(control, &hints);
        // The same was tried before with all tests, and then it was seen whether one may be left out.
        let late = transformation == Transformation::WithoutEarlyTests && hints.looks.contains(&yields);
        let retries = transformation == Transformation::YieldBeforeLoops && !yields.is_empty() && few.is_none();
        let additions = transformation == Transformation::WithoutAddersLocks && few.is_none();
        if !retries && !late && !additions && tried.contains(&yields) {
            continue;
        }
        let attempt = Attempt { control, yields: &yields, validate: retries, few, tickets: few.is_none(), late, additions };
        let mut outcome = try_with(&attempt, &mut hints, budget);
        if matches!(outcome, Ok(None)) {
            outcome = try_with(&Attempt { tickets: false, ..attempt }, &mut hints, budget);
        }
        if transformation == Transformation::AsWritten {
            hints.waiting_as_written = std::mem::take(&mut hints.waiting);
        }
        log::debug!("lipton: {transformation:?} with {} yields: {} ticks left: {}", yields.len(), budget.left(), ended(&outcome));
        match outcome {
            Ok(Some(reduction)) => return Ok(reduction),
            Ok(None) => {}
            Err(why @ Why::Stopped(_)) => return Err(why),
            Err(why) if transformation.says_most() => reported = Some(why),
            Err(why) => reported = reported.or(Some(why)),
        }
        tried.push(yields);
    }
    if hints.short {
        return Err(Why::Stopped(Stopped::OutOfTicks));
    }
    Err(reported.unwrap_or(Why::TooLarge { what: "attempts", limit: Transformation::ORDER.len() as u64 }))
}

/// How an attempt ended, in words.
fn ended(tried: &Result<Option<Reduction>, Why>) -> String {
    match tried {
        Ok(Some(_)) => "a proof".to_owned(),
        Ok(None) => "tickets are not drawn in the order of commits".to_owned(),
        Err(Why::TooLarge { what, limit }) => format!("more than {limit} {what}"),
        Err(Why::Stopped(Stopped::OutOfTicks)) => "out of ticks".to_owned(),
        Err(Why::Stopped(Stopped::Cancelled)) => "cancelled".to_owned(),
        Err(Why::Conflict(conflict)) => {
            format!("the steps at {} and {} do not commute", conflict.first.span.start, conflict.second.span.start)
        }
        Err(Why::Error(error)) => format!("the error at {} is not excluded", error.span.start),
    }
}

impl From<Halt> for Why {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::TooLarge { what, limit } => Self::TooLarge { what, limit },
            Halt::Stopped(stopped) => Self::Stopped(stopped),
        }
    }
}

/// With what it is tried.
struct Attempt<'a> {
    control: &'a Control<'a>,
    yields: &'a [u32],
    /// Whether retries count.
    validate: bool,
    few: Few<'a>,
    /// Whether tickets do.
    tickets: bool,
    /// Whether tests are left out that what comes after makes again.
    late: bool,
    /// Whether locks are that are taken only in order to add something.
    additions: bool,
}

/// Rounds in which ranges may change.
const MAX_ROUNDS: u64 = 5;

/// What one attempt says about others.
#[derive(Default)]
struct Hints {
    /// In front of which nodes requests wait.
    waiting: Vec<u32>,
    /// The same in the program as it is written.
    waiting_as_written: Vec<u32>,
    /// With which extra yields two steps do not commute, and some test may be left out.
    looks: Vec<Vec<u32>>,
    /// Whether more ticks might find more tests that may be left out.
    short: bool,
}

impl Hints {
    /// The tests that may be left out, and whether there may be others.
    fn see(&mut self, looks: late::Looks) -> Vec<serval_lipton_proof::late::Late> {
        self.short |= looks.short;
        looks.found
    }
}

/// None if tickets that hold are not drawn in the order of commits.
fn try_with(attempt: &Attempt<'_>, hints: &mut Hints, budget: &mut Budget) -> Result<Option<Reduction>, Why> {
    let &Attempt { control, yields, validate, few, tickets, late, additions } = attempt;
    let mut reduction = Reduction { yields: yields.to_vec(), ..Reduction::default() };
    // A first guess are the declared ranges.
    let declared =
        (0..).zip(&control.program().globals).filter_map(|(global, declared)| declared.range.map(|(low, high)| (global, low, high)));
    reduction.ranges = declared.collect();
    let mut round = 0;
    // With ranges it is known what must hold so that nothing is an error, and which writes change nothing; so once more
    // until they stay.
    let (mut model, regions) = loop {
        let ranges = claimed_ranges(control.program().globals.len(), &reduction).map_err(|_| Why::TooLarge { what: "ranges", limit: 0 })?;
        let guessed = round == 0;
        // Where a range is not declared it is not known yet what may be an error, and everything might be.
        let asks = !guessed || control.program().globals.iter().all(|global| global.range.is_some());
        let mut model = Model::new(control, yields, asks.then_some(ranges.as_slice()), budget)?;
        // Asked before anything else is left out, as the checker narrows first.
        let would_narrow = guessed && model.would_narrow(&ranges);
        if !guessed {
            model.narrow(&ranges);
        }
        let locks = if additions { additions::candidates(&mut model, &ranges, budget)? } else { Vec::new() };
        // What a lock can be is not known yet in the first round, so that it may be none there.
        if additions && locks.is_empty() && !guessed {
            return Err(Why::TooLarge { what: "locks that are taken in order to add something", limit: 0 });
        }
        let looks = if late { hints.see(late::looks(&mut model, &ranges, budget)?) } else { Vec::new() };
        let validated = if validate { candidates(&mut model) } else { Vec::new() };
        let attempts = if validate { attempts::candidates(&mut model) } else { Vec::new() };
        let sums = if few.is_none() && !additions { sums::sums(&mut model) } else { Vec::new() };
        let before = std::mem::replace(
            &mut reduction,
            Reduction { yields: yields.to_vec(), additions: locks, late: looks, validated, attempts, sums, ..Reduction::default() },
        );
        let regions = Regions::new(&model);
        infer(&model, &regions, &mut reduction, budget)?;
        if tickets {
            tickets::add(&model, &mut reduction, budget)?;
        }
        let same = reduction.ranges.iter().all(|range| before.ranges.contains(range)) && before.slow == reduction.slow;
        let settled = asks && same && !would_narrow && (!additions || !guessed && reduction.additions == before.additions);
        // Tests that are left out because of ranges, and ranges that are no longer those without these tests.
        if !settled && late && round >= MAX_ROUNDS {
            return Err(Why::TooLarge { what: "rounds", limit: MAX_ROUNDS });
        }
        if settled || round >= MAX_ROUNDS {
            break (model, regions);
        }
        round += 1;
    };
    hints.waiting = model.waiting.iter().filter_map(|point| Some(model.points[point.index()].node?.0)).collect();
    hints.waiting.sort_unstable();
    hints.waiting.dedup();
    let mut error = exclude_errors(&model, &regions, &mut reduction, budget)?;
    if let (Some(_), None, false) = (&error, few, additions) {
        let more = counted(&mut model, budget)?;
        if !more.is_empty() {
            reduction.sums.extend(more);
            error = possible_error(&model, &reduction)?;
        }
    }
    let alike = few.map(|(bodies, chosen)| Alike::new(&model, bodies, chosen));
    if let (Some(alike), Some((_, chosen))) = (&alike, few) {
        alike.settle(&mut reduction);
        reduction.bodies = chosen.to_vec();
        // Owners and counts have other numbers now.
        let settled = facts(&model, &reduction)?;
        reduction.exclusions = infer::exclusions(Claims { model: &model, facts: &settled, reduction: &reduction }, budget)?;
    }
    let mut held = facts(&model, &reduction)?;
    let mut phases = movers::phases(&model, &held, budget)?;
    if let (Phases::Conflict(..), None) = (&phases, few) {
        let seen = flags::seen(&model, &regions, &reduction, budget)?;
        if !seen.is_empty() {
            reduction.known.extend(seen);
            held = facts(&model, &reduction)?;
            phases = movers::phases(&model, &held, budget)?;
        }
    }
    match (phases, error) {
        (Phases::Found(post), _) if !in_order(Claims { model: &model, facts: &held, reduction: &reduction }, &post) => Ok(None),
        (Phases::Conflict(s, t, global), _) => {
            let why = conflict(&model, s, t, global);
            // With the yields of the last attempt.
            let last = !yields.is_empty() || hints.waiting.is_empty();
            if last && few.is_none() && !late && !validate && !additions {
                let ranges = (0..).map(GlobalVar).take(model.initial.len()).map(|global| held.range(global).clone()).collect::<Vec<_>>();
                if !hints.see(late::first(&mut model, &ranges, budget)?).is_empty() {
                    hints.looks.push(yields.to_vec());
                }
            }
            Err(why)
        }
        (Phases::Found(_), Some(error)) => Err(Why::Error(error)),
        (Phases::Found(post), None) => {
            reduction.post = alike.map_or_else(|| post.clone(), |alike| alike.spread(&post));
            Ok(Some(reduction))
        }
    }
}

/// Whether who draws a ticket first commits first, if these points are after the commit.
fn in_order(claims: Claims<'_>, post: &[(u32, u32)]) -> bool {
    let mut after = vec![false; claims.model.points.len()];
    after[PointId::END.index()] = true;
    post.iter().for_each(|&(first, last)| after[first as usize..=last as usize].fill(true));
    (0..claims.reduction.tickets.len()).all(|index| claims.turns(index, &after).is_ok())
}

fn facts(model: &Model, reduction: &Reduction) -> Result<Facts, Why> {
    Facts::new(model, reduction).map_err(|_| Why::TooLarge { what: "points in a certificate", limit: 4_000_000 })
}

/// Finds what holds at every moment.
fn infer(model: &Model, regions: &Regions, reduction: &mut Reduction, budget: &mut Budget) -> Result<(), Why> {
    let nothing = facts(model, reduction)?;
    reduction.counts = infer::counts(Claims { model, facts: &nothing, reduction }, regions, budget)?;
    set_ranges(model, reduction, budget)?;
    let with_ranges = facts(model, reduction)?;
    reduction.owners = infer::owners(Claims { model, facts: &with_ranges, reduction }, budget)?;
    let held = infer::drop_failing(model, reduction, budget)?;
    if held.is_none() {
        reduction.owners.clear();
    }
    if !reduction.owners.is_empty() {
        set_ranges(model, reduction, budget)?;
    }
    let held = facts(model, reduction)?;
    let claims = Claims { model, facts: &held, reduction };
    let exclusions = infer::exclusions(claims, budget)?;
    let dooms = infer::dooms(claims, regions, budget)?;
    reduction.exclusions = exclusions;
    reduction.dooms = dooms;
    Ok(())
}

/// Finds ranges, given the other facts.
fn set_ranges(model: &Model, reduction: &mut Reduction, budget: &mut Budget) -> Result<(), Why> {
    let mut slow = vec![false; model.initial.len()];
    reduction.ranges.clear();
    reduction.slow.clear();
    reduction.slow_locals.clear();
    reduction.locals.clear();
    reduction.nowhere.clear();
    let facts_without = facts(model, reduction)?;
    let mut found = ranges::ranges(model, &facts_without, &slow, budget)?;
    let values = Domain::values();
    let endless = |global: &GlobalVar| {
        let (range, initial) = (&found.globals[global.index()], model.initial(*global));
        (range.low() == values.low() || range.high() == values.high()) && (-(SLOW / 2)..=SLOW / 2).contains(&initial)
    };
    let mut guessed: Vec<GlobalVar> = globals(model).filter(endless).collect();
    let all = guessed.clone();
    // Those that are not slow are dropped; without them others may not be, either.
    while !guessed.is_empty() {
        slow.fill(false);
        for global in &guessed {
            slow[global.index()] = true;
        }
        found = ranges::ranges(model, &facts_without, &slow, budget)?;
        set(model, reduction, &found, &slow);
        let claimed = facts(model, reduction)?;
        let claims = Claims { model, facts: &claimed, reduction };
        let before = guessed.len();
        guessed.retain(|&global| claims.slow(global).is_ok());
        if guessed.len() == before {
            break;
        }
    }
    if guessed.is_empty() && slow.contains(&true) {
        slow.fill(false);
        found = ranges::ranges(model, &facts_without, &slow, budget)?;
    }
    set(model, reduction, &found, &slow);
    if guessed.len() < all.len() {
        with_slow_locals(model, reduction, all, budget)?;
    }
    Ok(())
}

/// The same where what grows goes through registers: more globals are slow, if these are. Else nothing is changed.
fn with_slow_locals(model: &Model, reduction: &mut Reduction, mut guessed: Vec<GlobalVar>, budget: &mut Budget) -> Result<(), Why> {
    let before = reduction.clone();
    let kept = |point: PointId, reg: Reg| {
        let into = &model.entering[point.index()];
        !into.is_empty() && into.iter().all(|&id| model.path(id).kept.iter().any(|kept| kept.0 == reg))
    };
    let points = (1..).map(PointId).zip(model.points.iter().skip(1));
    let held = points.flat_map(|(point, of)| of.live.iter().map(move |&reg| (point, reg)));
    let mut locals: Vec<(PointId, Reg)> = held.filter(|&(point, reg)| kept(point, reg)).collect();
    while guessed.len() > before.slow.len() {
        let mut slow = vec![false; model.initial.len()];
        guessed.iter().for_each(|global| slow[global.index()] = true);
        let nothing = Reduction { ranges: Vec::new(), slow: Vec::new(), locals: Vec::new(), nowhere: Vec::new(), ..before.clone() };
        let found = ranges::ranges(model, &facts(model, &nothing)?, &slow, budget)?;
        set(model, reduction, &found, &slow);
        reduction.slow_locals = locals.iter().map(|&(point, reg)| (reg.0, vec![(point.0, point.0)])).collect();
        budget.spend(u64::try_from(locals.len()).unwrap_or(u64::MAX))?;
        let claimed = facts(model, reduction)?;
        let claims = Claims { model, facts: &claimed, reduction };
        let sizes = (guessed.len(), locals.len());
        guessed.retain(|&global| claims.slow(global).is_ok());
        locals.retain(|&(point, reg)| claims.slow_local(point, reg).is_ok());
        if sizes == (guessed.len(), locals.len()) {
            return Ok(());
        }
    }
    *reduction = before;
    Ok(())
}

fn set(model: &Model, reduction: &mut Reduction, found: &ranges::Ranges, slow: &[bool]) {
    let numbers = |domain: &Domain| Some((i64::try_from(domain.low()).ok()?, i64::try_from(domain.high()).ok()?));
    let values = Domain::values();
    reduction.slow = globals(model).filter(|global| slow[global.index()]).map(|global| global.0).collect();
    reduction.ranges = globals(model)
        .filter(|global| model.used[global.index()])
        .filter(|global| !values.is_subset(&found.globals[global.index()]))
        .filter_map(|global| numbers(&found.globals[global.index()]).map(|(low, high)| (global.0, low, high)))
        .collect();
    let unreached: Vec<PointId> =
        (0..).map(PointId).zip(&found.reached).skip(1).filter(|(_, reached)| !**reached).map(|(point, _)| point).collect();
    reduction.nowhere = runs(&unreached);
    let mut by_bounds: Vec<((Reg, i64, i64), Vec<PointId>)> = Vec::new();
    let mut at: FxHashMap<(Reg, i64, i64), usize> = FxHashMap::default();
    for (point, locals) in (0..).map(PointId).zip(&found.locals) {
        for (reg, bounds) in locals.iter().filter(|(_, bounds)| !bounds.is_empty() && !values.is_subset(bounds)) {
            let Some((low, high)) = numbers(bounds) else { continue };
            let at = *at.entry((*reg, low, high)).or_insert_with_key(|&key| {
                by_bounds.push((key, Vec::new()));
                by_bounds.len() - 1
            });
            by_bounds[at].1.push(point);
        }
    }
    let bounds = by_bounds.into_iter().map(|((reg, low, high), points)| Bounds { variable: reg.0, low, high, points: runs(&points) });
    reduction.locals = bounds.collect();
}

/// Looks for what is known of globals at points where that is needed; an error that is left.
fn exclude_errors(model: &Model, regions: &Regions, reduction: &mut Reduction, budget: &mut Budget) -> Result<Option<PossibleError>, Why> {
    let before = facts(model, reduction)?;
    let claims = Claims { model, facts: &before, reduction };
    if first_error(claims).is_none() {
        return Ok(None);
    }
    let mut wanted: Vec<GlobalVar> = model.obligations.iter().flat_map(|obligation| mentioned(model, obligation)).collect();
    // What those globals come from.
    for id in model.ids() {
        if model.path(id).updates.iter().any(|(_, value)| !matches!(value.term.parts.len(), 0)) {
            wanted.extend(model.touches(id).iter().filter(|(_, touch)| touch.effect != Effect::Keep || touch.reads).map(|touch| touch.0));
        }
    }
    wanted.sort_unstable();
    wanted.dedup();
    let mut known = Vec::new();
    for global in wanted {
        known.extend(known::known(claims, regions, global, budget)?);
    }
    reduction.known = known;
    let old = reduction.clone();
    set_ranges(model, reduction, budget)?;
    // What is known may rest on the ranges that were there.
    if reduction.ranges != old.ranges {
        reduction.ranges = old.ranges;
        reduction.slow = old.slow;
        reduction.slow_locals = old.slow_locals;
        // What registers hold was found with the ranges that are not kept.
        let mixed = facts(model, reduction)?;
        if !locals_hold(Claims { model, facts: &mixed, reduction }) {
            (reduction.locals, reduction.nowhere) = (old.locals, old.nowhere);
        }
    }
    possible_error(model, reduction)
}

/// An error that is left.
fn possible_error(model: &Model, reduction: &Reduction) -> Result<Option<PossibleError>, Why> {
    let held = facts(model, reduction)?;
    let claims = Claims { model, facts: &held, reduction };
    Ok(first_error(claims).map(|obligation| PossibleError { span: obligation.span, what: told(&obligation.need) }))
}

/// Looks for what is counted by the variables that must not fail.
fn counted(model: &mut Model, budget: &mut Budget) -> Result<Vec<serval_proof::Sum>, Why> {
    let mut wanted: Vec<GlobalVar> = model.obligations.iter().flat_map(|obligation| mentioned(model, obligation)).collect();
    wanted.sort_unstable();
    wanted.dedup();
    Ok(sums::counted(model, &wanted, budget)?)
}

/// Whether bounds of registers, and where no request comes, are as claimed.
fn locals_hold(claims: Claims<'_>) -> bool {
    let points = |runs: &[(u32, u32)]| runs.iter().flat_map(|&(first, last)| first..=last).map(PointId).collect::<Vec<_>>();
    let holds = |bounds: &Bounds| points(&bounds.points).into_iter().all(|point| claims.local(point, Reg(bounds.variable)).is_ok());
    claims.reduction.locals.iter().all(holds) && points(&claims.reduction.nowhere).into_iter().all(|point| claims.nowhere(point).is_ok())
}

fn mentioned(model: &Model, obligation: &Obligation) -> Vec<GlobalVar> {
    let mut globals = Vec::new();
    obligation.need.terms().for_each(|term| model.opaques.globals_in(&term.parts, &mut globals));
    globals
}

fn conflict(model: &Model, s: PathId, t: PathId, global: GlobalVar) -> Why {
    let body = body_of(model);
    let place = |id: PathId| {
        let path = model.path(id);
        let mut accesses = path.accesses.iter().filter(|access| access.0 == global);
        let writes = path.update(global).is_some();
        let access = accesses.clone().find(|access| access.1 == writes).or_else(|| accesses.next());
        TextPlace { body: body[path.from.index()], span: path.span, access: access.map_or(path.span, |access| access.2), writes }
    };
    Why::Conflict(Box::new(Conflict { first: place(s), second: place(t), global }))
}

/// The first request body that comes to each point.
fn body_of(model: &Model) -> Vec<usize> {
    let mut body = vec![usize::MAX; model.points.len()];
    for (number, &entry) in model.entries.iter().enumerate() {
        let mut list = vec![entry];
        while let Some(point) = list.pop() {
            if body[point.index()] == usize::MAX {
                body[point.index()] = number;
                list.extend(model.leaving[point.index()].iter().map(|&id| model.path(id).to));
            }
        }
    }
    body
}
