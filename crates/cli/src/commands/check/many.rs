//! Many files: a line for each, details of those that need them, a tally.

use serval_report::{FileReport, Look, Verdict};

/// What is said about many files.
pub(super) struct Many {
    /// Whether there are many, and people read it.
    many: bool,
    /// Whether each has its whole report, and not a line.
    full: bool,
    look: Look,
    /// What is told after the lines.
    details: String,
    /// How many have this verdict, in the order in which they are told.
    counts: [(Verdict, &'static str, usize); 4],
}

impl Many {
    pub(super) fn new(many: bool, full: bool, look: Look) -> Self {
        let counts = [
            (Verdict::Serializable, "serializable", 0),
            (Verdict::NotSerializable, "not serializable", 0),
            (Verdict::Unknown, "undecided", 0),
            (Verdict::Error, "with an error", 0),
        ];
        Self { many, full, look, details: String::new(), counts }
    }

    /// Whether each file has a line.
    pub(super) fn is_brief(&self) -> bool {
        self.many && !self.full
    }

    /// The line of a file. What more there is to say about it comes after all lines, if it is not serializable.
    pub(super) fn line(&mut self, report: &FileReport, verbose: bool) -> String {
        if report.verdict != Verdict::Serializable || verbose {
            self.details.push('\n');
            self.details.push_str(&report.to_text(verbose, self.look));
        }
        report.to_line(self.look)
    }

    pub(super) fn count(&mut self, verdict: Verdict) {
        self.counts.iter_mut().filter(|(counted, ..)| *counted == verdict).for_each(|(.., count)| *count += 1);
    }

    /// What is said at the end.
    pub(super) fn end(&self) -> String {
        if !self.many {
            return String::new();
        }
        let all: usize = self.counts.iter().map(|(.., count)| count).sum();
        let parts = self.counts.iter().filter(|(.., count)| *count > 0).map(|(_, words, count)| format!("{count} {words}"));
        let files = if all == 1 { "file" } else { "files" };
        format!("{}\n{all} {files}: {}\n", self.details, parts.collect::<Vec<_>>().join(", "))
    }
}
