//! What is accepted of levels, groups, classes and facts is true, by trying everything with few answers.

use std::collections::BTreeSet;

use serval_budget::Cancel;
use serval_model::{Multiset, NormalForm, SplitMix64, completed_multisets};
use serval_random::confusable;

use super::region::{counts_up_to, walks};
use super::scripts::system;
use super::support::{condition, enough};
use crate::letters::fact::check_fact;
use crate::letters::groups::check_apart;
use crate::letters::level::check_level;
use crate::letters::{Absence, Automaton, Bound, Counting, Exactly, Fact, Group, Groups, Level, Loop, Visit};
use crate::letters::{check_classes, class_automaton, class_clause};
use crate::{Caps, Checked, Condition, Work};

/// The letters are nodes 1 to 4.
const LETTERS: [u32; 4] = [1, 2, 3, 4];
/// How many answers there are at most.
const MOST: usize = 4;

fn form() -> NormalForm {
    let system = system(1, &["a!", "a/1", "a/2", "a/3", "a/4"], &[[0, 0, 1, 0], [0, 0, 2, 0], [0, 0, 3, 0], [0, 0, 4, 0]]);
    NormalForm::new(&system).unwrap().0
}

fn work() -> Work {
    Work::new(&Caps { ticks: 100_000, ..Caps::default() }, &Cancel::new())
}

fn some(random: &mut SplitMix64, of: &[u32], percent: u64) -> Vec<u32> {
    of.iter().copied().filter(|_| random.chance(percent)).collect()
}

fn below(random: &mut SplitMix64, bound: u32) -> u32 {
    u32::try_from(random.below(bound.into())).unwrap()
}

/// The counts of the walks of an automaton, by letter; nothing is numbered 0.
fn psi(automaton: &Automaton) -> BTreeSet<Vec<i64>> {
    walks(automaton, 5, MOST)
}

/// All answers, by letter.
fn all_answers() -> Vec<Vec<i64>> {
    counts_up_to(4, i64::try_from(MOST).unwrap()).into_iter().map(|counts| [vec![0], counts].concat()).collect()
}

fn sum(answers: &[i64], letters: &[u32]) -> i64 {
    letters.iter().map(|&letter| answers[letter as usize]).sum()
}

/// Of these answers those with other letters.
fn without(answers: &[i64], letters: impl Fn(u32) -> bool) -> Vec<i64> {
    (0..).zip(answers).map(|(letter, &count)| if letters(letter) { 0 } else { count }).collect()
}

/// Whether answers are as a fact says.
fn meets(fact: &Fact, answers: &[i64]) -> bool {
    let own = match fact {
        Fact::Reach(absence) | Fact::Pairs(absence) => {
            let counted = |exactly: &Exactly| sum(answers, &exactly.letters) == i64::from(exactly.times);
            let all = absence.exactly.iter().all(counted);
            !all || !absence.never.is_empty() && sum(answers, &absence.never) == 0
        }
        Fact::Count(counting) => counting.clause.iter().any(|bound| {
            let value = bound.constant + bound.terms.iter().map(|&(letter, factor)| factor * answers[letter as usize]).sum::<i64>();
            if bound.divisor == 0 { value >= 0 } else { value.rem_euclid(i64::try_from(bound.divisor).unwrap()) != 0 }
        }),
    };
    own || sum(answers, fact.outside()) > 0
}

fn random_absence(random: &mut SplitMix64, letters: &[u32], exactly: u64) -> Fact {
    let mut absence = Absence { outside: some(random, letters, 40), never: some(random, letters, 40), ..Absence::default() };
    while random.chance(exactly) {
        let times = below(random, 3);
        absence.exactly.push(Exactly { letters: some(random, letters, 40), times });
    }
    if random.chance(50) { Fact::Reach(absence) } else { Fact::Pairs(absence) }
}

fn random_automaton(random: &mut SplitMix64, states: u32, percent: u64) -> Automaton {
    let all = (0..states).flat_map(|from| LETTERS.into_iter().flat_map(move |letter| (0..states).map(move |to| (from, letter, to))));
    let edges = all.filter(|&(from, _, to)| random.chance(if from == to { 2 * percent } else { percent })).collect();
    Automaton { states, start: below(random, states), edges }
}

/// Checks that runs one check for each seed, and that enough was accepted.
fn sweep(name: &str, sample: u64, whole: u64, is_accepted: impl Fn(&mut SplitMix64) -> bool) {
    let sweep = serval_effort::sweep(name, sample, whole);
    let accepted = sweep.seeds(0).filter(|&seed| is_accepted(&mut SplitMix64::new(seed))).count();
    assert!(!sweep.is_representative() || accepted as u64 * 50 > sweep.count(), "{accepted} accepted");
}

/// With levels: what is left of answers is that of a walk of the smaller automaton only where the answers are those
/// of a walk of the larger one.
#[test]
fn levels_lose_and_never_add() {
    let form = form();
    sweep("proof.levels", 3_000, 60_000, |random| {
        let states = 1 + below(random, 3);
        let mut before = random_automaton(random, states, 20);
        let earlier = if random.chance(20) { some(random, &LETTERS, 25) } else { Vec::new() };
        before = before.without(|letter| earlier.contains(&letter));
        let facts: Vec<Fact> = (0..2).map(|_| random_absence(random, &LETTERS, 10)).collect();
        let loops: Vec<Loop> = some(random, &LETTERS, 30)
            .into_iter()
            .map(|letter| Loop { letter, guard: (!random.chance(30)).then(|| below(random, 2)) })
            .collect();
        let gone: BTreeSet<u32> = loops.iter().map(|removal| removal.letter).collect();
        let mut automaton = before.without(|letter| gone.contains(&letter));
        if random.chance(30) {
            let letters = some(random, &LETTERS, 40);
            automaton = Automaton { states: 1, start: 0, edges: letters.into_iter().map(|letter| (0, letter, 0)).collect() };
        }
        automaton.edges.retain(|_| !random.chance(10));
        if random.chance(10) {
            automaton.start = below(random, automaton.states);
        }
        if random.chance(10) {
            automaton.edges.push((below(random, states), LETTERS[random.index(4)], below(random, states)));
            automaton.edges.sort_unstable();
        }
        let pairs = (0..automaton.states).flat_map(|p| (0..states).map(move |q| (p, q)));
        let relation = pairs.filter(|&(p, q)| random.chance(if p == q { 90 } else { 30 })).collect();
        let level = Level { loops, automaton, relation };
        let mut removed: BTreeSet<u32> = earlier.iter().copied().collect();
        let checked: Checked<bool> = check_level(&form, &before, &level, &facts, &mut removed, &mut work());
        if checked != Ok(true) {
            return false;
        }
        let (small, large) = (psi(&level.automaton), psi(&before));
        for answers in all_answers().iter().filter(|answers| facts.iter().all(|fact| meets(fact, answers))) {
            let left = without(answers, |letter| removed.contains(&letter));
            let whole = without(answers, |letter| earlier.contains(&letter));
            assert!(!small.contains(&left) || large.contains(&whole), "{answers:?}\n{before:?}\n{level:?}\n{facts:?}\n{earlier:?}");
        }
        true
    });
}

/// Two automata side by side, so that their letters can be exchanged, but for a few edges.
fn side_by_side(random: &mut SplitMix64) -> Automaton {
    let sides = [(); 2].map(|()| random_automaton(random, 2, 30));
    let mut edges = Vec::new();
    for state in 0..4 {
        let [low, high] = [state % 2, state / 2];
        edges.extend(
            sides[0].edges.iter().filter(|edge| edge.0 == low && edge.1 <= 2).map(|&(_, letter, to)| (state, letter, to + 2 * high)),
        );
        edges.extend(
            sides[1].edges.iter().filter(|edge| edge.0 == high && edge.1 == 3).map(|&(_, letter, to)| (state, letter, low + 2 * to)),
        );
        edges.extend(random.chance(40).then_some((state, 4, state)));
    }
    edges.retain(|_| !random.chance(3));
    if random.chance(15) {
        edges.push((below(random, 4), LETTERS[random.index(4)], below(random, 4)));
    }
    edges.sort_unstable();
    edges.dedup();
    Automaton { states: 4, start: below(random, 4), edges }
}

/// With groups: if what answers say of each group is serial, so is all that they say.
#[test]
fn groups_do_not_disturb_each_other() {
    sweep("proof.groups", 2_000, 40_000, |random| {
        let before = side_by_side(random);
        let facts: Vec<Fact> = (0..3).map(|_| random_absence(random, &LETTERS, 10)).collect();
        let mut each = vec![Group { letters: some(random, &LETTERS[..2], 80), ..Group::default() }];
        each.push(Group { letters: some(random, &LETTERS[2..3], 80), ..Group::default() });
        if random.chance(10) {
            each[0].letters = some(random, &LETTERS, 30);
        }
        each.iter_mut().for_each(|group| group.steps = below(random, 3));
        each.retain(|_| random.chance(90));
        let mut visits: Vec<Visit> = Vec::new();
        if random.chance(75) {
            let guards = some(random, &[0, 1, 2], 50);
            visits.push(Visit { letter: if random.chance(90) { 4 } else { 3 }, guards });
        }
        let groups = Groups { visits, each };
        let mut removed = BTreeSet::new();
        let checked: Checked<_> = check_apart(&before, &groups, &facts, &mut removed, &mut work());
        let Ok((left, group_of)) = checked else { return false };
        let groups_of = |letter: u32| group_of.get(&letter).copied();
        let parts: Vec<_> = (0..groups.each.len())
            .map(Some)
            .chain([None])
            .map(|group| (group, psi(&left.without(|letter| groups_of(letter) != group))))
            .collect();
        let whole = psi(&before);
        for answers in all_answers().iter().filter(|answers| facts.iter().all(|fact| meets(fact, answers))) {
            let of = |group| without(answers, |letter| removed.contains(&letter) || groups_of(letter) != group);
            let serial = parts.iter().all(|(group, part)| part.contains(&of(*group)));
            assert!(!serial || whole.contains(answers), "{answers:?}\n{before:?}\n{groups:?}\n{facts:?}");
        }
        !groups.visits.is_empty()
    });
}

fn apart(states: u32, edges: &[(u32, u32, u32)], groups: &Groups, facts: &[Fact]) -> Condition {
    let automaton = Automaton { states, start: 0, edges: edges.to_vec() };
    let checked: Checked<_> = check_apart(&automaton, groups, facts, &mut BTreeSet::new(), &mut work());
    condition(&checked.map(drop))
}

/// Both sides of a diamond are needed, and a letter that a beginning has used is not absent.
#[test]
fn letters_that_are_used_are_not_absent() {
    let group = |letters: &[u32]| Group { letters: letters.to_vec(), steps: 2, ..Group::default() };
    let groups = Groups { visits: Vec::new(), each: vec![group(&[1]), group(&[2])] };
    for half in [(1, 2, 3), (2, 1, 3)] {
        let mut edges = vec![(0, 1, 1), (0, 2, 2), half];
        edges.sort_unstable();
        assert_eq!(apart(4, &edges, &groups, &[]), Condition::LettersDiamond);
    }
    let guard = Fact::Reach(Absence { outside: vec![1], never: vec![4], ..Absence::default() });
    let groups = Groups { visits: vec![Visit { letter: 4, guards: vec![0] }], each: vec![group(&[1])] };
    assert_eq!(apart(2, &[(0, 1, 1)], &groups, &[guard]), Condition::LettersVisits);
}

fn random_classes(random: &mut SplitMix64, letters: &[u32]) -> Vec<Vec<u32>> {
    let mut classes: Vec<Vec<u32>> = Vec::new();
    for &letter in letters {
        match random.index(classes.len() + 1) {
            new if new == classes.len() => classes.push(vec![letter]),
            old => classes[old].push(letter),
        }
    }
    classes
}

/// With classes: sums that are those of a walk of the class automaton are those of serial answers alone, and what a
/// fact says of sums holds where the fact does.
#[test]
fn classes_say_no_more_than_letters() {
    let form = form();
    sweep("proof.classes", 2_000, 40_000, |random| {
        let states = 1 + below(random, 2);
        let mut automaton = random_automaton(random, states, 30);
        // Letters with the same edges.
        for (letter, as_other) in [(2, 1), (4, 3)] {
            if random.chance(70) {
                let copied: Vec<_> =
                    automaton.edges.iter().filter(|edge| edge.1 == as_other).map(|&(from, _, to)| (from, letter, to)).collect();
                automaton.edges.retain(|edge| edge.1 != letter);
                automaton.edges.extend(copied);
            }
        }
        automaton.edges.sort_unstable();
        automaton.edges.retain(|_| !random.chance(3));
        let removed: BTreeSet<u32> = some(random, &LETTERS, 15).into_iter().collect();
        automaton = automaton.without(|letter| removed.contains(&letter));
        let mut listed: Vec<u32> = LETTERS.into_iter().filter(|letter| !removed.contains(letter)).collect();
        if random.chance(10) {
            listed.push(below(random, 6));
        }
        listed.retain(|_| !random.chance(3));
        let classes = random_classes(random, &listed);
        let count = u32::try_from(classes.len()).unwrap();
        let sums = |answers: &[i64]| classes.iter().map(|class| sum(answers, class)).collect::<Vec<_>>();
        if check_classes(&form, &automaton, &classes, &removed) != Checked::Ok(true) {
            return false;
        }
        let terms = |random: &mut SplitMix64| {
            let factors = LETTERS.map(|letter| (letter, i64::try_from(random.below(4)).unwrap() - 1));
            factors.into_iter().filter(|&(_, factor)| factor != 0).collect::<Vec<_>>()
        };
        let bound = Bound { divisor: random.below(3), constant: i64::try_from(random.below(3)).unwrap() - 1, terms: terms(random) };
        let counting = Counting { outside: some(random, &LETTERS, 20), clause: vec![bound], ..Counting::default() };
        let facts = [random_absence(random, &LETTERS, 30), random_absence(random, &LETTERS, 0), Fact::Count(Box::new(counting))];
        let (of_classes, serial) = (walks(&class_automaton(&automaton, &classes), count, MOST), psi(&automaton));
        for answers in all_answers() {
            let sums = sums(&answers);
            let left = without(&answers, |letter| removed.contains(&letter));
            assert!(!of_classes.contains(&sums) || serial.contains(&left), "{answers:?}\n{automaton:?}\n{classes:?}");
            for fact in facts.iter().filter(|fact| meets(fact, &answers)) {
                let clause = class_clause(&classes, fact);
                let holds = clause.is_none_or(|clause| clause.iter().any(|literal| literal.holds(&sums)));
                assert!(holds, "{answers:?}\n{fact:?}\n{classes:?}");
            }
        }
        true
    });
}

/// Facts hold for the answers of all runs of at most three requests.
#[test]
fn facts_hold_for_all_runs() {
    sweep("proof.facts", 600, 12_000, |random| {
        let system = confusable(random);
        let Some((form, _)) = NormalForm::new(&system) else { return false };
        let letters: Vec<u32> = form.node_numbers().filter(|&node| form.is_done(node)).collect();
        let answers_of = |multiset: &Multiset<_>| -> Vec<i64> {
            let count = |node| form.letter(node).map_or(0, |letter| i64::try_from(multiset.count(&letter)).unwrap());
            form.node_numbers().map(count).collect()
        };
        let runs: Vec<Vec<i64>> = completed_multisets(&system, 3, &mut enough()).unwrap().iter().map(answers_of).collect();
        let mut accepted = 0;
        for _ in 0..8 {
            let fact = random_absence(random, &letters, 30);
            let checked: Checked<bool> = check_fact(&form, &fact, &mut work());
            if checked == Ok(true) {
                accepted += 1;
                let against = runs.iter().find(|answers| !meets(&fact, answers));
                assert_eq!(against, None, "{fact:?}\n{form:?}");
            }
        }
        accepted > 0
    });
}
