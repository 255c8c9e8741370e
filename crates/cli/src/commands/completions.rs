//! `serval completions SHELL`.

use clap::CommandFactory;

use crate::args::{Args, Completions};
use crate::failure::Failure;
use crate::output::write_to;

pub(crate) fn run(args: &Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "serval", &mut script);
    write_to(None, &String::from_utf8_lossy(&script))
}
