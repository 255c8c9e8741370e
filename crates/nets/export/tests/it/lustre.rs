//! Programs in Lustre do what the net does.

use std::collections::HashMap;

use serval_effort::side_by_side;
use serval_net_export::lustre::{Encoding, Options, identifier, write};
use serval_net_export::{NamedProperty, sets};
use serval_petri::{Marking, Net, Property, TransitionId};

use crate::examples::{Random, example, examples, random_net};
use crate::programs::{Machine, Node, Value, parse};

fn program(net: &Net, encoding: Encoding, sets: &[Vec<TransitionId>], asked: &[NamedProperty]) -> String {
    write(net, &Options { encoding, sets, asked, assumed: &[] }).unwrap()
}

fn main_node(text: &str) -> Node {
    parse(text).pop().unwrap()
}

/// Properties that many nets have something to say about.
fn questions(net: &Net) -> Vec<NamedProperty> {
    let name = |place| format!("{:?}", net.place_name(place));
    let mut words = vec!["safe:2".to_owned(), "deadlock-free".to_owned()];
    if let Some(first) = net.places().next() {
        let last = name(net.places().next_back().unwrap());
        words.push(format!("invariant:2*{} + 1 >= {last} or not deadlock and {last} != 1", name(first)));
        words.push(format!("reachable:{} = 2 and {last} <= 1", name(first)));
        words.push(format!("reaches:{}=1", name(first)));
    }
    words.into_iter().map(|name| NamedProperty { property: Property::parse(&name, net).unwrap(), name }).collect()
}

#[test]
fn every_export_of_every_example_is_in_the_grammar() {
    for (name, net) in examples() {
        for sets in [sets::greedy(&net), sets::singletons(&net)] {
            for encoding in [Encoding::Corrected, Encoding::Published] {
                let text = program(&net, encoding, &sets, &questions(&net));
                let node = main_node(&text);
                assert_eq!((node.name.as_str(), node.inputs.len()), ("main", net.transition_count()), "{name}");
                let own = if encoding == Encoding::Published { 4 } else { 2 + net.transition_count() + net.place_count() };
                assert_eq!(node.properties.len(), own + questions(&net).len(), "{name}");
                assert_eq!(text, program(&net, encoding, &sets, &questions(&net)), "{name}");
            }
        }
    }
}

/// What the program should say at an instant.
struct Expected<'a> {
    net: &'a Net,
    marking: Marking,
    /// By transition and by place whether it was enabled or marked, now or at an instant before; and the same without
    /// the first.
    seen: [Vec<bool>; 2],
    later: [Vec<bool>; 2],
}

impl<'a> Expected<'a> {
    fn new(net: &'a Net) -> Self {
        let none = || [vec![false; net.transition_count()], vec![false; net.place_count()]];
        let mut expected = Self { net, marking: net.initial(), seen: none(), later: none() };
        expected.look(true);
        expected
    }

    fn look(&mut self, is_first: bool) {
        for transition in self.net.transitions().filter(|&transition| self.net.is_enabled(&self.marking, transition)) {
            self.seen[0][transition.index()] = true;
            self.later[0][transition.index()] |= !is_first;
        }
        for place in self.net.places().filter(|&place| self.marking.tokens(place) > 0) {
            self.seen[1][place.index()] = true;
            self.later[1][place.index()] |= !is_first;
        }
    }

    /// Compares everything that is no input.
    fn compare(&self, machine: &mut Machine<'_>, encoding: Encoding, asked: &[NamedProperty], active: &[TransitionId]) {
        let net = self.net;
        let seen = if encoding == Encoding::Published { &self.later } else { &self.seen };
        let names: [Vec<String>; 2] = [
            net.transitions().map(|transition| identifier(net.transition_name(transition))).collect(),
            net.places().map(|place| identifier(net.place_name(place))).collect(),
        ];
        let mut is_dead = true;
        for (transition, name) in net.transitions().zip(&names[0]) {
            let is_enabled = net.is_enabled(&self.marking, transition);
            is_dead &= !is_enabled;
            assert_eq!(machine.bool(&format!("enable_{name}")), is_enabled);
            assert_eq!(machine.bool(&format!("firing_{name}")), is_enabled && active.contains(&transition));
            assert_eq!(machine.bool(&format!("enabled_{name}")), seen[0][transition.index()]);
        }
        for (place, name) in net.places().zip(&names[1]) {
            assert_eq!(machine.value(name), Value::Int(self.marking.tokens(place).into()), "{name}");
            assert_eq!(machine.bool(&format!("marked_{name}")), seen[1][place.index()]);
        }
        assert_eq!((machine.bool("deadlock"), machine.bool("prop_noDeadlock")), (is_dead, !is_dead));
        assert_eq!(machine.bool("prop_oneSafe"), net.places().all(|place| self.marking.tokens(place) <= 1));
        match encoding {
            Encoding::Published => {
                assert_eq!(machine.bool("prop_deadTransExists"), !self.later[0].iter().all(|seen| *seen));
                assert_eq!(machine.bool("prop_deadPlaceExists"), !self.later[1].iter().all(|seen| *seen));
            }
            Encoding::Corrected => {
                for (kind, names) in
                    ["trans", "place"].iter().zip(&names).enumerate().map(|(number, (kind, names))| ((number, kind), names))
                {
                    for (name, seen) in names.iter().zip(&self.seen[kind.0]) {
                        assert_eq!(machine.bool(&format!("prop_dead_{}_{name}", kind.1)), !seen);
                    }
                }
            }
        }
        for (number, asked) in asked.iter().enumerate() {
            let meets = asked.property.goals(net).unwrap().iter().any(|goal| goal.holds(&self.marking));
            assert_eq!(machine.bool(&format!("prop_asked_{}", number + 1)), !meets, "{}", asked.name);
        }
    }
}

/// Runs a program along a random stream of inputs: what the assertions allow is what the net does.
fn stream(
    net: &Net,
    node: &Node,
    encoding: Encoding,
    sets: &[Vec<TransitionId>],
    asked: &[NamedProperty],
    random: &mut Random,
    length: usize,
) {
    let (mut machine, mut expected) = (Machine::new(node), Expected::new(net));
    for _ in 0..length {
        let enabled = |transition: &TransitionId| net.is_enabled(&expected.marking, *transition);
        let inputs = |active: &[TransitionId]| -> HashMap<String, bool> {
            let name = |transition| format!("act_{}", identifier(net.transition_name(transition)));
            net.transitions().map(|transition| (name(transition), active.contains(&transition))).collect()
        };
        // Anything at all: the assertions allow it iff it is some of the enabled transitions of one set, and one at
        // least if one is enabled.
        let wild: Vec<TransitionId> = net.transitions().filter(|_| random.below(3) == 0).collect();
        let touched = sets.iter().filter(|set| set.iter().any(|transition| wild.contains(transition))).count();
        let allowed = wild.iter().all(enabled) && (touched == 1 || !net.transitions().any(|transition| enabled(&transition)));
        assert_eq!(machine.instant(&inputs(&wild)), allowed);
        expected.compare(&mut machine, encoding, asked, &wild);
        // Something that is allowed.
        let possible: Vec<Vec<TransitionId>> =
            sets.iter().map(|set| set.iter().copied().filter(enabled).collect::<Vec<_>>()).filter(|set| !set.is_empty()).collect();
        let active = match possible.len() {
            0 => Vec::new(),
            count => {
                let set = &possible[random.below(count)];
                let sure = random.below(set.len());
                set.iter().enumerate().filter(|(number, _)| *number == sure || random.below(2) == 0).map(|(_, one)| *one).collect()
            }
        };
        assert!(machine.instant(&inputs(&active)));
        expected.compare(&mut machine, encoding, asked, &active);
        machine.advance();
        active.iter().for_each(|&transition| net.fire(&mut expected.marking, transition).unwrap());
        expected.look(false);
    }
}

#[test]
fn programs_do_what_nets_do() {
    // The number of streams of inputs for each net.
    let sweep = serval_effort::sweep("export.lustre", 6, 1000);
    let random_nets = (0..20).map(|seed| random_net(sweep.seed(seed)));
    let nets: Vec<(u64, Net)> = (sweep.seed(7)..).zip(examples().into_iter().map(|(_, net)| net).chain(random_nets)).collect();
    side_by_side(&nets, |(seed, net)| {
        let mut random = Random(*seed);
        let streams = if net.transition_count() > 30 { sweep.count().div_ceil(3) } else { sweep.count() };
        for (encoding, sets) in [
            (Encoding::Corrected, sets::greedy(net)),
            (Encoding::Published, sets::greedy(net)),
            (Encoding::Corrected, sets::singletons(net)),
        ] {
            let asked = questions(net);
            let node = main_node(&program(net, encoding, &sets, &asked));
            for _ in 0..streams {
                stream(net, &node, encoding, &sets, &asked, &mut random, 20);
            }
        }
    });
}

/// The two encodings on two nets of two lines: where they differ, and why.
#[test]
fn what_the_published_observers_miss() {
    // `start` is enabled in the beginning only, and no run of the second net enables both.
    let once = serval_petri::tina::read("pl a (1)\ntr start a -> b\ntr go b -> b").unwrap();
    let either = serval_petri::tina::read("pl a (1)\ntr l a -> b\ntr r a -> c\ntr l2 b -> b\ntr r2 c -> c").unwrap();
    for (net, seen_in_one_run) in [(once, true), (either, false)] {
        let sets = sets::singletons(&net);
        let (published, corrected) = (program(&net, Encoding::Published, &sets, &[]), program(&net, Encoding::Corrected, &sets, &[]));
        let (published, corrected) = (main_node(&published), main_node(&corrected));
        let mut open: Vec<String> = corrected.properties.iter().filter(|name| name.starts_with("prop_dead_")).cloned().collect();
        let mut random = Random(3);
        for _ in 0..50 {
            let (mut one, mut other, mut marking) = (Machine::new(&published), Machine::new(&corrected), net.initial());
            for _ in 0..4 {
                let enabled: Vec<TransitionId> = net.transitions().filter(|&transition| net.is_enabled(&marking, transition)).collect();
                let chosen = enabled[random.below(enabled.len())];
                let inputs: HashMap<String, bool> = net
                    .transitions()
                    .map(|transition| (format!("act_{}", net.transition_name(transition)), transition == chosen))
                    .collect();
                assert!(one.instant(&inputs) && other.instant(&inputs));
                // Published: dead transitions exist, whatever the run. Corrected: each property fails in some run.
                assert!(one.bool("prop_deadTransExists"));
                open.retain(|name| other.bool(name));
                one.advance();
                other.advance();
                net.fire(&mut marking, chosen).unwrap();
            }
        }
        assert!(open.is_empty(), "{open:?}");
        assert_eq!(net.transition_count() == 2, seen_in_one_run);
    }
}

#[test]
fn sets_are_partitions_into_independent_transitions() {
    for (name, net) in examples() {
        let sets = sets::greedy(&net);
        let names: Vec<Vec<&str>> = sets.iter().map(|set| set.iter().map(|one| net.transition_name(*one)).collect()).collect();
        let text = serde_json::to_string(&names).unwrap();
        assert_eq!(sets::read(&text, &net).unwrap(), sets, "{name}");
    }
    let net = example("peterson-3.net");
    assert!(sets::greedy(&net).len() < net.transition_count() / 2);
    let figure = example("figure-1.net");
    let refused = |text: &str| sets::read(text, &figure).unwrap_err().to_string();
    assert_eq!(refused(r#"[["t0","t1"],["t2"],["t3"]]"#), "“t0” and “t1” are in one set and both touch “p1”");
    assert_eq!(refused(r#"[["t0"],["t1"],["t2"]]"#), "“t3” is in no set");
    assert_eq!(refused(r#"[["t0"],["t0"]]"#), "“t0” is in two sets");
    assert_eq!(refused(r#"[["t9"]]"#), "the net has no transition “t9”");
    assert!(refused("t0").starts_with("expected an array of arrays of names of transitions: "));
}

#[test]
fn hostile_names_stay_names() {
    let mut net = Net::new("evil\ntel; node main");
    let names = ["", "node", "deadlock", "act_t", "p1", "-- x", "a\nb", "é", "_x41", "A", "prop_oneSafe", "trans_set0", "b;"];
    let places: Vec<_> = names.iter().map(|name| net.add_place(*name, 1).unwrap()).collect();
    for (name, place) in names.iter().zip(&places) {
        net.add_transition(*name, [(*place, 1)], [(places[0], 2)]).unwrap();
    }
    for encoding in [Encoding::Corrected, Encoding::Published] {
        let text = program(&net, encoding, &sets::greedy(&net), &[]);
        let node = main_node(&text);
        let read: Vec<String> =
            node.outputs.iter().take(names.len()).map(|(name, _)| serval_net_export::names::name(name).unwrap()).collect();
        assert_eq!(read, names);
        stream(&net, &node, encoding, &sets::greedy(&net), &[], &mut Random(1), 8);
    }
    let map: serde_json::Value = serde_json::from_str(&serval_net_export::map::write(&net, &[])).unwrap();
    assert_eq!(map["places"].as_array().unwrap().len(), names.len());
    assert_eq!((&map["places"][6]["identifier"], &map["places"][6]["name"]), (&"a_x0Ab".into(), &"a\nb".into()));
}

#[test]
fn what_cannot_be_said_is_refused_in_one_sentence() {
    let net = example("figure-1.net");
    let sets = sets::greedy(&net);
    let refused = |net: &Net, property: Property| {
        let asked = [NamedProperty { name: "q".to_owned(), property }];
        write(net, &Options { encoding: Encoding::Corrected, sets: &sets, asked: &asked, assumed: &[] }).unwrap_err().to_string()
    };
    assert_eq!(
        refused(&net, Property::QuasiLive),
        "quasi-live is one property for each node, and all of these are in the default encoding already"
    );
    let constraint = serval_petri::Constraint::NotDivisible {
        divisor: 2.try_into().unwrap(),
        expression: serval_petri::Linear::variable(net.places().next().unwrap()),
    };
    let odd = serval_petri::Formula::constraint(constraint);
    assert_eq!(refused(&net, Property::Invariant(odd)), "a condition about divisibility cannot be written in this format");
    let nothing = Net::new("");
    assert!(write(&nothing, &Options { encoding: Encoding::Corrected, sets: &[], asked: &[], assumed: &[] }).is_err());
}
