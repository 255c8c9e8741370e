//! How a text may look on a screen: how wide it is, whether it has colours.
//!
//! What is made elsewhere is plain text; [`Look::finish`] breaks its sentences
//! where the screen ends and paints what stands at known places. Tables and
//! excerpts are laid out for the width by themselves and are left alone here.

/// How a text may look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// How many characters fit on a line.
    pub width: usize,
    /// Whether sentences are broken at the width. Where the output is no
    /// screen they are not: a search for a sentence needs it whole.
    pub wrap: bool,
    /// Whether only ASCII may be used.
    pub ascii: bool,
    /// Whether there are colours.
    pub colour: bool,
}

impl Default for Look {
    fn default() -> Self {
        Self { width: 100, wrap: false, ascii: false, colour: false }
    }
}

/// What a part of a text is, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ink {
    /// As it is.
    Plain,
    /// All is well; a line that was added.
    Good,
    /// Something is wrong; a line that was removed.
    Bad,
    /// Undecided, or something changed.
    Changed,
    /// A read.
    Read,
    /// What stands above or before something else.
    Title,
    /// What matters less.
    Faint,
}

impl Ink {
    fn code(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Good => Some("32"),
            Self::Bad => Some("31"),
            Self::Changed => Some("33"),
            Self::Read => Some("36"),
            Self::Title => Some("1"),
            Self::Faint => Some("2"),
        }
    }
}

/// Where what is said begins, behind a word such as `why`.
const COLUMN: usize = 18;
/// A narrower screen is treated as one of this width.
const LEAST: usize = 40;

impl Look {
    pub(crate) fn reads(self) -> &'static str {
        if self.ascii { "->" } else { "➜" }
    }

    pub(crate) fn arrow(self) -> &'static str {
        if self.ascii { "->" } else { "→" }
    }

    /// What stands for letters that are left out.
    pub(crate) fn ellipsis(self) -> &'static str {
        if self.ascii { ".." } else { "…" }
    }

    /// The text in a colour, where there are colours.
    pub(crate) fn paint(self, text: &str, ink: Ink) -> String {
        match ink.code().filter(|_| self.colour && !text.is_empty()) {
            Some(code) => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            None => text.to_owned(),
        }
    }

    /// The text as the screen shows it: in ASCII alone where it must be,
    /// sentences broken, words painted. It works line by line, so that a
    /// beginning of a text becomes the beginning of the result.
    pub fn finish(self, text: &str) -> String {
        let plain = if self.ascii { in_ascii(text) } else { text.to_owned() };
        let mut out = String::with_capacity(plain.len());
        let mut in_hunk = false;
        for line in plain.split_inclusive('\n') {
            let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
            // Of a difference between texts also the lines that stay are left alone.
            in_hunk = line.starts_with("@@") || in_hunk && line.starts_with([' ', '+', '-', '\\']);
            // What has colours already was laid out by itself.
            if line.contains('\u{1b}') || in_hunk && line.starts_with(' ') {
                out.push_str(line);
            } else {
                for (position, part) in self.broken(line).iter().enumerate() {
                    out.push_str(if position == 0 { "" } else { "\n" });
                    out.push_str(&if position == 0 { self.painted(part) } else { part.clone() });
                }
            }
            out.push_str(end);
        }
        out
    }

    /// A line in lines that fit, as far as its words do.
    fn broken(self, line: &str) -> Vec<String> {
        let width = self.width.max(LEAST);
        let hang = hanging(line);
        let told = line.get(hang..).unwrap_or_default();
        // A command is copied as a whole; a change is what `patch` takes.
        if !self.wrap || line.chars().count() <= width || told.starts_with("serval ") || DiffLine::of(line).is_some() {
            return vec![line.to_owned()];
        }
        let indent = " ".repeat(if hang == COLUMN { COLUMN } else { line.len() - line.trim_start().len() + 2 });
        let mut lines = Vec::new();
        let mut current = String::new();
        let mut gap = 0;
        for word in words(line, width) {
            let fits = current.chars().count() + gap + word.chars().count() <= width;
            if word.is_empty() || fits || current.trim().is_empty() {
                if !word.is_empty() {
                    current.push_str(&" ".repeat(gap));
                    current.push_str(word);
                    gap = 0;
                }
                gap += 1;
            } else {
                lines.push(std::mem::replace(&mut current, format!("{indent}{word}")));
                gap = 1;
            }
        }
        lines.push(current);
        lines
    }

    /// The verdict, the word before a sentence or the line of a change, painted.
    fn painted(self, line: &str) -> String {
        if !self.colour {
            return line.to_owned();
        }
        if let Some(change) = DiffLine::of(line) {
            return self.paint(line, change.ink());
        }
        if hanging(line) == COLUMN && !line.starts_with("   ") {
            let (label, rest) = line.split_at(COLUMN);
            return format!("{}{rest}", self.paint(label, Ink::Title));
        }
        let verdicts = [
            ("serializable  ", Ink::Good),
            ("serializable, also in real time  ", Ink::Good),
            ("not serializable  ", Ink::Bad),
            ("strict  ", Ink::Good),
            ("not strict  ", Ink::Bad),
            ("can fail  ", Ink::Bad),
            ("undecided  ", Ink::Changed),
            ("error  ", Ink::Bad),
        ];
        match verdicts.iter().find(|(verdict, _)| line.starts_with(verdict)) {
            Some((verdict, ink)) => format!("{}{}", self.paint(verdict, *ink), &line[verdict.len()..]),
            None => line.to_owned(),
        }
    }
}

/// A line of a difference between two texts.
enum DiffLine {
    Added,
    Removed,
    Place,
}

impl DiffLine {
    /// What kind of line of a difference this is. Nothing else that is shown to
    /// people begins with these characters.
    fn of(line: &str) -> Option<Self> {
        match line.as_bytes() {
            [b'+', ..] => Some(Self::Added),
            [b'-', ..] => Some(Self::Removed),
            [b'@', b'@', ..] => Some(Self::Place),
            _ => None,
        }
    }

    fn ink(&self) -> Ink {
        match self {
            Self::Added => Ink::Good,
            Self::Removed => Ink::Bad,
            Self::Place => Ink::Read,
        }
    }
}

/// Where what is said begins: behind a word and blanks, or in the same column
/// without one; 0 where the line is none of these.
fn hanging(line: &str) -> usize {
    let bytes = line.as_bytes();
    let blanks = |from: usize, to: usize| bytes.get(from..to).is_some_and(|part| part.iter().all(|&byte| byte == b' '));
    let labelled = blanks(0, 2) && blanks(COLUMN - 2, COLUMN) && bytes.get(COLUMN).is_some_and(|&byte| byte != b' ');
    if labelled && line.is_char_boundary(COLUMN) { COLUMN } else { 0 }
}

/// What a line can be broken between: its words, or, where it is a verdict with
/// parts that stand apart, these parts.
fn words(line: &str, width: usize) -> Vec<&str> {
    const APART: &str = "   ";
    let apart = !line.starts_with(' ') && line.contains(APART) && line.split(APART).all(|part| part.chars().count() + 2 <= width);
    if !apart {
        return line.split(' ').collect();
    }
    // Between two parts there are as many blanks as in the line.
    line.split(APART).flat_map(|part| ["", "", part]).skip(2).collect()
}

/// Without what a terminal that shows ASCII alone cannot show.
fn in_ascii(text: &str) -> String {
    text.replace(['→', '➜'], "->").replace('–', "-").replace('…', "...").replace('×', "x")
}

/// A number as people write it: 10,402.
pub(crate) fn counted(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A time as people write it.
pub fn time(milliseconds: f64) -> String {
    // Rounded numbers decide, so that nothing is written as 1000.0 ms or 60.0 s.
    let tenths = rounded(milliseconds, 10.0);
    match tenths {
        0..10_000 => format!("{}.{} ms", tenths / 10, tenths % 10),
        10_000..599_500 => {
            let tenths = rounded(milliseconds, 0.01);
            format!("{}.{} s", tenths / 10, tenths % 10)
        }
        _ => {
            let seconds = rounded(milliseconds, 0.001);
            format!("{} min {} s", seconds / 60, seconds % 60)
        }
    }
}

#[expect(
    clippy::float_arithmetic,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a time for people; no verdict depends on it"
)]
fn rounded(milliseconds: f64, scale: f64) -> u64 {
    (milliseconds * scale).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const NARROW: Look = Look { width: 60, wrap: true, ascii: false, colour: false };

    #[test]
    fn sentences_are_broken_below_where_they_begin() {
        let text = "  why             #1 comes before #2, because #1 read BALANCE = 2 and #2 set it to 1 afterwards.\n";
        let lines: Vec<String> = NARROW.finish(text).lines().map(str::to_owned).collect();
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines.iter().all(|line| line.chars().count() <= 60), "{lines:?}");
        assert!(lines[1..].iter().all(|line| line.starts_with(&" ".repeat(18))), "{lines:?}");
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&lines.join(" ")), words(text));
        // Where the output is no screen a sentence stays whole.
        assert_eq!(Look { width: 60, ..Look::default() }.finish(text), text);
    }

    #[test]
    fn commands_and_changes_stay_whole() {
        let command = format!("                  serval fix {}\n", "long/".repeat(20));
        assert_eq!(NARROW.finish(&command), command);
        let long = "a := b; ".repeat(20);
        let change = format!("@@ -1,2 +1,2 @@\n   {long}\n-  {long}\n");
        assert_eq!(NARROW.finish(&change), change);
    }

    #[test]
    fn colours_change_nothing_but_colours() {
        let text = "not serializable  a.ser   lost update\n\n  why             because\n--- a\n+++ a\n@@ -1 +1 @@\n-yield\n+skip\n";
        let painted = Look { colour: true, ..Look::default() }.finish(text);
        assert!(painted.starts_with("\u{1b}[31mnot serializable  \u{1b}[0ma.ser"), "{painted:?}");
        assert!(painted.contains("\u{1b}[32m+skip\u{1b}[0m\n"), "{painted:?}");
        let mut bare = painted;
        for code in ["\u{1b}[31m", "\u{1b}[32m", "\u{1b}[36m", "\u{1b}[1m", "\u{1b}[0m"] {
            bare = bare.replace(code, "");
        }
        assert_eq!(bare, text);
    }

    #[test]
    fn numbers_are_written_as_people_write_them() {
        assert_eq!([0, 999, 1_000, 10_402, 1_234_567].map(counted), ["0", "999", "1,000", "10,402", "1,234,567"]);
    }

    #[test]
    fn times_are_written_as_people_write_them() {
        let times = [0.04, 12.34, 999.94, 999.96, 8_412.0, 59_960.0, 61_000.0, 600_000.0].map(time);
        assert_eq!(times, ["0.0 ms", "12.3 ms", "999.9 ms", "1.0 s", "8.4 s", "1 min 0 s", "1 min 1 s", "10 min 0 s"]);
    }
}
