//! Reduction by movers (Lipton 1975): the checker of a proof, condition by condition.
//!
//! **Theorem.** Let
//!
//! 1. every point be *before* (PRE) or *after the commit* (POST), entries before, the end after, and let no path lead
//!    from after to before;
//! 2. `Exch(s, t)` hold whenever `s` leads from before to before (`s` is a right mover), and whenever `t` begins after
//!    (`t` is a left mover).
//!
//! Then every complete run has the answers of a serial one.
//!
//! **Proof.** In a complete run each request has exactly one *commit*: its path that begins before and ends after; all
//! its earlier paths lead from before to before, and all its later ones begin after. Order the requests by their
//! commits. Call a step `s` of request `i` and a later step `t` of request `j` an *inversion* if `j` commits before
//! `i`.
//!
//! - *If there is an inversion, there is one of two neighbours*, because somewhere between `s` and `t` a step of a
//!   later-committing request is next to one of an earlier-committing one. Let `s`, `t` be neighbours.
//! - *They can be exchanged.* If `s` comes before the commit of `i` it leads from before to before. Otherwise `s` is
//!   the commit of `i` or later, and `j` has committed before `i`, so before `s`; so `t` comes after the commit of `j`
//!   and begins after. In both cases `Exch(s, t)` applies.
//! - *There is one inversion less.* The exchanged steps have the same ends, so the same phases; at most one of the two
//!   is a commit, so the order of commits stays; the run stays complete with the same answers.
//!
//! When there is no inversion left each request's steps are together, and the run is serial. ∎
//!
//! **The order in time.** The serial run has the requests in the order of their commits, and the program is strict: if
//! a request has answered before another one comes, all its paths are before those of the other, so its commit is
//! before the commit of the other. Exchanges keep the order of commits. What is done to the paths before keeps it,
//! too: pauses that are added and paths that are replaced or left out are at their places ([`crate::model`]), and so
//! are additions without their lock ([`crate::additions`]); a validated read leaves out attempts of the request's own
//! in serial runs alone ([`crate::validated`], and in several steps [`crate::attempts`]), a late look lets a request
//! by itself take another path with the same effect, answer and place ([`crate::late`]), and tickets are drawn in the
//! order of commits ([`crate::tickets`]). Facts (owners, counts, sums, exclusions, what is known, how slowly integers
//! grow) are about configurations; rows and shapes, and requests that stand for others, say that every condition holds
//! for the whole program. A rule that hands an answer from one request to another would break this, and there is none.
//!
//! The condition is needed for inversions alone. With a ticket lock the request that draws first commits first
//! ([`crate::tickets`]), so two steps that draw are no inversion, in this run and in those that come of exchanges,
//! which are complete runs with the same commits; for these the checker asks nothing.
//!
//! Only complete runs count, so nothing is asked about waiting, deadlock or loops in either phase.
//!
//! **Errors.** A program is in error if any run, complete or not, comes to one. Every obligation of execution is shown
//! to hold wherever a request can come by, by the facts of all runs: neither doom nor the leaving out of endless paths
//! counts there. Facts about configurations after the transformations hold before them, too, as every step before is
//! one after.

use serval_budget::{Budget, Stopped};
use serval_compile::Prepared;
use serval_compile::control::{Control, Reg};
use serval_evidence::{require, unmet};
use serval_proof::{Group, PointRange, Reduction, Refusal};
use serval_syntax::GlobalVar;

use crate::Condition;
use crate::domain::Domain;
use crate::exchange::{Exchange, Mover};
use crate::execute::{Halt, meets, told};
use crate::facts::{Facts, Meaningless, Runs, ranges};
use crate::invariants::{Claims, Violation};
use crate::model::Model;
use crate::path::{Obligation, PathId, PointId};
use crate::rows::{Bodies, Claimed, Unlike, unlike_bodies, unlike_facts};
use crate::term::Symbol;
use crate::validated::Unvalidated;

/// Checks that a reduction proves the program serializable and free of errors.
///
/// ```
/// use serval_budget::Budget;
/// use serval_compile::{Options, Prepared};
/// use serval_proof::{Reduction, Refusal};
/// // Every request is one step, so every run is serial.
/// let program = serval_syntax::analyze("var X: 0..9\nrequest r { X := 9 - X }").program.unwrap();
/// let prepared = Prepared::new(&program, Options::default());
/// let reduction = Reduction { ranges: vec![(0, 0, 9)], ..Reduction::default() };
/// let mut budget = Budget::ticks(10_000);
/// let checked: Result<(), Refusal<()>> = serval_lipton_proof::check(&prepared, &reduction, &mut budget);
/// assert_eq!(checked, Ok(()));
/// ```
pub fn check<Stop>(prepared: &Prepared, reduction: &Reduction, budget: &mut Budget) -> Result<(), Refusal<Stop>> {
    let ticks = budget.left();
    Checker { budget }.check(prepared, reduction).map_err(|refusal| refusal.of_ticks(ticks))
}

/// What a condition on numbers is about.
const THE_CERTIFICATE: &str = "the certificate";

struct Checker<'a> {
    budget: &'a mut Budget,
}

impl<Stop> From<Halt> for Refusal<Stop> {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::TooLarge { what, limit } => Self::TooLarge { what, limit },
            Halt::Stopped(stopped) => Self::Stopped(stopped),
        }
    }
}

/// The control graph with the bodies that a certificate speaks of.
pub(crate) fn control_of<'a>(prepared: &'a Prepared, reduction: &Reduction) -> Control<'a> {
    let control = prepared.control();
    if reduction.stands_for_others() { control.only(&reduction.bodies) } else { control }
}

/// Executes a program as a certificate says.
fn model_of<Stop>(prepared: &Prepared, reduction: &Reduction, budget: &mut Budget) -> Result<Model, Refusal<Stop>> {
    let control = control_of(prepared, reduction);
    let meaningless = |Meaningless(what)| Refusal::invalid(Condition::ReductionNumbers.into(), THE_CERTIFICATE.to_owned(), what);
    let ranges = ranges(control.program().globals.len(), reduction).map_err(meaningless)?;
    let mut model = Model::new(&control, &reduction.yields, Some(&ranges), budget)?;
    model.narrow(&ranges);
    Ok(model)
}

/// Executes a program and transforms it as a certificate says.
pub(crate) fn transformed<Stop>(prepared: &Prepared, reduction: &Reduction, budget: &mut Budget) -> Result<Model, Refusal<Stop>> {
    let mut model = model_of(prepared, reduction, budget)?;
    let ranges = ranges(model.initial.len(), reduction).unwrap_or_default();
    for (index, addition) in reduction.additions.iter().enumerate() {
        budget.spend(u64::try_from(model.paths.len().saturating_add(model.points.len())).unwrap_or(u64::MAX))?;
        let refused = |Unvalidated(why)| unmet!(Condition::ReductionAddition, format!("addition {index}"), why.to_owned());
        model.is_addition(addition, &ranges).or_else(refused)?;
        model.put_addition(addition, &ranges).or_else(refused)?;
    }
    for (index, &late) in reduction.late.iter().enumerate() {
        budget.spend(u64::try_from(model.paths.len()).unwrap_or(u64::MAX))?;
        let is_late = model.is_late(late, &ranges, budget)?;
        require!(ReductionLate, is_late, about(format!("late look {index}")), "who goes on may do something else");
        model.put_late(late);
    }
    for (index, validated) in reduction.validated.iter().enumerate() {
        budget.spend(u64::try_from(model.paths.len()).unwrap_or(u64::MAX))?;
        let refused = |Unvalidated(why)| unmet!(Condition::ReductionValidated, format!("validated read {index}"), why.to_owned());
        model.is_validated(validated).or_else(refused)?;
        model.put_validated(validated).or_else(refused)?;
    }
    for (index, attempt) in reduction.attempts.iter().enumerate() {
        budget.spend(u64::try_from(model.paths.len()).unwrap_or(u64::MAX))?;
        let refused = |Unvalidated(why)| unmet!(Condition::ReductionAttempt, format!("attempt {index}"), why.to_owned());
        model.is_attempt(attempt).or_else(refused)?;
        model.put_attempt(attempt).or_else(refused)?;
    }
    for (index, sum) in reduction.sums.iter().enumerate() {
        budget.spend(u64::try_from(model.paths.len()).unwrap_or(u64::MAX))?;
        require!(ReductionSum, model.keeps_sum(sum), about(format!("sum {index}")), "a path changes it");
        model.put_sum(sum);
    }
    Ok(model)
}

/// Which points are after the commit. The end is.
pub(crate) fn phases(model: &Model, reduction: &Reduction) -> Option<Vec<bool>> {
    let mut post = vec![false; model.points.len()];
    for &(first, last) in &reduction.post {
        post.get_mut(first as usize..=last as usize)?.fill(true);
    }
    if let Some(end) = post.first_mut() {
        *end = true;
    }
    Some(post)
}

impl Checker<'_> {
    fn spend<Stop>(&mut self, ticks: usize) -> Result<(), Refusal<Stop>> {
        Ok(self.budget.spend(u64::try_from(ticks).unwrap_or(u64::MAX))?)
    }

    fn check<Stop>(&mut self, prepared: &Prepared, reduction: &Reduction) -> Result<(), Refusal<Stop>> {
        let numbers = |what: String| unmet!(Condition::ReductionNumbers, THE_CERTIFICATE, what);
        let bodies = self.bodies(prepared, reduction)?;
        let model = transformed(prepared, reduction, self.budget)?;
        self.spend(model.paths.len().saturating_add(model.points.len()))?;
        let facts = match Facts::new(&model, reduction) {
            Ok(facts) => facts,
            Err(Meaningless(what)) => return numbers(what),
        };
        let Some(post) = phases(&model, reduction) else { return numbers("a phase of a point that is not there".to_owned()) };
        if let Some(bodies) = &bodies {
            let claimed = Claimed { model: &model, facts: &facts, reduction, post: &post };
            Self::unlike(unlike_facts(bodies, &claimed, self.budget))?;
        }
        let claims = Claims { model: &model, facts: &facts, reduction };
        self.invariants(claims)?;
        self.errors(claims)?;
        self.phases(&model, &post)?;
        for index in 0..reduction.tickets.len() {
            self.spend(model.paths.len())?;
            self.hold(claims, claims.turns(index, &post))?;
        }
        self.exchange(claims, &post)
    }

    /// The bodies of the program, if some of them stand for all; and whether they can.
    fn bodies<Stop>(&mut self, prepared: &Prepared, reduction: &Reduction) -> Result<Option<Bodies>, Refusal<Stop>> {
        if let Some(many) = &prepared.program().many {
            require!(ReductionShapes, many.stands, about("the request bodies"), "they do not stand for all combinations of parameters");
            require!(
                ReductionShapes,
                reduction.stands_for_others(),
                about("the request bodies"),
                "none of them is said to stand for others"
            );
        }
        if !reduction.stands_for_others() {
            return Ok(None);
        }
        let control = prepared.control();
        let there = |&body: &u32| (body as usize) < control.entries().len();
        let are_bodies = reduction.bodies.is_sorted_by(|one, next| one < next) && reduction.bodies.iter().all(there);
        require!(ReductionNumbers, are_bodies, about(THE_CERTIFICATE), "request bodies that are not there or not ascending");
        self.spend(control.node_count())?;
        let bodies = Bodies::new(&control);
        Self::unlike(unlike_bodies(&bodies, &reduction.bodies, control.program().globals.len(), self.budget))?;
        Ok(Some(bodies))
    }

    fn unlike<Stop>(found: Result<Vec<Unlike>, Stopped>) -> Result<(), Refusal<Stop>> {
        for unlike in found? {
            let (condition, message) = match unlike {
                Unlike::Shapes => (Condition::ReductionShapes, "some body has another shape than these"),
                Unlike::Patterns => (Condition::ReductionPatterns, "two bodies meet as none of these do"),
                Unlike::Alike(what) => (Condition::ReductionAlike, what),
            };
            unmet!(condition, "the request bodies", message.to_owned())?;
        }
        Ok(())
    }

    fn hold<Stop>(&mut self, claims: Claims<'_>, checked: Result<(), Violation>) -> Result<(), Refusal<Stop>> {
        self.spend(1)?;
        let Err(Violation { condition, object, path }) = checked else { return Ok(()) };
        let message = match path {
            Some(id) => format!("path {} from point {} does not keep this", id.0, claims.model.path(id).from.0),
            None => "this does not hold at the beginning or at the end".to_owned(),
        };
        unmet!(condition, object, message)
    }

    /// What holds at every moment does.
    fn invariants<Stop>(&mut self, claims: Claims<'_>) -> Result<(), Refusal<Stop>> {
        let reduction = claims.reduction;
        let writers = |global: GlobalVar| claims.model.writers.get(global.index()).map_or(0, Vec::len);
        for &(global, ..) in &reduction.ranges {
            self.spend(writers(GlobalVar(global)))?;
            self.hold(claims, claims.range(GlobalVar(global)))?;
        }
        for &global in &reduction.slow {
            self.spend(writers(GlobalVar(global)))?;
            self.hold(claims, claims.slow(GlobalVar(global)))?;
        }
        for (reg, points) in &reduction.slow_locals {
            for point in points.iter().flat_map(|&(first, last)| first..=last).map(PointId) {
                self.spend(claims.model.entering.get(point.index()).map_or(0, Vec::len))?;
                self.hold(claims, claims.slow_local(point, Reg(*reg)))?;
            }
        }
        for (index, owner) in reduction.owners.iter().enumerate() {
            self.spend(writers(GlobalVar(owner.global)).saturating_add(owner.points.len()))?;
            self.hold(claims, claims.owner(index))?;
        }
        for (index, count) in reduction.counts.iter().enumerate() {
            self.spend(writers(GlobalVar(count.global)).saturating_add(count.weights.len()))?;
            self.hold(claims, claims.count(index))?;
        }
        for &(left, right) in &reduction.exclusions {
            let size = |group: Group| match group {
                Group::Owner(index) => reduction.owners.get(index as usize).map_or(0, |owner| size_of(owner.points.iter().copied())),
                Group::Count(index) => reduction
                    .counts
                    .get(index as usize)
                    .map_or(0, |count| size_of(count.weights.iter().map(|&(first, last, _)| (first, last)))),
            };
            self.spend(size(left).saturating_add(size(right)))?;
            self.hold(claims, claims.exclusion(left, right))?;
        }
        for point in reduction.nowhere.iter().flat_map(|&(first, last)| first..=last).map(PointId) {
            self.hold(claims, claims.nowhere(point))?;
        }
        for local in &reduction.locals {
            for point in local.points.iter().flat_map(|&(first, last)| first..=last).map(PointId) {
                self.spend(claims.model.entering.get(point.index()).map_or(0, Vec::len))?;
                self.hold(claims, claims.local(point, Reg(local.variable)))?;
            }
        }
        self.known(claims)?;
        for index in 0..reduction.tickets.len() {
            self.spend(claims.model.paths.len())?;
            self.hold(claims, claims.ticket(index))?;
        }
        for (index, doom) in reduction.dooms.iter().enumerate() {
            self.spend(writers(GlobalVar(doom.global)).saturating_add(size_of(doom.points.iter().copied())))?;
            self.hold(claims, claims.doom(index))?;
        }
        Ok(())
    }

    /// What is known of globals at points, class by class.
    fn known<Stop>(&mut self, claims: Claims<'_>) -> Result<(), Refusal<Stop>> {
        for known in &claims.reduction.known {
            let (global, bounds) = (GlobalVar(known.variable), Domain::between(known.low.into(), known.high.into()));
            let mut points: Vec<PointId> = known.points.iter().flat_map(|&(first, last)| first..=last).map(PointId).collect();
            points.sort_by_key(|&point| claims.facts.class(point));
            for alike in points.chunk_by(|&a, &b| claims.facts.class(a) == claims.facts.class(b)) {
                self.spend(claims.model.writers[global.index()].len().saturating_add(alike.len()))?;
                self.hold(claims, claims.known(global, &bounds, alike))?;
            }
        }
        Ok(())
    }

    /// No step is an error.
    fn errors<Stop>(&mut self, claims: Claims<'_>) -> Result<(), Refusal<Stop>> {
        self.spend(claims.model.obligations.len())?;
        if let Some(obligation) = first_error(claims) {
            let object = format!("the text from {} to {}", obligation.span.start, obligation.span.end);
            require!(ReductionErrors, false, about(object), "{}", told(&obligation.need));
        }
        Ok(())
    }

    /// Requests begin before, end after, and never go back.
    fn phases<Stop>(&mut self, model: &Model, post: &[bool]) -> Result<(), Refusal<Stop>> {
        if let Some(entry) = model.entries.iter().find(|entry| post[entry.index()]) {
            require!(ReductionPhases, false, about(format!("point {}", entry.0)), "a request begins here, after its commit");
        }
        if let Some(path) = model.paths.iter().find(|path| post[path.from.index()] && !post[path.to.index()]) {
            let object = format!("the path from point {} to point {}", path.from.0, path.to.0);
            require!(ReductionPhases, false, about(object), "it leads from after the commit to before");
        }
        Ok(())
    }

    /// Steps before the commit move to the right, steps after it to the left.
    fn exchange<Stop>(&mut self, claims: Claims<'_>, post: &[bool]) -> Result<(), Refusal<Stop>> {
        let (model, exchange) = (claims.model, Exchange::new(claims.model, claims.facts));
        let must = |id: PathId| {
            let [from, to] = [model.path(id).from, model.path(id).to].map(|point| post[point.index()]);
            Mover { right: !from && !to, left: from }
        };
        for global in (0..model.initial.len()).filter_map(|index| u32::try_from(index).ok()).map(GlobalVar) {
            if model.writers[global.index()].is_empty() {
                continue;
            }
            let groups = exchange.alike(global, &must);
            for (before, first) in &groups {
                for (after, second) in &groups {
                    self.spend(1)?;
                    let is_needed = before.right || after.left;
                    if !is_needed || !(first.writes() || second.writes()) || exchange.groups(global, first, second) {
                        continue;
                    }
                    self.pairs(model, &exchange, &first.paths, &second.paths)?;
                }
            }
        }
        Ok(())
    }

    fn pairs<Stop>(&mut self, model: &Model, exchange: &Exchange<'_>, firsts: &[PathId], seconds: &[PathId]) -> Result<(), Refusal<Stop>> {
        for &s in firsts {
            for &t in seconds {
                self.spend(4)?;
                let Err(global) = exchange.pair(s, t) else { continue };
                let object = format!("paths {} and {} from points {} and {}", s.0, t.0, model.path(s).from.0, model.path(t).from.0);
                require!(ReductionExchange, false, about(object), "they may not commute, because of variable {}", global.0);
            }
        }
        Ok(())
    }
}

/// How many points there are in runs.
fn size_of(runs: impl Iterator<Item = PointRange>) -> usize {
    runs.fold(0, |size: usize, (first, last)| size.saturating_add((last as usize).saturating_sub(first as usize)).saturating_add(1))
}

/// The first obligation that is not met as far as facts of all runs tell.
pub fn first_error(claims: Claims<'_>) -> Option<&Obligation> {
    let Claims { model, facts, .. } = claims;
    model.obligations.iter().find(|obligation| {
        let plain = facts.base(obligation.from, Runs::All);
        let tested = |global: GlobalVar| {
            let symbol = Symbol::Global(global);
            let here = plain(symbol).unwrap_or_else(Domain::values);
            obligation.conditions.symbol(symbol).map_or(here.clone(), |said| said.and(&here))
        };
        let base = |symbol: Symbol| match symbol {
            Symbol::Global(global) => Some(tested(global).and(&model.left_by_sums(global, &tested))),
            other => plain(other),
        };
        !facts.is_nowhere(obligation.from)
            && obligation.conditions.may_hold(&model.opaques, &base)
            && !meets(&model.opaques, &obligation.conditions, &obligation.need, &base)
    })
}
