//! Groups of letters alone, against brute force: groups of proofs that are found, those
//! changed at random, and others that are drawn at random and that the checker accepts.

use std::collections::{BTreeMap, BTreeSet};

use serval_budget::Budget;
use serval_engine::letters::{LettersOutcome, prove};
use serval_model::{NetworkSystem, Node, SplitMix64};
use serval_proof::letters::{Automaton, Fact, Group, Groups, LettersProof, Level, Visit};
use serval_soundness::requests::systems::{compiled, systems_of};
use serval_testkit::say;

use super::brute::{Answers, has_walk, sum, walks, with};
use super::letters::{Counts, Tried, count, together};

/// The largest normal form of a program that is tried, in steps.
const STEPS: usize = 150;
const PROVE_TICKS: u64 = 1_000_000;
const SEED: u64 = 4;

/// Cells that are counted or set, most of them on their own, and readers that look at several of
/// them, one after the other.
fn cells(random: &mut SplitMix64) -> String {
    let sizes: Vec<u64> = (0..2 + random.below(2)).map(|_| 2 + u64::from(random.chance(25))).collect();
    let mut text = String::new();
    for (cell, size) in sizes.iter().enumerate() {
        text += &format!("var C{cell}: 0..{} wrap\n", size - 1);
    }
    let pause = |random: &mut SplitMix64, percent: u64| if random.chance(percent) { " yield;" } else { "" };
    for (cell, size) in sizes.iter().enumerate() {
        let other = random.index(sizes.len());
        let change = match random.below(8) {
            0 => format!("C{cell} := {};", size - 1),
            1 => format!("C{cell} := seen + 1; C{other} := seen;"),
            2 => format!("if (C{other} == 0) {{ C{cell} := seen + 1 }};"),
            _ => format!("C{cell} := seen + 1;"),
        };
        let answer = random.pick(&["seen", "seen", "0"]).unwrap();
        text += &format!("request add{cell} {{ seen := C{cell};{} {change} {answer} }}\n", pause(random, 10));
    }
    for reader in 0..1 + random.below(2) {
        let mut body = "sum := 0;".to_owned();
        for cell in 0..sizes.len() {
            if random.chance(85) {
                let factor = random.pick(&[1, 1, 1, 2]).unwrap();
                body += &format!(" sum := sum + {factor} * C{cell};{}", pause(random, 70));
            }
        }
        text += &format!("request read{reader} {{ {body} sum }}\n");
    }
    text
}

/// Whether the checker accepts groups after these levels, whatever is in them: what they say of
/// each group is left out, so that the first tree is refused.
fn accepts(tried: &Tried<'_>, facts: &[Fact], levels: &[Level], groups: &Groups) -> bool {
    let bare = |group: &Group| {
        let classes = group.letters.iter().map(|&letter| vec![letter]).collect();
        Group { letters: group.letters.clone(), steps: group.steps, classes, ..Group::default() }
    };
    let groups = Groups { visits: groups.visits.clone(), each: groups.each.iter().map(bare).collect() };
    let gone: BTreeSet<Node> =
        letters_of(&groups).chain(levels.iter().flat_map(|level| &level.loops).map(|removal| removal.letter)).collect();
    let classes = tried.letters.iter().filter(|letter| !gone.contains(letter)).map(|&letter| vec![letter]).collect();
    let proof = LettersProof { facts: facts.to_vec(), levels: levels.to_vec(), groups: Some(groups), classes, ..LettersProof::default() };
    tried.refusing(&proof).is_some_and(|condition| condition.starts_with("tree."))
}

fn letters_of(groups: &Groups) -> impl Iterator<Item = Node> {
    groups.visits.iter().map(|visit| visit.letter).chain(groups.each.iter().flat_map(|group| group.letters.iter().copied()))
}

/// What is made of a walk for each group, and of loop letters as their guards allow, is a walk.
fn try_groups(tried: &Tried<'_>, before: &Automaton, facts: &[Fact], groups: &Groups, random: &mut SplitMix64) {
    let mut group_of: BTreeMap<Node, usize> = BTreeMap::new();
    for (number, group) in groups.each.iter().enumerate() {
        group_of.extend(group.letters.iter().map(|&letter| (letter, number + 1)));
    }
    let visited = |letter: Node| groups.visits.iter().any(|visit| visit.letter == letter);
    let of = |number: usize| before.without(|letter| visited(letter) || group_of.get(&letter).copied().unwrap_or(0) != number);
    let each: Vec<Vec<Answers>> = (0..=groups.each.len()).map(|number| walks(&of(number), 3).into_iter().collect()).collect();
    for _ in 0..60 {
        let mut answers = Answers::new();
        for walks in &each {
            for (&letter, &times) in &walks[random.index(walks.len())] {
                answers = with(&answers, letter, times);
            }
        }
        for Visit { letter, guards } in &groups.visits {
            let allowed = guards.iter().all(|&guard| sum(&answers, facts[guard as usize].outside()) > 0);
            if allowed {
                answers = with(&answers, *letter, random.below(3).cast_signed());
            }
        }
        assert!(has_walk(before, &answers), "{answers:?} is no walk: {groups:?} {facts:?}\n{}", tried.system.to_json());
    }
}

/// Groups with something changed.
fn changed(groups: &Groups, facts: &[Fact], random: &mut SplitMix64) -> Groups {
    let mut groups = groups.clone();
    let (visit, group) = (random.index(groups.visits.len().max(1)), random.index(groups.each.len().max(1)));
    match random.below(6) {
        0 if !groups.visits.is_empty() => {
            let guards = &mut groups.visits[visit].guards;
            if !guards.is_empty() {
                guards.remove(random.index(guards.len()));
            }
        }
        1 if !groups.visits.is_empty() && !facts.is_empty() => {
            groups.visits[visit].guards = vec![u32::try_from(random.index(facts.len())).unwrap()]
        }
        2 if !groups.each.is_empty() => groups.each[group].steps = u32::try_from(random.below(4)).unwrap(),
        3 if groups.each.len() > 1 => {
            let letters = std::mem::take(&mut groups.each[group].letters);
            let (one, other) = letters.split_at(random.index(letters.len() + 1));
            let next = (group + 1) % groups.each.len();
            groups.each[group].letters = one.to_vec();
            groups.each[next].letters.extend(other);
            groups.each[next].letters.sort_unstable();
        }
        4 if !groups.each.is_empty() => {
            let away = groups.each.remove(group);
            groups.each.insert(random.index(groups.each.len() + 1), away);
        }
        _ if !groups.each.is_empty() => drop(groups.each.remove(group)),
        _ => {}
    }
    groups
}

/// Groups drawn at random: each letter anywhere, loop letters mostly among those that are visited.
fn drawn(before: &Automaton, facts: &[Fact], random: &mut SplitMix64) -> Groups {
    let letters: BTreeSet<Node> = before.edges.iter().map(|edge| edge.1).collect();
    let mut each = vec![Group::default(); 1 + random.index(3)];
    let mut visits = Vec::new();
    for letter in letters {
        let loops = before.edges.iter().filter(|edge| edge.1 == letter).all(|edge| edge.0 == edge.2);
        let says = |fact: &Fact| fact.absence().is_some_and(|absence| absence.never.contains(&letter));
        let guards = (0..).zip(facts).filter(|(_, fact)| says(fact)).map(|(number, _)| number).collect();
        if random.chance(if loops { 70 } else { 3 }) {
            visits.push(Visit { letter, guards });
        } else if random.chance(85) {
            let group = random.index(each.len());
            each[group].letters.push(letter);
        }
    }
    each.iter_mut().for_each(|group| group.steps = u32::try_from(random.below(3)).unwrap());
    Groups { visits, each }
}

fn try_system(system: &NetworkSystem, steps: usize, random: &mut SplitMix64, counts: &mut Counts) {
    let Some(tried) = Tried::within(system, steps) else { return };
    count(counts, "systems");
    let found = prove(&tried.form, &mut Budget::ticks(PROVE_TICKS));
    let mut facts = Vec::new();
    if let Ok(LettersOutcome::Proof(proof)) = &found {
        assert_eq!(tried.refusing(proof), None, "{}", system.to_json());
        for answers in &tried.runs {
            assert!(has_walk(&tried.serial, answers), "proved, but {answers:?} is not serial\n{}", system.to_json());
        }
        facts.clone_from(&proof.facts);
        if let Some(groups) = &proof.groups {
            count(counts, "proofs with groups");
            let before = proof.levels.last().map_or(&tried.serial, |level| &level.automaton);
            assert!(accepts(&tried, &facts, &proof.levels, groups), "{}", system.to_json());
            try_groups(&tried, before, &facts, groups, random);
            for _ in 0..8 {
                let changed = changed(groups, &facts, random);
                if accepts(&tried, &facts, &proof.levels, &changed) {
                    count(counts, "changed groups");
                    try_groups(&tried, before, &facts, &changed, random);
                } else {
                    count(counts, "changed groups refused");
                }
            }
        }
    }
    for _ in 0..4 {
        facts.extend(tried.draw_fact(random).filter(|fact| tried.accepts(std::slice::from_ref(fact), &[])));
    }
    for _ in 0..6 {
        let groups = drawn(&tried.serial, &facts, random);
        if accepts(&tried, &facts, &[], &groups) {
            count(counts, "drawn groups");
            try_groups(&tried, &tried.serial, &facts, &groups, random);
        } else {
            count(counts, "drawn groups refused");
        }
    }
}

#[test]
fn groups_of_letters_hold_for_random_systems() {
    let sweep = serval_effort::sweep("soundness.groups", 40, 150);
    let counts = together(sweep.map(0, |number| {
        let (random, mut counts) = (&mut SplitMix64::new(SEED.wrapping_mul(0x1_0000_0000).wrapping_add(number)), Counts::new());
        for system in compiled(&cells(random)).unwrap_or_default() {
            try_system(&system, STEPS, random, &mut counts);
        }
        for system in systems_of(SEED, number) {
            try_system(&system, 40, random, &mut counts);
        }
        counts
    }));
    let said: Vec<String> = counts.iter().map(|(what, count)| format!("{what} {count}")).collect();
    say(&format!("groups: {} random programs, and as many systems, as brute force says: {}", sweep.count(), said.join(", ")));
    for what in ["systems", "proofs with groups", "changed groups", "changed groups refused", "drawn groups", "drawn groups refused"] {
        assert!(!sweep.is_representative() || counts.contains_key(what), "{what}: never tried");
    }
}
