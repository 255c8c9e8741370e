//! `serval run FILE`: random runs, replays, and runs by hand.

mod interactive;
mod replay;

use std::fmt::Write as _;
use std::path::Path;

use serval::Content;
use serval::simulator::{ProgramSimulator, RandomRun, Simulator, SystemSimulator, prepare};
use serval_report::Trace;
use serval_report::counted;
use serval_report::escape::name;

use crate::args::RunArgs;
use crate::failure::Failure;
use crate::input::{self, File, Messages};
use crate::output::{keep_input, say, write_file, write_to};

pub(crate) fn run(args: &RunArgs, messages: Messages) -> Result<(), Failure> {
    keep_input(&args.input.file, args.trace.as_deref())?;
    let File { input, .. } = input::read("run", &args.input, messages)?;
    match input.content() {
        Content::Systems(systems) => drive(args, &mut || Box::new(SystemSimulator::new(systems))),
        Content::Program(program) => {
            // Runs work on the text itself, so a program with too many states
            // can be run as well.
            let prepared = prepare(program, input::options(&args.input));
            drive(args, &mut || Box::new(ProgramSimulator::new(&prepared, input.text())))
        }
    }
}

/// Runs in the way that the arguments ask for.
fn drive<'a>(args: &RunArgs, fresh: &mut dyn FnMut() -> Box<dyn Simulator + 'a>) -> Result<(), Failure> {
    if let Some(path) = &args.replay {
        return replay::run(&mut *fresh(), path);
    }
    if args.interactive {
        let events = interactive::run(fresh)?;
        return save(args.trace.as_deref(), events);
    }
    let mut last = Vec::new();
    for number in 0..args.runs {
        let seed = args.seed.wrapping_add(number);
        let mut simulator = fresh();
        let blank = if number == 0 { "" } else { "\n" };
        let heading = format!("{blank}run {} of {}, seed {seed}, {}\n", number + 1, args.runs, counted(args.requests, "request"));
        let text = RandomRun { requests: args.requests, seed, max_steps: args.max_steps }.perform(&mut *simulator);
        write_to(None, &format!("{heading}{text}{}", summary(&mut *simulator)))?;
        last = simulator.events().to_vec();
    }
    save(args.trace.as_deref(), last)
}

fn save(path: Option<&Path>, events: Vec<serval_report::TraceEvent>) -> Result<(), Failure> {
    match path {
        None => Ok(()),
        Some(path) => {
            write_file(path, &Trace::new(events).to_json())?;
            say(&format!("saved the run to {}\n", input::shown(path)));
            Ok(())
        }
    }
}

/// What has been answered, and who is still there.
fn summary(simulator: &mut dyn Simulator) -> String {
    let mut out = String::new();
    let answers: Vec<String> =
        simulator.answers().iter().map(|(request, response)| format!("{} → {}", name(request), name(response))).collect();
    let _ = writeln!(out, "answers   {}", if answers.is_empty() { "none".to_owned() } else { answers.join(", ") });
    let waiting = simulator.waiting();
    if !waiting.is_empty() {
        let _ = writeln!(out, "waiting   {}", waiting.join(", "));
    }
    let globals = simulator.globals();
    if !globals.is_empty() {
        let _ = writeln!(out, "globals   {globals}");
    }
    if let Some(fault) = simulator.fault() {
        let _ = writeln!(out, "fails     {fault}");
    }
    out
}
