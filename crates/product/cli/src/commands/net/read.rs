//! Files of nets and of questions, and what is wrong with them.

use std::path::{Path, PathBuf};

use serval::nets::{FormatError, NetInput, NetQuestion};
use serval_report::escape::{self, file_name};
use serval_report::nets::{net_file_mistake, net_words_mistake};

use crate::args::{NetFile, NetKind};
use crate::doors::Door;
use crate::failure::Failure;
use crate::input::{bytes_within, name_of};

/// Reads a net, and those that it is composed with, and lets it begin where it is to.
pub(in crate::commands) fn net(args: &NetFile) -> Result<NetInput, Failure> {
    let input = composed(args)?;
    let Some(text) = &args.from else { return Ok(input) };
    input.starting(text).map_err(|error| Failure::Input(net_words_mistake(&error, text, input.net())))
}

fn composed(args: &NetFile) -> Result<NetInput, Failure> {
    let is_composed = !args.compose.is_empty();
    let first = one_net(&args.file, args.input, is_composed)?;
    let others = args.compose.iter().filter(|path| *path != Path::new("pages")).map(|path| one_net(path, None, true));
    let others = others.collect::<Result<Vec<_>, _>>()?;
    if others.is_empty() {
        return Ok(first);
    }
    let all: Vec<NetInput> = std::iter::once(first).chain(others).collect();
    NetInput::composed(&all).map_err(|error| Failure::message(format!("the nets cannot be composed: {}", escape::line(&error.to_string()))))
}

/// Reads a net of one file.
fn one_net(file: &Path, input: Option<NetKind>, is_composed: bool) -> Result<NetInput, Failure> {
    let text = text(file)?;
    let kind = match input.map_or_else(|| kind_of(file, &text), Ok)? {
        NetKind::Pnml => serval::nets::NetKind::Pnml,
        NetKind::Net => serval::nets::NetKind::Tina,
        NetKind::Spec => serval::nets::NetKind::Mist,
        NetKind::Vass => serval::nets::NetKind::Vass,
    };
    let read = if is_composed { NetInput::read_composed(&text, kind) } else { NetInput::read(&text, kind) };
    read.map_err(|error| Failure::Input(net_file_mistake(&error, &name_of(file), &text)))
}

/// How a net is written: as the name of its file says, else as its text says. What is for another command is sent
/// there.
fn kind_of(path: &Path, text: &str) -> Result<NetKind, Failure> {
    match Door::of_name(path).or_else(|| Door::of_text(text)) {
        Some(Door::Nets(kind)) => Ok(kind),
        Some(other) => Err(other.elsewhere("check", path)),
        None => {
            let name = escape::name(&file_name(path)).into_owned();
            Err(Failure::message(format!("cannot tell what {name} is; say --input pnml, net, spec or vass [E0503]")))
        }
    }
}

/// The text of a file, within the limits of nets.
fn text(path: &Path) -> Result<String, Failure> {
    let bytes = bytes_within(path, NetInput::most_bytes())?;
    let shown = escape::name(&name_of(path)).into_owned();
    String::from_utf8(bytes).map_err(|error| {
        Failure::message(format!("{shown} is not UTF-8: byte {} cannot be read [E0501]", error.utf8_error().valid_up_to()))
    })
}

/// The questions in a file, all of them.
pub(in crate::commands) fn queries(path: &Path, input: &NetInput) -> Result<Vec<NetQuestion>, Failure> {
    let Asked { questions, mut mistakes } = each_query(path, input)?;
    if mistakes.is_empty() { Ok(questions) } else { Err(Failure::Input(mistakes.swap_remove(0))) }
}

/// What is asked, and what is wrong with what cannot be read, as it is shown.
pub(in crate::commands) struct Asked {
    pub(in crate::commands) questions: Vec<NetQuestion>,
    pub(in crate::commands) mistakes: Vec<String>,
}

/// The questions in a file, of which one at least can be read.
fn each_query(path: &Path, input: &NetInput) -> Result<Asked, Failure> {
    let text = text(path)?;
    let shown = |error: &FormatError| net_file_mistake(error, &name_of(path), &text);
    let mut asked = Asked { questions: Vec::new(), mistakes: Vec::new() };
    for query in input.each_query(&text).map_err(|error| Failure::Input(shown(&error)))? {
        match query {
            Ok(question) => asked.questions.push(question),
            Err(error) => asked.mistakes.push(shown(&error)),
        }
    }
    if asked.questions.is_empty() && !asked.mistakes.is_empty() {
        return Err(Failure::Input(asked.mistakes.swap_remove(0)));
    }
    Ok(asked)
}

/// The question that a property is.
pub(in crate::commands) fn question(text: &str, input: &NetInput) -> Result<NetQuestion, Failure> {
    input.question(text).map_err(|error| Failure::Input(net_words_mistake(&error, text, input.net())))
}

/// All that is asked: properties, and the queries of files, or only those with these ids.
pub(in crate::commands) fn questions(input: &NetInput, properties: &[String], files: &[PathBuf], ids: &[String]) -> Result<Asked, Failure> {
    let mut questions = properties.iter().map(|property| question(property, input)).collect::<Result<Vec<_>, _>>()?;
    let (mut from_files, mut mistakes) = (Vec::new(), Vec::new());
    for path in files {
        let asked = each_query(path, input)?;
        from_files.extend(asked.questions);
        mistakes.extend(asked.mistakes);
    }
    for id in ids {
        if !from_files.iter().any(|question| question.name == *id) {
            if !mistakes.is_empty() {
                // It may be one of those that cannot be read.
                return Err(Failure::Input(mistakes.concat()));
            }
            let near = serval::similar(id, from_files.iter().map(|question| question.name.as_str()));
            let near = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
            return Err(Failure::message(format!("no query is called {id}{near}")));
        }
    }
    from_files.retain(|question| ids.is_empty() || ids.contains(&question.name));
    questions.extend(from_files);
    if !ids.is_empty() {
        // What was chosen can be read.
        mistakes.clear();
    }
    Ok(Asked { questions, mistakes })
}
