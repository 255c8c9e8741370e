//! What is said about the order in time: beside a verdict, and of a run that has none.

mod course;
pub(crate) mod stale;

use std::fmt::Write;

use serde::Serialize;
use serval_diagnostic::counted;

use crate::counterexample::{Counterexample, TimeOrders};
use crate::escape::xml as escaped;
use stale::Course;

/// What is known about the order in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StrictNote {
    /// Whether it always agrees with the order in which requests can be run one at a time; nothing where that is open.
    pub holds: Option<bool>,
    /// The kind of evidence that says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<&'static str>,
    /// With how many requests in flight it was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_flight: Option<usize>,
    /// Whether there are never more in flight.
    pub closed: bool,
    /// Where it is open: whether for any one moment some order has what had answered before it before what came after
    /// it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub at_a_moment: bool,
    /// The requests of a run in which it does not, where one was found by a quick look and not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<usize>,
}

impl StrictNote {
    /// A note beside a verdict, if there is something to say.
    pub(crate) fn note(&self) -> Option<String> {
        let requests = self.requests.filter(|_| self.holds.is_none())?;
        Some(format!("an answer can be stale ({}): serval check --strict", counted(requests, "request")))
    }
}

impl TimeOrders {
    /// What happened in time, a sentence each.
    pub(crate) fn lines(&self) -> Vec<String> {
        let line = |&[first, second]: &[u32; 2]| {
            let course = self.courses.iter().find(|course| (course.first, course.second) == (first, second));
            let but = match course.and_then(|course| course.ahead()) {
                Some(seen) => format!("; {seen}."),
                None if self.only_reads => format!(", but answered as if #{first} had not been."),
                None => format!(", but in no order that explains the answers it is behind #{first}."),
            };
            format!("#{second} came after #{first} had answered{but}")
        };
        self.needed.iter().map(line).collect()
    }

    /// How it came to that, a sentence each.
    pub(crate) fn why(&self) -> Vec<String> {
        self.courses.iter().map(Course::line).collect()
    }

    /// The same on a page, with the order without the clock; those that are left are in the table of answers. Lines are
    /// numbered as the arrows of the picture are.
    pub(crate) fn html(&self, run: &Counterexample, body: &mut String) {
        body.push_str("<p><strong>In time:</strong></p>\n<ol class=\"why\">\n");
        for line in self.lines() {
            let _ = writeln!(body, "<li class=\"time\">{}</li>", escaped(&line));
        }
        body.push_str("</ol>\n");
        for line in self.why() {
            let _ = writeln!(body, "<p class=\"closest\"><strong>Why:</strong> <mark>{}</mark></p>", escaped(&line));
        }
        let answers: Vec<String> = run.requests.iter().map(|answered| answered.response.clone()).collect();
        if let Some(words) = self.without_words(&answers) {
            let _ = writeln!(body, "<p>Without the clock, {}.</p>", escaped(&words));
        }
    }

    /// The order without the clock.
    pub(crate) fn without_words(&self, answers: &[String]) -> Option<String> {
        let numbers: Vec<String> = self.without.iter().map(|id| format!("#{id}")).collect();
        (!numbers.is_empty()).then(|| format!("{} gives {}: serializable", numbers.join(" then "), answers.join(", ")))
    }
}
