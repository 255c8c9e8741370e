//! What stands between two tokens: line ends and comments.
//!
//! A comment keeps its neighbours: where a line ends before or behind it in
//! the source, a line ends there in the result. That settles what it belongs
//! to, and it is what makes formatting idempotent, for the result then shows
//! the same line ends around the comment as the source did.
//!
//! ```text
//! a; // behind          trailing: on the line of the token before
//! // alone              alone: on a line of its own
//! /* before */ b        leading: on the line of the token behind, if no
//!                       line ends between
//! ```

/// A comment and where it stood.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comment<'t> {
    pub(crate) text: &'t str,
    /// `// …`, after which a line has to end.
    pub(crate) is_line: bool,
    /// Line ends between it and what stands before it.
    pub(crate) ends_before: usize,
    /// Where it began in its line, from 0.
    pub(crate) column: usize,
    /// Whether two blanks or more stood right before it, as where comments
    /// are aligned.
    pub(crate) is_set_off: bool,
}

/// What was read since the last token.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gap<'t> {
    comments: Vec<Comment<'t>>,
    /// Line ends since the last comment, or since the token.
    ends: usize,
    /// Whether a line has to end here, however many did in the source: the
    /// comments have been carried over a `;` from where one did.
    must_end: bool,
    /// Columns of blanks since the last comment or token or line end.
    blanks: usize,
}

/// The comments of a gap, by what becomes of them.
#[derive(Debug)]
pub(crate) struct Sorted<'g, 't> {
    pub(crate) trailing: &'g [Comment<'t>],
    pub(crate) alone: &'g [Comment<'t>],
    pub(crate) leading: &'g [Comment<'t>],
    /// Line ends before the token behind, or before the first leading comment.
    pub(crate) ends: usize,
}

impl Sorted<'_, '_> {
    pub(crate) fn has_comments(&self) -> bool {
        !(self.trailing.is_empty() && self.alone.is_empty() && self.leading.is_empty())
    }
}

impl<'t> Gap<'t> {
    pub(crate) fn whitespace(&mut self, ends: usize, blanks: usize) {
        self.ends += ends;
        self.blanks = blanks;
    }

    pub(crate) fn comment(&mut self, text: &'t str, is_line: bool, column: usize) {
        let ends_before = self.ends();
        self.comments.push(Comment { text, is_line, ends_before, column, is_set_off: self.blanks >= 2 });
        self.ends = 0;
        self.must_end = is_line;
        self.blanks = 0;
    }

    /// Line ends since the last comment.
    fn ends(&self) -> usize {
        self.ends.max(usize::from(self.must_end))
    }

    /// Whether no line ends between the two tokens.
    pub(crate) fn is_on_one_line(&self) -> bool {
        self.ends() == 0 && self.comments.iter().all(|comment| comment.ends_before == 0)
    }

    /// What is left for the gap behind a `;` or `,`: comments that would
    /// keep it from standing right behind its statement.
    pub(crate) fn carry_over(&mut self) -> Self {
        if self.comments.is_empty() || self.is_on_one_line() {
            return Self::default();
        }
        let must_end = self.ends() > 0;
        Self { comments: std::mem::take(&mut self.comments), ends: 0, must_end, blanks: 0 }
    }

    /// Sorts the comments. `starts` says that there is no token before,
    /// `closes` that the token behind is one to which nothing belongs, such as
    /// a closing bracket.
    pub(crate) fn sort(&self, starts: bool, closes: bool) -> Sorted<'_, 't> {
        let comments = self.comments.as_slice();
        let ends = self.ends();
        let lone = comments.iter().position(|comment| comment.ends_before > 0).unwrap_or(comments.len());
        let lone = if starts { 0 } else { lone };
        let (trailing, rest) = comments.split_at(lone);
        if ends > 0 || closes && !trailing.is_empty() && rest.is_empty() {
            return Sorted { trailing, alone: rest, leading: &[], ends };
        }
        if rest.is_empty() && !starts {
            return Sorted { trailing: &[], alone: &[], leading: trailing, ends };
        }
        if closes {
            return Sorted { trailing, alone: rest, leading: &[], ends };
        }
        // The last comment with a line end before it, and those behind it on
        // the same line, lead.
        let first = rest.iter().rposition(|comment| comment.ends_before > 0).unwrap_or(0);
        let (alone, leading) = rest.split_at(first);
        Sorted { trailing, alone, leading, ends: leading.first().map_or(ends, |comment| comment.ends_before) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads `a`, `/`, `|` as block comment, line comment and line end.
    fn gap(text: &'static str) -> Gap<'static> {
        let mut gap = Gap::default();
        for (index, letter) in text.char_indices() {
            match letter {
                '|' => gap.whitespace(1, 0),
                letter => gap.comment(&text[index..=index], letter == '/', 0),
            }
        }
        gap
    }

    fn sorted(text: &'static str, closes: bool) -> String {
        let gap = gap(text);
        let Sorted { trailing, alone, leading, ends } = gap.sort(false, closes);
        let word = |list: &[Comment<'_>]| list.iter().map(|comment| comment.text).collect::<String>();
        format!("{} {} {} {ends}", word(trailing), word(alone), word(leading))
    }

    #[test]
    fn comments_keep_their_neighbours() {
        assert_eq!(sorted("", false), "   0");
        assert_eq!(sorted("||", false), "   2");
        assert_eq!(sorted("a", false), "  a 0");
        assert_eq!(sorted("a", true), "a   0");
        assert_eq!(sorted("a|", false), "a   1");
        assert_eq!(sorted("|a", false), "  a 1");
        assert_eq!(sorted("|a", true), " a  0");
        assert_eq!(sorted("|a||", false), " a  2");
        assert_eq!(sorted("ab|c|de", false), "ab c de 1");
        assert_eq!(sorted("/|", false), "/   1");
        assert_eq!(sorted("/", false), "/   1");
    }

    #[test]
    fn a_semicolon_passes_comments_that_keep_it_from_its_statement() {
        assert!(gap("a").carry_over().comments.is_empty());
        let mut before = gap("a|/|");
        let behind = before.carry_over();
        assert!(before.comments.is_empty());
        assert_eq!(behind.comments.len(), 2);
        assert_eq!(behind.sort(false, false).ends, 1);
    }
}
