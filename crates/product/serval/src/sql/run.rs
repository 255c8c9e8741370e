//! The run of a counterexample as a file that `serval sql replay` performs.

use serval_report::{Counterexample, SqlRun, SqlRunMove, SqlRunRequest, TraceEvent};
use serval_syntax::Span;

use super::shown::offset;
use super::{Decided, SETTINGS, Workload};
use crate::decide::Verdict;
use serval_proof::fingerprint;

impl Decided<'_> {
    /// The run of the counterexample, if there is one.
    pub fn run(&self) -> Option<SqlRun> {
        match &self.decision.verdict {
            Verdict::NotSerializable(_, run) => run_of(run, self.workload),
            _ => None,
        }
    }
}

fn run_of(run: &Counterexample, workload: &Workload) -> Option<SqlRun> {
    let answers = &workload.translation.answers;
    let mut requests = Vec::new();
    for answered in &run.requests {
        let answer: i64 = answered.response.parse().ok()?;
        let gets = answers.words(&answered.request, answer)?;
        requests.push(SqlRunRequest { request: answered.request.clone(), answer, gets });
    }
    let mut moves = Vec::new();
    for event in &run.steps {
        let TraceEvent::Step { id, span: Some(span), accesses, .. } = event else { continue };
        let session = run.requests.iter().position(|answered| answered.id == *id)? + 1;
        // A step ends where the next one begins; its statements are those that look at something or set it.
        let spans: Vec<[u32; 4]> = accesses.iter().flatten().map(|access| access.span).collect();
        let spans = if spans.is_empty() { vec![*span] } else { spans };
        let starts = spans.iter().map(|[first, from, ..]| offset(workload, *first, *from));
        let ends = spans.iter().map(|[.., last, to]| offset(workload, *last, *to));
        let bytes = [starts.min()?, ends.max()?];
        let at = workload.places.position(Span::new(bytes[0], bytes[0])).map(|(file, line, _)| format!("{file}:{line}"));
        moves.push(SqlRunMove { session, at: at.unwrap_or_default(), bytes });
    }
    Some(SqlRun::new(fingerprint(workload.bundle()), settings(workload), requests, moves))
}

/// What the bundle has that is in no file of the directory.
pub(super) fn settings(workload: &Workload) -> String {
    let file = workload.places.files.iter().find(|file| file.name == SETTINGS);
    file.map_or_else(String::new, |file| workload.bundle()[file.start as usize..file.end as usize].to_owned())
}
