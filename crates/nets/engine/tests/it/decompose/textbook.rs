//! Nets whose answers are known, each by the decomposition alone.

use serval_budget::Budget;
use serval_net_engine::decompose::RuleCounts;
use serval_net_proof::{Claim, Decomposition, Evidence, Refusal, check};
use serval_petri::{Formula, Net, Property, tina};
use serval_random::reach::reaches;

use super::{decided, goal_of};
use crate::number;

/// `SERVAL_TICKS` says another number.
const TICKS: u64 = 3_000_000;

fn ask(text: &str, property: &str) -> (Net, Formula) {
    let net = tina::read(text).unwrap();
    let goal = Property::parse(property, &net).unwrap().goals(&net).unwrap().remove(0);
    (net, goal)
}

/// Asks, and says which rules were used.
#[track_caller]
fn is(text: &str, property: &str, expected: bool) -> RuleCounts {
    let (net, goal) = ask(text, property);
    let (reached, _, counts) =
        decided(&net, &goal, number("SERVAL_TICKS", TICKS), property).unwrap_or_else(|| panic!("{property}: too few ticks"));
    assert_eq!(reached, expected, "{property} of {text}: {counts:?}");
    counts
}

#[test]
fn a_cycle_without_its_token() {
    let net = "pl x (0)\npl y (0)\npl c (0)\ntr t x -> y c\ntr u y -> x\n";
    assert_eq!(is(net, "reaches:c = 1", false), RuleCounts { nodes: 1, forward: 1, pieces: 1, arcs: 2, ..RuleCounts::default() });
}

#[test]
fn coverable_but_not_reachable() {
    let net = "pl a (1)\npl b (0)\ntr t a -> a b*2\n";
    is(net, "reaches:a = 1, b = 1", false);
    is(net, "reaches:a = 1, b = 2", true);
    is(net, "reachable:a = 1", true);
}

/// Each that is carried to the other side counts two there.
#[test]
fn parity_through_a_mode_switch() {
    let net = "pl p (1)\npl q (0)\npl x (0)\npl y (0)\ntr make p -> p x\ntr go p -> q\ntr carry q x -> q y*2\n";
    is(net, "reaches:q = 1, y = 6", true);
    is(net, "reaches:q = 1, y = 5", false);
    is(net, "reaches:q = 1, x = 1, y = 6", true);
}

/// Pairs are put on one side, and one by one carried to the other.
#[test]
fn pairs_through_a_mode_switch() {
    let net = "pl p (1)\npl q (0)\npl x (0)\npl y (0)\ntr make p -> p x*2\ntr go p -> q\ntr carry q x -> q y\n";
    is(net, "reaches:q = 1, y = 6", true);
    is(net, "reaches:q = 1, y = 5", false);
    is(net, "reaches:q = 1, x = 1, y = 6", false);
    is(net, "reaches:q = 1, x = 1, y = 5", true);
}

#[test]
fn a_producer_and_a_consumer_that_empty_the_buffer() {
    let net = "pl idle (1)\npl busy (0)\npl buffer (0)\npl wait (1)\npl work (0)\n\
        tr start idle -> busy\ntr put busy -> idle buffer\ntr get wait buffer -> work\ntr end work -> wait\n";
    is(net, "reaches:idle = 1, wait = 1", true);
    is(net, "reaches:idle = 1, wait = 1, buffer = 7", true);
    is(net, "reaches:idle = 1, wait = 1, work = 1", false);
    is(net, "reaches:busy = 1, work = 1, buffer = 3", true);
}

/// A process that has the token works; without a transition that takes it back, none can.
#[test]
fn a_controller_and_its_workers() {
    let net = "pl free (1)\npl idle (0)\npl busy (0)\npl done (0)\ntr come -> idle\ntr take free idle -> busy\ntr give busy -> free done\n";
    is(net, "reaches:free = 1, done = 3", true);
    is(net, "reaches:busy = 1, free = 1", false);
    is(net, "reaches:busy = 2, done = 1", false);
}

/// The exercise 2.24 of the notes: the marking equation has a solution, and the marking cannot be reached.
#[test]
fn the_exercise_on_the_marking_equation() {
    let net = include_str!("../../../../../../examples/nets/marking-equation.net");
    let counts = is(net, "reaches:p3 = 1", false);
    assert_eq!((counts.refuted, counts.forward), (0, 1));
}

/// The exercise 3.3 of the notes, c: three places, and a marking that can be reached, one that cannot even be covered,
/// and one that can be covered only.
#[test]
fn the_exercise_on_covering_and_reaching() {
    let net = "pl a (1)\npl b (0)\npl c (0)\ntr t a -> a b*2\n";
    for (marking, reached, covered) in [("a = 1, b = 2", true, true), ("a = 1, c = 1", false, false), ("a = 1, b = 1", false, true)] {
        is(net, &format!("reaches:{marking}"), reached);
        is(net, &format!("coverable:{marking}"), covered);
    }
}

/// The exercise 3.3 of the notes, a: a net that begins with one token, and can lose all iff the other one can reach the
/// marking.
#[test]
fn the_exercise_on_one_token() {
    let nets = [
        ("pl a (1)\npl b (0)\ntr t a -> a b*2\n", [(vec![1, 2], true), (vec![1, 1], false)]),
        ("pl a (2)\npl b (0)\ntr t a -> b\ntr u b*2 -> a*2\n", [(vec![1, 1], true), (vec![2, 1], false)]),
    ];
    for (text, markings) in nets {
        for (marking, expected) in markings {
            let net = tina::read(text).unwrap();
            assert_eq!(decided(&net, &goal_of(&net, &marking), TICKS, text).unwrap().0, expected);
            let mut other = Net::new("");
            let places: Vec<_> = net.places().map(|place| other.add_place(net.place_name(place), 0).unwrap()).collect();
            let [start, works] = [("start", 1), ("works", 0)].map(|(name, tokens)| other.add_place(name, tokens).unwrap());
            let tokens = |tokens: &[u64]| places.iter().copied().zip(tokens.iter().copied()).filter(|one| one.1 > 0).collect::<Vec<_>>();
            let with = |mut arcs: Vec<_>| {
                arcs.push((works, 1));
                arcs
            };
            other.add_transition("begin", [(start, 1)], with(tokens(net.initial().as_slice()))).unwrap();
            for transition in net.transitions() {
                let arcs = [net.inputs(transition), net.outputs(transition)].map(|arcs| with(arcs.to_vec()));
                let [inputs, outputs] = arcs;
                other.add_transition(net.transition_name(transition), inputs, outputs).unwrap();
            }
            other.add_transition("end", with(tokens(&marking)), []).unwrap();
            let zero = vec![0; other.place_count()];
            assert_eq!(decided(&other, &goal_of(&other, &zero), TICKS, text).unwrap().0, expected, "{marking:?} of {text}");
        }
    }
}

/// Which rules were used: covering forwards and backwards, values, arcs.
fn rules(counts: RuleCounts) -> [bool; 4] {
    [counts.forward > 0, counts.backward > 0, counts.value > 0, counts.first > 0]
}

/// For each rule a net in which it is the only one.
#[test]
fn one_net_for_each_rule() {
    // A cycle without its token.
    let net = "pl x (0)\npl y (0)\npl c (0)\ntr t x -> y c\ntr u y -> x\n";
    assert_eq!(rules(is(net, "reaches:c = 1", false)), [true, false, false, false]);
    // All can be filled, but whatever fires leaves a token.
    let net = "pl x (0)\npl y (0)\npl c (1)\ntr t y c -> x\ntr u x -> y\ntr g c -> c x\ntr h c -> c*2\n";
    assert_eq!(rules(is(net, "reaches:", false)), [false, true, false, false]);
    // As many here as there, so that the number there follows from that here.
    let net = "pl a (0)\npl b (0)\ntr up -> a b\ntr down a b -> \n";
    assert_eq!(rules(is(net, "reachable:a = 2", true)), [false, false, true, false]);
    // One more here than there, which only `t` makes.
    let net = "pl a (0)\npl b (0)\ntr up -> a b\ntr down a b -> \ntr t a -> \n";
    assert_eq!(rules(is(net, "reaches:b = 1", true)), [false, false, false, true]);
    // Nothing has to be split.
    let net = "pl a (0)\ntr down a -> \ntr up -> a\n";
    assert_eq!(rules(is(net, "reaches:a = 3", true)), [false; 4]);
}

/// One state doubles what the other moves back: after `z` rounds there are at most `2^z`, and never more.
fn doubling(more: bool) -> String {
    let free = if more { "pl f (0)\ntr fa p -> p f\ntr fb q -> q f\ntr fc p f -> p\n" } else { "" };
    format!(
        "pl p (1)\npl q (0)\npl x (1)\npl y (0)\npl z (0)\n{free}tr move p x -> p y\ntr there p -> q\ntr double q y -> q x*2\ntr back q -> p z\n"
    )
}

#[test]
fn weak_doubling() {
    for z in 1..=number("SERVAL_ROUNDS", 2) {
        for (x, expected) in [(1 << z, true), ((1 << z) + 1, false)] {
            let counts = is(&doubling(false), &format!("reaches:p = 1, x = {x}, z = {z}"), expected);
            println!("z = {z}, x = {x}: {counts:?}");
        }
    }
    is(&doubling(true), "reaches:p = 1, x = 3, z = 1", false);
    is(&doubling(true), "reaches:p = 1, x = 2, z = 1, f = 1", true);
}

#[test]
fn weak_multiplication() {
    // Each of n makes up to three of r, one turn at a time: what is left over may be wasted.
    let net = |n: u64| format!("pl n ({n})\npl a (1)\npl r (0)\ntr start n a -> a r*3\ntr waste r -> \n");
    for n in 0..4 {
        is(&net(n), &format!("reaches:a = 1, r = {}", 3 * n), true);
        is(&net(n), &format!("reaches:a = 1, r = {}", 3 * n + 1), false);
    }
}

/// Numbers that other places may have are free.
#[test]
fn free_places() {
    let net = "pl p (1)\npl q (0)\npl x (0)\npl y (0)\ntr make p -> p x*2\ntr go p -> q\ntr carry q x -> q y\n";
    is(net, "reachable:y = 5 and q = 1", true);
    is(net, "reachable:p = 1 and q = 1", false);
    is(net, "reachable:p = 1 and y = 1", false);
}

/// Each arc is used, in the order in which they come, and the first one takes what the second gives: the word fires
/// only after the cycle has been filled.
#[test]
fn a_perfect_sequence_that_needs_rounds() {
    let counts = is("pl a (0)\ntr down a -> \ntr up -> a\n", "reaches:", true);
    assert_eq!((counts.nodes, counts.rounds), (1, 1));
    let net = "pl a (0)\npl b (0)\npl c (0)\ntr make -> a\ntr drop a -> \ntr use a*3 -> b\ntr undo b -> a*2\ntr end b*2 -> c a\n";
    is(net, "reaches:c = 2", true);
}

/// What is repeated very often is not written out, where pieces can be emptied towards their ends.
#[test]
fn long_runs_are_short() {
    let net = "pl p (1)\npl q (0)\npl x (0)\npl y (0)\ntr make p -> p x*2\ntr unmake p x*2 -> p\ntr go p -> q\ntr back q -> p\n\
        tr carry q x -> q y\ntr uncarry q y -> q x\n";
    is(net, "reaches:q = 1, y = 1000000000000", true);
    is(net, "reaches:q = 1, y = 1000000000001", false);
    is(net, "reaches:q = 1, x = 500000000000, y = 500000000000", true);
}

#[test]
fn empty_nets_and_no_transitions() {
    is("pl a (0)\n", "reaches:", true);
    is("pl a (0)\n", "reaches:a = 1", false);
    is("pl a (0)\ntr t -> \n", "reaches:", true);
    let net = Net::new("");
    assert!(decided(&net, &goal_of(&net, &[]), 1_000, "nothing").unwrap().0);
    assert_eq!(reaches(&net, &[], 10), Some(true));
}

/// A formula with more cases than the limit is no question for this, neither here nor for the checker.
#[test]
fn formulas_with_too_many_cases() {
    let net = tina::read("pl a (0)\npl b (0)\ntr t -> a\n").unwrap();
    let text = vec!["(a = 0 or b = 1)"; 20].join(" and ");
    let goal = Property::parse(&format!("reachable:{text}"), &net).unwrap().goals(&net).unwrap().remove(0);
    let too_large = |refusal: &Refusal| matches!(refusal, Refusal::TooLarge { what: "conditions in the cases of a goal", .. });
    assert!(too_large(&serval_net_engine::decompose::decide(&net, &goal, &mut Budget::unlimited()).unwrap_err()));
    let evidence = Evidence::Decomposition(Decomposition::default());
    assert!(too_large(&check(&net, &goal, Claim::Unreachable, &evidence, &mut Budget::unlimited()).unwrap_err()));
}
