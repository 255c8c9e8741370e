//! `serval net invariant NET`.

use std::process::ExitCode;
use std::sync::Arc;

use serval::nets::{NetAnswer, NetMethod, decide_net, invariant_in_words};
use serval_report::counted;
use serval_report::escape;

use super::ended::until_the_end;
use super::read;
use crate::args::NetInvariant;
use crate::commands::check::Status;
use crate::failure::Failure;
use crate::limits::{self, watched};
use crate::output::write_to;

/// Lines that are shown of an invariant, unless all are wanted.
const LINES: usize = 40;
/// What is proved by default.
const USUAL: [&str; 2] = ["deadlock-free", "one-safe"];

pub(super) fn run(args: &NetInvariant) -> Result<ExitCode, Failure> {
    limits::limit_memory(args.limits.memory);
    let input = Arc::new(read::net(&args.net)?);
    let usual = USUAL.map(str::to_owned);
    let properties = if args.property.is_empty() { &usual[..] } else { &args.property };
    let mut worst = Status::Fine;
    for property in properties {
        let question = read::question(property, &input)?;
        let (worker, asked) = (Arc::clone(&input), question.clone());
        let decided = watched(args.limits.time(), move |watch| {
            until_the_end(watch, Some(NetMethod::Pdr), |options| decide_net(&worker, &asked, options))
        });
        let name = escape::line(&question.name).into_owned();
        let mut text = String::new();
        let status = match decided {
            Err(lost) => {
                text.push_str(&format!("{name}: undecided: {}\n", lost.reason()));
                Status::Undecided
            }
            Ok(decision) => {
                let (status, said) = match decision.answer {
                    NetAnswer::Holds => (Status::Fine, "holds"),
                    NetAnswer::DoesNotHold => (Status::NotSerializable, "does not hold"),
                    NetAnswer::Undecided => (Status::Undecided, "undecided"),
                    NetAnswer::Error => (Status::Internal, "a bug"),
                };
                let lines =
                    decision.certificate.iter().flat_map(|certificate| invariant_in_words(input.net(), certificate)).collect::<Vec<_>>();
                match (&decision.reason, lines.len()) {
                    (Some(reason), _) => text.push_str(&format!("{name}: {said}: {}\n", escape::line(reason))),
                    (None, 0) => text.push_str(&format!("{name}: {said}\n")),
                    (None, _) => text.push_str(&format!("{name}: {said}, because in every marking that can be reached\n")),
                }
                let most = if args.verbose { usize::MAX } else { LINES };
                lines.iter().take(most).for_each(|line| text.push_str(&format!("  {}\n", escape::line(line))));
                if let Some(left) = lines.len().checked_sub(most).filter(|&left| left > 0) {
                    text.push_str(&format!("  … and {}; -v shows them\n", counted(left, "more line")));
                }
                status
            }
        };
        write_to(None, &text)?;
        worst = worst.max(status);
    }
    Ok(worst.exit_code(false))
}
