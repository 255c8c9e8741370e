//! `serval verify FILE CERTIFICATE`.

use std::process::ExitCode;

use serval_budget::Cancel;
use serval_verify::{Caps, InputKind};

use crate::args::{self, Verify};
use crate::failure::Failure;
use crate::input;
use crate::output::write_to;

pub(crate) fn run(args: &Verify) -> Result<ExitCode, Failure> {
    let kind = match input::kind_of(&args.file, args.input)? {
        args::InputKind::Ser => InputKind::Program,
        args::InputKind::Json => InputKind::System,
    };
    let (name, certificate_name) = (input::name_of(&args.file), input::name_of(&args.certificate));
    let (text, certificate) = (input::plain_text(&args.file)?, input::plain_text(&args.certificate)?);
    let outcome = serval_verify::verify(&text, kind, &certificate, &Caps::default(), &Cancel::new());
    let line = outcome.line(&name, &certificate_name, &text);
    if args.check_compile && kind == InputKind::System {
        return Err(Failure::message("--check-compile is about programs: a network system is not compiled"));
    }
    if outcome.status() == 2 {
        return Err(Failure::Input(format!("{line}\n")));
    }
    if outcome.status() != 0 || !args.check_compile {
        write_to(None, &format!("{line}\n"))?;
        return Ok(ExitCode::from(outcome.status()));
    }
    let compilation = serval_verify::verify_compilation(&text, &Cancel::new());
    write_to(None, &format!("{line}\n{}\n", compilation.line(&name, &text)))?;
    Ok(ExitCode::from(compilation.status()))
}
