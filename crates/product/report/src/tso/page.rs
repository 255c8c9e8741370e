//! The report as one page that opens from disk.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{TsoReport, TsoRobust, TsoRun, TsoViolation};
use crate::escape::{lines as visible, name, xml};
use crate::html::{head, section};

/// What a run needs beside the style of all pages: the places of buffers are boxes, and what is in a cycle is marked.
pub(crate) const BUFFERS: &str = "\
table.tso { font: .9rem/1.5 ui-monospace, \"DejaVu Sans Mono\", Menlo, Consolas, monospace; margin: .3rem .7rem; }
table.tso td, table.tso th { white-space: nowrap; }
table.tso .idle { color: var(--quiet); }
table.tso tr.cycle td:first-child, table.tso tr.cycle th { font-weight: 700; color: var(--bad); }
table.tso .slot { border: 1px solid var(--line); background: var(--soft); padding: 0 .35rem; margin-right: .2rem; }
table.tso .changed { font-weight: 700; }
.tso-answers td { padding-right: 1.4rem; }";

/// Events of a run that a page shows.
const MOST_ROWS: usize = 500;

fn escaped(text: &str) -> String {
    xml(&crate::escape::line(text))
}

impl TsoReport {
    /// The page; `text` is the program.
    pub fn to_html(&self, text: &str, version: &str) -> String {
        let mut out = String::new();
        let verdict = self.robust.map_or("error", TsoRobust::words);
        let file = xml(&name(&self.file));
        out.push_str(&head(&format!("{verdict}: {file}"), BUFFERS));
        self.html_head(&mut out);
        out.push_str("<main>\n");
        let notes = self.html_main(&mut out);
        section(&mut out, "program", "The program", &listing(text, &notes));
        let checked = self.certificate.as_ref().is_some_and(|certificate| certificate.verified);
        let checked = if checked { " The independent checker accepted the evidence before this page was written." } else { "" };
        let _ = write!(out, "</main>\n<footer>serval {}.{checked}</footer>\n</body>\n</html>\n", xml(version));
        out
    }

    /// The report as elements of a page that has the text elsewhere, and [`page_style`](crate::page_style()) once.
    pub fn to_fragment(&self) -> String {
        let mut out = String::new();
        self.html_head(&mut out);
        self.html_main(&mut out);
        out
    }

    fn html_head(&self, out: &mut String) {
        let class = match self.verdict {
            "fine" => "good",
            "undecided" => "open",
            _ => "bad",
        };
        let verdict = self.robust.map_or("error", TsoRobust::words);
        let file = xml(&name(&self.file));
        let _ = write!(
            out,
            "<header class=\"{class}\">\n<p class=\"file\">{file}</p>\n\
             <h1><span class=\"mark\" aria-hidden=\"true\"></span>{verdict}</h1>\n"
        );
        for reason in [&self.reason, &self.robust_reason].into_iter().flatten() {
            let _ = writeln!(out, "<p>{}</p>", escaped(reason));
        }
        out.push_str("</header>\n");
    }

    /// All but the program; what is said beside its lines.
    fn html_main(&self, out: &mut String) -> BTreeMap<u32, Vec<String>> {
        if !self.questions.is_empty() {
            section(out, "questions", "Questions", &self.html_questions());
        }
        for (number, (question, run)) in (1..).zip(self.shown_runs()) {
            section(out, &format!("run-{number}"), &crate::escape::line(&question.text), &run.to_html(&[]));
        }
        let mut notes: BTreeMap<u32, Vec<String>> = BTreeMap::new();
        if let Some(violation) = &self.violation {
            section(out, "violation", "Why it is not robust", &self.html_violation(violation));
            for place in violation.in_source() {
                let after: Vec<String> = place.before.iter().map(usize::to_string).collect();
                notes.entry(place.line).or_default().push(format!("{} before {}", place.number, after.join(" and ")));
            }
        }
        if !self.rests.is_empty() {
            let paragraphs: Vec<String> = self.rests.iter().map(|words| format!("<p>{}</p>\n", escaped(words))).collect();
            section(out, "evidence", "What this rests on", &paragraphs.concat());
        }
        notes
    }

    fn html_questions(&self) -> String {
        let mut body = String::from(
            "<div class=\"wide figure\" tabindex=\"0\" role=\"region\" aria-label=\"Questions\">\n<table class=\"tso-answers\">\n\
             <tr><th scope=\"col\">question</th><th scope=\"col\">SC</th><th scope=\"col\">TSO</th></tr>\n",
        );
        for question in &self.questions {
            let class = if question.is_defect() { " class=\"seen\"" } else { "" };
            let _ = writeln!(
                body,
                "<tr{class}><td><code>{}</code></td><td>{}</td><td>{}</td></tr>",
                escaped(&question.text),
                question.verdict(question.sc),
                question.verdict(question.tso)
            );
        }
        body.push_str("</table>\n</div>\n");
        for question in &self.questions {
            if let Some(reason) = &question.reason {
                let _ = writeln!(body, "<p><code>{}</code>: {}</p>", escaped(&question.text), escaped(reason));
            }
        }
        body
    }

    fn html_violation(&self, violation: &TsoViolation) -> String {
        let marked: Vec<usize> = violation.cycle.iter().map(|edge| edge.from).collect();
        let mut body = format!("<p>{}:</p>\n{}\n<ol class=\"why\">\n", escaped(&self.disorder()), violation.run.to_html(&marked));
        for edge in &violation.cycle {
            let _ = writeln!(body, "<li>{}</li>", escaped(&edge.why));
        }
        body.push_str("</ol>\n<p>Each happens before the next, and the last before the first: a cycle.</p>\n");
        body
    }
}

impl TsoRun {
    /// A table with a column for each thread, for memory and for each buffer; these rows are in a cycle.
    fn to_html(&self, marked: &[usize]) -> String {
        if self.events.is_empty() {
            return "<p>At the beginning, before anything is read or written.</p>".to_owned();
        }
        let has_buffers = self.events.iter().any(|event| event.buffers.iter().any(|buffer| !buffer.is_empty()));
        let mut body = String::from(
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Run\">\n<table class=\"tso\">\n<tr><th scope=\"col\">step</th>",
        );
        for thread in &self.threads {
            let _ = write!(body, "<th scope=\"col\">{}</th>", escaped(thread));
        }
        body.push_str("<th scope=\"col\">memory</th>");
        for thread in self.threads.iter().filter(|_| has_buffers) {
            let _ = write!(body, "<th scope=\"col\">buffer {}</th>", escaped(thread));
        }
        body.push_str("</tr>\n");
        let mut before: Option<&Vec<i64>> = None;
        for (number, event) in (1..).zip(&self.events).take(MOST_ROWS) {
            let class = if marked.contains(&number) { " class=\"cycle\"" } else { "" };
            let _ = write!(body, "<tr{class}><th scope=\"row\">{number}</th>");
            for thread in 0..self.threads.len() {
                let _ = match (thread == event.thread, event.value) {
                    (false, _) => write!(body, "<td class=\"idle\">|</td>"),
                    (true, None) => write!(body, "<td>{}</td>", escaped(&event.text)),
                    (true, Some(value)) => write!(body, "<td>{} → {value}</td>", escaped(&event.text)),
                };
            }
            body.push_str("<td>");
            for (number, (cell, value)) in self.cells.iter().zip(&event.memory).enumerate() {
                let changed = before.is_some_and(|before| before.get(number) != Some(value));
                let class = if changed { " class=\"changed\"" } else { "" };
                let _ = write!(body, "<span{class}>{}={value}</span> ", escaped(cell));
            }
            body.push_str("</td>");
            for buffer in event.buffers.iter().filter(|_| has_buffers) {
                body.push_str("<td>");
                for (cell, value) in buffer {
                    let _ = write!(body, "<span class=\"slot\">{}={value}</span>", escaped(cell));
                }
                body.push_str("</td>");
            }
            body.push_str("</tr>\n");
            before = Some(&event.memory);
        }
        body.push_str("</table>\n</div>\n");
        if self.events.len() > MOST_ROWS {
            let _ = writeln!(body, "<p>And {} more.</p>", self.events.len() - MOST_ROWS);
        }
        body
    }
}

/// The lines of the program; those with statements of the cycle are marked.
fn listing(text: &str, notes: &BTreeMap<u32, Vec<String>>) -> String {
    let mut out = String::from("<ol class=\"code\">\n");
    for (number, line) in (1..).zip(text.lines()) {
        let line = xml(&visible(line));
        match notes.get(&number) {
            None => _ = writeln!(out, "<li data-line=\"{number}\"><code>{line}</code></li>"),
            Some(notes) => {
                let notes = notes.join("; ");
                let _ =
                    writeln!(out, "<li class=\"noted\" data-line=\"{number}\"><code>{line}</code><span class=\"note\">{notes}</span></li>");
            }
        }
    }
    out.push_str("</ol>");
    out
}
