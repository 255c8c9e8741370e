//! Programs one edit away from another.

use serval_model::SplitMix64;

use super::mutate::below;

/// Up to `count` texts that differ from a program by one edit. They need not
/// be programs.
pub(crate) fn of(program: &str, count: usize, random: &mut SplitMix64) -> Vec<String> {
    let plain: String = program.lines().map(|line| line.split("//").next().unwrap_or("").to_owned() + "\n").collect();
    let mut edits = all(&plain);
    let mut chosen = Vec::new();
    while chosen.len() < count && !edits.is_empty() {
        chosen.push(edits.swap_remove(below(random, edits.len())));
    }
    chosen
}

/// The places where a text occurs.
fn places<'a>(text: &'a str, part: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(part).map(|(at, _)| at)
}

fn replaced(text: &str, from: usize, to: usize, with: &str) -> String {
    format!("{}{with}{}", &text[..from], &text[to..])
}

/// All edits.
fn all(text: &str) -> Vec<String> {
    let mut edits = Vec::new();
    // Interruptions come and go.
    for word in ["yield;", "yield"] {
        edits.extend(places(text, word).map(|at| replaced(text, at, at + word.len(), if word == "yield" { "0" } else { "" })));
    }
    edits.extend(places(text, ";").map(|at| replaced(text, at, at + 1, "; yield;")));
    edits.extend(places(text, "{").map(|at| replaced(text, at, at + 1, "{ yield; ")));
    // Conditions are other conditions.
    for word in ["if (", "while ("] {
        for at in places(text, word) {
            let open = at + word.len() - 1;
            if let Some(close) = closing(text, open) {
                edits.push(format!("{}(!({})){}", &text[..open], &text[open + 1..close], &text[close + 1..]));
            }
        }
    }
    for (from, to) in [("==", "!="), ("<=", "<"), (">=", ">"), (" < ", " <= "), (" > ", " >= "), ("&&", "||"), ("||", "&&"), (" + ", " - ")]
    {
        edits.extend(places(text, from).map(|at| replaced(text, at, at + from.len(), to)));
    }
    constants(text, &mut edits);
    statements(text, &mut edits);
    edits
}

/// The closing parenthesis for an opening one.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, letter) in text.char_indices().skip_while(|&(at, _)| at < open) {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Numbers become others.
fn constants(text: &str, edits: &mut Vec<String>) {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut at = 0;
    while let Some(found) = text[at..].find(|letter: char| letter.is_ascii_digit()).map(|offset| at + offset) {
        let end = text[found..].find(|letter: char| !is_word(letter)).map_or(text.len(), |offset| found + offset);
        at = end;
        if text[..found].chars().next_back().is_some_and(is_word) {
            continue;
        }
        if let Ok(number) = text[found..end].parse::<i64>() {
            edits.extend(
                [number + 1, number - 1, 0].iter().filter(|&&n| n != number && n >= 0).map(|n| replaced(text, found, end, &n.to_string())),
            );
        }
    }
}

/// Simple statements are left out, and change places with the next.
fn statements(text: &str, edits: &mut Vec<String>) {
    let ends: Vec<usize> = places(text, ";").collect();
    let begin = |end: usize| text[..end].rfind(['{', ';', '}']).map_or(0, |at| at + 1);
    for (index, &end) in ends.iter().enumerate() {
        let from = begin(end);
        if text[from..end].contains("request") {
            continue;
        }
        edits.push(replaced(text, from, end + 1, ""));
        if let Some(&next) = ends.get(index + 1).filter(|&&next| begin(next) == end + 1) {
            edits.push(replaced(text, from, next + 1, &format!("{};{};", &text[end + 1..next], &text[from..end])));
        }
    }
}
