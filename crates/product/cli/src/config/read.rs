//! The text of `serval.toml`: what it says, or what is wrong with it, with
//! places.
//!
//! Every setting has a name, the table that it stands in and a small function
//! that reads its value. What is not understood does not keep the rest from
//! being looked at, so that all mistakes are reported at once.

use std::ops::{Range, RangeInclusive};

use clap::ValueEnum;
use serval::{Code, Diagnostic, FormatStyle, Method, Severity, Span, codes, similar};
use serval_report::explain;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Config;
use crate::args;

/// What can be set: the table, the empty one for the top of the file, and the
/// name.
const SETTINGS: &[(&str, &str)] = &[
    ("", "allow"),
    ("", "check"),
    ("", "format"),
    ("", "sql"),
    ("check", "timeout"),
    ("check", "memory"),
    ("check", "jobs"),
    ("check", "method"),
    ("check", "format"),
    ("check", "color"),
    ("check", "strict"),
    ("check", "exit-zero"),
    ("check", "no-times"),
    ("check", "cache"),
    ("format", "indent"),
    ("format", "width"),
];

type TomlValue<'a> = Spanned<DeValue<'a>>;

/// What a text says, or what is wrong with it.
pub(super) fn parse(text: &str) -> Result<Config, Vec<Diagnostic>> {
    let written = DeTable::parse(text).map_err(|error| {
        let message = error.message().lines().next().unwrap_or_default().to_owned();
        let mistake = mistake(error.span().unwrap_or(0..0), message, "settings in the form of TOML, such as `timeout = 60`");
        vec![mistake.help("`serval explain E0504` shows a file with all settings")]
    })?;
    let mut reader = ConfigReader { config: Config::default(), mistakes: Vec::new() };
    reader.table("", written.get_ref());
    let ConfigReader { mut config, mut mistakes } = reader;
    config.allow.sort_unstable();
    config.allow.dedup();
    mistakes.sort_by_key(|mistake| mistake.primary.span);
    if mistakes.is_empty() { Ok(config) } else { Err(mistakes) }
}

struct ConfigReader {
    config: Config,
    mistakes: Vec<Diagnostic>,
}

impl ConfigReader {
    fn table(&mut self, table: &str, entries: &DeTable<'_>) {
        for (name, value) in entries {
            if let Err(mistake) = self.setting(table, name, value) {
                self.mistakes.push(*mistake);
            }
        }
    }

    fn setting(&mut self, table: &str, name: &Spanned<std::borrow::Cow<'_, str>>, value: &TomlValue<'_>) -> Result<(), Box<Diagnostic>> {
        let (check, format) = (&mut self.config.check, &mut self.config.format);
        match (table, name.get_ref().as_ref()) {
            ("", "allow") => self.allowed(value)?,
            ("", "sql") => match value.get_ref() {
                DeValue::Table(entries) => {
                    self.config.sql = super::sql::lines(entries).map_err(|(place, message)| {
                        Box::new(mistake(place, message, "isolation, shared, range.\"table.column\" and rows.table").help(CHOOSE))
                    })?
                }
                _ => return Err(wrong(value, "sql", "a table of settings", "write `[sql]` on a line of its own")),
            },
            ("", inner @ ("check" | "format")) => match value.get_ref() {
                DeValue::Table(entries) => self.table(inner, entries),
                _ => return Err(wrong(value, inner, "a table of settings", &format!("write `[{inner}]` on a line of its own"))),
            },
            ("check", "timeout") => check.timeout = Some(seconds(value)?),
            ("check", "memory") => check.memory = Some(number(value, "memory", args::LEAST_MEMORY..=u64::MAX)?),
            ("check", "jobs") => check.jobs = Some(number(value, "jobs", args::JOBS)?),
            ("check", "method") => check.method = Some(methods(value)?),
            ("check", "format") => check.format = Some(choice(value, "format")?),
            ("check", "color") => check.color = Some(choice(value, "color")?),
            ("check", "strict") => check.strict = Some(truth(value, "strict")?),
            ("check", "exit-zero") => check.exit_zero = Some(truth(value, "exit-zero")?),
            ("check", "no-times") => check.no_times = Some(truth(value, "no-times")?),
            ("check", "cache") => check.cache = Some(truth(value, "cache")?),
            ("format", "indent") => format.indent = number(value, "indent", FormatStyle::INDENTS)?,
            ("format", "width") => format.width = number(value, "width", FormatStyle::WIDTHS)?,
            (_, unknown) => return Err(no_such_setting(name.span(), table, unknown)),
        }
        Ok(())
    }

    fn allowed(&mut self, value: &TomlValue<'_>) -> Result<(), Box<Diagnostic>> {
        let expected = "the code of a warning, such as W0203";
        let DeValue::Array(codes) = value.get_ref() else {
            return Err(wrong(value, "allow", "a list of codes", "write it as `allow = [\"W0203\"]`"));
        };
        for code in codes.iter() {
            match code.get_ref().as_str().map(warning) {
                Some(Ok(known)) => self.config.allow.push(known),
                Some(Err((message, help))) => self.mistakes.push(mistake(code.span(), message, expected).help(help)),
                None => self.mistakes.push(*wrong(code, "a code", expected, "put it between quotation marks")),
            }
        }
        Ok(())
    }
}

/// A name that no setting has here.
fn no_such_setting(place: Range<usize>, table: &str, name: &str) -> Box<Diagnostic> {
    let here: Vec<&str> = SETTINGS.iter().filter(|(of, _)| *of == table).map(|&(_, known)| known).collect();
    let below = if table.is_empty() { String::new() } else { format!(" below `[{table}]`") };
    let elsewhere = SETTINGS.iter().find(|(of, known)| *known == name.replace('_', "-") && *of != table);
    let help = match (similar(name, here.iter().copied()), elsewhere) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, Some(("", known))) => format!("did you mean `{known}` at the top of the file, above all tables?"),
        (None, Some((of, known))) => format!("did you mean `{known}` below `[{of}]`?"),
        (None, None) => match similar(name, SETTINGS.iter().map(|&(_, known)| known)) {
            Some(near) => format!("did you mean `{near}`, which belongs elsewhere? see `serval explain E0504`"),
            None => "remove it; `serval explain E0504` shows a file with all settings".to_owned(),
        },
    };
    let expected = here.iter().map(|known| format!("`{known}`")).collect::<Vec<_>>().join(", ");
    Box::new(mistake(place, format!("there is no setting `{name}`{below}"), &format!("one of {expected}")).help(help))
}

/// A value of the wrong kind.
fn wrong(value: &TomlValue<'_>, name: &str, expected: &str, help: &str) -> Box<Diagnostic> {
    Box::new(mistake(value.span(), format!("{name} cannot be {}", kind(value.get_ref())), expected).help(help))
}

/// What a value is, in words.
fn kind(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the text \"{}\"", text.escape_debug()),
        DeValue::Integer(number) => number.as_str().to_owned(),
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::Boolean(truth) => truth.to_string(),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

const CHOOSE: &str = "choose one of these, or leave the line out";

fn number<N>(value: &TomlValue<'_>, name: &str, allowed: RangeInclusive<N>) -> Result<N, Box<Diagnostic>>
where
    N: TryFrom<i64> + PartialOrd + Copy + std::fmt::Display,
{
    let written = match value.get_ref() {
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).ok(),
        _ => None,
    };
    let fitting = written.and_then(|number| N::try_from(number).ok()).filter(|number| allowed.contains(number));
    // The largest number of all is no end that a user needs to know.
    let all = i64::MAX.to_string().len() <= allowed.end().to_string().len();
    let expected = if all {
        format!("a number from {} on", allowed.start())
    } else {
        format!("a number from {} to {}", allowed.start(), allowed.end())
    };
    fitting.ok_or_else(|| wrong(value, name, &expected, "choose one of these numbers, or leave the line out"))
}

fn seconds(value: &TomlValue<'_>) -> Result<f64, Box<Diagnostic>> {
    let text = match value.get_ref() {
        DeValue::Integer(number) if number.radix() == 10 => number.as_str(),
        DeValue::Float(number) => number.as_str(),
        _ => "",
    };
    args::seconds(text).map_err(|expected| wrong(value, "timeout", &expected, "write it as `timeout = 60`"))
}

fn truth(value: &TomlValue<'_>, name: &str) -> Result<bool, Box<Diagnostic>> {
    value.get_ref().as_bool().ok_or_else(|| wrong(value, name, "`true` or `false`", CHOOSE))
}

/// One of the values that the option of the same name takes.
fn choice<V: ValueEnum>(value: &TomlValue<'_>, name: &str) -> Result<V, Box<Diagnostic>> {
    let names: Vec<String> = V::value_variants().iter().filter_map(V::to_possible_value).map(|one| one.get_name().to_owned()).collect();
    let text = value.get_ref().as_str().unwrap_or_default();
    V::from_str(text, false).map_err(|_| {
        let help = similar(text, names.iter().map(String::as_str)).map_or(CHOOSE.to_owned(), |near| format!("did you mean \"{near}\"?"));
        let expected = names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
        wrong(value, name, &format!("one of {expected}"), &help)
    })
}

/// The name of a method, or a list of them.
fn methods(value: &TomlValue<'_>) -> Result<Vec<String>, Box<Diagnostic>> {
    let names: Vec<&str> = ["auto"].into_iter().chain(Method::ALL.iter().map(|method| method.name())).collect();
    let expected = format!("names among {}", names.join(", "));
    let one = |value: &TomlValue<'_>| match value.get_ref().as_str() {
        Some(name) if name == "auto" || Method::named(name).is_some() => Ok(name.to_owned()),
        other => {
            let near = similar(other.unwrap_or_default(), names.iter().copied());
            let help = near.map_or("write it as `method = \"auto\"`".to_owned(), |near| format!("did you mean \"{near}\"?"));
            Err(wrong(value, "method", &expected, &help))
        }
    };
    let found: Vec<String> = match value.get_ref() {
        DeValue::Array(several) => several.iter().map(one).collect::<Result<_, _>>()?,
        _ => vec![one(value)?],
    };
    if found.is_empty() {
        return Err(wrong(value, "method", "at least one method", "leave the line out for all of them"));
    }
    if found.len() > 1 && found.iter().any(|name| name == "classic") {
        return Err(wrong(value, "method", "classic alone, or names of other methods", "classic stands alone: it is a second opinion"));
    }
    Ok(found)
}

/// The warning or note with this code; else what is wrong with it, and help.
fn warning(code: &str) -> Result<&'static str, (String, String)> {
    let mut known = codes();
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

fn mistake(range: Range<usize>, message: String, expected: &str) -> Diagnostic {
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
        assert_eq!(config.format, FormatStyle { indent: 4, width: 80 });
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
