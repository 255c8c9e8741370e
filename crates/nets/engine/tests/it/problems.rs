//! Problems about any number of threads, with answers known by construction.

use std::path::Path;

use serval_budget::{Budget, Cancel};
use serval_effort::{side_by_side, skips};
use serval_families::covering::{
    Command, Problem, ackermann, ackermann_value, boolean, boolean_counter, lipton, lipton_size, messages, multiplication, problems,
};
use serval_model::SplitMix64;
use serval_net_engine::cover::{CoverOutcome, Tree, backward, levels};
use serval_net_engine::{GoalOutcome, Session, decide};
use serval_net_proof::{Claim, Evidence, check};
use serval_petri::{Formula, Marking, Net, Property, mist, tina, vass, words};
use serval_random::nets::random_vass;
use serval_testkit::say;

use crate::number;

/// Ticks for one question.
const TICKS: u64 = 3_000_000;

fn claim(coverable: bool) -> Claim {
    if coverable { Claim::Reachable } else { Claim::Unreachable }
}

/// What both methods say, after the checker has accepted it.
fn asked(net: &Net, goal: &Formula, told: &str) -> [Evidence; 2] {
    let forward = Tree::new(net).unwrap().ask(net, goal, &mut Budget::ticks(TICKS));
    let back = backward::ask(net, goal, &[], &mut Budget::ticks(TICKS));
    [forward, back].map(|said| {
        let evidence = match said.unwrap_or_else(|_| panic!("{told}: too few ticks")) {
            CoverOutcome::Reached(word) => Evidence::Run(serval_net_proof::Run { word }),
            CoverOutcome::Excluded(evidence) => *evidence,
            other => panic!("{told}: {other:?}"),
        };
        check(net, goal, evidence.claim(), &evidence, &mut Budget::unlimited()).unwrap_or_else(|refusal| panic!("{told}: {refusal:?}"));
        evidence
    })
}

fn size(evidence: &Evidence) -> usize {
    match evidence {
        Evidence::Cover(cover) => cover.markings.len(),
        Evidence::Basis(basis) => basis.markings.len(),
        _ => 0,
    }
}

/// The problems are in the examples as they are made, and all methods together, and both alone, have the right answer
/// with evidence.
#[test]
fn problems_have_their_answers() {
    if skips("nets.problems") {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/nets/coverability");
    let all = problems();
    assert_eq!(all.len(), 60);
    let sizes = side_by_side(&all, |Problem { name, text, coverable }| {
        let path = folder.join(format!("{name}.spec"));
        if std::env::var_os("SERVAL_BLESS").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, text).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&path).ok().as_ref(), Some(text), "{name}: SERVAL_BLESS=1 writes it");
        let mist::Spec { net, targets } = mist::read(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let found = decide(&net, &targets, 5, &Cancel::new());
        let GoalOutcome::Answer(answer) = &found[0] else { panic!("{name}: {found:?}") };
        assert_eq!(answer.claim, claim(*coverable), "{name}");
        asked(&net, &targets[0], name).map(|evidence| {
            assert_eq!(evidence.claim(), claim(*coverable), "{name}");
            size(&evidence)
        })
    });
    let largest = [0, 1].map(|at| sizes.iter().map(|sizes| sizes[at]).max().unwrap_or(0));
    say(&format!("60 problems; the largest cover has {} markings, the largest basis {}", largest[0], largest[1]));
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 60, "there is a file that no generator makes");
}

/// A controller and any number of workers share a lock; evidence that only one is inside is small.
#[test]
fn a_controller_and_any_number_of_workers() {
    let net = tina::read(
        "pl p0 (1)\npl p1 (0)\npl p2 (0)\npl l0 (1)\npl l1 (0)\npl w0 (0)\npl w1 (0)\ntr t0 p0 -> p1\ntr t1 p1 l0 -> p2 l1\ntr t2 p2 l1 -> p0 l0\n\
         tr t3 -> w0\ntr t4 w0 l0 -> w1 l1\ntr t5 w1 l1 -> w0 l0\n",
    )
    .unwrap();
    for goal in ["p2 >= 1 and w1 >= 1", "w1 >= 2", "p2 >= 1 and w1 >= 1 or w1 >= 2"] {
        let formula = words::formula(goal, &net).unwrap();
        for evidence in asked(&net, &formula, goal) {
            assert_eq!(evidence.claim(), Claim::Unreachable, "{goal}");
            assert!(size(&evidence) <= 6, "{goal}: {evidence:?}");
        }
    }
}

/// Numbers of messages that are used once are safe, whatever the channels do; used again they are not.
#[test]
fn messages_through_channels_without_a_bound() {
    for n in [2, 3, 5] {
        for mistake in [false, true] {
            let mist::Spec { net, targets } = mist::read(&messages(n, mistake)).unwrap();
            let told = format!("{n} numbers, {}", if mistake { "used again" } else { "used once" });
            let found = decide(&net, &targets, 5, &Cancel::new());
            assert_eq!(found[0].answer().map(|answer| answer.claim), Some(claim(mistake)), "{told}: {found:?}");
            for evidence in asked(&net, &targets[0], &told) {
                assert_eq!(evidence.claim(), claim(mistake), "{told}");
            }
            for channel in ["data1", "ack1"] {
                let place = net.place_named(channel).unwrap();
                let (found, _) = Session::new(&net, &Cancel::new()).bounded(&net, &[place], None, 3, &Cancel::new());
                assert_eq!(found.answer().map(|answer| answer.claim), Some(Claim::Unbounded), "{told}: {channel}");
            }
        }
    }
}

/// A net that is too large for the ticks ends without an answer, and says what was looked at.
#[test]
fn large_nets_of_lipton_end_by_a_limit() {
    if skips("nets.large_nets_of_lipton") {
        return;
    }
    side_by_side(&[false, true], |&mistake| {
        let mist::Spec { net, targets } = mist::read(&lipton(3, mistake)).unwrap();
        let session = Session::new(&net, &Cancel::new());
        let (found, far) = session.go_on(&net, &targets, vec![GoalOutcome::Nothing; 2], 2, &Cancel::new());
        let claims: Vec<Option<Claim>> = found.iter().map(|found| found.answer().map(|answer| answer.claim)).collect();
        say(&format!("lipton 3, mistake: {mistake}: {claims:?}, {far:?}"));
        // Whether it halts is open; that the counter holds no more than it should may be ruled out already, and nothing
        // else is said.
        assert!(claims[0].is_none_or(|one| one == claim(!mistake)), "{claims:?}");
        assert!(claims[1].is_none_or(|one| one == Claim::Unreachable), "{claims:?}");
        let open = found.iter().any(GoalOutcome::is_open);
        assert!(!open || far.forwards > 1_000 && far.backwards > 100 && far.explicit >= 1_000, "{far:?}");
    });
}

/// The routines count exactly, and the test for zero is one. `SERVAL_LIPTON` goes further than 2.
#[test]
fn nets_of_lipton_test_for_zero() {
    if skips("nets.nets_of_lipton") {
        return;
    }
    let most = u32::try_from(number("SERVAL_LIPTON", 2)).unwrap();
    // The largest ones first, so that no core waits for them at the end.
    let all: Vec<(u32, bool)> = (0..=most).rev().flat_map(|n| [(n, false), (n, true)]).collect();
    side_by_side(&all, |&(n, mistake)| {
        let mist::Spec { net, targets } = mist::read(&lipton(n, mistake)).unwrap();
        let told = format!("n = {n}, {}", if mistake { "with a mistake" } else { "right" });
        let found = decide(&net, &targets, 7, &Cancel::new());
        let claims: Vec<Option<Claim>> = found.iter().map(|found| found.answer().map(|answer| answer.claim)).collect();
        let kinds: Vec<_> = found.iter().map(|found| found.answer().map(|answer| (answer.method, answer.evidence.kind()))).collect();
        say(&format!("lipton, {told}: {} places, {} transitions, {kinds:?}", net.place_count(), net.transition_count()));
        assert_eq!(claims, [Some(claim(!mistake)), Some(Claim::Unreachable)], "{told}");
        let full = format!("coverable:not_x = {}", lipton_size(n));
        let goal = Property::parse(&full, &net).unwrap().goals(&net).unwrap();
        let found = decide(&net, &goal, 7, &Cancel::new());
        assert_eq!(found[0].answer().map(|answer| answer.claim), Some(Claim::Reachable), "{told}");
    });
}

/// What tests a counter for zero in a net does in a program with counters that can be tested for zero: the same number
/// of times.
#[derive(Clone, Copy)]
enum Line {
    Add(usize, i64),
    /// Goes there if the counter is 0.
    IfZero(usize, usize),
    Goto(usize),
}

/// Runs a program until it leaves its lines; `None` if a counter would fall below 0 before.
fn interpreted(lines: &[Line], counters: usize, most: usize) -> Option<Vec<i64>> {
    let (mut counters, mut at) = (vec![0; counters], 0);
    for _ in 0..most {
        match lines.get(at) {
            None => return Some(counters),
            Some(&Line::Add(counter, change)) => {
                counters[counter] += change;
                if counters[counter] < 0 {
                    return None;
                }
                at += 1;
            }
            Some(&Line::IfZero(counter, to)) => at = if counters[counter] == 0 { to } else { at + 1 },
            Some(&Line::Goto(to)) => at = to,
        }
    }
    panic!("the program does not end");
}

/// Does something `2^(2^level)` times, by two loops of the level below; counters 0 and 1 are the thing itself, and each
/// level has two further ones.
fn times(lines: &mut Vec<Line>, level: usize, work: &[Line]) {
    let Some(below) = level.checked_sub(1) else {
        lines.extend([work, work].concat());
        return;
    };
    let [outer, inner] = [2 + 2 * below, 3 + 2 * below];
    times(lines, below, &[Line::Add(outer, 1)]);
    let top = lines.len();
    // The end of the outer loop is known when it is written.
    lines.push(Line::IfZero(outer, 0));
    lines.push(Line::Add(outer, -1));
    times(lines, below, &[Line::Add(inner, 1)]);
    let again = lines.len();
    lines.push(Line::IfZero(inner, top));
    lines.push(Line::Add(inner, -1));
    lines.extend_from_slice(work);
    lines.push(Line::Goto(again));
    lines[top] = Line::IfZero(outer, lines.len());
}

/// The program of Lipton with counters that can be tested: it fills the opposite of `x`, makes the mistake, and takes
/// it down to see that it is full. It halts, and with what, or it does not.
fn lipton_program(n: u32, mistake: bool) -> Option<Vec<i64>> {
    let (n, mut lines) = (n as usize, Vec::new());
    times(&mut lines, n, &[Line::Add(0, 1)]);
    if mistake {
        lines.extend([Line::Add(0, -1), Line::Add(1, 1)]);
    }
    times(&mut lines, n, &[Line::Add(0, -1), Line::Add(1, 1)]);
    interpreted(&lines, 2 + 2 * n, 10_000_000)
}

/// The nets have the answers of programs that can test for zero, and count as far.
#[test]
fn nets_of_lipton_are_programs() {
    for n in 0..=1 {
        for mistake in [false, true] {
            let run = lipton_program(n, mistake);
            assert_eq!(run.is_some(), !mistake);
            let mist::Spec { net, targets } = mist::read(&lipton(n, mistake)).unwrap();
            let found = decide(&net, &targets[..1], 7, &Cancel::new());
            assert_eq!(found[0].answer().map(|answer| answer.claim), Some(claim(run.is_some())), "{n}");
            // All that was in the opposite is in the counter then.
            let Some(run) = run else { continue };
            assert_eq!(u64::try_from(run[1]).unwrap(), lipton_size(n));
            for more in [0, 1] {
                let full = format!("coverable:halt = 1, x = {}", run[1] + more);
                let goal = Property::parse(&full, &net).unwrap().goals(&net).unwrap();
                let found = decide(&net, &goal, 7, &Cancel::new());
                assert_eq!(found[0].answer().map(|answer| answer.claim), Some(claim(more == 0)), "{n}: {full}");
            }
        }
    }
    for n in 0..=3 {
        assert_eq!(lipton_program(n, false).map(|run| u64::try_from(run[1]).unwrap()), Some(lipton_size(n)));
    }
}

/// What grows fast grows as far as it should, and no further. `SERVAL_ACKERMANN=1` goes further.
#[test]
fn systems_compute_what_grows_fast() {
    assert_eq!((ackermann_value(2, 10), ackermann_value(3, 4), ackermann_value(4, 3)), (Some(1024), Some(65536), Some(65536)));
    assert_eq!((ackermann_value(3, 6), ackermann(3, 6)), (None, None));
    let mut all = vec![(1, 0), (1, 3), (2, 0), (2, 1), (2, 3), (3, 0), (3, 1), (3, 2)];
    if number("SERVAL_ACKERMANN", 0) > 0 {
        all.extend([(2, 6), (3, 3), (4, 1)]);
    }
    for (level, n) in all {
        let vass::Spec { net, targets } = vass::read(&ackermann(level, n).unwrap()).unwrap();
        for (goal, coverable) in targets.iter().zip([true, false]) {
            for evidence in asked(&net, goal, "ackermann") {
                assert_eq!(evidence.claim(), claim(coverable), "level {level}, {n}");
            }
        }
    }
}

/// Whether a Boolean program halts, by running it.
fn halts(variables: usize, commands: &[Command]) -> bool {
    let (mut values, mut at) = (vec![false; variables], 0);
    let mut known = std::collections::BTreeSet::new();
    while known.insert((values.clone(), at)) {
        at += 1;
        match commands.get(at - 1) {
            None => return false,
            Some(&Command::And(z, x, y)) => values[z] = values[x] && values[y],
            Some(&Command::Or(z, x, y)) => values[z] = values[x] || values[y],
            Some(&Command::Not(z, x)) => values[z] = !values[x],
            Some(&Command::If(x, yes, no)) => at = if values[x] { yes } else { no },
            Some(&Command::Goto(point)) => at = point,
            Some(Command::Halt) => return true,
        }
    }
    false
}

/// Boolean programs halt iff their nets say so, and the nets are 1-safe.
#[test]
fn boolean_programs_are_safe_nets() {
    let mut programs: Vec<(usize, Vec<Command>)> =
        [2, 3].iter().flat_map(|&bits| [false, true].map(|mistake| boolean_counter(bits, mistake))).collect();
    let known: Vec<bool> = programs.iter().map(|(variables, commands)| halts(*variables, commands)).collect();
    assert_eq!(known, [true, false, true, false]);
    let sweep = serval_effort::sweep("nets.boolean_programs", 20, 60);
    for seed in sweep.seeds(0) {
        let mut draw = SplitMix64::new(seed);
        let (variables, length) = (1 + draw.index(3), 2 + draw.index(7));
        let command = |_| {
            let [x, y, z] = [(); 3].map(|()| draw.index(variables));
            let [to, other] = [(); 2].map(|()| draw.index(length + 1));
            match draw.index(9) {
                0 => Command::And(z, x, y),
                1 => Command::Or(z, x, y),
                2..=4 => Command::Not(z, x),
                5 | 6 => Command::If(x, to, other),
                7 => Command::Goto(to),
                _ => Command::Halt,
            }
        };
        programs.push((variables, (0..length).map(command).collect()));
    }
    let halting = side_by_side(&programs, |(variables, commands)| {
        let mist::Spec { net, targets } = mist::read(&boolean(*variables, commands)).unwrap();
        let expected = halts(*variables, commands);
        for evidence in asked(&net, &targets[0], "a Boolean program") {
            assert_eq!(evidence.claim(), claim(expected), "{commands:?}");
        }
        let safe = decide(&net, &Property::Safe(1).goals(&net).unwrap(), 5, &Cancel::new());
        assert_eq!(safe[0].answer().map(|answer| answer.claim), Some(Claim::Unreachable), "{commands:?}");
        expected
    });
    let (halting, all) = (halting.iter().filter(|halts| **halts).count(), programs.len());
    assert!(!sweep.is_representative() || halting * 8 >= all && (all - halting) * 8 >= all, "{halting} of {all}");
}

/// Random systems: both methods agree, the system is written as it is read, and the shortest run that covers is as
/// short as trying everything says.
#[test]
fn random_systems_are_decided() {
    let sweep = serval_effort::sweep("nets.random_vass", 20, 60);
    let reached = sweep.map(0, |seed| {
        let text = random_vass(seed, 1 + usize::try_from(seed % 4).unwrap(), 1 + usize::try_from(seed % 3).unwrap());
        let vass::Spec { net, targets } = vass::read(&text).unwrap();
        assert_eq!(vass::read(&vass::write(&net).unwrap()).unwrap().net, net, "{text}");
        let [forward, back] = asked(&net, &targets[0], &text);
        assert_eq!(forward.claim(), back.claim(), "{text}");
        shortest_is_shortest(&net, &targets[0], forward.claim(), &text);
        forward.claim() == Claim::Reachable
    });
    let reached = reached.iter().filter(|reached| **reached).count() as u64;
    assert!(!sweep.is_representative() || reached * 8 >= sweep.count(), "{reached}");
}

/// The last of the numbers of Rackoff against trying everything.
fn shortest_is_shortest(net: &Net, goal: &Formula, claim: Claim, told: &str) {
    let least = serval_net_proof::basis::least(goal, 10).unwrap().remove(0);
    let mut marking = vec![0; net.place_count()];
    least.iter().for_each(|&(place, tokens)| marking[place as usize] = tokens);
    let numbers = levels::shortest(net, &Marking::new(marking), &mut Budget::ticks(TICKS)).unwrap().unwrap();
    assert_eq!(numbers[0], 1, "{told}");
    let last = *numbers.last().unwrap();
    assert_eq!(last > 0, claim == Claim::Reachable, "{told}");
    // Runs in the order of their length, as long as there are few.
    let (mut markings, mut length) = (std::collections::BTreeSet::from([net.initial()]), 1);
    while last > 0 && length < last && markings.len() < 3_000 {
        assert!(!markings.iter().any(|marking| goal.holds(marking)), "{told}: {length} is enough, not {last}");
        let mut next = std::collections::BTreeSet::new();
        for marking in &markings {
            for transition in net.transitions().filter(|&one| net.is_enabled(marking, one)) {
                let mut after = marking.clone();
                net.fire(&mut after, transition).unwrap();
                next.insert(after);
            }
        }
        (markings, length) = (next, length + 1);
    }
    if last > 0 && length == last {
        assert!(markings.iter().any(|marking| goal.holds(marking)), "{told}: {last} is not enough");
    }
    // More places that count make runs longer, or end them.
    assert!(numbers.windows(2).all(|pair| pair[1] == 0 || pair[0] > 0 && pair[0] <= pair[1]), "{told}: {numbers:?}");
}

#[test]
fn a_net_multiplies_weakly() {
    for (left, right) in [(0, 3), (1, 1), (3, 2), (4, 5)] {
        let vass::Spec { net, targets } = vass::read(&multiplication(left, right)).unwrap();
        for (goal, coverable) in targets.iter().zip([true, false]) {
            for evidence in asked(&net, goal, "multiplication") {
                assert_eq!(evidence.claim(), claim(coverable), "{left} times {right}");
            }
        }
    }
}

/// Machines of two states each, one of four, and places that grow: many ω-markings, none below another.
/// `SERVAL_SIZE=15` makes 131,072 of them over 50 places.
#[test]
fn large_sets_are_found() {
    let machines = number("SERVAL_SIZE", 7);
    let mut net = Net::new("machines");
    let mut machine = |name: &str, states: u64| {
        let places: Vec<_> = (0..states).map(|state| net.add_place(format!("{name}_{state}"), u64::from(state == 0)).unwrap()).collect();
        for (state, &from) in places.iter().enumerate() {
            net.add_transition(format!("{name}_{state}"), [(from, 1)], [(places[(state + 1) % places.len()], 1)]).unwrap();
        }
    };
    (0..machines).for_each(|number| machine(&format!("m{number}"), 2));
    machine("four", 4);
    for number in 0..16 {
        let place = net.add_place(format!("grows{number}"), 0).unwrap();
        net.add_transition(format!("grow{number}"), [], [(place, 1)]).unwrap();
    }
    let start = std::time::Instant::now();
    let all = Tree::new(&net).unwrap().all(&mut Budget::unlimited()).unwrap().unwrap();
    say(&format!("{} ω-markings over {} places in {:?}", all.len(), net.place_count(), start.elapsed()));
    assert_eq!(all.len(), 4 << machines);
    let start = std::time::Instant::now();
    let cover = Evidence::Cover(serval_net_proof::Cover { markings: all.into_iter().map(|one| one.0).collect() });
    check(&net, &Formula::any([]), Claim::Unreachable, &cover, &mut Budget::unlimited()).unwrap();
    say(&format!("checked in {:?}", start.elapsed()));
}
