//! `serval.toml`: what holds for all files in a directory and below.
//!
//! ```toml
//! allow = ["W0203"]     # warnings that are not wanted
//!
//! [format]
//! indent = 2            # blanks per level, 1 to 16
//! width = 100           # characters per line, 20 to 1000
//! ```
//!
//! The file that counts is the nearest one upwards from the program, and for
//! standard input upwards from the current directory; files do not add up.
//! What is not understood is an error: a setting that is silently not in force
//! is worse than none.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde::Deserialize;
use serval_report::{Style as Drawing, explain, render_diagnostics};
use serval_syntax::{Code, Diagnostic, Severity, Span};
use toml::Spanned;

use crate::failure::Failure;
use crate::input;

/// What the file is called.
const NAME: &str = "serval.toml";

/// What it says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Config {
    /// How programs are formatted.
    pub(crate) format: serval_format::Style,
    /// Codes of warnings and notes that are not wanted, sorted.
    pub(crate) allow: Vec<&'static str>,
}

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    allow: Vec<Spanned<String>>,
    #[serde(default)]
    format: WrittenFormat,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenFormat {
    indent: Option<Spanned<i64>>,
    width: Option<Spanned<i64>>,
}

/// Finds the configuration of each file, and reads each only once.
#[derive(Default)]
pub(crate) struct Configs {
    /// By the directory of the program.
    known: BTreeMap<PathBuf, Rc<Config>>,
}

impl Configs {
    /// What holds for the program at `path`, which is `-` for standard input.
    pub(crate) fn of(&mut self, path: &Path, drawing: Drawing) -> Result<Rc<Config>, Failure> {
        let directory = directory_of(path)?;
        if let Some(config) = self.known.get(&directory) {
            return Ok(Rc::clone(config));
        }
        let config = Rc::new(match directory.ancestors().map(|directory| directory.join(NAME)).find(|path| path.is_file()) {
            Some(found) => read(&found, drawing)?,
            None => Config::default(),
        });
        self.known.insert(directory, Rc::clone(&config));
        Ok(config)
    }
}

/// The directory in which the search begins, from the root.
fn directory_of(path: &Path) -> Result<PathBuf, Failure> {
    let here = || std::env::current_dir().map_err(|error| Failure::message(format!("cannot tell the current directory: {error}")));
    if path == Path::new("-") {
        return here();
    }
    let whole = here()?.join(path);
    Ok(whole.parent().unwrap_or(&whole).to_path_buf())
}

fn read(path: &Path, drawing: Drawing) -> Result<Config, Failure> {
    // Shown as short as it can be.
    let here = std::env::current_dir().unwrap_or_default();
    let shown = path.strip_prefix(&here).unwrap_or(path);
    let text = input::plain_text(path)?;
    parse(&text).map_err(|mistakes| Failure::Input(render_diagnostics(&mistakes, &shown.display().to_string(), &text, drawing)))
}

/// What a text says, or what is wrong with it.
fn parse(text: &str) -> Result<Config, Vec<Diagnostic>> {
    let written: Written = toml::from_str(text).map_err(|error| {
        let range = error.span().unwrap_or(0..0);
        let message = error.message().lines().next().unwrap_or_default().to_owned();
        vec![
            mistake(range, message, "settings as the manual describes them")
                .help("known are `allow`, and `indent` and `width` below `[format]`; see `serval explain E0504`"),
        ]
    })?;
    let mut config = Config::default();
    let mut mistakes = Vec::new();
    let mut set = |target: &mut usize, given: Option<Spanned<i64>>, allowed: RangeInclusive<usize>, what: &str| {
        let Some(given) = given else { return };
        match usize::try_from(*given.get_ref()).ok().filter(|number| allowed.contains(number)) {
            Some(number) => *target = number,
            None => {
                let (low, high) = (allowed.start(), allowed.end());
                let message = format!("{what} cannot be {}", given.get_ref());
                mistakes.push(
                    mistake(given.span(), message, &format!("a number from {low} to {high}"))
                        .help("choose one of these numbers, or leave the line out"),
                );
            }
        }
    };
    set(&mut config.format.indent, written.format.indent, serval_format::Style::INDENTS, "indent");
    set(&mut config.format.width, written.format.width, serval_format::Style::WIDTHS, "width");
    for code in &written.allow {
        match warning(code.get_ref()) {
            Ok(known) => config.allow.push(known),
            Err((message, help)) => mistakes.push(mistake(code.span(), message, "the code of a warning, such as W0203").help(help)),
        }
    }
    config.allow.sort_unstable();
    config.allow.dedup();
    mistakes.sort_by_key(|mistake| mistake.primary.span);
    if mistakes.is_empty() { Ok(config) } else { Err(mistakes) }
}

/// The warning or note with this code; else what is wrong with it, and help.
fn warning(code: &str) -> Result<&'static str, (String, String)> {
    let mut known = serval_syntax::codes().iter().chain(serval_compile::codes());
    match known.clone().find(|info| info.code.0 == code) {
        Some(info) if info.severity != Severity::Error => Ok(info.code.0),
        Some(_) => {
            Err((format!("{code} is an error, which cannot be allowed"), "remove it; a program with errors has no meaning".to_owned()))
        }
        None => {
            // The number may be right and the letter not.
            let near = explain::similar(code).filter(|near| known.any(|info| info.code.0 == *near && info.severity != Severity::Error));
            let help = near.map_or("`serval explain` lists all codes".to_owned(), |near| format!("did you mean {near}?"));
            Err((format!("there is no warning {code}"), help))
        }
    }
}

fn mistake(range: std::ops::Range<usize>, message: String, expected: &str) -> Diagnostic {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Diagnostic::error(Code("E0504"), Span::new(offset(range.start), offset(range.end)), message).expected(expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str) -> Vec<String> {
        let place = |diagnostic: &Diagnostic| text[diagnostic.primary.span.range()].to_owned();
        parse(text).unwrap_err().iter().map(|found| format!("{}: {}", place(found), found.message)).collect()
    }

    #[test]
    fn what_is_left_out_is_as_usual() {
        assert_eq!(parse(""), Ok(Config::default()));
        assert_eq!(parse("[format]\n"), Ok(Config::default()));
    }

    #[test]
    fn all_settings_are_read() {
        let config = parse("allow = [\"W0204\", \"N0202\", \"W0204\"]\n[format]\nindent = 4\nwidth = 80\n").unwrap();
        assert_eq!(config.allow, ["N0202", "W0204"]);
        assert_eq!(config.format, serval_format::Style { indent: 4, width: 80 });
    }

    #[test]
    fn numbers_have_ends() {
        for good in ["indent = 1", "indent = 16", "width = 20", "width = 1000"] {
            assert!(parse(&format!("[format]\n{good}")).is_ok(), "{good}");
        }
        assert_eq!(messages("[format]\nindent = 0\nwidth = 1001"), ["0: indent cannot be 0", "1001: width cannot be 1001"]);
        assert_eq!(messages("[format]\nindent = -1"), ["-1: indent cannot be -1"]);
        assert_eq!(messages("format.width = 9223372036854775807"), ["9223372036854775807: width cannot be 9223372036854775807"]);
    }

    #[test]
    fn codes_are_those_of_warnings() {
        assert_eq!(messages("allow = [\"W9999\"]"), ["\"W9999\": there is no warning W9999"]);
        assert_eq!(messages("allow = [\"E0103\"]"), ["\"E0103\": E0103 is an error, which cannot be allowed"]);
        assert_eq!(messages("allow = [\"yield\", \"\"]"), ["\"yield\": there is no warning yield", "\"\": there is no warning "]);
        let help = |text: &str| parse(text).unwrap_err()[0].help.clone().unwrap();
        assert_eq!(help("allow = [\"E0203\"]"), "did you mean W0203?");
        assert_eq!(help("allow = [\"W0203 \"]"), "did you mean W0203?");
    }

    #[test]
    fn what_is_not_known_is_an_error() {
        for bad in [
            "indent = 4",
            "[format]\ntabs = 1",
            "[format]\nindent = \"4\"",
            "[format]\nindent = 4.0",
            "allow = \"W0203\"",
            "allow = [1]",
            "[[format]]",
            "a = ",
            "[format]\nwidth = 1\nwidth = 2",
        ] {
            let found = parse(bad).unwrap_err();
            assert_eq!(found.len(), 1, "{bad}");
            assert!(found[0].expected.is_some() && found[0].help.is_some() && !found[0].message.is_empty());
        }
    }
}
