//! What the user takes for granted (`--assume`), and invariants that the user proposes (`--invariant`).

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use serval::nets::{Certificate, NetAnswer, NetInput, NetQuestion, NetRefusal, decide_net, decide_proposed};
use serval_budget::Budget;

use super::ended::{Decided, until_the_end};
use super::read;
use crate::args::NetCheck;
use crate::failure::Failure;
use crate::input::{plain_text, shown};
use crate::limits::{Time, watched};

/// Certificates for all that is to be taken for granted: those of files, which must be accepted, and of properties,
/// which are proved first.
pub(super) fn certificates(args: &NetCheck, input: &Arc<NetInput>) -> Result<Vec<Certificate>, Failure> {
    args.assume.iter().map(|assumed| certificate(args, input, assumed)).collect()
}

fn certificate(args: &NetCheck, input: &Arc<NetInput>, assumed: &str) -> Result<Certificate, Failure> {
    let path = Path::new(assumed);
    if path.extension().is_some_and(|ending| ending == "json") {
        return from_file(input, path);
    }
    let question = read::question(assumed, input)?;
    let (worker, asked, method) = (Arc::clone(input), question.clone(), args.method);
    let decision = watched(args.limits.time(), move |watch| until_the_end(watch, method, |options| decide_net(&worker, &asked, options)));
    let refused = |why: &str| Failure::message(format!("--assume {}: {why}", serval_report::escape::line(assumed)));
    let decision = decision.map_err(|lost| refused(&lost.reason()))?;
    match (decision.answer, decision.certificate) {
        (NetAnswer::Holds, Some(certificate)) => Ok(certificate),
        (NetAnswer::DoesNotHold, _) => Err(refused("it does not hold")),
        _ => Err(refused("it is not proved; give its certificate, if there is one")),
    }
}

fn from_file(input: &NetInput, path: &Path) -> Result<Certificate, Failure> {
    let refused = |why: String| Failure::message(format!("--assume {}: {why}", shown(path)));
    let certificate = Certificate::from_json(&plain_text(path)?).map_err(|error| refused(error.message))?;
    match certificate.check(input.net(), &mut Budget::unlimited()) {
        Ok(()) if certificate.holds => Ok(certificate),
        Ok(()) => Err(refused("it shows that the property does not hold".to_owned())),
        Err(NetRefusal::Invalid(rejection)) => Err(refused(format!("the certificate is not accepted: {rejection}"))),
        Err(NetRefusal::TooLarge { what, limit }) => Err(refused(format!("more than {limit} {what}"))),
        Err(NetRefusal::Stopped(_)) => Err(refused("stopped".to_owned())),
    }
}

/// The invariants that files propose: a formula each, with comments behind `#`.
pub(super) fn proposed(args: &NetCheck, input: &NetInput) -> Result<Vec<NetQuestion>, Failure> {
    let question = |path: &std::path::PathBuf| {
        let text = plain_text(path)?;
        let lines: Vec<&str> = text.lines().map(|line| line.split_once('#').map_or(line, |(before, _)| before).trim()).collect();
        let formula = lines.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
        if formula.is_empty() {
            return Err(Failure::message(format!("{} has no formula", shown(path))));
        }
        read::question(&format!("invariant:{formula}"), input)
    };
    args.invariant.iter().map(question).collect()
}

/// Whether what is proposed is inductive.
pub(super) fn decided(time: Time, input: &Arc<NetInput>, question: &NetQuestion) -> Decided {
    let (input, question) = (Arc::clone(input), question.clone());
    watched(time, move |watch| {
        let start = Instant::now();
        let decision = until_the_end(watch, None, |options| decide_proposed(&input, &question, options));
        (decision, start.elapsed())
    })
}
