//! Programs one edit away from another.

use std::collections::BTreeSet;

use serval_model::SplitMix64;

/// Up to `count` texts that differ from a program by one edit. They need not
/// be programs.
pub fn of(program: &str, count: usize, random: &mut SplitMix64) -> Vec<String> {
    let plain: String = program.lines().map(|line| line.split("//").next().unwrap_or("").to_owned() + "\n").collect();
    let mut edits = all(&plain);
    let mut chosen = Vec::new();
    while chosen.len() < count && !edits.is_empty() {
        chosen.push(edits.swap_remove(random.index(edits.len())));
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
    variables(text, &mut edits);
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

/// Where the words and numbers of a text begin and end.
fn words(text: &str) -> Vec<(usize, usize)> {
    let mut words: Vec<(usize, usize)> = Vec::new();
    for (at, letter) in text.char_indices().filter(|&(_, letter)| letter.is_alphanumeric() || letter == '_') {
        match words.last_mut() {
            Some((_, end)) if *end == at => *end += letter.len_utf8(),
            _ => words.push((at, at + letter.len_utf8())),
        }
    }
    words
}

/// Numbers become others.
fn constants(text: &str, edits: &mut Vec<String>) {
    for (from, to) in words(text) {
        if let Ok(number) = text[from..to].parse::<i64>() {
            let others = [number.saturating_add(1), number - 1, 0].into_iter().filter(|&other| other != number && other >= 0);
            edits.extend(others.map(|other| replaced(text, from, to, &other.to_string())));
        }
    }
}

/// Shared variables become others.
fn variables(text: &str, edits: &mut Vec<String>) {
    let mut places = words(text);
    places.retain(|&(from, to)| text[from..to].starts_with(char::is_uppercase));
    let names: BTreeSet<&str> = places.iter().map(|&(from, to)| &text[from..to]).collect();
    for (from, to) in places {
        let next = names.iter().skip_while(|&&name| name <= &text[from..to]).chain(&names).next();
        edits.extend(next.filter(|&&name| name != &text[from..to]).map(|name| replaced(text, from, to, name)));
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
