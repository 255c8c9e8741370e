//! Edits of the files of a workload.

use serval_syntax::Span;

use super::super::Places;

/// Something else in the place of a stretch of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileEdit {
    /// The file.
    pub(super) file: String,
    /// Its bytes that go.
    pub(super) from: usize,
    pub(super) to: usize,
    /// What comes there.
    pub(super) text: String,
}

impl FileEdit {
    /// Whether both can be made: they touch no byte together. What comes at the same place comes one behind the other.
    pub(super) fn goes_with(&self, other: &Self) -> bool {
        let comes = |edit: &Self| edit.from == edit.to;
        let same = comes(self) && comes(other) && self.from == other.from && self.text != other.text;
        same || self.file != other.file || self.to < other.from || other.to < self.from
    }
}

/// The text with these edits.
pub(super) fn edited(text: &str, edits: &[&FileEdit]) -> String {
    let mut edits = edits.to_vec();
    edits.sort_by_key(|edit| std::cmp::Reverse((edit.from, edit.to)));
    let mut text = text.to_owned();
    for edit in edits {
        // Places of the parser are within the file, and between characters.
        if text.get(edit.from..edit.to).is_some() {
            text.replace_range(edit.from..edit.to, &edit.text);
        }
    }
    text
}

/// A stretch of a file of the workload, around which texts are put.
#[derive(Clone, Copy)]
pub(super) struct Stretch<'p> {
    pub(super) file: &'p str,
    /// The text of the file.
    pub(super) whole: &'p str,
    pub(super) from: usize,
    pub(super) to: usize,
}

impl<'p> Stretch<'p> {
    /// Where this stands.
    pub(super) fn of(places: &'p Places, span: Span) -> Option<Self> {
        let (file, whole, within) = places.locate(span)?;
        Some(Self { file, whole, from: within.start as usize, to: within.end as usize })
    }

    /// Its text.
    pub(super) fn text(self) -> &'p str {
        self.whole.get(self.from..self.to).unwrap_or_default()
    }

    /// How lines of the file end.
    pub(super) fn line_end(self) -> &'static str {
        if self.whole.contains("\r\n") { "\r\n" } else { "\n" }
    }

    /// The blanks before it on its line; nothing where something else stands there.
    pub(super) fn indent(self) -> &'p str {
        let before = self.whole.get(..self.from).unwrap_or_default();
        let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
        if line.trim().is_empty() { line } else { "" }
    }

    /// The same with the `;` behind it, if there is one.
    pub(super) fn with_end(self) -> Self {
        let rest = self.whole.get(self.to..).unwrap_or_default();
        let blanks = rest.len() - rest.trim_start().len();
        if rest[blanks..].starts_with(';') { Self { to: self.to + blanks + 1, ..self } } else { self }
    }

    /// The same with the end of the statement, which is a `;`, or a command such as `\gset` to the end of its line.
    pub(super) fn with_command(self) -> Self {
        let rest = self.whole.get(self.to..).unwrap_or_default();
        let blanks = rest.len() - rest.trim_start().len();
        if ["\\gset", "\\aset"].iter().any(|command| rest[blanks..].starts_with(command)) {
            let length = rest[blanks..].find(['\r', '\n']).unwrap_or(rest.len() - blanks);
            return Self { to: self.to + blanks + length, ..self };
        }
        self.with_end()
    }

    /// The command behind it, such as `\gset`.
    pub(super) fn command(self) -> &'p str {
        let end = self.with_command().to;
        let command = self.whole.get(self.to..end).unwrap_or_default().trim();
        if command.starts_with('\\') { command } else { "" }
    }

    /// This stretch becomes another text.
    pub(super) fn replaced(self, text: String) -> FileEdit {
        FileEdit { file: self.file.to_owned(), from: self.from, to: self.to, text }
    }

    /// A text comes before it.
    pub(super) fn before(self, text: String) -> FileEdit {
        Self { to: self.from, ..self }.replaced(text)
    }

    /// A text comes behind it.
    pub(super) fn behind(self, text: String) -> FileEdit {
        Self { from: self.to, ..self }.replaced(text)
    }

    /// Whether its last line has a comment, which would hide what comes behind it.
    pub(super) fn ends_in_comment(self) -> bool {
        self.text().lines().next_back().is_some_and(|line| line.contains("--"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_made_from_the_last_to_the_first() {
        let edit = |from, to, text: &str| FileEdit { file: "a".to_owned(), from, to, text: text.to_owned() };
        let (one, two) = (edit(0, 1, "xyz"), edit(2, 2, "!"));
        assert_eq!(edited("abc", &[&one, &two]), "xyzb!c");
        assert!(one.goes_with(&two) && !one.goes_with(&edit(1, 1, "")) && one.goes_with(&FileEdit { file: "b".to_owned(), ..one.clone() }));
    }

    #[test]
    fn a_statement_has_its_end() {
        let at = |whole: &'static str, from, to| Stretch { file: "a", whole, from, to };
        let select = at("  SELECT 1 \\gset p_\nx", 2, 10);
        assert_eq!((select.indent(), select.command(), select.with_command().text()), ("  ", "\\gset p_", "SELECT 1 \\gset p_"));
        assert_eq!(at("BEGIN ; x", 0, 5).with_end().text(), "BEGIN ;");
        assert_eq!(at("BEGIN\n", 0, 5).with_command().text(), "BEGIN");
        assert!(at("SELECT 1 -- one", 0, 15).ends_in_comment());
    }
}
