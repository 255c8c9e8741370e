//! Which levels are enough: the lowest allocations of READ COMMITTED and REPEATABLE READ to scripts that are proved,
//! and what refutes the next lower ones.
//!
//! The search asks *questions*, each a set of scripts at levels ([`LevelsSearch::next_question`]), and gets answers
//! ([`LevelsSearch::answer`]), so that limits of time and memory are those of the caller. Levels are not monotone: an
//! allocation above one that is proved may be refuted. What saves questions is this.
//!
//! **A run refutes more.** A run in which scripts X take part at levels L refutes each allocation that has X at L, and
//! each set of scripts with X: the other requests need not come. **A proof serves subsets.** What is proved of scripts
//! at levels holds for each subset at these levels, by the same argument. Rows and values are those of all scripts in
//! both.
//! **Parts** of a workload are asked about one by one (module `parts`), and **pairs** and triples before many scripts
//! together (module `groups`).
//!
//! **Theorem.** Where no question stays open, the walk finds exactly the minimal allocations among those that are
//! serializable. **Proof.** It begins with READ COMMITTED for all and visits allocations by the number of scripts at
//! REPEATABLE READ. Let P be minimal among the serializable ones, and A ≤ P a visited one, other than P. Then A is
//! refuted by a run of scripts X at levels L, as P is minimal. The run does not refute P, so that P has a script of X
//! at another level than L says; A has it at L and A ≤ P, so it is at READ COMMITTED in A and at REPEATABLE READ in P.
//! The walk goes on from A to all allocations in which one script of X is raised, so to this one, which is ≤ P and one
//! step nearer to P. As all below P are refuted P is not left out for being above a proved one; and what is left out so
//! is not minimal. From an allocation that stays open the walk raises each script, and counts it as open.

mod groups;
mod known;
mod parts;
mod table;
mod walk;

use serval_report::levels::{LevelsCounterexample, LevelsReport, ScriptLevel};
use serval_report::{FileReport, Verdict};
use serval_sql::Isolation;

use groups::Groups;
use known::{Allocation, Knowledge};
use walk::{SetsWalk, Walk};

use super::{Workload, WorkloadMistakes};

/// A search for the lowest levels.
pub struct LevelsSearch {
    names: Vec<String>,
    parts: Vec<PartSearch>,
    /// The files of the workload; none where parts of the work are put together.
    files: Vec<(String, String)>,
    fingerprint: String,
    knowledge: Knowledge,
    groups: Groups,
    bounds: Vec<String>,
    shard: Option<[usize; 2]>,
    /// Why no more questions are asked, where some are left.
    stopped: Option<String>,
}

/// What is looked for in a part.
struct PartSearch {
    scripts: Vec<usize>,
    /// What SERIALIZABLE for all does not cover, once it is known.
    serializable: Option<Result<(), String>>,
    walk: Walk,
    /// The largest sets at one level.
    sets: Vec<(Isolation, SetsWalk)>,
}

/// Scripts at levels about which something is to be found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelsQuestion {
    allocation: Allocation,
    part: usize,
}

/// What was found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LevelsAnswer {
    /// It is serializable, with a proof that was checked.
    Proved,
    /// The server guarantees it.
    Assumed,
    /// It is not.
    Refuted(Box<LevelsCounterexample>),
    /// Undecided, and why.
    Open(String),
}

impl LevelsSearch {
    /// Begins with the files of a workload; `subsets` asks for the largest safe sets of scripts as well. With a shard,
    /// from 1, and how many there are, only this part of the questions is asked.
    pub fn new(files: &[(String, String)], subsets: bool, shard: Option<[usize; 2]>) -> Result<Self, Box<WorkloadMistakes>> {
        let bundle = super::bundle(files);
        let fingerprint = crate::fingerprint(&bundle);
        let read = serval_sql::read(&bundle);
        let Some(workload) = read.workload else {
            let places = super::Places { bundle, files: read.files };
            return Err(Box::new(WorkloadMistakes { diagnostics: read.diagnostics, places }));
        };
        let names: Vec<String> = workload.scripts.iter().map(|script| script.name.clone()).collect();
        let touched = parts::touched(&workload);
        let parts = parts::parts(&workload, &touched);
        let mut search = Self::of_parts(names, &parts, subsets, shard);
        search.groups = Groups::new(parts::meeting(&touched));
        (search.files, search.fingerprint) = (files.to_vec(), fingerprint);
        Ok(search)
    }

    fn of_parts(names: Vec<String>, parts: &[Vec<usize>], subsets: bool, shard: Option<[usize; 2]>) -> Self {
        let levels = if subsets { &[Isolation::ReadCommitted, Isolation::RepeatableRead][..] } else { &[] };
        let part = |scripts: &Vec<usize>| PartSearch {
            scripts: scripts.clone(),
            serializable: None,
            walk: Walk::new(scripts.clone(), names.len(), shard.is_some()),
            sets: levels.iter().map(|level| (*level, SetsWalk::new(scripts, names.len(), *level))).collect(),
        };
        let parts = parts.iter().map(part).collect();
        let (files, fingerprint, knowledge, groups, bounds, stopped) = Default::default();
        Self { names, parts, files, fingerprint, knowledge, groups, bounds, shard, stopped }
    }

    /// Asks about pairs of scripts before questions of this many; of six and more, unless said.
    #[must_use]
    pub fn with_pairs_from(mut self, scripts: usize) -> Self {
        self.groups.asked_from(scripts);
        self
    }

    /// The next question; nothing where all is known.
    pub fn next_question(&mut self) -> Option<LevelsQuestion> {
        for (part, search) in self.parts.iter_mut().enumerate() {
            if search.serializable.is_none() {
                let mut allocation = vec![None; self.names.len()];
                search.scripts.iter().for_each(|script| allocation[*script] = Some(Isolation::Serializable));
                return Some(LevelsQuestion { allocation, part });
            }
            if self.stopped.is_some() {
                continue;
            }
            let walks = std::iter::once(search.walk.next(&mut self.knowledge, &self.groups, self.shard));
            let sets = search.sets.iter_mut().map(|(_, walk)| walk.next(&self.knowledge, &self.groups));
            if let Some(allocation) = walks.chain(sets).flatten().next() {
                return Some(LevelsQuestion { allocation, part });
            }
        }
        None
    }

    /// Takes an answer.
    pub fn answer(&mut self, question: &LevelsQuestion, answer: LevelsAnswer) {
        let allocation = question.allocation.clone();
        if allocation.contains(&Some(Isolation::Serializable)) {
            let covered = match answer {
                LevelsAnswer::Proved | LevelsAnswer::Assumed => Ok(()),
                LevelsAnswer::Refuted(run) => Err(run.name),
                LevelsAnswer::Open(reason) => Err(reason),
            };
            self.parts[question.part].serializable = Some(covered);
            return;
        }
        self.knowledge.decided += 1;
        match answer {
            LevelsAnswer::Proved | LevelsAnswer::Assumed => self.knowledge.proved(allocation),
            LevelsAnswer::Refuted(run) => match self.placed(&run.scripts) {
                Some(scripts) => self.knowledge.counterexamples.push((scripts, *run)),
                None => drop(self.knowledge.open.insert(allocation, "the run names scripts that are not there".to_owned())),
            },
            LevelsAnswer::Open(reason) => drop(self.knowledge.open.insert(allocation, reason)),
        }
    }

    /// What each question is about, so that it can be decided: the workload with these scripts at these levels.
    pub fn workload(&mut self, question: &LevelsQuestion) -> Result<Workload, Box<WorkloadMistakes>> {
        let workload = Workload::read(&self.files_of(&question.allocation))?;
        for bound in &workload.bounds {
            if !self.bounds.contains(bound) {
                self.bounds.push(bound.clone());
            }
        }
        Ok(workload)
    }

    /// The names of the scripts.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How far the search is: questions answered, and allocations that are known about.
    pub fn progress(&self) -> String {
        let looked: usize = self.parts.iter().map(|part| part.walk.looked_at()).sum();
        format!("{looked} of {} allocations, {} decided", self.allocations(), self.knowledge.decided)
    }

    fn files_of(&self, allocation: &Allocation) -> Vec<(String, String)> {
        let mut lines: Vec<String> = Vec::new();
        for (name, level) in self.names.iter().zip(allocation) {
            lines.push(match level {
                Some(level) => format!("level {} {name}", level.name().to_ascii_lowercase()),
                None => format!("without {name}"),
            });
        }
        let mut files = self.files.clone();
        super::with_settings(&mut files, &lines.join("\n"));
        files
    }

    /// Scripts at levels as an allocation; nothing if one is unknown.
    fn placed(&self, scripts: &[ScriptLevel]) -> Option<Allocation> {
        let mut allocation = vec![None; self.names.len()];
        for ScriptLevel { script, level } in scripts {
            let place = self.names.iter().position(|name| name == script)?;
            allocation[place] = Some(Isolation::of(level)?);
        }
        Some(allocation)
    }

    fn named(&self, allocation: &Allocation) -> Vec<ScriptLevel> {
        let named = |(name, level): (&String, &Option<Isolation>)| {
            Some(ScriptLevel { script: name.clone(), level: level.as_ref()?.name().to_owned() })
        };
        self.names.iter().zip(allocation).filter_map(named).collect()
    }

    /// How many allocations there are: `4,096`, `2^40`.
    fn allocations(&self) -> String {
        let scripts: usize = self.parts.iter().map(|part| part.scripts.len()).sum();
        match u32::try_from(scripts).ok().filter(|scripts| *scripts < 20) {
            Some(scripts) => (1_u32 << scripts).to_string(),
            None => format!("2^{scripts}"),
        }
    }

    /// A search that knows what parts of the work have found out, and asks nothing.
    ///
    /// # Errors
    ///
    /// Why these are not the parts of one work.
    pub fn merged(parts: &[(String, LevelsReport)]) -> Result<Self, String> {
        table::merged(parts)
    }

    /// Only what the server promises is asked about from now on; what else is not known stays open for this reason.
    pub fn stop(&mut self, why: &str) {
        self.stopped = Some(why.to_owned());
    }

    /// What is known, as a report.
    pub fn report(mut self, workload: &str, version: &str) -> LevelsReport {
        // Lets the walks see the last answers; what is not asked about any more is no group that stayed open.
        self.groups = Groups::default();
        let reason = self.stopped.take().unwrap_or_else(|| "it was not decided".to_owned());
        while let Some(question) = self.next_question() {
            let reason = reason.clone();
            if question.allocation.contains(&Some(Isolation::Serializable)) {
                self.parts[question.part].serializable = Some(Err(reason));
            } else {
                self.knowledge.open.insert(question.allocation, reason);
            }
        }
        table::report(&self, workload, version)
    }
}

/// What a report says to the question.
pub fn levels_answer(question: &LevelsQuestion, names: &[String], report: &FileReport) -> LevelsAnswer {
    let run = report.counterexample.as_ref().or(report.fault.as_ref().map(|fault| &fault.run));
    let open = || report.reason.clone().unwrap_or_else(|| "undecided".to_owned());
    match (report.verdict, run) {
        (Verdict::Serializable, _) => LevelsAnswer::Proved,
        (Verdict::Assumed, _) => LevelsAnswer::Assumed,
        (Verdict::NotSerializable | Verdict::Fault, Some(run)) => {
            let taken = |name: &String| run.requests.iter().any(|one| super::script_of(&one.request, names) == Some(name));
            let level = |(name, level): (&String, &Option<Isolation>)| {
                let level = (*level).filter(|_| taken(name))?;
                Some(ScriptLevel { script: name.clone(), level: level.name().to_owned() })
            };
            let scripts: Vec<ScriptLevel> = names.iter().zip(&question.allocation).filter_map(level).collect();
            if scripts.is_empty() {
                return LevelsAnswer::Open("the run names no script".to_owned());
            }
            let anomaly = run.anomaly.unwrap_or("anomaly").replace('-', " ");
            let name = if report.verdict == Verdict::Fault { "script that can fail".to_owned() } else { anomaly };
            let (requests, minimal, story) = (run.requests.len(), run.minimal, run.story.clone());
            LevelsAnswer::Refuted(Box::new(LevelsCounterexample { name, requests, minimal, scripts, story }))
        }
        _ => LevelsAnswer::Open(open()),
    }
}

#[cfg(test)]
mod tests;
