//! Nets with numbers at the ends of 64 bits: no method panics, none says what another one denies, and none hides the
//! answer of another.

use serval_budget::Cancel;
use serval_effort::sweep;
use serval_model::SplitMix64;
use serval_net_engine::{Method, Session, decide};
use serval_petri::{Formula, Net, PlaceId, tina, words};
use serval_testkit::say;

/// What was seen to be the border of something: of halves and wholes of words, and of what can be added twice.
const BORDERS: [u64; 16] = [
    0,
    1,
    2,
    3,
    (1 << 31) - 1,
    1 << 32,
    (1 << 53) + 1,
    3_000_000_000_000_000_000,
    (1 << 62) - 1,
    1 << 62,
    (1 << 63) - 2,
    (1 << 63) - 1,
    1 << 63,
    (1 << 63) + 1,
    u64::MAX - 1,
    u64::MAX,
];

/// A number of any size; small ones as often as all others.
fn number(draw: &mut SplitMix64, least: u64) -> u64 {
    if draw.chance(50) { least + draw.index(3) as u64 } else { BORDERS[draw.index(BORDERS.len())].max(least) }
}

/// A net of two to four places, where each weight and each number of tokens may be as large as it can be written.
fn huge_net(draw: &mut SplitMix64) -> Net {
    let mut net = Net::new("huge");
    let names = ["a", "b", "c", "d"];
    let places: Vec<PlaceId> = names[..2 + draw.index(3)].iter().map(|name| net.add_place(*name, number(draw, 0)).unwrap()).collect();
    for transition in 0..1 + draw.index(4) {
        // No place twice: two weights that are too large together are refused when a net is read.
        let arcs = |draw: &mut SplitMix64| -> Vec<(PlaceId, u64)> {
            let chosen: Vec<PlaceId> = places.iter().copied().filter(|_| draw.chance(40)).collect();
            chosen.into_iter().map(|place| (place, number(draw, 1))).collect()
        };
        let (inputs, outputs) = (arcs(draw), arcs(draw));
        net.add_transition(format!("t{transition}"), inputs, outputs).unwrap();
    }
    net
}

/// A question with large numbers in every place where one can be written; `None` where the words refuse it.
fn question(draw: &mut SplitMix64, net: &Net) -> Option<Formula> {
    let names: Vec<&str> = net.places().map(|place| net.place_name(place)).collect();
    let atom = |draw: &mut SplitMix64| {
        let [one, other] = [names[draw.index(names.len())], names[draw.index(names.len())]];
        let (factor, bound) = (number(draw, 1), number(draw, 0));
        match draw.index(5) {
            0 => format!("{one} >= {bound}"),
            1 => format!("{one} + {other} <= {bound}"),
            2 => format!("{factor}*{one} - {other} >= {bound}"),
            3 => format!("{one} = {bound}"),
            _ => format!("{factor}*{one} <= {other} + {bound}"),
        }
    };
    let text = match draw.index(3) {
        0 => atom(draw),
        1 => format!("{} and {}", atom(draw), atom(draw)),
        _ => format!("{} or not ({})", atom(draw), atom(draw)),
    };
    words::formula(&text, net).ok()
}

fn try_one(seed: u64) -> u64 {
    let mut draw = SplitMix64::new(seed ^ 0x04C6);
    let net = huge_net(&mut draw);
    let Some(goal) = question(&mut draw, &net) else { return 0 };
    let goals = [goal];
    let cancel = Cancel::new();
    let shown = || format!("seed {seed}\n{}\n{:?}", tina::write(&net), words::text(&goals[0], &net));
    let mut claims = Vec::new();
    let mut session = Session::new(&net, &cancel);
    session.begin(&net, &goals, &cancel);
    for method in Method::all() {
        let (found, far) = session.alone(&net, &goals, method, 1, &cancel);
        assert!(!far.has_failed, "{} panics\n{}", method.name(), shown());
        claims.extend(found[0].answer().map(|answer| answer.claim));
    }
    assert!(claims.windows(2).all(|two| two[0] == two[1]), "{claims:?}\n{}", shown());
    // All of them together have an answer where one has; some are asked in later rounds.
    let together = decide(&net, &goals, 3, &cancel);
    assert!(claims.is_empty() || together[0].answer().is_some(), "{}", shown());
    u64::from(!claims.is_empty())
}

#[test]
fn numbers_at_the_ends_cost_no_answer() {
    let sweep = sweep("nets.huge", 150, 20_000);
    let decided: u64 = sweep.map(0, try_one).into_iter().sum();
    say(&format!("huge: {} nets, {decided} decided", sweep.count()));
    if sweep.is_representative() {
        assert!(decided * 2 >= sweep.count(), "{decided}");
    }
}

/// A weight of 2⁶³ in front of a loop: what negates it as a number of 64 bits fails.
#[test]
fn half_of_all_numbers_is_a_weight() {
    let net = tina::read("tr t r -> p*9223372036854775808\ntr u p -> p\npl r (2)\n").unwrap();
    let cancel = Cancel::new();
    for text in ["p >= 1", "p = 1", "r >= 3", "p >= 9223372036854775807"] {
        let goals = [words::formula(text, &net).unwrap()];
        let session = Session::new(&net, &cancel);
        for method in Method::all() {
            assert!(!session.alone(&net, &goals, method, 3, &cancel).1.has_failed, "{text} {}", method.name());
        }
    }
}
