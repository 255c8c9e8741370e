//! Other solvers, where the machine has them.
//!
//! z3 is the command that `SERVAL_Z3` says, or `z3`. cvc5 is the command that
//! `SERVAL_CVC5` says, or `cvc5`, or the module `cvc5` of the Python that
//! `SERVAL_PYTHON` says, or `python3`. Each reads SMT-LIB on standard input.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::say;

/// A solver that reads SMT-LIB.
#[derive(Clone, Debug)]
pub struct Outside {
    /// `z3` or `cvc5`.
    pub name: &'static str,
    command: Vec<String>,
}

impl Outside {
    /// Those that are there, with a limit in milliseconds for one question. Says
    /// which are not.
    ///
    /// # Panics
    ///
    /// Where one is absent and `SERVAL_REQUIRE` lists it.
    pub fn all(limit: u32) -> Vec<Self> {
        [Self::z3(limit), Self::cvc5(limit)].into_iter().flatten().collect()
    }

    /// z3, as in [`Outside::all`].
    ///
    /// # Panics
    ///
    /// As in [`Outside::all`].
    pub fn z3(limit: u32) -> Option<Self> {
        Self::find("z3", vec![words(&format!("{} -in timeout={limit}", given("SERVAL_Z3", "z3")))])
    }

    /// cvc5, as in [`Outside::all`].
    ///
    /// # Panics
    ///
    /// As in [`Outside::all`].
    pub fn cvc5(limit: u32) -> Option<Self> {
        let work = u64::from(limit) * 400;
        let options = format!("--incremental --tlimit-per={limit} --rlimit-per={work} --lang=smt2 -");
        let program = words(&format!("{} {options}", given("SERVAL_CVC5", "cvc5")));
        let script = format!("{}/answer_with_cvc5.py", env!("CARGO_MANIFEST_DIR"));
        let module = vec![given("SERVAL_PYTHON", "python3"), script, limit.to_string()];
        Self::find("cvc5", vec![program, module])
    }

    /// The first of these commands that answers at all.
    fn find(name: &'static str, commands: Vec<Vec<String>>) -> Option<Self> {
        let candidates = commands.into_iter().map(|command| Self { name, command });
        let question = "(set-logic QF_LIA)\n(check-sat)\n";
        let works = |outside: &Self| outside.ask(question, Duration::from_secs(20)).is_some_and(|answer| answer.trim() == "sat");
        let found = candidates.into_iter().find(works);
        if found.is_none() {
            let required = std::env::var("SERVAL_REQUIRE").unwrap_or_default();
            assert!(!required.split(',').any(|entry| entry.trim() == name), "{name}: required, but there is no such command");
            say(&format!("{name}: not there, skipped"));
        }
        found
    }

    /// The answers to a text, as far as it gets in time; `None` if there is no
    /// such command. Limits that solvers are given are not always kept, so that
    /// there is one for the whole, too.
    pub fn ask(&self, text: &str, patience: Duration) -> Option<String> {
        let (program, arguments) = self.command.split_first()?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().ok()?;
        let (mut stdin, mut stdout) = (child.stdin.take()?, child.stdout.take()?);
        let text = text.to_owned();
        // The answers may fill the pipe before all questions have been read.
        let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
        let reader = std::thread::spawn(move || {
            let mut answers = Vec::new();
            let _ = stdout.read_to_end(&mut answers);
            answers
        });
        let start = Instant::now();
        while child.try_wait().ok()?.is_none() {
            if start.elapsed() > patience {
                child.kill().ok()?;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let _ = writer.join();
        Some(String::from_utf8_lossy(&reader.join().ok()?).into_owned())
    }

    /// The answers to several scripts, each on its own: as many as there are
    /// scripts, `unknown` where none came.
    pub fn ask_all<'a>(&self, scripts: impl IntoIterator<Item = &'a str>, patience: Duration) -> Vec<String> {
        let scripts: Vec<String> = scripts.into_iter().map(|script| script.replace("(exit)\n", "")).collect();
        let answers = self.ask(&scripts.join("(reset)\n"), patience).unwrap_or_default();
        answers.lines().map(str::to_owned).chain(std::iter::repeat("unknown".to_owned())).take(scripts.len()).collect()
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn given(variable: &str, otherwise: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| otherwise.to_owned())
}
