//! Inductive methods on random nets, against trying everything.

use std::collections::BTreeMap;

use serval_budget::Budget;
use serval_model::SplitMix64;
use serval_net_engine::inductive::{InductiveOutcome, ask_induction, ask_pdr};
use serval_net_proof::{Claim, Evidence, Item, Run, check};
use serval_petri::{Marking, Net, Property};
use serval_random::nets::{Markings, Question, net, safe_net};
use serval_testkit::say;

use crate::together;

/// Markings that are tried.
const MARKINGS: usize = 2_000;
/// Ticks for a method and a goal.
const TICKS: u64 = 300_000;

fn compare(net: &Net, seed: u64, tally: &mut BTreeMap<String, u64>) {
    let markings = Markings::of(net, MARKINGS);
    for question in Question::all(&mut SplitMix64::new(seed ^ 0x5EED), net) {
        let goals = Property::parse(&question.text(net), net).unwrap().goals(net).unwrap();
        // Of many goals that are alike a few say as much.
        for goal in goals.iter().take(3) {
            let is_there = markings.all.iter().any(|marking| goal.holds(&Marking::new(marking.clone())));
            for method in ["pdr", "induction"] {
                let budget = &mut Budget::ticks(TICKS);
                let said = if method == "pdr" { ask_pdr(net, goal, budget) } else { ask_induction(net, goal, budget) };
                let about = || format!("net {seed}, {method}, {}:\n{}", question.text(net), serval_petri::tina::write(net));
                let evidence = match said {
                    Ok(InductiveOutcome::Excluded(evidence)) => *evidence,
                    Ok(InductiveOutcome::Reached(word)) => Evidence::Run(Run { word: word.into_iter().map(Item::Fire).collect() }),
                    Ok(InductiveOutcome::Nothing) => {
                        *tally.entry(format!("{method}: nothing")).or_default() += 1;
                        continue;
                    }
                    Err(_) => {
                        *tally.entry(format!("{method}: stopped")).or_default() += 1;
                        continue;
                    }
                };
                *tally.entry(format!("{method}: {}", evidence.kind())).or_default() += 1;
                if let Err(refusal) = check(net, goal, evidence.claim(), &evidence, &mut Budget::unlimited()) {
                    panic!("{}{refusal:?}: {evidence:?}", about());
                }
                let claim = if is_there { Claim::Reachable } else { Claim::Unreachable };
                assert!(evidence.claim() == claim || !is_there && !markings.is_complete, "{}{evidence:?}", about());
            }
        }
    }
}

#[test]
fn induction_agrees_with_trying_everything() {
    let sweep = serval_effort::sweep("nets.inductive", 80, 300);
    for (kind, made) in [("general", net as fn(u64) -> Net), ("safe", safe_net)] {
        let tally = together(sweep.map(1, |seed| {
            let mut tally = BTreeMap::new();
            compare(&made(seed), seed, &mut tally);
            tally
        }));
        say(&format!("{} {kind} nets: {tally:?}", sweep.count()));
        if !sweep.is_representative() {
            continue;
        }
        let count = |name: &str| tally.get(name).copied().unwrap_or(0);
        let open = |method: &str| count(&format!("{method}: nothing")) + count(&format!("{method}: stopped"));
        let all: u64 = tally.iter().filter(|one| one.0.starts_with("pdr")).map(|one| one.1).sum();
        assert!(count("pdr: inductive") * 4 >= all, "{tally:?}");
        assert!(open("pdr") * 50 <= all && open("induction") * 3 <= all && count("induction: inductive") * 4 >= all, "{tally:?}");
    }
}
