//! Sets of serial answers, as far as cases need them.
//!
//! All serial answers together are a semilinear set. Where it can be had, as the published method makes it, its
//! components are the sets, and there are no others. Where it is too large, a set is made around each answers that turn
//! out to be serial, as proofs by counting do.

use serval_budget::{Budget, StopReason, Stopped};
use serval_classic_engine::{Options, linear_sets};
use serval_model::{Node, NormalForm};
use serval_proof::flow::{Clause, LinearSet, answers_clause};
use serval_semilinear::{Automaton, EdgeId, Letter, StateId, image};

use crate::flow::serial::{Answers, Serial};

/// The part of all ticks that the semilinear set may take.
const SHARE: u64 = 4;

/// Sets of serial answers.
pub struct Sets {
    /// Those that a case was split by.
    pub used: Vec<LinearSet>,
    /// Their clauses, in the numbers of answers.
    pub clauses: Vec<Clause>,
    /// The components of the semilinear set, or why there are none.
    all: Result<Vec<(LinearSet, Clause)>, StopReason>,
    serial: Serial,
}

impl Sets {
    /// The sets of a system, none of which is used.
    pub fn new(form: &NormalForm, budget: &mut Budget) -> Result<Self, Stopped> {
        let serial = Serial::new(form, budget)?;
        let mut part = budget.part(budget.left() / SHARE);
        let had = part.left();
        let all = components(form, &serial, &mut part);
        budget.spend(had.saturating_sub(part.left()))?;
        Ok(Self { used: Vec::new(), clauses: Vec::new(), all, serial })
    }

    /// Whether the semilinear set is not at hand.
    pub fn is_cut(&self) -> bool {
        self.all.is_err()
    }

    /// Why it is not.
    pub fn reason(&self) -> StopReason {
        self.all.as_ref().err().cloned().unwrap_or(StopReason::MethodsExcluded)
    }

    /// The number of a set, in use from now on, that contains the answers of steps with these counts; none if they are
    /// not serial, or no set was found.
    pub fn containing(&mut self, form: &NormalForm, counts: &[i64], budget: &mut Budget) -> Result<Option<usize>, Stopped> {
        let mut values = vec![0_i64; form.nodes().len()];
        for (step, &count) in form.steps().iter().zip(counts).filter(|(step, _)| form.is_done(step.to_node)) {
            values[step.to_node as usize] += count;
        }
        let contains = |clause: &Clause| !clause.iter().any(|literal| literal.holds(&values));
        let size = self.clauses.len().saturating_add(self.all.as_ref().map_or(0, Vec::len));
        budget.spend(u64::try_from(size).unwrap_or(u64::MAX))?;
        if let Some(set) = self.clauses.iter().position(contains) {
            return Ok(Some(set));
        }
        let found = match &self.all {
            Ok(all) => all.iter().find(|(_, clause)| contains(clause)).cloned(),
            Err(_) => {
                let given = (0..).zip(&values).filter(|&(_, &count)| count > 0);
                let answers: Answers = given.map(|(node, &count)| (node, count)).collect();
                let set = self.serial.walk(&answers, budget)?.and_then(|walk| self.serial.generalise(&walk));
                // A set that does not contain what it is made from would be used again and again.
                set.and_then(|set| Some((answers_clause(form, &self.serial.edges, &set)?, set)))
                    .filter(|(clause, _)| contains(clause))
                    .map(|(clause, set)| (set, clause))
            }
        };
        Ok(found.map(|(set, clause)| {
            self.used.push(set);
            self.clauses.push(clause);
            self.clauses.len() - 1
        }))
    }
}

/// The components of the semilinear set of all serial answers.
fn components(form: &NormalForm, serial: &Serial, budget: &mut Budget) -> Result<Vec<(LinearSet, Clause)>, StopReason> {
    const STAGE: &str = "semilinear set";
    let ticks = budget.left();
    let options = Options { ticks: [ticks; 3], ..Options::default() };
    let failed = |error: serval_semilinear::Error| error.reason(STAGE, ticks);
    let mut states: Vec<u32> = serial.edges.iter().flat_map(|&(from, _, to)| [from, to]).chain([form.initial_global()]).collect();
    states.sort_unstable();
    states.dedup();
    let mut letters: Vec<Node> = form.node_numbers().filter(|&node| form.is_done(node)).collect();
    letters.sort_unstable();
    // All are there.
    let state = |global: u32| StateId(states.binary_search(&global).unwrap_or_default());
    let letter = |node: Node| Letter(letters.binary_search(&node).unwrap_or_default());
    let edges = serial.edges.iter().map(|&(from, node, to)| (state(from), letter(node), state(to))).collect();
    let automaton = Automaton::new(states.len(), state(form.initial_global()), edges, letters.len()).map_err(failed)?;
    let image = image(&automaton, &options.semilinear(), budget).map_err(failed)?;
    let number_of = |edge: EdgeId| u32::try_from(edge.0).ok();
    let sets = linear_sets(&image.set, &letters, number_of, &options, budget)?;
    let clause = |set: LinearSet| {
        let clause = answers_clause(form, &serial.edges, &set).ok_or(StopReason::NumberTooLarge { stage: STAGE })?;
        Ok((set, clause))
    };
    sets.into_iter().map(clause).collect()
}
