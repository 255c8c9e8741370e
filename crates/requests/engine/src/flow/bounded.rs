//! Runs in which at most a few requests are in flight at any time.
//!
//! **Statement.** Let `A` be the automaton whose states are a global state and a
//! multiset of at most `j` nodes, where those requests are that have begun and
//! not answered, and whose edges are steps by one of them, or by a request that
//! begins. Numbers of times for the edges that are balanced from the initial
//! state (with nothing in flight) to a state with nothing in flight, and whose
//! edges can all be reached from the initial state along edges that are used,
//! are those of a complete run with at most `j` requests in flight between
//! steps; and every such run gives such numbers.
//!
//! *Proof.* A run is a walk in `A`. Conversely there is an Euler walk, because
//! the numbers are balanced and connected; a walk from the initial state is a
//! run, and it is complete if nothing is in flight at its end. ∎
//!
//! So unlike counts of steps in general, counts that are connected are always
//! those of a run, and no search is needed to find it. If there is no solution,
//! there is no counterexample with so few requests in flight.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use serval_arith::{Outcome, Solver};
use serval_budget::{Budget, Stopped};
use serval_linear::{Linear, Literal, Problem};
use serval_model::{Node, NodeStep, NormalForm, Run};
use serval_proof::flow::{LinearSet, set_clause};

use super::realise;
use super::serial::{Answers, Serial};

/// Edges at most with few ticks; with more ticks one more per this number of them. The
/// solver is no good at many.
const EDGES: usize = 3_000;
const TICKS_PER_EDGE: u64 = 1_000;

/// How a look at all runs with few requests in flight ended.
#[derive(Debug)]
pub enum Bounded {
    /// There is no counterexample with so few requests in flight.
    Clear,
    /// A run of [`NormalForm::to_system`] that should be a counterexample.
    Run(Run),
    /// The automaton is too large.
    TooLarge,
}

/// A global state, and where requests in flight are, sorted.
type BoundedState = (u32, Vec<Node>);

struct Automaton {
    states: IndexSet<BoundedState, FxBuildHasher>,
    /// From where, by which step, to where.
    edges: Vec<(usize, NodeStep, usize)>,
}

impl Automaton {
    fn new(form: &NormalForm, concurrent: usize, budget: &mut Budget) -> Result<Option<Self>, Stopped> {
        let mut states: IndexSet<BoundedState, FxBuildHasher> = IndexSet::default();
        states.insert((form.initial_global(), Vec::new()));
        let mut edges = Vec::new();
        let initial: Vec<Node> = form.node_numbers().filter(|&node| form.is_initial(node)).collect();
        let most = EDGES.max(usize::try_from(budget.left() / TICKS_PER_EDGE).unwrap_or(usize::MAX));
        let mut position = 0;
        while let Some((global, flight)) = states.get_index(position).cloned() {
            let mut movers: Vec<(Node, bool)> = flight.iter().map(|&node| (node, true)).collect();
            movers.dedup();
            movers.extend(initial.iter().map(|&node| (node, false)));
            for (node, in_flight) in movers {
                for &step in form.steps_from((node, global)) {
                    budget.spend(1)?;
                    let mut after = flight.clone();
                    if in_flight && let Ok(at) = after.binary_search(&node) {
                        after.remove(at);
                    }
                    if !form.is_done(step.to_node) {
                        let at = after.partition_point(|&other| other <= step.to_node);
                        after.insert(at, step.to_node);
                    }
                    if after.len() <= concurrent {
                        edges.push((position, step, states.insert_full((step.to_global, after)).0));
                    }
                }
            }
            if edges.len() / 4 > most {
                return Ok(None);
            }
            position += 1;
        }
        let mut automaton = Self { states, edges };
        automaton.keep_useful();
        Ok((automaton.edges.len() <= most).then_some(automaton))
    }

    /// Leaves out edges from which nothing in flight can no longer be reached.
    fn keep_useful(&mut self) {
        let mut back: Vec<Vec<usize>> = vec![Vec::new(); self.states.len()];
        for &(from, _, to) in &self.edges {
            back[to].push(from);
        }
        let mut useful: Vec<bool> = self.states.iter().map(|(_, flight)| flight.is_empty()).collect();
        let mut to_visit: Vec<usize> = (0..useful.len()).filter(|&state| useful[state]).collect();
        while let Some(state) = to_visit.pop() {
            for &from in &back[state] {
                if !std::mem::replace(&mut useful[from], true) {
                    to_visit.push(from);
                }
            }
        }
        self.edges.retain(|&(_, _, to)| useful[to]);
    }

    fn problem(&self) -> Option<Problem> {
        let mut problem = Problem { variables: u32::try_from(self.edges.len()).ok()?, ..Problem::default() };
        let mut balance: Vec<Vec<(u32, i64)>> = vec![Vec::new(); self.states.len()];
        for (variable, &(from, _, to)) in (0..).zip(&self.edges) {
            balance[from].push((variable, -1));
            balance[to].push((variable, 1));
        }
        let mut ends = Vec::new();
        for (state, mut terms) in balance.into_iter().enumerate() {
            if self.states[state].1.is_empty() {
                ends.push((problem.variables, 1));
                terms.push((problem.variables, -1));
                problem.variables += 1;
            }
            problem.equalities.push(Linear::new(terms, i64::from(state == 0))?);
        }
        problem.equalities.push(Linear::new(ends, -1)?);
        Some(problem)
    }

    /// The states that are reached along edges that are used.
    fn reached(&self, counts: &[i64]) -> Vec<bool> {
        let mut reached = vec![false; self.states.len()];
        reached[0] = true;
        loop {
            let mut new = false;
            for (&(from, _, to), &count) in self.edges.iter().zip(counts) {
                new |= count > 0 && reached[from] && !std::mem::replace(&mut reached[to], true);
            }
            if !new {
                return reached;
            }
        }
    }

    /// Edges outside are used only if one leads outside; `None` if all edges
    /// that are used are reached.
    fn connect(&self, counts: &[i64]) -> Option<Vec<Literal>> {
        let reached = self.reached(counts);
        if self.edges.iter().zip(counts).all(|(&(from, ..), &count)| count == 0 || reached[from]) {
            return None;
        }
        let (mut outside, mut leading) = (Vec::new(), Vec::new());
        for (variable, &(from, _, to)) in (0..).zip(&self.edges) {
            if !reached[from] {
                outside.push((variable, -1));
            } else if !reached[to] {
                leading.push((variable, 1));
            }
        }
        Some(vec![Literal::AtLeastZero(Linear::new(outside, 0)?), Literal::AtLeastZero(Linear::new(leading, -1)?)])
    }

    fn answers(&self, form: &NormalForm, counts: &[i64]) -> Answers {
        let mut answers = Answers::new();
        for (&(_, step, _), &count) in self.edges.iter().zip(counts) {
            if count > 0 && form.is_done(step.to_node) {
                *answers.entry(step.to_node).or_default() += count;
            }
        }
        answers
    }

    /// The clause that answers are not in a set, in the counts of edges.
    fn block(&self, form: &NormalForm, serial: &Serial, set: &LinearSet) -> Option<Vec<Literal>> {
        // A system whose steps are the edges' last steps, one each, has the
        // same clause; its step `t` stands for all edges with that step.
        let clause = set_clause(form, &serial.edges, set)?;
        let mut edges_of: Vec<Vec<u32>> = vec![Vec::new(); form.steps().len()];
        for (variable, (_, step, _)) in (0..).zip(&self.edges) {
            if let Ok(at) = form.steps().binary_search(step) {
                edges_of[at].push(variable);
            }
        }
        let spread = |linear: &Linear| {
            let terms =
                linear.terms().iter().flat_map(|&(step, coefficient)| edges_of[step as usize].iter().map(move |&edge| (edge, coefficient)));
            Linear::new(terms, linear.constant())
        };
        clause
            .iter()
            .map(|literal| match literal {
                Literal::AtLeastZero(linear) => spread(linear).map(Literal::AtLeastZero),
                Literal::NotDivisible(linear, divisor) => spread(linear).map(|linear| Literal::NotDivisible(linear, *divisor)),
            })
            .collect()
    }

    /// There are fewer answers than in a run.
    fn fewer(&self, form: &NormalForm, run: &Run) -> Option<Linear> {
        let answered = i64::try_from(run.configuration().completed.size()).ok()?;
        let answers = (0..).zip(&self.edges).filter(|(_, (_, step, _))| form.is_done(step.to_node)).map(|(variable, _)| (variable, -1));
        Linear::new(answers, answered.checked_sub(1)?)
    }

    /// The steps of an Euler walk (Hierholzer).
    fn walk(&self, counts: &[i64]) -> Vec<NodeStep> {
        let mut left = counts.to_vec();
        let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); self.states.len()];
        for (edge, &(from, ..)) in self.edges.iter().enumerate() {
            leaving[from].push(edge);
        }
        let mut steps = Vec::new();
        let mut stack: Vec<(usize, Option<usize>)> = vec![(0, None)];
        while let Some(&(state, came)) = stack.last() {
            while leaving[state].last().is_some_and(|&edge| left[edge] == 0) {
                leaving[state].pop();
            }
            match leaving[state].last() {
                Some(&edge) => {
                    left[edge] -= 1;
                    stack.push((self.edges[edge].2, Some(edge)));
                }
                None => {
                    stack.pop();
                    steps.extend(came.map(|edge| self.edges[edge].1));
                }
            }
        }
        steps.reverse();
        steps
    }
}

/// Looks for a counterexample in which at most `concurrent` requests are in
/// flight between steps, and then for one with fewer requests.
pub fn search(form: &NormalForm, concurrent: usize, budget: &mut Budget) -> Result<Bounded, Stopped> {
    let serial = Serial::new(form, budget)?;
    let Some(automaton) = Automaton::new(form, concurrent, budget)? else { return Ok(Bounded::TooLarge) };
    let Some(problem) = automaton.problem() else { return Ok(Bounded::TooLarge) };
    let mut solver = Solver::new(problem);
    let run = match next_run(form, &serial, &automaton, &mut solver, budget)? {
        Some(run) => run,
        None => return Ok(Bounded::Clear),
    };
    // A better one is worth as much work as the first one was, not more.
    let mut part = budget.part(budget.left() / 4);
    let mut best = run;
    while let Some(fewer) = automaton.fewer(form, &best) {
        solver.add_inequality(fewer);
        match next_run(form, &serial, &automaton, &mut solver, &mut part) {
            Ok(Some(run)) => best = run,
            Ok(None) | Err(_) => break,
        }
    }
    Ok(Bounded::Run(best))
}

/// The next counterexample; `None` if there is none.
fn next_run(
    form: &NormalForm,
    serial: &Serial,
    automaton: &Automaton,
    solver: &mut Solver,
    budget: &mut Budget,
) -> Result<Option<Run>, Stopped> {
    // Every round takes ticks.
    loop {
        budget.spend(1)?;
        let counts = match solver.solve(budget) {
            Outcome::Satisfiable(counts) => counts,
            Outcome::Refuted(_) => return Ok(None),
            Outcome::Stopped(stopped) => return Err(stopped),
        };
        let counts = &counts[..automaton.edges.len()];
        let clause = match automaton.connect(counts) {
            Some(clause) => Some(clause),
            None => match serial.walk(&automaton.answers(form, counts), budget)? {
                Some(walk) => serial.generalise(&walk).and_then(|set| automaton.block(form, serial, &set)),
                None => return realise::run_of(form, &automaton.walk(counts)).map(Some).ok_or(Stopped::OutOfTicks),
            },
        };
        solver.add_clause(clause.ok_or(Stopped::OutOfTicks)?);
    }
}
