//! Directories with SQL: which are workloads, and what is in them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serval::sql::{SETTINGS, Workload, WorkloadMistakes, bundle};
use serval::verify::{Checked, Subject};
use serval::{Cancel, InputKind};
use serval_report::{escape, render_diagnostics};

use crate::args::{Export, Format, SqlArgs, Verify};
use crate::config::Configs;
use crate::failure::Failure;
use crate::input::{self, Messages, bytes_within};
use crate::output::write_to;

/// How long a file of SQL may be.
const MOST_BYTES: usize = 16 << 20;

/// Whether a directory is a workload: it has a schema, or settings for one.
pub(crate) fn is_workload(path: &Path) -> bool {
    let set = || std::fs::read_to_string(path.join("serval.toml")).is_ok_and(|text| text.lines().any(|line| line.trim() == "[sql]"));
    path.is_dir() && (path.join("schema.sql").is_file() || path.join("migrations").is_dir() || set())
}

/// The workloads among what was given, each with its files, and the rest. Files of SQL are one workload together.
pub(crate) fn separate(given: &[PathBuf]) -> Result<(Vec<Vec<PathBuf>>, Vec<PathBuf>), Failure> {
    let (mut workloads, mut files, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    for path in given {
        if is_workload(path) {
            workloads.push(vec![path.clone()]);
        } else if path.extension().is_some_and(|ending| ending == "sql") {
            files.push(path.clone());
        } else if path.is_dir() {
            let inner = below(path)?;
            let programs = !inner.is_empty() && super::commands::check::files::has_programs(path);
            if inner.is_empty() || programs {
                rest.push(path.clone());
            } else {
                workloads.extend(inner.into_iter().map(|path| vec![path]));
            }
        } else {
            rest.push(path.clone());
        }
    }
    if !files.is_empty() {
        workloads.push(files);
    }
    Ok((workloads, rest))
}

/// The workloads below a directory, in order.
fn below(directory: &Path) -> Result<Vec<PathBuf>, Failure> {
    let (mut open, mut found) = (vec![directory.to_owned()], Vec::new());
    while let Some(directory) = open.pop() {
        let fail = |error: std::io::Error| Failure::message(format!("cannot read {}: {error}", input::shown(&directory)));
        for entry in std::fs::read_dir(&directory).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            if hidden || !entry.file_type().map_err(fail)?.is_dir() {
                continue;
            }
            if is_workload(&entry.path()) { found.push(entry.path()) } else { open.push(entry.path()) }
        }
    }
    found.sort();
    Ok(found)
}

/// The name of a workload.
pub(crate) fn name_of(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| input::name_of(path)).collect::<Vec<_>>().join(" ")
}

/// The files of a workload, with what `serval.toml` and the command line say.
pub(crate) fn files_of(paths: &[PathBuf], args: &SqlArgs, messages: Messages) -> Result<Vec<(String, String)>, Failure> {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    for path in paths {
        if path.is_dir() {
            collect(path, path, &mut files)?;
        } else {
            files.insert(input::name_of(path), text_of(path)?);
        }
    }
    let config = Configs::default().common(paths, messages.style)?;
    let lines: Vec<String> = config.sql.iter().cloned().chain(args.lines()).collect();
    if !lines.is_empty() {
        files.insert(SETTINGS.to_owned(), lines.join("\n"));
    }
    Ok(files.into_iter().collect())
}

fn text_of(path: &Path) -> Result<String, Failure> {
    let bytes = bytes_within(path, MOST_BYTES)?;
    if bytes.len() > MOST_BYTES {
        return Err(Failure::message(format!("{} is larger than 16 MiB [E0710]", input::shown(path))));
    }
    String::from_utf8(bytes).map_err(|_| Failure::message(format!("{} is not UTF-8 [E0501]", input::shown(path))))
}

/// The files `*.sql` of a directory and below, by their names in it.
fn collect(root: &Path, directory: &Path, files: &mut BTreeMap<String, String>) -> Result<(), Failure> {
    let fail = |error: std::io::Error| Failure::message(format!("cannot read {}: {error}", input::shown(directory)));
    for entry in std::fs::read_dir(directory).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        let (path, kind) = (entry.path(), entry.file_type().map_err(fail)?);
        if kind.is_dir() {
            collect(root, &path, files)?;
        } else if kind.is_file() && path.extension().is_some_and(|ending| ending == "sql") {
            let inside = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            files.insert(inside, text_of(&path)?);
        }
    }
    Ok(())
}

/// A workload, or its mistakes drawn in their files.
pub(crate) fn read(paths: &[PathBuf], args: &SqlArgs, messages: Messages) -> Result<Workload, Failure> {
    read_files(&files_of(paths, args, messages)?, &name_of(paths), messages)
}

/// The same of files that were read.
pub(crate) fn read_files(files: &[(String, String)], name: &str, messages: Messages) -> Result<Workload, Failure> {
    Workload::read(files).map_err(|mistakes| Failure::Input(drawn(&mistakes, name, messages)))
}

/// What is wrong with a workload, each mistake in its file.
pub(crate) fn drawn(mistakes: &WorkloadMistakes, name: &str, messages: Messages) -> String {
    let draw = |diagnostic| {
        let (file, text, moved) = mistakes.places.moved(diagnostic);
        let directory = Path::new(name).is_dir().then(|| name.trim_end_matches('/'));
        let file = match directory {
            _ if file.is_empty() => name.to_owned(),
            Some(directory) => format!("{directory}/{file}"),
            None => file,
        };
        render_diagnostics(&[moved], &file, &text, messages.style)
    };
    mistakes.diagnostics.iter().map(draw).collect::<Vec<_>>().join("\n")
}

/// `serval export DIR --to ser`
pub(crate) fn export(args: &Export, messages: Messages) -> Result<(), Failure> {
    if args.to.format != Format::Ser {
        return Err(Failure::message(
            "a workload of SQL has the forms ser, spec and psql; export ser, and then the program in the form that is wanted",
        ));
    }
    let workload = read(std::slice::from_ref(&args.input.file), &args.sql, messages)?;
    write_to(args.out.as_deref(), &workload.program_text())
}

/// `serval verify DIR CERTIFICATE`
pub(crate) fn verify(args: &Verify) -> Result<ExitCode, Failure> {
    let messages = Messages { style: Default::default(), look: crate::output::look(crate::output::Colour::Never), quiet: true };
    let files = files_of(std::slice::from_ref(&args.file), &args.sql, messages)?;
    let (name, certificate_name) = (input::name_of(&args.file), input::name_of(&args.certificate));
    let certificate = input::plain_text(&args.certificate)?;
    let text = bundle(&files);
    let subject = Subject::Requests { text: &text, kind: InputKind::Workload };
    let Checked { status, line, .. } = serval::verify::verify(&subject, &name, &certificate, &certificate_name, &Cancel::new());
    if status == 2 {
        return Err(Failure::Input(format!("{}\n", escape::line(&line))));
    }
    write_to(None, &format!("{line}\n"))?;
    Ok(ExitCode::from(status))
}
