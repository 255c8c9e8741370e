//! `serval verify FILE CERTIFICATE`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serval_budget::Cancel;
use serval_report::escape::{self, file_name};
use serval_verify::{Caps, InputError, InputKind, NetFormat, NetPart, NetText, Outcome, Syntax, TsoText, accept};

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
        "spec" => Some(VerifiedKind::Spec),
        "vass" => Some(VerifiedKind::Vass),
        "tso" => Some(VerifiedKind::Tso),
        "litmus" => Some(VerifiedKind::Litmus),
        _ => None,
    };
    given.or_else(by_name).ok_or_else(|| {
        let name = escape::name(&file_name(path)).into_owned();
        Failure::message(format!("cannot tell what {name} is; say --input ser, json, pnml, net, spec, vass, tso or litmus [E0503]"))
    })
}

pub(crate) fn run(args: &Verify) -> Result<ExitCode, Failure> {
    let kind = match kind_of(&args.file, args.input)? {
        VerifiedKind::Ser => InputKind::Program,
        VerifiedKind::Json => InputKind::System,
        VerifiedKind::Pnml => return net(args, NetFormat::Pnml),
        VerifiedKind::Net => return net(args, NetFormat::Tina),
        VerifiedKind::Spec => return net(args, NetFormat::Mist),
        VerifiedKind::Vass => return net(args, NetFormat::Vass),
        VerifiedKind::Tso => return tso(args, Syntax::Tso),
        VerifiedKind::Litmus => return tso(args, Syntax::Litmus),
    };
    if !args.question.is_empty() {
        return Err(Failure::message("--question is about programs on weak memory"));
    }
    if !args.compose.is_empty() || args.from.is_some() {
        return Err(Failure::message("--compose and --from are about nets"));
    }
    let (name, certificate_name) = (input::name_of(&args.file), input::name_of(&args.certificate));
    let (text, certificate) = (input::plain_text(&args.file)?, input::plain_text(&args.certificate)?);
    let outcome = serval_verify::verify(&text, kind, &certificate, &Caps::default(), &Cancel::new());
    let line = outcome.line(&name, &certificate_name, &text);
    if args.check_compile && kind == InputKind::System {
        return Err(Failure::message("--check-compile is about programs: a network system is not compiled"));
    }
    if outcome.status() == 2 {
        let help = if matches!(outcome, Outcome::InputError(InputError::Certificate(_))) { help(&certificate) } else { String::new() };
        return Err(Failure::Input(format!("{line}\n{help}")));
    }
    if outcome.status() != 0 || !args.check_compile {
        write_to(None, &format!("{line}\n"))?;
        return Ok(ExitCode::from(outcome.status()));
    }
    let compilation = serval_verify::verify_compilation(&text, &Cancel::new());
    write_to(None, &format!("{line}\n{}\n", compilation.line(&name, &text)))?;
    Ok(ExitCode::from(compilation.status()))
}

/// What a file is that is no certificate, as far as one can see.
fn help(text: &str) -> String {
    let what = match serde_json::from_str::<serde_json::Value>(text) {
        Ok(value) => {
            let first = value.get(0).unwrap_or(&value);
            let has = |field: &str| first.get(field).is_some();
            match () {
                () if has("transitions") || has("initial_global") => Some("a network system"),
                () if has("verdict") => Some("a report of `serval check --format json`; --certificate saves the evidence"),
                () if has("rows") && has("summary") => Some("a table of `serval bench --format json`"),
                () if has("runs") && has("version") => Some("a SARIF log"),
                () if has("steps") && !has("kind") => Some("a saved run, for `serval run --replay`"),
                () => None,
            }
        }
        Err(_) if text.trim_start().starts_with('<') => Some("a page or a picture"),
        Err(_) if serval_syntax::analyze(text).program.is_some() => Some("a program"),
        Err(_) => None,
    };
    let none = "no certificate; `serval check FILE --certificate PATH` saves one";
    format!("help: this file is {}\n", what.unwrap_or(none))
}

fn tso(args: &Verify, syntax: Syntax) -> Result<ExitCode, Failure> {
    if args.check_compile || !args.compose.is_empty() || args.from.is_some() {
        return Err(Failure::message("--check-compile is about programs of requests, and --compose and --from are about nets"));
    }
    let (name, certificate_name) = (input::name_of(&args.file), input::name_of(&args.certificate));
    let (text, certificate) = (input::plain_text(&args.file)?, input::plain_text(&args.certificate)?);
    let subject = TsoText { text: &text, syntax, questions: &args.question };
    let outcome = accept(&subject, &certificate, &Caps::default(), &Cancel::new());
    let line = format!("{}\n", outcome.line(&name, &certificate_name, &text));
    if outcome.status() == 2 {
        return Err(Failure::Input(line));
    }
    write_to(None, &line)?;
    Ok(ExitCode::from(outcome.status()))
}

fn net(args: &Verify, format: NetFormat) -> Result<ExitCode, Failure> {
    if !args.question.is_empty() {
        return Err(Failure::message("--question is about programs on weak memory"));
    }
    if args.check_compile {
        return Err(Failure::message("--check-compile is about programs: a net is not compiled"));
    }
    let (name, certificate_name) = (input::name_of(&args.file), input::name_of(&args.certificate));
    let (text, certificate) = (input::plain_text(&args.file)?, input::plain_text(&args.certificate)?);
    let others = others(&args.compose)?;
    let mut parts = vec![NetPart { name: &name, text: &text, format }];
    parts.extend(others.iter().map(|(name, text, format)| NetPart { name, text, format: *format }));
    let subject = NetText { parts: &parts, is_composed: !args.compose.is_empty(), from: args.from.as_deref() };
    let outcome = accept(&subject, &certificate, &Caps::default(), &Cancel::new());
    let name = match (outcome.status(), &args.from) {
        (0, Some(from)) => format!("{name} from {from}"),
        _ => name.clone(),
    };
    let line = format!("{}\n", outcome.line(&name, &certificate_name, &text));
    if outcome.status() == 2 {
        return Err(Failure::Input(line));
    }
    write_to(None, &line)?;
    Ok(ExitCode::from(outcome.status()))
}

/// The nets beside the first one: what each is called, says, and is.
fn others(paths: &[PathBuf]) -> Result<Vec<(String, String, NetFormat)>, Failure> {
    let other = |path: &PathBuf| {
        let format = match kind_of(path, None)? {
            VerifiedKind::Pnml => NetFormat::Pnml,
            VerifiedKind::Net => NetFormat::Tina,
            VerifiedKind::Spec => NetFormat::Mist,
            VerifiedKind::Vass => NetFormat::Vass,
            VerifiedKind::Ser | VerifiedKind::Json | VerifiedKind::Tso | VerifiedKind::Litmus => {
                return Err(Failure::message(format!("{} is no net", input::shown(path))));
            }
        };
        Ok((input::name_of(path), input::plain_text(path)?, format))
    };
    paths.iter().filter(|path| *path != Path::new("pages")).map(other).collect()
}
