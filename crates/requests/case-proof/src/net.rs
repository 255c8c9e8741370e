//! The net of a case: what a system in normal form does, and counters that can be emptied just if the literals of the
//! case hold.
//!
//! # The net
//!
//! Its places are
//!
//! - the global states that steps begin or end in, and the initial one, which has the only token of them;
//! - the nodes that steps begin or end at, but for done nodes, and but for initial nodes that no step ends at: a
//!   request at one of these has not come in yet;
//! - for a literal `a·r + c ≥ 0` a place `less`, with `−c` tokens if `c < 0`, unless no number in it is negative; and a
//!   place `more`, with `c` tokens if `c > 0`, unless none is positive or there is no `less`;
//! - for a literal “`d` does not divide `a·r + c`” a place `open` with one token and a place `rest` with as many as the
//!   remainder of `c` by `d`.
//!
//! Its transitions are, in this order,
//!
//! - one for each step, with its number: it takes a token from the global state and from the node where it begins, and
//!   gives one to those where it ends, as far as there are such places; if it ends at a done node, it gives for each
//!   literal `a` tokens to `more` if `a`, the factor of this answer, is positive, `−a` to `less` if it is negative, and
//!   the remainder of `a` by `d` to `rest`;
//! - for each initial node that has a place one that gives it a token;
//! - for each literal with both places one that takes a token from `more` and one from `less`; for each with a place
//!   `rest` one that takes `d` tokens from it, and for each `i` from 1 to `d − 1` one that takes the token from `open`
//!   and `i` from `rest`.
//!
//! The goal is that nodes, `less`, `open` and `rest` have no tokens.
//!
//! **Lemma.** If a complete run has answers for which all literals of the case hold, the net has a firing sequence into
//! the goal.
//!
//! **Proof.** Fire the transitions of the steps of the run, in their order, and before the first step of each request
//! that begins at an initial node with a place, the one that gives the node a token. By induction the token of the
//! global states is on the one of the run, and each node that has a place has as many tokens as requests of the run are
//! there that have come in; what else the transitions take from does not matter to these. So each can fire: its request
//! is at its node, has come in or is at an initial node that no step ends at and so has no place. At the end of a
//! complete run all requests are at done nodes, so nodes have no tokens. Let `r` be the answers and `a·r + c ≥ 0` a
//! literal. Its place `less`, if there is one, has got the negative parts of the sum and `more` the positive ones:
//! `more − less = a·r + c ≥ 0`, where a place that is not there has none. If `less` is there and has tokens, `more` is
//! there, too, with at least as many, and firing the transition of both as often as `less` has tokens empties it. Of a
//! literal with `d`, `rest` has got a number that has the same remainder by `d` as `a·r + c`, which is some `i ≥ 1`.
//! Firing the transition of `open` and `i`, and then the one that takes `d` as often as it can, empties both. These
//! transitions take from the counters of one literal alone, so that they can be fired for all. ∎
//!
//! The theorem does not need that the net can do nothing else: that only helps to find evidence.

use serval_budget::Budget;
use serval_linear::Literal;
use serval_model::{Node, NormalForm};
use serval_net_proof::Refusal;
use serval_petri::{Constraint, Formula, Linear, Net, NetError, PlaceId};

/// More remainders than this have no transitions of their own.
pub const MOST_REMAINDERS: u64 = 1_000;

/// The net of a case and its goal.
pub struct CaseNet {
    /// The net.
    pub net: Net,
    /// What evidence excludes.
    pub goal: Formula,
}

/// Where the answers of a literal are counted.
struct Counter {
    /// The place that gets what is positive.
    more: Option<PlaceId>,
    /// The place that gets what is negative, as a positive number.
    less: Option<PlaceId>,
    /// With a number that divides: the place that gets remainders, and that number.
    rest: Option<(PlaceId, i64)>,
}

const NUMBERS: Refusal = Refusal::TooLarge { what: "places and transitions of a case", limit: u32::MAX as u64 };

fn too_large(_: NetError) -> Refusal {
    NUMBERS
}

/// What is being made.
struct CaseNetBuilder {
    net: Net,
    /// What has no tokens in the goal.
    empty: Vec<PlaceId>,
}

impl CaseNet {
    /// The net of a case with these literals over the numbers of answers, of which each has its done node as variable.
    pub fn new(form: &NormalForm, case: &[&Literal], budget: &mut Budget) -> Result<Self, Refusal> {
        let size = form.nodes().len().saturating_add(form.global_count() as usize).saturating_add(form.steps().len());
        budget.spend(u64::try_from(size.saturating_mul(case.len().saturating_add(1))).unwrap_or(u64::MAX))?;
        let mut builder = CaseNetBuilder { net: Net::new("case"), empty: Vec::new() };
        let globals = builder.globals(form)?;
        let nodes = builder.nodes(form)?;
        let counters = case.iter().enumerate().map(|(number, literal)| builder.counter(number, literal)).collect::<Result<Vec<_>, _>>()?;
        for (number, step) in form.steps().iter().enumerate() {
            let at = |node: Node| nodes.get(node as usize).copied().flatten();
            let one = |place: PlaceId| (place, 1);
            let takes = [globals[step.global as usize], at(step.node)].into_iter().flatten().map(one);
            let gives = [globals[step.to_global as usize], at(step.to_node)].into_iter().flatten().map(one);
            let answer = form.is_done(step.to_node).then_some(step.to_node);
            let counted = answer.into_iter().flat_map(|node| counters.iter().zip(case).filter_map(move |(to, of)| to.counts(of, node)));
            builder.net.add_transition(format!("step {number}"), takes, gives.chain(counted)).map_err(too_large)?;
        }
        for node in form.node_numbers().filter(|&node| form.is_initial(node)) {
            if let Some(place) = nodes[node as usize] {
                builder.net.add_transition(format!("come {node}"), [], [(place, 1)]).map_err(too_large)?;
            }
        }
        for (number, counter) in counters.iter().enumerate() {
            builder.settle(number, counter, budget)?;
        }
        let empty = builder.empty.iter().map(|&place| Formula::constraint(Constraint::Zero(Linear::variable(place))));
        Ok(Self { goal: Formula::all(empty), net: builder.net })
    }
}

impl Counter {
    /// What an answer adds to a place, if anything.
    fn counts(&self, literal: &Literal, answer: Node) -> Option<(PlaceId, u64)> {
        let terms = literal.linear().terms();
        let factor = terms.binary_search_by_key(&answer, |term| term.0).ok().map(|at| terms[at].1)?;
        if let Some((rest, divisor)) = self.rest {
            return Some((rest, factor.rem_euclid(divisor).unsigned_abs()));
        }
        Some((if factor > 0 { self.more? } else { self.less? }, factor.unsigned_abs()))
    }
}

impl CaseNetBuilder {
    fn place(&mut self, name: String, tokens: u64) -> Result<PlaceId, Refusal> {
        self.net.add_place(name, tokens).map_err(too_large)
    }

    /// The same for a place that is empty in the goal.
    fn emptied(&mut self, name: String, tokens: u64) -> Result<PlaceId, Refusal> {
        let place = self.place(name, tokens)?;
        self.empty.push(place);
        Ok(place)
    }

    fn globals(&mut self, form: &NormalForm) -> Result<Vec<Option<PlaceId>>, Refusal> {
        let mut occurs = vec![false; form.global_count() as usize];
        occurs[form.initial_global() as usize] = true;
        form.steps().iter().for_each(|step| [step.global, step.to_global].iter().for_each(|&global| occurs[global as usize] = true));
        let begins = |global: u32| u64::from(global == form.initial_global());
        (0..)
            .zip(occurs)
            .map(|(global, occurs)| occurs.then(|| self.place(format!("global {global}"), begins(global))).transpose())
            .collect()
    }

    fn nodes(&mut self, form: &NormalForm) -> Result<Vec<Option<PlaceId>>, Refusal> {
        let (mut left, mut landed) = (vec![false; form.nodes().len()], vec![false; form.nodes().len()]);
        for step in form.steps() {
            left[step.node as usize] = true;
            landed[step.to_node as usize] = true;
        }
        let mut place = |node: Node| {
            let at = node as usize;
            let occurs = !form.is_done(node) && (landed[at] || (left[at] && !form.is_initial(node)));
            occurs.then(|| self.emptied(format!("at {node}"), 0)).transpose()
        };
        form.node_numbers().map(&mut place).collect()
    }

    /// The places of a literal.
    fn counter(&mut self, number: usize, literal: &Literal) -> Result<Counter, Refusal> {
        let (linear, constant) = (literal.linear(), literal.linear().constant());
        let has = |sign: i64| constant.signum() == sign || linear.terms().iter().any(|term| term.1.signum() == sign);
        match literal {
            Literal::AtLeastZero(_) if !has(-1) => Ok(Counter { more: None, less: None, rest: None }),
            Literal::AtLeastZero(_) => {
                let tokens = |sign: i64| if constant.signum() == sign { constant.unsigned_abs() } else { 0 };
                let less = Some(self.emptied(format!("less {number}"), tokens(-1))?);
                let more = has(1).then(|| self.place(format!("more {number}"), tokens(1))).transpose()?;
                Ok(Counter { more, less, rest: None })
            }
            Literal::NotDivisible(_, divisor) => {
                if !(1..=MOST_REMAINDERS).contains(divisor) {
                    return Err(Refusal::TooLarge { what: "remainders of a case", limit: MOST_REMAINDERS });
                }
                let divisor = i64::try_from(*divisor).map_err(|_| NUMBERS)?;
                self.emptied(format!("open {number}"), 1)?;
                let rest = self.emptied(format!("rest {number}"), constant.rem_euclid(divisor).unsigned_abs())?;
                Ok(Counter { more: None, less: None, rest: Some((rest, divisor)) })
            }
        }
    }

    /// The transitions that empty the places of a literal.
    fn settle(&mut self, number: usize, counter: &Counter, budget: &mut Budget) -> Result<(), Refusal> {
        if let (Some(more), Some(less)) = (counter.more, counter.less) {
            self.net.add_transition(format!("settle {number}"), [(more, 1), (less, 1)], []).map_err(too_large)?;
        }
        let Some((rest, divisor)) = counter.rest else { return Ok(()) };
        budget.spend(divisor.unsigned_abs())?;
        self.net.add_transition(format!("whole {number}"), [(rest, divisor.unsigned_abs())], []).map_err(too_large)?;
        let Some(open) = self.net.place_named(&format!("open {number}")) else { return Ok(()) };
        for left in 1..divisor.unsigned_abs() {
            self.net.add_transition(format!("left {number} {left}"), [(open, 1), (rest, left)], []).map_err(too_large)?;
        }
        Ok(())
    }
}
