//! `serval completions SHELL`.

use clap::CommandFactory;

use crate::args::{Args, Completions};
use crate::failure::Failure;
use crate::output::write_to;

pub(crate) fn run(args: &Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "serval", &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    if args.shell == clap_complete::Shell::Fish {
        // The generator leaves out what stands for itself in fish.
        let pages: Vec<&str> = serval_report::explain::names().into_iter().map(|(name, _)| name).collect();
        script.push_str(&format!("complete -c serval -n \"__fish_serval_using_subcommand explain\" -f -a \"{}\"\n", pages.join(" ")));
    }
    write_to(None, &script)
}
