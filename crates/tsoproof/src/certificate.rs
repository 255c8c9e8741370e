//! Certificates: evidence for what is said about a program.
//!
//! A certificate names the program by its [`fingerprint`] (`tso.input`). It has answers to questions of the program, by number
//! (`tso.question`), under sequential consistency (`sc`) or with store buffers (`tso`), evidence about robustness, and fences. All rules but two are about a fixed number of threads (`tso.fixed`): of a program with a `thread*` it is shown
//! that it is robust for any number of copies ([`crate::any`]), or that it is not with some number (`tso.copies`): a violation of the program with so many copies.
//!
//! | answer | rests on |
//! |---|---|
//! | reachable | a run ([`crate::run`]); a run under sequential consistency, with each store landing at once, is one with store buffers too |
//! | unreachable, `"states"` | the list of the model in this certificate (`tso.given`), none of whose states is sought ([`crate::states`]) |
//! | unreachable under `tso`, `"merged"` | the list of merged states (`tso.given`), in the same way ([`crate::merged`]) |
//! | unreachable under `tso`, `"robust"` | evidence that the program is robust, and that the same is unreachable under `sc` (`tso.given`); the question does not speak of memory unless it is about final states (`tso.local`) |
//!
//! **Theorem** (for the last row; the others are the theorems of the modules). In a robust program, what can be reached with store buffers can be reached under sequential consistency: a final state, or a state with the same points and registers.
//! **Proof.** Let all stores that wait at the end of the run land. The trace is acyclic; order its events by a linear extension of happens-before, and let each thread make its steps without access where they stand between its events.
//! By induction every load reads the same: the last write before it in the extension is the one it read from, for coherence and conflict put all others before that one or behind the load. So every thread makes the same steps and ends at the same point
//! with the same registers; and in each cell is what the last write in coherence put there, which is what memory has after all stores have landed. For a question about final states none waited. ∎
//!
//! Reading is strict: fields that are unknown, missing or repeated, arrays for objects and another format or version are errors.

use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};
use serval_budget::Budget;
use serval_tso::{MAX_THREADS, Observed, Place, Point, Program, ThreadId};

use crate::conditions::require;
use crate::state::Model as Memory;
use crate::{AnyRobust, Fences, Refusal, Robust, States, Violation, any, fences, merged, robust, run, states, trace};

/// The name of the format, in every certificate.
pub const FORMAT: &str = "serval-tso-certificate";

/// The version of the format that is written and read.
pub const VERSION: u64 = 1;

/// How long a message about a text is at most, in characters: it may quote it.
const LONGEST_MESSAGE: usize = 240;

/// How stores reach memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Model {
    /// At once.
    Sc,
    /// Through store buffers.
    Tso,
}

/// What is said of a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    /// A state that it looks for can be reached by this run.
    Reachable(Vec<i64>),
    /// None can be reached.
    Unreachable(By),
}

/// Why nothing can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// It is in no state of the closed list of the model.
    States,
    /// It is in no state of the closed list of merged states.
    Merged,
    /// The program is robust, and under sequential consistency it cannot be reached.
    Robust,
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
    /// Answers to questions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answer>,
    /// A closed list of states under sequential consistency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sc: Option<States>,
    /// A closed list of states with store buffers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tso: Option<States>,
    /// A closed list of merged states, with store buffers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged: Option<States>,
    /// That the program is robust.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub robust: Option<Robust>,
    /// That it is robust for any number of copies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub any: Option<AnyRobust>,
    /// That it is not robust; of the program with `copies` copies, if it has a `thread*`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub violation: Option<Violation>,
    /// How many copies of each `thread*` the violation has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copies: Option<u32>,
    /// The fewest fences that make it robust.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fences: Option<Fences>,
}

serval_linear::objects!(Answer, Certificate);

/// The name and the version of the format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Format(String, u64);

impl Default for Format {
    fn default() -> Self {
        Self(FORMAT.to_owned(), VERSION)
    }
}

fn format_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Format, D::Error> {
    let Format(name, version) = Format::deserialize(deserializer)?;
    if name != FORMAT {
        return Err(D::Error::custom(format!("the format is {name:?}, not {FORMAT:?}")));
    }
    if version != VERSION {
        return Err(D::Error::custom(format!("this is version {version} of the format; this program reads version {VERSION}")));
    }
    Ok(Format(name, version))
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
    /// A smallest set of fences, where one is shown.
    pub fences: Option<Vec<Place>>,
}

/// The identity of a program: its automata, whatever the layout of its text. Nothing rests on it: what a certificate shows is checked
/// against the program that is given.
pub fn fingerprint(program: &Program) -> String {
    serval_linear::fingerprint(&program.canonical())
}

impl Certificate {
    /// A certificate about a program that says nothing yet.
    pub fn new(program: &Program) -> Self {
        Self { program: fingerprint(program), ..Self::default() }
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
        if !program.many().is_empty() {
            return self.check_any(program, budget);
        }
        require!(Fixed, self.any.is_none() && self.copies.is_none(), "there is no `thread*` of which there could be any number of copies");
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
        let lists = [(Model::Sc, By::States, &self.sc), (Model::Tso, By::States, &self.tso), (Model::Tso, By::Merged, &self.merged)];
        for (model, by, list) in lists {
            let rests = |answer: &&Answer| answer.model == model && answer.claim == Claim::Unreachable(by);
            let questions: Vec<usize> = self.answers.iter().filter(rests).map(|answer| answer.question).collect();
            match (list, by, model) {
                (None, ..) => {}
                (Some(list), By::Merged, _) => merged::check(program, list, &questions, budget)?,
                (Some(list), _, Model::Sc) => states::check(program, Memory::Sc, list, &questions, budget)?,
                (Some(list), _, Model::Tso) => states::check(program, Memory::Tso, list, &questions, budget)?,
            }
            require!(Given, list.is_some() || questions.is_empty(), "an answer rests on a list of states that is not there");
        }
        let rests_on_robustness = |answer: &&Answer| answer.claim == Claim::Unreachable(By::Robust);
        for answer in
            self.answers.iter().filter(|answer| !rests_on_robustness(answer)).chain(self.answers.iter().filter(rests_on_robustness))
        {
            self.check_answer(program, answer, &mut shown, budget)?;
        }
        if let Some(evidence) = &self.fences {
            fences::check(program, evidence, budget)?;
            let place = |&(thread, point): &(u32, u32)| Place { thread: ThreadId(thread), point: Point(point) };
            shown.fences = Some(evidence.places.iter().map(place).collect());
        }
        Ok(shown)
    }

    /// Checks what is said about any number of copies.
    fn check_any(&self, program: &Program, budget: &mut Budget) -> Result<Shown, Refusal> {
        let other = self.answers.is_empty()
            && self.sc.is_none()
            && self.tso.is_none()
            && self.merged.is_none()
            && self.robust.is_none()
            && self.fences.is_none();
        require!(Fixed, other, "these rules are about a fixed number of threads");
        let nothing = vec![None; program.questions.len()];
        let mut shown = Shown { sc: nothing.clone(), tso: nothing, ..Shown::default() };
        if let Some(evidence) = &self.any {
            any::check(program, evidence, budget)?;
            shown.robust = Some(true);
        }
        if let Some(violation) = &self.violation {
            let copies = self.copies.unwrap_or(0);
            let most = MAX_THREADS.checked_div(program.many().len()).and_then(|most| u32::try_from(most).ok()).unwrap_or(1);
            require!(Copies, (1..=most).contains(&copies), "{copies} copies of each `thread*` are none, or too many");
            trace::check(&program.with_copies(copies.clamp(1, most)), violation, budget)?;
            shown.robust = Some(false);
        }
        Ok(shown)
    }

    fn check_answer(&self, program: &Program, answer: &Answer, shown: &mut Shown, budget: &mut Budget) -> Result<(), Refusal> {
        let Some(question) = program.questions.get(answer.question) else {
            require!(Question, false, "there is no question number {}", answer.question);
            return Ok(());
        };
        let memory = if answer.model == Model::Sc { Memory::Sc } else { Memory::Tso };
        match &answer.claim {
            Claim::Reachable(events) => run::check(program, memory, events, answer.question, budget)?,
            Claim::Unreachable(By::States) => {}
            Claim::Unreachable(By::Merged) => {
                require!(Given, answer.model == Model::Tso, "merged states are about store buffers");
            }
            Claim::Unreachable(By::Robust) => {
                let given = answer.model == Model::Tso && shown.robust == Some(true) && shown.sc[answer.question] == Some(false);
                require!(Given, given, "answer {} rests on robustness and on an answer under sequential consistency", answer.question);
                let mut speaks_of_memory = false;
                question.condition.atoms(&mut |atom| speaks_of_memory |= matches!(atom, Observed::Cell(_)));
                require!(Local, question.asked.is_final() || !speaks_of_memory, "question {} speaks of memory", answer.question);
            }
        }
        let reachable = matches!(answer.claim, Claim::Reachable(_));
        let row = if answer.model == Model::Sc { &mut shown.sc } else { &mut shown.tso };
        row[answer.question] = Some(reachable);
        Ok(())
    }

    /// Reads a certificate from JSON. The error is a line, a column and a message.
    pub fn from_json(text: &str) -> Result<Self, (usize, usize, String)> {
        serde_json::from_str(text).map_err(|error| {
            let message = error.to_string();
            // The position is in fields of its own.
            let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
            (error.line().max(1), error.column().max(1), message.chars().take(LONGEST_MESSAGE).collect())
        })
    }

    /// The certificate as JSON, on one line with its end.
    pub fn to_json(&self) -> String {
        // Strings, numbers and structures of them always have a JSON form.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }
}
