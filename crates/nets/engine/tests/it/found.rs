//! What the single methods find.

use serval_budget::{Budget, Cancel};
use serval_families::covering::lipton;
use serval_net_engine::explicit::{ExplicitOutcome, look, look_for_deadlock};
use serval_net_engine::siphon::Empty;
use serval_net_engine::{GoalOutcome, Method, Session};
use serval_net_proof::{Claim, Evidence, check};
use serval_petri::{Formula, Linear, Net, Property, mist, tina, words};

fn accepted(net: &Net, goal: &Formula, evidence: &Evidence) {
    check(net, goal, Claim::Unreachable, evidence, &mut Budget::unlimited()).unwrap();
}

/// Many that do not meet: with stubborn sets one after the other is enough.
#[test]
fn stubborn_sets_leave_out_orders() {
    let mut text = String::new();
    for worker in 0..8 {
        text += &format!("pl a{worker} (1)\ntr t{worker} a{worker} -> b{worker}\ntr u{worker} b{worker} -> a{worker}\n");
    }
    let net = tina::read(&text).unwrap();
    let goal = Formula::deadlock(&net).unwrap();
    let few = look_for_deadlock(&net, 10_000, &mut Budget::unlimited()).unwrap();
    let Some(ExplicitOutcome::Excluded(few)) = few else { panic!("a deadlock") };
    let ExplicitOutcome::Excluded(all) = look(&net, &goal, 10_000, &mut Budget::unlimited()).unwrap() else { panic!("a deadlock") };
    let (Evidence::Stubborn(few_markings), Evidence::States(all_markings)) = (&*few, &*all) else { panic!("other kinds") };
    assert_eq!((few_markings.markings.len(), all_markings.markings.len()), (2, 256));
    accepted(&net, &goal, &few);
    accepted(&net, &goal, &all);
}

#[test]
fn a_deadlock_is_found_with_stubborn_sets() {
    let net = tina::read("pl a (1)\npl b (1)\ntr t a -> c\ntr u b -> d\ntr v c b -> a b\ntr w d a -> a b\n").unwrap();
    let found = look_for_deadlock(&net, 100, &mut Budget::unlimited()).unwrap();
    let Some(ExplicitOutcome::Reached(run)) = found else { panic!("no deadlock") };
    assert_eq!(run.len(), 2);
}

#[test]
fn siphons_are_as_small_as_the_goal_needs() {
    let net = tina::read("pl a (1)\ntr t a -> b\ntr u c -> d\ntr v d -> c e\ntr w f -> f g\n").unwrap();
    let empty = Empty::new(&net);
    let place = |name: &str| net.place_named(name).unwrap();
    let goals = Property::NoDeadPlaces.goals(&net).unwrap();
    for (name, needed) in
        [("a", None), ("b", None), ("c", Some(vec!["c", "d"])), ("e", Some(vec!["c", "d", "e"])), ("g", Some(vec!["f", "g"]))]
    {
        let found = empty.exclude(&net, &goals[place(name).index()]);
        let Some(needed) = needed else {
            assert_eq!(found, None, "{name}");
            continue;
        };
        let evidence = found.unwrap_or_else(|| panic!("{name}"));
        accepted(&net, &goals[place(name).index()], &evidence);
        let Evidence::Dead(dead) = evidence else { panic!("another kind") };
        let mut expected: Vec<u32> = needed.into_iter().map(|name| u32::try_from(place(name).index()).unwrap()).collect();
        expected.sort_unstable();
        assert_eq!(dead.places, expected, "{name}");
    }
}

/// What more ticks cannot change ends at once, with the reason.
#[test]
fn what_does_not_fit_ends_a_method() {
    let full = tina::read("pl a (18446744073709551614)\npl c (1)\npl d (0)\ntr t c -> a*5\ntr u d -> d\n").unwrap();
    let goal = words::formula("d >= 1", &full).unwrap();
    let session = Session::new(&full, &Cancel::new());
    let (found, far) = session.alone(&full, &[goal], Method::Cover, u32::MAX, &Cancel::new());
    assert_eq!(found, [GoalOutcome::TooLarge { what: "tokens on a place", limit: u64::MAX }]);
    assert_eq!((far.forwards, far.backwards), (1, 0));
    let extent = session.largest(&full, &Linear::variable(full.place_named("d").unwrap()), Some(Method::Cover), u32::MAX, &Cancel::new());
    assert_eq!((extent.least, extent.most), (0, None));
    let mut wide = Net::new("wide");
    let names: Vec<String> = (0..30).map(|number| format!("p{number}")).collect();
    names.iter().for_each(|name| _ = wide.add_place(name, 0).unwrap());
    let goal = words::formula(&format!("{} >= 30", names.join(" + ")), &wide).unwrap();
    let session = Session::new(&wide, &Cancel::new());
    let (found, _) = session.alone(&wide, &[goal], Method::Backward, u32::MAX, &Cancel::new());
    assert_eq!(found, [GoalOutcome::TooLarge { what: "least markings of a goal", limit: 1 << 14 }]);
}

/// Who finds nothing says how far he came.
#[test]
fn it_is_told_how_far_methods_came() {
    let mist::Spec { net, targets } = mist::read(&lipton(4, true)).unwrap();
    let session = Session::new(&net, &Cancel::new());
    let (found, far) = session.go_on(&net, &targets[..1], vec![GoalOutcome::Nothing], 1, &Cancel::new());
    assert!(found[0].is_open() && far.forwards > 100 && far.backwards > 100 && far.explicit >= 1_000, "{far:?}");
    let (found, far) = session.alone(&net, &targets[..1], Method::Backward, 1, &Cancel::new());
    assert!(found[0].is_open() && far.forwards == 0 && far.backwards > 100 && far.explicit == 0, "{far:?}");
}
