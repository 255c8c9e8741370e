//! Evidence with one thing changed: refused, unless what it says is still so.
//!
//! `SERVAL_COUNT=1000` makes 1000 of each kind.

use std::collections::BTreeMap;

use serval_budget::Budget;
use serval_effort::{Sweep, side_by_side};
use serval_linear::{Linear, Node, Tree};
use serval_model::SplitMix64;
use serval_net_engine::explicit::{ExplicitOutcome, look, look_back, look_for_deadlock, look_toward};
use serval_net_engine::siphon::Empty;
use serval_net_engine::{cover, equation, inductive, separator, weights};
use serval_net_proof::{
    Again, Bound, Certificate, Claim, Equation, Evidence, Invariant, Item, LeftOut, NeverFire, PumpStep, Refusal, Run, check, check_bounded,
};
use serval_petri::{Formula, Marking, Net, PlaceId, Property};
use serval_random::nets::{Markings, Question, net, open_net};
use serval_testkit::say;

const KINDS: [&str; 13] = [
    "run",
    "weights",
    "dead",
    "equation",
    "inductive",
    "k-inductive",
    "states",
    "stubborn",
    "toward",
    "cover",
    "basis",
    "backward",
    "separator",
];

/// What each method by itself finds about a goal.
fn found(net: &Net, goal: &Formula) -> Vec<Evidence> {
    let budget = &mut Budget::ticks(400_000);
    let mut found: Vec<Evidence> = Empty::new(net).exclude(net, goal).into_iter().collect();
    found.extend(weights::PlaceBounds::new(net).exclude(net, goal, budget).ok().flatten());
    if let Ok(equation::EquationOutcome::Excluded(evidence)) = equation::ask(net, goal, 1, 1, budget) {
        found.push(*evidence);
    }
    let inductive = [
        inductive::ask_pdr(net, goal, budget),
        inductive::ask_induction(net, goal, budget),
        inductive::ask_steps(net, goal, 1, budget),
        inductive::ask_steps(net, goal, 2, budget),
    ];
    for said in inductive.into_iter().flatten() {
        if let inductive::InductiveOutcome::Excluded(evidence) = said {
            found.push(*evidence);
        }
    }
    let sums = {
        let mut known = weights::PlaceBounds::new(net);
        let _ = known.bound_all(net, budget);
        known.into_sums()
    };
    let covering = [
        cover::Tree::new(net).map_or(Ok(cover::CoverOutcome::Nothing), |mut tree| tree.ask(net, goal, budget)),
        cover::backward::ask(net, goal, &sums, budget),
        cover::backward::ask(net, goal, &[], budget),
        cover::backward::ask_filtered(net, goal, &[], 5_000, budget),
    ];
    for said in covering.into_iter().flatten() {
        match said {
            cover::CoverOutcome::Excluded(evidence) => found.push(*evidence),
            cover::CoverOutcome::Reached(word) => found.push(Evidence::Run(Run { word })),
            cover::CoverOutcome::TooManyTokens | cover::CoverOutcome::TooManyLeast(_) | cover::CoverOutcome::Nothing => {}
        }
    }
    found.extend(separator::ask(net, goal, budget).ok().flatten());
    let mut looked = vec![look(net, goal, 500, budget)];
    looked.extend(look_back(net, goal, 500, budget).transpose());
    looked.extend(look_toward(net, goal, 500, budget).transpose());
    if Formula::deadlock(net).as_ref() == Some(goal) {
        looked.extend(look_for_deadlock(net, 500, budget).transpose());
    }
    for said in looked.into_iter().flatten() {
        found.push(match said {
            ExplicitOutcome::Excluded(evidence) => *evidence,
            ExplicitOutcome::Reached(word) => Evidence::Run(Run { word: word.into_iter().map(Item::Fire).collect() }),
            ExplicitOutcome::TooMany | ExplicitOutcome::TooManyTokens => continue,
        });
    }
    found
}

/// A number one away, or any small one.
fn nearby(draw: &mut SplitMix64, number: u64) -> u64 {
    match draw.index(3) {
        0 => number.saturating_add(1),
        1 => number.saturating_sub(1),
        _ => draw.below(6),
    }
}

fn small(draw: &mut SplitMix64, number: u32) -> u32 {
    u32::try_from(nearby(draw, number.into())).unwrap()
}

/// Changes, drops, doubles or swaps something in a list.
fn list<T: Clone>(draw: &mut SplitMix64, list: &mut Vec<T>, change: impl FnOnce(&mut SplitMix64, &mut T)) {
    if list.is_empty() {
        return;
    }
    let (at, other) = (draw.index(list.len()), draw.index(list.len()));
    match draw.index(6) {
        0 => drop(list.remove(at)),
        1 => list.swap(at, other),
        2 => list.insert(other, list[at].clone()),
        _ => change(draw, &mut list[at]),
    }
}

/// Another node, one more, or one less; mostly in order.
fn changed_nodes(draw: &mut SplitMix64, nodes: &mut Vec<u32>) {
    match draw.index(3) {
        0 => nodes.push(u32::try_from(draw.index(6)).unwrap()),
        _ => list(draw, nodes, |draw, node| *node = small(draw, *node)),
    }
    if draw.chance(80) {
        nodes.sort_unstable();
        nodes.dedup();
    }
}

fn changed_equation(draw: &mut SplitMix64, equation: &mut Equation) {
    let set = |draw: &mut SplitMix64, set: &mut Vec<u32>| list(draw, set, |draw, place| *place = small(draw, *place));
    match draw.index(5) {
        0 if !equation.traps.is_empty() => list(draw, &mut equation.traps, set),
        1 => {
            let trap = (0..5).filter(|_| draw.chance(40)).collect();
            equation.traps.push(trap);
        }
        2 if !equation.unfed.is_empty() => list(draw, &mut equation.unfed, set),
        3 => {
            let unfed = (0..5).filter(|_| draw.chance(40)).collect();
            equation.unfed.push(unfed);
        }
        _ => list(draw, &mut equation.tree.nodes, node),
    }
}

pub(crate) fn mutated(draw: &mut SplitMix64, evidence: &Evidence) -> Evidence {
    let mut evidence = evidence.clone();
    match &mut evidence {
        Evidence::Run(run) => {
            list(draw, &mut run.word, |draw, item| match item {
                Item::Fire(transition) if draw.chance(70) => *transition = small(draw, *transition),
                Item::Fire(transition) => *item = Item::Repeat(nearby(draw, 2), vec![*transition]),
                Item::Repeat(times, _) => *times = nearby(draw, *times),
            });
        }
        Evidence::Weights(weights) => {
            list(draw, &mut weights.sums, |draw, sum| list(draw, sum, |draw, weight| weight.1 = nearby(draw, weight.1)))
        }
        Evidence::Dead(dead) => list(draw, &mut dead.places, |draw, place| *place = small(draw, *place)),
        Evidence::Equation(equation) => changed_equation(draw, equation),
        Evidence::Inductive(inductive) => match draw.index(4) {
            0 => list(draw, &mut inductive.tree.nodes, node),
            _ => invariant(draw, &mut inductive.invariant),
        },
        Evidence::KInductive(inductive) => match draw.index(4) {
            0 => list(draw, &mut inductive.base, |draw, tree| list(draw, &mut tree.nodes, node)),
            1 => list(draw, &mut inductive.step.nodes, node),
            _ => invariant(draw, &mut inductive.invariant),
        },
        Evidence::States(states) => {
            states.markings.change(|markings| {
                list(draw, markings, |draw, marking| list(draw, marking, |draw, tokens| *tokens = nearby(draw, *tokens)));
            });
        }
        Evidence::Cover(cover) => list(draw, &mut cover.markings, |draw, marking| {
            list(draw, marking, |draw, tokens| *tokens = if draw.chance(30) { None } else { Some(nearby(draw, tokens.unwrap_or(3))) });
        }),
        Evidence::Basis(basis) => match draw.index(5) {
            1 | 2 if !basis.excluded.is_empty() => list(draw, &mut basis.excluded, |draw, excluded| match draw.index(2) {
                0 => changed_equation(draw, &mut excluded.equation),
                _ => list(draw, &mut excluded.marking, |draw, one| one.1 = nearby(draw, one.1)),
            }),
            0 if !basis.weights.sums.is_empty() => {
                list(draw, &mut basis.weights.sums, |draw, sum| list(draw, sum, |draw, weight| weight.1 = nearby(draw, weight.1)));
            }
            _ => list(draw, &mut basis.markings, |draw, marking| {
                list(draw, marking, |draw, one| match draw.index(3) {
                    0 => one.0 = small(draw, one.0),
                    _ => one.1 = nearby(draw, one.1),
                });
            }),
        },
        Evidence::Backward(backward) => *backward.evidence = mutated(draw, &backward.evidence),
        Evidence::Separator(separator) => match draw.index(4) {
            0 => list(draw, &mut separator.tree.nodes, node),
            1 if !separator.steps.is_empty() => list(draw, &mut separator.steps, step),
            _ => list(draw, &mut separator.clauses, |draw, clause| {
                list(draw, clause, |draw, atom| {
                    let mut numbers: Vec<i64> = atom.clone().into();
                    let at = draw.index(numbers.len());
                    numbers[at] += i64::from(draw.chance(50)) * 2 - 1;
                    if let Ok(other) = numbers.try_into() {
                        *atom = other;
                    }
                });
            }),
        },
        // Pumps are about places, and have a test of their own; decompositions have one where they are made.
        Evidence::Pump(_) | Evidence::Decomposition(_) => {}
        Evidence::Homes(homes) => match draw.index(4) {
            0 => list(draw, &mut homes.ranks, |draw, rank| *rank = small(draw, *rank)),
            1 => list(draw, &mut homes.words, |draw, word| list(draw, word, |draw, transition| *transition = small(draw, *transition))),
            2 if !homes.markings.is_empty() => {
                let at = draw.index(homes.markings.len());
                let is_home = homes.ranks.remove(at) == 0;
                let before = homes.ranks[..at].iter().filter(|rank| **rank == 0).count();
                homes.markings.change(|markings| drop(markings.remove(at)));
                if is_home {
                    homes.words.remove(before);
                }
            }
            _ => homes.markings.change(|markings| {
                list(draw, markings, |draw, marking| list(draw, marking, |draw, tokens| *tokens = nearby(draw, *tokens)));
            }),
        },
        Evidence::Lost(lost) if draw.chance(40) => list(draw, &mut lost.word, |draw, item| {
            if let Item::Fire(transition) = item {
                *transition = small(draw, *transition);
            }
        }),
        Evidence::Lost(lost) => *lost.evidence = mutated(draw, &lost.evidence),
        Evidence::Script(script) if draw.chance(30) => *script.evidence = mutated(draw, &script.evidence),
        Evidence::Script(script) => list(draw, &mut script.entries, |draw, entry| match entry {
            LeftOut::Places(nodes) | LeftOut::Idle(nodes) | LeftOut::Post(nodes) | LeftOut::Pre(nodes) => changed_nodes(draw, nodes),
            LeftOut::Implicit(places) => list(draw, places, |draw, place| match draw.index(4) {
                0 => place.0 = small(draw, place.0),
                1 => place.1 = nearby(draw, place.1),
                _ => list(draw, &mut place.2, |draw, weight| match draw.index(2) {
                    0 => weight.0 = small(draw, weight.0),
                    _ => weight.1 = nearby(draw, weight.1),
                }),
            }),
            LeftOut::Divided(divisors) => list(draw, divisors, |draw, divisor| match draw.index(2) {
                0 => divisor.0 = small(draw, divisor.0),
                _ => divisor.1 = nearby(draw, divisor.1),
            }),
            LeftOut::Dead(NeverFire { evidence, .. }) if draw.chance(50) => **evidence = mutated(draw, evidence),
            LeftOut::Dead(NeverFire { transitions, .. }) => changed_nodes(draw, transitions),
            LeftOut::Like(pairs) => list(draw, pairs, |draw, pair| match draw.index(2) {
                0 => pair.0 = small(draw, pair.0),
                _ => pair.1 = small(draw, pair.1),
            }),
        }),
        Evidence::Toward(toward) if draw.chance(50) => {
            list(draw, &mut toward.sets, |draw, set| list(draw, set, |draw, member| *member = small(draw, *member)));
        }
        Evidence::Toward(toward) => {
            let at = draw.index(toward.markings.len());
            if draw.chance(50) {
                toward.markings.change(|markings| drop(markings.remove(at)));
                toward.sets.remove(at);
            } else {
                toward.markings.change(|markings| list(draw, &mut markings[at], |draw, tokens| *tokens = nearby(draw, *tokens)));
            }
        }
        Evidence::Stubborn(stubborn) if draw.chance(50) => {
            list(draw, &mut stubborn.sets, |draw, set| list(draw, set, |draw, member| *member = small(draw, *member)));
        }
        Evidence::Stubborn(stubborn) => {
            let at = draw.index(stubborn.markings.len());
            if draw.chance(50) {
                stubborn.markings.change(|markings| drop(markings.remove(at)));
                stubborn.sets.remove(at);
            } else {
                stubborn.markings.change(|markings| list(draw, &mut markings[at], |draw, tokens| *tokens = nearby(draw, *tokens)));
            }
        }
    }
    evidence
}

/// Changes a clause, a bound or a tree.
fn invariant(draw: &mut SplitMix64, invariant: &mut Invariant) {
    if draw.chance(40) && !invariant.steps.is_empty() {
        list(draw, &mut invariant.steps, step);
        return;
    }
    list(draw, &mut invariant.clauses, |draw, clause| {
        list(draw, clause, |draw, Bound(bound)| {
            let by = i64::from(draw.chance(50)) * 2 - 1;
            let at = draw.index(bound.terms().len() + 1);
            let terms =
                bound.terms().iter().enumerate().map(|(number, &(place, factor))| (place, factor + if number == at { by } else { 0 }));
            let constant = bound.constant() + if at == bound.terms().len() { by } else { 0 };
            if let Some(other) = Linear::new(terms, constant) {
                *bound = other;
            }
        });
    });
}

/// Changes the tree of a clause and a transition, or what it is for.
fn step(draw: &mut SplitMix64, step: &mut (u32, u32, Tree)) {
    match draw.index(3) {
        0 => step.0 = small(draw, step.0),
        1 => step.1 = small(draw, step.1),
        _ => list(draw, &mut step.2.nodes, node),
    }
}

fn node(draw: &mut SplitMix64, node: &mut Node) {
    match node {
        Node::Clause { clause } => *clause = small(draw, *clause),
        Node::Bound { at_most, .. } => *at_most += i64::from(draw.chance(50)) * 2 - 1,
        Node::Residue { expression, divisor } => {
            *divisor = nearby(draw, *divisor);
            if let Some(other) = Linear::new(expression.terms().iter().copied(), expression.constant() + 1) {
                *expression = other;
            }
        }
        Node::Farkas { combination } | Node::Lattice { combination, .. } => {
            list(draw, combination, |draw, pair| pair.1 += i128::from(draw.chance(50)) * 2 - 1);
        }
    }
}

#[derive(Clone, Copy, Default, Debug)]
struct Tally {
    refused: u64,
    accepted: u64,
}

/// What came of the mutants of each kind.
#[derive(Clone, Debug)]
struct Tallies {
    each: BTreeMap<&'static str, Tally>,
    /// Mutants of each kind that are wanted.
    wanted: u64,
}

/// Seeds that are tried side by side, before the mutants are counted again.
const BLOCK: u64 = 16;

impl Tallies {
    /// Makes mutants, as `one` does for a seed, until there are as many of each kind as the sweep has cases. `one` gets
    /// what is there already, and adds to it.
    fn until_enough(kinds: &[&'static str], sweep: &Sweep, one: impl Fn(u64, &mut Self) + Sync) -> Self {
        let mut all = Self { each: kinds.iter().map(|&kind| (kind, Tally::default())).collect(), wanted: sweep.count() };
        let mut next = sweep.seed(1);
        while !kinds.iter().all(|kind| all.is_enough(kind)) {
            let seeds: Vec<u64> = (next..next + BLOCK).collect();
            let parts = side_by_side(&seeds, |&seed| {
                let mut part = all.clone();
                one(seed, &mut part);
                part
            });
            let before = all.clone();
            for (kind, tally) in parts.into_iter().flat_map(|part| part.each) {
                let (sum, before) = (all.of(kind), before.each[kind]);
                sum.refused += tally.refused - before.refused;
                sum.accepted += tally.accepted - before.accepted;
            }
            next += BLOCK;
        }
        all
    }

    fn of(&mut self, kind: &str) -> &mut Tally {
        self.each.get_mut(kind).unwrap()
    }

    fn is_enough(&self, kind: &str) -> bool {
        self.each[kind].refused + self.each[kind].accepted >= self.wanted
    }

    /// Much is refused, or mutants differ from what they were made of in nothing that matters.
    fn tell(&self, what: &str) {
        say(&format!("mutants of {what}: {:?}", self.each));
        for (kind, tally) in &self.each {
            assert!(tally.refused * 5 >= self.wanted, "{kind}: {tally:?}");
        }
    }
}

#[test]
fn what_is_changed_is_refused_or_still_so() {
    let sweep = serval_effort::sweep("nets.mutants", 30, 100);
    let tallies = Tallies::until_enough(&KINDS, &sweep, |seed, tallies| {
        let net = net(seed);
        let markings = Markings::of(&net, 500);
        if !markings.is_complete {
            return;
        }
        let draw = &mut SplitMix64::new(seed);
        for question in Question::all(draw, &net) {
            let Some(goals) = Property::parse(&question.text(&net), &net).unwrap().goals(&net) else { continue };
            for goal in goals {
                let is_there = markings.all.iter().any(|marking| goal.holds(&Marking::new(marking.clone())));
                // The same piece for a goal that it is not about is wrong more often.
                let other = is_there.then(|| goal.negated()).flatten();
                for evidence in found(&net, &goal).into_iter().chain(other.iter().flat_map(|other| found(&net, other))) {
                    for _ in 0..3 {
                        let mutant = mutated(draw, &evidence);
                        if tallies.is_enough(evidence.kind()) || mutant == evidence && evidence.claim() == claim(is_there) {
                            continue;
                        }
                        let tally = tallies.of(evidence.kind());
                        let told = format!("net {seed}, {}: {mutant:?}", question.text(&net));
                        match check(&net, &goal, mutant.claim(), &mutant, &mut Budget::unlimited()) {
                            Ok(()) => {
                                assert_eq!(mutant.claim(), claim(is_there), "{told}");
                                tally.accepted += 1;
                            }
                            Err(Refusal::Stopped(_)) => panic!("{told} is stopped"),
                            Err(_) => tally.refused += 1,
                        }
                    }
                }
            }
        }
    });
    tallies.tell("evidence about nets");
}

/// Runs into all goals of a property, with one thing changed.
#[test]
fn changed_runs_are_refused_or_still_so() {
    let sweep = serval_effort::sweep("nets.mutants_of_runs", 30, 100);
    let tallies = Tallies::until_enough(&["runs"], &sweep, |seed, tallies| {
        let tally = tallies.of("runs");
        let net = net(seed);
        let markings = Markings::of(&net, 500);
        let draw = &mut SplitMix64::new(seed);
        for (question, property) in [
            (Question::QuasiLive, Property::QuasiLive),
            (Question::NoDeadPlaces, Property::NoDeadPlaces),
            (Question::StableMarking, Property::StableMarking),
        ] {
            let goals = property.goals(&net).unwrap();
            // Where some are not there, the runs for the others are not enough, however they are changed.
            let run = |goal: &Formula| match look(&net, goal, 500, &mut Budget::unlimited()) {
                Ok(ExplicitOutcome::Reached(word)) => word,
                _ => Vec::new(),
            };
            let evidence = |goal: &Formula| Evidence::Run(Run { word: run(goal).into_iter().map(Item::Fire).collect() });
            let evidence = goals.iter().map(evidence).enumerate().collect();
            let Some(certificate) = Certificate::new(&net, &property.text(&net).unwrap(), property.decides(), goals.len(), evidence) else {
                continue;
            };
            if !markings.is_complete || goals.len() < 2 {
                continue;
            }
            for _ in 0..3 {
                let mut mutant = certificate.clone();
                match draw.index(3) {
                    0 => list(draw, &mut mutant.runs.words, |draw, word| list(draw, word, |_, item| *item = Item::Fire(0))),
                    1 => list(draw, &mut mutant.runs.ends, |_, end| end.0 = end.0.saturating_sub(1)),
                    _ => list(draw, &mut mutant.runs.ends, |draw, end| end.2 = usize::try_from(nearby(draw, end.2 as u64)).unwrap()),
                }
                match mutant.check(&net, &mut Budget::unlimited()) {
                    Ok(()) => {
                        assert_eq!(markings.answer(&net, &question), Some(mutant.holds), "net {seed}: {}", mutant.to_json());
                        tally.accepted += 1;
                    }
                    Err(Refusal::Stopped(_)) => panic!("net {seed}: stopped"),
                    Err(_) => tally.refused += 1,
                }
            }
        }
    });
    tallies.tell("runs into several goals");
    assert!(!sweep.is_representative() || tallies.each["runs"].accepted > 0, "{tallies:?}");
}

/// Pumps, and covers that bound places, with one thing changed.
#[test]
fn changed_bounds_are_refused_or_still_so() {
    let sweep = serval_effort::sweep("nets.mutants_of_bounds", 30, 100);
    let tallies = Tallies::until_enough(&["pump", "cover"], &sweep, |seed, tallies| {
        let net = if seed % 2 == 0 { net(seed) } else { open_net(seed) };
        let draw = &mut SplitMix64::new(seed);
        let known = |places: &[PlaceId]| {
            let said = cover::Tree::new(&net)?.bounded(&net, places, &mut Budget::ticks(400_000)).ok()?;
            let cover::Bounds::Shown(evidence) = said else { return None };
            Some(*evidence)
        };
        let claim = |evidence: &Evidence| if matches!(evidence, Evidence::Pump(_)) { Claim::Unbounded } else { Claim::Bounded };
        for place in net.places() {
            let Some(evidence) = known(&[place]) else { continue };
            // Evidence for one place, changed or not, used for it and for the one before it.
            for other in [place.index(), place.index().saturating_sub(1)] {
                let places = [PlaceId::try_from_index(other).unwrap()];
                let Some(truth) = known(&places).as_ref().map(claim) else { continue };
                let mutant = mutated_bounds(draw, &evidence);
                if tallies.is_enough(evidence.kind()) || mutant == evidence && other == place.index() {
                    continue;
                }
                let tally = tallies.of(evidence.kind());
                match check_bounded(&net, &places, &mutant, &mut Budget::unlimited()) {
                    Ok(shown) => {
                        assert_eq!(shown, truth, "net {seed}: {mutant:?}");
                        tally.accepted += 1;
                    }
                    Err(_) => tally.refused += 1,
                }
            }
        }
    });
    tallies.tell("evidence about bounds");
}

fn mutated_bounds(draw: &mut SplitMix64, evidence: &Evidence) -> Evidence {
    let mut evidence = evidence.clone();
    match &mut evidence {
        Evidence::Pump(pump) => list(draw, &mut pump.steps, |draw, step| match step {
            PumpStep::Item(Item::Fire(transition)) if draw.chance(70) => *transition = small(draw, *transition),
            PumpStep::Item(Item::Fire(transition)) => *step = PumpStep::Again(Again { pump: vec![*transition] }),
            PumpStep::Item(Item::Repeat(..)) => {}
            PumpStep::Again(again) if draw.chance(20) => *step = PumpStep::Item(Item::Repeat(nearby(draw, 2), again.pump.clone())),
            PumpStep::Again(again) => list(draw, &mut again.pump, |draw, transition| *transition = small(draw, *transition)),
        }),
        _ => return mutated(draw, &evidence),
    }
    evidence
}

fn claim(is_there: bool) -> Claim {
    if is_there { Claim::Reachable } else { Claim::Unreachable }
}
