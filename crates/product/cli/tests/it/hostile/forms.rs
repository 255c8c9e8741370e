//! Small readers of what is written, as others read it.

use std::collections::BTreeSet;

/// Outside of code: the headings are ours, and no line has markup that is not.
pub(crate) fn headings(text: &str, count: usize) {
    let (blocks, outside) = blocks(text);
    let found: Vec<&&str> = outside.iter().filter(|line| line.starts_with('#')).collect();
    assert_eq!(found.len(), count, "{found:?}");
    for line in &outside {
        let code = without_code(line);
        let markup = code.match_indices(['<', '`', '*', '|']).find(|(at, _)| !code[..*at].ends_with('\\'));
        assert_eq!(markup, None, "{line:?}");
        assert!(!code.contains("](") || code.contains("\\]("), "{line:?}");
        assert!(line.is_empty() || line.starts_with("## `") || line.starts_with("- ") || line.starts_with(char::is_alphabetic), "{line:?}");
    }
    let diagrams = blocks.iter().filter(|(kind, _)| *kind == "mermaid");
    diagrams.for_each(|(_, lines)| sequence(lines));
}

/// The same as another, but for names.
pub(crate) fn markdown(text: &str, like: &str) {
    let (blocks_here, _) = blocks(text);
    let (blocks_there, _) = blocks(like);
    let headings_there = like.lines().filter(|line| line.starts_with("## ")).count();
    headings(text, headings_there);
    let kinds = |blocks: &[(&str, Vec<&str>)]| blocks.iter().map(|(kind, _)| (*kind).to_owned()).collect::<Vec<_>>();
    assert_eq!(kinds(&blocks_here), kinds(&blocks_there));
    for ((kind, here), (_, there)) in blocks_here.iter().zip(&blocks_there) {
        assert!(*kind != "mermaid" || here.len() == there.len(), "{here:?}");
    }
}

/// Blocks of code with their kinds and lines, and the lines outside.
fn blocks(text: &str) -> (Vec<(&str, Vec<&str>)>, Vec<&str>) {
    let (mut blocks, mut outside) = (Vec::<(&str, Vec<&str>)>::new(), Vec::new());
    let mut open: Option<usize> = None;
    for line in text.lines() {
        let bare = line.trim_start_matches(' ');
        let ticks = bare.len() - bare.trim_start_matches('`').len();
        let fence = ticks >= 3 && line.len() - bare.len() < 4;
        match open {
            Some(length) if fence && ticks >= length && bare[ticks..].trim().is_empty() => open = None,
            Some(_) => blocks.last_mut().unwrap().1.push(line),
            None if fence && !bare[ticks..].contains('`') => {
                open = Some(ticks);
                blocks.push((&bare[ticks..], Vec::new()));
            }
            None => outside.push(line),
        }
    }
    assert_eq!(open, None, "a block does not end");
    (blocks, outside)
}

/// A line without its code spans.
fn without_code(line: &str) -> String {
    let (mut out, mut rest) = (String::new(), line);
    while let Some(at) = rest.find('`') {
        let ticks = rest[at..].len() - rest[at..].trim_start_matches('`').len();
        out.push_str(&rest[..at]);
        let escaped = rest[..at].ends_with('\\');
        let after = &rest[at + ticks..];
        let end = after
            .match_indices(&"`".repeat(ticks))
            .map(|(end, _)| end)
            .find(|&end| !after[..end].ends_with('`') && !after[end + ticks..].starts_with('`'));
        match end {
            Some(end) if !escaped => rest = &after[end + ticks..],
            _ => {
                out.push_str(&rest[at..at + ticks]);
                rest = after;
            }
        }
    }
    out + rest
}

/// A table of Markdown with `count` rows.
pub(crate) fn table(text: &str, count: usize) {
    let rows: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).collect();
    assert_eq!(rows.len(), count + 2);
    let cells = |row: &str| {
        let (mut cells, mut escaped) = (0, false);
        for letter in row.chars() {
            cells += usize::from(letter == '|' && !escaped);
            escaped = letter == '\\' && !escaped;
        }
        cells
    };
    for row in &rows {
        assert_eq!(cells(row), cells(rows[0]), "{row}");
    }
}

/// A sequence diagram: every line is a statement of ours.
fn sequence(lines: &[&str]) {
    assert_eq!(lines[0], "sequenceDiagram");
    for line in &lines[1..] {
        let line = line.strip_prefix("    ").unwrap();
        let (subject, said) = match line.strip_prefix("participant ") {
            Some(rest) => rest.split_once(" as ").unwrap_or((rest, "")),
            None => line.split_once(": ").unwrap(),
        };
        let known = |part: &str| {
            part == "g" || part == "g as globals" || part.strip_prefix('r').is_some_and(|number| number.parse::<u32>().is_ok())
        };
        let subject = subject.strip_prefix("Note over ").unwrap_or(subject);
        let mut ends = subject.split("-->>").flat_map(|part| part.split("->>"));
        assert!(ends.all(known), "{line}");
        let mut rest = said.to_owned();
        // Entity codes.
        while let Some(at) = rest.find('#') {
            let end = rest[at..].find(';').unwrap_or_else(|| panic!("{line}"));
            assert!(rest[at + 1..at + end].parse::<u32>().is_ok(), "{line}");
            rest.replace_range(at..=at + end, "x");
        }
        assert!(!rest.contains([';', '%', '<', '>', '"', '`']), "{line}");
        assert!(!rest.to_lowercase().split(|letter: char| !letter.is_alphanumeric()).any(|word| word == "end"), "{line}");
    }
}

/// The name and the file of a workflow command.
pub(crate) fn command(line: &str) -> (&str, String) {
    let (head, message) = line.strip_prefix("::").unwrap().split_once("::").unwrap();
    assert!(!message.contains("##["), "{line}");
    let (name, properties) = head.split_once(' ').unwrap();
    let mut keys = Vec::new();
    let mut file = String::new();
    for property in properties.split(',') {
        let (key, value) = property.split_once('=').unwrap();
        if key == "file" {
            file = value.replace("%3A", ":").replace("%2C", ",").replace("%25", "%").replace("#\\u{23}[", "##[");
        }
        keys.push(key);
    }
    assert!(keys == ["file", "title"] || keys == ["file", "line", "endLine", "col", "endColumn", "title"], "{line}");
    (name, file)
}

/// The tokens of a DOT file, all strings the same.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\n' => {}
            '"' => loop {
                match letters.next().unwrap() {
                    '"' => break tokens.push("\"\"".to_owned()),
                    '\\' => assert!(matches!(letters.next(), Some('\\' | '"' | 'n' | 'r'))),
                    '\n' => panic!("a string goes on"),
                    _ => {}
                }
            },
            letter if letter.is_alphanumeric() || letter == '_' => {
                let mut word = String::from(letter);
                while let Some(more) = letters.next_if(|more| more.is_alphanumeric() || *more == '_') {
                    word.push(more);
                }
                tokens.push(word);
            }
            other => tokens.push(other.to_string()),
        }
    }
    tokens
}

/// A DOT file like another, but for its strings.
pub(crate) fn dot(text: &str, like: &str) {
    assert_eq!(tokens(text), tokens(like));
}

/// A flow chart like another, but for its strings.
pub(crate) fn mermaid(text: &str, like: &str) {
    let skeleton = |text: &str| text.split('"').step_by(2).collect::<Vec<_>>().join("\"\"");
    assert_eq!(skeleton(text), skeleton(like));
    for label in text.split('"').skip(1).step_by(2) {
        let text = label.replace("<br>", "");
        assert!(!text.contains(['<', '>', '`', '\\', '{', '[', '(', '|']), "{label}");
    }
}

/// The names of the elements of a page or picture, in which the tags are
/// balanced, and how many scripts there are.
fn elements(text: &str) -> (BTreeSet<&str>, usize) {
    const EMPTY: [&str; 4] = ["meta", "link", "br", "!DOCTYPE"];
    let (mut names, mut open, mut scripts) = (BTreeSet::new(), Vec::new(), 0);
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = &comment[comment.find("-->").unwrap() + 3..];
            continue;
        }
        let end = rest.find('>').unwrap();
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        let name = tag.trim_start_matches('/').split([' ', '/', '\n']).next().unwrap();
        if tag.starts_with('?') || EMPTY.contains(&name) || tag.ends_with('/') {
            names.insert(name);
        } else if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else {
            names.insert(name);
            open.push(name);
            scripts += usize::from(name.eq_ignore_ascii_case("script"));
            if matches!(name, "script" | "style") {
                rest = &rest[rest.find(&format!("</{name}>")).unwrap()..];
            }
        }
    }
    assert!(open.is_empty(), "{open:?}");
    (names, scripts)
}

/// A page or picture with no other elements than another has.
pub(crate) fn xml(text: &str, like: &str) {
    let ((here, scripts), (there, known)) = (elements(text), elements(like));
    assert!(here.is_subset(&there), "{here:?}");
    assert_eq!(scripts, known);
    let hidden = |character: char| character != '\n' && serval_report::escape::is_hidden(character);
    assert!(!text.contains(hidden), "{:?}", text.lines().find(|line| line.contains(hidden)));
}
