//! How wide text is, without a font: widths that the fonts in the style sheet
//! do not exceed. They are those of DejaVu Sans and Verdana, the widest among the
//! usual ones, in hundredths of the size of the font.

/// The size of text in nodes, in pixels.
pub(crate) const NODE_SIZE: i32 = 13;
/// From one line of text in a node to the next.
pub(crate) const NODE_LINE: i32 = 17;
/// The size of text at edges, in pixels.
pub(crate) const LABEL_SIZE: i32 = 11;
/// From one line of text at an edge to the next.
pub(crate) const LABEL_LINE: i32 = 14;

/// How wide a character may be, in hundredths of the size.
fn hundredths(character: char) -> i32 {
    match character {
        'i' | 'j' | 'l' | '\'' => 30,
        'I' | 'J' => 46,
        ' ' | '\u{a0}' | '.' | ',' | ':' | ';' | '/' | '\\' | '|' | '-' => 38,
        'f' | 'r' | 't' | '!' | '(' | ')' | '[' | ']' => 46,
        '_' | '*' | '?' | '"' | '`' | 's' | 'c' | 'z' => 57,
        'm' | '@' | 'W' | '%' => 105,
        'w' | '#' | '+' | '<' | '=' | '>' | '^' | '~' | '&' | 'M' | 'O' | 'Q' | 'G' | 'D' | 'H' | 'N' | 'U' => 86,
        'a'..='z' | '0'..='9' | '$' | '{' | '}' => 65,
        ' '..='~' => 73,
        '→' | '×' | '·' | '–' => 86,
        // What changes the letter before it takes no room; a little is safe.
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200d}' | '\u{fe00}'..='\u{fe0f}' => 10,
        '\u{a1}'..='\u{2ff}' => 90,
        '\u{370}'..='\u{52f}' => 105,
        '\u{1f000}'.. => 145,
        _ => 110,
    }
}

/// How wide a line of text is at most, in pixels.
pub(crate) fn width(text: &str, size: i32) -> i32 {
    let sum = text.chars().map(hundredths).fold(0_i32, i32::saturating_add);
    // The sum is cut before it is multiplied: nothing of that width is drawn.
    (sum.min(10_000_000) * size + 99) / 100
}

/// Text that XML can hold and that stays where it stands.
pub(crate) fn clean(text: &str) -> String {
    text.chars().map(|character| if character == '\t' { ' ' } else { harmless(character) }).collect()
}

/// Control characters and those that turn the direction of others become
/// `\u{fffd}`.
fn harmless(character: char) -> char {
    match character {
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' => '\u{fffd}',
        '\u{2028}' | '\u{2029}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
        other => other,
    }
}

/// Text in an element or in an attribute in double quotes, of pages and of
/// pictures. What no page may contain, or what turns the direction of other
/// text, is replaced.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(character),
            other => escaped.push(harmless(other)),
        }
    }
    escaped
}

/// The text, or as much of its beginning as is at most `most` wide with three dots.
pub(crate) fn shortened(text: &str, size: i32, most: i32) -> String {
    if width(text, size) <= most {
        return text.to_owned();
    }
    let mut short = String::new();
    for character in text.chars() {
        short.push(character);
        if width(&short, size) + width("…", size) > most {
            short.pop();
            break;
        }
    }
    while short.ends_with(' ') {
        short.pop();
    }
    short.push('…');
    short
}

/// The lines of a text, broken between words, or within words that are too long,
/// so that none is wider than `most` (`\u{a0}` is no end of a word); the last of at most `lines` lines is shortened.
pub(crate) fn wrapped(text: &str, size: i32, most: i32, lines: usize) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for line in text.split('\n') {
        let mut current = String::new();
        for word in line.split(' ') {
            let longer = if current.is_empty() { word.to_owned() } else { format!("{current} {word}") };
            if width(&longer, size) <= most {
                current = longer;
                continue;
            }
            if !current.is_empty() {
                all.push(std::mem::take(&mut current));
            }
            for character in word.chars() {
                current.push(character);
                if width(&current, size) > most {
                    current.pop();
                    all.push(std::mem::replace(&mut current, character.to_string()));
                }
            }
            if all.len() > lines {
                break;
            }
        }
        all.push(current);
        if all.len() > lines {
            break;
        }
    }
    if all.len() > lines {
        let rest = format!("{}…", all[lines - 1]);
        all.truncate(lines - 1);
        all.push(if width(&rest, size) <= most { rest } else { shortened(&format!("{rest}…"), size, most) });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words_and_within_long_ones() {
        assert_eq!(wrapped("one two three", 10, 45, 4), ["one two", "three"]);
        assert!(wrapped(&"x".repeat(100), 10, 45, 3).iter().all(|line| width(line, 10) <= 45));
        assert_eq!(wrapped("a\nb\nc", 10, 45, 2), ["a", "b…"]);
        assert_eq!(wrapped("", 10, 45, 2), [""]);
    }

    #[test]
    fn short_text_stays() {
        assert_eq!(shortened("abc", 10, 100), "abc");
        let short = shortened("abc def ghi jkl", 10, 40);
        assert!(short.ends_with('…') && width(&short, 10) <= 40, "{short}");
    }

    #[test]
    fn wide_letters_are_wide() {
        assert!(width("漢字", 10) >= 20 && width("🦊", 10) >= 13);
    }

    #[test]
    fn nothing_ends_an_element_or_turns_the_direction() {
        assert_eq!(escaped("a<b>&\"c\"'"), "a&lt;b&gt;&amp;&quot;c&quot;&#39;");
        assert_eq!(escaped("x\ty\nz\u{0}\u{202e}\u{2066}"), "x\ty\nz\u{fffd}\u{fffd}\u{fffd}");
    }
}
