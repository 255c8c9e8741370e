//! Stubborn sets for formulas: the same answers as looking at everything, with evidence, and fewer markings.

use serval_budget::Budget;
use serval_effort::Sweep;
use serval_model::SplitMix64;
use serval_net_engine::explicit::{ExplicitOutcome, look_toward};
use serval_net_proof::{Claim, Evidence, Item, Run, check};
use serval_petri::{Marking, Net, Property, tina, words};
use serval_random::nets::{Markings, Question, net, open_net, safe_net};
use serval_random::refined_net;
use serval_testkit::say;

const MARKINGS: usize = 400;

fn random(seed: u64) -> Net {
    match seed % 4 {
        0 => net(seed),
        1 => open_net(seed),
        2 => refined_net(seed),
        _ => safe_net(seed),
    }
}

/// How many goals are excluded, and with how many markings fewer than all.
fn compare(seed: u64) -> (u64, u64) {
    let net = random(seed);
    let markings = Markings::of(&net, MARKINGS);
    let draw = &mut SplitMix64::new(seed);
    let (mut excluded, mut spared) = (0, 0);
    for question in Question::all(draw, &net) {
        let text = question.text(&net);
        for goal in Property::parse(&text, &net).unwrap().goals(&net).into_iter().flatten() {
            let is_there = markings.all.iter().any(|marking| goal.holds(&Marking::new(marking.clone())));
            let told = format!("net {seed}, {text}:\n{}", tina::write(&net));
            // Nothing is said where too little would be spared.
            let Some(outcome) = look_toward(&net, &goal, MARKINGS, &mut Budget::unlimited()).unwrap() else { continue };
            let (claim, evidence) = match outcome {
                ExplicitOutcome::Reached(word) => {
                    (Claim::Reachable, Evidence::Run(Run { word: word.into_iter().map(Item::Fire).collect() }))
                }
                ExplicitOutcome::Excluded(evidence) => (Claim::Unreachable, *evidence),
                ExplicitOutcome::TooMany | ExplicitOutcome::TooManyTokens => continue,
            };
            assert_eq!(check(&net, &goal, claim, &evidence, &mut Budget::unlimited()), Ok(()), "{told}");
            assert!(!is_there || claim == Claim::Reachable, "{told}");
            assert!(!markings.is_complete || is_there == (claim == Claim::Reachable), "{told}");
            if let Evidence::Toward(toward) = evidence {
                excluded += 1;
                spared += u64::try_from(markings.all.len().saturating_sub(toward.markings.len())).unwrap();
            }
        }
    }
    (excluded, spared)
}

#[test]
fn what_is_asked_for_is_not_missed() {
    let sweep: Sweep = serval_effort::sweep("nets.toward", 150, 50_000);
    let (excluded, spared) = sweep.map(1, compare).into_iter().fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
    say(&format!("stubborn sets for formulas: {excluded} goals excluded, {spared} markings spared"));
    assert!(!sweep.is_representative() || (excluded > 500 && spared > 500), "{excluded} {spared}");
}

/// Of ten lamps two are asked about: the others stay as they are, and of the two one goes first.
#[test]
fn what_does_not_help_is_not_followed() {
    let text: String = (0..10).map(|number| format!("pl on{number} (1)\ntr t{number} on{number} -> off{number}\n")).collect();
    let net = tina::read(&text).unwrap();
    let goal = words::formula("on0 = 0 and off1 >= 2", &net).unwrap();
    let outcome = look_toward(&net, &goal, MARKINGS, &mut Budget::unlimited()).unwrap().unwrap();
    let ExplicitOutcome::Excluded(evidence) = outcome else { panic!("it cannot be reached") };
    let Evidence::Toward(toward) = *evidence else { panic!("another kind") };
    assert_eq!(toward.markings.len(), 3);
}
