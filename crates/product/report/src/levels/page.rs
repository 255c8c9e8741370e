//! The report as one page that opens from disk.

use std::fmt::Write;

use super::{LevelsReport, LevelsVerdict};
use crate::escape::{line, name, xml};
use crate::html::{head, section};

impl LevelsReport {
    /// The page.
    pub fn to_html(&self) -> String {
        let escaped = |text: &str| xml(&line(text));
        let class = match self.verdict {
            LevelsVerdict::Proved | LevelsVerdict::Assumed => "good",
            LevelsVerdict::Undecided => "open",
        };
        let workload = xml(&name(&self.workload));
        let mut out = head(&format!("levels: {workload}"), "");
        let _ = write!(
            out,
            "<header class=\"{class}\">\n<p class=\"file\">{workload}</p>\n\
             <h1><span class=\"mark\" aria-hidden=\"true\"></span>{}</h1>\n</header>\n<main>\n",
            escaped(&self.sentence)
        );
        let mut table = String::from(
            "<div class=\"wide figure\" tabindex=\"0\" role=\"region\" aria-label=\"Levels\">\n<table class=\"index\">\n<thead><tr>\
             <th scope=\"col\">script</th><th scope=\"col\">level</th><th scope=\"col\">lower</th></tr></thead>\n<tbody>\n",
        );
        for [script, level, lower] in self.rows() {
            let cells = [escaped(&script), escaped(&level), escaped(&lower)];
            let _ = writeln!(table, "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>", cells[0], cells[1], cells[2]);
        }
        table.push_str("</tbody>\n</table>\n</div>\n");
        section(&mut out, "levels", "Levels", &table);
        let facts = self.facts();
        let facts: String = facts.iter().map(|(title, words)| format!("<p>{}: {}</p>\n", escaped(title), escaped(words))).collect();
        section(&mut out, "facts", "What is known beside", &facts);
        for (number, run) in (1..).zip(&self.counterexamples) {
            let story: Vec<String> = run.story.iter().map(|told| escaped(told)).collect();
            let body = format!("<pre class=\"wide\" tabindex=\"0\">{}</pre>\n", story.join("\n"));
            section(&mut out, &format!("run-{number}"), &line(&format!("[{number}] {}", run.words())), &body);
        }
        let _ = write!(out, "</main>\n<footer>serval {}.</footer>\n</body>\n</html>\n", xml(&self.version));
        out
    }
}
