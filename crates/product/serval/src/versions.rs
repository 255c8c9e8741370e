//! Versions in the words of those who wrote them.
//!
//! A version stands for slots ([`serval_syntax::Version`]), which are generated. A
//! run reads and writes slots; what is reported is that a request takes the version,
//! compares what it took, or makes a fresh one. As conflicts these are a read, a
//! read and a write of one variable, the version, which is what they would be if
//! it were a number.

use serval_compile::Access;
use serval_syntax::{GlobalVar, Program, Version};

/// A read or write as people see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShownAccess {
    /// The first slot, for a version.
    pub(crate) access: Access,
    /// What the value of a version is called.
    pub(crate) word: Option<&'static str>,
}

/// What the values of slots are called.
pub(crate) const SLOT_WORDS: [&str; 3] = ["free", "current", "stale"];
/// What a version is set to, which is no value of a slot.
const FRESH: (i64, &str) = (3, "fresh");

/// The version that a global is a slot of.
pub(crate) fn version_of(program: &Program, global: GlobalVar) -> Option<&Version> {
    program.versions.iter().find(|version| version.has_slot(global))
}

/// The accesses of a step, those to slots as what they stand for.
pub(crate) fn told(program: &Program, accesses: &[Access]) -> Vec<ShownAccess> {
    if program.versions.is_empty() {
        return accesses.iter().map(|&access| ShownAccess { access, word: None }).collect();
    }
    let mut told = Vec::new();
    let mut rest = accesses;
    while let Some(first) = rest.first() {
        let Some(version) = version_of(program, first.variable) else {
            told.push(ShownAccess { access: *first, word: None });
            rest = &rest[1..];
            continue;
        };
        // What one form does stands at one place.
        let same = |access: &&Access| access.span == first.span && version.has_slot(access.variable);
        let (form, others) = rest.split_at(rest.iter().take_while(same).count());
        rest = others;
        told.extend(one_form(version, form));
    }
    told
}

/// What one form does; nothing for what gives a slot back.
fn one_form(version: &Version, form: &[Access]) -> Option<ShownAccess> {
    let (read, write) = (form.iter().rfind(|access| !access.write), form.iter().find(|access| access.write));
    let takes = form.iter().any(|access| access.write && SLOT_WORDS.get(index(access.value)) == Some(&"current"));
    let (access, value, word) = match (read, write) {
        (Some(read), _) if takes => (read, 1, SLOT_WORDS[1]),
        (Some(_), Some(write)) => (write, FRESH.0, FRESH.1),
        (Some(read), None) => (read, read.value, *SLOT_WORDS.get(index(read.value))?),
        (None, _) => return None,
    };
    Some(ShownAccess { access: Access { variable: version.first, value, ..*access }, word: Some(word) })
}

fn index(value: i64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

/// Who holds versions, in words: `V: 1 current, 2 stale`.
pub(crate) fn holders(version: &Version, globals: &[i64]) -> String {
    let first = version.first.index();
    let slots = globals.get(first..first + version.slots as usize).unwrap_or_default();
    let count = |value: i64| slots.iter().filter(|&&slot| slot == value).count();
    match (count(1), count(2)) {
        (0, 0) => format!("{}: held by no request", version.name),
        (current, 0) => format!("{}: {current} current", version.name),
        (0, stale) => format!("{}: {stale} stale", version.name),
        (current, stale) => format!("{}: {current} current, {stale} stale", version.name),
    }
}

/// A sentence that speaks of accesses, with the version in the place of its slots.
#[cfg(feature = "report")]
pub(crate) fn in_words(program: &Program, words: String) -> String {
    let slots = |version: &Version| (1..=version.slots).map(|slot| format!("{}[{slot}]", version.name)).collect::<Vec<_>>();
    let replace = |words: String, version: &Version| slots(version).iter().fold(words, |words, slot| words.replace(slot, &version.name));
    program.versions.iter().fold(words, replace)
}

/// What a verdict that there is no counterexample takes for granted.
#[cfg(feature = "report")]
pub(crate) fn assumptions(program: &Program) -> Vec<String> {
    let assumption = |Version { name, slots, .. }: &Version| {
        let (plural, are) = if *slots == 1 { ("", "is") } else { ("s", "are") };
        format!("at most {slots} version{plural} of {name} {are} held at once")
    };
    program.versions.iter().map(assumption).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serval_syntax::{Span, analyze};

    #[test]
    fn accesses_are_told_by_form() {
        let program = analyze("version V: 2\nrequest a { t := V; yield; if (t == V) { fresh(V) }; 0 }").program.unwrap();
        let at = |write, slot, value, place| Access { variable: GlobalVar(slot), write, value, span: Span::new(place, place + 1) };
        let accesses = [
            // Taken again: the slot is given back, found free and taken.
            at(true, 1, 0, 5),
            at(false, 0, 2, 5),
            at(false, 1, 0, 5),
            at(true, 1, 1, 5),
            // Compared.
            at(false, 1, 1, 6),
            // A fresh one, though no request holds the one before.
            at(false, 0, 0, 7),
            at(true, 0, 0, 7),
            at(false, 1, 1, 7),
            at(true, 1, 2, 7),
            at(false, 1, 2, 8),
            // Given back.
            at(true, 1, 0, 9),
        ];
        let told = told(&program, &accesses);
        let words: Vec<(bool, &str)> = told.iter().map(|told| (told.access.write, told.word.unwrap())).collect();
        assert_eq!(words, [(false, "current"), (false, "current"), (true, "fresh"), (false, "stale")]);
        assert!(told.iter().all(|told| told.access.variable == GlobalVar(0)));
        assert_eq!(holders(&program.versions[0], &[1, 2]), "V: 1 current, 1 stale");
        assert_eq!(in_words(&program, "a on line 1 (writes V[2])".to_owned()), "a on line 1 (writes V)");
        assert_eq!(assumptions(&program), ["at most 2 versions of V are held at once"]);
    }
}
