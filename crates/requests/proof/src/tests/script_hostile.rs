//! Scripts made to hurt: a right answer or none, without a panic, and work that
//! is paid for.

use serval_model::{NetworkSystem, SystemBuilder};

use super::scripts::{out_of_range, system};
use super::support::{Answer, Case, condition};
use crate::script::{Dominated, Entry, Mover, Quotient, WaitingElimination, Witness};
use crate::{Caps, Certificate, Condition, Part, Refusal};

fn case(system: NetworkSystem, script: Vec<Entry>) -> Case {
    Case::proved(system, Part::Atomic(script))
}

fn whole() -> NetworkSystem {
    system(2, &["a!", "a/x"], &[[0, 0, 1, 1]])
}

/// Many initial nodes and many global states, and nothing to do.
fn idle(size: usize) -> NetworkSystem {
    let mut builder = SystemBuilder::new();
    let request = builder.request("a");
    let first = builder.global("g");
    for index in 0..size {
        let local = builder.local(&format!("l{index}"));
        builder.start(request, local);
        builder.global(&format!("g{index}"));
    }
    builder.finish(first)
}

/// What the checker says if it may spend `ticks` ticks.
fn within(case: &Case, ticks: u64) -> Answer {
    case.check_within(&Caps { ticks, ..Caps::default() })
}

fn is_too_large(case: &Case, ticks: u64) -> bool {
    matches!(within(case, ticks), Err(Refusal::TooLarge { .. }))
}

#[test]
fn numbers_out_of_range() {
    const MAX: u32 = u32::MAX;
    for number in [2, 3, 64, 1 << 31, MAX - 1, MAX] {
        for entry in out_of_range(number) {
            let case = case(whole(), vec![entry.clone()]);
            let text = case.certificate.to_json();
            assert_eq!(Certificate::from_json(&text).as_ref(), Ok(&case.certificate));
            assert_eq!(condition(&case.check_within(&Caps::default())), Condition::ScriptNumbers, "{entry:?}");
        }
    }
    // Numbers are those of the system as it is then: a copy may be named once it is there.
    assert_eq!(condition(&case(whole(), vec![Entry::Split(2)]).check_within(&Caps::default())), Condition::ScriptNumbers);
    assert_eq!(case(whole(), vec![Entry::Split(0), Entry::Split(2), Entry::Pairs]).check_within(&Caps::default()), Ok(()));
}

#[test]
fn empty_entries_do_nothing() {
    let nothing = || {
        vec![
            Entry::IdentityElimination(Vec::new()),
            Entry::LocalQuotient(Quotient::default()),
            Entry::GlobalQuotient(Quotient::default()),
            Entry::Dominated(Dominated::default()),
            Entry::WaitingElimination(WaitingElimination::default()),
            Entry::Right(Mover::default()),
            Entry::Left(Mover { points: vec![(1, Vec::new())], witnesses: Vec::new() }),
        ]
    };
    assert_eq!(case(whole(), nothing()).check_within(&Caps::default()), Ok(()));
    let open = || system(2, &["a!", "a", "a/x"], &[[0, 0, 1, 1], [1, 1, 2, 0]]);
    assert_eq!(condition(&case(open(), nothing()).check_within(&Caps::default())), Condition::AtomicSteps);
    let empty_class = Entry::LocalQuotient(Quotient { relation: Vec::new(), classes: vec![Vec::new()] });
    assert_eq!(condition(&case(whole(), vec![empty_class]).check_within(&Caps::default())), Condition::ScriptNumbers);
}

#[test]
fn systems_without_anything() {
    // Nothing can be done, so everything can be done one after the other.
    for system in [idle(0), idle(1), idle(100)] {
        assert_eq!(case(system.clone(), Vec::new()).check_within(&Caps::default()), Ok(()));
        assert_eq!(case(system, vec![Entry::Pairs, Entry::Pairs]).check_within(&Caps::default()), Ok(()));
    }
}

#[test]
fn every_entry_is_paid_for() {
    let size = 10_000;
    let nothing: [&dyn Fn(u32) -> Entry; 7] = [
        // Each copy is copied in its turn.
        &|index| Entry::Split(if index == 0 { 0 } else { size + index - 1 }),
        &|_| Entry::IdentityElimination(Vec::new()),
        &|_| Entry::LocalQuotient(Quotient::default()),
        &|_| Entry::GlobalQuotient(Quotient::default()),
        &|_| Entry::Dominated(Dominated::default()),
        &|_| Entry::WaitingElimination(WaitingElimination::default()),
        &|_| Entry::Right(Mover::default()),
    ];
    for entry in nothing {
        // Looking at all nodes, though no step leaves them, for each of ten thousand entries.
        let script: Vec<Entry> = (0..10_000).map(entry).collect();
        let rule = script[0].rule();
        let case = case(idle(usize::try_from(size).unwrap()), script);
        assert!(is_too_large(&case, 1_000_000), "{rule}");
    }
    // The same within one entry, of which each point is looked at.
    let entry = Entry::WaitingElimination(WaitingElimination { relation: Vec::new(), points: vec![(0, 0); 10_000] });
    assert!(is_too_large(&case(idle(usize::try_from(size).unwrap()), vec![entry]), 40_000));
}

#[test]
fn thousands_of_entries() {
    let many = |entry: Entry| within(&case(whole(), vec![entry; 100_000]), 20_000_000);
    assert_eq!(many(Entry::Pairs), Ok(()));
    assert_eq!(condition(&many(Entry::Split(0))), Condition::SplitInitial);
    let relation: Vec<(u32, u32)> = (0..2).flat_map(|x| (0..2).map(move |y| (x, y))).collect();
    assert_eq!(
        condition(&many(Entry::GlobalQuotient(Quotient { relation: relation.clone(), classes: vec![vec![0, 1]] }))),
        Condition::RelationGlobalWeak
    );
    assert_eq!(condition(&many(Entry::LocalQuotient(Quotient { relation, classes: vec![vec![0, 1]] }))), Condition::RelationNodes);
    // Each split makes the system larger by one node and one step.
    let chain: Vec<Entry> = (0..200_000).map(|index| Entry::Split(if index == 0 { 0 } else { index + 1 })).collect();
    assert!(is_too_large(&case(whole(), chain), 20_000_000));
}

#[test]
fn megabytes_of_pairs() {
    // Every node follows every other: there are no steps that it could not.
    let count = 800_u32;
    let nodes: Vec<&str> =
        std::iter::once("a!").chain(std::iter::repeat_n("a", usize::try_from(count).unwrap() - 1)).chain(["a/x"]).collect();
    let mut steps: Vec<[u32; 4]> = (1..count).map(|node| [0, 0, node, 0]).collect();
    steps.extend((0..count).map(|node| [node, 0, count, 0]));
    let relation: Vec<(u32, u32)> = (0..count).flat_map(|x| (1..count).map(move |y| (x, y))).collect();
    let script = vec![
        Entry::WaitingElimination(WaitingElimination { relation: relation.clone(), points: vec![(0, 0)] }),
        Entry::LocalQuotient(Quotient { relation: relation.clone(), classes: vec![(1..count).collect()] }),
    ];
    let case = case(system(1, &nodes, &steps), script);
    let text = case.certificate.to_json();
    assert!(text.len() > 8 << 20);
    assert_eq!(Certificate::from_json(&text).as_ref(), Ok(&case.certificate));
    let answer = case.check_within(&Caps::default());
    assert!(matches!(answer, Err(Refusal::TooLarge { .. })) || condition(&answer) == Condition::AtomicSteps, "{answer:?}");
    assert!(is_too_large(&case, 1_000_000));
}

#[test]
fn long_classes_paths_and_lists() {
    let many = 1_000_000;
    // Each of them is looked at a few times.
    let enough = 4_000_000;
    let class = Entry::LocalQuotient(Quotient { relation: Vec::new(), classes: vec![vec![0; many]] });
    assert_eq!(condition(&within(&case(whole(), vec![class]), enough)), Condition::QuotientDisjoint);
    let drops = Entry::Dominated(Dominated { locals: Vec::new(), globals: Vec::new(), drops: vec![(0, 0); many] });
    assert_eq!(condition(&within(&case(whole(), vec![drops]), enough)), Condition::DominatedKept);
    let set = Entry::Right(Mover { points: vec![(0, vec![0; many])], witnesses: Vec::new() });
    assert_eq!(within(&case(whole(), vec![set]), enough), Ok(()));
    // A path that goes round and round.
    let steps = [[0, 0, 1, 0], [1, 0, 2, 1], [1, 1, 2, 0], [0, 1, 1, 1]];
    let path: Vec<(u32, u32)> = (0..many).map(|_| (1, 0)).collect();
    let witness = Witness { step: 0, other: 0, other_path: path.clone(), own_path: path };
    let long = Entry::Right(Mover { points: vec![(1, vec![0])], witnesses: vec![witness] });
    let case = case(system(2, &["a!", "a", "a/x"], &steps), vec![long]);
    assert_eq!(condition(&within(&case, enough)), Condition::MoverPaths);
    assert!(is_too_large(&case, 1_000));
}

#[test]
fn ticks_are_kept() {
    let steps = [[0, 0, 1, 1], [1, 1, 3, 0], [2, 0, 4, 0]];
    let lock = system(2, &["a!", "a", "b!", "a/x", "b/z"], &steps);
    let right = Entry::Right(Mover { points: vec![(1, vec![1])], witnesses: Vec::new() });
    let case = case(lock, vec![Entry::Pairs, right, Entry::Pairs]);
    let mut enough = 0;
    while case.check_within(&Caps { ticks: enough, ..Caps::default() }) != Ok(()) {
        assert!(is_too_large(&case, enough), "{enough}");
        enough += 1;
    }
    assert!((20..1_000).contains(&enough), "{enough}");
}
