//! Letters that are proved group by group: right proofs, and ones that only one
//! condition refuses.

use serval_linear::{Node, Tree};
use serval_model::NetworkSystem;

use super::letters::{absence, case, collapsed, loops, remove};
use super::scripts::{Harm, Wrong, looks_serializable, system};
use super::support::{Case, misread};
use crate::letters::{Automaton, Fact, Group, Groups, LettersProof, Level, Loop, Region, Visit};
use crate::{Certificate, Condition, Refusal};

/// A group whose levels remove all its letters.
fn group(letters: &[u32], steps: u32, levels: Vec<Level>) -> Group {
    let tree = Tree { nodes: vec![Node::Clause { clause: 0 }] };
    Group { letters: letters.to_vec(), steps, levels, regions: vec![Region::default()], tree, ..Group::default() }
}

/// A group of one letter, which can always be answered in these states.
fn always(letter: u32, steps: u32, states: &[u32]) -> Group {
    let one = Level { loops: vec![], automaton: loops(&[letter]), relation: states.iter().map(|&state| (0, state)).collect() };
    group(&[letter], steps, vec![one, remove(&[letter])])
}

fn grouped(system: NetworkSystem, facts: Vec<Fact>, visits: Vec<Visit>, each: Vec<Group>) -> Case {
    case(system, LettersProof { groups: Some(Groups { visits, each }), ..collapsed(facts, vec![]) })
}

fn visit(letter: u32, guards: &[u32]) -> Visit {
    Visit { letter, guards: guards.to_vec() }
}

fn reach(outside: &[u32], never: &[u32]) -> Fact {
    Fact::Reach(absence(outside, never))
}

/// `u` and `w` switch one of two lights on, for good; `x` answers where the first is
/// on, `y` where both are. The global states are the sets of lights.
fn lights() -> NetworkSystem {
    let nodes = ["u!", "w!", "x!", "y!", "u/a", "w/b", "x/c", "y/d"];
    let switch = [[0, 0, 4, 1], [0, 1, 4, 1], [0, 2, 4, 3], [0, 3, 4, 3], [1, 0, 5, 2], [1, 1, 5, 3], [1, 2, 5, 2], [1, 3, 5, 3]];
    let look = [[2, 1, 6, 1], [2, 3, 6, 3], [3, 3, 7, 3]];
    system(4, &nodes, &[&switch[..], &look].concat())
}

/// `x` is answered beside `u`, and `y` beside both; `u` and `w` do not disturb each other.
fn right() -> Case {
    let facts = vec![reach(&[4], &[6, 7]), reach(&[5], &[7])];
    grouped(lights(), facts, vec![visit(6, &[0]), visit(7, &[0, 1])], vec![always(4, 1, &[0, 1]), always(5, 1, &[0, 2])])
}

/// What a case is refused for.
fn refused(case: &Case) -> Option<Condition> {
    match case.check() {
        Ok(()) => None,
        Err(Refusal::Invalid(rejection)) => Condition::ALL.iter().copied().find(|&one| rejection.condition == one),
        Err(other) => panic!("{other:?}"),
    }
}

/// A proof that is refused for `condition` and nothing else.
pub(super) fn violates_only(condition: Condition) -> Wrong {
    let case = match condition {
        // A request leads to the second state or to the third, and a request that waits there is
        // answered; together they see that it has been in both. The letter of the first is in two groups.
        Condition::LettersGroups => {
            let steps = [[0, 0, 1, 1], [1, 1, 4, 1], [1, 1, 4, 2], [0, 1, 4, 1], [0, 2, 4, 2], [2, 2, 5, 2], [3, 1, 6, 1]];
            let system = system(3, &["x!", "x", "y!", "z!", "x/a", "y/b", "z/c"], &steps);
            let with = |letter: u32, state: u32, guard: u32| {
                let edges = vec![(0, 4, 1), (1, 4, 1), (1, letter, 1)];
                let first =
                    Level { automaton: Automaton { states: 2, start: 0, edges }, relation: vec![(0, 0), (1, state)], loops: vec![] };
                let loops = vec![Loop { letter, guard: Some(guard) }];
                let second = Level { loops, automaton: self::loops(&[4]), relation: vec![(0, 0), (0, 1)] };
                group(&[4, letter], 0, vec![first, second, remove(&[4])])
            };
            grouped(system, vec![reach(&[4], &[5]), reach(&[4], &[6])], vec![], vec![with(5, 2, 0), with(6, 1, 1)])
        }
        // Two requests that exclude each other, unless both have begun.
        Condition::LettersDiamond => {
            let one = [[0, 0, 1, 0], [0, 1, 4, 1], [1, 0, 4, 1], [1, 2, 4, 1]];
            let other = [[2, 0, 3, 0], [2, 2, 5, 2], [3, 0, 5, 2], [3, 1, 5, 2]];
            let system = system(3, &["x!", "x", "y!", "y", "x/a", "y/b"], &[one, other].concat());
            grouped(system, vec![], vec![], vec![always(4, 0, &[0, 1]), always(5, 0, &[0, 2])])
        }
        // `w` is for a moment where `x` answers, `u` for good.
        Condition::LettersVisits => {
            let groups = vec![always(4, 1, &[0, 1]), always(5, 1, &[0])];
            grouped(super::letters::peeking(), vec![], vec![visit(6, &[])], groups)
        }
        other => panic!("no case for {other}"),
    };
    Wrong { case, harm: Harm::False }
}

#[test]
fn right_groups_are_accepted() {
    let case = right();
    assert!(looks_serializable(&case.system));
    assert_eq!(case.check(), Ok(()));
    assert_eq!(Certificate::from_json(&case.certificate.to_json()).as_ref(), Ok(&case.certificate));
}

fn groups(case: &mut Case) -> &mut Groups {
    super::letters::proof(case).groups.as_mut().unwrap()
}

/// What is changed, how, and which condition notices.
type Change = (&'static str, fn(&mut Groups), Condition);

#[test]
fn each_part_of_a_right_proof_is_needed() {
    let changes: [Change; 11] = [
        ("letters in disorder", |groups| groups.each[0].letters = vec![7, 4], Condition::LettersNumbers),
        ("what is no letter", |groups| groups.each[0].letters.insert(0, 0), Condition::LettersNumbers),
        ("no letter whose loops are visited", |groups| groups.visits[0].letter = 0, Condition::LettersNumbers),
        ("no guard", |groups| groups.visits[0].guards.clear(), Condition::LettersVisits),
        ("one guard of two", |groups| groups.visits[1].guards = vec![0], Condition::LettersVisits),
        ("a guard of another letter", |groups| groups.visits[0].guards = vec![1], Condition::LettersGuard),
        ("a guard that is not there", |groups| groups.visits[0].guards = vec![2], Condition::LettersGuard),
        ("no steps in the beginning", |groups| groups.each[0].steps = 0, Condition::LettersVisits),
        ("a letter twice", |groups| groups.each[1].letters = vec![4, 5], Condition::LettersGroups),
        ("a letter that is removed", |groups| groups.each[0].letters.push(6), Condition::LettersGroups),
        ("a group without its letter", |groups| groups.each[0].letters.clear(), Condition::LettersVisits),
    ];
    for (name, change, condition) in changes {
        let mut case = right();
        change(groups(&mut case));
        assert_eq!(refused(&case), Some(condition), "{name}");
    }
}

#[test]
fn a_group_that_has_more_to_do_is_not_over() {
    // Both lights in one group: a request that has switched one on may or may not go on to the other.
    let one = Level { loops: vec![], automaton: loops(&[4, 5]), relation: (0..4).map(|state| (0, state)).collect() };
    for (steps, letter, guard) in (0..5).flat_map(|steps| [(steps, 6, 0), (steps, 7, 1)]) {
        let mut case = right();
        let each = vec![group(&[4, 5], steps, vec![one.clone(), remove(&[4, 5])])];
        let other = if letter == 6 { 7 } else { 6 };
        *groups(&mut case) = Groups { visits: vec![visit(letter, &[guard])], each };
        // The other one is answered anywhere, so that it does not matter.
        let proof = super::letters::proof(&mut case);
        proof.classes = vec![vec![other]];
        assert_eq!(refused(&case), Some(Condition::LettersVisits), "{steps} {letter}");
    }
}

#[test]
fn beginnings_are_paid_for() {
    // The first light is switched on again and again.
    let mut case = right();
    groups(&mut case).each[0].steps = u32::MAX;
    let caps = crate::Caps { ticks: 100_000, ..crate::Caps::default() };
    assert!(matches!(case.check_within(&caps), Err(Refusal::TooLarge { .. })));
}

#[test]
fn the_format_is_strict() {
    let certificate = right().certificate;
    for (from, to) in [
        ("{\"letter\":6,\"guards\":[0]}", "{\"letter\":6}"),
        ("{\"letter\":6,\"guards\":[0]}", "[6,[0]]"),
        ("\"each\":", "\"all\":"),
        ("\"steps\":1,", ""),
        ("\"steps\":1,", "\"steps\":-1,"),
        ("\"steps\":1,", "\"steps\":1,\"first\":1,"),
        ("\"groups\":{", "\"groups\":null,\"more\":{"),
        ("\"kind\":\"letters\"", "\"kind\":\"flow\""),
    ] {
        let error = misread(&certificate, from, to);
        assert!(error.column > 1 && !error.message.is_empty(), "{from} → {to}: {error}");
    }
}
