//! From a bundle to a typed workload, or to what is wrong with it.

use serval_diagnostic::{Diagnostic, Severity, Span};

use crate::bundle::{self, BundleFile, NoBundle};
use crate::codes;
use crate::further::say_further;
use crate::grow::grow;
use crate::names::{Lowered, unknown};
use crate::scan::{Chunk, Unclosed, scan};
use crate::schema::Schema;
use crate::script::Reader;
use crate::settings;
use crate::workload::{Script, Settings, Workload};

/// How many statements a script can have.
const MOST_STATEMENTS: usize = 1000;
/// How many mistakes are shown.
const MOST_SHOWN: usize = 100;

/// A bundle as a workload, and what there is to say about it.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The workload; `None` exactly if some diagnostic is an error.
    pub workload: Option<Workload>,
    /// Its files.
    pub files: Vec<BundleFile>,
    /// Errors and notes, in the order of their places.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a bundle.
///
/// ```
/// let files = [
///     (
///         "schema.sql".to_owned(),
///         "CREATE TABLE t (id int PRIMARY KEY, n int); INSERT INTO t VALUES (1, 0);".to_owned(),
///     ),
///     ("next.sql".to_owned(), "UPDATE t SET n = n + 1 WHERE id = 1;".to_owned()),
/// ];
/// let workload = serval_sql::read(&serval_sql::bundle(&files)).workload.unwrap();
/// assert_eq!((workload.tables[0].rows.len(), workload.scripts[0].name.as_str()), (1, "next"));
/// ```
pub fn read(bundle: &str) -> Reading {
    let files = match bundle::files(bundle) {
        Ok(files) => files,
        Err(NoBundle(why)) => {
            let diagnostic = Diagnostic::error(codes::NO_WORKLOAD, Span::default(), format!("this is no bundle of a workload: {why}"))
                .expected("what `serval` makes of a directory")
                .help("give the directory");
            return Reading { workload: None, files: Vec::new(), diagnostics: vec![diagnostic] };
        }
    };
    let mut reading = BundleReader { bundle, schema: Schema::default(), settings: settings::settings(), found: Vec::new() };
    let scripts = reading.files(&files);
    let BundleReader { mut schema, mut settings, mut found, .. } = reading;
    say_further(&mut schema.tables, &scripts);
    if settings.grow {
        grow(&mut settings, &mut schema.tables);
    }
    let is_wrong = found.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    found.sort_by_key(|diagnostic| diagnostic.primary.span);
    found.truncate(MOST_SHOWN);
    let workload = (!is_wrong).then_some(Workload { tables: schema.tables, scripts, settings });
    Reading { workload, files, diagnostics: found }
}

/// Whether a file is part of the schema.
pub fn is_schema(name: &str) -> bool {
    name == "schema.sql" || name.ends_with("/schema.sql") || name.starts_with("migrations/") || name.contains("/migrations/")
}

struct BundleReader<'b> {
    bundle: &'b str,
    schema: Schema,
    settings: Settings,
    found: Vec<Diagnostic>,
}

impl BundleReader<'_> {
    /// Keeps what went wrong.
    fn keep<T>(&mut self, result: Lowered<T>) -> Option<T> {
        result.map_err(|diagnostic| self.found.push(*diagnostic)).ok()
    }

    fn files(&mut self, files: &[BundleFile]) -> Vec<Script> {
        let sql = |file: &&BundleFile| file.name != bundle::SETTINGS;
        let (schema, scripts): (Vec<&BundleFile>, Vec<&BundleFile>) = files.iter().filter(sql).partition(|file| is_schema(&file.name));
        let mut later = Vec::new();
        for file in &schema {
            self.schema_file(file, &mut later);
        }
        for file in files.iter().filter(|file| file.name == bundle::SETTINGS) {
            let text = &self.bundle[file.start as usize..file.end as usize];
            let mut at = file.start;
            for line in text.lines() {
                let length = u32::try_from(line.len()).unwrap_or(u32::MAX);
                later.push((line.trim().to_owned(), Span::new(at, at.saturating_add(length))));
                at = at.saturating_add(length).saturating_add(1);
            }
        }
        // Bounds name tables, which are known now.
        for (line, span) in later {
            let applied = settings::apply(&line, span, &mut self.settings, &mut self.schema.tables);
            self.keep(applied);
        }
        if self.schema.tables.is_empty() && self.found.is_empty() {
            let span = schema.first().map_or_else(Span::default, |file| Span::new(file.start, file.start));
            self.found.push(
                Diagnostic::error(codes::BAD_SCHEMA, span, "there is no table")
                    .expected("`schema.sql`, or `migrations/*.sql`, with CREATE TABLE")
                    .help("put the output of `pg_dump --schema-only` into `schema.sql`"),
            );
            // All that scripts say is about tables.
            return Vec::new();
        }
        let mut read = Vec::new();
        for file in scripts {
            self.script_file(file, &mut read);
        }
        self.settings_of(&mut read);
        if read.is_empty() && self.found.is_empty() {
            let message = "there is no script beside the schema";
            self.found.push(
                Diagnostic::error(codes::NO_WORKLOAD, Span::default(), message)
                    .expected("a file `*.sql` with the statements of a transaction")
                    .help("write each operation of the application into a file of its own"),
            );
        }
        read
    }

    /// Levels that settings say of scripts by name, and scripts that they leave out.
    fn settings_of(&mut self, scripts: &mut [Script]) {
        let lines = std::mem::take(&mut self.settings.levels).into_iter().map(|(name, level, span)| (name, Some(level), span));
        let without = std::mem::take(&mut self.settings.without).into_iter().map(|(name, span)| (name, None, span));
        for (name, level, span) in lines.chain(without) {
            let mut known = false;
            for script in scripts.iter_mut().filter(|script| script.name == name) {
                known = true;
                match level {
                    Some(level) => script.isolation = Some(level),
                    None => script.left_out = true,
                }
            }
            // Where a script could not be read its name is not known, which is its own mistake.
            if !known && self.found.is_empty() {
                let names: Vec<&str> = scripts.iter().map(|script| script.name.as_str()).collect();
                self.found.push(unknown(span, "script", &name, &names).expected("a script of the workload"));
            }
        }
    }

    fn chunks(&mut self, file: &BundleFile) -> Vec<Chunk> {
        let text = &self.bundle[file.start as usize..file.end as usize];
        let chunks = scan(text, file.start).map_err(|Unclosed { span, what }| {
            let message = format!("this {what} is never closed");
            Box::new(Diagnostic::error(codes::NO_SQL, span, message).expected("its end").help("close it"))
        });
        self.keep(chunks).unwrap_or_default()
    }

    fn schema_file(&mut self, file: &BundleFile, later: &mut Vec<(String, Span)>) {
        for chunk in self.chunks(file) {
            let performed = match chunk {
                Chunk::Statement(text) => self.schema.perform(&text),
                Chunk::Directive { span, words } => {
                    later.push((words, span));
                    Ok(())
                }
                // `\connect`, `\restrict`: pg_dump writes them.
                Chunk::Command { .. } | Chunk::Name { .. } => Ok(()),
            };
            self.keep(performed);
        }
    }

    fn script_file(&mut self, file: &BundleFile, scripts: &mut Vec<Script>) {
        let chunks = self.chunks(file);
        if chunks.iter().filter(|chunk| matches!(chunk, Chunk::Statement(_))).count() > MOST_STATEMENTS {
            let message = format!("this file has more than {MOST_STATEMENTS} statements");
            self.found.push(
                Diagnostic::error(codes::TOO_LARGE, Span::new(file.start, file.start), message)
                    .expected("scripts as applications have them")
                    .help("leave out what is no transaction of the application"),
            );
            return;
        }
        let stem = file.name.rsplit('/').next().unwrap_or_default().trim_end_matches(".sql").to_owned();
        let named = chunks.iter().any(|chunk| matches!(chunk, Chunk::Name { .. }));
        let tables = std::mem::take(&mut self.schema.tables);
        let mut open: Option<Reader<'_>> = (!named).then(|| Reader::new(stem, Span::new(file.start, file.start), &tables));
        let mut before: Vec<Chunk> = Vec::new();
        let mut results: Vec<Lowered<Script>> = Vec::new();
        let mut failed = Vec::new();
        for chunk in chunks {
            if let Chunk::Name { span, name } = &chunk {
                results.extend(open.take().map(Reader::finish));
                let mut reader = Reader::new(name.clone(), *span, &tables);
                // What stands before the first name belongs to all; only directives can.
                failed.extend(before.iter().filter_map(|chunk| reader.read(chunk).err()));
                open = Some(reader);
                continue;
            }
            match &mut open {
                Some(reader) => failed.extend(reader.read(&chunk).err()),
                None if matches!(chunk, Chunk::Directive { .. }) => before.push(chunk),
                None => failed.push(crate::names::outside(Span::new(file.start, file.start), "a statement before the first `-- name:`")),
            }
        }
        results.extend(open.take().map(Reader::finish));
        let done: Vec<Script> = results.into_iter().filter_map(|result| self.keep(result)).collect();
        self.found.extend(failed.into_iter().map(|diagnostic| *diagnostic));
        self.schema.tables = tables;
        scripts.extend(done.into_iter().filter(|script| !script.body.is_empty()));
    }
}
