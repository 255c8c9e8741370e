//! What a certificate shows, if its conditions hold: the rules of [`Certificate`], one after the other.

use serval_budget::Budget;
use serval_diagnostic::counted;
use serval_evidence::require;
use serval_tso_program::{Observed, Program, Question};

use crate::certificate::{Answer, By, Certificate, Claim, fingerprint};
use crate::fences::FencesShown;
use crate::state::{Model, number_of_copies};
use crate::{Refusal, any, anystates, basis, fences, finals, merged, robust, run, states, trace};

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
}
