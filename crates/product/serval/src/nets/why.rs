//! One sentence why a property holds, or does not.

use std::collections::BTreeSet;

use serval_budget::Budget;
use serval_diagnostic::counted;
use serval_linear::{Node, Tree};
use serval_net_proof::{
    Again, Certificate, Dead, Equation, Evidence, Inductive, Item, KInductive, Pump, PumpStep, Run, Script, Weights, pump, run,
};
use serval_petri::{Formula, Net, PlaceId, Property, TransitionId, words};
use serval_report::nets::DeadNode;

/// Places that a sentence names.
const NAMED: usize = 4;

/// What the goals of a property are about, several of them.
pub(super) fn nodes(property: &Property) -> &'static str {
    match property {
        Property::QuasiLive => "transitions",
        Property::NoDeadPlaces | Property::StableMarking => "places",
        _ => "goals",
    }
}

/// Why the property is as the certificate says, unless a run shows it.
pub(super) fn why(net: &Net, property: &Property, certificate: &Certificate) -> Option<String> {
    match property {
        Property::QuasiLive | Property::NoDeadPlaces if certificate.holds => {
            let (all, what) = match property {
                Property::QuasiLive => (net.transition_count(), "transition can fire"),
                _ => (net.place_count(), "place can be marked"),
            };
            // With one node there is a run, which is shown.
            (all != 1).then(|| match certificate.runs.words.len() {
                0 => "there is none that could be dead".to_owned(),
                words => format!("each {what}: {} for {all}", counted(words, "run")),
            })
        }
        Property::QuasiLive | Property::NoDeadPlaces => None,
        Property::StableMarking if !certificate.holds => (net.place_count() != 1).then(|| match certificate.runs.words.len() {
            0 => "there is no place".to_owned(),
            words => format!("no place always has its tokens: {} for {}", counted(words, "run"), net.place_count()),
        }),
        // Each place that is stable is told.
        Property::StableMarking => None,
        Property::Bound(..) => certificate.evidence.iter().find_map(|one| because(net, property, &one.evidence)),
        _ => certificate.evidence.first().and_then(|one| because(net, property, &one.evidence)),
    }
}

/// Why a goal cannot be reached.
pub(super) fn because(net: &Net, property: &Property, evidence: &Evidence) -> Option<String> {
    Some(match evidence {
        Evidence::Run(_) => return None,
        Evidence::Weights(Weights { sums }) => {
            let places: BTreeSet<u32> = sums.iter().flatten().map(|one| one.0).collect();
            let weights = match sums.len() {
                1 => format!("weights on {}", counted(places.len(), "place")),
                several => format!("{} on {}", counted(several, "sum of weights"), counted(places.len(), "place")),
            };
            match property {
                Property::Safe(most) => format!("every place is bounded by {most}: {weights}"),
                Property::StableMarking => weights,
                _ => format!("places have too few tokens: {weights}"),
            }
        }
        Evidence::Dead(Dead { places }) => {
            let names: Vec<String> = places.iter().take(NAMED).filter_map(|&number| place(net, number)).collect();
            let more =
                places.len().checked_sub(NAMED).filter(|&more| more > 0).map_or_else(String::new, |more| format!(" and {more} more"));
            if names.is_empty() {
                // No place is needed: the words of the question are enough.
                return Some("the same in every marking, whatever the net does".to_owned());
            }
            format!("{}{more} stay empty: whatever gives to them takes from them", names.join(", "))
        }
        Evidence::Equation(Equation { traps, weights, unfed, tree }) => {
            let mut with = Vec::new();
            if !traps.is_empty() {
                with.push(counted(traps.len(), "trap"));
            }
            if !weights.sums.is_empty() {
                with.push(counted(weights.sums.len(), "sum"));
            }
            if !unfed.is_empty() {
                with.push(format!("{} {}", unfed.len(), if unfed.len() == 1 { "set that must be fed" } else { "sets that must be fed" }));
            }
            let with = if with.is_empty() { String::new() } else { format!(" with {}", with.join(" and ")) };
            format!("the marking equation{with} has no solution: {}", counted(cases(tree), "case"))
        }
        Evidence::Inductive(Inductive { invariant, .. }) => {
            format!("an inductive invariant of {} excludes it", counted(invariant.clauses.len(), "clause"))
        }
        Evidence::KInductive(KInductive { invariant, base, .. }) => {
            let with = match invariant.clauses.len() {
                0 => String::new(),
                clauses => format!(" where {} hold{}", counted(clauses, "clause"), if clauses == 1 { "s" } else { "" }),
            };
            format!(
                "no run of fewer than {} is there, and no {} from elsewhere lead there{with}",
                counted(base.len(), "step"),
                counted(base.len(), "step")
            )
        }
        Evidence::States(states) => format!("{} can be reached, and none is one", counted(states.markings.len(), "marking")),
        Evidence::Stubborn(stubborn) => {
            format!("{} to see every deadlock, and none is one", enough(stubborn.markings.len()))
        }
        Evidence::Toward(toward) => {
            format!("{} to see every one that is asked for, and none is one", enough(toward.markings.len()))
        }
        Evidence::Cover(cover) => {
            format!("every marking is below one of {} with ω, and none of these is one", counted(cover.markings.len(), "marking"))
        }
        Evidence::Basis(basis) if basis.markings.is_empty() => {
            format!("places have too few tokens: {} that no transition increases", counted(basis.weights.sums.len(), "sum"))
        }
        Evidence::Basis(basis) => {
            let least = counted(basis.markings.len(), "least marking");
            let with = match basis.weights.sums.len() {
                0 => String::new(),
                sums => format!(" and {}", counted(sums, "sum")),
            };
            format!("nothing leads to where it could come from: {least}{with}")
        }
        Evidence::Backward(backward) => match &*backward.evidence {
            Evidence::States(states) => {
                format!("it can be reached from {}, and the initial one is not among them", counted(states.markings.len(), "marking"))
            }
            Evidence::Cover(cover) => {
                let all = counted(cover.markings.len(), "marking");
                format!("all markings from which it can be reached are below one of {all} with ω, and the initial one is below none")
            }
            other => format!("backwards from there, to the initial marking: {}", because(net, property, other)?),
        },
        Evidence::Separator(separator) => {
            let clauses = counted(separator.clauses.len(), "clause");
            format!("an inductive invariant of {clauses} about tokens and firing counts excludes it")
        }
        Evidence::Decomposition(decomposition) => {
            format!("all runs there are split into cases until none is left: {}", counted(decomposition.steps.len(), "step"))
        }
        Evidence::Script(script) => {
            let (places, transitions) = left_out(script);
            let (places, transitions) = (counted(places, "place"), counted(transitions, "transition"));
            format!("without {places} and {transitions} that do not matter: {}", because(net, property, &script.evidence)?)
        }
        // Of goals they show nothing.
        Evidence::Pump(_) | Evidence::Homes(_) | Evidence::Lost(_) => return None,
    })
}

/// Why places are bounded, or not.
pub(super) fn bounds(net: &Net, property: &Property, evidence: &Evidence) -> Option<String> {
    let places = property.bounded_places(net)?;
    match evidence {
        Evidence::Weights(Weights { sums }) => {
            Some(format!("each place is bounded: {} that no transition increases", counted(sums.len(), "sum")))
        }
        Evidence::Cover(cover) => {
            let most = places.iter().flat_map(|place| cover.markings.iter().filter_map(|marking| marking[place.index()])).max();
            let most = most.map_or_else(String::new, |most| format!(", with at most {most} on a place"));
            Some(format!("every marking is below one of {}{most}", counted(cover.markings.len(), "marking")))
        }
        Evidence::Pump(steps) => {
            let end = pump::end(net, steps, &mut Budget::unlimited()).ok()?;
            let grows: Vec<String> =
                places.iter().filter(|place| end[place.index()].is_none()).map(|&one| format!("“{}”", net.place_name(one))).collect();
            Some(format!("{} can have any number of tokens: {}", listed(&grows), pumped(net, steps)))
        }
        _ => None,
    }
}

/// How many places and transitions reductions leave out.
fn left_out(script: &Script) -> (usize, usize) {
    script.entries.iter().fold((0, 0), |(places, transitions), entry| {
        let size = entry.size();
        (places.saturating_add(size.0), transitions.saturating_add(size.1))
    })
}

fn listed(names: &[String]) -> String {
    match names.len().checked_sub(NAMED).filter(|&more| more > 0) {
        Some(more) => format!("{} and {more} more", names[..NAMED].join(", ")),
        None => names.join(", "),
    }
}

/// The steps of a run with pumps: `t u (v w)*`.
pub(super) fn pumped(net: &Net, pump: &Pump) -> String {
    let name = |&number: &u32| {
        TransitionId::try_from_index(number as usize).map_or_else(String::new, |one| words::quoted(net.transition_name(one)))
    };
    let word = |word: &[u32]| word.iter().map(name).collect::<Vec<_>>().join(" ");
    let step = |step: &PumpStep| match step {
        PumpStep::Item(Item::Fire(number)) => name(number),
        PumpStep::Item(Item::Repeat(times, repeated)) => format!("({})^{times}", word(repeated)),
        PumpStep::Again(Again { pump }) => format!("({})*", word(pump)),
    };
    pump.steps.iter().map(step).collect::<Vec<_>>().join(" ")
}

fn place(net: &Net, number: u32) -> Option<String> {
    let place = PlaceId::try_from_index(usize::try_from(number).ok()?).filter(|place| place.index() < net.place_count())?;
    Some(format!("“{}”", net.place_name(place)))
}

/// How many leaves a tree has.
fn cases(tree: &Tree) -> usize {
    tree.nodes.iter().filter(|node| matches!(node, Node::Farkas { .. } | Node::Lattice { .. })).count()
}

/// The nodes that are dead, or the places that are stable, each with its own reason.
pub(super) fn named_nodes(net: &Net, property: &Property, evidence: &[(usize, Evidence)]) -> Vec<DeadNode> {
    let name = |goal: usize| match property {
        Property::QuasiLive => TransitionId::try_from_index(goal).map(|transition| net.transition_name(transition)),
        Property::NoDeadPlaces | Property::StableMarking => PlaceId::try_from_index(goal).map(|place| net.place_name(place)),
        _ => None,
    };
    let named = evidence.iter().filter_map(|(goal, evidence)| {
        let why = because(net, property, evidence)?;
        Some(DeadNode { name: name(*goal)?.to_owned(), why })
    });
    named.collect()
}

/// What is so where a run ends.
pub(super) fn end(net: &Net, property: &Property, goal: &Formula, word: &Run) -> String {
    let marking = run::end(net, word, &mut Budget::unlimited()).ok();
    match property {
        Property::DeadlockFree => "nothing can fire".to_owned(),
        Property::Safe(most) => {
            let full = marking.and_then(|marking| marking.marked().find(|one| one.1 > *most));
            full.map_or_else(String::new, |(place, tokens)| format!("“{}” has {}", net.place_name(place), counted(tokens, "token")))
        }
        Property::Invariant(_) => "the formula does not hold".to_owned(),
        Property::Reachable(_) | Property::Coverable(_) => "the formula holds".to_owned(),
        Property::Reaches(_) => "this is the marking".to_owned(),
        Property::QuasiLive => "the transition can fire".to_owned(),
        Property::StableMarking => "the place has another number of tokens".to_owned(),
        Property::Bounded(_) | Property::Live | Property::Reversible => String::new(),
        Property::Bound(sum, _) => {
            let value = |place: PlaceId| marking.as_ref().map_or(0, |marking| marking.tokens(place));
            let parts = sum.terms().iter().map(|&(place, factor)| i128::from(factor).saturating_mul(value(place).into()));
            format!("the value is {}", parts.fold(0_i128, i128::saturating_add))
        }
        Property::NoDeadPlaces => {
            debug_assert!(marking.is_none_or(|marking| goal.holds(&marking)), "the checker has accepted it");
            "the place is marked".to_owned()
        }
    }
}

fn enough(markings: usize) -> String {
    format!("{} {} enough", counted(markings, "marking"), if markings == 1 { "is" } else { "are" })
}
