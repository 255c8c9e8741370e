//! Reductions: each rule alone, each pair, and all of them, on random nets. A goal can be reached in the smaller net
//! iff it can in the whole one; runs are lifted and fire there, and scripts are accepted, or refused where they are
//! damaged and say something false.

use serval_budget::{Budget, Cancel};
use serval_effort::Sweep;
use serval_model::SplitMix64;
use serval_net_engine::explicit::{ExplicitOutcome, look};
use serval_net_engine::reduce::{RULES, Reduced, reduced_by};
use serval_net_engine::{GoalOutcome, Method, Session};
use serval_net_proof::{Claim, Evidence, Item, Refusal, Run, check};
use serval_petri::{Formula, Marking, Net, Property, tina, words};
use serval_random::nets::{Markings, Question, net, open_net, safe_net};
use serval_random::refined_net;
use serval_testkit::say;

use crate::mutants::mutated;

/// Markings that are tried.
const MARKINGS: usize = 400;

fn random(seed: u64) -> Net {
    match seed % 8 {
        0 => safe_net(seed),
        1 => open_net(seed),
        2 => net(seed),
        _ => refined_net(seed),
    }
}

/// What a search of the smaller net says, about the whole one.
fn searched(smaller: &Reduced) -> Option<Evidence> {
    match look(&smaller.net, &smaller.goal, MARKINGS, &mut Budget::unlimited()).unwrap() {
        ExplicitOutcome::Reached(word) => Some(smaller.lifted(Evidence::Run(Run { word: word.into_iter().map(Item::Fire).collect() }))),
        ExplicitOutcome::Excluded(evidence) => Some(smaller.lifted(*evidence)),
        ExplicitOutcome::TooMany | ExplicitOutcome::TooManyTokens => None,
    }
}

/// Counts, by rule, how often it left out something.
fn compare(seed: u64) -> Vec<u64> {
    let net = random(seed);
    let markings = Markings::of(&net, MARKINGS);
    let draw = &mut SplitMix64::new(seed);
    let mut used = vec![0; RULES.len()];
    for question in Question::all(draw, &net) {
        let text = question.text(&net);
        for goal in Property::parse(&text, &net).unwrap().goals(&net).into_iter().flatten() {
            let is_there = markings.all.iter().any(|marking| goal.holds(&Marking::new(marking.clone())));
            let pairs = (0..RULES.len()).flat_map(|one| (one..RULES.len()).map(move |other| vec![RULES[one], RULES[other]]));
            for rules in pairs.chain([RULES.to_vec()]) {
                let Some(smaller) = reduced_by(&net, &goal, &rules, &Cancel::new()) else { continue };
                let told =
                    format!("{:?} of net {seed}, {text}:\n{}", rules.iter().map(|rule| rule.0).collect::<Vec<_>>(), tina::write(&net));
                if let Some(at) = RULES.iter().position(|rule| rule.0 == rules[0].0).filter(|_| rules.len() == 2) {
                    used[at] += u64::from(rules[0].0 == rules[1].0);
                }
                let Some(evidence) = searched(&smaller) else { continue };
                let claim = evidence.claim();
                assert_eq!(check(&net, &goal, claim, &evidence, &mut Budget::unlimited()), Ok(()), "{told}");
                if is_there || markings.is_complete {
                    assert_eq!(claim == Claim::Reachable, is_there, "{told}");
                }
                if claim == Claim::Unreachable {
                    damage(draw, &net, &goal, &evidence, &told);
                }
                // The same script for the opposite goal is wrong more often.
                if let Some(other) = goal.negated().filter(|_| claim == Claim::Unreachable) {
                    damage(draw, &net, &other, &evidence, &told);
                }
            }
        }
    }
    used
}

/// What is changed is refused, or says what is so.
fn damage(draw: &mut SplitMix64, net: &Net, goal: &Formula, evidence: &Evidence, told: &str) {
    for _ in 0..2 {
        let mutant = mutated(draw, evidence);
        match check(net, goal, Claim::Unreachable, &mutant, &mut Budget::unlimited()) {
            Ok(()) => {
                let markings = Markings::of(net, MARKINGS);
                assert!(!markings.all.iter().any(|marking| goal.holds(&Marking::new(marking.clone()))), "{told}: {mutant:?}");
            }
            Err(Refusal::Stopped(_)) => panic!("{told} is stopped"),
            Err(_) => {}
        }
    }
}

#[test]
fn smaller_nets_have_the_same_answers() {
    let sweep: Sweep = serval_effort::sweep("nets.reductions", 120, 50_000);
    let used = sweep
        .map(1, compare)
        .into_iter()
        .fold(vec![0; RULES.len()], |all: Vec<u64>, one| all.iter().zip(one).map(|(sum, more)| sum + more).collect());
    let told: Vec<String> = RULES.iter().zip(&used).map(|(rule, count)| format!("{} {count}", rule.0)).collect();
    say(&format!("reductions: {}", told.join(", ")));
    assert!(!sweep.is_representative() || used.iter().all(|&count| count > 0), "{told:?}");
}

/// What a rule leaves out of a net that is made for it, and what it leaves in.
#[test]
fn each_rule_leaves_out_what_it_is_for() {
    for (rule, text, goal, places, transitions) in [
        ("dead", "pl a (1)\ntr t a -> b\ntr u c -> c b\n", "b = 1", 3, 1),
        ("like", "pl a (1)\npl c (1)\ntr t a c -> b c\ntr u a -> b\ntr v a -> b\n", "b = 1", 3, 1),
        // One of two that need different things.
        ("like", "pl a (1)\ntr t a c -> b c\ntr u a d -> b d\n", "b = 1", 4, 2),
        ("idle", "pl a (1)\ntr t a -> a\ntr u a -> b\n", "b = 1", 2, 1),
        ("sinks", "pl a (1)\ntr t a -> b c\n", "b = 1", 2, 1),
        ("constant", "pl a (1)\npl c (2)\ntr t a c*2 -> b c*2\n", "b = 1", 2, 1),
        // It has too few.
        ("constant", "pl a (1)\npl c (1)\ntr t a c*2 -> b c*2\n", "b = 1", 3, 1),
        ("twins", "pl a (1)\npl c (2)\ntr t a c -> b\ntr u b -> a c\n", "b = 1", 2, 2),
        ("irrelevant", "pl a (1)\ntr t a -> b\ntr u b -> c\ntr v c -> d\n", "b = 1", 2, 3),
        ("divided", "pl a (5)\ntr t a*2 -> b*3\n", "b = 3", 2, 1),
        // Two givers and two takers are four pairs; the goal speaks of what one of the takers gives.
        ("post", "pl a (1)\ntr t a -> p\ntr u a -> p\ntr v p -> b\ntr w p -> c\n", "a = 1 or b = 1", 3, 4),
        // Three and two are too many.
        ("post", "pl a (1)\ntr t a -> p\ntr u a -> p\ntr v p -> b\ntr w p -> c\ntr x a -> p\n", "a = 1", 4, 5),
        // It speaks of what all of them give.
        ("post", "pl a (1)\ntr t a -> p\ntr v p -> b\n", "b = 1", 3, 2),
        ("pre", "pl a (1)\ntr t a -> p\ntr v p -> b\n", "b = 1", 2, 1),
        ("pre", "pl a (1)\ntr t a -> p\ntr v p c -> b\n", "deadlock", 3, 1),
        ("pre", "pl a (1)\ntr t a -> p\ntr v p c -> b\ntr w a -> c\n", "deadlock", 4, 3),
        ("implicit", "pl a (1)\npl s (1)\ntr t a s -> b s\ntr u b s -> a s\n", "b = 1", 2, 2),
        ("implicit", "pl a (2)\npl s (3)\ntr t a s*2 -> b s\ntr u b -> a s\n", "deadlock", 2, 2),
    ] {
        let net = tina::read(text).unwrap();
        let goal = words::formula(goal, &net).unwrap();
        let rule = RULES.iter().find(|one| one.0 == rule).unwrap();
        let left = reduced_by(&net, &goal, &[*rule], &Cancel::new())
            .map_or((net.place_count(), net.transition_count()), |smaller| (smaller.net.place_count(), smaller.net.transition_count()));
        assert_eq!(left, (places, transitions), "{}: {text}", rule.0);
    }
}

/// Two counters beside a lock: the lock alone has three markings, and the whole net has infinitely many.
#[test]
fn what_does_not_matter_is_not_searched() {
    let text = "pl free (1)\ntr take free -> held n\ntr give held -> free m\n";
    let net = tina::read(text).unwrap();
    let goal = words::formula("free + held = 2", &net).unwrap();
    let smaller = reduced_by(&net, &goal, &RULES, &Cancel::new()).unwrap();
    assert_eq!((smaller.net.place_count(), smaller.net.transition_count()), (2, 2));
    let session = Session::new(&net, &Cancel::new());
    let ask = |session: &Session| session.alone(&net, std::slice::from_ref(&goal), Method::Explicit, 3, &Cancel::new()).0;
    let answers = ask(&session);
    let kind = answers[0].answer().map(|answer| answer.evidence.kind());
    assert_eq!(kind, Some("script"));
    assert_eq!(ask(&session.reducing_by(&[""; 0]).without_stubborn_sets()), [GoalOutcome::Nothing]);
}
