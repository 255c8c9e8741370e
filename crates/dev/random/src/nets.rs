//! Random Petri nets, questions about them, and the answers by trying everything.
//!
//! The answers come from the definitions: nothing here knows goals, formulas without negation, or evidence.

use std::collections::{HashSet, VecDeque};

use serval_model::SplitMix64;
use serval_petri::{Net, PlaceId, TransitionId, words};

/// The net of a seed: up to 5 places and 6 transitions, weights from 1 to 3. Half of them give back as much as they
/// take.
pub fn net(seed: u64) -> Net {
    let mut draw = SplitMix64::new(seed);
    let mut net = Net::new(format!("net {seed}"));
    let places: Vec<PlaceId> = (0..draw.index(6)).filter_map(|place| net.add_place(NAMES[place], tokens(&mut draw)).ok()).collect();
    let (keeps, transitions) = (draw.chance(50), draw.index(7));
    for number in 0..transitions {
        let inputs = arcs(&mut draw, &places);
        let outputs = if keeps {
            let total: u64 = inputs.iter().map(|arc| arc.1).sum();
            (0..total).map(|_| (places[draw.index(places.len())], 1)).collect()
        } else {
            arcs(&mut draw, &places)
        };
        // Weights to the same place add up, and three are the most.
        let outputs = merged(&outputs);
        let added = net.add_transition(format!("t{number}"), merged(&inputs), outputs);
        added.unwrap_or_else(|error| unreachable!("{error}"));
    }
    net
}

/// A net of a seed with 3 to 6 places: threads that come without end and share a few places, and steps at random. Most
/// places have no largest number of tokens.
pub fn open_net(seed: u64) -> Net {
    let mut draw = SplitMix64::new(seed ^ 0x0BE4);
    let mut net = Net::new(format!("open net {seed}"));
    let names = ["a", "b", "c", "d", "e", "f"];
    let places: Vec<PlaceId> =
        names[..3 + draw.index(4)].iter().filter_map(|name| net.add_place(*name, [0, 0, 0, 1, 1, 2][draw.index(6)]).ok()).collect();
    let mut any = |count: usize| -> Vec<(PlaceId, u64)> {
        (0..count).map(|_| (places[draw.index(places.len())], [1, 1, 1, 2][draw.index(4)])).collect()
    };
    let mut steps = vec![(any(1), any(2))];
    for number in 0..5 {
        let (inputs, outputs) = (any(1 + number % 2), any(number % 3));
        steps.push((inputs, outputs));
    }
    for (number, (inputs, outputs)) in steps.into_iter().enumerate() {
        let added = net.add_transition(format!("t{number}"), inputs, outputs);
        added.unwrap_or_else(|error| unreachable!("{error}"));
    }
    net
}

/// A net of a seed in which each transition takes at most one token, mostly one, and gives up to three.
pub fn free_net(seed: u64) -> Net {
    let mut draw = SplitMix64::new(seed ^ 0xF4EE);
    let mut net = Net::new(format!("communication-free net {seed}"));
    let names = ["a", "b", "c", "d", "e", "f"];
    let places: Vec<PlaceId> =
        names[..3 + draw.index(4)].iter().filter_map(|name| net.add_place(*name, [0, 0, 0, 1, 2][draw.index(5)]).ok()).collect();
    for number in 0..3 + draw.index(5) {
        let input = if draw.chance(95) { vec![(places[draw.index(places.len())], 1)] } else { Vec::new() };
        let outputs: Vec<(PlaceId, u64)> = (0..draw.index(4)).map(|_| (places[draw.index(places.len())], 1)).collect();
        let added = net.add_transition(format!("t{number}"), input, merged(&outputs));
        added.unwrap_or_else(|error| unreachable!("{error}"));
    }
    net
}

/// A net of a seed in which no place ever has more than one token: two or three processes, each at one of up to four
/// points, and two variables with two values. A step moves a process, may ask for the value of a variable, and may
/// change that of another.
pub fn safe_net(seed: u64) -> Net {
    let mut draw = SplitMix64::new(seed ^ 0x5AFE);
    let mut net = Net::new(format!("safe net {seed}"));
    let mut group = |name: &str, count: usize, at: usize| -> Vec<PlaceId> {
        (0..count).filter_map(|number| net.add_place(format!("{name}{number}"), u64::from(number == at)).ok()).collect()
    };
    let variables: Vec<Vec<PlaceId>> = ["v", "w"].iter().map(|name| group(name, 2, draw.index(2))).collect();
    let processes: Vec<Vec<PlaceId>> = ["p", "q", "r"][..2 + draw.index(2)].iter().map(|name| group(name, 2 + draw.index(3), 0)).collect();
    let mut number = 0;
    for points in &processes {
        for _ in 0..points.len() + draw.index(2) {
            let (from, to) = (points[draw.index(points.len())], points[draw.index(points.len())]);
            let (mut inputs, mut outputs) = (vec![(from, 1)], vec![(to, 1)]);
            let (asked, changed) = (draw.index(3), draw.index(4));
            for (variable, values) in variables.iter().enumerate().filter(|one| one.0 == asked || one.0 == changed) {
                let value = draw.index(2);
                inputs.push((values[value], 1));
                outputs.push((values[if variable == changed { 1 - value } else { value }], 1));
            }
            let added = net.add_transition(format!("t{number}"), inputs, outputs);
            added.unwrap_or_else(|error| unreachable!("{error}"));
            number += 1;
        }
    }
    net
}

/// The vector addition system of a seed with given numbers of states and counters, as a text: each state has two steps,
/// which change about half of the counters by up to 2, and the question is one marking. There are 1 to 100 states and
/// counters.
pub fn random_vass(seed: u64, states: usize, counters: usize) -> String {
    let mut draw = SplitMix64::new(seed ^ 0xA55);
    let (states, counters) = (states.clamp(1, 100), counters.clamp(1, 100));
    let mut vector = |numbers: &[i64]| {
        let numbers: Vec<String> = (0..counters).map(|_| numbers[draw.index(numbers.len())].to_string()).collect();
        format!("({})", numbers.join(", "))
    };
    let mut text = format!("state q0 {}\n", vector(&[0, 1, 2]));
    let mut ends = SplitMix64::new(seed ^ 0xE4D5);
    for state in 0..states {
        // The first step leads on, so that every state is a step away from the one before.
        for to in [(state + 1) % states, ends.index(states)] {
            text.push_str(&format!("q{state} -> q{to} {}\n", vector(&[-2, -1, -1, 0, 0, 0, 0, 1, 1, 2])));
        }
    }
    text.push_str(&format!("target q{} {}\n", states - 1, vector(&[0, 1, 3])));
    text
}

/// Some of them stand in quotes.
const NAMES: [&str; 5] = ["a", "b", "not", "d e", "\"\\"];

fn tokens(draw: &mut SplitMix64) -> u64 {
    [0, 0, 1, 1, 2, 3][draw.index(6)]
}

fn arcs(draw: &mut SplitMix64, places: &[PlaceId]) -> Vec<(PlaceId, u64)> {
    let count = if places.is_empty() { 0 } else { draw.index(3) };
    (0..count).map(|_| (places[draw.index(places.len())], [1, 1, 1, 2, 3][draw.index(5)])).collect()
}

fn merged(arcs: &[(PlaceId, u64)]) -> Vec<(PlaceId, u64)> {
    let mut merged: Vec<(PlaceId, u64)> = Vec::new();
    for &(place, weight) in arcs {
        match merged.iter_mut().find(|arc| arc.0 == place) {
            Some(arc) => arc.1 = (arc.1 + weight).min(3),
            None => merged.push((place, weight)),
        }
    }
    merged
}

/// What is asked of one marking.
#[derive(Clone, Debug)]
pub enum Ask {
    /// A sum, an operator, a number.
    Compared(Vec<(PlaceId, i64)>, &'static str, i64),
    /// One of the transitions can fire.
    Fireable(Vec<TransitionId>),
    /// None can.
    Deadlock,
    /// The opposite.
    Not(Box<Ask>),
    /// Both, one, or one if the other.
    Joined(&'static str, Box<(Ask, Ask)>),
}

impl Ask {
    /// A random question.
    pub fn draw(draw: &mut SplitMix64, net: &Net, depth: usize) -> Self {
        let transitions: Vec<TransitionId> = net.transitions().collect();
        match draw.index(if depth == 0 { 5 } else { 9 }) {
            0 if !transitions.is_empty() => {
                Self::Fireable((0..=draw.index(2)).map(|_| transitions[draw.index(transitions.len())]).collect())
            }
            1 if draw.chance(30) => Self::Deadlock,
            0..=4 => {
                let places: Vec<PlaceId> = net.places().collect();
                let count = if places.is_empty() { 0 } else { 1 + draw.index(3) };
                let terms = (0..count).map(|_| (places[draw.index(places.len())], [1, 1, 1, 2, 3, -1, -2][draw.index(7)])).collect();
                let number = [0, 1, 1, 2, 3, 4, 7, -1][draw.index(8)];
                Self::Compared(terms, ["=", "!=", "<", "<=", ">", ">="][draw.index(6)], number)
            }
            5 => Self::Not(Box::new(Self::draw(draw, net, depth - 1))),
            _ => {
                let operator = ["and", "or", "->"][draw.index(3)];
                Self::Joined(operator, Box::new((Self::draw(draw, net, depth - 1), Self::draw(draw, net, depth - 1))))
            }
        }
    }

    /// As people write it.
    pub fn text(&self, net: &Net) -> String {
        match self {
            Self::Compared(terms, operator, number) => {
                let term = |(place, factor): &(PlaceId, i64)| format!("{factor}*{}", words::quoted(net.place_name(*place)));
                let terms: Vec<String> = terms.iter().map(term).collect();
                let sum = if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") };
                format!("{sum} {operator} {number}")
            }
            Self::Fireable(transitions) => {
                let names: Vec<String> = transitions.iter().map(|&transition| words::quoted(net.transition_name(transition))).collect();
                format!("fireable({})", names.join(", "))
            }
            Self::Deadlock => "deadlock".to_owned(),
            Self::Not(inner) => format!("not ({})", inner.text(net)),
            Self::Joined(operator, both) => format!("({}) {operator} ({})", both.0.text(net), both.1.text(net)),
        }
    }

    /// Whether it is so in a marking.
    pub fn holds(&self, net: &Net, marking: &[u64]) -> bool {
        match self {
            Self::Compared(terms, operator, number) => {
                let sum: i128 = terms.iter().map(|&(place, factor)| i128::from(factor) * i128::from(marking[place.index()])).sum();
                let order = sum.cmp(&i128::from(*number));
                match *operator {
                    "=" => order.is_eq(),
                    "!=" => order.is_ne(),
                    "<" => order.is_lt(),
                    "<=" => order.is_le(),
                    ">" => order.is_gt(),
                    _ => order.is_ge(),
                }
            }
            Self::Fireable(transitions) => transitions.iter().any(|&transition| is_enabled(net, marking, transition)),
            Self::Deadlock => !net.transitions().any(|transition| is_enabled(net, marking, transition)),
            Self::Not(inner) => !inner.holds(net, marking),
            Self::Joined("and", both) => both.0.holds(net, marking) && both.1.holds(net, marking),
            Self::Joined("or", both) => both.0.holds(net, marking) || both.1.holds(net, marking),
            Self::Joined(_, both) => !both.0.holds(net, marking) || both.1.holds(net, marking),
        }
    }
}

/// What is asked of a net.
#[derive(Clone, Debug)]
pub enum Question {
    /// Some transition can always fire.
    DeadlockFree,
    /// No place has more tokens.
    Safe(u64),
    /// Each transition can fire some time.
    QuasiLive,
    /// Each place is marked some time.
    NoDeadPlaces,
    /// Some place never has another number of tokens.
    StableMarking,
    /// Each transition can always fire again.
    Live,
    /// The initial marking can always be reached again.
    Reversible,
    /// It is always so.
    Invariant(Ask),
    /// It is so some time.
    Reachable(Ask),
    /// This marking is there some time.
    Reaches(Vec<u64>),
}

impl Question {
    /// The four of every net, with two bounds, and some at random.
    pub fn all(draw: &mut SplitMix64, net: &Net) -> Vec<Self> {
        let mut all =
            vec![Self::DeadlockFree, Self::Safe(1), Self::Safe(draw.below(5)), Self::QuasiLive, Self::NoDeadPlaces, Self::StableMarking];
        for _ in 0..2 {
            all.push(Self::Invariant(Ask::draw(draw, net, 3)));
            all.push(Self::Reachable(Ask::draw(draw, net, 3)));
            all.push(Self::Reaches(net.places().map(|_| tokens(draw)).collect()));
        }
        all
    }

    /// As on the command line.
    pub fn text(&self, net: &Net) -> String {
        match self {
            Self::DeadlockFree => "deadlock-free".to_owned(),
            Self::Safe(most) => format!("safe:{most}"),
            Self::QuasiLive => "quasi-live".to_owned(),
            Self::NoDeadPlaces => "no-dead-places".to_owned(),
            Self::StableMarking => "stable-marking".to_owned(),
            Self::Live => "live".to_owned(),
            Self::Reversible => "reversible".to_owned(),
            Self::Invariant(ask) => format!("invariant:{}", ask.text(net)),
            Self::Reachable(ask) => format!("reachable: {}", ask.text(net)),
            Self::Reaches(tokens) => {
                let places = net.places().zip(tokens).map(|(place, tokens)| format!("{}={tokens}", words::quoted(net.place_name(place))));
                format!("reaches:{}", places.collect::<Vec<_>>().join(","))
            }
        }
    }
}

/// The markings that a net reaches.
pub struct Markings {
    /// In the order in which they are met.
    pub all: Vec<Vec<u64>>,
    /// Whether there are no others.
    pub is_complete: bool,
}

impl Markings {
    /// All markings of the net, or the first `most`.
    pub fn of(net: &Net, most: usize) -> Self {
        let initial: Vec<u64> = net.places().map(|place| net.initial_tokens(place)).collect();
        let mut known: HashSet<Vec<u64>> = HashSet::from([initial.clone()]);
        let (mut all, mut open) = (vec![initial.clone()], VecDeque::from([initial]));
        while let Some(marking) = open.pop_front() {
            for transition in net.transitions().filter(|&transition| is_enabled(net, &marking, transition)) {
                let next = fired(net, &marking, transition);
                if known.insert(next.clone()) {
                    if all.len() == most {
                        return Self { all, is_complete: false };
                    }
                    all.push(next.clone());
                    open.push_back(next);
                }
            }
        }
        Self { all, is_complete: true }
    }

    /// Whether from each of these markings, which are all, one leads on to one in which this is so: those from which it
    /// is known grow until nothing changes.
    fn always_again(&self, net: &Net, is_so: &dyn Fn(&[u64]) -> bool) -> bool {
        let mut good: HashSet<Vec<u64>> = self.all.iter().filter(|marking| is_so(marking)).cloned().collect();
        loop {
            let leads = |marking: &&Vec<u64>| {
                let mut after = net.transitions().filter(|&one| is_enabled(net, marking, one)).map(|one| fired(net, marking, one));
                !good.contains(*marking) && after.any(|next| good.contains(&next))
            };
            let more: Vec<Vec<u64>> = self.all.iter().filter(leads).cloned().collect();
            if more.is_empty() {
                return good.len() == self.all.len();
            }
            good.extend(more);
        }
    }

    /// The answer, as far as these markings tell.
    pub fn answer(&self, net: &Net, question: &Question) -> Option<bool> {
        let some = |holds: &dyn Fn(&[u64]) -> bool| self.all.iter().any(|marking| holds(marking));
        // What is found is found; what is not found may be elsewhere, unless these are all.
        let reached = |found: bool| (found || self.is_complete).then_some(found);
        let never = |found: bool| reached(found).map(|found| !found);
        match question {
            Question::DeadlockFree => never(some(&|marking| Ask::Deadlock.holds(net, marking))),
            Question::Safe(most) => never(some(&|marking| marking.iter().any(|tokens| tokens > most))),
            Question::QuasiLive => reached(net.transitions().all(|transition| some(&|marking| is_enabled(net, marking, transition)))),
            Question::NoDeadPlaces => reached(net.places().all(|place| some(&|marking| marking[place.index()] > 0))),
            Question::StableMarking => {
                let changes = |place: usize| some(&|marking| marking[place] != self.all[0][place]);
                never((0..self.all[0].len()).all(changes))
            }
            Question::Live => {
                let again = |transition| self.always_again(net, &|marking| is_enabled(net, marking, transition));
                self.is_complete.then(|| net.transitions().all(again))
            }
            Question::Reversible => self.is_complete.then(|| self.always_again(net, &|marking| *marking == self.all[0])),
            Question::Invariant(ask) => never(some(&|marking| !ask.holds(net, marking))),
            Question::Reachable(ask) => reached(some(&|marking| ask.holds(net, marking))),
            Question::Reaches(tokens) => reached(some(&|marking| marking == tokens)),
        }
    }
}

fn fired(net: &Net, marking: &[u64], transition: TransitionId) -> Vec<u64> {
    let mut next = marking.to_vec();
    net.inputs(transition).iter().for_each(|&(place, weight)| next[place.index()] -= weight);
    net.outputs(transition).iter().for_each(|&(place, weight)| next[place.index()] += weight);
    next
}

fn is_enabled(net: &Net, marking: &[u64], transition: TransitionId) -> bool {
    net.inputs(transition).iter().all(|&(place, weight)| marking[place.index()] >= weight)
}
