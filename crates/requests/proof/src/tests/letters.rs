//! Proofs over numbers of answers: right ones, and ones that only one condition
//! refuses.

use serval_model::NetworkSystem;

use super::flow::once;
use super::scripts::{Harm, Wrong, system};
use super::support::{Case, counter, misread};
use crate::letters::{Absence, Automaton, Bound, Counting, Exactly, Fact, Flow, LettersProof, Level, Loop, Region};
use crate::{Body, Certificate, Condition, Part};
use serval_linear::{Node, Tree};

pub(super) fn case(system: NetworkSystem, proof: LettersProof) -> Case {
    Case::proved(system, Part::Letters(Box::new(proof)))
}

pub(super) fn proof(case: &mut Case) -> &mut LettersProof {
    match &mut case.certificate.body {
        Body::Part(Part::Letters(proof)) => proof,
        other => panic!("{other:?}"),
    }
}

/// One state with a loop for each of these letters.
pub(super) fn loops(letters: &[u32]) -> Automaton {
    Automaton { states: 1, start: 0, edges: letters.iter().map(|&letter| (0, letter, 0)).collect() }
}

/// Removes letters from an automaton with one state.
pub(super) fn remove(letters: &[u32]) -> Level {
    let loops = letters.iter().map(|&letter| Loop { letter, guard: None });
    Level { loops: loops.collect(), automaton: Automaton { states: 1, ..Automaton::default() }, relation: vec![(0, 0)] }
}

/// When no class is left, nothing is left to say: the clause of a region without
/// any class is empty.
pub(super) fn collapsed(facts: Vec<Fact>, levels: Vec<Level>) -> LettersProof {
    let tree = Tree { nodes: vec![Node::Clause { clause: 0 }] };
    LettersProof { facts, levels, regions: vec![Region::default()], tree, ..LettersProof::default() }
}

/// The two states can do the same, and the only letter goes.
pub(super) fn right() -> Case {
    let same = Level { loops: vec![], automaton: loops(&[1]), relation: vec![(0, 0), (0, 1)] };
    case(once(), collapsed(vec![], vec![same, remove(&[1])]))
}

/// The same for another system, of which it proves nothing.
fn right_of(system: NetworkSystem) -> Case {
    case(system, std::mem::take(proof(&mut right())))
}

/// `u` leads to the second global state and stays there; `x` answers only there;
/// `w` is there for a moment. With `w` and `x` alone no serial run answers `x`.
pub(super) fn peeking() -> NetworkSystem {
    let nodes = ["u!", "w!", "w", "x!", "u/a", "w/b", "x/c"];
    system(2, &nodes, &[[0, 0, 4, 1], [0, 1, 4, 1], [1, 0, 2, 1], [2, 1, 5, 0], [1, 1, 5, 1], [3, 1, 6, 1]])
}

/// Says of `peeking` that `x` has a guard, and that everything else is free.
fn guarded(fact: Fact) -> Case {
    let first = Level { loops: vec![Loop { letter: 6, guard: Some(0) }], automaton: loops(&[4, 5]), relation: vec![(0, 0), (0, 1)] };
    case(peeking(), collapsed(vec![fact], vec![first, remove(&[4, 5])]))
}

pub(super) fn absence(outside: &[u32], never: &[u32]) -> Absence {
    Absence { outside: outside.to_vec(), never: never.to_vec(), ..Absence::default() }
}

/// A proof that is refused for `condition` and nothing else.
pub(super) fn violates_only(condition: Condition) -> Wrong {
    // The letters of the counter, whose edges lead from one state to the other.
    let [low, high] = [3, 4];
    let both = |relation: Vec<(u32, u32)>| Level { loops: vec![], automaton: loops(&[low, high]), relation };
    let (case, harm) = match condition {
        Condition::LettersNumbers => {
            let mut case = right();
            proof(&mut case).facts.push(Fact::Reach(absence(&[], &[0])));
            (case, Harm::Untidy)
        }
        Condition::LettersFree => (case(counter(), collapsed(vec![], vec![remove(&[low, high])])), Harm::False),
        Condition::LettersGuard => {
            let mut level = remove(&[low, high]);
            level.loops.iter_mut().for_each(|removal| removal.guard = Some(0));
            (case(counter(), collapsed(vec![], vec![level])), Harm::False)
        }
        // Who answers `x` has answered `x`.
        Condition::LettersKept => (guarded(Fact::Reach(absence(&[6], &[6]))), Harm::False),
        // True, but `w` does not stay where `x` answers.
        Condition::LettersTouch => (guarded(Fact::Reach(absence(&[4, 5], &[6]))), Harm::False),
        Condition::LettersReach => (guarded(Fact::Reach(absence(&[4], &[6]))), Harm::False),
        Condition::LettersPairs => (guarded(Fact::Pairs(absence(&[4], &[6]))), Harm::False),
        Condition::LettersApart => (beside_itself(), Harm::False),
        Condition::LettersStart => (case(counter(), collapsed(vec![], vec![both(vec![]), remove(&[low, high])])), Harm::False),
        Condition::LettersRelation => (case(counter(), collapsed(vec![], vec![both(vec![(0, 0)]), remove(&[low, high])])), Harm::False),
        Condition::LettersClasses => (case(counter(), collapsed(vec![], vec![])), Harm::False),
        Condition::LettersTwins => {
            // `y` answers only while `v` is on its way, and is no twin of `r`.
            let steps = [[0, 0, 4, 0], [1, 0, 2, 1], [2, 1, 5, 0], [3, 1, 6, 1]];
            let system = system(2, &["r!", "v!", "v", "y!", "r/a", "v/b", "y/c"], &steps);
            let flow = Flow { edge: 0, divisor: 1, constant: 0, terms: vec![(0, 1)] };
            let region = Region { flows: vec![flow], ..Region::default() };
            let proof = LettersProof { classes: vec![vec![4, 5, 6]], regions: vec![region], ..collapsed(vec![], vec![]) };
            (case(system, proof), Harm::False)
        }
        Condition::LettersGroups | Condition::LettersDiamond | Condition::LettersVisits => return super::groups::violates_only(condition),
        other => panic!("no case for {other}"),
    };
    Wrong { case, harm }
}

/// `x` answers once, while `w` is on its way, and never in a serial run. By
/// counting it answers at most once; that it does not answer exactly once is
/// said of runs without the requests that do.
fn beside_itself() -> Case {
    let steps = [[0, 0, 1, 1], [1, 1, 3, 0], [1, 2, 3, 2], [2, 1, 4, 2]];
    let system = system(3, &["w!", "w", "x!", "w/b", "x/c"], &steps);
    let farkas = |facts: &[(u32, i128)]| Node::Farkas {
        combination: facts.iter().map(|&(fact, factor)| (serval_linear::Reference::Fact(fact), factor)).collect(),
    };
    let clause = vec![Bound { divisor: 0, constant: 1, terms: vec![(4, -1)] }];
    let form = serval_model::NormalForm::new(&system).unwrap().0;
    let problem = crate::letters::fact::counting_problem(&form, &[], &clause).unwrap();
    let twice = u32::try_from(problem.equalities.len() + problem.inequalities.len() - 1).unwrap();
    // Who answers gets to the third global state, and one is the last.
    let tree = Tree { nodes: vec![farkas(&[(2, -1), (3, -1), (twice, 1)])] };
    let once = Fact::Count(Box::new(Counting { clause, tree, ..Counting::default() }));
    let never = Fact::Reach(Absence { exactly: vec![Exactly { letters: vec![4], times: 1 }], ..absence(&[], &[4]) });
    let leaves = [[(0, 1), (2, 1)], [(0, 1), (2, 1)], [(1, 1), (2, 1)]].map(|facts| farkas(&facts));
    let nodes = [2, 0, 1].map(|clause| Node::Clause { clause }).into_iter().chain(leaves).chain([farkas(&[(2, 1)]), farkas(&[(1, 1)])]);
    let proof =
        LettersProof { classes: vec![vec![4]], tree: Tree { nodes: nodes.collect() }, ..collapsed(vec![once, never], vec![remove(&[3])]) };
    case(system, proof)
}

/// A clause by counting: `x` is answered at most as often as there are answers
/// of `u` and `w`, times nothing; so not at all without them.
fn counted() -> Case {
    let bound = Bound { divisor: 0, constant: 0, terms: vec![(1, 1)] };
    let mut case = right();
    // The answers are not negative, however they are counted.
    let form = serval_model::NormalForm::new(&case.system).unwrap().0;
    let problem = crate::letters::fact::counting_problem(&form, &[], std::slice::from_ref(&bound)).unwrap();
    let last = u32::try_from(problem.equalities.len() + problem.inequalities.len() - 1).unwrap();
    let tree = Tree { nodes: vec![Node::Farkas { combination: vec![(serval_linear::Reference::Fact(last), 1)] }] };
    let counting = Counting { clause: vec![bound], tree, ..Counting::default() };
    proof(&mut case).facts.push(Fact::Count(Box::new(counting)));
    case
}

#[test]
fn right_proofs_are_accepted() {
    for case in [right(), counted()] {
        assert_eq!(case.check(), Ok(()));
        assert_eq!(Certificate::from_json(&case.certificate.to_json()).as_ref(), Ok(&case.certificate));
    }
}

/// What is not a letter, no state or not in order is refused before anything is made of it.
#[test]
fn what_is_not_there_is_refused() {
    fn level(proof: &mut LettersProof) -> &mut Level {
        &mut proof.levels[0]
    }
    let bound = |terms: &[(u32, i64)]| {
        let clause = vec![Bound { divisor: 0, constant: 0, terms: terms.to_vec() }];
        Fact::Count(Box::new(Counting { clause, ..Counting::default() }))
    };
    let exactly = |letters: &[u32]| {
        let exactly = vec![Exactly { letters: letters.to_vec(), times: 1 }];
        Fact::Reach(Absence { exactly, ..absence(&[], &[]) })
    };
    let changes: [&dyn Fn(&mut LettersProof); 12] = [
        &|proof| level(proof).loops.push(Loop { letter: 0, guard: None }),
        &|proof| level(proof).relation.push((1, 0)),
        &|proof| level(proof).relation.push((0, 2)),
        &|proof| level(proof).automaton.start = 1,
        &|proof| proof.facts.push(bound(&[(0, 1)])),
        &|proof| proof.facts.push(bound(&[(1, 0)])),
        &|proof| proof.facts.push(bound(&[(1, 1), (1, 1)])),
        &|proof| proof.facts.push(exactly(&[0])),
        &|proof| proof.facts.push(exactly(&[1, 1])),
        &|proof| proof.facts.push(Fact::Pairs(absence(&[2], &[1]))),
        &|proof| proof.classes.push(Vec::new()),
        &|proof| proof.classes.push(vec![0]),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut case = right();
        change(proof(&mut case));
        assert_eq!(super::support::condition(&case.check()), Condition::LettersNumbers, "change {number}");
    }
}

/// The tree is that of a clause which holds; it says nothing of one that does not.
#[test]
fn what_is_counted_is_what_the_clause_says() {
    let changes: [fn(&mut Bound); 3] = [
        // No number of answers is even, and none is more than 0.
        |bound| bound.divisor = 2,
        |bound| bound.terms = vec![(1, -1)],
        |bound| bound.constant = -1,
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut case = counted();
        let Some(Fact::Count(counting)) = proof(&mut case).facts.last_mut() else { panic!() };
        change(&mut counting.clause[0]);
        assert!(case.check().is_err(), "change {number}");
    }
}

#[test]
fn what_is_said_of_some_runs_is_no_guard() {
    // While no request answers `w`, `x` is answered only beside `u`; but that is no guard.
    let exactly = vec![Exactly { letters: vec![5], times: 0 }];
    let case = guarded(Fact::Reach(Absence { exactly, ..absence(&[4], &[6]) }));
    let Err(crate::Refusal::Invalid(rejection)) = case.check() else { panic!() };
    assert_eq!(rejection.condition, Condition::LettersGuard);
}

#[test]
fn requests_are_followed() {
    let fact = |how: fn(Absence) -> Fact, times: u32, never: &[u32]| {
        let exactly = vec![Exactly { letters: vec![5], times }];
        let mut case = right_of(peeking());
        proof(&mut case).facts = vec![how(Absence { exactly, ..absence(&[4], never) })];
        matches!(case.check(), Err(crate::Refusal::Invalid(refused)) if [Condition::LettersReach, Condition::LettersPairs].iter().any(|&one| refused.condition == one))
    };
    for how in [Fact::Reach, Fact::Pairs] {
        // Without `w` no request answers `x`; with it one may; and `w` can be answered.
        assert!(!fact(how, 0, &[6]) && fact(how, 1, &[6]) && fact(how, 2, &[6]) && fact(how, 1, &[]));
    }
}

/// Lists that repeat what costs nothing alone: each entry is paid for each time
/// that something is made of it, before memory is used.
#[test]
fn repetition_is_paid_for() {
    const MANY: usize = 4_000;
    let sets = |times: u32| vec![Exactly { letters: vec![], times }; MANY];
    let with = |mut case: Case, fact: Fact| {
        proof(&mut case).facts.push(fact);
        case
    };
    // Controls with many entries; a request that can begin as often as it likes.
    let begun = with(right_of(peeking()), Fact::Reach(Absence { exactly: sets(0), ..absence(&[4], &[6]) }));
    let endless = Exactly { letters: vec![5], times: u32::MAX };
    let endless = with(right_of(peeking()), Fact::Reach(Absence { exactly: vec![endless], ..absence(&[], &[6]) }));
    // Literals over many letters, and steps to them.
    let bound = Bound { divisor: 0, constant: 0, terms: vec![(3, 1)] };
    let bounds = with(right_of(counter()), Fact::Count(Box::new(Counting { clause: vec![bound; MANY], ..Counting::default() })));
    // Cuts of a slice without steps.
    let all = crate::flow::Region { globals: vec![0], nodes: vec![0, 1] };
    let cuts = vec![crate::flow::Cut::Backward(all); MANY];
    let cuts = with(right(), Fact::Count(Box::new(Counting { outside: vec![1], cuts, ..Counting::default() })));
    for (name, case, ticks) in
        [("begun", begun, 3 * MANY), ("endless", endless, 1_000_000), ("bounds", bounds, 2 * MANY + 100), ("cuts", cuts, 2 * MANY)]
    {
        let caps = crate::Caps { ticks: ticks as u64, ..crate::Caps::default() };
        assert!(matches!(case.check_within(&caps), Err(crate::Refusal::TooLarge { .. })), "{name}: {:?}", case.check_within(&caps));
    }
}

#[test]
fn the_format_is_strict() {
    let mut case = guarded(Fact::Reach(absence(&[4], &[6])));
    proof(&mut case).facts.extend([Fact::Pairs(absence(&[], &[6])), Fact::Count(Box::default())]);
    let certificate = case.certificate;
    assert_eq!(Certificate::from_json(&certificate.to_json()).as_ref(), Ok(&certificate));
    for (from, to) in [
        ("{\"letter\":6,\"guard\":0}", "{\"letter\":6,\"guard\":null}"),
        ("{\"letter\":6,\"guard\":0}", "[6,0]"),
        ("{\"letter\":6,\"guard\":0}", "{\"guard\":0}"),
        ("{\"reach\":{\"outside\":[4],\"never\":[6]}}", "{\"reach\":{\"outside\":[4]}}"),
        ("{\"reach\":{\"outside\":[4],\"never\":[6]}}", "{\"reach\":[[4],[6]]}"),
        ("\"reach\"", "\"set\""),
        ("\"states\":1,", ""),
        ("\"states\":1,", "\"states\":1,\"more\":1,"),
        ("\"relation\":", "\"related\":"),
        ("\"cuts\":[]", "\"cuts\":[{\"set\":{\"base\":[],\"periods\":[]}}]"),
        ("\"classes\":[]", "\"classes\":null"),
        ("\"classes\":[],", ""),
        ("\"classes\":[]", "\"classes\":[],\"phases\":[]"),
    ] {
        let error = misread(&certificate, from, to);
        assert!(error.column > 1 && !error.message.is_empty(), "{from} → {to}: {error}");
    }
}
