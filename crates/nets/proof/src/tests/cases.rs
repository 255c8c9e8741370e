//! Certificates from short texts, and trying everything.

use std::collections::BTreeSet;

use serval_arith::{Outcome, Solver};
use serval_budget::Budget;
use serval_linear::{Problem, Tree};
use serval_petri::{Decides, Formula, Marking, Net, Property, TransitionId, tina};

use crate::backward::mirrored;
use crate::basis::{Excluded, as_large};
use crate::equation::problem;
use crate::inductive::{Atom, goal_problem, step_problem};
use crate::separator::counting;
use crate::{Certificate, Evidence, Invariant, KInductive, Refusal, fingerprint, k_inductive};

/// Moves one token, once.
pub(super) const MOVE: &str = "pl a (1)\npl b (0)\ntr t a -> b\n";
/// Moves it and back.
pub(super) const CYCLE: &str = "pl a (1)\npl b (0)\ntr t a -> b\ntr u b -> a\n";
/// Makes as many tokens as it likes.
pub(super) const SOURCE: &str = "pl a (0)\npl b (0)\ntr t -> a\n";
/// What needs `c` never happens.
pub(super) const DEAD: &str = "pl a (1)\npl b (0)\npl c (0)\ntr t a -> b\ntr u c -> c a\n";
/// One may stay, or go for good.
pub(super) const STAY: &str = "pl a (1)\npl b (0)\ntr t a -> a\ntr u a -> b\n";
/// Only the trap of both places shows that one is marked: the token can double, and half of two is one.
pub(super) const TRAP: &str = "pl a (1)\npl b (0)\ntr t a -> b\ntr u b*2 -> a\ntr v b -> b*2\n";

/// What makes `b` needs `a`, and `a` costs `s`; the equation alone does not see that it must be there.
pub(super) const FED: &str = "pl s (1)\npl a (0)\npl b (0)\ntr u s -> a\ntr t a -> a b\n";

/// Two take turns with a lock.
pub(super) const LOCK: &str =
    "pl a (1)\npl b (1)\npl l (1)\npl x (0)\npl y (0)\ntr ta a l -> x\ntr tb b l -> y\ntr ua x -> a l\ntr ub y -> b l\n";

/// A net, a property, whether it holds, and the fields with the evidence. `TREE` stands for a tree that is asked for.
#[derive(Clone, Copy)]
pub(super) struct Case {
    pub(super) net: &'static str,
    pub(super) property: &'static str,
    pub(super) holds: bool,
    pub(super) evidence: &'static str,
}

pub(super) fn net_of(text: &str) -> Net {
    tina::read(text).unwrap()
}

impl Case {
    pub(super) fn net(&self) -> Net {
        net_of(self.net)
    }

    pub(super) fn certificate(&self) -> Certificate {
        let net = self.net();
        let fields = if self.evidence.starts_with('"') {
            self.evidence.to_owned()
        } else {
            format!("\"evidence\":[{{\"goal\":0,\"evidence\":{}}}]", self.evidence)
        };
        let text = format!(
            "{{\"format\":\"serval-net-certificate\",\"version\":1,\"net\":{:?},\"property\":{:?},\"holds\":{},{}}}",
            fingerprint(&net),
            self.property,
            self.holds,
            fields.replace("TREE", "[]")
        );
        let mut certificate = Certificate::from_json(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        if fields.contains("TREE") {
            let property = Property::parse(self.property, &net).unwrap();
            let goals = property.goals(&net).or_else(|| property.homes(&net)).unwrap_or_default();
            for about in &mut certificate.evidence {
                fill(&net, &goals[about.goal], &mut about.evidence);
            }
        }
        certificate
    }

    pub(super) fn checked(&self) -> Result<(), Refusal> {
        self.certificate().check(&self.net(), &mut Budget::unlimited())
    }
}

/// A tree for a problem, if it has no solution.
pub(super) fn tree(problem: Problem) -> Option<Tree> {
    match Solver::new(problem).solve(&mut Budget::unlimited()) {
        Outcome::Refuted(tree) => Some(tree),
        _ => None,
    }
}

/// A tree for a problem, which must have no solution.
fn must(problem: Problem) -> Tree {
    tree(problem).unwrap_or_else(|| panic!("there is a solution"))
}

/// Asks for the trees of the steps of clauses.
fn fill_steps<A: Atom>(net: &Net, clauses: &[Vec<A>], steps: &mut [(u32, u32, Tree)]) {
    for (clause, transition, step) in steps {
        let transition = TransitionId::try_from_index(*transition as usize).unwrap();
        // What has no meaning keeps a tree that has none.
        if (*clause as usize) < clauses.len() && transition.index() < net.transition_count() {
            *step = must(step_problem(net, clauses, *clause as usize, transition).unwrap());
        }
    }
}

/// Asks for the trees of a piece of evidence.
fn fill(net: &Net, goal: &Formula, evidence: &mut Evidence) {
    let steps = |invariant: &mut Invariant| fill_steps(net, &invariant.clauses, &mut invariant.steps);
    match evidence {
        Evidence::Separator(separator) => {
            let counting = counting(net).unwrap();
            fill_steps(&counting, &separator.clauses, &mut separator.steps);
            let mut clauses = separator.clauses.clone();
            clauses.retain(|clause| clause.iter().all(|atom| atom.linear().is_over(u32::try_from(counting.place_count()).unwrap())));
            separator.tree = must(goal_problem(&counting, &clauses, goal).unwrap());
        }
        Evidence::Equation(equation) => equation.tree = must(problem(net, goal, equation).unwrap()),
        Evidence::Basis(basis) => {
            for Excluded { marking, equation } in &mut basis.excluded {
                equation.tree = must(problem(net, &as_large(marking).unwrap(), equation).unwrap());
            }
        }
        Evidence::Inductive(inductive) => {
            steps(&mut inductive.invariant);
            let mut clauses = inductive.invariant.clauses.clone();
            clauses.retain(|clause| clause.iter().all(|bound| bound.0.is_over(u32::try_from(net.place_count()).unwrap())));
            inductive.tree = must(goal_problem(net, &clauses, goal).unwrap());
        }
        Evidence::KInductive(inductive) => {
            steps(&mut inductive.invariant);
            let KInductive { invariant, base, step } = inductive;
            let problem = |length, first| k_inductive::problem(net, &invariant.clauses, goal, length, first).unwrap();
            let steps = base.len();
            base.iter_mut().enumerate().for_each(|(length, one)| *one = must(problem(length, true)));
            *step = must(problem(steps, false));
        }
        Evidence::Backward(backward) => {
            let (mirror, end) = mirrored(net, goal).unwrap();
            fill(&mirror, &end, &mut backward.evidence);
        }
        Evidence::Lost(lost) => {
            let there = crate::run::end(net, &crate::Run { word: lost.word.clone() }, &mut Budget::unlimited()).unwrap();
            fill(&net.clone().with_initial(&there), goal, &mut lost.evidence);
        }
        Evidence::Decomposition(decomposition) => super::decompositions::fill(net, goal, decomposition),
        _ => {}
    }
}

/// Whether a property holds, by trying everything with at most `most` tokens on a place.
pub(super) fn holds(net: &Net, property: &str, most: u64) -> bool {
    let mut known: BTreeSet<Marking> = BTreeSet::from([net.initial()]);
    let mut open = vec![net.initial()];
    let mut largest = vec![0; net.place_count()];
    while let Some(marking) = open.pop() {
        for transition in net.transitions().filter(|&transition| net.is_enabled(&marking, transition)) {
            let mut next = marking.clone();
            net.fire(&mut next, transition).unwrap();
            largest.iter_mut().zip(next.as_slice()).for_each(|(largest, &tokens)| *largest = tokens.max(*largest));
            if next.as_slice().iter().all(|&tokens| tokens <= most) && known.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    let property = Property::parse(property, net).unwrap();
    if let Some(places) = property.bounded_places(net) {
        let is_bounded = places.iter().all(|place| largest[place.index()] <= most);
        return if matches!(property, Property::Bound(..)) { !is_bounded } else { is_bounded };
    }
    if let Some(goals) = property.homes(net) {
        return goals.iter().all(|goal| is_home(net, &known, goal));
    }
    let is_reached = |goal: &Formula| known.iter().any(|marking| goal.holds(marking));
    let goals = property.goals(net).unwrap();
    match property.decides() {
        Decides::IfReachable => goals.iter().all(is_reached),
        Decides::UnlessReachable => !goals.iter().any(is_reached),
        Decides::UnlessAllReachable => !goals.iter().all(is_reached),
        Decides::IfFirst => is_reached(&goals[0]) && !is_reached(&goals[1]),
        Decides::IfHome => unreachable!("it has no goals"),
    }
}

/// Whether each of the markings, which are all, leads to one of the goal: those of which it is known grow.
fn is_home(net: &Net, known: &BTreeSet<Marking>, goal: &Formula) -> bool {
    let mut good: BTreeSet<&Marking> = known.iter().filter(|marking| goal.holds(marking)).collect();
    loop {
        let count = good.len();
        for marking in known {
            let mut after = net.transitions().filter_map(|transition| {
                let mut next = marking.clone();
                net.fire(&mut next, transition).ok().map(|()| next)
            });
            if after.any(|next| good.contains(&next)) {
                good.insert(marking);
            }
        }
        if good.len() == count {
            return count == known.len();
        }
    }
}
