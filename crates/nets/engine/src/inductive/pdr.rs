//! IC3, property-directed reachability (Bradley 2011): an inductive invariant of clauses, each of which is learnt from
//! a way into the goal.
//!
//! There are *frames* `F_0, F_1, …, F_k`: `F_i` holds in all markings that can be reached in at most `i` steps, `F_0`
//! is the initial marking, and the clauses of `F_{i+1}` are among those of `F_i`. *Facts* ([`Facts`]) are in all of
//! them. A *cube* is a set of markings, given by bounds of places. What leads by one transition into a cube is a cube
//! again, exactly: so every marking of the cubes that are looked at leads into the goal, and if one of them has the
//! initial marking, that is a run.
//!
//! A cube of the goal that `F_k` leaves open is *blocked*: first by facts, if the marking equation or a trap excludes
//! it; else its predecessors in `F_{k−1}` are blocked, and so on, until no transition leads into it from a frame. Then
//! it is made larger, as long as that stays so: the engine names the bounds that it needs, and how tight they must be,
//! and the others are dropped one by one. Its opposite is a clause of the frame. Where two frames become the same they
//! are an invariant.

use std::collections::BTreeSet;

use serval_budget::{Budget, Stopped};
use serval_net_proof::{Clause, Evidence};
use serval_petri::{Formula, Net};

use super::InductiveOutcome;
use super::engine::{EngineAnswer, Lit};
use super::facts::Facts;
use super::theory::{Theory, bound_of, cube_in, tightest};
use super::written::{Failed, written};
use crate::equation::Base;

/// The level of what is in all frames, and of what is in none.
const ALWAYS: usize = usize::MAX;
const NEVER: usize = 0;

/// A clause of a frame and of all before it; facts have no cube.
struct Lemma {
    clause: Clause,
    cube: Vec<Lit>,
    level: usize,
}

/// A cube that leads into the goal.
struct Duty {
    cube: Vec<Lit>,
    /// Into which cube, and by which transition.
    next: Option<(usize, usize)>,
    /// Whether facts have been asked for.
    is_asked: bool,
}

/// What leads into a cube.
enum Entered {
    /// Nothing, and already these bounds are enough for that.
    Not(Vec<Lit>),
    /// This transition.
    By(usize),
}

struct Pdr<'a> {
    net: &'a Net,
    facts: Facts<'a>,
    theory: Theory,
    /// By clause of the theory.
    lemmas: Vec<Lemma>,
    initial: Vec<i64>,
    inputs: Vec<Vec<(usize, i64)>>,
    changes: Vec<Vec<(usize, i64)>>,
}

/// Asks about a goal.
pub(crate) fn pdr(net: &Net, base: &Base, proved: &[Clause], goal: &Formula, budget: &mut Budget) -> Result<InductiveOutcome, Stopped> {
    let mut facts = Facts::new(net, base, proved, budget)?;
    if facts.exclude_goal(goal, &mut budget.part(budget.left() / 4)).is_ok_and(|excluded| excluded) {
        match written(net, goal, &facts.clauses, false, &mut budget.part(budget.left() / 4)) {
            Ok(inductive) => return Ok(InductiveOutcome::Excluded(Box::new(Evidence::Inductive(inductive)))),
            // Whole numbers of firings, of which facts know nothing, may have been needed.
            Err(_) => budget.spend(0)?,
        }
    }
    let narrow = |number: i128| i64::try_from(number).ok().filter(|number| number.unsigned_abs() < 1 << 40);
    let initial = net.initial().as_slice().iter().map(|&tokens| narrow(tokens.into())).collect::<Option<Vec<_>>>();
    let inputs = net
        .transitions()
        .map(|transition| net.inputs(transition).iter().map(|&(place, weight)| Some((place.index(), narrow(weight.into())?))).collect());
    let inputs = inputs.collect::<Option<Vec<Vec<_>>>>();
    let changes =
        facts.effects.iter().map(|effect| effect.change().iter().map(|&(place, change)| Some((place as usize, narrow(change)?))).collect());
    let changes = changes.collect::<Option<Vec<Vec<_>>>>();
    let (Some(initial), Some(inputs), Some(changes)) = (initial, inputs, changes) else { return Ok(InductiveOutcome::Nothing) };
    let theory = Theory::new(net);
    let mut pdr = Pdr { net, facts, theory, lemmas: Vec::new(), initial, inputs, changes };
    pdr.run(goal, budget)
}

impl Pdr<'_> {
    fn run(&mut self, goal: &Formula, budget: &mut Budget) -> Result<InductiveOutcome, Stopped> {
        let Some(bad) = self.theory.formula(goal) else { return Ok(InductiveOutcome::Nothing) };
        let mut last = 1;
        loop {
            loop {
                self.tell_facts();
                let mut assumed = self.frame(last);
                assumed.push(bad);
                let EngineAnswer::Model(model) = self.theory.engine.solve(&assumed, budget)? else { break };
                let Some(cube) = cube_in(goal, &model[..self.initial.len()]) else { return Ok(InductiveOutcome::Nothing) };
                if let Some(run) = self.block(cube, last, budget)? {
                    return Ok(InductiveOutcome::Reached(run));
                }
            }
            last += 1;
            if let Some(level) = self.push(last, budget)? {
                let clauses: Vec<Clause> =
                    self.lemmas.iter().filter(|lemma| lemma.level > level).map(|lemma| lemma.clause.clone()).collect();
                return match written(self.net, goal, &clauses, false, budget) {
                    Ok(inductive) => Ok(InductiveOutcome::Excluded(Box::new(Evidence::Inductive(inductive)))),
                    Err(Failed::Stopped(stopped)) => Err(stopped),
                    Err(_) => Ok(InductiveOutcome::Nothing),
                };
            }
        }
    }

    /// Tells the engine of facts that are new.
    fn tell_facts(&mut self) {
        let known = self.lemmas.iter().filter(|lemma| lemma.cube.is_empty()).count();
        for clause in &self.facts.clauses[known..] {
            self.theory.clause(clause);
            self.lemmas.push(Lemma { clause: clause.clone(), cube: Vec::new(), level: ALWAYS });
        }
    }

    /// What has the engine take a frame into account.
    fn frame(&self, level: usize) -> Vec<Lit> {
        self.lemmas.iter().zip(&self.theory.switches).filter(|one| one.0.level >= level).map(|one| *one.1).collect()
    }

    fn has_initial(&self, cube: &[Lit]) -> bool {
        cube.iter().all(|lit| lit.holds(self.initial[lit.variable]))
    }

    /// Blocks a cube of the goal in a frame, or finds a run into it.
    fn block(&mut self, cube: Vec<Lit>, last: usize, budget: &mut Budget) -> Result<Option<Vec<u32>>, Stopped> {
        let mut duties = vec![Duty { cube, next: None, is_asked: false }];
        let mut open: BTreeSet<(usize, usize)> = BTreeSet::from([(last, 0)]);
        while let Some((level, number)) = open.pop_first() {
            budget.spend(1)?;
            let cube = duties[number].cube.clone();
            if self.has_initial(&cube) {
                return Ok(Some(run_from(&duties, number)));
            }
            let mut assumed = self.frame(level);
            assumed.extend(&cube);
            if let EngineAnswer::Model(_) = self.theory.engine.solve(&assumed, budget)? {
                if !std::mem::replace(&mut duties[number].is_asked, true) && self.facts.exclude(&cube, budget)? {
                    self.tell_facts();
                    open.insert((level, number));
                    continue;
                }
                match self.entered(&cube, level - 1, true, budget)? {
                    Entered::By(transition) => {
                        open.insert((level, number));
                        open.insert((level - 1, duties.len()));
                        duties.push(Duty { cube: self.before(&cube, transition), next: Some((number, transition)), is_asked: false });
                        continue;
                    }
                    Entered::Not(needed) => self.learn(&cube, needed, level, last, budget)?,
                }
            }
            // What is blocked here may come back in a later frame.
            if level < last {
                open.insert((level + 1, number));
            }
        }
        Ok(None)
    }

    /// The markings that a transition leads into the cube from.
    fn before(&self, cube: &[Lit], transition: usize) -> Vec<Lit> {
        let change = |place: usize| self.changes[transition].iter().find(|one| one.0 == place).map_or(0, |one| one.1);
        let mut before: Vec<Lit> = self.inputs[transition].iter().map(|&(place, weight)| Lit::at_least(place, weight)).collect();
        before.extend(cube.iter().map(|lit| Lit { value: lit.value.saturating_sub(change(lit.variable)), ..*lit }));
        before.retain(|lit| !lit.at_least || lit.value > 0);
        tightest(before)
    }

    /// Whether a transition leads into a cube from a frame; with `outside`, from where the cube is not.
    fn entered(&mut self, cube: &[Lit], level: usize, outside: bool, budget: &mut Budget) -> Result<Entered, Stopped> {
        if level == 0 {
            return Ok(self.entered_from_start(cube));
        }
        let mut assumed = self.frame(level);
        let mut switch = None;
        if outside {
            let lit = self.theory.switch();
            let clause = cube.iter().map(|lit| lit.opposite()).chain([lit.opposite()]).collect();
            self.theory.engine.clause(clause);
            assumed.push(lit);
            switch = Some(lit);
        }
        let entered = self.entered_under(cube, &assumed, budget);
        if let Some(switch) = switch {
            self.theory.engine.clause(vec![switch.opposite()]);
        }
        entered
    }

    fn entered_under(&mut self, cube: &[Lit], assumed: &[Lit], budget: &mut Budget) -> Result<Entered, Stopped> {
        let mut needed: Vec<Lit> = Vec::new();
        for transition in 0..self.inputs.len() {
            // Without a change in its places nothing enters a cube from outside.
            if !self.changes[transition].iter().any(|&(place, _)| cube.iter().any(|lit| lit.variable == place)) {
                continue;
            }
            let before = self.before(cube, transition);
            let mut question = assumed.to_vec();
            question.extend(&before);
            match self.theory.engine.solve(&question, budget)? {
                EngineAnswer::Model(_) => return Ok(Entered::By(transition)),
                EngineAnswer::None(core) => {
                    for lit in core.into_iter().filter(|lit| lit.variable < self.initial.len()) {
                        let given = self.inputs[transition].iter().find(|one| one.0 == lit.variable && lit.at_least);
                        if given.is_some_and(|given| lit.value <= given.1) {
                            continue;
                        }
                        let change = self.changes[transition].iter().find(|one| one.0 == lit.variable).map_or(0, |one| one.1);
                        needed.push(Lit { value: lit.value.saturating_add(change), ..lit });
                    }
                }
            }
        }
        Ok(Entered::Not(needed))
    }

    fn entered_from_start(&self, cube: &[Lit]) -> Entered {
        let mut needed: Vec<Lit> = Vec::new();
        for transition in 0..self.inputs.len() {
            if self.inputs[transition].iter().any(|&(place, weight)| self.initial[place] < weight) {
                continue;
            }
            let change = |place: usize| self.changes[transition].iter().find(|one| one.0 == place).map_or(0, |one| one.1);
            let after = |place: usize| self.initial[place].saturating_add(change(place));
            let outside = |lit: &&Lit| !lit.holds(after(lit.variable));
            if needed.iter().any(|lit| outside(&lit)) {
                continue;
            }
            match cube.iter().find(outside) {
                None => return Entered::By(transition),
                Some(lit) => needed.push(*lit),
            }
        }
        Entered::Not(needed)
    }

    /// The bounds that are needed, in a cube without the initial marking.
    fn repaired(&self, needed: Vec<Lit>, cube: &[Lit]) -> Vec<Lit> {
        // A bound that always holds is none.
        let mut smaller = tightest(needed.into_iter().filter(|lit| !lit.at_least || lit.value > 0).collect());
        if self.has_initial(&smaller) {
            let excluding = cube.iter().find(|lit| !lit.holds(self.initial[lit.variable]));
            smaller.extend(excluding.map(|lit| {
                let at = self.initial[lit.variable];
                Lit { value: if lit.at_least { at.saturating_add(1) } else { at.saturating_sub(1) }, ..*lit }
            }));
            smaller = tightest(smaller);
        }
        smaller
    }

    /// Makes a cube that no transition enters as large as it can be, and adds its opposite to frames.
    fn learn(&mut self, cube: &[Lit], needed: Vec<Lit>, level: usize, last: usize, budget: &mut Budget) -> Result<(), Stopped> {
        let mut best = self.repaired(needed, cube);
        let mut at = 0;
        while at < best.len() {
            let mut larger = best.clone();
            larger.remove(at);
            if self.has_initial(&larger) {
                at += 1;
                continue;
            }
            match self.entered(&larger, level - 1, true, budget)? {
                Entered::Not(needed) => best = self.repaired(needed, &larger),
                Entered::By(_) => at += 1,
            }
        }
        let mut to = level;
        while to < last && matches!(self.entered(&best, to, true, budget)?, Entered::Not(_)) {
            to += 1;
        }
        // What it contains says nothing more.
        let contains =
            |cube: &[Lit]| best.iter().all(|lit| cube.iter().any(|other| lit.side() == other.side() && lit.follows_from(*other)));
        for lemma in self.lemmas.iter_mut().filter(|lemma| !lemma.cube.is_empty() && lemma.level <= to) {
            if contains(&lemma.cube) {
                lemma.level = NEVER;
            }
        }
        let clause: Clause = best.iter().filter_map(|lit| bound_of(lit.opposite())).collect();
        self.theory.clause(&clause);
        self.lemmas.push(Lemma { clause, cube: best, level: to });
        Ok(())
    }

    /// Moves clauses to later frames; gives a frame that is the same as the next.
    fn push(&mut self, last: usize, budget: &mut Budget) -> Result<Option<usize>, Stopped> {
        for level in 1..last {
            for number in 0..self.lemmas.len() {
                if self.lemmas[number].level == level {
                    let cube = self.lemmas[number].cube.clone();
                    if let Entered::Not(_) = self.entered(&cube, level, false, budget)? {
                        self.lemmas[number].level = level + 1;
                    }
                }
            }
            if self.lemmas.iter().all(|lemma| lemma.level != level) {
                return Ok(Some(level));
            }
        }
        Ok(None)
    }
}

fn run_from(duties: &[Duty], mut number: usize) -> Vec<u32> {
    let mut run = Vec::new();
    while let Some((next, transition)) = duties[number].next {
        run.push(u32::try_from(transition).unwrap_or(u32::MAX));
        number = next;
    }
    run
}
