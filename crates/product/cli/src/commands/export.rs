//! `serval export FILE --to FORMAT`.

mod obligations;
mod weak;

use std::path::Path;
use std::time::Duration;

use clap::ValueEnum;
use serval::export::{ExportNames, Stage, SystemForm, Systems, core, core_with_map};
use serval::{ClassicOptions, ExportError};
use serval_report::escape;
use serval_report::pictures::View;

use crate::args::{Export, Format};
use crate::failure::Failure;
use crate::input::{self, File, Messages};
use crate::limits::{self, Ended, Lost, Watch, watched};
use crate::output::{keep_input, say, write_to};

pub(crate) fn run(args: &Export, messages: Messages) -> Result<(), Failure> {
    keep_input(&args.input.file, args.out.as_deref())?;
    if args.with_map && args.to.format != Format::Core {
        return Err(Failure::message("--with-map is about --to core"));
    }
    if crate::workload::is_workload(&args.input.file) {
        if matches!(args.to.format, Format::Spec | Format::Psql) {
            return super::sql::export::run(args, messages);
        }
        return crate::workload::export(args, messages);
    }
    if super::handlers::is_handlers(&args.input.file) {
        return super::handlers::export(args, messages);
    }
    if args.bounds.is_said() {
        return Err(Failure::message(super::handlers::NOT_OF_HANDLERS));
    }
    if args.to.format == Format::Js {
        return Err(Failure::message("--to js is about handlers in JavaScript and TypeScript"));
    }
    if args.sql.is_said() || matches!(args.to.format, Format::Ser | Format::Spec | Format::Psql) {
        return Err(Failure::message(
            "--to ser, spec and psql, --isolation, --observe and --default-range are about workloads of SQL, which are directories",
        ));
    }
    if let Some(kind) = weak::kind_of(args) {
        return weak::run(args, kind, messages);
    }
    let File { name, input } = input::read("export", &args.input, messages)?;
    let shown = escape::name(&name);
    let Some(writer) = ExportWriter::of(args.to.format) else {
        if args.to.format != Format::Core {
            return Err(Failure::message(format!("{shown} is no program on weak memory, which alone has this form")));
        }
        let text = if args.with_map { core_with_map(&input, input::options(&args.input)).transpose() } else { Ok(core(&input)) };
        let text = text.map_err(|error| Failure::message(format!("{shown}: {error}")))?;
        let Some(text) = text else {
            return Err(Failure::message(format!("{shown} is a network system; only programs have a core")));
        };
        return write_to(args.out.as_deref(), &text);
    };
    let systems = Systems::new(&input, input::options(&args.input), writer.names());
    let mut systems = systems.map_err(|error| input::not_compiled(&error, input.text(), &name, messages.style))?;
    if let Some(component) = args.component {
        let count = systems.len();
        let none = || Failure::message(format!("there is no component {component}: {shown} has {count}, counted from 0"));
        systems = systems.component(component).ok_or_else(none)?;
    }
    if args.product {
        let limit = usize::try_from(args.input.max_states).unwrap_or(usize::MAX);
        systems = systems.product(limit).map_err(|error| Failure::message(error.to_string()))?;
    }
    let text = match writer {
        ExportWriter::Obligations => return obligations::write(&systems, &shown, args),
        ExportWriter::Stage(form) => stage(&systems, &shown, form, args, messages.quiet)?,
        ExportWriter::Picture(view) => {
            // Not the directory: the same file gives the same bytes wherever it lies.
            let file =
                Path::new(&*shown).file_name().map_or_else(|| shown.clone().into_owned(), |file| file.to_string_lossy().into_owned());
            systems.svg(view, &file).map_err(|error| Failure::message(format!("{shown}: {error}")))?
        }
        ExportWriter::System(form) => written(&systems, form)?,
    };
    write_to(args.out.as_deref(), &text)
}

/// Who writes a format of network systems, with what it has to know of it: each
/// writes all that it can be asked for.
#[derive(Clone, Copy)]
enum ExportWriter {
    Obligations,
    Stage(Stage),
    Picture(View),
    System(SystemForm),
}

impl ExportWriter {
    /// What is called how: the network system itself has names as they are, expressions quote them, and where people
    /// look at it nothing else is made of what is written.
    fn names(self) -> ExportNames {
        match self {
            Self::System(SystemForm::Json) | Self::Stage(Stage::Regex | Stage::Semilinear | Stage::Query) => ExportNames::Given,
            Self::Obligations | Self::Stage(Stage::Net | Stage::Pnml) => ExportNames::Visible,
            Self::Picture(_) | Self::System(_) => ExportNames::ForPeople,
        }
    }

    /// None for the formats of programs.
    fn of(format: Format) -> Option<Self> {
        Some(match format {
            Format::Core | Format::Ser | Format::Js | Format::Spec | Format::Psql | Format::Tso | Format::ScRounds => return None,
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

/// A stage of the published method, as the arguments want it.
fn stage(systems: &Systems, name: &str, stage: Stage, args: &Export, quiet: bool) -> Result<String, Failure> {
    let count = systems.len();
    if stage.is_about_one() && count != 1 {
        let format = args.to.format.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
        let all = if count > 1 { "; choose one with --component K, from 0, or take their product with --product" } else { "" };
        return Err(Failure::message(format!("{name}: --to {format} is about one component, and there are {count}{all}")));
    }
    let &Export { no_elimination_order, no_prune, no_factor, .. } = args;
    let options = ClassicOptions { order: !no_elimination_order, prune: !no_prune, factor: !no_factor, ..ClassicOptions::default() };
    let (own, own_name) = (systems.clone(), name.to_owned());
    let text = within_limits(name, args, ("not done", "this needs"), move |watch| {
        own.stage(stage, &options, &watch.cancel()).map_err(|error| match error {
            ExportError::Reason(reason) => Failure::message(format!("{own_name}: {reason}")),
            ExportError::NotAsMeant => {
                say(&format!("{error}\n"));
                Failure::Internal
            }
        })
    })?;
    if let Some(warning) = text.warning.filter(|_| !quiet) {
        say(&format!("warning: {name}: {warning}\n"));
    }
    Ok(text.text)
}

/// Has this done, as long as there is time and memory. What is said where there
/// is not begins with one of `needs`.
fn within_limits<T: Send + 'static>(
    name: &str,
    args: &Export,
    needs: (&str, &str),
    work: impl FnOnce(&Watch) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    limits::watch_interrupts();
    limits::limit_memory(None);
    let timeout = Duration::try_from_secs_f64(args.timeout).unwrap_or(Duration::MAX);
    let done = watched(timeout, move |watch| (work(watch), watch.ended()));
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

fn written(systems: &Systems, form: SystemForm) -> Result<String, Failure> {
    systems.written(form).map_err(|error| Failure::message(error.to_string()))
}
