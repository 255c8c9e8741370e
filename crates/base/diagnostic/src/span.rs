//! Places in a text.

/// A range of bytes in the text, `start..end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end`.
    pub fn new(start: u32, end: u32) -> Self {
        debug_assert!(start <= end);
        Self { start, end }
    }

    /// The smallest span that holds both.
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The same as a range of indices.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A place as people count: line and column from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters (Unicode scalar values).
    pub column: u32,
}

/// Finds lines and columns in one text.
///
/// Lines end at `\n`; a `\r` before it belongs to the line end. A byte-order
/// mark at the start of the text has no column.
#[derive(Clone, Debug)]
pub struct LineIndex {
    line_starts: Vec<u32>,
    /// Whether each line has nothing but ASCII, so that bytes are characters.
    ascii: Vec<bool>,
}

impl LineIndex {
    /// Indexes `text`, which must be shorter than 4 GiB.
    pub fn new(text: &str) -> Self {
        let (mut line_starts, mut ascii) = (vec![0], vec![true]);
        for (offset, byte) in text.bytes().enumerate() {
            if byte == b'\n' {
                line_starts.push(u32::try_from(offset + 1).unwrap_or(u32::MAX));
                ascii.push(true);
            } else if !byte.is_ascii()
                && let Some(ascii) = ascii.last_mut()
            {
                *ascii = false;
            }
        }
        Self { line_starts, ascii }
    }

    /// Where the line of `offset` begins.
    pub fn line_start(&self, offset: u32) -> u32 {
        self.line_starts[self.line_starts.partition_point(|&start| start <= offset) - 1]
    }

    /// Where `offset` stands in `text`, which must be the text indexed.
    pub fn position(&self, text: &str, offset: u32) -> Position {
        let line = self.line_starts.partition_point(|&start| start <= offset) - 1;
        let start = self.line_starts[line] as usize;
        let before = &text[start..(offset as usize).min(text.len()).max(start)];
        // Long lines are asked about often.
        let characters = if self.ascii[line] { before.len() } else { before.chars().filter(|&c| c != '\u{feff}').count() };
        Position { line: u32::try_from(line + 1).unwrap_or(u32::MAX), column: u32::try_from(characters + 1).unwrap_or(u32::MAX) }
    }
}
