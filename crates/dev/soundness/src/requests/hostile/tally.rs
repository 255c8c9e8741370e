//! What came of hostile certificates, counted.

use std::collections::BTreeMap;

use serval_proof::Condition;

use super::Forgery;
use super::oracle::Truth;
use super::pool::Pool;
use crate::Merge;

/// What the checker said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckerAnswer {
    /// It is no certificate.
    Unreadable,
    /// A condition does not hold.
    Rejected(&'static str),
    /// It would cost too much to check.
    TooLarge,
    /// It was accepted, and this is known of it.
    Accepted(Truth),
}

/// Counts.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// By hashes of certificates with their inputs: how it was made, and what
    /// came of it.
    answers: BTreeMap<u64, (Forgery, CheckerAnswer)>,
    /// Numbers for which no certificate was made.
    pub none: u64,
    /// Trees that the solver was asked for.
    pub asked: u64,
    /// Proofs that were given to inputs that are known not to be
    /// serializable.
    pub lies: u64,
}

impl Merge for Tally {
    /// Both may have tried some of the same certificates.
    fn absorb(&mut self, other: Self) {
        for (hash, (way, answer)) in other.answers {
            self.count(way, answer, hash);
        }
        self.none += other.none;
        self.asked += other.asked;
        self.lies += other.lies;
    }
}

impl Tally {
    pub(super) fn count(&mut self, way: Forgery, answer: CheckerAnswer, hash: u64) {
        // The same certificate for the same input counts once, as made in the
        // first of the ways, so that the order of attempts does not matter.
        let first = self.answers.entry(hash).or_insert((way, answer));
        *first = (*first).min((way, answer));
    }

    /// How many different certificates were tried.
    pub fn tried(&self) -> u64 {
        self.answers.len() as u64
    }

    /// How many answers are like this.
    pub fn having(&self, fits: impl Fn(Forgery, CheckerAnswer) -> bool) -> u64 {
        self.answers.values().filter(|&&(way, answer)| fits(way, answer)).count() as u64
    }

    /// How many were refused by a condition.
    pub fn rejected(&self) -> u64 {
        self.having(|_, answer| matches!(answer, CheckerAnswer::Rejected(_)))
    }

    /// How many were refused by this condition.
    pub fn rejected_by(&self, condition: &str) -> u64 {
        self.having(|_, answer| matches!(answer, CheckerAnswer::Rejected(by) if by == condition))
    }

    /// Which conditions refused fewer than `least`.
    pub fn idle(&self, least: u64) -> Vec<&'static str> {
        Condition::ALL.iter().map(|condition| condition.name()).filter(|condition| self.rejected_by(condition) < least).collect()
    }

    /// The tables of the report.
    pub fn tables(&self, pool: &Pool) -> Vec<String> {
        let edited = pool.targets.iter().filter(|target| target.is_edited).count();
        let numbers: Vec<String> = pool.kinds().map(|(kind, count)| format!("{count} of kind `{kind}`")).collect();
        let mut lines = vec![
            format!(
                "Inputs: {}, of which {} were given as files, {edited} are one edit away from another, and the rest are random.",
                pool.targets.len(),
                pool.listed
            ),
            format!("Certificates to begin with: {}.", numbers.join(", ").replace("of kind `other`", "with numbers of more than 64 bits")),
            String::new(),
            "| certificate | tried | no certificate | refused by a condition | too large | accepted | of these wrong |".to_owned(),
            "|---|---:|---:|---:|---:|---:|---:|".to_owned(),
        ];
        let row = |name: &str, ways: &[Forgery]| {
            let of = |fits: fn(CheckerAnswer) -> bool| self.having(|way, answer| ways.contains(&way) && fits(answer));
            // A wrong one ends everything, so there is none in a report.
            format!(
                "| {name} | {} | {} | {} | {} | {} | 0 |",
                of(|_| true),
                of(|answer| answer == CheckerAnswer::Unreadable),
                of(|answer| matches!(answer, CheckerAnswer::Rejected(_))),
                of(|answer| answer == CheckerAnswer::TooLarge),
                of(|answer| matches!(answer, CheckerAnswer::Accepted(_)))
            )
        };
        lines.extend(Forgery::ALL.iter().map(|&way| row(way.name(), &[way])));
        lines.push(row("all", &Forgery::ALL));
        let truths = [Truth::Tried(4), Truth::Tried(3), Truth::Tried(2), Truth::Followed, Truth::Unknown];
        let known = truths.map(|truth| self.having(|_, answer| answer == CheckerAnswer::Accepted(truth)));
        lines.extend([
            String::new(),
            format!(
                "Of those accepted, trying everything agrees with {} with up to four requests, {} with up to three, {} with up to two; {} are",
                known[0], known[1], known[2], known[3]
            ),
            format!("runs that were followed, and no serial run has their answers; {} could not be compared.", known[4]),
            format!("{} proofs were given to inputs that are known not to be serializable. The solver was asked for {} trees.", self.lies, self.asked),
            String::new(),
            "| condition | refused |".to_owned(),
            "|---|---:|".to_owned(),
        ]);
        lines.extend(Condition::ALL.iter().map(|condition| format!("| `{condition}` | {} |", self.rejected_by(condition.name()))));
        lines
    }
}
