//! Text that others have chosen, in every syntax that is written here.
//!
//! There is one function for each syntax, and every writer uses it. They have
//! two things in common with [`serval_model::shown`], which is what a terminal
//! gets: every invisible character appears by number, as `\u{1b}`, and so a name
//! stays on its line. What a syntax would take for markup is written as that
//! syntax wants it. Names in which there is neither are not changed by a byte.
//!
//! - terminals, and whatever is plain text: [`name`], [`line`](fn@line), [`lines`]
//! - words of a shell: [`shell`]
//! - Markdown: [`code_span`], [`fenced`], [`markdown`], [`markdown_name`]
//! - workflow commands of GitHub: [`command_log`], [`command_message`], [`command_property`]
//! - DOT: [`dot`]; Mermaid: [`mermaid_label`], [`mermaid_text`]
//! - CSV: [`line`](fn@line), which the crate `csv` quotes; JSON, which serde has written: [`json`]
//! - pages and pictures: [`xml`]

use std::fmt::Write;

pub use serval_draw::escaped as xml;
pub use serval_model::shown::{file_name, is_hidden, line, lines, name};

/// A word for a shell. Where something in it cannot be seen, in the form
/// `$'…'`, which `bash` and `zsh` know.
pub fn shell(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() && !is_hidden(letter) || "/-_.,+:@%".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    if !word.contains(is_hidden) {
        return format!("'{}'", word.replace('\'', r"'\''"));
    }
    let mut out = String::from("$'");
    for letter in word.chars() {
        match letter {
            '\'' | '\\' => out.extend(['\\', letter]),
            letter if is_hidden(letter) => {
                for byte in letter.encode_utf8(&mut [0; 4]).bytes() {
                    let _ = write!(out, "\\{byte:03o}");
                }
            }
            letter => out.push(letter),
        }
    }
    out.push('\'');
    out
}

/// How many backticks stand together at most.
fn longest_run(text: &str) -> usize {
    text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0)
}

/// A name as a code span of Markdown.
pub fn code_span(text: &str) -> String {
    let text = line(text);
    let ticks = "`".repeat(longest_run(&text) + 1);
    // A blank at both ends is taken away again.
    let ends = |letter: char| text.starts_with(letter) || text.ends_with(letter);
    let blank = if ends('`') || text.starts_with(' ') && text.ends_with(' ') { " " } else { "" };
    format!("{ticks}{blank}{text}{blank}{ticks}")
}

/// A block of code in Markdown, with its newline. The text may have several
/// lines; its last one need not end.
pub fn fenced(kind: &str, text: &str) -> String {
    let fence = "`".repeat((longest_run(text) + 1).max(3));
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{kind}\n{text}{end}{fence}\n")
}

/// A message within a line of Markdown. What it has between backticks stays
/// code.
pub fn markdown(text: &str) -> String {
    plain_markdown(&line(text), true)
}

/// A name within a line of Markdown, or in a cell of a table.
pub fn markdown_name(text: &str) -> String {
    plain_markdown(&line(text), false)
}

fn plain_markdown(text: &str, with_code: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let after = &rest[letter.len_utf8()..];
        if letter == '`' && with_code {
            let ticks = rest.len() - rest.trim_start_matches('`').len();
            if let Some(end) = end_of_code(rest, ticks) {
                out.push_str(&rest[..end]);
                rest = &rest[end..];
                continue;
            }
        }
        let next = after.chars().next();
        let in_word = |other: Option<char>| other.is_some_and(char::is_alphanumeric);
        let special = match letter {
            '`' | '<' | '*' | '|' | '$' | '~' => true,
            // Within a word it is a letter.
            '_' => !(in_word(next) && in_word(out.chars().next_back())),
            '\\' => next.is_some_and(|next| next.is_ascii_punctuation()),
            '&' => next.is_some_and(|next| next == '#' || next.is_ascii_alphanumeric()),
            ']' => matches!(next, Some('(' | '[' | ':')),
            '!' => next == Some('['),
            // What would begin a heading, a list or a quotation.
            '#' | '>' | '-' | '+' | '=' => out.is_empty() && !with_code,
            _ => false,
        };
        if special {
            out.push('\\');
        }
        out.push(letter);
        rest = after;
    }
    out
}

/// The end of the code span that begins with `ticks` backticks.
fn end_of_code(text: &str, ticks: usize) -> Option<usize> {
    let mut at = ticks;
    while let Some(found) = text[at..].find('`') {
        let start = at + found;
        let run = text[start..].len() - text[start..].trim_start_matches('`').len();
        at = start + run;
        if run == ticks {
            return Some(at);
        }
    }
    None
}

/// A line of a workflow's log that is no command, after what it begins with.
pub fn command_log(text: &str) -> String {
    // The older form of commands is looked for everywhere in a line.
    line(text).replace("##[", "#\\u{23}[")
}

/// Text in a message of a workflow command.
pub fn command_message(text: &str) -> String {
    command_log(text).replace('%', "%25")
}

/// Text in a property of a workflow command.
pub fn command_property(text: &str) -> String {
    command_message(text).replace(':', "%3A").replace(',', "%2C")
}

/// A label of DOT, quoted. It may have several lines.
pub fn dot(text: &str) -> String {
    let text = lines(text);
    let mut quoted = String::from('"');
    for (at, character) in text.char_indices() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\\\u{9}"),
            // Entities of HTML have their meaning in labels, too.
            '&' if text[at + 1..].starts_with(|next: char| next == '#' || next.is_ascii_alphanumeric()) => quoted.push_str("&amp;"),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// A label of a flow chart of Mermaid, quoted. It may have several lines. The
/// only escapes of Mermaid are entity codes.
pub fn mermaid_label(text: &str) -> String {
    let mut quoted = String::from('"');
    for character in lines(text).chars() {
        match character {
            '\n' => quoted.push_str("<br>"),
            c if c.is_alphanumeric() || " =,→.-_:+/".contains(c) => quoted.push(c),
            c => {
                let _ = write!(quoted, "#{};", u32::from(c));
            }
        }
    }
    quoted.push('"');
    quoted
}

/// Text in a sequence diagram of Mermaid, which ends with its line.
pub fn mermaid_text(text: &str) -> String {
    let text = line(text);
    let mut out = String::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        let in_word = |other: Option<char>| other.is_some_and(char::is_alphanumeric);
        match character {
            ';' | '#' | ':' | '<' | '>' | '"' | '`' | '%' | '&' | '{' | '}' | '\\' | '$' => {
                let _ = write!(out, "#{};", u32::from(character));
            }
            // The word ends a block wherever it stands.
            'e' | 'E'
                if text.as_bytes().get(at..at + 3).is_some_and(|word| word.eq_ignore_ascii_case(b"end"))
                    && !in_word(text[..at].chars().next_back())
                    && !in_word(text[at + 3..].chars().next()) =>
            {
                let _ = write!(out, "#{};", u32::from(character));
            }
            other => out.push(other),
        }
    }
    out
}

/// JSON that was written already: what cannot be seen in its strings is written
/// by its number there, too. The values are the same.
pub fn json(text: String) -> String {
    // Below 0x20 only blanks between values are left.
    let hidden = |character: char| character > '~' && is_hidden(character);
    if !text.contains(hidden) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if hidden(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(character);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harmless_names_stay() {
        for text in ["bank.json", "dir/my_file-2.ser", "Größe 漢字", "X=1, Y=2", "get_balance", "a+b"] {
            let written = [markdown(text), markdown_name(text), command_message(text), mermaid_text(text)];
            assert!(written.iter().all(|written| written == text), "{written:?}");
            assert_eq!((dot(text), code_span(text)), (format!("\"{text}\""), format!("`{text}`")));
        }
        assert_eq!((shell("a/b.ser"), shell("a b")), ("a/b.ser".to_owned(), "'a b'".to_owned()));
    }

    #[test]
    fn markdown_is_text() {
        assert_eq!(markdown_name("# a"), "\\# a");
        assert_eq!(markdown_name("a|b\\|c"), "a\\|b\\\\\\|c");
        assert_eq!(markdown_name("<script>&lt;[x](y)"), "\\<script>\\&lt;[x\\](y)");
        assert_eq!(markdown("there is no `a<b` and ` or *"), "there is no `a<b` and \\` or \\*");
        assert_eq!(code_span("a`b``"), "``` a`b`` ```");
        assert_eq!(fenced("text", "a\n````\n"), "`````text\na\n````\n`````\n");
    }

    #[test]
    fn other_syntaxes() {
        assert_eq!(command_property("a%0A,b:\n##[x"), "a%250A%2Cb%3A\\u{a}#\\u{23}[x");
        assert_eq!(dot("a\"\\N\n&#27;&"), "\"a\\\"\\\\N\\n&amp;#27;&\"");
        assert_eq!(mermaid_text("end; pending END"), "#101;nd#59; pending #69;ND");
        assert_eq!(mermaid_label("a\"\u{1b}"), "\"a#34;#92;u#123;1b#125;\"");
        assert_eq!(shell("it's\n"), "$'it\\'s\\012'");
    }

    #[test]
    fn json_means_the_same() {
        let text = "a\u{7f}\u{9b}\u{202e}\u{e0041}\n\\u{1b}\u{1b}ö";
        let written = json(serde_json::to_string(text).unwrap());
        assert!(!written.contains(is_hidden), "{written}");
        assert_eq!(serde_json::from_str::<String>(&written).unwrap(), text);
    }
}
