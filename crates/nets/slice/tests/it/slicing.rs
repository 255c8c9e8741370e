//! Slicing against trying everything, and against its own theorem.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serval_budget::Budget;
use serval_effort::side_by_side;
use serval_net_slice::{Forced, Refutation, Round, Slice, Sliced, Unreachable, slice, slice_inductive};
use serval_petri::{Arc, Constraint, Linear, Marking, Net, PlaceId, Target, TransitionId};

use crate::nets::cases;
use crate::support::{explore, small_net, target};

fn sliced(net: &Net, target: &Target) -> Slice {
    slice(net, target, &mut Budget::unlimited()).unwrap()
}

/// Follows the rounds by the words of the theorem, with sets.
struct Check<'a> {
    net: &'a Net,
    target: &'a Target,
    places: BTreeSet<PlaceId>,
    empty: BTreeSet<PlaceId>,
    transitions: BTreeSet<TransitionId>,
}

impl<'a> Check<'a> {
    fn new(net: &'a Net, target: &'a Target) -> Self {
        let (places, transitions) = (net.places().collect(), net.transitions().collect());
        Self { net, target, places, empty: BTreeSet::new(), transitions }
    }

    fn touching(&self, arcs: impl Fn(TransitionId) -> &'a [Arc], set: &BTreeSet<PlaceId>) -> BTreeSet<TransitionId> {
        self.transitions.iter().copied().filter(|&transition| arcs(transition).iter().any(|(place, _)| set.contains(place))).collect()
    }

    fn takers(&self, set: &BTreeSet<PlaceId>) -> BTreeSet<TransitionId> {
        self.touching(|transition| self.net.inputs(transition), set)
    }

    fn givers(&self, set: &BTreeSet<PlaceId>) -> BTreeSet<TransitionId> {
        self.touching(|transition| self.net.outputs(transition), set)
    }

    /// No marking of the target has a token there: by the words of the definition.
    fn check_forced(&self, forced: &[Forced]) -> BTreeSet<PlaceId> {
        let mut zero = self.empty.clone();
        for entry in forced {
            let constraint = &self.target.constraints()[entry.constraint];
            let is_forced = |sign: i128| {
                let left = || constraint.expression().terms().iter().filter(|(place, _)| !zero.contains(place));
                let constant = sign * i128::from(constraint.expression().constant());
                let own = left().find(|&&(place, _)| place == entry.place).map_or(0, |&(_, c)| sign * i128::from(c));
                left().all(|&(_, c)| sign * i128::from(c) <= 0) && -own > constant
            };
            match constraint {
                Constraint::AtLeastZero(_) => assert!(is_forced(1)),
                Constraint::Zero(_) => assert!(is_forced(1) || is_forced(-1)),
                Constraint::NotDivisible { .. } => panic!("{constraint:?} forces nothing"),
            }
            zero.insert(entry.place);
        }
        zero
    }

    fn check_trap(&self, places: &[PlaceId], forced: &[Forced]) -> BTreeSet<PlaceId> {
        let trap: BTreeSet<PlaceId> = places.iter().copied().collect();
        assert!(trap.is_subset(&self.places) && !trap.is_empty());
        assert!(trap.is_subset(&self.check_forced(forced)));
        assert!(self.takers(&trap).is_subset(&self.givers(&trap)));
        trap
    }

    fn leave_out(&mut self, places: &BTreeSet<PlaceId>, transitions: &BTreeSet<TransitionId>) {
        assert!(places.is_subset(&self.places) && transitions.is_subset(&self.transitions));
        self.places.retain(|place| !places.contains(place));
        self.transitions.retain(|transition| !transitions.contains(transition));
    }

    fn round(&mut self, round: &Round) {
        let set = |transitions: &[TransitionId]| transitions.iter().copied().collect::<BTreeSet<_>>();
        match round {
            Round::UnmarkedSiphon { places, transitions } => {
                let unmarked: BTreeSet<PlaceId> = places.iter().copied().collect();
                assert!(unmarked.iter().all(|&place| self.net.initial_tokens(place) == 0));
                assert!(self.givers(&unmarked).is_subset(&self.takers(&unmarked)));
                assert_eq!(set(transitions), self.takers(&unmarked));
                self.leave_out(&unmarked, &set(transitions));
                self.empty.extend(unmarked);
            }
            Round::Trap { places, forced, transitions } => {
                let trap = self.check_trap(places, forced);
                assert!(trap.iter().all(|&place| self.net.initial_tokens(place) == 0));
                assert_eq!(set(transitions), self.givers(&trap));
                self.leave_out(&trap, &set(transitions));
                self.empty.extend(trap);
            }
            Round::Irrelevant { places, transitions } => {
                self.leave_out(&places.iter().copied().collect(), &BTreeSet::new());
                let tokens = |arcs: &[Arc], place| arcs.iter().find(|arc| arc.0 == place).map_or(0, |arc| arc.1);
                for &transition in transitions {
                    for &place in &self.places {
                        let net = self.net;
                        assert_eq!(tokens(net.inputs(transition), place), tokens(net.outputs(transition), place));
                    }
                }
                self.leave_out(&BTreeSet::new(), &set(transitions));
                for &transition in &self.transitions {
                    assert!(self.net.inputs(transition).iter().all(|(place, _)| self.places.contains(place)));
                }
            }
            Round::Dispensable { places, forced, transitions } => {
                let gone: BTreeSet<PlaceId> = places.iter().copied().collect();
                assert!(!gone.is_empty() && gone.is_subset(&self.places));
                self.check_dispensable(&gone, forced);
                assert_eq!(set(transitions), &self.takers(&gone) | &self.givers(&gone));
                self.leave_out(&gone, &set(transitions));
                self.empty.extend(gone);
            }
            Round::Repeated { transitions } => {
                let left = |arcs: &[Arc]| arcs.iter().filter(|arc| self.places.contains(&arc.0)).copied().collect::<Vec<_>>();
                for &(gone, same) in transitions {
                    assert!(gone != same && self.transitions.contains(&same));
                    assert_eq!(left(self.net.inputs(gone)), left(self.net.inputs(same)));
                    assert_eq!(left(self.net.outputs(gone)), left(self.net.outputs(same)));
                }
                let gone = transitions.iter().map(|&(gone, _)| gone).collect();
                self.leave_out(&BTreeSet::new(), &gone);
                assert!(transitions.iter().all(|(_, same)| self.transitions.contains(same)));
            }
        }
    }

    /// By the words of the theorem: all that can happen to a token that is ever in
    /// one of these places is that it is moved, and no transition needs it.
    fn check_dispensable(&self, places: &BTreeSet<PlaceId>, forced: &[Forced]) {
        let zero = self.check_forced(forced);
        let tokens = |arcs: &[Arc], place| arcs.iter().find(|arc| arc.0 == place).map_or(0, |arc| arc.1);
        // What is taken and not given back, or the other way round, a token at a time.
        let difference = |from: &[Arc], to: &[Arc]| -> Vec<PlaceId> {
            let here = self.places.iter().copied();
            here.flat_map(|place| std::iter::repeat_n(place, tokens(from, place).saturating_sub(tokens(to, place)).try_into().unwrap()))
                .collect()
        };
        let moved = |transition: TransitionId| {
            let (inputs, outputs) = (self.net.inputs(transition), self.net.outputs(transition));
            (difference(inputs, outputs), difference(outputs, inputs))
        };
        let (mut before, mut after) = (places.clone(), places.clone());
        loop {
            let sizes = (before.len(), after.len());
            for transition in self.givers(&before) {
                let (from, to) = moved(transition);
                assert!(from.len() <= 1 && to.len() == 1);
                before.extend(from);
            }
            for transition in self.takers(&after) {
                let (from, to) = moved(transition);
                assert!(from.len() == 1 && to.len() <= 1);
                after.extend(to);
            }
            if (before.len(), after.len()) == sizes {
                break;
            }
        }
        assert!(before.iter().all(|&place| self.net.initial_tokens(place) == 0));
        for &place in before.union(&after) {
            let set = BTreeSet::from([place]);
            assert!(self.takers(&set).is_disjoint(&self.givers(&set)));
        }
        for place in after.difference(&zero) {
            for constraint in self.target.constraints() {
                let coefficient = constraint.expression().terms().iter().find(|term| term.0 == *place).map_or(0, |term| term.1);
                // A constraint that says nothing may say it of any place.
                let says_nothing = matches!(constraint, Constraint::AtLeastZero(expression)
                    if expression.constant() >= 0 && expression.terms().iter().all(|(place, c)| *c >= 0 || self.empty.contains(place)));
                let divisible = matches!(constraint, Constraint::NotDivisible { .. });
                let is_bound = matches!(constraint, Constraint::AtLeastZero(_)) && coefficient < 0;
                assert!(coefficient == 0 || is_bound || says_nothing || divisible, "{constraint:?}");
                if coefficient != 0 && divisible {
                    // Only if it always holds.
                    for number in 0..12u64.pow(2) {
                        let value = |other: PlaceId| {
                            if self.empty.contains(&other) {
                                0
                            } else if other == *place {
                                number % 12
                            } else {
                                number / 12
                            }
                        };
                        assert!(constraint.holds(value), "{constraint:?}");
                    }
                }
            }
        }
    }

    fn kept(mut self, sliced: &Sliced) {
        sliced.rounds.iter().for_each(|round| self.round(round));
        sliced.net.check_invariants();
        assert_eq!(self.places.iter().copied().collect::<Vec<_>>(), sliced.places);
        assert_eq!(self.transitions.iter().copied().collect::<Vec<_>>(), sliced.transitions);
        for (place, original) in sliced.net.places().zip(&sliced.places) {
            assert_eq!(sliced.kept_place(*original), Some(place));
            assert_eq!(sliced.net.place_name(place), self.net.place_name(*original));
            assert_eq!(sliced.net.initial_tokens(place), self.net.initial_tokens(*original));
        }
        for (transition, original) in sliced.net.transitions().zip(&sliced.transitions) {
            assert_eq!(sliced.kept_transition(*original), Some(transition));
            let back = |arcs: &[Arc]| arcs.iter().map(|&(place, weight)| (sliced.places[place.index()], weight)).collect::<Vec<_>>();
            let left = |arcs: &[Arc]| arcs.iter().filter(|arc| self.places.contains(&arc.0)).copied().collect::<Vec<_>>();
            assert_eq!(back(sliced.net.inputs(transition)), left(self.net.inputs(*original)));
            assert_eq!(back(sliced.net.outputs(transition)), left(self.net.outputs(*original)));
        }
    }

    fn away(mut self, away: &Unreachable) {
        away.rounds.iter().for_each(|round| self.round(round));
        match &away.refutation {
            Refutation::MarkedTrap { places, forced, marked } => {
                let trap = self.check_trap(places, forced);
                assert!(trap.contains(marked) && self.net.initial_tokens(*marked) > 0);
            }
            Refutation::Unsatisfiable { constraint, forced } => {
                // Small coefficients: what holds for no small marking holds for none.
                let zero = self.check_forced(forced);
                let constraint = &self.target.constraints()[*constraint];
                let free: Vec<PlaceId> =
                    constraint.expression().terms().iter().map(|term| term.0).filter(|place| !zero.contains(place)).collect();
                for number in 0..12u64.pow(u32::try_from(free.len()).unwrap()) {
                    let value = |place: PlaceId| {
                        let digit = free.iter().position(|&other| other == place).map(|index| u32::try_from(index).unwrap());
                        digit.map_or(0, |digit| number / 12u64.pow(digit) % 12)
                    };
                    assert!(!constraint.holds(value), "{constraint:?}");
                }
            }
        }
    }
}

fn case() -> impl Strategy<Value = (Net, Target)> {
    small_net().prop_flat_map(|net| {
        let places = net.place_count();
        (Just(net), target(places))
    })
}

/// A net with requests that come in, look at places of it, and go again, and a
/// target that does not ask for them: so that some are dispensable.
fn visited_case() -> impl Strategy<Value = (Net, Target)> {
    let visit = (1..4usize, proptest::collection::vec((0..7usize, any::<bool>()), 1..4), any::<bool>());
    (small_net(), proptest::collection::vec(visit, 1..3)).prop_flat_map(|(mut net, visits)| {
        let base: Vec<PlaceId> = net.places().collect();
        let mut ends = Vec::new();
        for (number, (length, looks, stays)) in visits.into_iter().enumerate() {
            let name = |place: usize| format!("visitor {number} {place}");
            let places: Vec<PlaceId> = (0..length).map(|place| net.add_place(name(place), 0).unwrap()).collect();
            net.add_transition(format!("{number} comes"), [], [(places[0], 1)]).unwrap();
            for (step, pair) in places.windows(2).enumerate() {
                let (look, reads) = looks[step % looks.len()];
                let seen = base.get(look).filter(|_| reads).map(|&place| (place, 1));
                let arcs = |place: PlaceId| [(place, 1)].into_iter().chain(seen);
                net.add_transition(format!("{number} steps {step}"), arcs(pair[0]), arcs(pair[1])).unwrap();
            }
            match stays {
                true => ends.push(places[length - 1]),
                false => {
                    net.add_transition(format!("{number} goes"), [(places[length - 1], 1)], []).unwrap();
                }
            }
        }
        // Those that stay may be few, or none.
        let spare = ends.into_iter().map(|place| Constraint::AtLeastZero(Linear::new([(place, -1)], 1).unwrap()));
        let spare: Vec<Constraint> = spare.collect();
        let asked = target(base.len());
        (Just(net), asked).prop_map(move |(net, asked)| {
            let constraints = asked.constraints().iter().cloned().chain(spare.clone());
            (net, Target::new(constraints.collect()))
        })
    })
}

/// What became of a case, for the count of all.
#[derive(Default, Debug)]
struct Seen {
    away: usize,
    smaller: usize,
    reachable: usize,
    reachable_and_smaller: usize,
    never_marked: usize,
    trap: usize,
    irrelevant: usize,
    repeated: usize,
    dispensable: usize,
    dispensable_and_reachable: usize,
}

impl Seen {
    /// What was seen in both.
    fn and(self, other: Self) -> Self {
        Self {
            away: self.away + other.away,
            smaller: self.smaller + other.smaller,
            reachable: self.reachable + other.reachable,
            reachable_and_smaller: self.reachable_and_smaller + other.reachable_and_smaller,
            never_marked: self.never_marked + other.never_marked,
            trap: self.trap + other.trap,
            irrelevant: self.irrelevant + other.irrelevant,
            repeated: self.repeated + other.repeated,
            dispensable: self.dispensable + other.dispensable,
            dispensable_and_reachable: self.dispensable_and_reachable + other.dispensable_and_reachable,
        }
    }

    fn count(&mut self, rounds: &[Round]) {
        for round in rounds {
            match round {
                Round::UnmarkedSiphon { .. } => self.never_marked += 1,
                Round::Trap { .. } => self.trap += 1,
                Round::Irrelevant { .. } => self.irrelevant += 1,
                Round::Repeated { .. } => self.repeated += 1,
                Round::Dispensable { .. } => self.dispensable += 1,
            }
        }
    }
}

fn check(net: &Net, target: &Target, seen: &mut Seen) {
    const TOKENS: u64 = 4;
    const MARKINGS: usize = 3000;
    let explored = explore(net, TOKENS, MARKINGS);
    let way = explored.way_to(|marking| target.holds(marking));
    match sliced(net, target) {
        Slice::Unreachable(away) => {
            assert_eq!(way, None, "{away:?}");
            Check::new(net, target).away(&away);
            seen.count(&away.rounds);
            seen.away += 1;
        }
        Slice::Kept(left) => {
            Check::new(net, target).kept(&left);
            seen.count(&left.rounds);
            // That was the end: slicing again leaves out nothing.
            match sliced(&left.net, &left.target) {
                Slice::Kept(again) => assert_eq!((&again.net, &again.target, again.rounds.len()), (&left.net, &left.target, 0)),
                Slice::Unreachable(away) => panic!("{away:?}"),
            }
            let is_smaller = !left.rounds.is_empty();
            seen.smaller += usize::from(is_smaller);
            let part = explore(&left.net, TOKENS, MARKINGS);
            let part_way = part.way_to(|marking| left.target.holds(marking));
            // What reaches the target in the part does so in the whole.
            if let Some(way) = &part_way {
                let end = net.replay(&left.lift(way).unwrap()).unwrap();
                assert!(target.holds(&end), "{way:?}");
                seen.reachable += 1;
                seen.reachable_and_smaller += usize::from(is_smaller);
            }
            let is_dispensable = left.rounds.iter().any(|round| matches!(round, Round::Dispensable { .. }));
            seen.dispensable_and_reachable += usize::from(is_dispensable && part_way.is_some());
            if is_dispensable {
                // Fewer tokens will do.
                assert!(way.is_none() || part_way.is_some() || part.order.len() >= MARKINGS);
                check_inductive(net, target, way.is_some());
            }
            // What reaches it in the whole comes through the part, with no more tokens.
            if let Some(way) = way.as_ref().filter(|_| !is_dispensable) {
                let kept = |&transition: &TransitionId| {
                    let repeated = left.rounds.iter().find_map(|round| match round {
                        Round::Repeated { transitions } => transitions.iter().find(|pair| pair.0 == transition).map(|pair| pair.1),
                        _ => None,
                    });
                    left.kept_transition(repeated.unwrap_or(transition))
                };
                let end = left.net.replay(&way.iter().filter_map(kept).collect::<Vec<_>>());
                assert!(end.is_ok_and(|end| left.target.holds(&end)), "{way:?}");
            }
            if explored.is_complete && part.is_complete {
                assert_eq!(way.is_some(), part_way.is_some());
            }
        }
    }
}

/// Slicing without what is dispensable keeps the whole sequence.
fn check_inductive(net: &Net, target: &Target, is_reachable: bool) {
    match slice_inductive(net, target, &mut Budget::unlimited()).unwrap() {
        Slice::Unreachable(away) => {
            Check::new(net, target).away(&away);
            assert!(!is_reachable);
        }
        Slice::Kept(left) => {
            Check::new(net, target).kept(&left);
            assert!(!left.rounds.iter().any(|round| matches!(round, Round::Dispensable { .. })));
        }
    }
}

/// Nets, each with what is asked of it.
type Cases = BoxedStrategy<(Net, Target)>;

#[test]
fn random_nets_keep_what_is_reachable() {
    let sweep = serval_effort::sweep("petri.slicing", 750, 3000);
    let config = Config { cases: cases(sweep), failure_persistence: None, ..Config::default() };
    // The sample has the cases that it always had, and the night others.
    let rng = || match sweep.seed(0) {
        0 => TestRng::deterministic_rng(RngAlgorithm::ChaCha),
        seed => TestRng::from_seed(RngAlgorithm::ChaCha, &[seed.to_le_bytes(); 4].concat()),
    };
    let kinds: [fn() -> Cases; 2] = [|| case().boxed(), || visited_case().boxed()];
    let parts = side_by_side(&kinds, |kind| {
        let seen = std::cell::RefCell::new(Seen::default());
        let tried = TestRunner::new_with_rng(config.clone(), rng()).run(&kind(), |(net, target)| {
            check(&net, &target, &mut seen.borrow_mut());
            Ok(())
        });
        tried.unwrap();
        seen.into_inner()
    });
    let seen = parts.into_iter().fold(Seen::default(), Seen::and);
    serval_testkit::say(&format!("twice {} random nets sliced: {seen:?}", sweep.count()));
    // Every part of the theorem has been met often.
    let counts = [
        seen.away,
        seen.smaller,
        seen.reachable_and_smaller,
        seen.never_marked,
        seen.trap,
        seen.irrelevant,
        seen.repeated,
        seen.dispensable,
        seen.dispensable_and_reachable,
    ];
    let often = |count: usize| count as u64 * 1000 > sweep.count();
    assert!(!sweep.is_representative() || counts.into_iter().all(often), "{seen:?}");
}

fn zero(place: PlaceId) -> Constraint {
    Constraint::Zero(Linear::variable(place))
}

fn at_least(place: PlaceId, least: i64) -> Constraint {
    Constraint::AtLeastZero(Linear::new([(place, 1)], -least).unwrap())
}

fn kept(net: &Net, target: &Target) -> Sliced {
    match sliced(net, target) {
        Slice::Kept(sliced) => {
            Check::new(net, target).kept(&sliced);
            *sliced
        }
        Slice::Unreachable(away) => panic!("{away:?}"),
    }
}

fn away(net: &Net, target: &Target) -> Unreachable {
    match sliced(net, target) {
        Slice::Unreachable(away) => {
            Check::new(net, target).away(&away);
            away
        }
        Slice::Kept(kept) => panic!("{kept:?}"),
    }
}

/// A request that can get stuck: what leads there is left out, and then what
/// only that could have led to.
#[test]
fn rounds_follow_each_other_to_the_end() {
    let mut net = Net::new("rounds");
    let [start, stuck, beyond, end] =
        [("start", 1), ("stuck", 0), ("beyond", 0), ("end", 0)].map(|(name, tokens)| net.add_place(name, tokens).unwrap());
    let [side] = ["side"].map(|name| net.add_place(name, 0).unwrap());
    net.add_transition("finish", [(start, 1)], [(end, 1)]).unwrap();
    // Leaves a token that nothing takes away, and another.
    net.add_transition("hang", [(start, 1)], [(stuck, 1), (side, 1)]).unwrap();
    net.add_transition("turn", [(stuck, 2)], [(stuck, 1)]).unwrap();
    net.add_transition("use", [(side, 1)], [(beyond, 1)]).unwrap();
    net.add_transition("profit", [(beyond, 1)], [(end, 1)]).unwrap();
    let target = Target::new(vec![zero(start), zero(stuck), at_least(end, 1)]);
    let left = kept(&net, &target);
    let name = |round: &Round| match round {
        Round::UnmarkedSiphon { places, transitions } => ("never marked", places.clone(), transitions.len()),
        Round::Trap { places, transitions, .. } => ("trap", places.clone(), transitions.len()),
        Round::Irrelevant { places, transitions } => ("irrelevant", places.clone(), transitions.len()),
        Round::Repeated { transitions } => ("repeated", Vec::new(), transitions.len()),
        Round::Dispensable { places, transitions, .. } => ("dispensable", places.clone(), transitions.len()),
    };
    let rounds: Vec<_> = left.rounds.iter().map(name).collect();
    assert_eq!(rounds, [("trap", vec![stuck], 2), ("never marked", vec![beyond, side], 2)]);
    assert_eq!((left.net.place_count(), left.net.transition_count()), (2, 1));
    // Two answers would need the profit.
    let target = Target::new(vec![zero(start), zero(stuck), at_least(beyond, 1)]);
    let away = away(&net, &target);
    assert_eq!(away.rounds.len(), 2);
    assert!(matches!(away.refutation, Refutation::Unsatisfiable { constraint: 2, .. }));
}

/// A bound that is not 0 makes no trap: the token may stay.
#[test]
fn a_place_that_may_keep_a_token_is_kept() {
    let mut net = Net::new("bound");
    let (a, b) = (net.add_place("a", 1).unwrap(), net.add_place("b", 0).unwrap());
    net.add_transition("t", [(a, 1)], [(b, 1)]).unwrap();
    let at_most_one = Constraint::AtLeastZero(Linear::new([(b, -1)], 1).unwrap());
    let left = kept(&net, &Target::new(vec![at_most_one, zero(a)]));
    assert_eq!(left.net.transition_count(), 1);
    // With 2 for each token, it is 0 after all.
    let half = Constraint::AtLeastZero(Linear::new([(b, -2)], 1).unwrap());
    let away = away(&net, &Target::new(vec![half, zero(a)]));
    assert!(matches!(away.refutation, Refutation::MarkedTrap { .. }), "{away:?}");
}

#[test]
fn zeros_follow_from_zeros() {
    let mut net = Net::new("zeros");
    let [a, b, c] = ["a", "b", "c"].map(|name| net.add_place(name, 0).unwrap());
    net.add_transition("a", [], [(a, 1)]).unwrap();
    net.add_transition("b", [], [(b, 1)]).unwrap();
    net.add_transition("c", [], [(c, 1)]).unwrap();
    // b ≤ a, a + c = 0.
    let target = Target::new(vec![
        Constraint::AtLeastZero(Linear::new([(a, 1), (b, -1)], 0).unwrap()),
        Constraint::Zero(Linear::new([(a, 1), (c, 1)], 0).unwrap()),
    ]);
    let left = kept(&net, &target);
    assert_eq!((left.net.place_count(), left.net.transition_count()), (0, 0));
    assert!(left.target.constraints().is_empty() && target.holds(&Marking::new(vec![0; 3])));
}

#[test]
fn what_nobody_asks_about_is_left_out() {
    let mut net = Net::new("irrelevant");
    let [a, b, log, other] = ["a", "b", "log", "other"].map(|name| net.add_place(name, 1).unwrap());
    let go = net.add_transition("go", [(a, 1)], [(b, 1), (log, 1)]).unwrap();
    let again = net.add_transition("go, and log twice", [(a, 1)], [(b, 1), (log, 2)]).unwrap();
    net.add_transition("look", [(b, 1), (other, 1)], [(b, 1)]).unwrap();
    let left = kept(&net, &Target::new(vec![at_least(b, 2)]));
    assert_eq!((left.places, left.transitions), (vec![a, b], vec![go]));
    assert!(matches!(&left.rounds[1], Round::Repeated { transitions } if transitions[..] == [(again, go)]));
}

/// A request that only looks can be left out; one that writes cannot, nor one
/// whose answer is asked for, nor what they have in common.
#[test]
fn requests_that_nobody_needs_are_left_out() {
    let mut net = Net::new("readers");
    let [off, on] = [("off", 1), ("on", 0)].map(|(name, tokens)| net.add_place(name, tokens).unwrap());
    let [reader, saw_off, saw_on, writer, wrote] =
        ["reader", "saw off", "saw on", "writer", "wrote"].map(|name| net.add_place(name, 0).unwrap());
    let spawn = net.add_transition("read", [], [(reader, 1)]).unwrap();
    net.add_transition("see off", [(reader, 1), (off, 1)], [(saw_off, 1), (off, 1)]).unwrap();
    let see_on = net.add_transition("see on", [(reader, 1), (on, 1)], [(saw_on, 1), (on, 1)]).unwrap();
    let write = net.add_transition("write", [], [(writer, 1)]).unwrap();
    let done = net.add_transition("do it", [(writer, 1), (off, 1)], [(wrote, 1), (on, 1)]).unwrap();
    // As many as you like who see it off, but no more than see it on.
    let at_most = Constraint::AtLeastZero(Linear::new([(saw_on, 1), (saw_off, -1)], 0).unwrap());
    let left = kept(&net, &Target::new(vec![zero(reader), zero(writer), at_least(saw_on, 1), at_most.clone()]));
    assert_eq!(left.transitions, [spawn, see_on, write, done]);
    assert!(left.kept_place(saw_off).is_none() && left.kept_place(wrote).is_none());
    // A reader that sees it on is needed no more, and all readers go; the target asks whether one wrote.
    let left = kept(&net, &Target::new(vec![zero(reader), zero(writer), at_least(wrote, 1), at_least(off, 0)]));
    assert_eq!(left.transitions, [write, done]);
    // An odd number of them may matter.
    let odd = Constraint::NotDivisible { divisor: 2.try_into().unwrap(), expression: Linear::variable(saw_off) };
    let left = kept(&net, &Target::new(vec![zero(reader), zero(writer), at_least(saw_on, 1), odd]));
    assert!(left.kept_place(saw_off).is_some());
}

#[test]
fn a_budget_stops_it() {
    let mut net = Net::new("budget");
    net.add_place("a", 1).unwrap();
    assert!(slice(&net, &Target::default(), &mut Budget::ticks(1)).is_err());
}
