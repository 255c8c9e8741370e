//! Scripts as text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};

use crate::lines::Lines;
use crate::pattern::Pattern;
use crate::session::Sessions;
use crate::shape::HOLE;

/// What a log gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MinedWorkload {
    /// The scripts, by their statements.
    pub scripts: Vec<MinedScript>,
    /// What `serval.toml` may say: bounds as proposals.
    pub settings: String,
    /// Statements that were read.
    pub statements: u64,
    /// Transactions of which scripts were made.
    pub transactions: u64,
    /// Attempts that failed, which are left out: what was repeated is there as often as it was done.
    pub failed: u64,
    /// What was left out, by kind.
    pub left_out: Vec<LeftOut>,
    /// What there is to know, a sentence each.
    pub notes: Vec<String>,
}

/// A script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MinedScript {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
    /// How often it occurs.
    pub count: u64,
}

/// Statements that are in no script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// What they are.
    pub kind: String,
    /// How many there are.
    pub count: u64,
}

/// Why there is no script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NothingMined {
    /// There is nothing in it.
    Empty,
    /// It is none of a server.
    NoLog,
    /// Lines do not name their session.
    NoSession,
    /// The server writes another language.
    Language,
    /// It has no statements.
    NoStatement,
    /// All of them are left out, or failed, or were cut.
    NoTransaction,
}

impl fmt::Display for NothingMined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "it is empty",
            Self::NoLog => "this is no log of a PostgreSQL server, in none of the formats stderr, csvlog and jsonlog",
            Self::NoSession => {
                "its lines do not say which session they are of: set log_line_prefix = '%m [%p] ', or log_destination = csvlog"
            }
            Self::Language => "the server writes it in another language: set lc_messages = 'C'",
            Self::NoStatement => "it has no statements: set log_statement = all",
            Self::NoTransaction => "it has no whole transaction with a statement about a table",
        })
    }
}

impl std::error::Error for NothingMined {}

pub(crate) fn workload(sessions: Sessions, lines: &Lines) -> Result<MinedWorkload, NothingMined> {
    let Sessions { patterns, counts, .. } = sessions;
    if patterns.known.is_empty() {
        return Err(match () {
            () if counts.without_session > 0 => NothingMined::NoSession,
            () if counts.foreign > 0 => NothingMined::Language,
            () if counts.statements > 0 => NothingMined::NoTransaction,
            () if lines.read > 0 => NothingMined::NoStatement,
            () if lines.entries > 0 || lines.cut > 0 => NothingMined::NoLog,
            () => NothingMined::Empty,
        });
    }
    let mut notes = Vec::new();
    let mut note = |count: u64, words: &str| {
        if count > 0 {
            notes.push(format!("{count} {words}"));
        }
    };
    note(counts.without_session, "statements are of no session that the log names, and are left out");
    note(counts.foreign, "entries are in another language, and are left out: set lc_messages = 'C'");
    note(counts.cut, "transactions have a part that the log does not have, and are left out");
    note(lines.cut, "entries are cut, and are left out");
    note(lines.strange, "lines are none of this format, and are left out");
    note(
        counts.without_values,
        "statements have parameters whose values the log does not say, or not in full: set log_parameter_max_length = -1",
    );
    if counts.longer == 0 {
        notes.push("no transaction has two statements: where the application has such, its BEGIN and COMMIT are not in the log".to_owned());
    }
    let mut names: BTreeSet<String> = BTreeSet::new();
    let mut scripts: Vec<MinedScript> = Vec::new();
    let mut before: Option<(&Vec<String>, String)> = None;
    for (shapes, pattern) in &patterns.known {
        let name = free_name(&name_of(shapes), &mut names);
        let shared = before.as_ref().map_or(0, |(other, _)| shapes.iter().zip(*other).take_while(|(one, other)| one == other).count());
        let branch =
            before.as_ref().filter(|_| shared > 1 && shapes[0].starts_with("BEGIN")).map(|(_, other)| (other.as_str(), shared - 1));
        scripts.push(MinedScript { text: text_of(shapes, pattern, branch), count: pattern.count, name: name.clone() });
        before = Some((shapes, name));
    }
    let left_out = counts.left_out.into_iter().map(|(kind, count)| LeftOut { kind, count }).collect();
    let (statements, transactions, failed) = (counts.statements, counts.transactions, counts.failed);
    Ok(MinedWorkload { scripts, settings: settings(patterns.known.keys()), statements, transactions, failed, left_out, notes })
}

/// A name that none before has.
fn free_name(wanted: &str, names: &mut BTreeSet<String>) -> String {
    let mut name = wanted.to_owned();
    let mut number = 2;
    while !names.insert(name.clone()) {
        name = format!("{wanted}_{number}");
        number += 1;
    }
    name
}

/// Lower case, digits and `_`, and a letter first.
fn plain(name: &str) -> String {
    let mut plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
    if !plain.starts_with(|c: char| c.is_ascii_lowercase()) {
        plain.insert(0, 'p');
    }
    plain.truncate(40);
    plain
}

/// The verb and the table of a statement.
fn about(shape: &str) -> Option<(String, String)> {
    let mut words = shape.split(|c: char| c.is_whitespace() || "(,;".contains(c)).filter(|word| !word.is_empty());
    let verb = words.next()?.to_ascii_lowercase();
    let behind = match verb.as_str() {
        "select" | "delete" => words.find(|word| word.eq_ignore_ascii_case("from")).and_then(|_| words.next()),
        "insert" => words.find(|word| word.eq_ignore_ascii_case("into")).and_then(|_| words.next()),
        "update" => words.next(),
        _ => return None,
    };
    let table = behind.filter(|table| !table.eq_ignore_ascii_case("only"))?;
    let table = table.rsplit('.').next().unwrap_or(table).trim_matches('"');
    Some((verb, plain(table)))
}

/// What it changes, or else what it reads.
fn name_of(shapes: &[String]) -> String {
    let all: Vec<(String, String)> = shapes.iter().filter_map(|shape| about(shape)).collect();
    let is_write = |(verb, _): &&(String, String)| verb != "select";
    let mut chosen: Vec<&(String, String)> =
        if all.iter().any(|one| is_write(&one)) { all.iter().filter(is_write).collect() } else { all.iter().collect() };
    chosen.dedup();
    let parts: Vec<String> = chosen.iter().take(2).map(|(verb, table)| format!("{verb}_{table}")).collect();
    if parts.is_empty() { "transaction".to_owned() } else { parts.join("_") }
}

fn text_of(shapes: &[String], pattern: &Pattern, branch: Option<(&str, usize)>) -> String {
    let holders = holders(pattern);
    let mut out = String::from("-- Mined from a log");
    let _ = writeln!(out, ", where it occurs {} {}.", pattern.count, if pattern.count == 1 { "time" } else { "times" });
    if let Some((other, shared)) = branch {
        let _ = writeln!(out, "-- It begins as {other} does, for {shared} {}.", if shared == 1 { "statement" } else { "statements" });
    }
    let rows = |statement: usize| {
        let upper = shapes[statement].to_ascii_uppercase();
        upper.starts_with("SELECT") || upper.contains(" RETURNING ")
    };
    let mut told: BTreeSet<&str> = BTreeSet::new();
    for (slot, holder) in pattern.slots.iter().zip(&holders) {
        let Holder::Parameter(name) = holder else { continue };
        if told.insert(name) && (0..slot.statement).any(rows) {
            let _ = writeln!(
                out,
                "-- :{name} may be computed from rows that were read before. Here it is any value: \\gset and \\set say more."
            );
        }
    }
    let mut next = pattern.slots.iter().zip(&holders);
    for shape in shapes {
        for part in shape.split_inclusive(HOLE) {
            match part.strip_suffix(HOLE) {
                Some(text) => {
                    out.push_str(text);
                    match next.next() {
                        Some((_, Holder::Parameter(name))) => {
                            let _ = write!(out, ":{name}");
                        }
                        Some((_, Holder::Constant(value))) => out.push_str(value),
                        None => {}
                    }
                }
                None => out.push_str(part),
            }
        }
        out.push_str(";\n");
    }
    out
}

/// What stands for a value in a script.
enum Holder {
    Constant(String),
    Parameter(String),
}

/// A constant of the text that never changes stays one. Values that were always equal are one parameter, if that was
/// seen with two values: one value alone is equal by chance too often.
fn holders(pattern: &Pattern) -> Vec<Holder> {
    let mut names: BTreeMap<usize, String> = BTreeMap::new();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let holder = |slot: &crate::pattern::Slot| {
        if !slot.is_bound && !slot.varies {
            return Holder::Constant(slot.first.clone().unwrap_or_else(|| "NULL".to_owned()));
        }
        let mut fresh = || free_name(&plain(slot.column.as_deref().unwrap_or("p")), &mut taken);
        Holder::Parameter(if slot.varies { names.entry(slot.class).or_insert_with(fresh).clone() } else { fresh() })
    };
    pattern.slots.iter().map(holder).collect()
}

/// Bounds as proposals: columns that are computed, and tables that grow.
fn settings<'k>(patterns: impl Iterator<Item = &'k Vec<String>>) -> String {
    let (mut columns, mut tables) = (BTreeSet::new(), BTreeSet::new());
    for shape in patterns.flatten() {
        match about(shape) {
            Some((verb, table)) if verb == "update" => columns.extend(computed(shape).into_iter().map(|column| (table.clone(), column))),
            Some((verb, table)) if verb == "insert" => drop(tables.insert(table)),
            _ => {}
        }
    }
    let mut out = String::from("[sql]\n");
    if !columns.is_empty() || !tables.is_empty() {
        out.push_str(
            "# Proposals: the values of columns that are computed, and how many rows a table gets. Take them, or choose others.\n",
        );
    }
    for (table, column) in columns {
        let _ = writeln!(out, "# range.\"{table}.{column}\" = \"0..2 wrap\"");
    }
    for table in tables {
        let _ = writeln!(out, "# rows.{table} = 2");
    }
    out
}

/// The columns that an UPDATE sets.
fn computed(shape: &str) -> Vec<String> {
    let upper = shape.to_ascii_uppercase();
    let Some(begin) = upper.find(" SET ").filter(|_| upper.len() == shape.len()) else { return Vec::new() };
    let end = upper[begin..].find(" WHERE ").map_or(shape.len(), |length| begin + length);
    let mut depth = 0_i32;
    let parts = shape[begin + 5..end].split(|c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    });
    let column = |part: &str| {
        let (name, value) = part.split_once('=')?;
        let is_plain = ["TRUE", "FALSE", "NULL", "DEFAULT"].contains(&value.trim().to_ascii_uppercase().as_str());
        (!is_plain).then(|| plain(name.trim().trim_matches('"')))
    };
    parts.filter_map(column).collect()
}
