//! Slices of nets: few places where these are enough.

use serval_budget::{Budget, Cancel};
use serval_net_engine::cover::{CoverOutcome, Tree, sliced};
use serval_net_engine::{Method, Session};
use serval_net_proof::{Claim, Evidence, check};
use serval_petri::{Formula, Net, PlaceId, Property, tina, words};
use serval_random::nets::{net, open_net};

/// Pools of eight workers each, which have nothing to do with each other.
fn pools(count: usize) -> Net {
    let pool = |number: usize| {
        format!(
            "pl task{number} (1)\npl worker{number} (8)\ntr more{number} -> task{number}\ntr take{number} task{number} worker{number} -> busy{number}\n\
             tr slow{number} busy{number} -> slow{number}\ntr done{number} busy{number} -> worker{number} done{number}\n\
             tr late{number} slow{number} -> worker{number} done{number}\n"
        )
    };
    tina::read(&(0..count).map(pool).collect::<String>()).unwrap()
}

/// What has nothing to do with the goal is not looked at; the evidence is about the net itself.
#[test]
fn few_places_are_enough() {
    let net = pools(3);
    let goal = words::formula("busy0 >= 9", &net).unwrap();
    assert!(Tree::new(&net).unwrap().ask(&net, &goal, &mut Budget::ticks(50_000)).is_err(), "the whole net has few ω-markings");
    let mut markings = 0;
    let Ok(CoverOutcome::Excluded(evidence)) = sliced::ask(&net, &goal, &mut markings, &mut Budget::ticks(2_000)) else {
        panic!("not enough")
    };
    assert!(markings < 100, "{markings}");
    check(&net, &goal, Claim::Unreachable, &evidence, &mut Budget::unlimited()).unwrap();
    let Evidence::Cover(cover) = &*evidence else { panic!("{evidence:?}") };
    let busy = net.place_named("busy1").unwrap();
    assert!(cover.markings.iter().all(|marking| marking[busy.index()].is_none()));
    // The method as a whole tries the net first, and says the same in its first round.
    let (found, far) = Session::new(&net, &Cancel::new()).alone(&net, &[goal], Method::Cover, 1, &Cancel::new());
    assert_eq!(found[0].answer().map(|answer| (answer.claim, answer.evidence.kind())), Some((Claim::Unreachable, "cover")));
    assert!(far.forwards > 1_000, "{far:?}");
    // A run of few places needs others, which are looked at then.
    let goal = words::formula("busy0 >= 8 and done2 >= 20", &net).unwrap();
    let Ok(CoverOutcome::Reached(word)) = sliced::ask(&net, &goal, &mut 0, &mut Budget::ticks(5_000)) else { panic!("not reached") };
    let run = Evidence::Run(serval_net_proof::Run { word });
    check(&net, &goal, Claim::Reachable, &run, &mut Budget::unlimited()).unwrap();
}

/// The net in which each transition takes from one place after the other, and a lock keeps what belongs together
/// together.
fn one_by_one(net: &Net) -> (Net, PlaceId) {
    let mut split = Net::new("split");
    let places: Vec<PlaceId> =
        net.places().map(|place| split.add_place(format!("p{}", place.index()), net.initial_tokens(place)).unwrap()).collect();
    let idle = split.add_place("idle", 1).unwrap();
    for transition in net.transitions() {
        let name = format!("t{}", transition.index());
        let mut at = idle;
        for (step, &(place, weight)) in net.inputs(transition).iter().enumerate() {
            let next = split.add_place(format!("{name}_{step}"), 0).unwrap();
            split.add_transition(format!("{name} takes {step}"), vec![(at, 1), (places[place.index()], weight)], vec![(next, 1)]).unwrap();
            at = next;
        }
        let given = net.outputs(transition).iter().map(|&(place, weight)| (places[place.index()], weight));
        split.add_transition(format!("{name} gives"), vec![(at, 1)], given.chain([(idle, 1)]).collect::<Vec<_>>()).unwrap();
    }
    (split, idle)
}

/// Nets in which no transition takes from two unbounded places are as hard as all: each net is such a one, with a
/// finite control.
#[test]
fn to_take_from_one_unbounded_place_at_a_time_is_no_easier() {
    let sweep = serval_effort::sweep("nets.one_place_at_a_time", 20, 60);
    let reached = sweep.map(0, |seed| {
        let mut reached = 0;
        let net = if seed % 2 == 0 { net(seed) } else { open_net(seed) };
        let (split, idle) = one_by_one(&net);
        let is_control = |place: PlaceId| place.index() >= net.place_count();
        assert!(split.transitions().all(|one| split.inputs(one).iter().filter(|arc| !is_control(arc.0)).count() <= 1));
        let lock = Formula::all([words::formula("idle >= 1", &split).unwrap()]);
        assert_eq!(split.place_name(idle), "idle");
        // Places of the net come first in the other one, in the same order, so that goals are the same.
        for goal in Property::QuasiLive.goals(&net).unwrap() {
            let there = Tree::new(&net).unwrap().ask(&net, &goal, &mut Budget::ticks(300_000));
            let both = Formula::all([goal.clone(), lock.clone()]);
            let (Ok(there), Ok(here)) = (there, sliced::ask(&split, &both, &mut 0, &mut Budget::ticks(300_000))) else { continue };
            let is_reached = |said: &CoverOutcome| matches!(said, CoverOutcome::Reached(_));
            assert_eq!(is_reached(&there), is_reached(&here), "net {seed}:\n{}", tina::write(&net));
            reached += u64::from(is_reached(&here));
        }
        reached
    });
    let reached: u64 = reached.into_iter().sum();
    assert!(!sweep.is_representative() || reached > sweep.count(), "{reached}");
}
