//! Explicit search against a search that shares nothing with it: the numbers of markings and firings, the most tokens,
//! and shortest runs to each marking.

use std::collections::HashMap;

use serval_budget::Budget;
use serval_net_engine::explicit::count::{StateSpace, count};
use serval_net_engine::explicit::{ExplicitOutcome, look};
use serval_petri::{Formula, Linear, Marking, Net, TransitionId, tina};
use serval_random::nets::net;

/// Markings that are tried.
const MARKINGS: usize = 1_500;

/// All markings with the length of a shortest run to each, and what was counted; nothing where there are too many.
fn naive(net: &Net) -> Option<(HashMap<Marking, usize>, StateSpace)> {
    let mut lengths = HashMap::from([(net.initial(), 0)]);
    let (mut order, mut space, mut at) = (vec![net.initial()], StateSpace::default(), 0);
    while let Some(marking) = order.get(at).cloned() {
        at += 1;
        space.most_on_place = marking.as_slice().iter().copied().fold(space.most_on_place, u64::max);
        space.most_in_all = space.most_in_all.max(marking.total());
        for transition in net.transitions() {
            let mut after = marking.clone();
            if net.fire(&mut after, transition).is_err() {
                continue;
            }
            space.firings += 1;
            let length = lengths[&marking] + 1;
            if !lengths.contains_key(&after) {
                lengths.insert(after.clone(), length);
                order.push(after);
            }
        }
        if order.len() > MARKINGS {
            return None;
        }
    }
    space.markings = order.len();
    Some((lengths, space))
}

/// This very marking.
fn exactly(net: &Net, marking: &Marking) -> Formula {
    let place = |place| {
        let tokens = i128::from(marking.tokens(place));
        let least = Linear::from_wide([(place, 1_i128)], -tokens).unwrap();
        let most = Linear::from_wide([(place, -1_i128)], tokens).unwrap();
        [least, most].map(|linear| Formula::constraint(serval_petri::Constraint::AtLeastZero(linear)))
    };
    Formula::all(net.places().flat_map(place))
}

fn compare(seed: u64) -> u64 {
    let net = net(seed);
    let Some((lengths, space)) = naive(&net) else { return 0 };
    let told = format!("net {seed}:\n{}", tina::write(&net));
    assert_eq!(count(&net, &mut StateSpace::default(), &mut Budget::unlimited()).unwrap(), Some(space), "{told}");
    for (marking, length) in lengths.iter().filter(|one| one.0.total() % 3 == 0).take(5) {
        let found = look(&net, &exactly(&net, marking), MARKINGS, &mut Budget::unlimited()).unwrap();
        let ExplicitOutcome::Reached(run) = found else { panic!("{told}{marking:?} is not found") };
        let run: Vec<TransitionId> = run.iter().map(|&number| TransitionId::try_from_index(number as usize).unwrap()).collect();
        assert_eq!((net.replay(&run).unwrap(), run.len()), (marking.clone(), *length), "{told}");
    }
    u64::from(space.markings > 2)
}

#[test]
fn markings_are_counted_and_runs_are_shortest() {
    let sweep = serval_effort::sweep("nets.count", 150, 50_000);
    let several: u64 = sweep.map(1, compare).into_iter().sum();
    if sweep.is_representative() {
        assert!(several * 20 >= sweep.count(), "{several} of {} have more than two markings", sweep.count());
    }
}

/// Numbers that need 64 bits in a column, and more places than a word has bits.
#[test]
fn large_numbers_and_many_places_are_counted() {
    let huge = tina::read("pl a (18446744073709551615)\npl b (1)\ntr t a b*1 -> c\ntr u c -> a b\n").unwrap();
    let space = count(&huge, &mut StateSpace::default(), &mut Budget::unlimited()).unwrap().unwrap();
    assert_eq!((space.markings, space.firings, space.most_on_place), (2, 2, u64::MAX));
    let overflows = tina::read("pl a (18446744073709551615)\ntr t -> a\n").unwrap();
    assert_eq!(count(&overflows, &mut StateSpace::default(), &mut Budget::unlimited()).unwrap(), None);
    let mut text = String::new();
    for place in 0..150 {
        text += &format!("tr t{place} p{place} -> p{}\n", (place + 1) % 150);
    }
    text += "pl p0 (2)\n";
    let ring = tina::read(&text).unwrap();
    let space = count(&ring, &mut StateSpace::default(), &mut Budget::unlimited()).unwrap().unwrap();
    // Two tokens on 150 places, in any order; where both are on one place, one transition is enabled.
    assert_eq!((space.markings, space.firings, space.most_in_all), (150 * 151 / 2, 2 * (150 * 149 / 2) + 150, 2));
}
