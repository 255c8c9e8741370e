//! Nets that are made from algorithms have the runs of the algorithms: these are followed here once more, from their
//! lines, without a net.

mod algorithms;

use std::collections::BTreeSet;

use serval_budget::Cancel;
use serval_families::nets::{MadeNet, blocks, made_nets, tiles};
use serval_net_engine::Session;
use serval_net_proof::Claim;
use serval_petri::{Marking, Property, tina};
use serval_random::formulas;
use serval_random::nets::Markings;
use serval_testkit::say;

use algorithms::{Algorithm, State};

/// All states, and whether some have no step, and in some two are inside.
fn followed(n: usize, algorithm: &Algorithm) -> (usize, bool, bool) {
    let first = algorithm.first(n);
    let (mut known, mut open) = (BTreeSet::from([first.clone()]), vec![first]);
    let (mut stops, mut meets) = (false, false);
    while let Some(state) = open.pop() {
        let next: Vec<State> = (0..n).flat_map(|i| (algorithm.steps)(n, i, &state)).collect();
        stops |= next.is_empty();
        meets |= state.at.iter().filter(|&&at| at == "inside").count() > 1;
        open.extend(next.into_iter().filter(|next| known.insert(next.clone())));
    }
    (known.len(), stops, meets)
}

fn markings(made: &MadeNet) -> (usize, bool, bool) {
    let net = tina::read(&made.text).unwrap();
    let all = Markings::of(&net, 10_000);
    assert!(all.is_complete, "{}", made.name);
    let is_reached = |property: &str| {
        let goals = Property::parse(property, &net).unwrap().goals(&net).unwrap();
        let holds = |marking: &Vec<u64>| goals[0].holds(&Marking::new(marking.clone()));
        all.all.iter().any(holds)
    };
    (all.all.len(), is_reached("deadlock-free"), is_reached(&made.exclusion))
}

#[test]
fn nets_of_algorithms_have_their_states() {
    let mut counts = Vec::new();
    for algorithm in algorithms::ALL {
        for n in 2..=algorithm.most {
            let made = (algorithm.made)(n);
            let (states, stops, meets) = followed(n, algorithm);
            assert_eq!(markings(&made), (states, stops, meets), "{}", made.name);
            assert!(!meets, "{}", made.name);
            counts.push(format!("{} {states}", made.name));
        }
    }
    say(&format!("nets of algorithms: {}", counts.join(", ")));
}

/// So many lists can be made of so many blocks, and half of the orders of tiles are reached.
#[test]
fn nets_of_plans_have_as_many_states_as_there_are_towers_and_orders() {
    for (n, states) in [(2, 3), (3, 13), (4, 73), (5, 501)] {
        assert_eq!(markings(&blocks(n)), (states, false, false), "{n} blocks");
    }
    for (n, states) in [(2, 12), (3, 360)] {
        assert_eq!(markings(&tiles(n)), (states, false, false), "two rows of {n}");
    }
}

/// What the example `search` asks of large nets, of the smallest, with and without what is left out.
#[test]
fn questions_about_made_nets_are_answered_as_by_looking_at_all_markings() {
    let cancel = Cancel::new();
    let mut answers = [0; 2];
    for made in made_nets(&[2]) {
        let net = tina::read(&made.text).unwrap();
        let all = Markings::of(&net, 10_000);
        let asked = ["deadlock-free".to_owned(), made.exclusion, "quasi-live".to_owned()];
        for words in asked.into_iter().chain(formulas(&net, 16)) {
            let goals = Property::parse(&words, &net).unwrap().goals(&net).unwrap();
            for is_whole in [false, true] {
                let mut session = Session::new(&net, &cancel);
                if is_whole {
                    session = session.reducing_by(&[] as &[&str]).without_stubborn_sets();
                }
                let begun = session.begin(&net, &goals, &cancel);
                let (found, _) = session.go_on(&net, &goals, begun, 4, &cancel);
                for (goal, found) in goals.iter().zip(&found) {
                    let is_there = all.all.iter().any(|marking| goal.holds(&Marking::new(marking.clone())));
                    let claim = found.answer().map(|answer| answer.claim);
                    assert_eq!(claim, Some(if is_there { Claim::Reachable } else { Claim::Unreachable }), "{}: {words}", made.name);
                    answers[usize::from(is_there)] += 1;
                }
            }
        }
    }
    say(&format!("nets that are made: {} goals are reached, and {} are not", answers[1], answers[0]));
    assert!(answers.iter().all(|&answers| answers > 50), "{answers:?}");
}

#[test]
fn all_nets_that_are_made_are_read_with_their_questions() {
    let made = made_nets(&[2, 5]);
    let names: BTreeSet<&str> = made.iter().map(|made| made.name.as_str()).collect();
    assert_eq!((made.len(), names.len()), (16, 16));
    for made in &made {
        let net = tina::read(&made.text).unwrap_or_else(|error| panic!("{}: {error}", made.name));
        Property::parse(&made.exclusion, &net).unwrap_or_else(|error| panic!("{}: {error}", made.name));
    }
}
