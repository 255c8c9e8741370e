//! `serval fmt FILE…`.

use std::path::Path;
use std::process::ExitCode;

use serval::{FormatRefusal, FormatStyle, format_diff, format_tso, with_line_ends_of};
use serval_report::{escape, render_diagnostics};

use super::check::files;
use crate::args::{Fmt, FmtInput};
use crate::config::{Config, Configs};
use crate::failure::Failure;
use crate::input::{self, Messages};
use crate::output::{rewrite_file, say, write_to};

/// What formats the programs of a language.
type Formatter = fn(&str, &FormatStyle) -> Result<String, FormatRefusal>;

/// What a file means for the exit status, the gravest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Status {
    Fine,
    WouldChange,
    Input,
    Internal,
}

impl Status {
    fn exit_code(self) -> ExitCode {
        ExitCode::from(match self {
            Self::Fine => 0,
            Self::WouldChange => 1,
            Self::Input => 2,
            Self::Internal => 4,
        })
    }
}

/// Formats all files; the status is that of the worst. A file that cannot be
/// formatted does not keep the others from it.
pub(crate) fn run(args: &Fmt, messages: Messages) -> Result<ExitCode, Failure> {
    let files = files::formatted(&args.files)?;
    // A mistake in the settings is reported once, before anything is written.
    let mut known = Configs::default();
    let configs = files.iter().map(|path| known.of(path, messages.style)).collect::<Result<Vec<_>, Failure>>()?;
    let mut worst = Status::Fine;
    for (path, config) in files.iter().zip(&configs) {
        let status = match one(path, args, messages, config) {
            Ok(status) => status,
            Err(Failure::ClosedPipe) => return Err(Failure::ClosedPipe),
            Err(failure) => {
                let status = if matches!(failure, Failure::Internal) { Status::Internal } else { Status::Input };
                failure.report();
                status
            }
        };
        worst = worst.max(status);
    }
    Ok(worst.exit_code())
}

/// Formats one file.
fn one(path: &Path, args: &Fmt, messages: Messages, config: &Config) -> Result<Status, Failure> {
    let (name, shown) = (input::name_of(path), input::shown(path));
    let is_stdin = path == Path::new("-");
    let ending = path.extension().and_then(|ending| ending.to_str());
    let format: Formatter = match ending {
        Some("tso") => format_tso,
        Some("ser") => serval::format,
        _ if is_stdin => match args.input {
            Some(FmtInput::Tso) => format_tso,
            Some(FmtInput::Ser) | None => serval::format,
        },
        _ => return Err(Failure::message(format!("{shown} is not formatted: only programs are, with the ending .ser or .tso [E0503]"))),
    };
    let (text, mistake) = input::program_text(path)?;
    if let Some(mistake) = mistake {
        return Err(Failure::Input(render_diagnostics(&[mistake], &name, &text, messages.style)));
    }
    let formatted = match format(&text, &config.format) {
        Ok(formatted) => formatted,
        Err(FormatRefusal::Mistakes(mistakes)) => return Err(Failure::Input(render_diagnostics(&mistakes, &name, &text, messages.style))),
        Err(FormatRefusal::Differs(what)) => {
            say(&format!("{shown} is left as it is: formatting would change the program: {}\n", escape::line(&what.to_string())));
            return Err(Failure::Internal);
        }
    };
    let formatted = with_line_ends_of(&text, formatted);
    let changes = formatted != text;
    if args.diff {
        write_to(None, &messages.look.finish(&escape::lines(&format_diff(&text, &formatted, &shown))))?;
    }
    if args.check {
        if changes && !args.diff && !messages.quiet {
            write_to(None, &format!("would change {shown}\n"))?;
        }
        return Ok(if changes { Status::WouldChange } else { Status::Fine });
    }
    if args.diff {
        return Ok(Status::Fine);
    }
    if is_stdin {
        write_to(None, &formatted)?;
    } else if changes {
        let written = rewrite_file(path, &formatted)?;
        if !messages.quiet {
            say(&format!("formatted {shown}{}\n", written.words()));
        }
    }
    Ok(Status::Fine)
}
