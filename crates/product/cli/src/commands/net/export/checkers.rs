//! Nets for other model checkers.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serval::nets::export::{FiringSets, Lustre};
use serval::nets::{Assumption, NetInput, NetOptions, NetQuestion, assumptions};
use serval_report::counted;

use super::super::read;
use super::failure;
use crate::args::{LustreEncoding, NetExport};
use crate::failure::Failure;
use crate::input::{plain_text, shown};
use crate::limits::{self, watched};
use crate::output::{say, write_file};

/// What is asked, or the usual question where the arguments ask nothing.
pub(super) fn questions(args: &NetExport, input: &NetInput, usual: &str) -> Result<Vec<NetQuestion>, Failure> {
    let read::Asked { mut questions, mut mistakes } = read::questions(input, &args.property, &args.queries, &args.query)?;
    if !mistakes.is_empty() {
        return Err(Failure::Input(mistakes.swap_remove(0)));
    }
    if args.property.is_empty() && args.queries.is_empty() && !usual.is_empty() {
        questions.push(read::question(usual, input)?);
    }
    Ok(questions)
}

/// The program in Lustre, after what belongs to it has been saved.
pub(super) fn lustre(args: &NetExport, input: &NetInput) -> Result<String, Failure> {
    let net = input.net();
    let sets = match &args.sets {
        None => FiringSets::greedy(net),
        Some(path) if path == Path::new("one") => FiringSets::singletons(net),
        Some(path) => {
            FiringSets::read(&plain_text(path)?, net).map_err(|refusal| Failure::message(format!("{}: {refusal}", shown(path))))?
        }
    };
    let questions = questions(args, input, "")?;
    let assumed = if args.assume_bounds { assumed(args, input)? } else { Vec::new() };
    let published = args.encoding == LustreEncoding::Published;
    let program = Lustre { published, sets: &sets, questions: &questions, assumed: &assumed };
    let text = program.text(net).map_err(|error| failure(&error, None))?;
    if let Some(path) = &args.map {
        write_file(path, &program.map(net))?;
    }
    Ok(text)
}

/// What has been proved and may be assumed, each with the words that say why.
fn assumed(args: &NetExport, input: &NetInput) -> Result<Vec<(Assumption, String)>, Failure> {
    limits::limit_memory(None);
    let time = Duration::try_from_secs_f64(args.timeout).unwrap_or(Duration::MAX);
    let input = Arc::new(input.clone());
    let found = watched(time, move |watch| {
        let mut options = NetOptions::default();
        options.cancel = watch.cancel();
        assumptions(&input, 0, &options).map_err(|_| watch.reason())
    });
    let found: Vec<Assumption> = found.map_err(limits::Lost::reason).and_then(|found| found).map_err(Failure::message)?;
    let mut assumed = Vec::with_capacity(found.len());
    for (number, assumption) in found.into_iter().enumerate() {
        let mut why = assumption.property.clone();
        if let Some(directory) = &args.certificate {
            std::fs::create_dir_all(directory).map_err(|error| Failure::message(format!("cannot make {}: {error}", shown(directory))))?;
            let file = format!("assumed-{}.certificate.json", number + 1);
            write_file(&directory.join(&file), &assumption.certificate.to_json())?;
            why = format!("{why}, by {file}");
        }
        assumed.push((assumption, why));
    }
    if let Some(directory) = args.certificate.as_deref().filter(|_| !assumed.is_empty()) {
        let count = assumed.len();
        say(&format!("saved {} in {}\n", counted(count, "certificate"), shown(directory)));
    }
    Ok(assumed)
}
