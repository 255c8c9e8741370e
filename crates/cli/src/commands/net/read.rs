//! Files of nets and of questions, and what is wrong with them.

use std::path::Path;

use serval::nets::{NetInput, NetQuestion};
use serval_petri::Limits;
use serval_report::escape::{self, file_name};
use serval_report::nets::{net_file_mistake, net_words_mistake};

use crate::args::{NetFile, NetKind};
use crate::failure::Failure;
use crate::input::{bytes_within, name_of};

/// Reads a net.
pub(in crate::commands) fn net(args: &NetFile) -> Result<NetInput, Failure> {
    let kind = match args.input {
        Some(NetKind::Pnml) => serval::nets::NetKind::Pnml,
        Some(NetKind::Net) => serval::nets::NetKind::Tina,
        None => {
            let extension = args.file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
            serval::nets::NetKind::of_extension(extension).filter(|_| !args.file.is_dir()).map_or_else(|| unknown_kind(&args.file), Ok)?
        }
    };
    let text = text(&args.file)?;
    NetInput::read(&text, kind).map_err(|error| Failure::Input(net_file_mistake(&error, &name_of(&args.file), &text)))
}

fn unknown_kind(path: &Path) -> Result<serval::nets::NetKind, Failure> {
    let name = escape::name(&file_name(path)).into_owned();
    Err(Failure::message(if path.is_dir() {
        format!("{name} is a directory; give a file")
    } else {
        format!("cannot tell what {name} is; say --input pnml or --input net [E0503]")
    }))
}

/// The text of a file, within the limits of nets.
fn text(path: &Path) -> Result<String, Failure> {
    let bytes = bytes_within(path, Limits::default().bytes)?;
    let shown = escape::name(&name_of(path)).into_owned();
    String::from_utf8(bytes).map_err(|error| {
        Failure::message(format!("{shown} is not UTF-8: byte {} cannot be read [E0501]", error.utf8_error().valid_up_to()))
    })
}

/// The questions in a file.
pub(in crate::commands) fn queries(path: &Path, input: &NetInput) -> Result<Vec<NetQuestion>, Failure> {
    let text = text(path)?;
    input.queries(&text).map_err(|error| Failure::Input(net_file_mistake(&error, &name_of(path), &text)))
}

/// The question that a property is.
pub(in crate::commands) fn question(text: &str, input: &NetInput) -> Result<NetQuestion, Failure> {
    input.question(text).map_err(|error| Failure::Input(net_words_mistake(&error, text, input.net())))
}
