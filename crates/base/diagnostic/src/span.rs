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

/// In which units a column is counted where programs speak with each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// Units of 16 bits: a character beyond U+FFFF counts as two.
    #[default]
    Utf16,
    /// Characters (Unicode scalar values).
    Utf32,
}

impl Encoding {
    /// How many units a character takes.
    pub fn width(self, character: char) -> u32 {
        let units = match self {
            Self::Utf8 => character.len_utf8(),
            Self::Utf16 => character.len_utf16(),
            Self::Utf32 => 1,
        };
        // At most four.
        u32::try_from(units).unwrap_or(1)
    }
}

/// A place as editors count: line and column from 0, columns in units of an [`Encoding`]. A byte-order mark counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineColumn {
    /// The line, from 0.
    pub line: u32,
    /// The column, from 0.
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

    /// How many lines there are: one more than line ends.
    pub fn lines(&self) -> u32 {
        u32::try_from(self.line_starts.len()).unwrap_or(u32::MAX)
    }

    /// Where the line with this number begins and ends, from 0. Its line end, `\n` or `\r\n`, is not part of it.
    /// Behind the last line there is nothing: an empty range at the end of the text.
    pub fn line_range(&self, text: &str, line: u32) -> Span {
        let end_of_text = u32::try_from(text.len()).unwrap_or(u32::MAX);
        let line = line as usize;
        let Some(&start) = self.line_starts.get(line) else { return Span::new(end_of_text, end_of_text) };
        let Some(&next) = self.line_starts.get(line + 1) else { return Span::new(start.min(end_of_text), end_of_text) };
        let end = next - 1;
        let is_pair = end > start && text.as_bytes().get(end as usize - 1) == Some(&b'\r');
        Span::new(start, end - u32::from(is_pair))
    }

    /// Where `offset` stands in `text`, which must be the text indexed, as editors count. What is no place between
    /// two characters counts as the place before.
    pub fn line_column(&self, text: &str, offset: u32, encoding: Encoding) -> LineColumn {
        let mut end = (offset as usize).min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let at = u32::try_from(end).unwrap_or(u32::MAX);
        let line = self.line_starts.partition_point(|&start| start <= at) - 1;
        let start = self.line_starts[line] as usize;
        let before = &text[start..end];
        let column = match encoding {
            _ if self.ascii[line] => u32::try_from(before.len()).unwrap_or(u32::MAX),
            _ => before.chars().map(|character| encoding.width(character)).fold(0, u32::saturating_add),
        };
        LineColumn { line: u32::try_from(line).unwrap_or(u32::MAX), column }
    }

    /// The way back. A column behind the end of the line is that end; a line behind the last is the end of the text; a
    /// column within a character is the place before it.
    ///
    /// ```
    /// use serval_diagnostic::{Encoding, LineColumn, LineIndex};
    /// let text = "a\r\n🦊b";
    /// let lines = LineIndex::new(text);
    /// let at = |line, column| lines.offset(text, LineColumn { line, column }, Encoding::Utf16);
    /// assert_eq!((at(0, 1), at(0, 9), at(1, 1), at(1, 2), at(7, 0)), (1, 1, 3, 7, 8));
    /// ```
    pub fn offset(&self, text: &str, place: LineColumn, encoding: Encoding) -> u32 {
        let range = self.line_range(text, place.line);
        if place.line < self.lines() && self.ascii[place.line as usize] {
            return range.start.saturating_add(place.column).min(range.end);
        }
        let (mut at, mut left) = (range.start, place.column);
        for character in text[range.range()].chars() {
            let width = encoding.width(character);
            if width > left {
                break;
            }
            left -= width;
            at += Encoding::Utf8.width(character);
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENCODINGS: [Encoding; 3] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];

    #[test]
    fn every_place_is_found_again() {
        let texts = ["", "\n", "a\r\nb\n\r\n", "\u{feff}x\n🦊é\r\n漢e\u{301}\r", "\r\r\n\n🦊🦊", "no end"];
        for text in texts {
            let lines = LineIndex::new(text);
            for encoding in ENCODINGS {
                for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
                    // Between the two characters of a line end there is no place of an editor.
                    if text[..offset].ends_with('\r') && text[offset..].starts_with('\n') {
                        continue;
                    }
                    let offset = u32::try_from(offset).unwrap();
                    let place = lines.line_column(text, offset, encoding);
                    assert_eq!(lines.offset(text, place, encoding), offset, "{text:?} {encoding:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_place_is_the_one_before() {
        let text = "🦊b\nc";
        let lines = LineIndex::new(text);
        let at = |line, column, encoding| lines.offset(text, LineColumn { line, column }, encoding);
        assert_eq!([at(0, 1, Encoding::Utf16), at(0, 3, Encoding::Utf8), at(0, 1, Encoding::Utf32)], [0, 0, 4]);
        assert_eq!([at(0, 99, Encoding::Utf8), at(1, 99, Encoding::Utf16), at(u32::MAX, u32::MAX, Encoding::Utf16)], [5, 7, 7]);
        assert_eq!(lines.line_column(text, 2, Encoding::Utf16), LineColumn { line: 0, column: 0 });
        assert_eq!(lines.line_column(text, 99, Encoding::Utf16), LineColumn { line: 1, column: 1 });
    }
}
