//! Many files: a line for each that is serializable, the report on the others,
//! a tally.

use serval_report::{FileReport, Look, Verdict};

/// What is said about many files.
pub(super) struct Many {
    /// Whether there are many, and people read it.
    many: bool,
    /// Whether each has its whole report.
    full: bool,
    /// How many have this verdict, in the order in which they are reported.
    counts: [(Verdict, &'static str, usize); 5],
}

impl Many {
    pub(super) fn new(many: bool, full: bool) -> Self {
        let counts = [
            (Verdict::Serializable, "serializable", 0),
            (Verdict::NotSerializable, "not serializable", 0),
            (Verdict::Fault, "that can fail", 0),
            (Verdict::Unknown, "undecided", 0),
            (Verdict::Error, "with an error", 0),
        ];
        Self { many, full, counts }
    }

    /// What is said about a file. A file that is serializable has a line where there are many.
    pub(super) fn text(&self, report: &FileReport, verbose: bool, look: Look) -> String {
        let brief = self.many && !self.full && !verbose;
        match report.verdict {
            Verdict::Serializable if brief => report.to_line(look),
            // A report of many lines ends in an empty one, so that the next line is seen.
            Verdict::NotSerializable | Verdict::Fault if self.many => format!("{}\n", report.to_text(verbose, look)),
            _ => report.to_text(verbose, look),
        }
    }

    pub(super) fn count(&mut self, verdict: Verdict) {
        self.counts.iter_mut().filter(|(counted, ..)| *counted == verdict).for_each(|(.., count)| *count += 1);
    }

    /// What is said at the end.
    pub(super) fn tally(&self) -> String {
        if !self.many {
            return String::new();
        }
        let all: usize = self.counts.iter().map(|(.., count)| count).sum();
        let parts = self.counts.iter().filter(|(.., count)| *count > 0).map(|(_, words, count)| format!("{count} {words}"));
        let files = if all == 1 { "file" } else { "files" };
        format!("\n{all} {files}: {}\n", parts.collect::<Vec<_>>().join(", "))
    }
}
