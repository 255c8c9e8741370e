//! Which two requests can be where at the same time, round by round.
//!
//! The fact says: if a run makes no step of a certain list, some other steps are
//! not made either. It is shown with sets of pairs of places, in rounds that go
//! forwards and backwards in turns ([`serval_proof::script::pairs`]); in each
//! round what the rounds before showed is known at every moment. All requests
//! are there from the beginning, at initial nodes.

use std::collections::{BTreeMap, BTreeSet};

use serval_budget::{Budget, Stopped};
use serval_model::{Node, NodeStep, NormalForm};

use crate::inductive::{Inductive, StepChange};
use crate::smtlib::{SmtTerm, all, any, at_most, equal, not};
use crate::state::{GLOBAL, at, change, global_is, made_of};
use crate::{Names, Obligation};

/// A place of a request: a node, or anywhere done.
type RequestPlace = Option<Node>;

/// `(global, a, b)` with `a ≤ b`.
type Pairs = BTreeSet<(u32, RequestPlace, RequestPlace)>;

pub(crate) struct Rounds<'a> {
    form: &'a NormalForm,
    /// The steps that a run does not make by assumption.
    without: &'a [u32],
    /// Forwards, backwards, forwards, …
    rounds: Vec<Pairs>,
    /// The steps that are then not made, by number.
    dead: Vec<usize>,
}

fn pair(global: u32, a: RequestPlace, b: RequestPlace) -> (u32, RequestPlace, RequestPlace) {
    (global, a.min(b), a.max(b))
}

impl<'a> Rounds<'a> {
    pub(crate) fn new(form: &'a NormalForm, without: &'a [u32], budget: &mut Budget) -> Result<Self, Stopped> {
        let mut rounds = Self { form, without, rounds: Vec::new(), dead: Vec::new() };
        loop {
            let backwards = rounds.rounds.len() % 2 == 1;
            let pairs = rounds.round(backwards, budget)?;
            let settled = rounds.rounds.len() > 1 && rounds.rounds.last() == Some(&pairs);
            rounds.rounds.push(pairs);
            if settled {
                break;
            }
        }
        if let Some(last) = rounds.rounds.last() {
            let visits = |node: Node, global: u32| last.contains(&pair(global, rounds.place(node), None));
            let dead = form.steps().iter().enumerate().filter(|&(index, step)| {
                let possible = visits(step.node, step.global) && visits(step.to_node, step.to_global);
                !rounds.is_without(index) && !possible
            });
            rounds.dead = dead.map(|(index, _)| index).collect();
        }
        Ok(rounds)
    }

    fn is_without(&self, index: usize) -> bool {
        u32::try_from(index).is_ok_and(|index| self.without.binary_search(&index).is_ok())
    }

    fn place(&self, node: Node) -> RequestPlace {
        (!self.form.is_done(node)).then_some(node)
    }

    /// Moves of one request: from a place under a global state to another.
    fn moves(&self, backwards: bool) -> BTreeMap<u32, Vec<(RequestPlace, RequestPlace, u32)>> {
        let mut moves: BTreeMap<u32, Vec<(RequestPlace, RequestPlace, u32)>> = BTreeMap::new();
        for (_, step) in self.form.steps().iter().enumerate().filter(|&(index, _)| !self.is_without(index)) {
            let (from, to) = ((self.place(step.node), step.global), (self.place(step.to_node), step.to_global));
            let (from, to) = if backwards { (to, from) } else { (from, to) };
            moves.entry(from.1).or_default().push((from.0, to.0, to.1));
        }
        moves
    }

    /// The least set that contains how a round begins and is closed under moves
    /// of one of the two and of a third.
    fn round(&self, backwards: bool, budget: &mut Budget) -> Result<Pairs, Stopped> {
        let before = self.rounds.last();
        let moves = self.moves(backwards);
        let mut pairs = Pairs::new();
        let mut new: Vec<(u32, RequestPlace, RequestPlace)> = if backwards {
            (0..self.form.global_count()).map(|global| (global, None, None)).collect()
        } else {
            let begins: Vec<RequestPlace> =
                self.form.node_numbers().filter(|&node| self.form.is_initial(node)).map(Some).chain([None]).collect();
            begins.iter().flat_map(|&a| begins.iter().map(move |&b| pair(self.form.initial_global(), a, b))).collect()
        };
        // Until nothing new comes; what a third request does depends on all pairs, so all are looked at again.
        loop {
            let size = pairs.len();
            pairs.extend(new.drain(..).filter(|pair| before.is_none_or(|before| before.contains(pair))));
            if pairs.len() == size {
                return Ok(pairs);
            }
            for &(global, a, b) in &pairs {
                let moves = moves.get(&global).map_or(&[][..], Vec::as_slice);
                budget.spend(moves.len() as u64 + 1)?;
                for &(from, to, after) in moves {
                    if from == a {
                        new.push(pair(after, to, b));
                    }
                    if from == b {
                        new.push(pair(after, a, to));
                    }
                    if pairs.contains(&pair(global, a, from)) && pairs.contains(&pair(global, b, from)) {
                        new.push(pair(after, a, b));
                    }
                }
            }
        }
    }

    /// What the fact says about a whole run.
    pub(crate) fn clause(&self) -> SmtTerm {
        let numbered = |which: &dyn Fn(usize) -> bool| {
            let chosen: BTreeSet<NodeStep> =
                self.form.steps().iter().enumerate().filter(|&(index, _)| which(index)).map(|(_, step)| *step).collect();
            made_of(self.form, |step| chosen.contains(step))
        };
        let others = numbered(&|index| self.is_without(index));
        let dead = numbered(&|index| self.dead.binary_search(&index).is_ok());
        any(&[equal(&dead, "0"), at_most("1", &others)])
    }

    /// No request is where a set does not allow it.
    fn says(&self, pairs: &Pairs) -> Vec<SmtTerm> {
        let nodes: Vec<Node> = self.form.node_numbers().filter(|&node| !self.form.is_done(node)).collect();
        let is_at = |node: Node, least: u32| at_most(&least.to_string(), &at(node));
        let mut says = Vec::new();
        for global in 0..self.form.global_count() {
            let mut excluded = Vec::new();
            if !pairs.contains(&(global, None, None)) {
                excluded.push("true".to_owned());
            }
            for (index, &a) in nodes.iter().enumerate() {
                if !pairs.contains(&pair(global, Some(a), None)) {
                    excluded.push(is_at(a, 1));
                    continue;
                }
                for &b in &nodes[index..] {
                    if !pairs.contains(&pair(global, Some(a), Some(b))) {
                        excluded.push(if a == b { is_at(a, 2) } else { all(&[is_at(a, 1), is_at(b, 1)]) });
                    }
                }
            }
            if !excluded.is_empty() {
                says.push(not(&all(&[global_is(global), any(&excluded)])));
            }
        }
        says
    }

    pub(crate) fn obligations(&self, fact: usize, names: &Names) -> Vec<Obligation> {
        let form = self.form;
        let nodes: Vec<Node> = form.node_numbers().filter(|&node| !form.is_done(node)).collect();
        let mut variables = vec![GLOBAL.to_owned()];
        variables.extend(nodes.iter().map(|&node| at(node)));
        let range: Vec<SmtTerm> =
            variables.iter().map(|variable| at_most("0", variable)).chain([format!("(< {GLOBAL} {})", form.global_count())]).collect();
        let mut obligations = Vec::new();
        let mut known: Vec<SmtTerm> = Vec::new();
        for (round, pairs) in self.rounds.iter().enumerate() {
            let backwards = round % 2 == 1;
            let holds: Vec<SmtTerm> = range.iter().cloned().chain(self.says(pairs)).collect();
            let direction = if backwards { "backwards" } else { "forwards" };
            let title = vec![format!("Who can be where together (fact {}), round {}, {direction}.", fact + 1, round + 1)];
            let name = format!("pairs-{}-round-{}-", fact + 1, round + 1);
            let invariant = Inductive { title, name, variables: variables.clone(), holds, known };
            let begins: Vec<SmtTerm> = if backwards {
                nodes.iter().map(|&node| equal(&at(node), "0")).chain(range.iter().cloned()).collect()
            } else {
                let empty = nodes.iter().filter(|&&node| !form.is_initial(node)).map(|&node| equal(&at(node), "0"));
                empty.chain([global_is(form.initial_global())]).chain(range.iter().cloned()).collect()
            };
            obligations.push(invariant.initially(&begins));
            for (index, &step) in form.steps().iter().enumerate().filter(|&(index, _)| !self.is_without(index)) {
                obligations.push(invariant.after(&self.change(index, step, backwards, names)));
            }
            if round + 1 == self.rounds.len() {
                for &index in &self.dead {
                    obligations.push(invariant.never(&self.change(index, form.steps()[index], false, names)));
                }
            }
            known = invariant.holds;
        }
        obligations
    }

    fn change(&self, index: usize, step: NodeStep, backwards: bool, names: &Names) -> StepChange {
        let taken = if backwards {
            NodeStep { node: step.to_node, global: step.to_global, to_node: step.node, to_global: step.global }
        } else {
            step
        };
        let mut change = change(self.form, index, taken, |node| !self.form.is_done(node), names);
        if backwards {
            change.says = format!("this is taken back: {}", names.step(index, step));
        }
        change
    }
}
