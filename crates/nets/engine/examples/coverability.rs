//! Coverability problems with known answers, how soon they are answered, and with what evidence: a Markdown page on
//! standard output.
//!
//! Each question is asked by itself, with ten seconds. Ends with 1 if an answer is wrong, is missing where one is
//! promised, or if evidence was refused.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serval_budget::{Budget, Cancel};
use serval_families::covering::{Problem, lipton, messages, problems};
use serval_net_engine::cover::{Tree, backward, sliced};
use serval_net_engine::{Far, GoalOutcome, Method, Session, weights};
use serval_net_proof::{Certificate, Claim, Cover, Evidence, check};
use serval_petri::{Formula, Net, NetError, Property, mist, tina, words};
use serval_testkit::peak_memory_mib;

const LIMIT: Duration = Duration::from_secs(10);
/// The net of example 2.3.
const WORKERS: &str = include_str!("../../../../examples/nets/controller-and-workers.net");
/// Machines with two states each, of the large set: with one of four states and 16 places that grow, 131,072 ω-markings
/// over 50 places.
const MACHINES: usize = 15;
/// Ticks for a question where trees are compared with slices.
const TICKS: u64 = 3_000_000;

/// A part of the page, and whether all there is as it should be.
type PagePart = Result<(String, bool), String>;
/// A part with its heading.
type Named = (&'static str, fn() -> PagePart);

fn main() -> ExitCode {
    match page() {
        Ok((page, is_right)) => match io::stdout().write_all(page.as_bytes()) {
            Ok(()) => ExitCode::from(u8::from(!is_right)),
            Err(_) => ExitCode::from(2),
        },
        Err(message) => {
            let _ = writeln!(io::stderr(), "coverability: {message}");
            ExitCode::from(2)
        }
    }
}

fn page() -> PagePart {
    // This comes first, as it is the one whose memory counts.
    let (set, mut is_right) = large_set()?;
    let mut page = format!(
        "# Coverability\n\nWritten by `scripts/measure coverability`. Each question is asked by itself, of all methods, on one thread, with ten seconds; every answer was accepted by the \
         checker as a certificate, and compared with the known one. Times are what the thread worked. Sizes are those of certificates, in bytes.\n\n## A large set\n\n{set}"
    );
    let parts: [Named; 4] = [
        ("Sixty problems", sixty),
        ("Lipton's nets, and messages through channels without a bound", generated),
        ("The controller and its workers", workers),
        ("Whole trees and slices", beside_each_other),
    ];
    for (heading, part) in parts {
        let (text, is_fine) = part()?;
        is_right &= is_fine;
        let _ = write!(page, "\n## {heading}\n\n{text}");
    }
    Ok((page, is_right))
}

/// How long this thread has worked, where the system tells, so that others on the machine do not count; else what the
/// clock says.
fn worked(start: Instant) -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = told.and_then(|told| told.split_whitespace().next()?.parse().ok());
    nanos.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

/// In milliseconds. The system counts in ticks of up to ten.
fn millis(time: Duration) -> String {
    if time < Duration::from_millis(10) { "under 10".to_owned() } else { time.as_millis().to_string() }
}

/// Asks a question of all methods within the time.
fn timed(net: &Net, goal: &Formula) -> (GoalOutcome, Far, Duration) {
    let (cancel, (done, waiting)) = (Cancel::new(), mpsc::channel::<()>());
    let flag = cancel.clone();
    let clock = std::thread::spawn(move || {
        if waiting.recv_timeout(LIMIT) == Err(mpsc::RecvTimeoutError::Timeout) {
            flag.cancel();
        }
    });
    let start = Instant::now();
    let before = worked(start);
    let mut session = Session::new(net, &cancel);
    let goals = std::slice::from_ref(goal);
    let begun = session.begin(net, goals, &cancel);
    let (mut found, far) = session.go_on(net, goals, begun, 64, &cancel);
    let time = worked(start).saturating_sub(before);
    drop(done);
    let _ = clock.join();
    (found.pop().unwrap_or_default(), far, time)
}

const HEAD: &str = "| problem | places | transitions | answer | ms | method | evidence | bytes |\n|---|---:|---:|---|---:|---|---|---:|\n";

/// How many were answered in time, and how many were wrong or refused.
#[derive(Default)]
struct Tally {
    answered: usize,
    wrong: usize,
    slowest: Duration,
}

/// Asks the targets of a specification, and adds a row for each to a table.
fn ask(name: &str, spec: &str, known: &[bool], text: &mut String, tally: &mut Tally) -> Result<(), String> {
    let mist::Spec { net, targets } = mist::read(spec).map_err(|error| format!("{name}: {error}"))?;
    for (number, (goal, &coverable)) in (1..).zip(targets.iter().zip(known)) {
        let (found, far, time) = timed(&net, goal);
        tally.slowest = tally.slowest.max(time);
        let (answer, method, kind, bytes) = match &found {
            GoalOutcome::Answer(answer) => {
                let property = Property::Coverable(goal.clone());
                let written = Certificate::new(
                    &net,
                    &property.text(&net).ok_or("no words")?,
                    property.decides(),
                    1,
                    vec![(0, answer.evidence.clone())],
                )
                .ok_or("no certificate")?;
                let is_accepted = written.check(&net, &mut Budget::unlimited()).is_ok();
                let is_coverable = answer.claim == Claim::Reachable;
                tally.wrong += usize::from(is_coverable != coverable || !is_accepted);
                tally.answered += usize::from(time < LIMIT);
                let word = if is_coverable { "coverable" } else { "not coverable" };
                (word.to_owned(), answer.method, answer.evidence.kind(), written.to_json().len())
            }
            GoalOutcome::Refused(answer, _) => {
                tally.wrong += 1;
                ("refused".to_owned(), answer.method, answer.evidence.kind(), 0)
            }
            GoalOutcome::Nothing | GoalOutcome::TooLarge { .. } => {
                let Far { forwards, backwards, explicit, .. } = far;
                (format!("undecided: forwards {forwards}, backwards {backwards}, one by one {explicit} markings"), "", "", 0)
            }
        };
        let target = if targets.len() > 1 { format!(", target {number}") } else { String::new() };
        let (places, transitions) = (net.place_count(), net.transition_count());
        let _ = writeln!(text, "| {name}{target} | {places} | {transitions} | {answer} | {} | {method} | {kind} | {bytes} |", millis(time));
    }
    Ok(())
}

/// The problems of `examples/nets/coverability`.
fn sixty() -> PagePart {
    let (mut text, mut tally, problems) = (HEAD.to_owned(), Tally::default(), problems());
    for Problem { name, text: spec, coverable } in &problems {
        ask(name, spec, &[*coverable], &mut text, &mut tally)?;
    }
    let Tally { answered, wrong, slowest } = tally;
    let _ = writeln!(
        text,
        "\n{answered} of {} answered within 10 s, {wrong} wrong or refused, the slowest in {} ms.",
        problems.len(),
        millis(slowest)
    );
    Ok((text, answered == problems.len() && wrong == 0))
}

/// Lipton's nets, of which those up to 2 are promised, and messages.
fn generated() -> PagePart {
    let (mut text, mut promised, mut beyond) = (HEAD.to_owned(), Tally::default(), Tally::default());
    for n in 0..=4 {
        for mistake in [false, true] {
            let name = format!("Lipton {n}{}", if mistake { " with a mistake" } else { "" });
            ask(&name, &lipton(n, mistake), &[!mistake, false], &mut text, if n > 2 { &mut beyond } else { &mut promised })?;
        }
    }
    for n in [2, 4, 8] {
        for mistake in [false, true] {
            let name = format!("{n} numbers of messages{}", if mistake { ", used again" } else { "" });
            ask(&name, &messages(n, mistake), &[mistake], &mut text, &mut promised)?;
        }
    }
    text.push_str("\nThe second target of Lipton's nets asks for one more than the counter can hold, which is never coverable.\n");
    Ok((text, promised.answered == 18 && promised.wrong == 0 && beyond.wrong == 0))
}

/// How many markings the evidence has, by both methods.
fn workers() -> PagePart {
    let net = tina::read(WORKERS).map_err(|error| error.to_string())?;
    let mut text = "| question | method | evidence | markings | sums |\n|---|---|---|---:|---:|\n".to_owned();
    let mut is_right = true;
    let session = Session::new(&net, &Cancel::new());
    for asked in ["w1 >= 2", "p2 >= 1 and w1 >= 1", "p2 >= 1 and w1 >= 1 or w1 >= 2"] {
        let goal = words::formula(asked, &net).map_err(|error| error.message)?;
        let mut row = |method: &str, evidence: &Evidence| {
            let (markings, sums) = match evidence {
                Evidence::Cover(cover) => (cover.markings.len(), 0),
                Evidence::Basis(basis) => (basis.markings.len(), basis.weights.sums.len()),
                _ => (usize::MAX, 0),
            };
            is_right &= markings <= 6 && check(&net, &goal, Claim::Unreachable, evidence, &mut Budget::unlimited()).is_ok();
            let _ = writeln!(text, "| `{asked}` | {method} | {} | {markings} | {sums} |", evidence.kind());
        };
        for method in [Method::Cover, Method::Backward] {
            let (found, _) = session.alone(&net, std::slice::from_ref(&goal), method, 5, &Cancel::new());
            let answer = found[0].answer().ok_or_else(|| format!("{asked}: no answer"))?;
            row(method.name(), &answer.evidence);
        }
        match backward::ask(&net, &goal, &[], &mut Budget::ticks(TICKS)) {
            Ok(serval_net_engine::cover::CoverOutcome::Excluded(evidence)) => row("backward without sums", &evidence),
            _ => return Err(format!("{asked}: no basis")),
        }
    }
    text.push_str("\nNone is coverable. What weighted sums exclude needs no marking.\n");
    Ok((text, is_right))
}

/// Copies of a net that have nothing to do with each other; the places of the first come first.
fn copies(net: &Net, count: usize) -> Result<Net, NetError> {
    let mut all = Net::new("copies");
    for copy in 0..count {
        let mut places = Vec::new();
        for place in net.places() {
            places.push(all.add_place(format!("{}_{copy}", net.place_name(place)), net.initial_tokens(place))?);
        }
        for transition in net.transitions() {
            let arcs = |arcs: &[serval_petri::Arc]| arcs.iter().map(|&(place, weight)| (places[place.index()], weight)).collect::<Vec<_>>();
            let name = format!("{}_{copy}", net.transition_name(transition));
            all.add_transition(name, arcs(net.inputs(transition)), arcs(net.outputs(transition)))?;
        }
    }
    Ok(all)
}

/// What is asked of one of several copies of a problem: the others should not matter.
fn beside_each_other() -> PagePart {
    let mut text = "| copies | ticks by whole trees | by slices | backwards | without an answer: trees | slices | backwards |\n\
                    |---:|---:|---:|---:|---:|---:|---:|\n"
        .to_owned();
    for count in 1..=3 {
        let (mut ticks, mut open) = ([0; 3], [0; 3]);
        for Problem { name, text: spec, .. } in problems() {
            let mist::Spec { net, targets } = mist::read(&spec).map_err(|error| format!("{name}: {error}"))?;
            let net = copies(&net, count).map_err(|error| format!("{name}: {error}"))?;
            let goal = targets.first().ok_or_else(|| format!("{name}: no target"))?;
            let mut known = weights::PlaceBounds::new(&net);
            let _ = known.bound_all(&net, &mut Budget::unlimited());
            let sums = known.into_sums();
            let mut budgets = [(); 3].map(|()| Budget::ticks(TICKS));
            let tree = Tree::new(&net).map(|mut tree| tree.ask(&net, goal, &mut budgets[0]).is_ok());
            let slices = sliced::ask(&net, goal, &mut 0, &mut budgets[1]).is_ok();
            let back = backward::ask(&net, goal, &sums, &mut budgets[2]).is_ok();
            for (number, is_told) in [tree == Some(true), slices, back].into_iter().enumerate() {
                ticks[number] += TICKS - budgets[number].left();
                open[number] += usize::from(!is_told);
            }
        }
        let _ = writeln!(text, "| {count} | {} | {} | {} | {} | {} | {} |", ticks[0], ticks[1], ticks[2], open[0], open[1], open[2]);
    }
    text.push_str("\nThe sixty problems, each so many times beside itself; one copy is asked about, with 3,000,000 ticks.\n");
    Ok((text, true))
}

/// Machines that do not meet, and places that grow.
fn large_set() -> PagePart {
    let net = machines().map_err(|error| error.to_string())?;
    let start = Instant::now();
    let before = worked(start);
    let mut tree = Tree::new(&net).ok_or("no tree")?;
    let all = tree.all(&mut Budget::unlimited()).map_err(|_| "stopped")?.ok_or("too many tokens")?;
    let (found, memory) = (worked(start).saturating_sub(before), peak_memory_mib());
    let cover = Evidence::Cover(Cover { markings: all.into_iter().map(|one| one.0).collect() });
    let before = worked(start);
    let is_accepted = check(&net, &Formula::any([]), Claim::Unreachable, &cover, &mut Budget::unlimited()).is_ok();
    let checked = worked(start).saturating_sub(before);
    let Evidence::Cover(Cover { markings }) = cover else { return Err("no cover".to_owned()) };
    let shown = memory.map_or("?".to_owned(), |mib| mib.to_string());
    let text = format!(
        "{MACHINES} machines of two states, one of four, and 16 places that grow: {} ω-markings over {} places, each with a run with pumps, in {} ms; the peak of memory of the process was \
         {shown} MiB. The checker accepts the set as a cover in {} ms.\n",
        markings.len(),
        net.place_count(),
        millis(found),
        millis(checked),
    );
    Ok((text, is_accepted && markings.len() == 4 << MACHINES && found < LIMIT && memory.is_none_or(|mib| mib < 1024)))
}

fn machines() -> Result<Net, NetError> {
    let mut net = Net::new("machines");
    for number in 0..=MACHINES {
        let mut places = Vec::new();
        for state in 0..if number == MACHINES { 4 } else { 2 } {
            places.push(net.add_place(format!("m{number}_{state}"), u64::from(state == 0))?);
        }
        for (state, &from) in places.iter().enumerate() {
            net.add_transition(format!("m{number}_{state}"), [(from, 1)], [(places[(state + 1) % places.len()], 1)])?;
        }
    }
    for number in 0..16 {
        let place = net.add_place(format!("grows{number}"), 0)?;
        net.add_transition(format!("grow{number}"), [], [(place, 1)])?;
    }
    Ok(net)
}
