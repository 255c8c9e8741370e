//! What a proof over numbers of answers says, in words; and one by cases ([`cases`]).
//!
//! Each fact becomes a sentence; those that name the same other answers are
//! said together. What a proof needs no fact for is said first: answers that
//! can be added to every serial run, any number of them.
//!
//! *Why that is so.* Every serial run is a complete run. So if the checker
//! accepts the proof, what a serial run answers with the letters that are not
//! removed is in `Ψ` of the last automaton, and the guards of the others hold.
//! A letter with a loop at the start of the last automaton can be added there
//! as often as one likes, and one that was removed without a guard at the level
//! that removed it; neither makes a guard wrong, as a guard speaks of letters
//! that are removed only if the letters that it names are there. The same holds for the
//! letters of a group, and for those that every walk visits: a walk with these
//! answers visits a loop of theirs, and what was added before stays.

mod cases;
mod parts;

use std::collections::{BTreeMap, BTreeSet};

use serval_budget::Cancel;
use serval_diagnostic::counted;
use serval_model::{NetworkSystem, Node, NormalForm, RequestId};
use serval_proof::Part;
use serval_proof::letters::{Absence, Bound, Exactly, Fact, LettersProof};
use serval_report::ProofNote;

/// How many things are listed before the rest is only counted.
const LISTED: usize = 3;

/// What the proofs of the components say, as far as there are words for them.
/// The checker must have accepted them.
pub(crate) fn told(systems: &[&NetworkSystem], parts: &[Part], cancel: &Cancel) -> Vec<ProofNote> {
    let note = |(component, (system, part)): (usize, (&&NetworkSystem, &Part))| match part {
        Part::Letters(proof) => {
            Some(ProofNote { kind: "letters", component, facts: facts(&system.shown(), proof)?, unbounded: false, marks: BTreeMap::new() })
        }
        Part::Cases(proof) => {
            let facts = cases::facts(&system.shown(), proof, cancel)?;
            Some(ProofNote { kind: "cases", component, facts, unbounded: false, marks: BTreeMap::new() })
        }
        Part::Shared(proof) => {
            let facts = parts::facts(&system.shown(), proof);
            Some(ProofNote { kind: "components", component, facts, unbounded: false, marks: BTreeMap::new() })
        }
        Part::Atomic(_) | Part::Flow(_) | Part::Invariant(_) | Part::Same(_) | Part::Strict(_) => None,
    };
    systems.iter().zip(parts).enumerate().filter_map(note).collect()
}

/// A sentence for each thing that a proof says.
fn facts(system: &NetworkSystem, proof: &LettersProof) -> Option<Vec<String>> {
    // Reductions leave the numbers of done nodes as they are.
    let (form, _) = NormalForm::new(system)?;
    let words = SystemWords { system, form: &form };
    let mut sentences = Vec::new();
    let free = free_letters(proof);
    if !free.is_empty() {
        sentences.push(format!("however often {}, that fits into every serial run", words.answers(&free)));
    }
    let mut together: BTreeMap<AnswerCondition<'_>, BTreeSet<Node>> = BTreeMap::new();
    for fact in &proof.facts {
        if let Fact::Reach(absence) | Fact::Pairs(absence) = fact {
            together.entry(condition(absence)).or_default().extend(&absence.never);
        }
    }
    for fact in &proof.facts {
        match fact {
            Fact::Count(counting) => sentences.push(words.counting(&counting.clause, &counting.outside)),
            Fact::Reach(absence) | Fact::Pairs(absence) => {
                // Said where the first of them stands.
                let never = together.remove(&condition(absence));
                sentences.extend(never.map(|never| words.absence(&absence.outside, &absence.exactly, &never)));
            }
        }
    }
    Some(sentences)
}

/// When letters are not answered: without which others, and in which runs.
/// Nothing is said together with a fact that there are no such runs.
type AnswerCondition<'a> = (bool, &'a [Node], Vec<(&'a [Node], u32)>);

fn condition(absence: &Absence) -> AnswerCondition<'_> {
    let exactly = absence.exactly.iter().map(|exactly| (exactly.letters.as_slice(), exactly.times));
    (absence.never.is_empty(), &absence.outside, exactly.collect())
}

/// The letters that can be added to every serial run.
fn free_letters(proof: &LettersProof) -> BTreeSet<Node> {
    let groups = proof.groups.iter().flat_map(|groups| &groups.each).map(|group| (&group.levels, &group.classes));
    let mut free = BTreeSet::new();
    for (levels, classes) in groups.chain([(&proof.levels, &proof.classes)]) {
        let loops = levels.iter().flat_map(|level| &level.loops);
        free.extend(loops.filter(|removal| removal.guard.is_none()).map(|removal| removal.letter));
        if let Some(level) = levels.last() {
            let last = &level.automaton;
            free.extend(classes.iter().flatten().filter(|&&letter| last.has_loop(last.start, letter)));
        }
    }
    let visits = proof.groups.iter().flat_map(|groups| &groups.visits);
    free.extend(visits.filter(|visit| visit.guards.is_empty()).map(|visit| visit.letter));
    free
}

/// The names of a system, and phrases with them.
struct SystemWords<'a> {
    system: &'a NetworkSystem,
    form: &'a NormalForm,
}

impl SystemWords<'_> {
    /// "get answers 1 or 2, or put answers".
    fn answers(&self, letters: &BTreeSet<Node>) -> String {
        self.phrases(letters, ["", "answers", ", or ", "there is one"])
    }

    /// "some get answers 1 or 2, or some put answers".
    fn some_answers(&self, letters: &BTreeSet<Node>) -> String {
        self.phrases(letters, ["some ", "answers", ", or ", "there is one"])
    }

    /// "get never answers 1 or 2, and put never answers".
    fn never_answers(&self, letters: &BTreeSet<Node>) -> String {
        self.phrases(letters, ["", "never answers", ", and ", "there is none"])
    }

    /// A phrase for each request, of which all answers together are not listed.
    fn phrases(&self, letters: &BTreeSet<Node>, [some, answers, join, others]: [&str; 4]) -> String {
        let mut of: BTreeMap<RequestId, Vec<&str>> = BTreeMap::new();
        for (request, response) in letters.iter().filter_map(|&letter| self.form.letter(letter)) {
            of.entry(request).or_default().push(self.system.response_name(response));
        }
        let mut all: BTreeMap<RequestId, usize> = BTreeMap::new();
        for (request, _) in self.form.node_numbers().filter_map(|node| self.form.letter(node)) {
            *all.entry(request).or_default() += 1;
        }
        let rest = of.values().skip(LISTED).map(Vec::len).sum::<usize>();
        let mut phrases: Vec<String> = Vec::new();
        for (&request, responses) in of.iter().take(LISTED) {
            let name = self.system.request_name(request);
            let which = if all.get(&request) == Some(&responses.len()) { String::new() } else { format!(" {}", listed(responses)) };
            phrases.push(format!("{some}{name} {answers}{which}"));
        }
        if rest > 0 {
            phrases.push(format!("{others} of {}", counted(rest, "other answer")));
        }
        phrases.join(join)
    }

    /// That some letters are not answered without others.
    fn absence(&self, outside: &[Node], exactly: &[Exactly], never: &BTreeSet<Node>) -> String {
        let exact = |Exactly { letters, times }: &Exactly| {
            let letters: BTreeSet<Node> = letters.iter().copied().collect();
            let all = if letters.len() > 1 { " in all" } else { "" };
            format!("{} exactly {}{all}", self.answers(&letters), often(i128::from(*times)))
        };
        let exact = exactly.iter().map(exact).collect::<Vec<_>>().join(", and ");
        let others = self.some_of(outside);
        if never.is_empty() {
            return others.map_or_else(|| format!("it is never so that {exact}"), |others| only_if(&exact, &others));
        }
        let said = others.map_or_else(|| self.never_answers(never), |others| only_if(&self.answers(never), &others));
        if exact.is_empty() { said } else { format!("where {exact}: {said}") }
    }

    /// That some letter of the outside is answered, if there are any.
    fn some_of(&self, outside: &[Node]) -> Option<String> {
        let outside: BTreeSet<Node> = outside.iter().copied().collect();
        (!outside.is_empty()).then(|| self.some_answers(&outside))
    }

    /// A clause, or that some letter of the outside is answered.
    fn counting(&self, clause: &[Bound], outside: &[Node]) -> String {
        // That something is not answered, or else: it is answered only if.
        let absent = clause.iter().find_map(|bound| Some((bound, absent_letters(bound)?)));
        let others = clause.iter().filter(|bound| absent.as_ref().is_none_or(|(absent, _)| absent != bound));
        let others = others.map(|bound| self.compared(bound).unwrap_or_else(|| self.literal(bound)));
        let said = others.chain(self.some_of(outside)).collect::<Vec<_>>().join(", or ");
        match absent {
            Some((_, letters)) if said.is_empty() => self.never_answers(&letters),
            Some((_, letters)) => only_if(&self.answers(&letters), &said),
            None => said,
        }
    }

    /// An inequality without factors, as a sentence.
    fn compared(&self, bound: &Bound) -> Option<String> {
        let (more, less) = sides(bound)?;
        let constant = i128::from(bound.constant);
        let (many, few) = (self.answers(&more), self.answers(&less));
        match (less.is_empty(), more.is_empty(), constant) {
            (false, true, 0) => Some(self.never_answers(&less)),
            (false, true, 1..) => Some(format!("{few} at most {}", often(constant))),
            (true, false, ..=-1) => Some(format!("{many} at least {}", often(-constant))),
            (false, false, 0) => Some(format!("{few} at most as often as {many}")),
            (false, false, 1..) => Some(format!("{few} at most as often as {many}, plus {constant}")),
            (false, false, _) => Some(format!("{many} at least as often as {few}, plus {}", -constant)),
            _ => None,
        }
    }

    /// A literal as it is written.
    fn literal(&self, bound: &Bound) -> String {
        let sum = |sign: i64| {
            let mut terms: Vec<String> = Vec::new();
            for &(letter, factor) in bound.terms.iter().filter(|(_, factor)| factor.signum() == sign) {
                let name = self.form.letter(letter).map_or_else(String::new, |(request, response)| {
                    format!("{}/{}", self.system.request_name(request), self.system.response_name(response))
                });
                terms.push(if factor.abs() == 1 { name } else { format!("{} × {name}", factor.unsigned_abs()) });
            }
            if bound.constant.signum() == sign {
                terms.push(bound.constant.unsigned_abs().to_string());
            }
            if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") }
        };
        match bound.divisor {
            0 => format!("{} is at most {}", sum(-1), sum(1)),
            divisor => format!("{} and {} differ by no multiple of {divisor}", sum(1), sum(-1)),
        }
    }
}

/// The letters that are counted on both sides of an inequality without factors:
/// there are at least as many of the first as of the second, but for the constant.
fn sides(bound: &Bound) -> Option<(BTreeSet<Node>, BTreeSet<Node>)> {
    let side = |sign: i64| bound.terms.iter().filter(|&&(_, factor)| factor == sign).map(|&(letter, _)| letter).collect();
    let plain = bound.divisor == 0 && bound.terms.iter().all(|&(_, factor)| factor.abs() == 1);
    plain.then(|| (side(1), side(-1)))
}

/// The letters of which a literal says that they are not answered.
fn absent_letters(bound: &Bound) -> Option<BTreeSet<Node>> {
    let (more, less) = sides(bound)?;
    (more.is_empty() && !less.is_empty() && bound.constant == 0).then_some(less)
}

/// A phrase that may have several parts, and what it needs.
fn only_if(phrase: &str, needed: &str) -> String {
    let comma = if phrase.contains(", ") { "," } else { "" };
    format!("{phrase}{comma} only if {needed}")
}

/// "1, 2 or 3", or "1, 2, 3 or one of 4 others".
fn listed(names: &[&str]) -> String {
    let shown = names.iter().take(LISTED).copied().collect::<Vec<_>>();
    match (names.len().saturating_sub(LISTED), shown.split_last()) {
        (0, Some((last, []))) => (*last).to_owned(),
        (0, Some((last, before))) => format!("{} or {last}", before.join(", ")),
        (1, _) => format!("{} or one other", shown.join(", ")),
        (more, _) => format!("{} or one of {}", shown.join(", "), counted(more, "other")),
    }
}

/// "a, b and c".
fn named(names: &[&str]) -> String {
    match names.split_last() {
        None => String::new(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, before)) => format!("{} and {last}", before.join(", ")),
    }
}

/// A number of times.
fn often(times: i128) -> String {
    match times {
        0 => "0 times".to_owned(),
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        _ => format!("{times} times"),
    }
}

#[cfg(test)]
mod tests;
