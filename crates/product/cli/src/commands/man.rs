//! `serval man`: manual pages, made from the definition of the command line.

use std::path::Path;

use clap::{Command, CommandFactory};

use crate::args::{Args, Man};
use crate::failure::Failure;
use crate::input;
use crate::output::{write_file, write_to};

pub(crate) fn run(args: &Man) -> Result<(), Failure> {
    // `serval help` is no command with a page of its own.
    let mut command = Args::command().disable_help_subcommand(true);
    // Gives commands of commands their whole names.
    command.build();
    match &args.out {
        None => write_to(None, &page(&command)?),
        Some(directory) => {
            let fail = |error| Failure::message(format!("cannot make {}: {error}", input::shown(directory)));
            std::fs::create_dir_all(directory).map_err(fail)?;
            write_pages(&command, directory)
        }
    }
}

/// Writes the page of a command and those of all commands in it.
fn write_pages(command: &Command, directory: &Path) -> Result<(), Failure> {
    write_file(&directory.join(format!("{}.1", full_name(command))), &page(command)?)?;
    let mut shown = command.get_subcommands().filter(|inner| !inner.is_hide_set());
    shown.try_for_each(|inner| write_pages(inner, directory))
}

/// Such as `serval-check`.
fn full_name(command: &Command) -> &str {
    command.get_display_name().unwrap_or(command.get_name())
}

/// One page. Examples and exit statuses, which `--help` shows as they stand at
/// its end, become sections whose lines are not filled.
fn page(command: &Command) -> Result<String, Failure> {
    let man = clap_mangen::Man::new(command.clone());
    // No date: the same program writes the same bytes. The fields are quoted, so
    // that an empty one keeps its place.
    let title = format!(".TH \"{}\" 1 \"\" \"serval {}\" \"Manual of serval\"\n", full_name(command), env!("CARGO_PKG_VERSION"));
    let mut page = title.into_bytes();
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    if command.get_arguments().any(|argument| !argument.is_hide_set()) {
        man.render_options_section(&mut page)?;
    }
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    let mut page = String::from_utf8_lossy(&page).into_owned();
    if let Some(end) = command.get_after_help() {
        closing_sections(&mut page, &end.to_string());
    }
    Ok(ascii(&page))
}

/// A page that looks the same whatever encoding its reader expects.
fn ascii(page: &str) -> String {
    let named = |character: char| if character.is_ascii() { character.to_string() } else { format!("\\[u{:04X}]", u32::from(character)) };
    page.chars().map(named).collect()
}

/// The paragraphs at the end of `--help`.
fn closing_sections(page: &mut String, text: &str) {
    for paragraph in text.split("\n\n") {
        let (head, body) = match paragraph.split_once(':') {
            Some(("Example" | "Examples", body)) => ("EXAMPLES", body),
            Some(("Exit status", body)) => ("EXIT STATUS", body),
            _ => ("NOTES", paragraph),
        };
        page.push_str(&format!(".SH \"{head}\"\n"));
        let lines: Vec<&str> = match head {
            "EXAMPLES" => body.lines().filter(|line| !line.is_empty()).map(str::trim_start).collect(),
            "EXIT STATUS" => statuses(body),
            _ => vec![body.trim()],
        };
        let filled = head == "NOTES";
        page.push_str(if filled { "" } else { ".nf\n" });
        lines.iter().for_each(|line| push_line(page, line));
        page.push_str(if filled { "" } else { ".fi\n" });
    }
}

/// Such as `0 all serializable, 1 some not.`, in parts that begin with a number.
fn statuses(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text.trim().trim_end_matches('.');
    let begins = |at: &usize, rest: &str| rest.get(at + 2..).is_some_and(|next| next.starts_with(|digit: char| digit.is_ascii_digit()));
    loop {
        let ends = rest.match_indices([',', ';']).map(|(at, _)| at).find(|at| begins(at, rest));
        let Some(end) = ends else { break };
        parts.push(&rest[..end]);
        rest = &rest[end + 2..];
    }
    parts.push(rest);
    parts
}

/// A line of text, with what would mean something to roff taken literally.
fn push_line(page: &mut String, line: &str) {
    // A leading dot or quote would be a request.
    if line.starts_with(['.', '\'']) {
        page.push_str("\\&");
    }
    for character in line.chars() {
        match character {
            '\\' => page.push_str("\\e"),
            '-' => page.push_str("\\-"),
            other => page.push(other),
        }
    }
    page.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_begin_with_numbers() {
        assert_eq!(statuses(" 0 done, or nothing; 1 some, 130 more."), ["0 done, or nothing", "1 some", "130 more"]);
        assert_eq!(statuses("0 done"), ["0 done"]);
        assert_eq!(statuses("0 done,"), ["0 done,"]);
    }

    #[test]
    fn other_characters_have_names() {
        assert_eq!(ascii("a … 𝄞"), "a \\[u2026] \\[u1D11E]");
    }

    #[test]
    fn nothing_is_a_request() {
        let mut page = String::new();
        push_line(&mut page, ".ser and 'a\\b' --x");
        push_line(&mut page, "'quoted'");
        assert_eq!(page, "\\&.ser and 'a\\eb' \\-\\-x\n\\&'quoted'\n");
    }
}
