//! Certificates from short texts, and trying everything.

use std::collections::BTreeSet;

use serval_arith::{Outcome, Solver};
use serval_budget::Budget;
use serval_petri::{Decides, Marking, Net, Property, tina};

use crate::equation::problem;
use crate::{Certificate, Evidence, Refusal, fingerprint};

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
            let goals = Property::parse(self.property, &net).unwrap().goals(&net).unwrap();
            for about in &mut certificate.evidence {
                let Evidence::Equation(equation) = &mut about.evidence else { continue };
                let problem = problem(&net, &goals[about.goal], equation).unwrap();
                let Outcome::Refuted(tree) = Solver::new(problem).solve(&mut Budget::unlimited()) else { panic!("{text}: has a solution") };
                equation.tree = tree;
            }
        }
        certificate
    }

    pub(super) fn checked(&self) -> Result<(), Refusal> {
        self.certificate().check(&self.net(), &mut Budget::unlimited())
    }
}

/// Whether a property holds, by trying everything with at most `most` tokens on a place.
pub(super) fn holds(net: &Net, property: &str, most: u64) -> bool {
    let mut known: BTreeSet<Marking> = BTreeSet::from([net.initial()]);
    let mut open = vec![net.initial()];
    while let Some(marking) = open.pop() {
        for transition in net.transitions().filter(|&transition| net.is_enabled(&marking, transition)) {
            let mut next = marking.clone();
            net.fire(&mut next, transition).unwrap();
            if next.as_slice().iter().all(|&tokens| tokens <= most) && known.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    let property = Property::parse(property, net).unwrap();
    let is_reached = |goal: &serval_petri::Formula| known.iter().any(|marking| goal.holds(marking));
    let goals = property.goals(net).unwrap();
    match property.decides() {
        Decides::IfReachable => goals.iter().all(is_reached),
        Decides::UnlessReachable => !goals.iter().any(is_reached),
    }
}
