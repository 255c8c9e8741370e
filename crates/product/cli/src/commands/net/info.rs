//! `serval net info NET`.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use serval::nets::{Net, NetInput, NetSums, classify, rackoff, sums};
use serval_budget::Budget;
use serval_report::counted;
use serval_report::escape::name;
use serval_report::nets::net_words_mistake;

use super::read;
use crate::args::NetInfo;
use crate::failure::Failure;
use crate::limits::{self, watched};
use crate::output::write_to;

/// Places that a line names, and lines of bounds, unless all are wanted.
const NAMED: usize = 8;
const LINES: usize = 20;

pub(super) fn run(args: &NetInfo) -> Result<(), Failure> {
    limits::limit_memory(None);
    let input = Arc::new(read::net(&args.net)?);
    let net = input.net();
    let mut out = String::new();
    let marked = net.initial().marked().count();
    // Writing to a string does not fail.
    let _ = writeln!(out, "net          {}", name(net.name()));
    let _ = writeln!(out, "places       {}", net.place_count());
    let _ = writeln!(out, "transitions  {}", net.transition_count());
    let _ = writeln!(out, "arcs         {}", net.arc_count());
    let _ = writeln!(out, "tokens       {} on {}", net.initial().total(), counted(marked, "place"));
    let classes = classify(net).named();
    let named = |wanted: bool| classes.iter().filter(|class| class.1 == wanted).map(|class| class.0).collect::<Vec<_>>().join(", ");
    for (word, list) in [("class", named(true)), ("not", named(false))] {
        if !list.is_empty() {
            let _ = writeln!(out, "{word:<11}  {list}");
        }
    }
    let worker = Arc::clone(&input);
    let time = Duration::try_from_secs_f64(args.timeout).unwrap_or(Duration::MAX);
    let found = watched(time, move |watch| sums(worker.net(), &mut Budget::new(u64::MAX, watch.cancel())).map_err(|_| watch.reason()));
    match found.map_err(limits::Lost::reason).and_then(|found| found) {
        Ok(found) => push_bounds(&mut out, net, &found, args.verbose),
        Err(reason) => {
            let _ = writeln!(out, "bounds       {reason}");
        }
    }
    if let Some(marking) = &args.rackoff {
        push_rackoff(&mut out, &input, marking)?;
    }
    write_to(None, &out)
}

/// How long a run that covers a marking has to be at most.
fn push_rackoff(out: &mut String, input: &NetInput, text: &str) -> Result<(), Failure> {
    let net = input.net();
    let marking = input.marking(text).map_err(|error| Failure::Input(net_words_mistake(&error, text, net)))?;
    let bound = rackoff(net, &marking);
    let _ = writeln!(out, "rackoff      n = {} bits for net and markings; f(0) = 1, f(i+1) ≤ (2ⁿ·f(i))^(i+1) + f(i)", bound.size);
    for (number, logarithm) in bound.logarithms.iter().enumerate().skip(1) {
        if number < LINES || number + 1 == bound.logarithms.len() {
            let _ = writeln!(out, "  f({number}) ≤ 2^{logarithm}");
        } else if number == LINES {
            let _ = writeln!(out, "  …");
        }
    }
    if let Some(exact) = &bound.exact {
        let numbers: Vec<String> = exact.iter().map(u64::to_string).collect();
        let _ = writeln!(out, "  m(i, M0) for i = 0 to {}: {}", net.place_count(), numbers.join(", "));
    }
    let _ = writeln!(out, "  a marking that can be covered is covered by a run of fewer than f({}) steps", net.place_count());
    Ok(())
}

/// The bounds of places, those of one sum together.
fn push_bounds(out: &mut String, net: &Net, found: &NetSums, verbose: bool) {
    let (named, lines) = if verbose { (usize::MAX, usize::MAX) } else { (NAMED, LINES) };
    let bounded = found.bounds.iter().flatten().count();
    let _ = writeln!(out, "bounds       {bounded} of {}, by sums that no transition increases", counted(net.place_count(), "place"));
    let mut rows: Vec<String> = Vec::new();
    for one in found.by_sum(net) {
        let places = list(one.places.into_iter().map(|place| name(place).into_owned()).collect(), named, ", ");
        let terms = one
            .sum
            .into_iter()
            .map(|(weight, place)| if weight == 1 { name(place).into_owned() } else { format!("{weight}·{}", name(place)) });
        rows.push(format!("at most {}: {places}; by {}", one.bound, list(terms.collect(), named, " + ")));
    }
    let free = found.unbounded(net);
    if !free.places.is_empty() {
        // Such nets never wait for tokens of two kinds of which there may be any number.
        let taken = match free.taken_together {
            0 => "; nothing takes from them",
            1 => "; no transition takes from two of them",
            _ => "",
        };
        let places = free.places.into_iter().map(|place| name(place).into_owned());
        rows.push(format!("no bound by weights: {}{taken}", list(places.collect(), named, ", ")));
    }
    for row in rows.iter().take(lines) {
        let _ = writeln!(out, "  {row}");
    }
    if let Some(left) = rows.len().checked_sub(lines).filter(|&left| left > 0) {
        let _ = writeln!(out, "  … and {}; -v shows them", counted(left, "more line"));
    }
}

fn list(mut words: Vec<String>, most: usize, between: &str) -> String {
    let left = words.len().saturating_sub(most);
    words.truncate(most);
    let more = if left == 0 { String::new() } else { format!("{between}… ({left} more)") };
    format!("{}{more}", words.join(between))
}
