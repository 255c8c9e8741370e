//! `serval verify FILE CERTIFICATE`.

use std::path::Path;
use std::process::ExitCode;

use serval_budget::Cancel;
use serval_report::escape::{self, file_name};
use serval_verify::{Caps, InputKind, NetFormat};

use crate::args::{VerifiedKind, Verify};
use crate::failure::Failure;
use crate::input;
use crate::output::write_to;

/// What a file holds, by its name or by what somebody says.
fn kind_of(path: &Path, given: Option<VerifiedKind>) -> Result<VerifiedKind, Failure> {
    let by_name = || match path.extension()?.to_str()? {
        "ser" => Some(VerifiedKind::Ser),
        "json" => Some(VerifiedKind::Json),
        "pnml" => Some(VerifiedKind::Pnml),
        "net" => Some(VerifiedKind::Net),
        _ => None,
    };
    given.or_else(by_name).ok_or_else(|| {
        let name = escape::name(&file_name(path)).into_owned();
        Failure::message(format!("cannot tell what {name} is; say --input ser, json, pnml or net [E0503]"))
    })
}

pub(crate) fn run(args: &Verify) -> Result<ExitCode, Failure> {
    let kind = match kind_of(&args.file, args.input)? {
        VerifiedKind::Ser => InputKind::Program,
        VerifiedKind::Json => InputKind::System,
        VerifiedKind::Pnml => return net(args, NetFormat::Pnml),
        VerifiedKind::Net => return net(args, NetFormat::Tina),
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

fn net(args: &Verify, format: NetFormat) -> Result<ExitCode, Failure> {
    if args.check_compile {
        return Err(Failure::message("--check-compile is about programs: a net is not compiled"));
    }
    let (name, certificate_name) = (input::name_of(&args.file), input::name_of(&args.certificate));
    let (text, certificate) = (input::plain_text(&args.file)?, input::plain_text(&args.certificate)?);
    let outcome = serval_verify::verify_net(&text, format, &certificate, &Caps::default(), &Cancel::new());
    let line = format!("{}\n", outcome.line(&name, &certificate_name));
    if outcome.status() == 2 {
        return Err(Failure::Input(line));
    }
    write_to(None, &line)?;
    Ok(ExitCode::from(outcome.status()))
}
