//! Bytes to entries: lines are put together to what the server wrote at once.

use crate::entry::{self, Entry, LogFormat};

/// The longest entry that is read; of a longer one nothing is.
const MOST_BYTES: usize = 4 << 20;

/// Puts entries together.
#[derive(Debug)]
pub(crate) struct Lines {
    format: LogFormat,
    /// A line that has no end yet.
    line: Vec<u8>,
    /// Whether the line is longer than is read.
    too_long: bool,
    /// An entry that may have more lines.
    open: String,
    /// Whether the file so far has only lines of which the beginning is missing.
    at_start: bool,
    /// Entries that were read.
    pub(crate) entries: u64,
    /// Entries that were cut, at the beginning or the end of a file, or too long.
    pub(crate) cut: u64,
    /// Entries that are none of this format.
    pub(crate) strange: u64,
    /// Of the latter the first, and whether it was all.
    pub(crate) read: u64,
}

impl Lines {
    pub(crate) fn new(format: LogFormat) -> Self {
        let (line, open) = Default::default();
        Self { format, line, too_long: false, open, at_start: true, entries: 0, cut: 0, strange: 0, read: 0 }
    }

    pub(crate) fn format(&mut self, format: LogFormat) {
        self.format = format;
        self.at_start = true;
    }

    pub(crate) fn feed(&mut self, bytes: &[u8], take: &mut dyn FnMut(Entry)) {
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            if self.line.len() + part.len() > MOST_BYTES {
                self.too_long = true;
                self.line.clear();
            }
            if !self.too_long {
                self.line.extend_from_slice(part);
            }
            if part.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                if std::mem::take(&mut self.too_long) {
                    self.cut += 1;
                    self.open.clear();
                } else {
                    self.line(&String::from_utf8_lossy(&line), take);
                }
                self.line = line;
                self.line.clear();
            }
        }
    }

    /// The file ends. A line without an end is one that was cut.
    pub(crate) fn end_file(&mut self, take: &mut dyn FnMut(Entry)) {
        let is_cut = !self.line.is_empty() || self.too_long;
        // What was cut is part of the entry before if that goes on: with a tab, or within quotes.
        let goes_on = match self.format {
            LogFormat::Stderr => self.line.starts_with(b"\t"),
            LogFormat::Csv => !self.open.is_empty(),
            LogFormat::Json => false,
        };
        if goes_on {
            self.open.clear();
        }
        self.cut += u64::from(is_cut || goes_on);
        self.line.clear();
        self.close(take);
        (self.too_long, self.at_start) = (false, true);
    }

    fn line(&mut self, line: &str, take: &mut dyn FnMut(Entry)) {
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        match self.format {
            LogFormat::Stderr => {
                if line.starts_with('\t') || (entry::severity(line).is_none() && !self.open.is_empty()) {
                    if self.open.is_empty() {
                        self.cut += u64::from(std::mem::take(&mut self.at_start));
                    } else {
                        self.longer(line.strip_prefix('\t').unwrap_or(line));
                    }
                    return;
                }
                self.close(take);
                self.open.push_str(line);
            }
            LogFormat::Csv => {
                if self.open.is_empty() {
                    self.open.push_str(line);
                } else {
                    self.longer(line);
                }
                // A quoted field may have line ends.
                if self.open.bytes().filter(|&byte| byte == b'"').count().is_multiple_of(2) {
                    self.close(take);
                }
            }
            LogFormat::Json => {
                self.open.push_str(line);
                self.close(take);
            }
        }
    }

    fn longer(&mut self, line: &str) {
        if self.open.len() + line.len() > MOST_BYTES {
            self.cut += 1;
            self.open.clear();
        } else {
            self.open.push('\n');
            self.open.push_str(line);
        }
    }

    fn close(&mut self, take: &mut dyn FnMut(Entry)) {
        let text = std::mem::take(&mut self.open);
        if text.trim().is_empty() {
            return;
        }
        self.entries += 1;
        match entry::read(self.format, &text) {
            Some(entry) => {
                self.read += 1;
                take(entry);
            }
            None if self.at_start => self.cut += 1,
            None => self.strange += 1,
        }
        self.at_start = false;
    }
}
