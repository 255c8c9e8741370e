//! Small nets of textbooks, each with methods that settle it alone.

use std::collections::{BTreeSet, VecDeque};

use serval_budget::{Budget, Cancel};
use serval_effort::{side_by_side, skips};
use serval_model::SplitMix64;
use serval_net_engine::shorten::shorten;
use serval_net_engine::{Method, Session};
use serval_net_proof::Claim;
use serval_petri::{Marking, Net, Property, TransitionId, tina};
use serval_random::nets::open_net;
use serval_testkit::say;

/// A net, a property, whether it holds, and methods of which each settles it alone.
type Example = (&'static str, &'static str, bool, &'static [Method]);

const CYCLE: &str = "pl x (0)\npl y (0)\npl c (0)\ntr t x -> y c\ntr u y -> x\n";
const PAIRS: &str = "pl a (1)\npl b (0)\ntr t a -> a b*2\n";
const MODES: &str = "pl p (1)\npl q (0)\npl x (0)\npl y (0)\ntr make p -> p x\ntr go p -> q\ntr carry q x -> q y*2\n";
const BUFFER: &str = "pl idle (1)\npl busy (0)\npl buffer (0)\npl wait (1)\npl work (0)\n\
    tr start idle -> busy\ntr put busy -> idle buffer\ntr get wait buffer -> work\ntr end work -> wait\n";
const WORKERS: &str = include_str!("../../../../../examples/nets/controller-and-workers.net");
/// Exercise 2.24 of the notes.
const STUCK: &str = include_str!("../../../../../examples/nets/marking-equation.net");
const SINGLE: &str = "pl p (1)\npl q (0)\npl x (0)\npl y (0)\npl u (1)\npl v (0)\ntr make p -> p x*2\ntr unmake p x*2 -> p\ntr go p -> q\ntr back q -> p\n\
     tr carry q x -> q y\ntr uncarry q y -> q x\ntr odd u*2 -> v*2 x\ntr even v*2 -> u*2\n";

const EXAMPLES: &[Example] = &[
    (CYCLE, "reaches:c = 1", false, &[Method::Siphon, Method::Equation, Method::Explicit, Method::Decompose]),
    (PAIRS, "reaches:a = 1, b = 1", false, &[Method::Equation, Method::Decompose]),
    (PAIRS, "coverable:a = 1, b = 1", true, &[Method::Walk, Method::Explicit, Method::Backward, Method::Decompose]),
    (MODES, "reaches:q = 1, y = 6", true, &[Method::Equation, Method::Explicit, Method::Decompose]),
    (MODES, "reaches:q = 1, y = 5", false, &[Method::Equation, Method::Decompose]),
    (MODES, "reaches:q = 1, x = 1, y = 6", true, &[Method::Equation, Method::Explicit, Method::Decompose]),
    (BUFFER, "reaches:idle = 1, wait = 1", true, &[Method::Walk, Method::Explicit, Method::Decompose]),
    (BUFFER, "reaches:busy = 1, work = 1, buffer = 2", true, &[Method::Explicit, Method::Decompose]),
    (BUFFER, "reaches:idle = 1, wait = 1, work = 1", false, &[Method::Equation, Method::Decompose]),
    (WORKERS, "reaches:p2 = 1, l1 = 1, w0 = 2", true, &[Method::Explicit, Method::Decompose]),
    (WORKERS, "reaches:p2 = 1, l1 = 1, w1 = 1, w0 = 2", false, &[Method::Equation, Method::Decompose]),
    (STUCK, "reaches:p3 = 1", false, &[Method::Siphon, Method::Equation, Method::Explicit, Method::Decompose]),
    (SINGLE, "reaches:q = 1, y = 5, u = 1", false, &[Method::Decompose]),
];

#[test]
fn each_is_settled_by_its_methods_alone() {
    if skips("nets.textbook") {
        return;
    }
    let wrong = side_by_side(EXAMPLES, |&(text, property, holds, methods)| {
        let cancel = Cancel::new();
        let net = tina::read(text).unwrap();
        let goal = Property::parse(property, &net).unwrap().goals(&net).unwrap().remove(0);
        let session = Session::new(&net, &cancel);
        let mut settled = Vec::new();
        for method in Method::all() {
            let rounds = if methods.contains(&method) { 5 } else { 2 };
            let (found, _) = session.alone(&net, std::slice::from_ref(&goal), method, rounds, &cancel);
            let claim = found[0].answer().map(|answer| answer.claim);
            assert!(claim.is_none_or(|claim| (claim == Claim::Reachable) == holds), "{property}: {method:?} says {claim:?}");
            if claim.is_some() {
                settled.push(method);
            }
        }
        say(&format!("{property}: {settled:?}"));
        let lacks = methods.iter().any(|method| !settled.contains(method));
        lacks.then(|| format!("{property}: settled by {settled:?}, not by all of {methods:?}"))
    });
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The length of a shortest run to a marking, by trying everything up to some length.
fn shortest(net: &Net, target: &Marking, most: usize) -> Option<usize> {
    let (mut known, mut open) = (BTreeSet::from([net.initial().as_slice().to_vec()]), VecDeque::from([(net.initial(), 0)]));
    while let Some((marking, length)) = open.pop_front() {
        if marking == *target {
            return Some(length);
        }
        for transition in net.transitions().filter(|_| length < most) {
            let mut next = marking.clone();
            if net.fire(&mut next, transition).is_ok() && known.insert(next.as_slice().to_vec()) {
                open.push_back((next, length + 1));
            }
        }
    }
    None
}

/// That no run is shorter is said only where it is so, however few markings and ticks there are.
#[test]
fn shortest_is_said_only_of_shortest_runs() {
    let sweep = serval_effort::sweep("nets.shortest", 40, 150);
    let (mut draw, mut said) = (SplitMix64::new(sweep.seed(0) ^ 0x5A), 0);
    for seed in sweep.seeds(0) {
        let net = open_net(seed);
        let (mut marking, mut run) = (net.initial(), Vec::new());
        for _ in 0..draw.index(9) {
            let enabled: Vec<TransitionId> = net.transitions().filter(|&one| net.is_enabled(&marking, one)).collect();
            if enabled.is_empty() {
                break;
            }
            let fired = enabled[draw.index(enabled.len())];
            net.fire(&mut marking, fired).unwrap();
            run.push(u32::try_from(fired.index()).unwrap());
        }
        let goal = Property::Reaches(marking.clone()).goals(&net).unwrap().remove(0);
        let known = shortest(&net, &marking, run.len()).unwrap();
        for (most, ticks) in [(0, 0), (0, 1), (3, 1_000), (30, 10), (300, 100_000)] {
            let short = shorten(&net, &goal, &run, most, &mut Budget::ticks(ticks));
            assert!(short.run.len() >= known && short.run.len() <= run.len(), "net {seed}: {run:?} {short:?}");
            assert!(!short.shortest || short.run.len() == known, "net {seed}: {run:?} {short:?} {known}");
            said += usize::from(short.shortest);
        }
    }
    assert!(!sweep.is_representative() || said as u64 > sweep.count(), "{said}");
}
