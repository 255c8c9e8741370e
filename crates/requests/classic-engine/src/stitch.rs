//! From the reasons why all disjuncts are out of reach to one invariant of the
//! network system, with its proof.
//!
//! The invariant has the state equation, as far as it can be said without
//! counting arrivals, and a clause or two for each reason. That steps keep it,
//! and that nothing is left at the end, is shown by the solver, for the very
//! problems that the checker will look at. Clauses that no proof looks at are
//! left out again: a reason that excluded one solution is often implied by what
//! excluded others.

use crate::Places;
use serval_arith::{Outcome, solve};
use serval_budget::{Budget, StopReason, checkpoint};
use serval_linear::{Node as Branch, Problem, Tree};
use serval_model::{Letter, NetworkSystem, Node, NormalForm};
use serval_petri::{Net, PlaceId, TransitionId};
use serval_proof::flow::{LinearSet, Period, Uses, serial_edges, set_clause};
use serval_proof::invariant::{Bound, InvariantProof, Preservation, afterwards, end_problem, is_kept, node_variable, step_problem};
use serval_semilinear::{Counts, EdgeId, Error, Semilinear, SetWork};

use crate::form::NetForm;
use crate::reach::{Kind, Reason};
use crate::{Options, Serial};

/// What a stop here is called.
pub(crate) const STAGE: &str = "certificate";

fn too_large() -> StopReason {
    StopReason::NumberTooLarge { stage: STAGE }
}

/// The invariant of a system of which all disjuncts are out of reach for these
/// reasons.
pub(crate) fn stitch(
    system: &NetworkSystem,
    places: &Places,
    net: &Net,
    serial: &Serial,
    reasons: &[Reason],
    options: &Options,
    budget: &mut Budget,
) -> Result<InvariantProof, StopReason> {
    let ticks = options.ticks[2];
    let ended = |stopped| StopReason::stopped(STAGE, ticks, stopped);
    let form = budget.during(|| NetForm::new(system, places)).map_err(ended)?.ok_or_else(too_large)?;
    let mut clauses = budget.during(|| equation(&form.form)).map_err(ended)?.ok_or_else(too_large)?;
    for reason in reasons {
        for clause in of_reason(&form, net, reason).ok_or_else(too_large)? {
            budget.spend(0).map_err(ended)?;
            // Where the places are unreachable, nothing is said.
            if !clause.iter().any(is_always_true) && !clauses.contains(&clause) {
                clauses.push(clause);
            }
        }
    }
    let mut proof = InvariantProof { clauses, sets: sets(&form.form, serial, options, budget)?, ..InvariantProof::default() };
    let form = &form.form;
    let edges = serial_edges(form, budget).map_err(ended)?;
    let sets: Option<Vec<_>> = proof.sets.iter().map(|set| set_clause(form, &edges, set)).collect();
    let sets = sets.ok_or_else(too_large)?;
    let mut needs = Needs::new(&proof.clauses);
    for global in 0..form.global_count() {
        let problem = end_problem(form, &proof.clauses, &sets, global).ok_or_else(too_large)?;
        let tree = refuted(problem, || format!("end in global state {global}"), ticks, budget)?;
        needs.note(&tree);
        proof.ends.push(tree);
    }
    while let Some(index) = needs.next() {
        let clause = &proof.clauses[index];
        for (number, step) in (0..).zip(form.steps()) {
            budget.spend(0).map_err(ended)?;
            let after = afterwards(form, clause, number, step).ok_or_else(too_large)?;
            if !is_kept(clause, step.global, &after) {
                let problem = step_problem(form, &proof.clauses, step, &after).ok_or_else(too_large)?;
                let tree = refuted(problem, || format!("step {number}, clause {index}"), ticks, budget)?;
                needs.note(&tree);
                proof.kept.push(Preservation { step: number, clause: u32::try_from(index).map_err(|_| too_large())?, tree });
            }
        }
    }
    needs.leave_out_others(&mut proof).ok_or_else(too_large)?;
    Ok(proof)
}

/// Which clauses of an invariant are needed: those that the ends need, and those
/// that are needed to keep them.
struct Needs {
    /// The clauses with several bounds, which are clauses of problems, in their order.
    several: Vec<usize>,
    /// Those with one bound are facts of problems, and stay.
    needed: Vec<bool>,
    done: Vec<bool>,
}

impl Needs {
    fn new(clauses: &[Vec<Bound>]) -> Self {
        let several = (0..clauses.len()).filter(|&index| clauses[index].len() != 1).collect();
        let needed = clauses.iter().map(|clause| clause.len() == 1).collect();
        Self { several, needed, done: vec![false; clauses.len()] }
    }

    /// Notes what a tree looks at.
    fn note(&mut self, tree: &Tree) {
        for node in &tree.nodes {
            if let Branch::Clause { clause } = node
                && let Some(&index) = self.several.get(*clause as usize)
            {
                self.needed[index] = true;
            }
        }
    }

    /// A clause that is needed and was not given out before.
    fn next(&mut self) -> Option<usize> {
        let index = (0..self.done.len()).find(|&index| self.needed[index] && !self.done[index])?;
        self.done[index] = true;
        Some(index)
    }

    /// Leaves out clauses that the proof does not need. `None` where numbers do not fit.
    fn leave_out_others(&self, proof: &mut InvariantProof) -> Option<()> {
        let before = |index: usize| u32::try_from(self.needed[..index].iter().filter(|&&needed| needed).count()).ok();
        let left_out = |clause: usize| self.several.iter().take(clause).filter(|&&index| !self.needed[index]).count();
        let trees = proof.kept.iter_mut().map(|kept| &mut kept.tree).chain(&mut proof.ends);
        for node in trees.flat_map(|tree| &mut tree.nodes) {
            if let Branch::Clause { clause } = node {
                *clause = u32::try_from((*clause as usize).checked_sub(left_out(*clause as usize))?).ok()?;
            }
        }
        for kept in &mut proof.kept {
            kept.clause = before(kept.clause as usize)?;
        }
        proof.kept.sort_by_key(|kept| (kept.step, kept.clause));
        let mut needed = self.needed.iter();
        proof.clauses.retain(|_| needed.next().is_some_and(|&needed| needed));
        Some(())
    }
}

/// The proof that a problem has no solution, where `place` says which it is.
fn refuted(problem: Problem, place: impl Fn() -> String, ticks: u64, budget: &mut Budget) -> Result<Tree, StopReason> {
    match solve(problem, budget) {
        Outcome::Refuted(tree) => Ok(tree),
        Outcome::Satisfiable(_) => Err(StopReason::Inconclusive { stage: STAGE, what: format!("{}: it does not follow", place()) }),
        Outcome::Stopped(stopped) => Err(StopReason::stopped(STAGE, ticks, stopped)),
    }
}

/// A bound and the opposite one: the expression is 0.
fn zero(bound: Bound) -> Option<[Vec<Bound>; 2]> {
    let negated = |terms: &[(u32, i64)]| terms.iter().map(|&(at, factor)| Some((at, factor.checked_neg()?))).collect::<Option<Vec<_>>>();
    let opposite = Bound { terms: negated(&bound.terms)?, under: negated(&bound.under)?, constant: bound.constant.checked_neg()? };
    Some([vec![bound], vec![opposite]])
}

/// The state equation, a clause for each bound.
fn equation(form: &NormalForm) -> Option<Vec<Vec<Bound>>> {
    let mut clauses = Vec::new();
    for global in 0..form.global_count() {
        // All steps are looked at for each.
        checkpoint::ask();
        let change =
            (0..).zip(form.steps()).map(|(number, step)| (number, i64::from(step.to_global == global) - i64::from(step.global == global)));
        let terms: Vec<(u32, i64)> = change.filter(|&(_, change)| change != 0).collect();
        let begins = i64::from(global == form.initial_global());
        clauses.extend(zero(Bound { terms, under: vec![(global, -1)], constant: begins })?);
    }
    for node in form.node_numbers() {
        checkpoint::ask();
        let change = (0..).zip(form.steps()).map(|(number, step)| (number, i64::from(step.node == node) - i64::from(step.to_node == node)));
        let mut terms: Vec<(u32, i64)> = change.filter(|&(_, change)| change != 0).collect();
        terms.push((node_variable(form, node)?, 1));
        let bound = Bound { terms, ..Bound::default() };
        if form.is_initial(node) {
            // Those that came in are not counted.
            clauses.push(vec![bound]);
        } else {
            clauses.extend(zero(bound)?);
        }
    }
    Some(clauses)
}

fn is_always_true(bound: &Bound) -> bool {
    bound.terms.is_empty() && bound.under.is_empty() && bound.constant >= 0
}

/// What a reason says.
fn of_reason(form: &NetForm, net: &Net, reason: &Reason) -> Option<Vec<Vec<Bound>>> {
    let marked: Option<Vec<Bound>> = reason.unless.iter().map(|places| form.tokens(places, 1, -1)).collect();
    let unless = marked?;
    let with = |bounds: Vec<Bound>| unless.iter().cloned().chain(bounds).collect::<Vec<Bound>>();
    let takes =
        |transition: TransitionId, places: &[PlaceId]| net.inputs(transition).iter().any(|(place, _)| places.binary_search(place).is_ok());
    let gives =
        |transition: TransitionId, places: &[PlaceId]| net.outputs(transition).iter().any(|(place, _)| places.binary_search(place).is_ok());
    let alive = || net.transitions().filter(|transition| reason.dead.binary_search(transition).is_err());
    Some(match &reason.kind {
        Kind::Never(places) => {
            // Without the second, a transition that takes and gives back could have been fired.
            let used = form.fired(alive().filter(|&transition| takes(transition, places)), -1, 0);
            vec![with(vec![form.tokens(places, -1, 0)?]), with(vec![used])]
        }
        Kind::Marked(places) => vec![with(vec![form.tokens(places, 1, -1)?])],
        Kind::Siphon(places) => {
            let filled = form.fired(alive().filter(|&transition| gives(transition, places) && !takes(transition, places)), 1, -1);
            let used = form.fired(alive().filter(|&transition| takes(transition, places)), -1, 0);
            vec![with(vec![filled.clone(), form.tokens(places, -1, 0)?]), with(vec![filled, used])]
        }
        Kind::Trap(places) => {
            let left = form.fired(alive().filter(|&transition| takes(transition, places) && !gives(transition, places)), 1, -1);
            let mut bounds = vec![left, form.tokens(places, 1, -1)?];
            if places.iter().all(|&place| net.initial_tokens(place) == 0) {
                let comes = |transition: &TransitionId| gives(*transition, places) && !net.inputs(*transition).is_empty();
                bounds.push(form.fired(alive().filter(comes), -1, 0));
            }
            vec![with(bounds)]
        }
    })
}

/// The components of the semilinear set as the checker wants them: walks of
/// edges, and how to find the number of each period from the answers.
fn sets(form: &NormalForm, serial: &Serial, options: &Options, budget: &mut Budget) -> Result<Vec<LinearSet>, StopReason> {
    let ticks = options.ticks[2];
    let failed = |error: Error| error.reason(STAGE, ticks);
    let edges = serial_edges(form, budget).map_err(|stopped| failed(Error::Stopped(stopped)))?;
    let done_of = |letter: &Letter| form.node_numbers().find(|&node| form.letter(node).as_ref() == Some(letter));
    let number_of = |edge: EdgeId| {
        let edge = serial.language.edges.get(edge.0)?;
        let node = form.node_numbers().find(|&node| form.letter(node) == Some(edge.letter))?;
        let (from, to) = (u32::try_from(edge.from.index()).ok()?, u32::try_from(edge.to.index()).ok()?);
        u32::try_from(edges.binary_search(&(from, node, to)).ok()?).ok()
    };
    let letters: Option<Vec<Node>> = serial.language.letters.iter().map(done_of).collect();
    linear_sets(&serial.image.set, &letters.ok_or_else(too_large)?, number_of, options, budget)
}

/// A semilinear set as the checker wants it: components with independent periods, and how to find the number of each
/// period from the answers. `letters` are the done nodes of the letters, and `number_of` says which edge of the checker
/// an edge of the automaton is.
pub fn linear_sets(
    set: &Semilinear,
    letters: &[Node],
    number_of: impl Fn(EdgeId) -> Option<u32>,
    options: &Options,
    budget: &mut Budget,
) -> Result<Vec<LinearSet>, StopReason> {
    let ticks = options.ticks[2];
    let failed = |error: Error| error.reason(STAGE, ticks);
    let uses = |counts: &Counts<EdgeId>| -> Option<Uses> {
        let mut uses: Uses =
            counts.iter().map(|(edge, times)| Some((number_of(edge)?, u32::try_from(times).ok()?))).collect::<Option<_>>()?;
        uses.sort_unstable();
        Some(uses)
    };
    let options = options.semilinear();
    let independent = set.independent(&mut SetWork::new(&options, budget)).map_err(failed)?;
    let mut sets = Vec::new();
    for component in independent.components() {
        let forms = component.forms(letters.len()).map_err(failed)?.ok_or_else(too_large)?;
        let mut periods = Vec::new();
        for (period, form) in component.periods().iter().zip(&forms.periods) {
            let mut terms = Vec::new();
            for &(letter, coefficient) in form.expression.terms() {
                let node = *letters.get(letter.0).ok_or_else(too_large)?;
                terms.push((node, coefficient));
            }
            terms.sort_unstable();
            let constant = form.expression.constant();
            periods.push(Period { edges: uses(period.edges()).ok_or_else(too_large)?, divisor: form.divisor, constant, terms });
        }
        sets.push(LinearSet { base: uses(component.base().edges()).ok_or_else(too_large)?, periods });
    }
    Ok(sets)
}
