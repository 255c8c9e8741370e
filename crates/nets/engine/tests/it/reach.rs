//! Markings that cannot be reached, and the method that says so alone: backwards, and by separators.

use std::collections::BTreeMap;

use serval_budget::{Budget, Cancel};
use serval_effort::side_by_side;
use serval_model::SplitMix64;
use serval_net_engine::explicit::{ExplicitOutcome, look, look_back};
use serval_net_engine::{GoalOutcome, Method, Session, decide, separator};
use serval_net_proof::{Claim, Evidence, Separator};
use serval_petri::{Formula, Marking, Net, Property, tina};
use serval_random::nets::open_net;
use serval_testkit::say;

use crate::together;

fn asked(text: &str, property: &str) -> (Net, Formula) {
    let net = tina::read(text).unwrap();
    let goal = Property::parse(property, &net).unwrap().goals(&net).unwrap().remove(0);
    (net, goal)
}

#[track_caller]
fn alone((net, goal): &(Net, Formula), method: Method) -> GoalOutcome {
    let cancel = Cancel::new();
    let found = Session::new(net, &cancel).alone(net, std::slice::from_ref(goal), method, 4, &cancel).0.remove(0);
    assert!(!matches!(found, GoalOutcome::Refused(..)), "{found:?}");
    found
}

/// What backwards says, and what kind of evidence is inside.
#[track_caller]
fn inside(found: &GoalOutcome) -> &'static str {
    match found.answer().map(|answer| &answer.evidence) {
        Some(Evidence::Backward(backward)) => backward.evidence.kind(),
        other => panic!("{other:?}"),
    }
}

/// Forwards there is no end, backwards there are few.
#[test]
fn finitely_many_backwards() {
    let net = "pl p (1)\npl q (0)\npl x (1)\npl y (0)\npl z (0)\n\
        tr move p x -> p y\ntr there p -> q\ntr double q y -> q x*2\ntr back q -> p z\n";
    let found = alone(&asked(net, "reaches:p = 1, x = 5, z = 2"), Method::Explicit);
    assert_eq!(inside(&found), "states");
    let found = alone(&asked(net, "reaches:p = 1, x = 4, z = 2"), Method::Explicit);
    assert_eq!(found.answer().unwrap().claim, Claim::Reachable);
    // A run that is found backwards, and a goal that is empty.
    let both = asked("pl a (0)\npl b (0)\ntr t -> a\ntr u a*30 -> b\n", "reaches:b = 1");
    let Ok(Some(ExplicitOutcome::Reached(word))) = look_back(&both.0, &both.1, 100, &mut Budget::unlimited()) else { panic!() };
    assert_eq!(word.len(), 31);
    let empty = asked("pl a (0)\ntr t -> a\n", "reachable:a = 1 and a >= 2");
    assert!(matches!(look_back(&empty.0, &empty.1, 100, &mut Budget::unlimited()), Ok(None)));
    let free = asked("pl a (0)\npl b (0)\ntr t -> a\n", "reachable:a = 1");
    assert!(matches!(look_back(&free.0, &free.1, 100, &mut Budget::unlimited()), Ok(None)));
}

/// Both directions are infinite, and the beginning is below nothing that the goal could come from; and the goal is
/// below nothing that is reached.
#[test]
fn covers_of_both_directions() {
    // What gives to `b` needs `a` afterwards, too, and `b` comes and goes.
    let back = asked("pl a (1)\npl b (1)\npl c (0)\ntr t -> c\ntr u a -> a b\ntr v c -> \ntr w b -> b*2\n", "reaches:a = 0, b = 3, c = 2");
    assert_eq!(inside(&alone(&back, Method::Cover)), "cover");
    let free = asked("pl a (1)\npl b (1)\npl c (0)\ntr t -> c\ntr u a -> a b\n", "reachable:a = 0 and b = 3");
    assert_eq!(inside(&alone(&free, Method::Cover)), "cover");
    let there =
        asked("pl a (1)\npl b (0)\npl c (0)\npl d (0)\ntr t a -> b\ntr u -> c\ntr v c -> \ntr w b*2 -> d b*2\n", "reaches:b = 1, d = 1");
    assert_eq!(alone(&there, Method::Cover).answer().unwrap().evidence.kind(), "cover");
    // What can be covered is not excluded by it.
    assert_eq!(alone(&asked("pl a (1)\npl b (0)\ntr t a -> a b*2\n", "reaches:a = 1, b = 1"), Method::Cover), GoalOutcome::Nothing);
}

fn separated(net: &str, property: &str) -> Separator {
    let (net, goal) = asked(net, property);
    match alone(&(net, goal), Method::Separator) {
        GoalOutcome::Answer(answer) => match answer.evidence {
            Evidence::Separator(separator) => separator,
            other => panic!("{other:?}"),
        },
        other => panic!("{property}: {other:?}"),
    }
}

/// Clauses that are not those of the marking equation.
fn clauses(separator: &Separator, places: usize) -> usize {
    separator.clauses.len() - 2 * places
}

#[test]
fn separators() {
    // The equation alone, a residue in one mode, and what has not fired yet.
    assert_eq!(clauses(&separated("pl a (1)\npl b (0)\ntr t a -> a b*2\n", "reaches:a = 1, b = 1"), 2), 0);
    let modes = "pl p (1)\npl q (0)\npl x (0)\ntr make p -> p x*2\ntr go p -> q\ntr odd q -> q x\n";
    assert!(clauses(&separated(modes, "reachable:p = 1 and x = 1"), 3) > 0);
    assert!(matches!(alone(&asked(modes, "reachable:q = 1 and x = 1"), Method::Separator), GoalOutcome::Nothing));
    let late = "pl p (1)\npl q (0)\npl x (0)\npl f (0)\ntr go p -> q\ntr make q -> q x\ntr up -> f\ntr down f -> \n";
    assert!(clauses(&separated(late, "reaches:p = 1, x = 1, f = 3"), 4) > 0);
    let pairs = "pl p (1)\npl q (0)\npl x (0)\npl y (0)\npl u (1)\npl v (0)\ntr make p -> p x*2\ntr unmake p x*2 -> p\ntr go p -> q\ntr back q -> p\n\
        tr carry q x -> q y\ntr uncarry q y -> q x\ntr odd u*2 -> v*2 x\ntr even v*2 -> u*2\n";
    assert!(clauses(&separated(pairs, "reaches:q = 1, y = 5, u = 1"), 6) > 0);
    // Too few ticks are no answer, and too many places are none of its business.
    let (net, goal) = asked(modes, "reachable:p = 1 and x = 1");
    assert!(separator::ask(&net, &goal, &mut Budget::ticks(1_050)).is_err());
    let mut wide = Net::new("wide");
    for place in 0..17 {
        wide.add_place(format!("p{place}"), 0).unwrap();
    }
    assert_eq!(separator::ask(&wide, &goal, &mut Budget::unlimited()), Ok(None));
}

/// What each direction and each method says on nets without bounds is the same, where trying everything tells.
#[test]
fn no_direction_contradicts_another() {
    let sweep = serval_effort::sweep("nets.directions", 40, 150);
    let mut draw = SplitMix64::new(sweep.seed(0) ^ 0xBAC);
    let case = |seed: u64| {
        let net = open_net(seed);
        let marking = net.places().map(|_| [0, 0, 1, 2, 3][draw.index(5)]).collect();
        let goal = Property::Reaches(Marking::new(marking)).goals(&net).unwrap().remove(0);
        (seed, (net, goal))
    };
    let cases: Vec<(u64, (Net, Formula))> = sweep.seeds(0).map(case).collect();
    let tally = together(side_by_side(&cases, |(seed, pair)| {
        let (net, goal) = pair;
        let mut tally: BTreeMap<(&str, &str), u64> = BTreeMap::new();
        let mut known: Option<Claim> = None;
        let mut say_so = |method: &'static str, evidence: Option<(Claim, &'static str)>, told: &str| {
            let Some((claim, kind)) = evidence else { return };
            assert_eq!(*known.get_or_insert(claim), claim, "net {seed}, {method}: {told}");
            *tally.entry((method, kind)).or_default() += 1;
        };
        let budget = &mut Budget::unlimited();
        let told = |said: ExplicitOutcome| match said {
            ExplicitOutcome::Reached(_) => Some((Claim::Reachable, "run")),
            ExplicitOutcome::Excluded(evidence) => Some((Claim::Unreachable, evidence.kind())),
            ExplicitOutcome::TooMany | ExplicitOutcome::TooManyTokens => None,
        };
        say_so("forwards", look(net, goal, 2_000, budget).ok().and_then(told), "");
        say_so("backwards", look_back(net, goal, 2_000, budget).ok().flatten().and_then(told), "");
        for method in [Method::Equation, Method::Cover, Method::Separator, Method::Decompose] {
            let found = alone(pair, method);
            let told = format!("{found:?}");
            say_so(method.name(), found.answer().map(|answer| (answer.claim, answer.evidence.kind())), &told);
        }
        let found = decide(net, std::slice::from_ref(goal), 3, &Cancel::new()).remove(0);
        say_so("all", found.answer().map(|answer| (answer.claim, answer.evidence.kind())), &format!("{found:?}"));
        tally
    }));
    say(&format!("directions and methods: {tally:?}"));
    for needed in [("backwards", "run"), ("cover", "backward"), ("cover", "cover"), ("separator", "separator")] {
        assert!(!sweep.is_representative() || tally.contains_key(&needed), "{needed:?}: {tally:?}");
    }
}
