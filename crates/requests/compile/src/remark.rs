//! Locks that are released without being held, each with a run that does so.

use serval_syntax::{Diagnostic, LineIndex, Program, Span};

use crate::error::{ReportedStep, Reporter, UNHELD, run_notes};
use crate::explore::{Pairs, explain_remarks};
use crate::space::Space;
use crate::split::SplitPart;

/// An `unlock` of a lock that no request holds.
#[derive(Clone, Debug)]
pub(crate) struct Remark {
    place: Span,
    run: Vec<ReportedStep>,
    request: (usize, String),
}

/// The remarks on one part, of which these are all pairs, each with a real run. What
/// only may happen, as far as was looked, is not spoken of.
pub(crate) fn remarks(program: &Program, space: &mut Space, part: &SplitPart, pairs: &Pairs) -> Vec<Remark> {
    let explained = explain_remarks(space, pairs);
    let reporter = Reporter { program, space, part };
    let remark = |(place, trail, local)| Remark { place, request: reporter.who(&trail, local), run: reporter.run(&trail) };
    explained.into_iter().map(remark).collect()
}

impl Remark {
    pub(crate) fn diagnostic(&self, text: &str) -> Diagnostic {
        let (number, name) = &self.request;
        let mut diagnostic = Diagnostic::warning(UNHELD, self.place, "this releases a lock that no request holds")
            .label("0 already")
            .help("lock it before on every way that leads here, or release it once only");
        diagnostic.notes = run_notes("this run leads there", &self.run, text, &LineIndex::new(text));
        diagnostic.notes.push(format!("{}request #{number} {name} releases it here", if self.run.is_empty() { "" } else { "then " }));
        diagnostic
    }
}
