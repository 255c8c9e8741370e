//! Where diagnostics gather, with a limit.

use super::{Code, Diagnostic, Severity, codes};
use serval_diagnostic::Span;

/// How many errors, and how many warnings and notes, are shown for one file.
pub(crate) const MAX_SHOWN: usize = 100;

/// Keeps one diagnostic more than is shown, so that the closing one has a
/// place to stand; the rest costs nothing, however many there are.
#[derive(Debug, Default)]
pub(crate) struct Sink {
    list: Vec<Diagnostic>,
}

impl Sink {
    /// Whether nothing more is kept.
    pub(crate) fn is_full(&self) -> bool {
        self.list.len() > MAX_SHOWN
    }

    /// Keeps what `build` makes, if there is room.
    pub(crate) fn push(&mut self, build: impl FnOnce() -> Diagnostic) {
        if !self.is_full() {
            self.list.push(build());
        }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether nothing else was kept than errors with this code.
    pub(crate) fn all_are(&self, code: Code) -> bool {
        self.list.iter().all(|diagnostic| diagnostic.code == code)
    }

    pub(crate) fn into_vec(self) -> Vec<Diagnostic> {
        self.list
    }
}

/// Sorts by place and cuts off what is too much, with a closing diagnostic.
pub(crate) fn finish(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let (mut errors, mut others): (Vec<_>, Vec<_>) = diagnostics.into_iter().partition(|d| d.severity == Severity::Error);
    // One text may be written out several times, and is wrong once.
    for list in [&mut errors, &mut others] {
        list.sort_by_key(sort_key);
        list.dedup_by(|next, first| sort_key(next) == sort_key(first) && next.message == first.message);
    }
    if let Some(place) = cut(&mut errors) {
        errors.push(
            Diagnostic::error(codes::TOO_MANY_ERRORS, place, "too many errors; the rest is not shown")
                .label("the next one is here")
                .expected(format!("at most {MAX_SHOWN} errors in a file"))
                .help("mend the errors above first, and see whether this is a `.ser` program at all"),
        );
    }
    if let Some(place) = cut(&mut others) {
        others.push(
            Diagnostic::note(codes::MORE_FINDINGS, place, format!("only the first {MAX_SHOWN} warnings and notes are shown"))
                .label("the next one is here"),
        );
    }
    errors.append(&mut others);
    errors.sort_by_key(sort_key);
    errors
}

fn sort_key(diagnostic: &Diagnostic) -> (Span, Severity, Code) {
    (diagnostic.primary.span, diagnostic.severity, diagnostic.code)
}

/// Sorts, keeps the first [`MAX_SHOWN`], and says where the next one was.
fn cut(diagnostics: &mut Vec<Diagnostic>) -> Option<Span> {
    diagnostics.sort_by_key(sort_key);
    let place = diagnostics.get(MAX_SHOWN).map(|next| next.primary.span);
    diagnostics.truncate(MAX_SHOWN);
    place
}
