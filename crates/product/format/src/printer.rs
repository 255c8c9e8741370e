//! Decides which lines end where they may.
//!
//! A document is a stream of texts, breaks, and the beginnings and ends of
//! groups and of indentation. A break in a *flat* group is a blank or nothing;
//! in a *broken* group it ends the line. A group is flat where it fits: if it,
//! and what follows it up to the next break, ends within the width. What is
//! within a flat group is flat. This is the algebra of Wadler (*A prettier
//! printer*, 2003), printed in the manner of Oppen (*Prettyprinting*, 1980).
//!
//! Some lines must end: [`Printer::hard`]. No group around such a place can be
//! flat, so at such a place everything before it can be decided and written.
//! Hence only one logical line is ever held in memory, each item is looked at
//! a fixed number of times, and nothing recurses.

use crate::Style;

/// A part of the line that is not written yet.
#[derive(Clone, Copy, Debug)]
enum LineItem<'t> {
    Text(&'t str),
    /// A blank, whatever the group.
    Space,
    /// A break; flat, a blank if `blank`.
    Break {
        blank: bool,
    },
    Begin,
    End,
    Indent,
    Dedent,
    /// A `//` comment behind code. Comments do not count for the width.
    Remark {
        text: &'t str,
        column: Option<usize>,
    },
}

pub(crate) struct Printer<'t> {
    style: Style,
    out: String,
    /// Where the next character goes, in characters from 0. At the beginning
    /// of a line the blanks up to there are not written yet, so that an empty
    /// line has none.
    column: usize,
    at_start: bool,
    /// A blank to be written before the next text, if that is on this line.
    space: bool,
    /// Steps of indentation.
    level: usize,
    /// The groups around the place up to which is written: whether flat.
    groups: Vec<bool>,
    /// Where the last `//` comment behind code was written.
    remark_column: usize,
    waiting: Vec<LineItem<'t>>,
    measured: Measured,
}

/// What [`Printer::flush`] needs to know about the waiting items; kept for its
/// memory alone.
#[derive(Default)]
struct Measured {
    /// The flat width of all items before each, and of all.
    before: Vec<usize>,
    /// For each item, `before` at the first break from there on.
    to_break: Vec<usize>,
    /// For the beginning of a group, its end, if that is among the items.
    ends: Vec<Option<usize>>,
}

impl<'t> Printer<'t> {
    pub(crate) fn new(style: Style, capacity: usize) -> Self {
        Self {
            style,
            out: String::with_capacity(capacity),
            column: 0,
            at_start: true,
            space: false,
            level: 0,
            groups: Vec::new(),
            remark_column: 0,
            waiting: Vec::new(),
            measured: Measured::default(),
        }
    }

    /// A text without line ends.
    pub(crate) fn text(&mut self, text: &'t str) {
        self.waiting.push(LineItem::Text(text));
    }

    /// A blank between two texts of one line.
    pub(crate) fn space(&mut self) {
        self.waiting.push(LineItem::Space);
    }

    /// A place where the line may end; if it does not, there is a blank there
    /// or nothing.
    pub(crate) fn line(&mut self, blank: bool) {
        self.waiting.push(LineItem::Break { blank });
    }

    pub(crate) fn begin(&mut self) {
        self.waiting.push(LineItem::Begin);
    }

    pub(crate) fn end(&mut self) {
        self.waiting.push(LineItem::End);
    }

    pub(crate) fn indent(&mut self) {
        self.waiting.push(LineItem::Indent);
    }

    pub(crate) fn dedent(&mut self) {
        self.waiting.push(LineItem::Dedent);
    }

    /// A `//` comment behind code, at `column` if there is room. The caller
    /// ends the line after it.
    pub(crate) fn remark(&mut self, text: &'t str, column: Option<usize>) {
        self.waiting.push(LineItem::Remark { text, column });
    }

    /// A `//` comment on a line of its own, right below the last one behind
    /// code.
    pub(crate) fn remark_goes_on(&mut self, text: &'t str) {
        self.flush();
        self.column = self.column.max(self.remark_column);
        self.put(text);
    }

    /// Ends the line, and leaves an empty one where `empty`. At the beginning
    /// of the text nothing happens.
    pub(crate) fn hard(&mut self, empty: bool) {
        self.flush();
        if self.out.is_empty() {
            return;
        }
        if empty {
            self.out.push('\n');
        }
        self.newline();
    }

    /// A comment of several lines. `column` is where it began in the source,
    /// if nothing stood before it on its line; then all its lines move with
    /// the first.
    pub(crate) fn lines(&mut self, text: &str, column: Option<usize>) {
        self.flush();
        let target = self.column;
        for (number, line) in text.split('\n').enumerate() {
            let line = line.trim_end();
            if number == 0 {
                self.put(line);
                continue;
            }
            self.out.push('\n');
            let body = line.trim_start_matches([' ', '\t']);
            let blanks = line.len() - body.len();
            let moved = column.map_or(blanks, |column| (blanks + target).saturating_sub(column));
            if moved == blanks {
                self.out.push_str(line);
            } else if !body.is_empty() {
                self.out.extend(std::iter::repeat_n(' ', moved));
                self.out.push_str(body);
            }
            self.column = if body.is_empty() { 0 } else { moved + body.chars().count() };
        }
    }

    /// The text, which ends with one line end.
    pub(crate) fn finish(mut self) -> String {
        self.flush();
        if !self.at_start {
            self.out.push('\n');
        }
        self.out
    }

    fn newline(&mut self) {
        self.out.push('\n');
        self.column = self.level * self.style.indent;
        self.at_start = true;
        self.space = false;
    }

    fn put(&mut self, text: &str) {
        if self.at_start {
            self.out.extend(std::iter::repeat_n(' ', self.column));
            self.at_start = false;
        } else if self.space {
            self.out.push(' ');
            self.column += 1;
        }
        self.space = false;
        self.out.push_str(text);
        self.column += text.chars().count();
    }

    /// Writes all that waits. Groups that have not ended are broken.
    fn flush(&mut self) {
        let items = std::mem::take(&mut self.waiting);
        let mut measured = std::mem::take(&mut self.measured);
        measured.measure(&items);
        for (index, item) in items.iter().enumerate() {
            match *item {
                LineItem::Text(text) => self.put(text),
                LineItem::Space => self.space = true,
                LineItem::Break { blank } => {
                    if !self.is_flat() {
                        self.newline();
                    } else if blank {
                        self.space = true;
                    }
                }
                LineItem::Begin => {
                    let fits = || {
                        measured.ends[index].is_some_and(|end| {
                            let rest = measured.to_break[end] - measured.before[index];
                            self.column + usize::from(self.space) + rest <= self.style.width
                        })
                    };
                    let flat = self.is_flat() || fits();
                    self.groups.push(flat);
                }
                LineItem::End => {
                    self.groups.pop();
                }
                LineItem::Indent => self.level += 1,
                LineItem::Dedent => self.level = self.level.saturating_sub(1),
                LineItem::Remark { text, column } => {
                    // One that is set off stays so, that it is known again.
                    let gap = if column.is_some() { 2 } else { 1 };
                    let least = if self.at_start { self.column } else { self.column + gap };
                    let column = column.map_or(least, |column| column.max(least));
                    self.out.extend(std::iter::repeat_n(' ', if self.at_start { column } else { column - self.column }));
                    self.column = column;
                    (self.at_start, self.space) = (false, false);
                    self.remark_column = column;
                    self.put(text);
                }
            }
        }
        self.waiting = items;
        self.waiting.clear();
        self.measured = measured;
    }

    /// Outside of all groups nothing is flat.
    fn is_flat(&self) -> bool {
        self.groups.last().copied().unwrap_or(false)
    }
}

impl Measured {
    fn measure(&mut self, items: &[LineItem<'_>]) {
        self.before.clear();
        self.ends.clear();
        self.ends.resize(items.len(), None);
        let mut open = Vec::new();
        let mut width = 0;
        for (index, item) in items.iter().enumerate() {
            self.before.push(width);
            match *item {
                LineItem::Text(text) => width += text.chars().count(),
                LineItem::Space | LineItem::Break { blank: true } => width += 1,
                LineItem::Begin => open.push(index),
                LineItem::End => {
                    // A group that began before these items is broken.
                    if let Some(begin) = open.pop() {
                        self.ends[begin] = Some(index);
                    }
                }
                LineItem::Break { blank: false } | LineItem::Indent | LineItem::Dedent | LineItem::Remark { .. } => {}
            }
        }
        self.before.push(width);
        self.to_break.clear();
        self.to_break.resize(items.len(), width);
        let mut next = width;
        for (index, item) in items.iter().enumerate().rev() {
            if let LineItem::Break { .. } = item {
                next = self.before[index];
            }
            self.to_break[index] = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(width: usize, document: impl FnOnce(&mut Printer<'static>)) -> String {
        let mut printer = Printer::new(Style { indent: 2, width }, 0);
        document(&mut printer);
        printer.finish()
    }

    /// `f(a, (b, c));`
    fn nested(printer: &mut Printer<'static>) {
        printer.begin();
        printer.text("f(");
        printer.indent();
        printer.line(false);
        printer.text("a,");
        printer.line(true);
        printer.begin();
        printer.text("(b,");
        printer.indent();
        printer.line(true);
        printer.text("c)");
        printer.dedent();
        printer.end();
        printer.dedent();
        printer.line(false);
        printer.text(")");
        printer.end();
        printer.text(";");
    }

    #[test]
    fn what_fits_is_flat() {
        assert_eq!(printed(13, nested), "f(a, (b, c));\n");
    }

    #[test]
    fn what_follows_a_group_counts() {
        assert_eq!(printed(12, nested), "f(\n  a,\n  (b, c)\n);\n");
    }

    #[test]
    fn outer_groups_break_before_inner_ones() {
        assert_eq!(printed(7, nested), "f(\n  a,\n  (b,\n    c)\n);\n");
    }

    #[test]
    fn a_hard_end_breaks_all_groups_around_it() {
        let text = printed(80, |printer| {
            printer.begin();
            printer.text("{");
            printer.indent();
            printer.line(true);
            printer.text("a;");
            printer.hard(true);
            printer.text("b");
            printer.dedent();
            printer.line(true);
            printer.text("}");
            printer.end();
        });
        assert_eq!(text, "{\n  a;\n\n  b\n}\n");
    }

    #[test]
    fn remarks_keep_their_column_where_there_is_room() {
        let text = printed(80, |printer| {
            printer.text("a;");
            printer.remark("// one", Some(6));
            printer.hard(false);
            printer.remark_goes_on("// more");
            printer.hard(false);
            printer.text("long name;");
            printer.remark("// two", Some(6));
            printer.hard(false);
            printer.text("b;");
            printer.remark("// three", None);
        });
        assert_eq!(text, "a;    // one\n      // more\nlong name;  // two\nb; // three\n");
    }

    #[test]
    fn lines_of_a_comment_move_together() {
        let text = printed(80, |printer| {
            printer.text("{");
            printer.indent();
            printer.hard(false);
            printer.lines("/* a\n       b  \n\n  c */", Some(4));
            printer.dedent();
            printer.hard(false);
            printer.text("}");
        });
        assert_eq!(text, "{\n  /* a\n     b\n\nc */\n}\n");
    }
}
