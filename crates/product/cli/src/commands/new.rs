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

/// Writes the program and its settings, or where the name is that of a program, this alone.
pub(crate) fn run(args: &New, messages: Messages) -> Result<(), Failure> {
    if args.name.extension().is_some_and(|ending| ending == "ser") {
        return alone(&args.name, messages);
    }
    let name = args.name.file_name().filter(|name| !name.is_empty());
    let Some(name) = name else {
        return Err(Failure::message(format!("{} names no directory that could be made", shown(&args.name))));
    };
    let program = args.name.join(Path::new(name)).with_added_extension("ser");
    let settings = args.name.join("serval.toml");
    [&program, &settings].into_iter().try_for_each(|path| is_free(path))?;
    make(&args.name)?;
    write_file(&program, PROGRAM)?;
    write_file(&settings, SETTINGS)?;
    if !messages.quiet {
        let (program, settings) = (shown(&program), shown(&settings));
        say(&format!("wrote {program} and {settings}\nnext: serval check {}\n", escape::shell(&program)));
    }
    Ok(())
}

/// Writes a program of this name.
fn alone(program: &Path, messages: Messages) -> Result<(), Failure> {
    is_free(program)?;
    if let Some(directory) = program.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        make(directory)?;
    }
    write_file(program, PROGRAM)?;
    if !messages.quiet {
        let program = shown(program);
        say(&format!("wrote {program}\nnext: serval check {}\n", escape::shell(&program)));
    }
    Ok(())
}

fn is_free(path: &Path) -> Result<(), Failure> {
    // A link that leads nowhere is something, too.
    match path.exists() || path.is_symlink() {
        true => Err(Failure::message(format!("{} is there already and stays as it is", shown(path)))),
        false => Ok(()),
    }
}

fn make(directory: &Path) -> Result<(), Failure> {
    fs::create_dir_all(directory).map_err(|error| Failure::message(format!("cannot make {}: {error}", shown(directory))))
}
