//! Reading programs and systems.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use serval::export::NotCompiled;
use serval::{Code, CompileOptions, Diagnostic, Input, Mistakes, Severity, Span};
use serval_report::escape::{self, file_name};
use serval_report::{Look, Style, render_diagnostics};

use crate::args::{InputArgs, InputKind};
use crate::doors::Door;
use crate::failure::Failure;
pub(crate) use crate::names::{name_of, shown};
use crate::output::say;

/// A file that has been read and can be used.
pub(crate) struct File {
    /// How messages call it.
    pub(crate) name: String,
    pub(crate) input: Input,
}

/// A file that has been read, whether it can be used or not.
pub(crate) struct Loaded {
    pub(crate) name: String,
    pub(crate) input: Result<Input, Mistakes>,
}

/// How messages on standard error and reports on standard output look, and whether warnings are wanted.
#[derive(Clone, Copy)]
pub(crate) struct Messages {
    pub(crate) style: Style,
    pub(crate) look: Look,
    pub(crate) quiet: bool,
}

/// Reads and checks the input for a command; warnings are printed, errors are the failure.
pub(crate) fn read(asked: &str, args: &InputArgs, messages: Messages) -> Result<File, Failure> {
    load(asked, &args.file, args.input)?.usable(messages)
}

/// Reads a file for a command. One that holds something else is sent to the command that takes it.
pub(crate) fn load(asked: &str, path: &Path, kind: Option<InputKind>) -> Result<Loaded, Failure> {
    let name = name_of(path);
    let bytes = bytes_of(path)?;
    let kind = kind.map_or_else(|| kind_of(asked, path, &bytes), Ok)?;
    Ok(loaded(name, bytes, kind))
}

/// The bytes of a file, taken apart.
pub(crate) fn loaded(name: String, bytes: Vec<u8>, kind: InputKind) -> Loaded {
    let (text, mistake) = text_of(&name, bytes);
    let input = match mistake {
        Some(mistake) => Err(Mistakes { text, diagnostics: vec![mistake] }),
        None => Input::read(text, kind.into()),
    };
    Loaded { name, input }
}

impl From<InputKind> for serval::InputKind {
    fn from(kind: InputKind) -> Self {
        match kind {
            InputKind::Ser => Self::Program,
            InputKind::Json => Self::System,
        }
    }
}

impl Loaded {
    /// The input, after its warnings have been printed; its errors, drawn.
    pub(crate) fn usable(self, messages: Messages) -> Result<File, Failure> {
        let Self { name, input } = self;
        match input {
            Ok(input) => {
                say_findings(&input.warnings, &name, input.text(), messages);
                Ok(File { name, input })
            }
            Err(mistakes) => Err(Failure::Input(render_diagnostics(&mistakes.diagnostics, &name, &mistakes.text, messages.style))),
        }
    }
}

/// Prints warnings and what goes with them, if they are wanted and there are some.
pub(crate) fn say_findings(findings: &[Diagnostic], name: &str, text: &str, messages: Messages) {
    if !messages.quiet && findings.iter().any(|finding| finding.severity <= Severity::Warning) {
        say(&render_diagnostics(findings, name, text, messages.style));
    }
}

fn bytes_of(path: &Path) -> Result<Vec<u8>, Failure> {
    bytes_within(path, Input::MOST_BYTES)
}

/// The bytes of a file, or one more than `most` of them.
pub(crate) fn bytes_within(path: &Path, most: usize) -> Result<Vec<u8>, Failure> {
    // One byte more than allowed is enough to see that it is too large.
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        read_all(io::stdin().lock().take(limit), &mut bytes)
    } else if path.is_dir() {
        return Err(directory(path));
    } else {
        fs::File::open(path).and_then(|file| read_all(file.take(limit), &mut bytes))
    };
    match read {
        Ok(()) => Ok(bytes),
        Err(error) => Err(unreadable(path, &error)),
    }
}

/// That a file cannot be read.
pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::message(format!("cannot read {}: {error}{} [E0502]", shown(path), meant(path, error)))
}

fn directory(path: &Path) -> Failure {
    Failure::message(format!("{} is a directory; give a file", shown(path)))
}

/// A file that may be long, to be read piece by piece.
pub(crate) fn opened(path: &Path) -> Result<Box<dyn Read>, Failure> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    if path.is_dir() {
        return Err(directory(path));
    }
    let file = fs::File::open(path).map_err(|error| unreadable(path, &error))?;
    Ok(Box::new(file))
}

/// The file that `serval new` makes for this name, where it is that one that is there.
fn meant(path: &Path, error: &io::Error) -> String {
    let inside = path.file_stem().map(|stem| path.with_file_name(stem).join(path.file_name().unwrap_or(stem)));
    match inside.filter(|inside| error.kind() == io::ErrorKind::NotFound && inside.is_file()) {
        Some(inside) => format!("; there is {}", shown(&inside)),
        None => String::new(),
    }
}

/// Reads piece by piece, so that a limit can end it.
fn read_all(mut from: impl Read, bytes: &mut Vec<u8>) -> io::Result<()> {
    const PIECE: usize = 16 << 10;
    let mut piece = vec![0; PIECE];
    loop {
        serval_budget::checkpoint::pass();
        match from.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(count) => bytes.extend_from_slice(&piece[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// What a file holds: as its name says, else as its text says. Standard input that says nothing is a program, so that
/// its mistakes are shown.
fn kind_of(asked: &str, path: &Path, bytes: &[u8]) -> Result<InputKind, Failure> {
    let door = Door::of_name(path).or_else(|| Door::of_text(&String::from_utf8_lossy(bytes)));
    match door {
        Some(Door::Requests(kind)) => Ok(kind),
        Some(other) => Err(other.elsewhere(asked, path)),
        None if path == Path::new("-") => Ok(InputKind::Ser),
        None => Err(Failure::message(format!(
            "cannot tell what {} is; say --input ser or --input json [E0503]",
            escape::name(&file_name(path))
        ))),
    }
}

/// The text of a file, whatever it is.
pub(crate) fn plain_text(path: &Path) -> Result<String, Failure> {
    let bytes = bytes_of(path)?;
    String::from_utf8(bytes).map_err(|_| Failure::message(format!("{} is not UTF-8 [E0501]", shown(path))))
}

/// The text of a program, and what is wrong with its bytes.
pub(crate) fn program_text(path: &Path) -> Result<(String, Option<Diagnostic>), Failure> {
    let name = name_of(path);
    let bytes = bytes_of(path)?;
    Ok(text_of(&name, bytes))
}

/// The bytes as text, and what is wrong with them.
fn text_of(name: &str, bytes: Vec<u8>) -> (String, Option<Diagnostic>) {
    match String::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            // Shown with replacement characters, which change lengths only
            // after the first bad byte.
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            let offset = u32::try_from(at).unwrap_or(u32::MAX);
            let replacement = u32::try_from(char::REPLACEMENT_CHARACTER.len_utf8()).unwrap_or(1);
            let span = Span::new(offset, offset.saturating_add(replacement));
            let diagnostic =
                Diagnostic::error(Code("E0501"), span, format!("{} is not UTF-8: byte {at} cannot be read", escape::name(name)))
                    .label("not UTF-8")
                    .expected("text in UTF-8")
                    .help("save the file as UTF-8");
            (text, Some(diagnostic))
        }
    }
}

/// How the command line wants programs compiled.
pub(crate) fn options(args: &InputArgs) -> CompileOptions {
    CompileOptions { plain: args.plain, pairs: Some(args.max_states) }
}

/// Why a program has no network systems, drawn.
pub(crate) fn not_compiled(error: &NotCompiled, text: &str, name: &str, style: Style) -> Failure {
    match error {
        NotCompiled::Mistake(diagnostic) => Failure::Input(render_diagnostics(std::slice::from_ref(&**diagnostic), name, text, style)),
        NotCompiled::Stopped => Failure::message("stopped"),
    }
}
