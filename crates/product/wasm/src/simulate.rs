//! `simulate`: a run by choices. The same choices give the same run, so that nothing is kept between requests.

use serde::Serialize;
use serval::simulator::{ActionKind, ProgramSimulator, Serial, Simulator, SystemSimulator, prepare, serial};
use serval::{CompileOptions, Content};
use serval_report::escape::line;
use serval_report::{TraceEvent, render_diagnostics};

use crate::answer::{Unanswered, json};
use crate::asked::{ModuleRequest, read};
use crate::limits;

/// Something that can happen next.
#[derive(Serialize)]
struct Choice {
    kind: &'static str,
    text: String,
    /// The first line of what would run.
    line: Option<u32>,
}

#[derive(Serialize)]
struct Simulated<'a> {
    /// What has happened, a line each.
    happened: Vec<String>,
    /// The same as a trace.
    events: &'a [TraceEvent],
    choices: Vec<Choice>,
    globals: String,
    waiting: Vec<String>,
    answers: &'a [(String, String)],
    fails: Option<String>,
    /// Whether the answers so far could have come one at a time: `yes`, `no`, `unknown`; and the order.
    serial: &'static str,
    order: Vec<(String, String)>,
}

pub(crate) fn simulate(asked: &ModuleRequest) -> Result<String, Unanswered> {
    let kind = asked.text_kind()?;
    let loaded = read(&asked.text, kind).ok_or_else(|| Unanswered::new(limits::reason()))?;
    let input = loaded.map_err(|mistakes| {
        Unanswered::new(render_diagnostics(&mistakes.diagnostics, &asked.file(kind), &mistakes.text, serval_report::Style::Plain))
    })?;
    match input.content() {
        Content::Systems(systems) => run(asked, &mut || Box::new(SystemSimulator::new(systems))),
        Content::Program(program) => {
            let prepared = prepare(program, CompileOptions { plain: false, pairs: Some(asked.max_states) });
            run(asked, &mut || Box::new(ProgramSimulator::new(&prepared, input.text())))
        }
    }
}

fn run<'a>(asked: &ModuleRequest, fresh: &mut dyn FnMut() -> Box<dyn Simulator + 'a>) -> Result<String, Unanswered> {
    let mut simulator = fresh();
    let mut happened = Vec::new();
    for (number, &choice) in asked.choices.iter().enumerate() {
        let count = simulator.actions().len();
        if choice >= count {
            return Err(Unanswered::new(format!("choice {} is {choice}, and there are {count}, counted from 0", number + 1)));
        }
        happened.push(line(&simulator.perform(choice)).into_owned());
    }
    let choices = simulator.actions().into_iter().map(|action| Choice {
        kind: match action.kind {
            ActionKind::Spawn => "spawn",
            ActionKind::Step => "step",
            ActionKind::Respond => "respond",
        },
        text: line(&action.text).into_owned(),
        line: if let Some(TraceEvent::Step { span: Some(span), .. }) = action.event { span.first().copied() } else { None },
    });
    let choices = choices.collect();
    let (is_serial, order) = match serial(fresh, &*simulator) {
        Serial::Yes(order) => ("yes", order),
        Serial::No => ("no", Vec::new()),
        Serial::Unknown => ("unknown", Vec::new()),
    };
    json(&Simulated {
        happened,
        events: simulator.events(),
        choices,
        globals: simulator.globals(),
        waiting: simulator.waiting(),
        answers: simulator.answers(),
        fails: simulator.fault(),
        serial: is_serial,
        order,
    })
}
