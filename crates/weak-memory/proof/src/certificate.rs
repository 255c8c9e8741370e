//! Certificates: evidence for the answers about a program.
//!
//! A certificate has
//!
//! - the [`fingerprint`] of the program (`tso.input`);
//! - the questions in the program's own words, which must be those of the program but for blanks, where both are in one
//!   language (`tso.question`); a litmus test and the program exported from it have the same fingerprint and other
//!   words;
//! - answers to the questions, by number (`tso.question`), under sequential consistency (`sc`) or with store buffers
//!   (`tso`), evidence about robustness, and changes;
//! - perhaps a number of copies of each `thread*` (`instance`, `tso.copies`): then it is about the program with so many
//!   copies, which has a fixed number of threads.
//!
//! Most rules are about a fixed number of threads (`tso.fixed`). About a `thread*` a certificate can show that the
//! program is robust for any number of copies ([`crate::any`]); that it is not robust with some number (`tso.copies`),
//! by a violation of the program with so many copies; that a state is reachable with some number of copies, or
//! unreachable with any; and changes, which rest on all these.
//!
//! What an answer rests on:
//!
//! - *reachable*: a run ([`crate::run`]); a run under sequential consistency, with each store landing at once, is one
//!   with store buffers too;
//! - *reachable with so many copies*, `"copies"`: the same, of the program with these copies; a question about a
//!   `thread*` is about some copy, here the first;
//! - *unreachable*, `"states"`: the list of the model in this certificate (`tso.given`), none of whose states is sought
//!   ([`crate::states`]);
//! - *unreachable under `sc`*, `"finals"`: the list for final states (`tso.given`), in the same way
//!   ([`crate::finals`]);
//! - *unreachable under `tso`*, `"merged"`: the list of merged states (`tso.given`), in the same way
//!   ([`crate::merged`]);
//! - *unreachable under `tso`*, `"basis"`: the basis (`tso.given`), which covers all that is sought ([`crate::basis`]);
//!   the question does not speak of memory unless it is about final states (`tso.local`);
//! - *unreachable under `sc`*, `"any"`: the list of configurations (`tso.given`), in the same way
//!   ([`crate::anystates`]);
//! - *unreachable under `tso`*, `"robust"`: evidence that the program is robust, for any number of copies if it has a
//!   `thread*`, and that the same is unreachable under `sc` (`tso.given`); the question does not speak of memory unless
//!   it is about final states (`tso.local`).
//!
//! **Theorem** (for the last of these; the others are the theorems of the modules). In a robust program, what can be
//! reached with store buffers can be reached under sequential consistency: a final state, or a state with the same
//! points and registers.
//!
//! **Proof.** Let all stores that wait at the end of the run land. The trace is acyclic; order its events by a linear
//! extension of happens-before, and let each thread make its steps without access where they stand between its events.
//! By induction every load reads the same: the last write before it in the extension is the one it read from, for
//! coherence and conflict put all others before that one or behind the load. So every thread makes the same steps and
//! ends at the same point with the same registers; and each cell has the value that the last write in coherence put
//! there, which is what memory has after all stores have landed. For a question about final states no store waited. ∎
//!
//! Reading is strict: fields that are unknown, missing or repeated, arrays for objects and another format or version
//! are errors.

use serde::de::Deserializer;
use serde::{Deserialize, Serialize};
use serval_budget::Budget;
use serval_diagnostic::FormatError;
use serval_diagnostic::counted;
use serval_evidence::{check_name, check_version, require};
use serval_tso_program::{Observed, Program, Question};

use crate::fences::FencesShown;
use crate::state::{Model, number_of_copies};
use crate::{
    AnyRobust, AnyStates, Basis, Fences, Refusal, Robust, States, Violation, any, anystates, basis, fences, finals, merged, robust, run,
    states, trace,
};

/// The name of the format, in every certificate.
pub const FORMAT: &str = "serval-tso-certificate";

/// The version of the format that is written and read.
pub const VERSION: u64 = 1;

/// What is said of a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    /// A state that it looks for can be reached by this run.
    Reachable(Vec<i64>),
    /// With this number of copies of each `thread*`, a state that it looks for can be reached by this run.
    Copies(u32, Vec<i64>),
    /// None can be reached.
    Unreachable(By),
}

/// Why nothing can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// It is in no state of the closed list of the model.
    States,
    /// It is in no state of the list for final states.
    Finals,
    /// It is in no state of the closed list of merged states.
    Merged,
    /// It is above a member of the basis.
    Basis,
    /// The program is robust, and under sequential consistency it cannot be reached.
    Robust,
    /// It is in no configuration of the closed list for any number of copies.
    Any,
}

/// An answer to a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Answer {
    /// The number of the question, from 0.
    pub question: usize,
    /// Under which model.
    pub model: Model,
    /// What is said.
    pub claim: Claim,
}

/// Evidence about a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Certificate {
    #[serde(deserialize_with = "format_name")]
    format: Format,
    /// The [`fingerprint`] of the program.
    pub program: String,
    /// The certificate is about the program with this number of copies of each `thread*`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<u32>,
    /// The questions of the program, in its own words. Certificates of before have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<String>,
    /// Answers to questions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answer>,
    /// A closed list of states under sequential consistency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sc: Option<States>,
    /// A list for final states under sequential consistency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finals: Option<States>,
    /// A closed list of states with store buffers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tso: Option<States>,
    /// A closed list of merged states, with store buffers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged: Option<States>,
    /// A finite basis of configurations with load buffers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// That the program is robust.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub robust: Option<Robust>,
    /// That it is robust for any number of copies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub any: Option<AnyRobust>,
    /// A closed list of configurations under sequential consistency, for any number of copies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub any_sc: Option<AnyStates>,
    /// That it is not robust; of the program with `copies` copies, if it has a `thread*`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub violation: Option<Violation>,
    /// How many copies of each `thread*` the violation has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copies: Option<u32>,
    /// The cheapest changes that make it robust, or bad states unreachable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fences: Option<Fences>,
}

serval_evidence::objects!(Answer, Certificate);

/// The name and the version of the format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Format(String, u64);

impl Default for Format {
    fn default() -> Self {
        Self(FORMAT.to_owned(), VERSION)
    }
}

fn format_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Format, D::Error> {
    let format = Format::deserialize(deserializer)?;
    check_name(&format.0, FORMAT)?;
    check_version(format.1, VERSION)?;
    Ok(format)
}

/// What an accepted certificate shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// For each question whether it can be reached under sequential consistency, where that is shown.
    pub sc: Vec<Option<bool>>,
    /// The same with store buffers.
    pub tso: Vec<Option<bool>>,
    /// Whether the program is robust, where that is shown.
    pub robust: Option<bool>,
    /// The cheapest changes, where they are shown.
    pub fences: Option<FencesShown>,
    /// The number of copies that all of it is about, where it is about some number.
    pub instance: Option<u32>,
}

/// The identity of a program: its automata, whatever the layout of its text. Nothing rests on it: what a certificate
/// shows is checked against the program that is given.
pub fn fingerprint(program: &Program) -> String {
    serval_evidence::fingerprint(&program.canonical())
}

/// Whether a question is in the words of litmus tests, where one sign compares and a thread has a number.
fn is_litmus(words: &str) -> bool {
    let numbered = |at: usize| words[..at].ends_with(|letter: char| letter.is_ascii_digit());
    let plain = words.replace("==", "").replace("!=", "").replace("<=", "").replace(">=", "");
    plain.contains('=') || words.contains("/\\") || words.contains("\\/") || words.match_indices(':').any(|(at, _)| numbered(at))
}

/// Checks that a question speaks of memory only if it is about final states.
fn check_local(question: &Question, number: usize) -> Result<(), Refusal> {
    let mut speaks_of_memory = false;
    question.condition.atoms(&mut |atom| speaks_of_memory |= matches!(atom, Observed::Cell(_)));
    require!(Local, question.asked.is_final() || !speaks_of_memory, "question {number} speaks of memory");
    Ok(())
}

impl Certificate {
    /// A certificate about a program that says nothing yet.
    pub fn new(program: &Program) -> Self {
        let questions = program.questions.iter().map(|question| question.text.clone()).collect();
        Self { program: fingerprint(program), questions, ..Self::default() }
    }

    /// Checks the certificate for a program, and says what it shows.
    pub fn check(&self, program: &Program, budget: &mut Budget) -> Result<Shown, Refusal> {
        let actual = fingerprint(program);
        require!(
            Input,
            self.program == actual,
            "the fingerprint of the program is {actual}, but the certificate is about {:.80?}",
            self.program
        );
        self.check_words(program)?;
        let Some(copies) = self.instance else { return self.check_program(program, budget) };
        require!(Copies, !program.many().is_empty(), "there is no `thread*` of which there could be copies");
        let shown = self.check_program(&program.with_copies(number_of_copies(program, Some(copies))?), budget)?;
        Ok(Shown { instance: Some(copies), ..shown })
    }

    /// Checks that the words of the questions are those of the program, if there are any.
    fn check_words(&self, program: &Program) -> Result<(), Refusal> {
        if self.questions.is_empty() {
            return Ok(());
        }
        let (said, asked) = (self.questions.len(), program.questions.len());
        require!(Question, said == asked, "it has the words of {}, and the program asks {asked}", counted(said, "question"));
        // Blanks are layout, in which texts of one program may differ.
        let is_same =
            |one: &str, other: &str| one.split_whitespace().flat_map(str::chars).eq(other.split_whitespace().flat_map(str::chars));
        for (number, (said, asked)) in self.questions.iter().zip(&program.questions).enumerate() {
            let asked = &asked.text;
            // A litmus test and the program that is exported from it ask the same in two languages.
            let is_comparable = is_litmus(said) == is_litmus(asked);
            require!(
                Question,
                !is_comparable || is_same(said, asked),
                "question {number} is {asked:.80?} in the program and {said:.80?} here"
            );
        }
        Ok(())
    }

    fn check_program(&self, program: &Program, budget: &mut Budget) -> Result<Shown, Refusal> {
        if !program.many().is_empty() {
            return self.check_any(program, budget);
        }
        let any = self.any.is_none() && self.any_sc.is_none() && self.copies.is_none();
        require!(Fixed, any, "there is no `thread*` of which there could be any number of copies");
        let nothing = vec![None; program.questions.len()];
        let mut shown = Shown { sc: nothing.clone(), tso: nothing, ..Shown::default() };
        if let Some(evidence) = &self.robust {
            robust::check(program, evidence, budget)?;
            shown.robust = Some(true);
        }
        if let Some(violation) = &self.violation {
            trace::check(program, violation, budget)?;
            shown.robust = Some(false);
        }
        // Lists first, with all questions that rest on them; what rests on robustness comes last.
        let lists = [
            (Model::Sc, By::States, &self.sc),
            (Model::Sc, By::Finals, &self.finals),
            (Model::Tso, By::States, &self.tso),
            (Model::Tso, By::Merged, &self.merged),
        ];
        for (model, by, list) in lists {
            let rests = |answer: &&Answer| answer.model == model && answer.claim == Claim::Unreachable(by);
            let questions: Vec<usize> = self.answers.iter().filter(rests).map(|answer| answer.question).collect();
            match (list, by) {
                (None, _) => {}
                (Some(list), By::Finals) => finals::check(program, list, &questions, budget)?,
                (Some(list), By::Merged) => merged::check(program, list, &questions, budget)?,
                (Some(list), _) => states::check(program, model, list, &questions, budget)?,
            }
            require!(Given, list.is_some() || questions.is_empty(), "an answer rests on a list of states that is not there");
        }
        let rests = |answer: &&Answer| answer.claim == Claim::Unreachable(By::Basis);
        let questions: Vec<usize> = self.answers.iter().filter(rests).map(|answer| answer.question).collect();
        require!(Given, self.basis.is_some() || questions.is_empty(), "an answer rests on a basis that is not there");
        if let Some(given) = &self.basis {
            basis::check(program, given, &questions, budget)?;
        }
        for answer in self.in_order() {
            self.check_answer(program, answer, &mut shown, budget)?;
        }
        if let Some(evidence) = &self.fences {
            shown.fences = Some(fences::check(program, evidence, budget)?);
        }
        Ok(shown)
    }

    /// Checks what is said about any number of copies.
    fn check_any(&self, program: &Program, budget: &mut Budget) -> Result<Shown, Refusal> {
        let other = self.sc.is_none()
            && self.tso.is_none()
            && self.finals.is_none()
            && self.merged.is_none()
            && self.basis.is_none()
            && self.robust.is_none();
        require!(Fixed, other, "these rules are about a fixed number of threads");
        let nothing = vec![None; program.questions.len()];
        let mut shown = Shown { sc: nothing.clone(), tso: nothing, ..Shown::default() };
        if let Some(evidence) = &self.any {
            any::check(program, evidence, budget)?;
            shown.robust = Some(true);
        }
        if let Some(violation) = &self.violation {
            let copies = number_of_copies(program, self.copies)?;
            trace::check(&program.with_copies(copies), violation, budget)?;
            shown.robust = Some(false);
        }
        let rests = |answer: &&Answer| answer.claim == Claim::Unreachable(By::Any);
        let questions: Vec<usize> = self.answers.iter().filter(rests).map(|answer| answer.question).collect();
        if let Some(list) = &self.any_sc {
            anystates::check(program, list, &questions, budget)?;
        }
        require!(Given, self.any_sc.is_some() || questions.is_empty(), "an answer rests on a list of configurations that is not there");
        for answer in self.in_order() {
            self.check_answer(program, answer, &mut shown, budget)?;
        }
        if let Some(evidence) = &self.fences {
            shown.fences = Some(fences::check(program, evidence, budget)?);
        }
        Ok(shown)
    }

    /// The answers, those that rest on robustness last.
    fn in_order(&self) -> impl Iterator<Item = &Answer> {
        let rests_on_robustness = |answer: &&Answer| answer.claim == Claim::Unreachable(By::Robust);
        self.answers.iter().filter(move |answer| !rests_on_robustness(answer)).chain(self.answers.iter().filter(rests_on_robustness))
    }

    fn check_answer(&self, program: &Program, answer: &Answer, shown: &mut Shown, budget: &mut Budget) -> Result<(), Refusal> {
        let Some(question) = program.questions.get(answer.question) else {
            require!(Question, false, "there is no question number {}", answer.question);
            return Ok(());
        };
        // Which rules there are depends on whether there is a `thread*`.
        let is_many = !program.many().is_empty();
        let fits = match &answer.claim {
            Claim::Unreachable(By::Robust) => true,
            Claim::Copies(..) | Claim::Unreachable(By::Any) => is_many,
            Claim::Reachable(_) | Claim::Unreachable(_) => !is_many,
        };
        require!(Fixed, fits, "answer {} is about a fixed number of threads, or about any, and the program is not", answer.question);
        match &answer.claim {
            Claim::Reachable(events) => run::check(program, answer.model, events, answer.question, budget)?,
            Claim::Copies(copies, events) => {
                let copies = number_of_copies(program, Some(*copies))?;
                run::check(&program.with_copies(copies), answer.model, events, answer.question, budget)?;
            }
            Claim::Unreachable(By::States) => {}
            Claim::Unreachable(By::Finals) => {
                require!(Given, answer.model == Model::Sc, "a list for final states is about sequential consistency");
            }
            Claim::Unreachable(By::Any) => {
                require!(Given, answer.model == Model::Sc, "configurations are about sequential consistency");
            }
            Claim::Unreachable(By::Merged) => {
                require!(Given, answer.model == Model::Tso, "merged states are about store buffers");
            }
            Claim::Unreachable(By::Basis) => {
                require!(Given, answer.model == Model::Tso, "a basis is about store buffers");
                check_local(question, answer.question)?;
            }
            Claim::Unreachable(By::Robust) => {
                let given = answer.model == Model::Tso && shown.robust == Some(true) && shown.sc[answer.question] == Some(false);
                require!(Given, given, "answer {} rests on robustness and on an answer under sequential consistency", answer.question);
                check_local(question, answer.question)?;
            }
        }
        let reachable = !matches!(answer.claim, Claim::Unreachable(_));
        let row = if answer.model == Model::Sc { &mut shown.sc } else { &mut shown.tso };
        row[answer.question] = Some(reachable);
        Ok(())
    }

    /// Reads a certificate from JSON.
    pub fn from_json(text: &str) -> Result<Self, FormatError> {
        serval_evidence::read(text)
    }

    /// The certificate as JSON, on one line with its end.
    pub fn to_json(&self) -> String {
        serval_evidence::line(self) + "\n"
    }
}
