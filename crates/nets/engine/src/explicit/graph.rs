//! The graph of all markings (reachability graph): which transition leads from which marking to which.

use serval_budget::{Budget, Stopped};
use serval_net_proof::RowSteps;
use serval_petri::Net;
use serval_states::StateSet;

use super::{Exploration, Here, explore, steps};
use crate::fast::Fast;

/// All markings, and where transitions lead.
pub(super) struct Graph<'a> {
    pub(super) fast: &'a Fast,
    pub(super) known: StateSet<u64>,
    pub(super) steps: RowSteps,
    /// By marking the numbers of those to which the transitions lead that are enabled, in their order.
    pub(super) next: Vec<Vec<usize>>,
}

/// What a search for all markings gives.
pub(super) enum GraphOutcome<'a> {
    All(Box<Graph<'a>>),
    TooMany,
    TooManyTokens,
}

impl<'a> Graph<'a> {
    /// Looks at all markings, at most `most`.
    pub(super) fn explore(fast: &'a Fast, most: usize, budget: &mut Budget) -> Result<GraphOutcome<'a>, Stopped> {
        Ok(match explore(fast, most, budget, |_| false, |here: Here<'_>, into| here.enabled(into))? {
            Exploration::All(known) => GraphOutcome::All(Box::new(Self::new(fast, *known, budget)?)),
            // Nothing is a goal of that search.
            Exploration::TooMany | Exploration::Reached(_) => GraphOutcome::TooMany,
            Exploration::TooManyTokens => GraphOutcome::TooManyTokens,
        })
    }

    fn new(fast: &'a Fast, mut known: StateSet<u64>, budget: &mut Budget) -> Result<Self, Stopped> {
        let mut steps = steps(fast);
        steps.fit(known.rows());
        let (mut next, mut transitions) = (Vec::with_capacity(known.len()), Vec::new());
        let (mut marking, mut after): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
        for number in 0..known.len() {
            budget.spend(1)?;
            known.read(number, &mut marking);
            transitions.clear();
            steps.list(known.rows(), number, &mut transitions);
            let mut ends = Vec::with_capacity(transitions.len());
            for &transition in &transitions {
                after.clone_from(&marking);
                // All of them have been explored.
                ends.extend(fast.fire(&mut after, transition).then(|| known.find(&after)).flatten());
            }
            next.push(ends);
        }
        Ok(Self { fast, known, steps, next })
    }

    /// The transitions that are enabled at a marking, in the order of `next`.
    pub(super) fn enabled(&self, number: usize, into: &mut Vec<usize>) {
        into.clear();
        self.steps.list(self.known.rows(), number, into);
    }
}

/// All markings that can be reached, the first of which is the initial one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkingGraph {
    /// The tokens by place, in the order in which a search comes to them, breadth first.
    pub markings: Vec<Vec<u64>>,
    /// From which marking which transition leads to which, ascending.
    pub firings: Vec<(usize, usize, usize)>,
}

/// The graph of all markings; nothing where there are more than `most`, or a place has more tokens than fit. A tick is
/// a marking.
pub fn marking_graph(net: &Net, most: usize, budget: &mut Budget) -> Result<Option<MarkingGraph>, Stopped> {
    let fast = Fast::new(net);
    let GraphOutcome::All(graph) = Graph::explore(&fast, most, budget)? else { return Ok(None) };
    let (mut firings, mut transitions) = (Vec::new(), Vec::new());
    for (from, ends) in graph.next.iter().enumerate() {
        graph.enabled(from, &mut transitions);
        firings.extend(transitions.iter().zip(ends).map(|(&transition, &to)| (from, transition, to)));
    }
    Ok(Some(MarkingGraph { markings: graph.known.iter().collect(), firings }))
}
