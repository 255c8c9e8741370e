//! `serval verify FILE CERTIFICATE`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serval::verify::{Checked, NetFormat, NetPart, NetText, Subject, Syntax, verify, verify_compilation, verify_net_from};
use serval::{Cancel, Input, InputKind};
use serval_report::escape::{self, file_name};

use crate::args::{VerifiedKind, Verify};
use crate::commands::handlers::NOT_OF_HANDLERS;
use crate::failure::Failure;
use crate::input;
use crate::output::write_to;

/// What a file holds, by its name or by the command line.
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
    if crate::workload::is_workload(&args.file) {
        return crate::workload::verify(args);
    }
    if super::handlers::is_handlers(&args.file) && args.input.is_none() {
        return super::handlers::verify(args);
    }
    if args.bounds.is_said() {
        return Err(Failure::message(NOT_OF_HANDLERS));
    }
    if args.sql.is_said() {
        return Err(Failure::message("--isolation, --observe and --default-range are about workloads of SQL, which are directories"));
    }
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
    let checked = verify(&Subject::Requests { text: &text, kind }, &name, &certificate, &certificate_name, &Cancel::new());
    if args.check_compile && kind == InputKind::System {
        return Err(Failure::message("--check-compile is about programs: a network system is not compiled"));
    }
    let Checked { status, line, is_no_certificate } = checked;
    if status == 2 {
        let help = if is_no_certificate { help(&certificate) } else { String::new() };
        return Err(Failure::Input(format!("{line}\n{help}")));
    }
    if status != 0 || !args.check_compile {
        write_to(None, &format!("{line}\n"))?;
        return Ok(ExitCode::from(status));
    }
    let compilation = verify_compilation(&text, &name, &Cancel::new());
    write_to(None, &format!("{line}\n{}\n", compilation.line))?;
    Ok(ExitCode::from(compilation.status))
}

/// Prints what the checker says of a subject other than requests.
fn told(checked: &Checked) -> Result<ExitCode, Failure> {
    let line = format!("{}\n", checked.line);
    if checked.status == 2 {
        return Err(Failure::Input(line));
    }
    write_to(None, &line)?;
    Ok(ExitCode::from(checked.status))
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
        Err(_) if Input::program(text).is_ok() => Some("a program"),
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
    let subject = Subject::WeakMemory { text: &text, syntax, questions: &args.question };
    told(&verify(&subject, &name, &certificate, &certificate_name, &Cancel::new()))
}

fn net(args: &Verify, format: NetFormat) -> Result<ExitCode, Failure> {
    if !args.question.is_empty() {
        return Err(Failure::message("--question is about programs on weak memory"));
    }
    if args.check_compile {
        return Err(Failure::message("--check-compile is about programs: a net is not compiled"));
    }
    let (name, certificate_name) = (input::name_of(&args.file), input::name_of(&args.certificate));
    let (text, certificate) = (input::plain_text(&args.file)?, input::opened(&args.certificate)?);
    let others = others(&args.compose)?;
    let mut parts = vec![NetPart { name: &name, text: &text, format }];
    parts.extend(others.iter().map(|(name, text, format)| NetPart { name, text, format: *format }));
    let net = NetText { parts: &parts, is_composed: !args.compose.is_empty(), from: args.from.as_deref() };
    let checked = verify_net_from(&net, &name, certificate, &certificate_name, &Cancel::new());
    told(&checked.map_err(|error| input::unreadable(&args.certificate, &error))?)
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
