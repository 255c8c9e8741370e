//! The binary `serval-verify`: arguments, files and exit status around
//! [`serval_verify::verify`].

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::panic::UnwindSafe;
use std::path::Path;
use std::process::ExitCode;

use serval_budget::Cancel;
use serval_model::shown::{file_name, name};
use serval_syntax::MAX_FILE_BYTES;
use serval_verify::{
    Caps, HandlersCertificate, HandlersSubject, InputKind, MOST_NET_BYTES, NetFormat, NetPart, NetText, Outcome, RequestsText, Subject,
    Syntax, TooLarge, TsoText, accept, accept_from, verify_compilation,
};

const HELP: &str = "\
Checks a certificate with the independent checker.

Usage: serval-verify [--input ser|json|pnml|net|spec|vass|tso|litmus] [--check-compile] [--compose pages|NET]… [--from MARKING] [--question TEXT]… FILE CERTIFICATE

  FILE            a program (.ser, .tso, .litmus), network systems (.json) or a net (.pnml, .net, .spec, .vass); - reads standard input;
                  handlers (.js, .mjs, .ts, .mts) where it is built with the feature handlers
  CERTIFICATE     what `serval check --certificate` wrote, `serval net check` or `serval tso`; - reads standard input

  --input KIND    what FILE is, where its name does not tell: ser, json, pnml, net, spec, vass, tso or litmus
  --check-compile also check that the compiled program has the answers of the program as written
  --compose NET   FILE is composed with this net: transitions with the same name are one; the word pages composes its own pages
  --from MARKING  the net begins with this marking, p=1, q=3; * stands for what the file says of all other places
  --question TEXT a question about FILE, a program on weak memory, that was asked beside its own
  --help          print this
  --version       print the version

Exit status: 0 valid, 1 invalid, 2 usage or input error, 3 too large to check, 4 internal error.
";

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    guarded(|| run(&arguments))
}

/// Turns a panic into exit status 4. Its message has been printed by then.
fn guarded(work: impl FnOnce() -> ExitCode + UnwindSafe) -> ExitCode {
    std::panic::catch_unwind(work).unwrap_or_else(|_| {
        tell("internal error: this is a bug in serval-verify; please report the message above with the input");
        ExitCode::from(4)
    })
}

fn run(arguments: &[OsString]) -> ExitCode {
    match parse(arguments) {
        Ok(Command::Print(text)) => print(&text, 0),
        Ok(Command::Verify(files)) => match outcome(&files) {
            Ok((line, status @ 0)) => print(&format!("{line}\n"), status),
            Ok((line, status)) => {
                tell(&line);
                ExitCode::from(status)
            }
            Err(message) => refuse(&message),
        },
        Err(message) => refuse(&format!("{message}; see serval-verify --help")),
    }
}

fn refuse(message: &str) -> ExitCode {
    tell(&format!("error: {message}"));
    ExitCode::from(2)
}

/// Prints the result.
fn print(text: &str, status: u8) -> ExitCode {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => refuse(&format!("cannot write the output: {error}")),
        _ => ExitCode::from(status),
    }
}

/// Says something on standard error, if that is open.
fn tell(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

enum Command {
    Print(String),
    Verify(Files),
}

/// What the input is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text(InputKind),
    Net(NetFormat),
    Tso(Syntax),
    /// Handlers in JavaScript or TypeScript.
    Handlers,
}

struct Files {
    input: OsString,
    kind: Kind,
    certificate: OsString,
    check_compile: bool,
    compose: Vec<OsString>,
    from: Option<String>,
    questions: Vec<String>,
}

fn parse(arguments: &[OsString]) -> Result<Command, String> {
    let (mut files, mut kind, mut check_compile, mut compose, mut options) = (Vec::new(), None, false, Vec::new(), true);
    let mut from = None;
    let mut questions = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("--help" | "-h") if options => return Ok(Command::Print(HELP.to_owned())),
            Some("--version" | "-V") if options => return Ok(Command::Print(format!("serval-verify {}\n", env!("CARGO_PKG_VERSION")))),
            Some("--") if options => options = false,
            Some("--check-compile") if options => check_compile = true,
            Some("--compose") if options => compose.push(arguments.next().ok_or("--compose needs a net, or the word pages")?.clone()),
            Some(text) if options && text.starts_with("--compose=") => compose.push(OsString::from(&text["--compose=".len()..])),
            Some("--from") if options => {
                let marking = arguments.next().and_then(|marking| marking.to_str());
                from = Some(marking.ok_or("--from needs a marking")?.to_owned());
            }
            Some(text) if options && text.starts_with("--from=") => from = Some(text["--from=".len()..].to_owned()),
            Some("--question") if options => {
                let question = arguments.next().and_then(|question| question.to_str()).ok_or("--question needs a question")?;
                questions.push(question.to_owned());
            }
            Some(text) if options && text.starts_with("--question=") => questions.push(text["--question=".len()..].to_owned()),
            Some("--input") if options => kind = Some(named_kind(arguments.next().map(OsString::as_os_str))?),
            Some(text) if options && text.starts_with("--input=") => kind = Some(named_kind(Some(OsStr::new(&text["--input=".len()..])))?),
            Some(text) if options && text.starts_with('-') && text != "-" => return Err(format!("unknown option {text:?}")),
            _ => files.push(argument.clone()),
        }
    }
    let [input, certificate] = <[OsString; 2]>::try_from(files).map_err(|files| format!("2 files are needed, not {}", files.len()))?;
    if input == "-" && certificate == "-" {
        return Err("only one of the files can be standard input".to_owned());
    }
    let kind = match kind {
        Some(kind) => kind,
        None => kind_of(&input)?,
    };
    if check_compile && kind != Kind::Text(InputKind::Program) {
        let what = match kind {
            Kind::Text(InputKind::System) => "network system",
            Kind::Tso(_) => "program on weak memory",
            Kind::Handlers => "file of handlers",
            _ => "net",
        };
        return Err(format!("--check-compile is about programs: a {what} is not compiled"));
    }
    for (is_given, option) in [(!compose.is_empty(), "--compose"), (from.is_some(), "--from")] {
        if is_given && !matches!(kind, Kind::Net(_)) {
            return Err(format!("{option} is about nets"));
        }
    }
    if !questions.is_empty() && !matches!(kind, Kind::Tso(_)) {
        return Err("--question is about programs on weak memory".to_owned());
    }
    Ok(Command::Verify(Files { input, kind, certificate, check_compile, compose, from, questions }))
}

fn named_kind(name: Option<&OsStr>) -> Result<Kind, String> {
    name.and_then(kind_named).ok_or_else(|| "--input needs ser, json, pnml, net, spec, vass, tso or litmus".to_owned())
}

/// By what a file's name ends in.
fn kind_named(ending: &OsStr) -> Option<Kind> {
    match ending.to_str()? {
        "ser" => Some(Kind::Text(InputKind::Program)),
        "json" => Some(Kind::Text(InputKind::System)),
        "tso" => Some(Kind::Tso(Syntax::Tso)),
        "litmus" => Some(Kind::Tso(Syntax::Litmus)),
        "js" | "mjs" | "ts" | "mts" => Some(Kind::Handlers),
        other => NetFormat::named(other).map(Kind::Net),
    }
}

fn kind_of(path: &OsStr) -> Result<Kind, String> {
    let kind = Path::new(path).extension().and_then(kind_named);
    kind.ok_or_else(|| format!("cannot tell what {} is; say --input ser, json, pnml, net, spec, vass, tso or litmus", shown(path)))
}

/// The message and the exit status; the error is about the files themselves.
fn outcome(files: &Files) -> Result<(String, u8), String> {
    let caps = Caps::default();
    let most = if let Kind::Net(_) = files.kind { serval_petri::Limits::default().bytes } else { MAX_FILE_BYTES };
    let Ok(text) = read(&files.input, most)? else {
        return Err(format!("{} is larger than {most} bytes", shown(&files.input)));
    };
    let (name, certificate_name) = (called(&files.input), called(&files.certificate));
    let certificate = || read(&files.certificate, caps.bytes);
    let about = |certificate| HandlersSubject { text: &text, name: &name, certificate, certificate_name: &certificate_name };
    let (kind, certificate) = match files.kind {
        Kind::Net(format) => return of_net(files, NetPart { name: &name, text: &text, format }, most, &caps),
        Kind::Text(kind) => {
            let certificate = certificate()?;
            if let (InputKind::Program, Ok(certificate)) = (kind, &certificate)
                && HandlersCertificate::read(certificate).is_some()
            {
                let (status, line) = about(certificate).verify_program(&caps, &Cancel::new());
                return Ok((line, status));
            }
            (kind, certificate)
        }
        Kind::Handlers => {
            let certificate = match certificate()? {
                Ok(certificate) => certificate,
                Err(too_large) => {
                    return Ok((Outcome::<serval_verify::Valid>::TooLarge(too_large).line(&name, &certificate_name, &text), 3));
                }
            };
            let (status, line) = of_handlers(&about(&certificate), &caps)?;
            return Ok((line, status));
        }
        Kind::Tso(syntax) => {
            let subject = TsoText { text: &text, syntax, questions: &files.questions };
            let outcome = accepted(&subject, certificate()?, &caps);
            return Ok((outcome.line(&name, &certificate_name, &text), outcome.status()));
        }
    };
    let outcome = accepted(&RequestsText { text: &text, kind, handed: None }, certificate, &caps);
    let line = outcome.line(&name, &certificate_name, &text);
    if outcome.status() == 0 && files.check_compile {
        let compilation = verify_compilation(&text, &Cancel::new());
        return Ok((format!("{line}\n{}", compilation.line(&name, &text)), compilation.status()));
    }
    Ok((line, outcome.status()))
}

/// What comes of a certificate for a net, which is read piece by piece.
fn of_net(files: &Files, net: NetPart<'_>, most: usize, caps: &Caps) -> Result<(String, u8), String> {
    let others = others(&files.compose, most)?;
    let mut parts = vec![net];
    parts.extend(others.iter().map(|(name, text, format)| NetPart { name, text, format: *format }));
    let subject = NetText { parts: &parts, is_composed: !files.compose.is_empty(), from: files.from.as_deref() };
    let certificate: Box<dyn Read> = match files.certificate.as_os_str() {
        path if path == "-" => Box::new(io::stdin().lock()),
        path => Box::new(File::open(path).map_err(|error| cannot_read(path, &error))?),
    };
    let outcome = accept_from(&subject, certificate, MOST_NET_BYTES, caps, &Cancel::new());
    let outcome = outcome.map_err(|error| cannot_read(&files.certificate, &error))?;
    let name = match (outcome.status(), &files.from) {
        (0, Some(from)) => format!("{} from {from}", net.name),
        _ => net.name.to_owned(),
    };
    Ok((outcome.line(&name, &called(&files.certificate), net.text), outcome.status()))
}

fn cannot_read(path: &OsStr, error: &io::Error) -> String {
    format!("cannot read {}: {error}", shown(path))
}

/// What comes of a certificate for a file of handlers.
#[cfg(feature = "handlers")]
#[expect(clippy::unnecessary_wraps, reason = "other builds have no answer")]
fn of_handlers(subject: &HandlersSubject<'_>, caps: &Caps) -> Result<(u8, String), String> {
    Ok(subject.verify_file(caps, &Cancel::new()))
}

#[cfg(not(feature = "handlers"))]
fn of_handlers(subject: &HandlersSubject<'_>, _: &Caps) -> Result<(u8, String), String> {
    let name = name(subject.name);
    Err(format!(
        "this build does not read handlers: give it the program, as `serval export {name} --to ser` writes it, and the same certificate"
    ))
}

/// What comes of a certificate, unless its file is too large to be read.
fn accepted<S: Subject>(subject: &S, certificate: Result<String, TooLarge>, caps: &Caps) -> Outcome<S::Proved> {
    match certificate {
        Ok(certificate) => accept(subject, &certificate, caps, &Cancel::new()),
        Err(too_large) => Outcome::TooLarge(too_large),
    }
}

/// The nets beside the first one: what each is called, says, and is.
fn others(paths: &[OsString], most: usize) -> Result<Vec<(String, String, NetFormat)>, String> {
    let other = |path: &OsString| {
        let Kind::Net(format) = kind_of(path)? else { return Err(format!("{} is no net", shown(path))) };
        let text = read(path, most)?.map_err(|_| format!("{} is larger than {most} bytes", shown(path)))?;
        Ok((called(path), text, format))
    };
    paths.iter().filter(|path| *path != "pages").map(other).collect()
}

/// Reads a file, unless it is larger than the limit.
fn read(path: &OsStr, limit: usize) -> Result<Result<String, TooLarge>, String> {
    let cannot = |error: io::Error| cannot_read(path, &error);
    // One byte more than allowed is enough to see that it is too large.
    let most = u64::try_from(limit).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    if path == "-" {
        io::stdin().lock().take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(cannot)?;
    } else {
        File::open(path).and_then(|file| file.take(most.saturating_add(1)).read_to_end(&mut bytes)).map_err(cannot)?;
    }
    if bytes.len() > limit {
        return Ok(Err(TooLarge { what: "bytes", limit: most }));
    }
    String::from_utf8(bytes)
        .map(Ok)
        .map_err(|error| format!("{} is not UTF-8: byte {} cannot be read", shown(path), error.utf8_error().valid_up_to()))
}

/// How a file is called.
fn called(path: &OsStr) -> String {
    if path == "-" { "<stdin>".to_owned() } else { file_name(Path::new(path)) }
}

/// How a message calls a file.
fn shown(path: &OsStr) -> String {
    name(&called(path)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_status_4() {
        let status = guarded(|| panic!("on purpose"));
        assert_eq!(format!("{status:?}"), format!("{:?}", ExitCode::from(4)));
    }
}
