//! What values are called: members of an `enum`, and constants that have a name.
//!
//! The core of the language has numbers alone. Whether a number stands for a member or a constant is read off the
//! text: a variable that is declared with an `enum` has its members, a constant has the name that is written at its
//! place, and any variable, local or answer has the names of the expressions that it can come from. A value that a
//! number or a computation can give as well is shown as a number. Nothing depends on it but what people see.

mod declared;
mod kind;
mod reading;

use std::collections::BTreeMap;

use serval_report::Counterexample;
use serval_syntax::{GlobalVar, Program};

use crate::versions::{SLOT_WORDS, version_of};
use declared::{Declared, Members};
use reading::base;

/// The names of some values.
type ValueWords = BTreeMap<i64, String>;

/// What the values of a program are called.
#[derive(Clone, Debug, Default)]
pub struct ValueNames {
    globals: Vec<ValueWords>,
    /// The globals that are declared with an `enum`, and its members from that of 0.
    enums: BTreeMap<String, Vec<String>>,
    /// For each request: its locals, by name.
    locals: Vec<BTreeMap<String, ValueWords>>,
    answers: Vec<ValueWords>,
    /// Elements of arrays, as they are written.
    variables: BTreeMap<String, String>,
}

impl ValueNames {
    /// The names of a program with this text.
    pub fn new(program: &Program, text: &str) -> Self {
        let declared = Declared::new(text);
        if declared.is_empty() && program.versions.is_empty() {
            return Self::default();
        }
        let found = reading::read(program, &declared, text);
        let mut names = Self { globals: found.globals.iter().map(kind::Kind::names).collect(), ..Self::default() };
        for (number, (global, known)) in (0..).zip(program.globals.iter().zip(&mut names.globals)) {
            if version_of(program, GlobalVar(number)).is_some() {
                *known = (0..).zip(SLOT_WORDS.map(str::to_owned)).collect();
            } else if let Some(members) = declared.values.get(base(&global.name)) {
                names.enums.insert(global.name.clone(), members.to_vec());
            }
            if let Some(members) = declared.indices.get(base(&global.name)) {
                names.variables.extend(spelled(&global.name, members));
            }
        }
        for (request, kinds) in program.requests.iter().zip(&found.locals) {
            let locals = request.locals.iter().zip(kinds);
            let words = locals.map(|(local, kind)| (local.name.clone(), if local.token { token_words(program) } else { kind.names() }));
            names.locals.push(words.filter(|(_, names)| !names.is_empty()).collect());
        }
        names.answers = found.answers.iter().map(kind::Kind::names).collect();
        names
    }

    /// Whether no value has a name.
    pub(crate) fn is_empty(&self) -> bool {
        self.globals.is_empty() && self.answers.is_empty()
    }

    /// The name of a value of a global.
    pub fn global(&self, variable: GlobalVar, value: i64) -> Option<String> {
        self.globals.get(variable.index())?.get(&value).cloned()
    }

    /// The name of a value of a local of a request.
    pub fn local(&self, request: usize, variable: &str, value: i64) -> Option<String> {
        self.locals.get(request)?.get(variable)?.get(&value).cloned()
    }

    /// The name of an answer of a request.
    pub fn answer(&self, request: usize, value: i64) -> Option<String> {
        self.answers.get(request)?.get(&value).cloned()
    }

    /// The globals that are declared with an `enum`, and its members, from that of 0. Slots of versions are not among
    /// them: reports do not show these.
    pub fn globals(&self) -> &BTreeMap<String, Vec<String>> {
        &self.enums
    }

    /// How elements of arrays are written whose indices have names.
    pub fn variables(&self) -> &BTreeMap<String, String> {
        &self.variables
    }

    /// Tells a run what its values are called.
    pub(crate) fn tell(&self, program: &Program, shown: &mut Counterexample) {
        shown.enums = self.enums.clone();
        shown.spelled = self.variables.clone();
        let constants = program.globals.iter().zip(&self.globals).filter(|(global, names)| {
            // What is declared with an `enum` is told by that.
            !names.is_empty() && !self.enums.contains_key(&global.name)
        });
        shown.constants = constants.map(|(global, names)| (global.name.clone(), names.clone())).collect();
    }

    /// A sentence with names for values: `State = 1` becomes `State = Busy`.
    pub fn in_words(&self, program: &Program, words: &str) -> String {
        let mut words = words.to_owned();
        for (variable, names) in program.globals.iter().zip(&self.globals) {
            for (value, name) in names {
                for sign in ["=", "!=", "is", "≠"] {
                    words = replaced(&words, &format!("{} {sign} {value}", variable.name), &format!("{} {sign} {name}", variable.name));
                }
            }
        }
        words
    }
}

/// Replaces a part that stands for itself, not within a longer word or number.
fn replaced(text: &str, part: &str, with: &str) -> String {
    let belongs = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(part) {
        let (before, after) = (&rest[..at], &rest[at + part.len()..]);
        let alone = !before.ends_with(belongs) && !after.starts_with(belongs);
        out.push_str(before);
        out.push_str(if alone { with } else { part });
        rest = after;
    }
    out + rest
}

/// What a local that takes versions is: 0, or the number of a slot.
fn token_words(program: &Program) -> ValueWords {
    let most = program.versions.iter().map(|version| version.slots).max().unwrap_or(0);
    let word = |slot| if slot == 0 { "no version" } else { "a version" };
    (0..=most).map(|slot| (i64::from(slot), word(slot).to_owned())).collect()
}

/// `A[0]` as `A[Idle]`, with how it is called elsewhere.
fn spelled(name: &str, indices: &[Option<Members>]) -> Option<(String, String)> {
    let (array, rest) = name.strip_suffix(']')?.split_once('[')?;
    let mut written = array.to_owned();
    for (index, members) in rest.split("][").zip(indices) {
        let index = match members {
            Some(members) => members.get(index.parse::<usize>().ok()?)?.as_str(),
            None => index,
        };
        written = format!("{written}[{index}]");
    }
    Some((name.to_owned(), written))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_locals_answers_indices_and_parameters_have_names() {
        let text = "enum State { Idle, Busy }\nenum Reply { Ok, Conflict }\nvar Now: State\nvar Count[State]: 0..3\n\
                    request take(how: State) {\n  seen := Now;\n  number := Count[how];\n  Now := how;\n  if (seen == Busy) { return Conflict };\n  Ok\n}\n\
                    request mixed { x := Busy; x := 2; x }\n";
        let program = serval_syntax::analyze(text).program.unwrap();
        let names = ValueNames::new(&program, text);
        assert_eq!(names.globals()["Now"], ["Idle", "Busy"]);
        assert_eq!(names.local(0, "seen", 1).as_deref(), Some("Busy"));
        assert_eq!(names.local(0, "number", 1), None);
        assert_eq!(names.answer(0, 1).as_deref(), Some("Conflict"));
        let mixed = program.requests.iter().position(|request| request.name == "mixed").unwrap();
        // One is written by its name and two as a number.
        assert_eq!((names.answer(mixed, 1).as_deref(), names.local(mixed, "x", 2)), (Some("Busy"), None));
        assert_eq!(names.variables()["Count[1]"], "Count[Busy]");
        // The values of parameters are in the names of requests, as they are written.
        assert!(program.requests.iter().any(|request| request.name == "take(Busy)"));
        assert_eq!(names.in_words(&program, "Now = 1 iff Now = 10, and xNow = 1"), "Now = Busy iff Now = 10, and xNow = 1");
    }

    fn names(text: &str) -> (Program, ValueNames) {
        let program = serval_syntax::analyze(text).program.unwrap();
        let names = ValueNames::new(&program, text);
        (program, names)
    }

    /// The names of the answers 0 to 4 of the first request.
    fn answers(text: &str) -> Vec<String> {
        let (_, names) = names(text);
        (0..5).map(|value| names.answer(0, value).unwrap_or_else(|| value.to_string())).collect()
    }

    #[test]
    fn answers_out_of_a_loop_have_names() {
        let replies = "enum Reply { Ok, Conflict }\nvar L: 0..1\n";
        let left = "if (L == 0) { L := 1; return Conflict }; L := 0; yield";
        for rest in [
            format!("while (true) {{ {left} }}"),
            format!("n := 0; while (n < 3) {{ {left}; n := n + 1 }}; return Ok"),
            format!("n := 0; while (n < 3) {{ {left}; n := n + 1 }}; Ok"),
            format!("while (true) {{ while (true) {{ {left} }}; yield }}"),
            format!("if (L == 0) {{ while (true) {{ {left} }} }} else {{ Ok }}"),
        ] {
            assert_eq!(answers(&format!("{replies}request a {{ {rest} }}"))[1], "Conflict", "{rest}");
        }
        // A loop that comes to its end answers 0, which is no member then, as the text has none there.
        let falls = answers(&format!("{replies}request a {{ n := 0; while (n < 3) {{ {left}; n := n + 1 }} }}"));
        assert_eq!(falls[..2], ["0", "Conflict"]);
    }

    #[test]
    fn constants_have_their_names_where_nothing_else_gives_the_value() {
        let gone = "const GONE = 4\nconst OPEN = 0\nvar N: 0..3\n";
        assert_eq!(answers(&format!("{gone}request a {{ if (N == 2) {{ return GONE }}; return OPEN }}"))[4], "GONE");
        assert_eq!(
            answers(&format!("{gone}request a {{ if (N == 2) {{ return GONE }}; n := N; return n }}")),
            ["0", "1", "2", "3", "GONE"]
        );
        // Adding one may give 4 as well.
        assert_eq!(
            answers(&format!(
                "{gone}request a {{ if (N == 2) {{ return GONE }}; n := N; return n + 1 }}\nrequest turn {{ N := (N + 1) % 4 }}"
            ))[4],
            "4"
        );
        assert_eq!(answers(&format!("{gone}request a {{ if (N == 2) {{ return GONE }}; return 4 }}"))[4], "4");
        assert_eq!(answers(&format!("{gone}const LOST = 4\nrequest a {{ if (N == 2) {{ return GONE }}; return LOST }}"))[4], "4");
    }

    #[test]
    fn variables_have_the_names_of_constants_that_they_are_compared_with() {
        let (program, names) = names(
            "const FREE = 0\nconst TAKEN = 1\nconst MOST = 3\nvar Seat: 0..1\nvar Count: 0..3\n\
             request a { s := Seat; if (s == FREE) { Seat := TAKEN; 1 } else { 0 } }\n\
             request b { if (Count == MOST) { Count := 0 } else { Count := Count + 1 } }\n",
        );
        let global = |name: &str, value| {
            let index = program.globals.iter().position(|global| global.name == name).unwrap();
            names.global(GlobalVar(u32::try_from(index).unwrap()), value)
        };
        assert_eq!((global("Seat", 0).as_deref(), global("Seat", 1).as_deref()), (Some("FREE"), Some("TAKEN")));
        assert_eq!(names.local(0, "s", 1).as_deref(), Some("TAKEN"));
        // A counter that happens to be at its limit is shown as the number that it has counted.
        assert_eq!(global("Count", 3), None);
    }
}
