//! `serval export` of programs on weak memory.

use serval::export::{Stage, SystemForm, Systems};
use serval_budget::{Budget, Cancel};

use super::{stage, written};
use crate::args::{Export, Format, TsoInputKind};
use crate::commands::tso;
use crate::failure::Failure;
use crate::input::{Messages, shown};
use crate::output::write_to;

/// Whether the file is one, by its name.
pub(super) fn kind_of(args: &Export) -> Option<TsoInputKind> {
    match args.input.file.extension()?.to_str()? {
        "tso" => Some(TsoInputKind::Tso),
        "litmus" => Some(TsoInputKind::Litmus),
        _ => None,
    }
}

pub(super) fn run(args: &Export, kind: TsoInputKind, messages: Messages) -> Result<(), Failure> {
    let input = tso::read("export", &args.input.file, Some(kind), messages)?;
    let name = shown(&args.input.file);
    let system = || -> Result<Systems, Failure> {
        let most = usize::try_from(args.input.max_states).unwrap_or(usize::MAX);
        let system = input.to_system(most, &mut Budget::new(u64::MAX, Cancel::new()));
        let system = system.map_err(|reason| Failure::message(format!("{name}: {reason}; try --max-states")))?;
        Ok(Systems::given(system.shown().into_owned()))
    };
    let text = match args.to.format {
        Format::Tso => input.to_tso().ok_or(Failure::Internal)?,
        Format::Dot => input.to_dot(),
        Format::Ns => written(&system()?, SystemForm::Json)?,
        Format::Net => stage(&system()?, &name, Stage::Net, args, messages.quiet)?,
        Format::Pnml => stage(&system()?, &name, Stage::Pnml, args, messages.quiet)?,
        Format::ScRounds => input.to_rounds(args.to.rounds).map_err(|reason| Failure::message(format!("{name}: {reason}")))?,
        _ => {
            let forms = "tso, dot, ns, net, pnml and sc-rounds:K";
            return Err(Failure::message(format!("{name} is a program on weak memory, which has the forms {forms}")));
        }
    };
    write_to(args.out.as_deref(), &text)
}
