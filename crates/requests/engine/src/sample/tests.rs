//! The question whether answers are serial, and what shrinking makes, against trying everything.

use serval_budget::Budget;
use serval_effort::sweep;
use serval_model::{Letter, Moves, Multiset, NetworkSystem, SerialExplorer, SplitMix64};
use serval_random::Kind;
use serval_testkit::say;

use super::membership::{Membership, SerialQuestion, ask};
use super::mix::{Kinds, requests};

/// Letters that a system has, as if requests and answers were drawn without looking.
fn letters(system: &NetworkSystem, random: &mut SplitMix64) -> Vec<Letter> {
    let all: Vec<Letter> = system.requests().flat_map(|request| system.responses().map(move |response| (request, response))).collect();
    let few: Vec<Letter> = (0..=random.index(3)).filter_map(|_| random.pick(&all)).collect();
    (0..=random.index(6)).filter_map(|_| random.pick(&few)).collect()
}

/// Letters of a serial walk from a global state, with one changed now and then.
fn walk(system: &NetworkSystem, random: &mut SplitMix64) -> Vec<Letter> {
    let mut explorer = SerialExplorer::new(system);
    let (mut global, mut walk) = (system.initial_global(), Vec::new());
    for _ in 0..=random.index(7) {
        let (request, _) = random.pick(system.starts()).unwrap();
        let results = explorer.alone(request, global, &mut Budget::unlimited()).unwrap();
        let Some((response, to)) = random.pick(results) else { continue };
        walk.push((request, response));
        global = to;
    }
    let first = random.index(walk.len());
    walk.rotate_left(first);
    walk
}

#[test]
fn answers_are_serial_exactly_when_brute_force_says_so() {
    let sweep = sweep("engine.membership", 600, 20_000);
    let each = sweep.map(0, |seed| {
        let random = &mut SplitMix64::new(seed);
        let kind = Kind::ALL[usize::try_from(seed % 4).unwrap()];
        let system = kind.system(seed / 4);
        let mut explorer = SerialExplorer::new(&system);
        let (mut serial, mut not) = (0_u64, 0_u64);
        for turn in 0..12 {
            let letters = if turn % 2 == 0 { walk(&system, random) } else { letters(&system, random) };
            if letters.is_empty() {
                continue;
            }
            let wanted: Multiset<Letter> = letters.iter().copied().collect();
            let ends = explorer.reached(&wanted, &mut Budget::unlimited()).unwrap().to_vec();
            let all: Vec<_> = system.globals().collect();
            for to in [None, random.pick(&all), random.pick(&ends)] {
                let from = Moves::initial_global(&&system);
                let question = SerialQuestion { from, letters: &letters, to, pairs: 100_000 };
                let told = ask(&mut SerialExplorer::new(&system), question, &mut Budget::unlimited()).unwrap();
                let expected = to.map_or(!ends.is_empty(), |to| ends.contains(&to));
                match told {
                    Membership::Serial(end) => assert!(expected && ends.contains(&end), "{seed}: {letters:?}"),
                    Membership::NotSerial => assert!(!expected, "{seed}: {letters:?}"),
                    Membership::Cut => panic!("{seed}: {letters:?}"),
                }
                // With fewer pairs the answer is the same or none.
                let few = SerialQuestion { pairs: random.index(8), ..question };
                let cut = ask(&mut SerialExplorer::new(&system), few, &mut Budget::unlimited()).unwrap();
                assert!(cut == told || cut == Membership::Cut, "{seed}: {cut:?} but {told:?}");
                serial += u64::from(expected);
                not += u64::from(!expected);
            }
        }
        (serial, not)
    });
    let (serial, not) = each.into_iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    say(&format!("membership: {serial} serial, {not} not"));
    assert!(!sweep.is_representative() || (serial > sweep.count() && not > sweep.count()));
}

#[test]
fn numbers_of_requests_grow_without_an_end_and_kinds_share_their_values() {
    let random = &mut SplitMix64::new(3);
    let most = |runs: u64, random: &mut SplitMix64| (0..400).map(|_| requests(runs, random)).max().unwrap();
    assert_eq!(most(0, random), 2);
    assert!((5..=8).contains(&most(200, random)));
    assert!((100..=1_024).contains(&most(50_000, random)));
    let mut builder = serval_model::SystemBuilder::new();
    let (global, local) = (builder.global("g"), builder.local("l"));
    for name in ["a(1)", "a(2)", "a(3)", "a(4)", "b(1, 2)", "b(3, 4)", "b(2, 2)", "c"] {
        let request = builder.request(name);
        builder.start(request, local);
    }
    let system = builder.finish(global);
    let kinds = Kinds::of(&&system, system.request_count());
    let mixes: Vec<_> = (0..400).map(|_| kinds.draw(random).unwrap()).collect();
    assert!(mixes.iter().all(|mix| (1..=5).contains(&mix.kinds().len())));
    // Some speak of one value alone, in both kinds of requests.
    let alone = |mix: &super::mix::Mix| {
        let names: Vec<&str> = mix.kinds().map(|kind| system.request_name(kind)).collect();
        names.contains(&"a(2)") && names.contains(&"b(2, 2)") && names.iter().all(|name| ["a(2)", "b(2, 2)", "c"].contains(name))
    };
    assert!(mixes.iter().any(alone));
}
