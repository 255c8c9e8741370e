//! The report as one page that opens from disk: no script from elsewhere, no
//! font, no picture that is not in it.

mod answers;
mod code;

mod index;
mod lanes;

use std::collections::BTreeSet;
use std::fmt::Write;

use serval_diagnostic::counted;

use crate::advice::Advice;
use crate::counterexample::{Counterexample, StateValues};
use crate::escape::{name, xml as escaped};
use crate::explain;
use crate::fault::FaultNote;
use crate::parts::{OpenAnswer, Sizes, Verdict};
use crate::proof;
use crate::screen::{Look, time};
use crate::timeline::moments;
use crate::trace::TraceEvent;
use crate::verdict::FileReport;
pub use index::{IndexEntry, index};
pub use lanes::{Lanes, lanes};

/// A picture of the page.
#[derive(Clone, Debug)]
pub struct Figure {
    /// What it shows.
    pub title: String,
    /// What there is to say about it.
    pub caption: String,
    /// The drawing, an element `svg`.
    pub svg: String,
}

/// What a page has besides the report.
#[derive(Clone, Debug, Default)]
pub struct Page<'a> {
    /// The text of the program or system.
    pub text: &'a str,
    /// Whether the text is a program.
    pub is_program: bool,
    /// Of a workload of SQL: its files, names and texts.
    pub files: Vec<(String, String)>,
    /// Pictures of the states.
    pub figures: Vec<Figure>,
    /// The version of serval.
    pub version: &'a str,
}

/// A wider drawing has the page to itself, and the details below it.
const BROAD: usize = 660;

/// Lines that are shown of the beginning of a long run, and of its end.
const STORY_ENDS: usize = 15;

/// The page may load nothing at all: a browser that is asked to refuses.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

pub(crate) const STYLE: &str = include_str!("html/page.css");

const SCRIPT: &str = include_str!("html/page.js");

/// The same with a capital letter, to begin a sentence.
fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A sentence in which what stands between backticks is code.
fn with_code(words: &str) -> String {
    let parts = words.split('`').enumerate();
    let shown = parts.map(|(number, part)| match number % 2 {
        0 => escaped(part),
        _ => format!("<code>{}</code>", escaped(part)),
    });
    shown.collect()
}

/// The run after which a step fails.
fn html_fault(fault: &FaultNote) -> String {
    let mut body = String::from("<ol>\n");
    let story = &fault.run.story;
    // Of a long run its beginning and its end: thousands of lines that say the same help no reader.
    let left = story.len().saturating_sub(2 * STORY_ENDS);
    let hidden = if left > STORY_ENDS { STORY_ENDS..STORY_ENDS + left } else { 0..0 };
    for (position, line) in (0..).zip(story) {
        if position == hidden.start && !hidden.is_empty() {
            let _ = writeln!(body, "</ol>\n<p>… and {} like these …</p>\n<ol start=\"{}\">", counted(left, "more step"), hidden.end + 1);
        }
        if !hidden.contains(&position) {
            let _ = writeln!(body, "<li>{}</li>", escaped(line));
        }
    }
    let _ = writeln!(body, "<li><strong>{} fails</strong></li>\n</ol>", escaped(&fault.failing()));
    if let Some(size) = fault.size() {
        let _ = writeln!(body, "<p>The run has {}.</p>", escaped(&size));
    }
    let _ = writeln!(body, "<p>It is this way: {}.</p>", escaped(fault.needs_words));
    if let Some(help) = &fault.help {
        let _ = writeln!(body, "<p>What may help: {}.</p>", escaped(help));
    }
    body
}

/// What every page begins with: all that is before its header. The title is escaped already.
pub(crate) fn head(title: &str, style: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <link rel=\"icon\" href=\"data:,\">\n<style>\n{STYLE}\n{style}\n</style>\n</head>\n<body>\n"
    )
}

impl FileReport {
    /// The report as a page.
    pub fn to_html(&self, page: &Page<'_>) -> String {
        self.shown().in_html(page)
    }

    fn in_html(&self, page: &Page<'_>) -> String {
        let mut out = String::new();
        let verdict = self.verdict.on_screen();
        let file = escaped(&name(&self.file));
        out.push_str(&head(&format!("{verdict}: {file}"), serval_draw::style()));
        self.html_head(&mut out);
        out.push_str("<main>");
        self.html_main(&mut out, page);
        let evidence = matches!(self.verdict, Verdict::Fault | Verdict::Safe);
        let decided = self.verdict.is_proved() || self.verdict.is_refuted() || evidence;
        let checked = if decided { " The independent checker accepted the evidence before this page was written." } else { "" };
        let _ = write!(
            out,
            "</main>\n<footer>serval {}.{}</footer>\n<script>\n{SCRIPT}\n</script>\n</body>\n</html>\n",
            escaped(page.version),
            checked
        );
        out
    }

    /// The report as elements of a page that has the text elsewhere, and [`page_style`](crate::page_style()) once. No
    /// attribute has style, so that a page can forbid it: how wide the lanes are is data.
    pub fn to_fragment(&self, page: &Page<'_>) -> String {
        let shown = self.shown();
        let mut out = String::new();
        shown.html_head(&mut out);
        shown.html_main(&mut out, &Page { is_program: false, ..page.clone() });
        // In a text a quotation mark is written out, so that this is ours.
        out.replace(" style=\"flex-basis:", " data-basis=\"")
    }

    /// The verdict, and what it says.
    fn html_head(&self, out: &mut String) {
        let verdict = self.verdict.on_screen();
        let class = match self.verdict {
            Verdict::Serializable | Verdict::Assumed | Verdict::Strict | Verdict::Safe => "good",
            Verdict::NotSerializable | Verdict::NotStrict | Verdict::Fault | Verdict::Error => "bad",
            Verdict::Unknown => "open",
        };
        let file = escaped(&name(&self.file));
        let name = self.counterexample.as_ref().and_then(|run| run.anomaly).map_or_else(String::new, |name| name.replace('-', " "));
        let _ = write!(
            out,
            "<header class=\"{class}\">\n<p class=\"file\">{file}</p>\n<h1><span class=\"mark\" aria-hidden=\"true\"></span>{verdict}"
        );
        if !name.is_empty() {
            let _ = write!(out, " <span class=\"name\">{}</span>", escaped(&name));
        }
        let _ = writeln!(out, "</h1>\n<p>{}</p>\n</header>", escaped(&self.sentence()));
    }

    /// All else.
    fn html_main(&self, out: &mut String, page: &Page<'_>) {
        out.push('\n');
        self.html_open(out);
        self.html_counterexample(out);
        if let Some(fault) = &self.fault {
            section(out, "run", "What can happen", &html_fault(fault));
        }
        if let Some(fault) = &self.also_fails {
            section(out, "fails", "It can fail, too", &html_fault(fault));
        }
        if page.is_program {
            let proved = || self.proof.first().map(|note| note.marks.clone());
            let notes = self.counterexample.as_ref().map(|run| run.explanation.notes.clone()).or_else(proved).unwrap_or_default();
            section(out, "program", "The program", &code::listing(page.text, &notes));
        }
        if !page.files.is_empty() {
            let decisive = self.counterexample.as_ref().and_then(Counterexample::decisive_statement).map(|statement| statement.row);
            section(out, "program", "The workload", &code::files(&page.files, decisive));
        }
        self.html_bounds(out);
        self.html_proof(out);
        self.html_notes(out);
        for (number, figure) in page.figures.iter().enumerate() {
            let body = format!(
                "<details class=\"folded\">\n<summary>Show the picture</summary>\n<p>{}</p>\n<div class=\"wide figure\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n{}\n</div>\n</details>",
                escaped(&figure.caption),
                escaped(&figure.title),
                figure.svg
            );
            section(out, &format!("figure-{}", number + 1), &figure.title, &body);
        }
        if page.figures.is_empty() && page.files.is_empty() && self.verdict != Verdict::Error {
            section(out, "figure-0", "Pictures", "<p>There are too many states to draw them.</p>");
        }
        self.html_figures(out);
        self.html_page(out);
    }

    /// The verdict in a sentence.
    fn sentence(&self) -> String {
        match (&self.counterexample, self.verdict) {
            (Some(run), _) => {
                let count = run.requests.len();
                let least = if run.minimal { " (minimal)" } else { "" };
                let order = if self.verdict == Verdict::NotStrict { "no order in time" } else { "no serial order" };
                format!("{}{least} together get answers that {order} gives.", counted(count, "request"))
            }
            (None, Verdict::Strict) => {
                let provided = self.provided();
                format!(
                    "Whatever the number of concurrent requests, every set of answers could have come from running them one at a time, \
                     each between the moments when it came and when it answered{provided}."
                )
            }
            (None, Verdict::Serializable) => {
                let provided = self.provided();
                format!(
                    "Whatever the number of concurrent requests, every set of answers could have come from running them one at a time{provided}."
                )
            }
            (None, Verdict::Safe) => "Whatever the number of concurrent requests, no step fails.".to_owned(),
            (None, Verdict::Fault) if let Some(fault) = &self.fault => format!("{}.", fault.summary()),
            (None, _) => self.reason.clone().unwrap_or_default(),
        }
    }

    fn html_counterexample(&self, out: &mut String) {
        let Some(run) = &self.counterexample else { return };
        let mut body = String::from(
            "<p>Time runs downwards. A box is a step, which no other request interrupts; ➜ is a read, = a write, * a global that changed. \
             Point at a step, or move with Tab and the arrow keys, for the state before and after it; its lines of the program are marked, \
             and pointing at a line marks its steps. The step that decides is chosen when the page opens.</p>\n",
        );
        if !run.statements.is_empty() {
            body = "<p>Time runs downwards, and each column is a session. A box has the statements that come before another session goes \
                    on, and what they read and set; * is a row that changed. Point at a box, or move with Tab and the arrow keys, for the \
                    rows before and after it; its lines of the scripts are marked, and pointing at a line marks its boxes.</p>\n"
                .to_owned();
        }
        let decisive = decisive(run);
        let drawn = lanes::lanes_of(run);
        let _ = write!(
            body,
            "<div class=\"stage{}\">\n<div class=\"wide lanes\" style=\"flex-basis:{}px\" tabindex=\"0\" role=\"region\" aria-label=\"The run\">\n{}</div>\n<div class=\"details\" aria-live=\"polite\">\n{}</div>\n</div>",
            if drawn.width > BROAD { " broad" } else { "" },
            // With its border. Where the details do not fit beside it they go below.
            drawn.width + 2,
            drawn.svg(decisive),
            details(run, decisive)
        );
        section(out, "run", "What can happen", &body);
        self.html_why(out, run);
    }

    fn html_why(&self, out: &mut String, run: &Counterexample) {
        let mut body = String::new();
        for line in run.never_lines() {
            let _ = writeln!(body, "<p><strong>{}.</strong></p>", escaped(&capital(&line)));
        }
        if let Some(nearest) = &run.explanation.nearest {
            let [finds, here] = nearest.lines();
            let _ = writeln!(
                body,
                "<p class=\"closest\"><strong>The nearest serial order:</strong> {} <mark>{}</mark></p>",
                escaped(&finds),
                escaped(&here)
            );
        }
        if let Some(why) = &run.explanation.why {
            body.push_str("<ol class=\"why\">\n");
            for (edge, line) in why.edges.iter().zip(why.lines()) {
                let _ = writeln!(body, "<li class=\"{}\">{}</li>", lanes::kind(edge), escaped(&line));
            }
            body.push_str("</ol>\n");
            for line in why.lines().iter().skip(why.edges.len()) {
                let _ = writeln!(body, "<p>{}</p>", escaped(line));
            }
        }
        body.push_str(&answers::table(run));
        if let Some(orders) = &run.in_time {
            orders.html(run, &mut body);
        }
        if run.explanation.serial.is_empty() && run.in_time.is_none() {
            let states = run
                .explanation
                .serial_states
                .map_or_else(String::new, |count| format!(": serial runs have {}, and all were tried", counted(count, "state")));
            let _ = writeln!(body, "<p>No serial order gives these answers{states}.</p>");
        }
        if let Some(closest) =
            run.explanation.closest.as_ref().filter(|_| run.explanation.nearest.as_ref().is_none_or(|nearest| nearest.answers.is_empty()))
        {
            let first =
                if closest.order.is_empty() { String::new() } else { format!("one at a time, {}, and then ", closest.order_words()) };
            let departs = escaped(&closest.departure());
            let _ = writeln!(
                body,
                "<p class=\"closest\"><strong>The closest serial order:</strong> {}<mark>{departs}</mark>.</p>",
                escaped(&first)
            );
        }
        if let Some(fix) = &self.fix {
            let lines: Vec<String> = fix.lines().iter().map(|line| with_code(line)).collect();
            let _ = writeln!(body, "<p class=\"fix\"><strong>Fix:</strong> {}.</p>", lines.join("<br>"));
            for (number, diff) in (1_usize..).zip(&fix.diffs) {
                difference(&mut body, number, diff);
            }
        }
        if let Some(name) = run.anomaly {
            let _ = writeln!(body, "<p><a href=\"#explain\">What is a {}?</a></p>", escaped(&name.replace('-', " ")));
        } else if run.is_about_others() {
            body.push_str("<p><a href=\"#explain\">What are answers about others?</a></p>\n");
        } else if run.explanation.why.is_some() {
            body.push_str("<p>This cycle of conflicts has no standard name.</p>\n");
        }
        section(out, "why", "Why it cannot be", &body);
    }

    fn html_proof(&self, out: &mut String) {
        if !self.verdict.is_proved() {
            return;
        }
        let mut body = String::new();
        let method = self.method.unwrap_or("?");
        let kind = self.certificate.as_ref().map_or("?", |certificate| certificate.kind);
        let _ = writeln!(body, "<p>{}</p>", proof::for_engineers(kind));
        proof::in_html(&self.proof, &mut body);
        let _ = writeln!(
            body,
            "<details class=\"folded\">\n<summary>The proof in full</summary>\n\
             <p>Found by the method <em>{}</em>; the certificate, of kind <em>{}</em>, was accepted by the independent checker.</p>",
            escaped(method),
            escaped(kind)
        );
        if !self.words.is_empty() {
            body.push_str("<p>At every moment of a run in which everybody answers:</p>\n<dl>\n");
            for line in &self.words {
                // What is indented belongs to the line before it.
                let name = if line.starts_with(' ') { "dd" } else { "dt" };
                let _ = writeln!(body, "<{name}>{}</{name}>", escaped(line.trim()));
            }
            body.push_str("</dl>\n");
        }
        body.push_str("</details>\n");
        section(out, "proof", "Why it holds", &body);
    }

    /// Levels and bounds of a workload.
    fn html_bounds(&self, out: &mut String) {
        if self.bounds().is_empty() && self.grown.is_none() {
            return;
        }
        let bounds: String = self.bounds().iter().map(|bound| format!("<li>{}</li>\n", escaped(bound))).collect();
        let grown = self.grown.as_ref().map_or_else(String::new, |grown| format!("<p>{}</p>\n", escaped(&grown.line(self.verdict))));
        section(out, "bounds", "Levels and bounds", &format!("<ul>\n{bounds}</ul>\n{grown}"));
    }

    /// For an undecided file: what is certain, what is large, what may help.
    fn html_open(&self, out: &mut String) {
        if self.verdict != Verdict::Unknown && self.advice.is_none() {
            return;
        }
        let ruled_out = self.ruled_out.map_or_else(String::new, |ruled_out| ruled_out.words().trim().to_owned());
        let mut known = vec![if ruled_out.is_empty() { "nothing yet".to_owned() } else { ruled_out }];
        if !self.open.is_empty() {
            let answers: Vec<String> = self.open.iter().map(OpenAnswer::words).collect();
            known.push(format!("open is whether a run can have {}, which no serial run has", answers.join(", ")));
        }
        let advice: Vec<(&str, String)> = self.advice.iter().flat_map(Advice::sentences).collect();
        let told = |word: &str| advice.iter().filter(|(known, _)| *known == word).map(|(_, sentence)| sentence.clone()).collect::<Vec<_>>();
        let mut large: Vec<String> = Vec::from_iter(self.sizes.map(|Sizes { globals, locals, steps, .. }| {
            format!(
                "{} of all globals together, {} of a request, {}",
                counted(globals, "value"),
                counted(locals, "local state"),
                counted(steps, "step")
            )
        }));
        large.extend(told("largest"));
        let file = self.file_in_commands().unwrap_or_else(|| "-".to_owned());
        let mut help = told("tried");
        help.extend(self.help.map(str::to_owned));
        help.push(format!("more time: serval check {file} --timeout 600"));
        help.push("smaller ranges of variables and parameters: two or three values show most races".to_owned());
        let mut body = String::from("<dl class=\"open\">\n");
        let parts = [("what is ruled out", known), ("what came closest", told("closest")), ("what is large", large), ("what to try", help)];
        for (title, words) in parts {
            if words.is_empty() {
                continue;
            }
            let words: String = words.iter().map(|words| format!("<dd>{}</dd>", with_code(words))).collect();
            let _ = writeln!(body, "<dt>{title}</dt>{words}");
        }
        body.push_str("</dl>\n");
        section(out, "open", "What is known", &body);
    }

    /// The page of `serval explain` on the verdict or the anomaly.
    fn html_page(&self, out: &mut String) {
        let about_others = |run: &Counterexample| run.is_about_others().then_some("answers-about-others");
        let anomaly = self.counterexample.as_ref().and_then(|run| run.anomaly.or_else(|| about_others(run)));
        let name = anomaly.or_else(|| (self.verdict == Verdict::Unknown).then_some("undecided"));
        let Some((name, text)) = name.and_then(|name| Some((name, explain::page(name)?))) else { return };
        let title = format!("About it: {}", name.replace('-', " "));
        section(out, "explain", &title, &format!("<pre class=\"page\">{}</pre>", escaped(text.trim())));
    }

    fn html_notes(&self, out: &mut String) {
        if self.notes.is_empty() && self.stuck.is_empty() && self.expected.is_none() {
            return;
        }
        let mut body = String::from("<ul>\n");
        if let Some(promise) = self.expected {
            let _ = writeln!(body, "<li>{}, {}</li>", self.verdict.on_screen(), promise.words());
        }
        for note in &self.notes {
            let _ = writeln!(
                body,
                "<li>{} <code>{}</code>, {}: {}</li>",
                note.severity,
                escaped(&note.code),
                escaped(&note.place()),
                escaped(&note.message)
            );
        }
        for stuck in self.stuck_once() {
            let place = stuck.place();
            let _ = write!(body, "<li><strong>{}</strong> can get stuck for ever {}", escaped(&stuck.request), escaped(&place));
            if !stuck.run.is_empty() {
                body.push_str(", as here:\n<ol>\n");
                for line in &stuck.run {
                    let _ = writeln!(body, "<li>{}</li>", escaped(line));
                }
                body.push_str("</ol>\n");
            }
            body.push_str("</li>\n");
        }
        body.push_str("</ul>\n");
        section(out, "notes", "Notes", &body);
    }

    /// Sizes and times.
    fn html_figures(&self, out: &mut String) {
        let mut rows = String::new();
        let mut row = |name: &str, value: String| {
            let _ = writeln!(rows, "<tr><th scope=\"row\">{name}</th><td>{}</td></tr>", escaped(&value));
        };
        if let Some(sizes) = self.sizes {
            let size = |globals: usize, locals: usize, steps: usize| {
                format!("{}, {}, {}", counted(globals, "global state"), counted(locals, "local state"), counted(steps, "step"))
            };
            if sizes.components > 1 {
                row("independent parts", sizes.components.to_string());
            }
            row("network system", size(sizes.globals, sizes.locals, sizes.steps));
            if let Some(reduced) = sizes.reduced {
                row("reduced to", size(reduced.globals, reduced.locals, reduced.steps));
            }
        }
        if let Some(method) = self.method {
            row("decided by", method.to_owned());
        }
        if let Some(times) = self.time_ms {
            let parts = [
                ("reading", Some(times.parse)),
                ("exploring states", Some(times.compile)),
                ("deciding", Some(times.decide)),
                ("writing the evidence", Some(times.certify)),
                ("checking the evidence", Some(times.verify)),
                ("looking for fixes", times.fix),
                ("in all", Some(times.total)),
            ];
            for (name, time) in parts.into_iter().filter_map(|(name, time)| Some((name, time?))) {
                row(name, self::time(time));
            }
        }
        if !rows.is_empty() {
            section(out, "figures", "Sizes and times", &format!("<table class=\"plain\">\n<tbody>\n{rows}</tbody>\n</table>\n"));
        }
    }
}

pub(crate) fn section(out: &mut String, id: &str, title: &str, body: &str) {
    let _ = write!(
        out,
        "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n<h2 id=\"{id}-title\">{}</h2>\n{body}\n</section>\n",
        escaped(title)
    );
}

/// A change, with a button that copies it.
fn difference(out: &mut String, number: usize, diff: &str) {
    let _ = write!(
        out,
        "<div class=\"diff\">\n<button type=\"button\" class=\"copy\" data-copy=\"diff-{number}\">Copy</button>\n<pre id=\"diff-{number}\" tabindex=\"0\">"
    );
    for line in diff.lines() {
        let class = match line.as_bytes().first() {
            Some(b'+') => "added",
            Some(b'-') => "removed",
            Some(b'@') => "place",
            _ => "same",
        };
        let _ = writeln!(out, "<span class=\"{class}\">{}</span>", escaped(line));
    }
    out.push_str("</pre>\n</div>\n");
}

/// The number of the step that decides: the one with the last access of the
/// cycle, without which the requests would have an order; else the last.
fn decisive(run: &Counterexample) -> Option<usize> {
    let moments = moments(run, Look::default());
    let edges = run.explanation.why.iter().flat_map(|why| &why.edges);
    let position = edges.map(|edge| edge.second.step).max();
    let found = moments.iter().find(|moment| Some(moment.position) == position).and_then(|moment| moment.number);
    found.or_else(|| moments.iter().rev().filter(|moment| !moment.answers).find_map(|moment| moment.number))
}

/// For each step, what was before and after it; only the one that decides is shown at first.
fn details(run: &Counterexample, decisive: Option<usize>) -> String {
    let mut out = String::new();
    if decisive.is_none() {
        out.push_str("<p class=\"hint\">Nothing is chosen yet.</p>\n");
    }
    let name = |id: u32| run.requests.iter().find(|answered| answered.id == id).map_or("", |answered| answered.request.as_str());
    for moment in moments(run, Look::default()) {
        let (Some(number), Some(TraceEvent::Step { id, from, to, accesses, span, .. })) = (moment.number, run.steps.get(moment.position))
        else {
            continue;
        };
        let lines = span.filter(|_| run.statements.is_empty());
        let lines =
            lines.map_or_else(
                String::new,
                |[first, _, last, _]| {
                    if first == last { format!(", line {first}") } else { format!(", lines {first} to {last}") }
                },
            );
        let _ = writeln!(
            out,
            "<div class=\"detail\" id=\"detail-{number}\"{}>\n<h3>Step {number}: {} #{id}{lines}</h3>",
            if decisive == Some(number) { "" } else { " hidden" },
            escaped(name(*id))
        );
        if !run.statements.is_empty() {
            let issued = run.issued(moment.position);
            let items = issued.map(|one| format!("<li>{} <code>{}</code></li>", escaped(&one.place()), escaped(&one.line())));
            let _ = writeln!(out, "<ul>{}</ul>", items.collect::<String>());
        } else if let Some(accesses) = accesses {
            let mut done: Vec<String> = accesses
                .iter()
                .map(|access| {
                    let verb = if access.op == "write" { "sets" } else { "reads" };
                    format!("<li>{verb} <code>{}</code> = {}</li>", escaped(&access.var), escaped(&access.shown_value()))
                })
                .collect();
            // A loop can read the same value a thousand times.
            done.dedup();
            let _ = writeln!(
                out,
                "<ul>{}</ul>",
                if done.is_empty() { "<li>touches nothing that is shared</li>".to_owned() } else { done.concat() }
            );
        }
        out.push_str(
            "<table><thead><tr><th scope=\"col\"></th><th scope=\"col\">before</th><th scope=\"col\">after</th></tr></thead><tbody>\n",
        );
        for (name, before, after) in values(run, from, to) {
            let class = if before == after { "" } else { " class=\"changed\"" };
            let _ = writeln!(
                out,
                "<tr{class}><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>",
                escaped(&name),
                escaped(&before),
                escaped(&after)
            );
        }
        out.push_str("</tbody></table>\n</div>\n");
    }
    out
}

/// The globals that some step of the run reads or writes.
fn touched(run: &Counterexample) -> BTreeSet<&str> {
    let steps = run.steps.iter().filter_map(|event| if let TraceEvent::Step { accesses, .. } = event { accesses.as_ref() } else { None });
    steps.flatten().map(|access| access.var.as_str()).collect()
}

/// The globals that the run touches, and then what the request itself remembers.
fn values(run: &Counterexample, from: &crate::trace::StateName, to: &crate::trace::StateName) -> Vec<(String, String, String)> {
    let state = |name: &str| run.states.states.get(name);
    let mut rows = Vec::new();
    match (state(&from.global), state(&to.global)) {
        (Some(StateValues::Global(before)), Some(StateValues::Global(after))) => {
            let touched = touched(run);
            for (name, value) in before.iter().filter(|(name, _)| touched.contains(name.as_str())) {
                let now = after.get(name).map_or_else(String::new, |&value| run.value(name, value));
                rows.push((name.clone(), run.value(name, *value), now));
            }
        }
        _ => rows.push(("global state".to_owned(), from.global.clone(), to.global.clone())),
    }
    match (state(&from.local), state(&to.local)) {
        (Some(StateValues::Local(before)), Some(StateValues::Local(after))) => {
            let names: BTreeSet<&String> = before.vars.keys().chain(after.vars.keys()).collect();
            for name in names {
                rows.push((name.clone(), before.value(name), after.value(name)));
            }
        }
        // The names of a session's states say nothing to those who wrote its statements.
        _ if !run.statements.is_empty() => {}
        _ => rows.push(("local state".to_owned(), from.local.clone(), to.local.clone())),
    }
    rows
}

/// What a table of a run looks like without a page, for a reader without
/// pictures; used as the description of the drawing.
fn described(run: &Counterexample) -> String {
    crate::timeline::table(run, Look { width: 10_000, ..Look::default() }).unwrap_or_else(|| run.story.join("\n"))
}
