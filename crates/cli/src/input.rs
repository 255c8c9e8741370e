//! Reading programs and systems.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serval_compile::{Compiled, Limits, Mode, Options, compile};
use serval_model::{Budget, NetworkSystem, systems_from_json};
use serval_report::{Style, json_diagnostic, render_diagnostics};
use serval_syntax::{Code, Diagnostic, MAX_FILE_BYTES, Program, Severity, Span, analyze};

use crate::args::{InputArgs, InputKind};
use crate::failure::Failure;
use crate::output::say;

/// A file that has been read.
pub(crate) struct Input {
    /// How messages call it.
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) content: Content,
}

/// What it holds.
pub(crate) enum Content {
    Program(Program),
    Systems(Vec<NetworkSystem>),
}

/// How to treat what is found on the way.
#[derive(Clone, Copy)]
pub(crate) struct Manner {
    pub(crate) style: Style,
    pub(crate) quiet: bool,
}

/// Reads and checks the input; warnings are printed, errors are the failure.
pub(crate) fn read(args: &InputArgs, manner: Manner) -> Result<Input, Failure> {
    let (name, bytes) = bytes_of(&args.file)?;
    let kind = kind_of(args)?;
    let text = text_of(&name, bytes, manner.style)?;
    let content = match kind {
        InputKind::Json => match systems_from_json(&text) {
            Ok(systems) => Content::Systems(systems),
            Err(error) => return Err(Failure::Input(render_diagnostics(&[json_diagnostic(&error)], &name, &text, manner.style))),
        },
        InputKind::Ser => {
            let analysis = analyze(&text);
            let drawn = || render_diagnostics(&analysis.diagnostics, &name, &text, manner.style);
            match analysis.program {
                None => return Err(Failure::Input(drawn())),
                Some(program) => {
                    if !manner.quiet && analysis.diagnostics.iter().any(|diagnostic| diagnostic.severity <= Severity::Warning) {
                        say(&drawn());
                    }
                    Content::Program(program)
                }
            }
        }
    };
    Ok(Input { name, text, content })
}

fn bytes_of(path: &Path) -> Result<(String, Vec<u8>), Failure> {
    // One byte more than allowed is enough to see that it is too large.
    let limit = u64::try_from(MAX_FILE_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    let name = if path == Path::new("-") { "<stdin>".to_owned() } else { path.display().to_string() };
    let read = if path == Path::new("-") {
        io::stdin().lock().take(limit).read_to_end(&mut bytes)
    } else if path.is_dir() {
        return Err(Failure::message(format!("{name} is a directory; give a file")));
    } else {
        File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes))
    };
    match read {
        Ok(_) => Ok((name, bytes)),
        Err(error) => Err(Failure::message(format!("cannot read {name}: {error} [E0502]"))),
    }
}

fn kind_of(args: &InputArgs) -> Result<InputKind, Failure> {
    if let Some(kind) = args.input {
        return Ok(kind);
    }
    match args.file.extension().and_then(|extension| extension.to_str()) {
        Some("ser") => Ok(InputKind::Ser),
        Some("json") => Ok(InputKind::Json),
        _ => Err(Failure::message(format!("cannot tell what {} is; say --input ser or --input json [E0503]", args.file.display()))),
    }
}

fn text_of(name: &str, bytes: Vec<u8>, style: Style) -> Result<String, Failure> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        // Shown with replacement characters, which change lengths only after
        // the first bad byte.
        let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
        let offset = u32::try_from(at).unwrap_or(u32::MAX);
        let span = Span::new(offset, offset.saturating_add(1));
        let diagnostic = Diagnostic::error(Code("E0501"), span, format!("{name} is not UTF-8: byte {at} cannot be read"))
            .label("not UTF-8")
            .expected("text in UTF-8")
            .help("save the file as UTF-8");
        Failure::Input(render_diagnostics(&[diagnostic], name, &text, style))
    })
}

/// The options that the command line asks for.
pub(crate) fn options(args: &InputArgs) -> Options {
    let mode = if args.plain { Mode::Plain } else { Mode::Optimised };
    Options { mode, limits: Limits { pairs: args.max_states, ..Limits::default() } }
}

/// Compiles a program; the failure is drawn.
pub(crate) fn compiled(program: &Program, text: &str, name: &str, args: &InputArgs, style: Style) -> Result<Compiled, Failure> {
    compile(program, options(args), &Budget::unlimited()).map_err(|error| match error.diagnostic(text) {
        Some(diagnostic) => Failure::Input(render_diagnostics(&[diagnostic], name, text, style)),
        None => Failure::message("stopped"),
    })
}
