//! Nets for other model checkers.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serval::nets::{Assumption, NetInput, NetOptions, assumptions};
use serval_net_export::lustre::{Assumed, Encoding, Options, write};
use serval_net_export::{Asked, ExportRefusal, map, sets};

use super::super::read;
use crate::args::{LustreEncoding, NetExport};
use crate::failure::Failure;
use crate::input::{plain_text, shown};
use crate::limits::{self, watched};
use crate::output::{say, write_file};

/// What cannot be written, as a failure.
pub(super) fn refused(written: Result<String, ExportRefusal>) -> Result<String, Failure> {
    written.map_err(|refusal| Failure::message(refusal.to_string()))
}

/// What is asked, or what is asked where nobody says what to ask.
pub(super) fn asked(args: &NetExport, input: &NetInput, usual: &str) -> Result<Vec<Asked>, Failure> {
    let read::Asked { mut questions, mut mistakes } = read::questions(input, &args.property, &args.queries, &args.query)?;
    if !mistakes.is_empty() {
        return Err(Failure::Input(mistakes.swap_remove(0)));
    }
    if args.property.is_empty() && args.queries.is_empty() && !usual.is_empty() {
        questions.push(read::question(usual, input)?);
    }
    Ok(questions.into_iter().map(|question| Asked { name: question.name, property: question.property }).collect())
}

/// The one thing that is asked.
pub(super) fn one(args: &NetExport, input: &NetInput, usual: &str) -> Result<Asked, Failure> {
    let mut asked = asked(args, input, usual)?;
    match (asked.pop(), asked.len()) {
        (Some(one), 0) => Ok(one),
        (_, others) => Err(Failure::message(format!("this form asks one question, and {} are given", others + 1))),
    }
}

/// The program in Lustre, after what belongs to it has been saved.
pub(super) fn lustre(args: &NetExport, input: &NetInput) -> Result<String, Failure> {
    let net = input.net();
    let sets = match &args.sets {
        None => sets::greedy(net),
        Some(path) if path == Path::new("one") => sets::singletons(net),
        Some(path) => sets::read(&plain_text(path)?, net).map_err(|refusal| Failure::message(format!("{}: {refusal}", shown(path))))?,
    };
    let asked = asked(args, input, "")?;
    let assumed = if args.assume_bounds { assumed(args, input)? } else { Vec::new() };
    let encoding = match args.encoding {
        LustreEncoding::Corrected => Encoding::Corrected,
        LustreEncoding::Published => Encoding::Published,
    };
    let text = refused(write(net, &Options { encoding, sets: &sets, asked: &asked, assumed: &assumed }))?;
    if let Some(path) = &args.map {
        write_file(path, &map::write(net, &asked))?;
    }
    Ok(text)
}

/// What has been proved and may be assumed, each with its certificate.
fn assumed(args: &NetExport, input: &NetInput) -> Result<Vec<Assumed>, Failure> {
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
        let mut why = assumption.property;
        if let Some(directory) = &args.certificate {
            std::fs::create_dir_all(directory).map_err(|error| Failure::message(format!("cannot make {}: {error}", shown(directory))))?;
            let file = format!("assumed-{}.certificate.json", number + 1);
            write_file(&directory.join(&file), &assumption.certificate.to_json())?;
            why = format!("{why}, by {file}");
        }
        assumed.push(Assumed { formula: assumption.formula, why });
    }
    if let Some(directory) = args.certificate.as_deref().filter(|_| !assumed.is_empty()) {
        let count = assumed.len();
        say(&format!("saved {count} certificate{} in {}\n", if count == 1 { "" } else { "s" }, shown(directory)));
    }
    Ok(assumed)
}
