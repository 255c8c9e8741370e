//! `serval export FILE --to FORMAT`.

mod classic;
mod obligations;
mod pictures;
mod weak;

use std::borrow::Cow;
use std::time::Duration;

use serval::{Content, ValueNames};
use serval_budget::Budget;
use serval_compile::Compiled;

use serval_model::{NetworkSystem, SerialAutomaton, product, systems_to_json};
use serval_report::escape;
use serval_report::pictures::View;
use serval_report::{Labels, PlainLabels, ProgramLabels, automaton_dot, system_dot, system_mermaid};

use serval_syntax::{LineIndex, core_text};

use self::classic::Stage;
use crate::args::{Export, Format};
use crate::failure::Failure;
use crate::input::{self, File, Messages};
use crate::limits::{self, Ended, Lost, Watch, watched};
use crate::output::{keep_input, write_to};

pub(crate) fn run(args: &Export, messages: Messages) -> Result<(), Failure> {
    keep_input(&args.input.file, args.out.as_deref())?;
    if let Some(kind) = weak::kind_of(args) {
        return weak::run(args, kind, messages);
    }
    let File { name, input } = input::read(&args.input, messages)?;
    let (text, content) = input.into_content();
    let shown = escape::name(&name);
    let Some(writer) = Writer::of(args.to.format) else {
        if args.to.format != Format::Core {
            return Err(Failure::message(format!("{shown} is no program on weak memory, which alone has this form")));
        }
        let Content::Program(program) = &content else {
            return Err(Failure::message(format!("{shown} is a network system; only programs have a core")));
        };
        return write_to(args.out.as_deref(), &core_text(program));
    };
    let compiled: Compiled;
    let lines = LineIndex::new(&text);
    let given: Vec<NetworkSystem>;
    let named: Vec<Cow<'_, NetworkSystem>>;
    let mut systems: Vec<(&NetworkSystem, Box<dyn Labels + '_>)> = match content {
        Content::Systems(systems) => {
            // The network system itself has names as they are, and expressions
            // quote them.
            let as_they_are = matches!(args.to.format, Format::Ns | Format::Regex | Format::Semilinear | Format::Query);
            given = if as_they_are { systems } else { systems.iter().map(|system| system.shown().into_owned()).collect() };
            given.iter().map(|system| (system, Box::new(PlainLabels) as Box<dyn Labels>)).collect()
        }
        Content::Program(program) => {
            compiled = input::compiled(&program, &text, &name, &args.input, messages.style)?;
            let names = if writer.is_picture() { ValueNames::new(&program, &text) } else { ValueNames::default() };
            named = compiled.components().iter().map(|component| names.in_system(&program, component.system())).collect();
            let labelled = compiled.components().iter().zip(&named).map(|(component, system)| {
                let labels = Box::new(ProgramLabels::new(component, &text, &lines)) as Box<dyn Labels>;
                (&**system, labels)
            });
            labelled.collect()
        }
    };
    if let Some(component) = args.component {
        if component >= systems.len() {
            let count = systems.len();
            return Err(Failure::message(format!("there is no component {component}: {shown} has {count}, counted from 0")));
        }
        systems = vec![systems.swap_remove(component)];
    }
    let whole: NetworkSystem;
    if args.product && systems.len() > 1 {
        let parts: Vec<&NetworkSystem> = systems.iter().map(|(system, _)| *system).collect();
        let limit = usize::try_from(args.input.max_states).unwrap_or(usize::MAX);
        whole = product(&parts, limit).map_err(|error| Failure::message(format!("the product is too large: {error}")))?;
        systems = vec![(&whole, Box::new(PlainLabels))];
    }
    let bare = || systems.iter().map(|(system, _)| *system).collect::<Vec<&NetworkSystem>>();
    let text = match writer {
        Writer::Obligations => return obligations::write(&bare(), &shown, args),
        Writer::Stage(stage) => classic::text(&bare(), &shown, stage, args, messages.quiet)?,
        Writer::Picture(view) => pictures::svg(&systems, &shown, view)?,
        Writer::System(form) => render(&systems, form)?,
    };
    write_to(args.out.as_deref(), &text)
}

/// Who writes a format of network systems, with what it has to know of it: each
/// writes all that it can be asked for.
#[derive(Clone, Copy)]
enum Writer {
    Obligations,
    Stage(Stage),
    Picture(View),
    System(SystemForm),
}

/// A network system, or its automaton, as text.
#[derive(Clone, Copy)]
enum SystemForm {
    Json,
    Dot,
    Mermaid,
    AutomatonDot,
}

impl Writer {
    /// Whether people look at it: nothing else is made of what it writes.
    fn is_picture(self) -> bool {
        match self {
            Self::Picture(_) => true,
            Self::System(form) => !matches!(form, SystemForm::Json),
            Self::Obligations | Self::Stage(_) => false,
        }
    }

    /// None for the formats of programs.
    fn of(format: Format) -> Option<Self> {
        Some(match format {
            Format::Core | Format::Tso | Format::ScRounds => return None,
            Format::Smtlib => Self::Obligations,
            Format::Net => Self::Stage(Stage::Net),
            Format::Pnml => Self::Stage(Stage::Pnml),
            Format::Query => Self::Stage(Stage::Query),
            Format::Regex => Self::Stage(Stage::Regex),
            Format::Semilinear => Self::Stage(Stage::Semilinear),
            Format::Svg => Self::Picture(View::System),
            Format::NfaSvg => Self::Picture(View::Automaton),
            Format::NetSvg => Self::Picture(View::Net),
            Format::Ns => Self::System(SystemForm::Json),
            Format::Dot => Self::System(SystemForm::Dot),
            Format::Mermaid => Self::System(SystemForm::Mermaid),
            Format::NfaDot => Self::System(SystemForm::AutomatonDot),
        })
    }
}

/// Has this done for the systems, as long as there is time and memory. What is
/// said where there is not begins with one of `needs`.
fn within_limits<T: Send + 'static>(
    systems: &[&NetworkSystem],
    name: &str,
    args: &Export,
    needs: (&str, &str),
    work: impl FnOnce(&[&NetworkSystem], &Watch) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    limits::watch_interrupts();
    limits::limit_memory(None);
    let timeout = Duration::try_from_secs_f64(args.timeout).unwrap_or(Duration::MAX);
    let owned: Vec<NetworkSystem> = systems.iter().map(|&system| system.clone()).collect();
    let done = watched(timeout, move |watch| {
        let systems: Vec<&NetworkSystem> = owned.iter().collect();
        (work(&systems, watch), watch.ended())
    });
    let (done, ended) = match done {
        Ok(done) => done,
        Err(Lost::Panicked) => return Err(Failure::Internal),
        Err(Lost::NoThread(reason)) => return Err(Failure::message(reason)),
        Err(Lost::Stopped(ended, reason)) => (Err(Failure::message(reason)), Some(ended)),
    };
    let (not_done, more) = needs;
    match (done, ended) {
        (Err(_), Some(Ended::Interrupt)) => Err(Failure::Interrupted),
        (Err(_), Some(Ended::Time)) => Err(Failure::message(format!("{name}: {not_done} within {} s; try --timeout", args.timeout))),
        (Err(_), Some(Ended::Memory)) => Err(Failure::message(format!("{name}: {more} more memory"))),
        (done, _) => done,
    }
}

fn render(systems: &[(&NetworkSystem, Box<dyn Labels + '_>)], form: SystemForm) -> Result<String, Failure> {
    let labelled: Vec<(&NetworkSystem, &dyn Labels)> = systems.iter().map(|(system, labels)| (*system, &**labels)).collect();
    Ok(match form {
        SystemForm::Json => escape::json(systems_to_json(&labelled.iter().map(|(system, _)| (*system).clone()).collect::<Vec<_>>())),
        SystemForm::Dot => system_dot(&labelled),
        SystemForm::Mermaid => system_mermaid(&labelled),
        SystemForm::AutomatonDot => {
            let mut automata = Vec::new();
            for (system, _) in &labelled {
                automata.push(SerialAutomaton::new(system, &mut Budget::unlimited()).map_err(|_| Failure::message("stopped"))?);
            }
            let rows: Vec<(&NetworkSystem, &SerialAutomaton, &dyn Labels)> =
                labelled.iter().zip(&automata).map(|(&(system, labels), automaton)| (system, automaton, labels)).collect();
            automaton_dot(&rows)
        }
    })
}
