//! Many files: a line for each, a tally, and the first counterexample in full.

use serval_report::{FileReport, Look, Verdict};

use super::Status;

/// What is said about many files.
pub(super) struct Many {
    /// Whether there are many, and people read it.
    many: bool,
    /// Whether each has a line instead of its whole report.
    brief: bool,
    /// How many have this verdict, in the order in which they are reported.
    counts: [(Verdict, &'static str, usize); 8],
    /// How many are as their headers expect, and how many are not.
    expected: (usize, usize),
    /// The first counterexample, as it is shown, and how many there are.
    first: Option<String>,
    others: usize,
}

impl Many {
    pub(super) fn new(many: bool, brief: bool) -> Self {
        let counts = [
            (Verdict::Serializable, "serializable", 0),
            (Verdict::NotSerializable, "not serializable", 0),
            (Verdict::Strict, "strict", 0),
            (Verdict::NotStrict, "not strict", 0),
            (Verdict::Fault, "that can fail", 0),
            (Verdict::Safe, "safe", 0),
            (Verdict::Unknown, "undecided", 0),
            (Verdict::Error, "with an error", 0),
        ];
        Self { many, brief, counts, expected: (0, 0), first: None, others: 0 }
    }

    /// What is said about a file now. The first counterexample is kept for the end where each file has a line.
    pub(super) fn text(&mut self, report: &FileReport, status: Status, verbose: bool, look: Look) -> String {
        if self.brief {
            if is_counterexample(report, status) {
                match self.first {
                    None => self.first = Some(report.to_text(verbose, look)),
                    Some(_) => self.others += 1,
                }
            }
            return report.to_line_of_many(look);
        }
        match report.verdict {
            Verdict::Error => String::new(),
            // A report of many lines ends in an empty one, so that the next line is seen.
            Verdict::NotSerializable | Verdict::NotStrict | Verdict::Fault if self.many => format!("{}\n", report.to_text(verbose, look)),
            _ => report.to_text(verbose, look),
        }
    }

    pub(super) fn count(&mut self, report: &FileReport) {
        self.counts.iter_mut().filter(|(counted, ..)| *counted == report.verdict).for_each(|(.., count)| *count += 1);
        match report.expected {
            Some(promise) if promise.holds => self.expected.0 += 1,
            Some(_) => self.expected.1 += 1,
            None => {}
        }
    }

    /// What is said at the end.
    pub(super) fn tally(&self) -> String {
        if !self.many {
            return String::new();
        }
        let all: usize = self.counts.iter().map(|(.., count)| count).sum();
        let parts = self.counts.iter().filter(|(.., count)| *count > 0).map(|(_, words, count)| format!("{count} {words}"));
        let files = if all == 1 { "file" } else { "files" };
        let expected = match self.expected {
            (0, 0) => String::new(),
            (as_expected, 0) => format!("; {as_expected} as expected"),
            (as_expected, others) => format!("; {as_expected} as expected, {others} not"),
        };
        format!("\n{all} {files}: {}{expected}\n{}", parts.collect::<Vec<_>>().join(", "), self.first_in_full())
    }

    /// The first counterexample.
    fn first_in_full(&self) -> String {
        let Some(first) = &self.first else { return String::new() };
        let words = match self.others {
            0 => "the counterexample in full".to_owned(),
            others => format!("the first of {} counterexamples in full; --full shows all", others + 1),
        };
        format!("\n{words}\n\n{first}")
    }
}

/// Whether a report is about a run that is news: one that the header expects is known.
pub(super) fn is_counterexample(report: &FileReport, status: Status) -> bool {
    status == Status::NotSerializable && (report.verdict.is_refuted() || report.verdict == Verdict::Fault)
}
