//! Text that others have chosen, as people see it: names in systems, names of
//! files, texts of programs. Whatever it holds, it stays on its line and shows
//! what it is.
//!
//! Invisible characters ([`is_hidden`]: control characters, ends of lines,
//! characters that turn the direction of text or take no room) appear by
//! number, as `\u{1b}`. A byte that is no UTF-8, in
//! the name of a file, is written as `\x{ff}`. Everything else stays as it is,
//! byte by byte.
//!
//! Two names never look the same for that: in [`name`] a backslash that would
//! begin such a form is itself written as `\u{5c}`, and any other one stays, so
//! that what is written can be read back.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

/// Whether a character is invisible, or changes the place or the
/// direction of others.
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
                | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Whether a character is drawn onto the one before it.
fn is_mark(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

/// A name. Different names stay different.
pub fn name(text: &str) -> Cow<'_, str> {
    // The first character must not be drawn onto what stands before the name.
    written(text, |at, character| {
        is_hidden(character) || at == 0 && is_mark(character) || character == '\\' && text[at..].starts_with("\\u{")
    })
}

/// A text that is one line, in which names may be written already.
pub fn line(text: &str) -> Cow<'_, str> {
    written(text, |_, character| is_hidden(character))
}

/// A text of several lines. What ends a line stays, and so do tabs.
pub fn lines(text: &str) -> Cow<'_, str> {
    written(text, |at, character| match character {
        '\n' | '\t' => false,
        '\r' => !text[at + 1..].starts_with('\n'),
        other => is_hidden(other),
    })
}

fn written(text: &str, hidden: impl Fn(usize, char) -> bool) -> Cow<'_, str> {
    let Some(first) = text.char_indices().position(|(at, character)| hidden(at, character)) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len() + 16);
    for (position, (at, character)) in text.char_indices().enumerate() {
        if position >= first && hidden(at, character) {
            // Writing to a string does not fail.
            let _ = write!(out, "\\u{{{:x}}}", u32::from(character));
        } else {
            out.push(character);
        }
    }
    Cow::Owned(out)
}

/// The name of a file as text, hidden characters included. It is the name
/// itself, unless that is no UTF-8 or looks as if it were not: then the bytes
/// that are none, and a backslash before `x{`, are written as `\x{ff}`.
pub fn file_name(path: &Path) -> String {
    let mut out = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        out.push_str(&chunk.valid().replace("\\x{", "\\x{5c}x{"));
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{{{byte:x}}}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_seen_stays() {
        for text in ["", "bank.json", "Größe/Ωmega 漢字 é e\u{301} 🦊", "C:\\new\\users\\x", "a\"b'c<d>&#%`|[]()", "non\u{a0}breaking"]
        {
            assert_eq!((name(text), line(text), lines(text)), (text.into(), text.into(), text.into()));
            assert_eq!(file_name(Path::new(text)), text);
        }
        assert_eq!(lines("a\r\n\tb\n"), "a\r\n\tb\n");
    }

    #[test]
    fn what_cannot_be_seen_is_written() {
        assert_eq!(name("\u{1b}[2J\n\t\r\0\u{7f}\u{9b}x"), "\\u{1b}[2J\\u{a}\\u{9}\\u{d}\\u{0}\\u{7f}\\u{9b}x");
        assert_eq!(
            name("a\u{202e}b\u{2066}\u{200b}\u{feff}\u{2028}\u{e0041}"),
            "a\\u{202e}b\\u{2066}\\u{200b}\\u{feff}\\u{2028}\\u{e0041}"
        );
        assert_eq!(name("\u{301}a\u{301}"), "\\u{301}a\u{301}");
        assert_eq!(lines("a\rb\u{1b}\r\r\nc"), "a\\u{d}b\\u{1b}\\u{d}\r\nc");
        assert_eq!(line(&line("a\nb")), "a\\u{a}b");
    }

    /// What [`name`] has written, read back.
    fn read(written: &str) -> String {
        let mut parts = written.split("\\u{");
        let mut out = parts.next().unwrap().to_owned();
        for part in parts {
            let (number, rest) = part.split_once('}').unwrap();
            out.push(char::from_u32(u32::from_str_radix(number, 16).unwrap()).unwrap());
            out.push_str(rest);
        }
        out
    }

    #[test]
    fn names_can_be_read_back() {
        // All texts of up to five of these.
        let letters = ['\\', 'u', '{', '1', '}', '\u{1b}', 'x'];
        let mut texts = vec![String::new()];
        let mut first = 0;
        for _ in 0..5 {
            let last = texts.len();
            for index in first..last {
                for letter in letters {
                    texts.push(format!("{}{letter}", texts[index]));
                }
            }
            first = last;
        }
        for text in texts {
            assert_eq!(read(&name(&text)), text);
        }
    }

    #[cfg(unix)]
    #[test]
    fn names_of_files_stay_different() {
        use std::os::unix::ffi::OsStrExt;
        let named = |bytes: &[u8]| file_name(Path::new(std::ffi::OsStr::from_bytes(bytes)));
        assert_eq!(named(b"a\xff\xfe.ser"), "a\\x{ff}\\x{fe}.ser");
        assert_eq!(named(b"a\\x{ff}.ser"), "a\\x{5c}x{ff}.ser");
        assert_eq!(named("a\u{fffd}\n".as_bytes()), "a\u{fffd}\n");
    }
}
