//! What proofs over numbers of answers rest on, each rule alone, against brute
//! force: facts, levels, twins and regions of proofs that are found, and others
//! that are drawn at random and that the checker accepts.

use std::collections::{BTreeMap, BTreeSet};

use serval_arith::{Outcome, solve};
use serval_budget::{Budget, Cancel};
use serval_engine::letters::{LettersOutcome, prove};
use serval_linear::Literal;
use serval_model::{NetworkSystem, Node, NormalForm, SplitMix64};
use serval_proof::flow::{Cut, cut_clause, serial_edges};
use serval_proof::letters::fact::{counting_problem, slice};
use serval_proof::letters::{
    Absence, Automaton, Bound, Counting, Exactly, Fact, LettersProof, Level, Loop, Region, check_region, class_automaton, class_clause,
    contains, serial_automaton,
};
use serval_proof::{Body, Caps, Certificate, Checked, Claim, Part, Refusal, Systems, Work, check, fingerprint};
use serval_soundness::requests::systems::systems_of;
use serval_testkit::say;

use super::brute::{Answers, answers_of, has_walk, sum, walks, with};

/// The largest normal form that is tried, in steps.
const STEPS: usize = 40;
const PROVE_TICKS: u64 = 300_000;
const SOLVE_TICKS: u64 = 20_000;
const SEED: u64 = 4;

/// How often something was tried.
pub(super) type Counts = BTreeMap<&'static str, u64>;

pub(super) fn count(counts: &mut Counts, what: &'static str) {
    *counts.entry(what).or_default() += 1;
}

/// What was counted in all of them.
pub(super) fn together(parts: Vec<Counts>) -> Counts {
    let mut sum = Counts::new();
    for (what, count) in parts.into_iter().flatten() {
        *sum.entry(what).or_default() += count;
    }
    sum
}

/// Whether what a fact says is true of these answers.
fn holds(fact: &Fact, answers: &Answers) -> bool {
    let other = sum(answers, fact.outside()) > 0;
    other
        || match fact {
            Fact::Reach(absence) | Fact::Pairs(absence) => {
                let exactly = absence.exactly.iter().all(|set| sum(answers, &set.letters) == i64::from(set.times));
                !exactly || (!absence.never.is_empty() && sum(answers, &absence.never) == 0)
            }
            Fact::Count(counting) => counting.clause.iter().any(|bound| {
                let terms = bound.terms.iter().map(|&(letter, factor)| factor * answers.get(&letter).copied().unwrap_or(0));
                let value = bound.constant + terms.sum::<i64>();
                if bound.divisor == 0 { value >= 0 } else { value.rem_euclid(bound.divisor.cast_signed()) != 0 }
            }),
        }
}

/// What a fact is, for the count.
fn kind(fact: &Fact) -> &'static str {
    match fact {
        Fact::Reach(absence) | Fact::Pairs(absence) if !absence.exactly.is_empty() => {
            if absence.never.is_empty() {
                "no such run"
            } else {
                "followed"
            }
        }
        Fact::Reach(_) => "reach",
        Fact::Pairs(_) => "pairs",
        Fact::Count(counting) if counting.clause.iter().any(|bound| bound.divisor > 0) => "divisor",
        Fact::Count(_) => "count",
    }
}

/// A system with all that is known of it by trying everything.
pub(super) struct Tried<'a> {
    pub(super) system: &'a NetworkSystem,
    pub(super) form: NormalForm,
    pub(super) letters: Vec<Node>,
    pub(super) serial: Automaton,
    /// Answers of complete runs with few requests.
    pub(super) runs: BTreeSet<Answers>,
}

impl<'a> Tried<'a> {
    /// `None` if it has more steps, or no request answers.
    pub(super) fn within(system: &'a NetworkSystem, steps: usize) -> Option<Self> {
        let (form, _) = NormalForm::new(system)?;
        if form.steps().len() > steps {
            return None;
        }
        let letters: Vec<Node> = form.node_numbers().filter(|&node| form.is_done(node)).collect();
        let serial = serial_automaton(&form, serial_edges(&form, &mut Budget::ticks(PROVE_TICKS)).ok()?);
        let runs = (0..=4).map_while(|requests| answers_of(&form, requests)).flatten().collect();
        Some(Self { system, form, letters, serial, runs }).filter(|tried| !tried.letters.is_empty())
    }

    /// The name of the condition that refuses a proof.
    pub(super) fn refusing(&self, proof: &LettersProof) -> Option<&'static str> {
        let text = self.system.to_json();
        let body = Body::Part(Part::Letters(Box::new(proof.clone())));
        let certificate = Certificate { input: fingerprint(&text), component: 0, claim: Claim::Serializable, body };
        let input = Systems { text: &text, systems: vec![self.system] };
        match check(&input, &certificate, &Caps::default(), &Cancel::new()) {
            Ok(()) => None,
            Err(Refusal::Invalid(rejection)) => Some(rejection.condition.name()),
            Err(other) => panic!("{other}"),
        }
    }

    /// Whether the checker accepts these facts and levels: a proof with nothing
    /// else is refused only because letters are in no class, or for its tree.
    pub(super) fn accepts(&self, facts: &[Fact], levels: &[Level]) -> bool {
        let proof = LettersProof { facts: facts.to_vec(), levels: levels.to_vec(), ..LettersProof::default() };
        self.refusing(&proof)
            .is_some_and(|condition| condition == "letters.classes" || (!levels.is_empty() && condition.starts_with("tree.")))
    }

    /// A fact holds for all runs that were tried.
    fn try_fact(&self, fact: &Fact) {
        for answers in &self.runs {
            assert!(holds(fact, answers), "{fact:?} does not hold of {answers:?}\n{}", self.system.to_json());
        }
    }

    /// Walks of the last automaton, with letters that were removed beside them as
    /// their guards allow, are serial.
    fn try_levels(&self, facts: &[Fact], levels: &[Level], random: &mut SplitMix64) {
        let Some(last) = levels.last() else { return };
        let loops: Vec<&Loop> = levels.iter().flat_map(|level| &level.loops).collect();
        let guarded = |answers: &Answers| {
            loops.iter().all(|removal| {
                let guard = removal.guard.map(|guard| facts[guard as usize].outside());
                !answers.contains_key(&removal.letter) || guard.is_none_or(|outside| sum(answers, outside) > 0)
            })
        };
        for walk in walks(&last.automaton, 4) {
            for draw in 0..4 {
                let add = |answers: Answers, removal: &&Loop| {
                    with(&answers, removal.letter, if draw == 0 { 0 } else { random.below(3).cast_signed() })
                };
                let answers = loops.iter().fold(walk.clone(), add);
                let serial = !guarded(&answers) || has_walk(&self.serial, &answers);
                assert!(serial, "{answers:?} is not serial: {levels:?} {facts:?}\n{}", self.system.to_json());
            }
        }
    }

    /// A proof that was found: the whole, and each part of it.
    fn try_proof(&self, proof: &LettersProof, random: &mut SplitMix64, counts: &mut Counts) {
        assert_eq!(self.refusing(proof), None, "{}", self.system.to_json());
        count(counts, "proofs");
        for answers in &self.runs {
            assert!(has_walk(&self.serial, answers), "proved, but {answers:?} is not serial\n{}", self.system.to_json());
        }
        for fact in &proof.facts {
            count(counts, kind(fact));
            self.try_fact(fact);
        }
        self.try_levels(&proof.facts, &proof.levels, random);
        for removal in proof.levels.iter().flat_map(|level| &level.loops) {
            count(counts, if removal.guard.is_some() { "guards" } else { "free letters" });
        }
        let last = proof.levels.last().map_or(&self.serial, |level| &level.automaton);
        let automaton = class_automaton(last, &proof.classes);
        self.try_classes(proof, last, &automaton, random, counts);
        for region in &proof.regions {
            count(counts, "regions");
            self.try_region(&automaton, proof, region);
            for _ in 0..3 {
                let changed = changed(region, &automaton, random);
                let classes = u32::try_from(proof.classes.len()).unwrap();
                let accepted: Checked<bool> = check_region(&automaton, classes, &changed, &mut Work::new(&Caps::default(), &Cancel::new()));
                if changed != *region && accepted == Ok(true) {
                    count(counts, "changed regions");
                    self.try_region(&automaton, proof, &changed);
                }
            }
        }
    }

    /// Clauses over sums hold, and walks over classes are walks with any letters
    /// of the classes.
    fn try_classes(&self, proof: &LettersProof, last: &Automaton, automaton: &Automaton, random: &mut SplitMix64, counts: &mut Counts) {
        for clause in proof.facts.iter().filter_map(|fact| class_clause(&proof.classes, fact)) {
            for answers in &self.runs {
                let value = |class: u32| i128::from(proof.classes.get(class as usize).map_or(0, |class| sum(answers, class)));
                let holds = clause.iter().any(|literal| match literal {
                    Literal::AtLeastZero(linear) => linear.value(value).unwrap() >= 0,
                    Literal::NotDivisible(linear, divisor) => linear.value(value).unwrap() % i128::from(*divisor) != 0,
                });
                assert!(holds, "{clause:?} does not hold of {answers:?}\n{}", self.system.to_json());
            }
        }
        if proof.classes.iter().all(|class| class.len() < 2) {
            return;
        }
        count(counts, "twins");
        for walk in walks(automaton, 3) {
            let mut answers = Answers::new();
            for (&class, &times) in &walk {
                for _ in 0..times {
                    answers = with(&answers, random.pick(&proof.classes[class as usize]).unwrap(), 1);
                }
            }
            assert!(has_walk(last, &answers), "{answers:?} on no walk: {last:?} {:?}", proof.classes);
        }
    }

    /// Counts in a region are those of a walk.
    fn try_region(&self, automaton: &Automaton, proof: &LettersProof, region: &Region) {
        let classes = u32::try_from(proof.classes.len()).unwrap();
        let mut all: Vec<Vec<i64>> = vec![Vec::new()];
        for _ in 0..classes.min(4) {
            let more =
                |counts: &Vec<i64>| (0..=4 - counts.iter().sum::<i64>()).map(|count| [&counts[..], &[count]].concat()).collect::<Vec<_>>();
            all = all.iter().flat_map(more).collect();
        }
        for counts in all.iter().filter(|counts| contains(automaton, classes, region, counts) == Some(true)) {
            let walk: Answers = (0..).zip(counts).filter(|(_, count)| **count > 0).map(|(class, &count)| (class, count)).collect();
            assert!(has_walk(automaton, &walk), "{counts:?} in {region:?} on no walk of {automaton:?}\n{}", self.system.to_json());
        }
    }

    fn some(&self, percent: u64, random: &mut SplitMix64) -> Vec<Node> {
        self.letters.iter().copied().filter(|_| random.chance(percent)).collect()
    }

    /// A fact drawn at random; the checker says whether it holds.
    pub(super) fn draw_fact(&self, random: &mut SplitMix64) -> Option<Fact> {
        let outside = self.some(25, random);
        if random.chance(40) {
            return self.draw_counting(outside, random).map(|counting| Fact::Count(Box::new(counting)));
        }
        let mut exactly = Vec::new();
        let mut never = vec![random.pick(&self.letters).unwrap()];
        if random.chance(50) {
            for _ in 0..1 + random.below(2) {
                exactly.push(Exactly { letters: self.some(40, random), times: u32::try_from(random.below(3)).unwrap() });
            }
            if random.chance(30) {
                never.clear();
            }
        }
        let absence = Absence { outside, exactly, never };
        Some(if random.chance(50) { Fact::Reach(absence) } else { Fact::Pairs(absence) })
    }

    /// A clause for which the solver finds a tree.
    fn draw_counting(&self, outside: Vec<Node>, random: &mut SplitMix64) -> Option<Counting> {
        let mut clause = Vec::new();
        for _ in 0..1 + random.below(2) {
            let terms = self.some(40, random).into_iter().map(|letter| (letter, random.pick(&[1, 1, -1, -1, 2]).unwrap())).collect();
            let divisor = random.pick(&[0, 0, 2, 3]).unwrap();
            clause.push(Bound { divisor, constant: random.pick(&[0, 0, 0, 1, -1, 2]).unwrap(), terms });
        }
        let slice = slice(&self.form, &outside);
        let mut problem = counting_problem(&slice, &[], &clause)?;
        let mut budget = Budget::ticks(SOLVE_TICKS);
        let cuts = if random.chance(50) { vec![Cut::Pairs(Vec::new())] } else { Vec::new() };
        for cut in &cuts {
            problem.clauses.push(cut_clause(&slice, cut, &mut budget).ok()??);
        }
        match solve(problem, &mut budget) {
            Outcome::Refuted(tree) => Some(Counting { outside, clause, phases: Vec::new(), cuts, tree }),
            Outcome::Satisfiable(_) | Outcome::Stopped(_) => None,
        }
    }

    /// A level drawn at random: free letters, letters with guards, and an
    /// automaton that the one before can follow.
    fn draw_level(&self, before: &Automaton, removed: &[Node], facts: &[Fact], random: &mut SplitMix64) -> Level {
        let mut loops: Vec<Loop> = Vec::new();
        for &letter in self.letters.iter().filter(|letter| !removed.contains(letter)) {
            let says = |fact: &Fact| fact.absence().is_some_and(|absence| absence.never.contains(&letter));
            let guards: Vec<u32> = (0..).zip(facts).filter(|(_, fact)| says(fact)).map(|(number, _)| number).collect();
            let guard = if guards.is_empty() || random.chance(30) { None } else { Some(random.pick(&guards).unwrap()) };
            let likely = guard.is_some() || before.has_loop(before.start, letter);
            if random.chance(if likely { 60 } else { 3 }) {
                loops.push(Loop { letter, guard });
            }
        }
        let gone = |letter: Node| removed.contains(&letter) || loops.iter().any(|removal| removal.letter == letter);
        let before = before.without(gone);
        let states = 1 + u32::try_from(random.below(3)).unwrap();
        let mut edges = BTreeSet::new();
        for &letter in self.letters.iter().filter(|&&letter| !gone(letter)) {
            let all = (0..states).flat_map(|from| (0..states).map(move |to| (from, letter, to)));
            edges.extend(all.filter(|_| random.chance(50)));
        }
        loop {
            let automaton = Automaton { states, start: 0, edges: edges.iter().copied().collect() };
            let relation = followed(&automaton, &before);
            if relation.contains(&(0, before.start)) || edges.is_empty() {
                return Level { loops, automaton, relation };
            }
            // Fewer edges are easier to follow.
            let edge = automaton.edges[random.index(automaton.edges.len())];
            edges.remove(&edge);
        }
    }
}

/// All pairs of states such that the second can do what the first can.
fn followed(after: &Automaton, before: &Automaton) -> Vec<(u32, u32)> {
    let mut related: BTreeSet<(u32, u32)> = (0..after.states).flat_map(|p| (0..before.states).map(move |q| (p, q))).collect();
    loop {
        let follows = |&(p, q): &(u32, u32)| {
            let can = |to: u32, label: u32| {
                before.edges.iter().any(|&(from, of, then)| (from, of) == (q, label) && related.contains(&(to, then)))
            };
            after.edges.iter().filter(|(from, ..)| *from == p).all(|&(_, label, to)| can(to, label))
        };
        let left: BTreeSet<(u32, u32)> = related.iter().copied().filter(follows).collect();
        if left.len() == related.len() {
            return left.into_iter().collect();
        }
        related = left;
    }
}

/// A region with something changed.
fn changed(region: &Region, automaton: &Automaton, random: &mut SplitMix64) -> Region {
    let mut region = region.clone();
    let flow = random.index(region.flows.len().max(1));
    let arc = random.index(region.tree.len().max(1));
    match (random.below(6), region.flows.get_mut(flow)) {
        (0, _) => region.last = u32::try_from(random.index(automaton.states as usize)).unwrap(),
        (1, Some(flow)) => flow.constant += random.pick(&[-1, 1, 2]).unwrap(),
        (2, Some(flow)) => flow.divisor += 1,
        (3, Some(flow)) => flow.terms.iter_mut().for_each(|term| term.1 += random.pick(&[1, -2, 3]).unwrap()),
        (4, Some(_)) => drop(region.flows.remove(flow)),
        (_, _) if !region.tree.is_empty() => drop(region.tree.remove(arc)),
        (_, _) => {}
    }
    region
}

fn try_system(system: &NetworkSystem, random: &mut SplitMix64, counts: &mut Counts) {
    let Some(tried) = Tried::within(system, STEPS) else { return };
    count(counts, "systems");
    let refuted = tried.runs.iter().any(|answers| !has_walk(&tried.serial, answers));
    if refuted {
        count(counts, "not serializable");
    }
    if let Ok(LettersOutcome::Proof(proof)) = prove(&tried.form, &mut Budget::ticks(PROVE_TICKS)) {
        tried.try_proof(&proof, random, counts);
    }
    let mut facts = Vec::new();
    for _ in 0..8 {
        let Some(fact) = tried.draw_fact(random) else { continue };
        if tried.accepts(std::slice::from_ref(&fact), &[]) {
            count(counts, kind(&fact));
            tried.try_fact(&fact);
            facts.push(fact);
        } else {
            count(counts, "facts refused");
        }
    }
    for _ in 0..3 {
        let (mut levels, mut removed) = (Vec::new(), Vec::new());
        for _ in 0..3 {
            let before = levels.last().map_or(&tried.serial, |level: &Level| &level.automaton);
            let level = tried.draw_level(before, &removed, &facts, random);
            let letters: Vec<Node> = level.loops.iter().map(|removal| removal.letter).collect();
            let guards = level.loops.iter().filter(|removal| removal.guard.is_some()).count();
            levels.push(level);
            if !tried.accepts(&facts, &levels) {
                count(counts, "levels refused");
                levels.pop();
                continue;
            }
            count(counts, "drawn levels");
            *counts.entry("drawn guards").or_default() += guards as u64;
            removed.extend(letters);
        }
        tried.try_levels(&facts, &levels, random);
    }
}

#[test]
fn rules_over_letters_hold_for_random_systems() {
    let sweep = serval_effort::sweep("soundness.letters", 125, 500);
    let counts = together(sweep.map(0, |number| {
        let (random, mut counts) = (&mut SplitMix64::new(SEED.wrapping_mul(0x1_0000_0000).wrapping_add(number)), Counts::new());
        for system in systems_of(SEED, number) {
            try_system(&system, random, &mut counts);
        }
        counts
    }));
    let said: Vec<String> = counts.iter().map(|(what, count)| format!("{what} {count}")).collect();
    say(&format!("letters: {} random systems as brute force says: {}", sweep.count(), said.join(", ")));
    for what in [
        "systems",
        "not serializable",
        "proofs",
        "reach",
        "pairs",
        "followed",
        "no such run",
        "count",
        "divisor",
        "guards",
        "free letters",
        "twins",
        "regions",
        "changed regions",
        "drawn levels",
        "facts refused",
        "levels refused",
    ] {
        assert!(!sweep.is_representative() || counts.contains_key(what), "{what}: never tried");
    }
}
