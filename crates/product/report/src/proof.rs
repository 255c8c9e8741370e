//! What a proof says, for people and for machines.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use serval_diagnostic::counted;

use crate::escape::xml;

/// Said beside a verdict that rests on it.
pub(crate) const UNBOUNDED: &str = "integers are taken to be unbounded: no run of a lifetime makes them leave 64 bits";

/// Sentences about a component in a text; a page has all.
const SENTENCES: usize = 6;

/// What the proof of a component says about the answers of all runs, or a proof
/// on the text about the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProofNote {
    /// The kind of the proof, as in certificates: `letters`, `cases`, `components` or `reduction`.
    pub kind: &'static str,
    /// The number of the component.
    pub component: usize,
    /// Sentences from which it follows that all answers are serial.
    pub facts: Vec<String>,
    /// Whether no range is known of some variable, so that the proof takes integers
    /// to be unbounded.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unbounded: bool,
    /// What stands beside lines of the text, on a page.
    #[serde(skip)]
    pub marks: BTreeMap<u32, &'static str>,
}

impl ProofNote {
    /// What the sentences are about.
    fn about(&self, which: &str) -> String {
        match self.kind {
            "reduction" => "in every run".to_owned(),
            _ => format!("for the answers{which} of every run in which everybody answers"),
        }
    }

    /// What follows.
    fn conclusion(&self) -> &'static str {
        match self.facts.is_empty() {
            _ if self.kind == "reduction" => {
                "so requests can be moved together, each to its commit point, and every run is like a serial one"
            }
            true => "every set of answers is one of a serial run",
            false => "with that, every set of answers is one of a serial run",
        }
    }
}

/// The first sentences, as text.
pub(crate) fn in_text(notes: &[ProofNote], out: &mut String) {
    for note in notes {
        let which = if notes.len() > 1 { format!(" of component {}", note.component) } else { String::new() };
        let _ = writeln!(out, "  {}", note.about(&which));
        for fact in note.facts.iter().take(SENTENCES) {
            let _ = writeln!(out, "    {fact}");
        }
        let more = note.facts.len().saturating_sub(SENTENCES);
        if more > 0 {
            let _ = writeln!(out, "    and {}", counted(more, "more fact"));
        }
        let _ = writeln!(out, "    {}", note.conclusion());
    }
    if let Some(note) = notes.first() {
        let _ = writeln!(out, "  more            serval explain {}", note.kind);
    }
}

/// All sentences, as part of a page.
pub(crate) fn in_html(notes: &[ProofNote], out: &mut String) {
    for note in notes {
        let which = if notes.len() > 1 { format!(" of component {}", note.component) } else { String::new() };
        let _ = writeln!(out, "<p>{}:</p>\n<ul>", capital(&note.about(&which)));
        let unbounded = note.unbounded.then_some(UNBOUNDED);
        // What follows from commit points is said before the facts.
        let conclusion = (note.kind != "reduction").then(|| note.conclusion());
        for line in note.facts.iter().map(String::as_str).chain(unbounded).chain(conclusion) {
            let _ = writeln!(out, "<li>{}</li>", xml(&plainly(line)));
        }
        out.push_str("</ul>\n");
    }
}

/// A fact, or what stands beside a line, without the words of the trade.
pub(crate) fn plainly(fact: &str) -> String {
    const WORDS: [(&str, &str); 4] = [
        (" iff ", " exactly while "),
        ("commutes to the right, what it does after it to the left", "can be moved later, what it does after it earlier"),
        ("commutes to the right", "can be moved later"),
        ("commutes to the left", "can be moved earlier"),
    ];
    WORDS.iter().fold(fact.to_owned(), |fact, (formal, plain)| fact.replace(formal, plain))
}

/// What a certificate of this kind shows, for a reader who knows transactions.
pub(crate) fn for_engineers(kind: &str) -> &'static str {
    match kind {
        "reduction" => {
            "Every request has a commit point. What it does before can be moved later, next to the commit, and what it does after can be \
             moved earlier, without an observable difference; so every interleaving has the answers of running requests one at a time, \
             in the order of their commits."
        }
        "atomic" => {
            "After steps are put together that no request can observe apart, every request does all that matters in one step: requests run one \
             at a time by themselves."
        }
        "letters" => {
            "Which answers can be given together is described by facts about how often each is given, for any number of requests; every \
             combination that these allow also comes from running requests one at a time."
        }
        "cases" => {
            "Every combination of answers that does not come from running requests one at a time falls into one of several cases, and each \
             case is shown to be out of reach, for any number of requests."
        }
        "in-flight" => {
            "There are never more than a few requests in flight, and in all that can be then there is an order in which each request \
             stands between the moments when it came and when it answered."
        }
        "points" => {
            "Each request has its place in the order at one of its own steps, and it answers what it would answer if all of it was done \
             there."
        }
        "flow" | "invariant" => {
            "Something holds at every moment, however many requests are in flight, and no set of answers that breaks the serial order is \
             compatible with it."
        }
        "components" => "The program falls apart into parts that share nothing, and each part has a proof of its own.",
        _ => "The certificate shows that every set of answers comes from running requests one at a time.",
    }
}

/// The words with a capital letter first.
fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FileReport, Look, Verdict};

    fn report(facts: &[usize]) -> FileReport {
        let mut report = FileReport::new("a.ser", Verdict::Serializable);
        for (component, &count) in facts.iter().enumerate() {
            let facts = (1..=count).map(|number| format!("a<{number}> never answers \u{1b}")).collect();
            report.proof.push(ProofNote { kind: "letters", component, facts, unbounded: false, marks: BTreeMap::new() });
        }
        report
    }

    #[test]
    fn a_text_has_the_first_sentences() {
        let look = Look::default();
        let lines =
            |facts: &[usize]| report(facts).to_text(true, look).lines().skip(1).map(|line| line.trim().to_owned()).collect::<Vec<_>>();
        let text = lines(&[8]);
        assert_eq!(text.len(), 1 + SENTENCES + 3);
        assert_eq!(text[1], "a<1> never answers \\u{1b}");
        assert_eq!(text[SENTENCES + 1..SENTENCES + 3], ["and 2 more facts", "with that, every set of answers is one of a serial run"]);
        assert!(lines(&[SENTENCES + 1]).contains(&"and 1 more fact".to_owned()));
        assert!(!lines(&[SENTENCES]).iter().any(|line| line.contains("more fact")));
        let two = lines(&[1, 0]);
        assert_eq!(two[0], "for the answers of component 0 of every run in which everybody answers");
        assert_eq!(two[4], "every set of answers is one of a serial run");
        assert!(lines(&[]).is_empty());
        assert_eq!(report(&[8]).to_text(false, look).lines().count(), 1);
    }

    #[test]
    fn a_proof_on_the_text_speaks_of_every_run() {
        let mut report = FileReport::new("a.ser", Verdict::Serializable);
        let facts = vec!["L = 1 iff one request is between line 3 and line 5".to_owned()];
        report.proof.push(ProofNote { kind: "reduction", component: 0, facts, unbounded: true, marks: BTreeMap::new() });
        let text = report.to_text(true, Look::default());
        assert!(text.contains("  in every run\n    L = 1 iff one request is between line 3 and line 5\n"), "{text}");
        assert!(text.contains("serval explain reduction"), "{text}");
        // What a verdict rests on is said even to those who do not ask for more.
        let short = report.to_text(false, Look::default());
        assert!(short.contains(&format!("  note            {UNBOUNDED}\n")), "{short}");
        let mut page = String::new();
        in_html(&report.proof, &mut page);
        assert!(page.starts_with("<p>In every run:</p>") && page.contains(UNBOUNDED), "{page}");
    }

    #[test]
    fn a_page_and_json_have_all() {
        let mut page = String::new();
        in_html(&report(&[8]).shown().proof, &mut page);
        assert_eq!(page.matches("<li>").count(), 9);
        assert!(page.contains("<li>a&lt;8&gt; never answers \\u{1b}</li>"), "{page}");
        let json: serde_json::Value = serde_json::from_str(&report(&[8]).to_json()).unwrap_or_default();
        assert_eq!(json["proof"][0]["facts"].as_array().map(Vec::len), Some(8));
        assert!(!report(&[]).to_json().contains("proof"));
    }
}
