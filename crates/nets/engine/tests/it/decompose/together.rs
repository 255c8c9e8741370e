//! The decomposition alone, and as the last of all methods.

use serval_budget::Cancel;
use serval_effort::side_by_side;
use serval_model::SplitMix64;
use serval_net_engine::{GoalOutcome, Method, Session, decide};
use serval_net_proof::Claim;
use serval_petri::{Formula, Marking, Net, Property, tina};
use serval_random::nets::open_net;
use serval_testkit::say;

fn alone(net: &Net, goal: &Formula, rounds: u32) -> GoalOutcome {
    let cancel = Cancel::new();
    Session::new(net, &cancel).alone(net, std::slice::from_ref(goal), Method::Decompose, rounds, &cancel).0.remove(0)
}

fn claim(found: &GoalOutcome, told: &str) -> Option<Claim> {
    assert!(!matches!(found, GoalOutcome::Refused(..)), "{told}: {found:?}");
    found.answer().map(|answer| answer.claim)
}

/// On nets without bounds the decomposition alone and all methods together do not contradict each other.
#[test]
fn alone_and_together() {
    let sweep = serval_effort::sweep("nets.decompose_alone", 20, 60);
    let mut draw = SplitMix64::new(sweep.seed(0));
    let case = |seed: u64| {
        let net = open_net(seed);
        let marking = net.places().map(|_| [0, 0, 1, 2, 3][draw.index(5)]).collect();
        let goal = Property::Reaches(Marking::new(marking)).goals(&net).unwrap().remove(0);
        (seed, net, goal)
    };
    let cases: Vec<(u64, Net, Formula)> = sweep.seeds(0).map(case).collect();
    // Whether both decide it, and whether the decomposition does.
    let decided = side_by_side(&cases, |(seed, net, goal)| {
        let told = format!("net {seed}: {goal:?}");
        let (alone, together) = (alone(net, goal, 3), decide(net, std::slice::from_ref(goal), 2, &Cancel::new()).remove(0));
        let (alone, together) = (claim(&alone, &told), claim(&together, &told));
        let both = alone.zip(together);
        assert!(both.is_none_or(|(one, other)| one == other), "{told}: {both:?}");
        (both.is_some(), alone.is_some())
    });
    let (both, alone) = (decided.iter().filter(|one| one.0).count(), decided.iter().filter(|one| one.1).count());
    let count = cases.len();
    say(&format!("{both} of {count} decided by both, {} more by the decomposition", alone - both));
    assert!(!sweep.is_representative() || both * 2 > count, "{both} of {count}");
}

/// Pairs come and go, so that both directions are infinite, and only a cycle without its tokens makes one alone, which
/// the equation does not see: a clause would have to tell odd from even, or to count, but there are more places than
/// separators are looked for with. All methods together come to the decomposition.
#[test]
fn it_comes_last() {
    let mut net = tina::read(
        "pl p (1)\npl q (0)\npl x (0)\npl y (0)\npl u (1)\npl v (0)\ntr make p -> p x*2\ntr unmake p x*2 -> p\ntr go p -> q\ntr back q -> p\n\
         tr carry q x -> q y\ntr uncarry q y -> q x\ntr odd u*2 -> v*2 x\ntr even v*2 -> u*2\n",
    )
    .unwrap();
    let answered = |net: &Net| {
        let goal = Property::parse("reaches:q = 1, y = 5, u = 1", net).unwrap().goals(net).unwrap().remove(0);
        let found = decide(net, std::slice::from_ref(&goal), 4, &Cancel::new()).remove(0);
        let answer = found.answer().unwrap_or_else(|| panic!("{found:?}"));
        assert_eq!(answer.claim, Claim::Unreachable);
        (answer.method, answer.evidence.kind())
    };
    assert_eq!(answered(&net), ("separator", "separator"));
    for place in 0..12 {
        net.add_place(format!("more{place}"), 0).unwrap();
    }
    assert_eq!(answered(&net), ("decompose", "decomposition"));
}

#[test]
fn goals_of_any_form() {
    let net = tina::read("pl a (1)\ntr t a -> a*2\n").unwrap();
    let goal = |text: &str| Property::parse(text, &net).unwrap().goals(&net).unwrap().remove(0);
    // Upward closed, and with rows beside numbers; a formula that nothing meets has a case all the same.
    for (text, is_reached) in [
        ("a >= 3", true),
        ("a = 3 and a >= 2", true),
        ("a = 3 and not a = 3", false),
        ("a = 0 and a >= 0", false),
        ("a = 0 or a < 1 or a = 2*a - 7", true),
        ("true", true),
        ("false", false),
    ] {
        let expected = if is_reached { Claim::Reachable } else { Claim::Unreachable };
        assert_eq!(claim(&alone(&net, &goal(&format!("reachable:{text}")), 9), text), Some(expected), "{text}");
    }
    let mut wide = Net::new("wide");
    for place in 0..201 {
        wide.add_place(format!("p{place}"), 0).unwrap();
    }
    let goal = Property::parse("reaches:p7 = 1", &wide).unwrap().goals(&wide).unwrap().remove(0);
    assert_eq!(alone(&wide, &goal, 9), GoalOutcome::TooLarge { what: "places for a decomposition", limit: 200 });
}

/// A marking can be covered iff it can be reached once all places leak.
#[test]
fn covering_is_reaching_with_leaks() {
    let sweep = serval_effort::sweep("nets.leaks", 20, 60);
    let mut draw = SplitMix64::new(sweep.seed(0) ^ 0xC0);
    let case = |seed: u64| {
        let net = open_net(seed);
        let tokens: Vec<u64> = net.places().map(|_| [0, 0, 1, 2, 3][draw.index(5)]).collect();
        (seed, net, tokens)
    };
    let cases: Vec<(u64, Net, Vec<u64>)> = sweep.seeds(0).map(case).collect();
    let decided = side_by_side(&cases, |(seed, net, tokens)| {
        let mut leaky = net.clone();
        for place in net.places() {
            leaky.add_transition(format!("leak{}", place.index()), [(place, 1)], []).unwrap();
        }
        let bounds: Vec<String> = net.places().map(|place| format!("{} >= {}", net.place_name(place), tokens[place.index()])).collect();
        let covered = Property::parse(&format!("coverable:{}", bounds.join(" and ")), net).unwrap().goals(net).unwrap().remove(0);
        let reached = Property::Reaches(Marking::new(tokens.clone())).goals(&leaky).unwrap().remove(0);
        let told = format!("net {seed}: {bounds:?}");
        let cover = claim(&decide(net, std::slice::from_ref(&covered), 3, &Cancel::new()).remove(0), &told);
        let both = claim(&alone(&leaky, &reached, 3), &told).zip(cover);
        assert!(both.is_none_or(|(one, other)| one == other), "{told}: {both:?}");
        both.is_some()
    });
    let (both, count) = (decided.iter().filter(|both| **both).count(), cases.len());
    say(&format!("{both} of {count} decided by covering and by reaching"));
    assert!(!sweep.is_representative() || both * 2 > count, "{both} of {count}");
}
