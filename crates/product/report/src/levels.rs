//! What `serval sql levels` says: which level each script needs, and what refutes the next lower ones. The data is also
//! what parts of the work are put together from.

mod page;
mod text;

use serde::{Deserialize, Serialize};

/// The version of the form.
pub const LEVELS_SCHEMA: u32 = 1;

/// Everything about one workload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LevelsReport {
    /// The version of this form.
    pub schema: u32,
    /// The version of the program that made it.
    pub version: String,
    /// The workload, as it was named.
    pub workload: String,
    /// The fingerprint of its files.
    pub fingerprint: String,
    /// What the chosen levels rest on.
    pub verdict: LevelsVerdict,
    /// The sentence to read first.
    pub sentence: String,
    /// Each script and the level that is chosen for it.
    pub scripts: Vec<ScriptLevel>,
    /// How many allocations of the two lower levels there are.
    pub allocations: String,
    /// For how many sets of scripts at levels a proof or a run was looked for.
    pub decided: u64,
    /// What the verdicts assume.
    pub bounds: Vec<String>,
    /// The parts of the workload, which have nothing to do with each other.
    pub parts: Vec<LevelsPart>,
    /// The largest sets of scripts that are serializable together, if they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subsets: Vec<SafeSets>,
    /// The runs that refute.
    pub counterexamples: Vec<LevelsCounterexample>,
    /// What is proved serializable: scripts at levels.
    pub proofs: Vec<Vec<ScriptLevel>>,
    /// What was tried and stayed open.
    pub open: Vec<OpenLevels>,
    /// Which part of the work this is, and of how many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<[usize; 2]>,
}

/// What the chosen levels rest on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LevelsVerdict {
    /// On proofs that were checked.
    Proved,
    /// Some on the guarantee of the server at SERIALIZABLE.
    Assumed,
    /// Some levels are not known.
    Undecided,
}

/// A script and a level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptLevel {
    /// The name of the script.
    pub script: String,
    /// The name of the level, as in SQL.
    pub level: String,
}

/// Scripts that have nothing to do with the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LevelsPart {
    /// Their names.
    pub scripts: Vec<String>,
    /// The lowest allocations that are proved: the first is the one that is chosen.
    pub lowest: Vec<LowestLevels>,
    /// Where there is none: all at READ COMMITTED, and all at REPEATABLE READ.
    pub refuted: Vec<LowerLevels>,
    /// At SERIALIZABLE: nothing where the guarantee of the server covers it, or what it does not cover.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncovered: Option<String>,
    /// How many allocations stayed open that could be lower, or were not looked at.
    pub undecided: u64,
}

/// An allocation that is proved, and no lower one is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LowestLevels {
    /// The scripts at REPEATABLE READ; the others are at READ COMMITTED.
    pub raised: Vec<String>,
    /// What becomes of it where one of them is at READ COMMITTED.
    pub lower: Vec<LowerLevels>,
}

/// What is known of lower levels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LowerLevels {
    /// What is lower: a script at READ COMMITTED, or all of them.
    pub what: String,
    /// The run that refutes it, by its number from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<usize>,
    /// Why it is open, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A run that no serial order explains, and which scripts it needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LevelsCounterexample {
    /// The name of what is wrong.
    pub name: String,
    /// How many requests there are.
    pub requests: usize,
    /// Whether it is proved that fewer do not suffice.
    pub minimal: bool,
    /// The scripts that take part, at their levels: it refutes whatever contains these.
    pub scripts: Vec<ScriptLevel>,
    /// The run in words.
    pub story: Vec<String>,
}

/// The largest sets of scripts that are serializable together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SafeSets {
    /// The level of all of them.
    pub level: String,
    /// The scripts of the part that these are sets of.
    pub of: Vec<String>,
    /// The sets.
    pub sets: Vec<Vec<String>>,
    /// Sets that stayed open, and are in none of these.
    pub undecided: Vec<Vec<String>>,
}

/// Scripts at levels that stayed open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenLevels {
    /// The scripts at their levels.
    pub scripts: Vec<ScriptLevel>,
    /// Why.
    pub reason: String,
}

impl LevelsReport {
    /// One object.
    pub fn to_json(&self) -> String {
        crate::escape::json(serde_json::to_string_pretty(self).unwrap_or_default() + "\n")
    }

    /// What was written as JSON.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn of_json(text: &str) -> Result<Self, String> {
        let report: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if report.schema != LEVELS_SCHEMA {
            return Err(format!("this is version {} of the form; this program reads version {LEVELS_SCHEMA}", report.schema));
        }
        Ok(report)
    }

    /// The run that refutes, in a few words.
    fn refuted_by(&self, lower: &LowerLevels) -> String {
        let run = lower.counterexample.and_then(|number| Some((number, self.counterexamples.get(number.checked_sub(1)?)?)));
        match (run, &lower.reason) {
            (Some((number, run)), _) => format!("[{number}] {}", run.words()),
            (None, Some(reason)) => format!("undecided: {reason}"),
            (None, None) => "undecided".to_owned(),
        }
    }
}

impl LevelsCounterexample {
    /// `write skew of 2 requests: leave`
    fn words(&self) -> String {
        let few = if self.requests == 1 { "request" } else { "requests" };
        let scripts: Vec<&str> = self.scripts.iter().map(|one| one.script.as_str()).collect();
        format!("{} of {} {few}: {}", self.name, self.requests, listed(&scripts))
    }
}

/// `a, b and c`
pub(crate) fn listed(parts: &[&str]) -> String {
    match parts {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

/// The sentence to read first, from what is chosen for each script; `open` where some lower choice is undecided.
pub fn levels_sentence(scripts: &[ScriptLevel], open: bool) -> String {
    const NAMES: [&str; 3] = ["READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"];
    let at = |level: &str| scripts.iter().filter(|one| one.level == level).map(|one| one.script.as_str()).collect::<Vec<_>>();
    let ground = |level: &str| if level == NAMES[2] { "assumed" } else { "proved" };
    let unknown: Vec<&str> = scripts.iter().filter(|one| !NAMES.contains(&one.level.as_str())).map(|one| one.script.as_str()).collect();
    if !unknown.is_empty() {
        return format!("it is undecided which level is enough for {}", listed(&unknown));
    }
    let used: Vec<&str> = NAMES.into_iter().filter(|level| !at(level).is_empty()).collect();
    let [first, higher @ ..] = used.as_slice() else { return "there is no script".to_owned() };
    let open = if open { "; whether a lower choice is enough is undecided" } else { "" };
    if higher.is_empty() {
        let only = if *first == NAMES[0] || !open.is_empty() { "" } else { ", and no lower choice is" };
        return format!("{first} is enough for all{only} ({}){open}", ground(first));
    }
    let others: Vec<&str> = scripts.iter().filter(|one| one.level != *first).map(|one| one.script.as_str()).collect();
    let parts: Vec<String> = match higher {
        [one] => vec![format!("{one} there ({})", ground(one))],
        _ => higher.iter().map(|level| format!("{level} for {} ({})", listed(&at(level)), ground(level))).collect(),
    };
    format!("{first} is enough for all but {}: {}{open}", listed(&others), parts.join(", "))
}
