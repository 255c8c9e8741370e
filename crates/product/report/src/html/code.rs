//! The program as a listing, with what matters marked.

use std::collections::BTreeMap;
use std::fmt::Write;

use serval_syntax::{SyntaxKind, is_global, parse};

use crate::escape::{lines as visible, name, xml as escaped};
use crate::proof::plainly;

/// The lines of a program; `notes` are shown beside theirs.
pub(crate) fn listing(text: &str, notes: &BTreeMap<u32, &'static str>) -> String {
    let mut lines: Vec<String> = vec![String::new()];
    let tokens = parse(text).syntax().descendants_with_tokens().filter_map(|element| element.into_token());
    for token in tokens {
        let class = match token.kind() {
            SyntaxKind::YieldKw => "yield",
            SyntaxKind::LineComment | SyntaxKind::BlockComment => "comment",
            SyntaxKind::Number => "number",
            SyntaxKind::Name if is_global(token.text()) => "global",
            kind if kind.is_keyword() => "keyword",
            _ => "",
        };
        // A comment may go over several lines.
        for (position, part) in token.text().split('\n').enumerate() {
            if position > 0 {
                lines.push(String::new());
            }
            let (part, Some(line)) = (escaped(&visible(part.trim_end_matches('\r'))), lines.last_mut()) else { continue };
            let _ = match class {
                "" => write!(line, "{part}"),
                _ if part.is_empty() => Ok(()),
                _ => write!(line, "<span class=\"{class}\">{part}</span>"),
            };
        }
    }
    if lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    let mut out = String::from("<ol class=\"code\">\n");
    for (number, line) in (1..).zip(&lines) {
        let note = notes.get(&number);
        let class = if note.is_some() { " class=\"noted\"" } else { "" };
        let _ = write!(out, "<li{class} data-line=\"{number}\"><code>{line}</code>");
        if let Some(note) = note.filter(|note| !note.is_empty()) {
            let _ = write!(out, "<span class=\"note\">{}</span>", escaped(&plainly(note.trim_start_matches("<- "))));
        }
        out.push_str("</li>\n");
    }
    out.push_str("</ol>\n");
    out
}

/// The files of a workload of SQL, one below the other; the row of this number is marked.
pub(crate) fn files(files: &[(String, String)], marked: Option<u32>) -> String {
    let mut out = String::new();
    let mut row = 0;
    for (file, text) in files {
        let _ = write!(out, "<h3>{}</h3>\n<ol class=\"code\">\n", escaped(&name(file)));
        for line in text.lines() {
            row += 1;
            let class = if marked == Some(row) { " class=\"noted\"" } else { "" };
            let shown = visible(line.trim_end_matches('\r'));
            // What stands in quotation marks may have two dashes.
            let comment = shown.find("--").filter(|at| !shown[..*at].contains(['\'', '"']));
            let (code, comment) = shown.split_at(comment.unwrap_or(shown.len()));
            let comment = if comment.is_empty() { String::new() } else { format!("<span class=\"comment\">{}</span>", escaped(comment)) };
            let _ = writeln!(out, "<li{class} data-line=\"{row}\"><code>{}{comment}</code></li>", escaped(code));
        }
        out.push_str("</ol>\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_there_and_nothing_is_markup() {
        let text = "// a < b\nrequest a {\n  X := 1; /* two\n lines */\n  yield\n}\n";
        let notes = BTreeMap::from([(5, "<- another request can run here")]);
        let listing = listing(text, &notes);
        assert_eq!(listing.matches("<li").count(), 6);
        assert!(listing.contains("<li class=\"noted\" data-line=\"5\">"), "{listing}");
        assert!(listing.contains("<span class=\"comment\">// a &lt; b</span>"), "{listing}");
        assert!(
            listing.contains("<span class=\"yield\">yield</span></code><span class=\"note\">another request can run here</span>"),
            "{listing}"
        );
        assert!(listing.contains("<span class=\"global\">X</span>"), "{listing}");
    }
}
