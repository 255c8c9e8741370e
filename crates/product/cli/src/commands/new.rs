//! `serval new NAME`.

use std::fs;
use std::path::Path;

use serval_report::escape;

use crate::args::New;
use crate::failure::Failure;
use crate::input::{Messages, shown};
use crate::output::{say, write_file};

/// A program that is not serializable, with what a beginner needs to know about it.
const PROGRAM: &str = include_str!("new/starter.ser");
const SETTINGS: &str = include_str!("new/serval.toml");

/// Writes the program and its settings.
pub(crate) fn run(args: &New, messages: Messages) -> Result<(), Failure> {
    let name = args.name.file_name().filter(|name| !name.is_empty());
    let Some(name) = name else {
        return Err(Failure::message(format!("{} names no directory that could be made", shown(&args.name))));
    };
    let program = args.name.join(Path::new(name)).with_added_extension("ser");
    let settings = args.name.join("serval.toml");
    for path in [&program, &settings] {
        // A link that leads nowhere is something, too.
        if path.exists() || path.is_symlink() {
            return Err(Failure::message(format!("{} is there already and stays as it is", shown(path))));
        }
    }
    fs::create_dir_all(&args.name).map_err(|error| Failure::message(format!("cannot make {}: {error}", shown(&args.name))))?;
    write_file(&program, PROGRAM)?;
    write_file(&settings, SETTINGS)?;
    if !messages.quiet {
        let (program, settings) = (shown(&program), shown(&settings));
        say(&format!("wrote {program} and {settings}\nnext: serval check {}\n", escape::shell(&program)));
    }
    Ok(())
}
