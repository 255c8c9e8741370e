//! A page that leads to the pages of many files.

use std::fmt::Write;

use super::head;
use crate::escape::{name, xml as escaped};
use crate::parts::Verdict;
use crate::screen::time;
use crate::verdict::FileReport;

/// A file and its page.
#[derive(Clone, Debug)]
pub struct IndexEntry {
    file: String,
    page: String,
    verdict: Verdict,
    anomaly: Option<&'static str>,
    time: Option<f64>,
}

impl IndexEntry {
    /// The entry of a report whose page has this name in the same directory.
    pub fn new(report: &FileReport, page: &str) -> Self {
        Self {
            file: name(&report.file).into_owned(),
            page: page.to_owned(),
            verdict: report.verdict,
            anomaly: report.counterexample.as_ref().and_then(|run| run.anomaly),
            time: report.time_ms.map(|times| times.total),
        }
    }

    /// The verdict for people, its class, and where it stands among the others: what needs attention comes first.
    fn told(&self) -> (&'static str, &'static str, u8) {
        let (class, place) = match self.verdict {
            Verdict::Error => ("bad", 0),
            Verdict::NotSerializable | Verdict::NotStrict => ("bad", 1),
            Verdict::Fault => ("bad", 2),
            Verdict::Unknown => ("open", 3),
            Verdict::Serializable | Verdict::Assumed | Verdict::Strict | Verdict::Safe => ("good", 4),
        };
        (self.verdict.on_screen(), class, place)
    }

    /// Where the page is: bytes that mean something in an address are written out.
    fn address(&self) -> String {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
        self.page.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
    }
}

/// The page.
pub fn index(entries: &[IndexEntry], version: &str) -> String {
    let mut out = String::new();
    let bad = entries.iter().filter(|entry| entry.told().1 == "bad").count();
    let open = entries.iter().filter(|entry| entry.verdict == Verdict::Unknown).count();
    let class = if bad > 0 {
        "bad"
    } else if open > 0 {
        "open"
    } else {
        "good"
    };
    let files = if entries.len() == 1 { "file" } else { "files" };
    let fine = entries.len() - bad - open;
    let title = format!("{fine} of {} {files} serializable", entries.len());
    out.push_str(&head(&format!("serval: {title}"), ""));
    let _ = write!(
        out,
        "<header class=\"{class}\">\n<h1><span class=\"mark\" aria-hidden=\"true\"></span>{title}</h1>\n\
         <p>{bad} not serializable or with an error, {open} undecided.</p>\n</header>\n<main>\n<section>\n\
         <table class=\"index\">\n<thead><tr><th scope=\"col\">file</th><th scope=\"col\">verdict</th><th scope=\"col\">name</th>\
         <th scope=\"col\">time</th></tr></thead>\n<tbody>\n"
    );
    let mut sorted: Vec<&IndexEntry> = entries.iter().collect();
    sorted.sort_by_key(|entry| entry.told().2);
    for entry in sorted {
        let (verdict, class, _) = entry.told();
        let file = escaped(&entry.file);
        // What cannot be used has no page.
        let link = if entry.verdict == Verdict::Error { file.to_string() } else { format!("<a href=\"{}\">{file}</a>", entry.address()) };
        let _ = writeln!(
            out,
            "<tr class=\"{class}\"><th scope=\"row\">{link}</th><td>{verdict}</td><td>{}</td><td>{}</td></tr>",
            entry.anomaly.map_or_else(String::new, |name| name.replace('-', " ")),
            entry.time.map(time).unwrap_or_default()
        );
    }
    let _ = write!(out, "</tbody>\n</table>\n</section>\n</main>\n<footer>serval {}.</footer>\n</body>\n</html>\n", escaped(version));
    out
}
