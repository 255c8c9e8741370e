//! Network systems as JSON.
//!
//! ```json
//! {"initial_global": "G0", "requests": [["Req", "L0"]], "responses": [["L1", "Resp"]],
//!  "transitions": [["L0", "G0", "L1", "G1"]]}
//! ```
//!
//! All four fields are required, in any order. Names are arbitrary strings
//! and are compared character by character; a state exists because it is
//! mentioned. A request may start in several local states, a local state may
//! have several responses, and saying something twice says it once. A program
//! of several independent components is an array of such objects, in which no
//! two share a request.
//!
//! Reading: the text is at most [`MAX_JSON_BYTES`] long; a byte order mark at
//! its start is skipped. The format has four levels of nesting and anything
//! deeper is a wrong type at the place where it begins, so no limit on depth
//! is needed. Ids are given in the order in which names first occur.
//!
//! Writing: one line per pair or transition. Lines are sorted by name, with
//! numbers inside names by value (`G2` before `G10`), so that what is written
//! depends only on what the system does and not on how its states are
//! numbered; reading and writing again gives the same bytes. States that
//! occur nowhere are not written.
//!
//! ```
//! use serval_model::NetworkSystem;
//! let text = r#"{"initial_global": "G0", "requests": [["Req", "L0"]], "responses": [["L1", "Resp"]],
//!     "transitions": [["L0", "G0", "L1"]]}"#;
//! let error = NetworkSystem::from_json(text).unwrap_err();
//! assert_eq!((error.line, error.column, error.code), (2, 38, "E0406"));
//! assert_eq!(error.to_string(), "2:38: error[E0406]: this entry of `transitions` has 3 names");
//! assert_eq!(error.expected, "4 names: local state, global state, local state afterwards, global state afterwards");
//! ```

use std::cmp::Ordering;
use std::fmt;
use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::{NetworkSystem, SystemBuilder};

mod reader;

use reader::{Reader, in_words, quoted};

/// The longest text that is read, in bytes: 64 MiB.
pub const MAX_JSON_BYTES: usize = 64 << 20;

/// The codes of [`JsonError`] with what each means, in ascending order.
pub const JSON_ERROR_CODES: [(&str, &str); 11] = [
    (code::SYNTAX, "the text is not JSON"),
    (code::UNKNOWN_FIELD, "a field that a network system does not have"),
    (code::WRONG_TYPE, "a value of the wrong type"),
    (code::DUPLICATE_FIELD, "a field that is given twice"),
    (code::MISSING_FIELD, "a required field is missing"),
    (code::WRONG_LENGTH, "an entry with too few or too many names"),
    (code::NOT_UNICODE, "a string with half of a surrogate pair, which is no Unicode text"),
    (code::TOO_LARGE, "the text is larger than the limit"),
    (code::TRAILING_TEXT, "text after the end of the system"),
    (code::NOT_ONE_SYSTEM, "several systems, or none, where one is expected"),
    (code::SHARED_REQUEST, "two components with a request of the same name"),
];

mod code {
    pub(super) const SYNTAX: &str = "E0401";
    pub(super) const UNKNOWN_FIELD: &str = "E0402";
    pub(super) const WRONG_TYPE: &str = "E0403";
    pub(super) const DUPLICATE_FIELD: &str = "E0404";
    pub(super) const MISSING_FIELD: &str = "E0405";
    pub(super) const WRONG_LENGTH: &str = "E0406";
    pub(super) const NOT_UNICODE: &str = "E0407";
    pub(super) const TOO_LARGE: &str = "E0408";
    pub(super) const TRAILING_TEXT: &str = "E0409";
    pub(super) const NOT_ONE_SYSTEM: &str = "E0410";
    pub(super) const SHARED_REQUEST: &str = "E0411";
}

/// What is wrong with a text that should be a network system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters. A byte order mark is not counted.
    pub column: usize,
    /// The bytes of the text that the error is about; empty where something
    /// is missing.
    pub span: Range<usize>,
    /// What is wrong, without a full stop.
    pub message: String,
    /// What should be there instead.
    pub expected: String,
    /// What to do about it; empty where there is nothing more to say.
    pub help: String,
    /// One of [`JSON_ERROR_CODES`].
    pub code: &'static str,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: error[{}]: {}", self.line, self.column, self.code, self.message)
    }
}

impl std::error::Error for JsonError {}

/// The fields, in the order in which they are written.
const FIELDS: [&str; 4] = ["initial_global", "requests", "responses", "transitions"];

/// Reads one network system, or the systems of an array: the components of a
/// program.
pub fn systems_from_json(text: &str) -> Result<Vec<NetworkSystem>, JsonError> {
    let mut reader = Reader::new(text)?;
    let mut systems = Vec::new();
    match reader.peek() {
        Some(b'[') => {
            // Which request names the systems so far have used, and where.
            let mut owners: FxHashMap<String, usize> = FxHashMap::default();
            reader.list(|reader| {
                systems.push(system(reader, &mut owners, systems.len())?);
                Ok(())
            })?;
        }
        Some(b'{') => systems.push(system(&mut reader, &mut FxHashMap::default(), 0)?),
        None => {
            return Err(reader
                .unexpected_end("the text is empty", "a network system: an object with the fields ".to_owned() + &field_list(&FIELDS)));
        }
        Some(_) => return Err(reader.wrong_type("a network system", "an object, or an array of objects")),
    }
    reader.end()?;
    Ok(systems)
}

/// Writes one system as an object, and several, or none, as an array.
pub fn systems_to_json(systems: &[NetworkSystem]) -> String {
    let mut out = String::new();
    if let [system] = systems {
        write_system(&mut out, system);
    } else {
        out.push('[');
        for (index, system) in systems.iter().enumerate() {
            out.push_str(if index == 0 { "\n" } else { ",\n" });
            write_system(&mut out, system);
        }
        out.push_str(if systems.is_empty() { "]" } else { "\n]" });
    }
    out.push('\n');
    out
}

impl NetworkSystem {
    /// Reads one network system. An array is read too, if it holds exactly one.
    pub fn from_json(text: &str) -> Result<Self, JsonError> {
        let mut systems = systems_from_json(text)?;
        match systems.pop() {
            Some(system) if systems.is_empty() => Ok(system),
            last => {
                let found = if last.is_none() { "no system".to_owned() } else { format!("{} systems", systems.len() + 1) };
                let help = if last.is_none() { "" } else { "these are the components of a program; choose one of them" };
                let mut reader = Reader::new(text)?;
                reader.peek();
                Err(reader.error_here(code::NOT_ONE_SYSTEM, format!("this array holds {found}"), "one network system", help))
            }
        }
    }

    /// Writes the system, ending with a line break.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        write_system(&mut out, self);
        out.push('\n');
        out
    }
}

/// Reads one object. `owners` says which system of the array, by its index,
/// has a request; this one is number `index`.
fn system(reader: &mut Reader<'_>, owners: &mut FxHashMap<String, usize>, index: usize) -> Result<NetworkSystem, JsonError> {
    let open = reader.position();
    let mut builder = SystemBuilder::new();
    let mut initial = None;
    let mut seen: [Option<usize>; 4] = [None; 4];
    reader.object("a network system", |reader, key, span| {
        let Some(field) = FIELDS.iter().position(|&name| name == key) else {
            return Err(unknown_field(reader, key, span));
        };
        if let Some(first) = seen[field] {
            let line = reader.line_of(first);
            let message = format!("the field `{key}` is given twice");
            return Err(reader.error(code::DUPLICATE_FIELD, span, message, "each field once", &format!("the first one is on line {line}")));
        }
        seen[field] = Some(span.start);
        match field {
            0 => initial = Some(builder.global(&reader.string("`initial_global`")?.0)),
            1 => reader.tuples("requests", ["request", "local state"], |reader, [request, local]| {
                let (name, span) = request;
                match owners.get(&*name) {
                    Some(&owner) if owner != index => {
                        let message = format!("system {} of this array has a request {} too", owner + 1, quoted(&name));
                        let help = "systems that share a request are not independent components; keep them in files of their own";
                        return Err(reader.error(code::SHARED_REQUEST, span, message, "components that share no request", help));
                    }
                    Some(_) => {}
                    None => drop(owners.insert(name.to_string(), index)),
                }
                let (request, local) = (builder.request(&name), builder.local(&local.0));
                builder.start(request, local);
                Ok(())
            })?,
            2 => reader.tuples("responses", ["local state", "response"], |_, [local, response]| {
                let (local, response) = (builder.local(&local.0), builder.response(&response.0));
                builder.answer(local, response);
                Ok(())
            })?,
            _ => {
                let names = ["local state", "global state", "local state afterwards", "global state afterwards"];
                reader.tuples("transitions", names, |_, [local, global, to_local, to_global]| {
                    let (local, global) = (builder.local(&local.0), builder.global(&global.0));
                    let (to_local, to_global) = (builder.local(&to_local.0), builder.global(&to_global.0));
                    builder.step(local, global, to_local, to_global);
                    Ok(())
                })?;
            }
        }
        Ok(())
    })?;
    let missing: Vec<&str> = FIELDS.into_iter().zip(seen).filter(|(_, seen)| seen.is_none()).map(|(name, _)| name).collect();
    match initial {
        Some(initial) if missing.is_empty() => Ok(builder.finish(initial)),
        _ => {
            let plural = if missing.len() == 1 { "field" } else { "fields" };
            let message = format!("this network system lacks the {plural} {}", field_list(&missing));
            let help = if missing == ["initial_global"] { "" } else { "a list may be empty: []" };
            Err(reader.error(code::MISSING_FIELD, open..open + 1, message, &format!("the fields {}", field_list(&FIELDS)), help))
        }
    }
}

fn unknown_field(reader: &Reader<'_>, key: &str, span: Range<usize>) -> JsonError {
    // Of a key that is much longer than any field the rest does not matter.
    let wanted: String = key.chars().take(24).map(|c| c.to_ascii_lowercase()).collect();
    let help = FIELDS.into_iter().map(|name| (strsim::osa_distance(&wanted, name), name)).min().filter(|&(distance, _)| distance <= 3);
    let help = help.map_or(String::new(), |(_, name)| format!("did you mean `{name}`?"));
    let message = format!("a network system has no field {}", quoted(key));
    reader.error(code::UNKNOWN_FIELD, span, message, &format!("one of {}", field_list(&FIELDS)), &help)
}

/// `a`, `b` and `c`.
fn field_list(names: &[&str]) -> String {
    in_words(&names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>())
}

fn write_system(out: &mut String, system: &NetworkSystem) {
    let globals = Ranked::new(system.globals().map(|id| system.global_name(id)));
    let locals = Ranked::new(system.locals().map(|id| system.local_name(id)));
    let requests = Ranked::new(system.requests().map(|id| system.request_name(id)));
    let responses = Ranked::new(system.responses().map(|id| system.response_name(id)));
    out.push_str("{\n  \"initial_global\": ");
    write_string(out, system.global_name(system.initial_global()));
    let starts = system.starts().iter().map(|&(request, local)| [requests.of(request.index()), locals.of(local.index())]);
    write_list(out, "requests", starts);
    let answers = system.answers().iter().map(|&(local, response)| [locals.of(local.index()), responses.of(response.index())]);
    write_list(out, "responses", answers);
    let steps = system.steps().iter().map(|step| {
        let (from, to) = (step.local.index(), step.to_local.index());
        [locals.of(from), globals.of(step.global.index()), locals.of(to), globals.of(step.to_global.index())]
    });
    write_list(out, "transitions", steps);
    out.push_str("\n}");
}

fn write_list<'n, const N: usize>(out: &mut String, field: &str, rows: impl Iterator<Item = [(usize, &'n str); N]>) {
    let mut rows: Vec<_> = rows.collect();
    // Within one column a rank determines its name, so this sorts by ranks.
    rows.sort_unstable();
    out.push_str(&format!(",\n  \"{field}\": ["));
    for (index, row) in rows.iter().enumerate() {
        out.push_str(if index == 0 { "\n    [" } else { ",\n    [" });
        for (column, (_, name)) in row.iter().enumerate() {
            if column > 0 {
                out.push_str(", ");
            }
            write_string(out, name);
        }
        out.push(']');
    }
    out.push_str(if rows.is_empty() { "]" } else { "\n  ]" });
}

/// The names of one table, each with its rank in the order of names.
struct Ranked<'n>(Vec<(usize, &'n str)>);

impl<'n> Ranked<'n> {
    fn new(names: impl Iterator<Item = &'n str>) -> Self {
        let mut ranked: Vec<(usize, &str)> = names.map(|name| (0, name)).collect();
        let mut order: Vec<usize> = (0..ranked.len()).collect();
        order.sort_unstable_by(|&a, &b| compare_names(ranked[a].1, ranked[b].1));
        for (rank, index) in order.into_iter().enumerate() {
            ranked[index].0 = rank;
        }
        Self(ranked)
    }

    fn of(&self, index: usize) -> (usize, &'n str) {
        self.0[index]
    }
}

/// Compares names piece by piece, where a run of digits is one piece and is
/// compared by value: `G2 < G10`. Where that makes no difference (`G1`, `G01`)
/// the characters decide, so that only equal names compare equal.
fn compare_names(a: &str, b: &str) -> Ordering {
    let (mut rest_a, mut rest_b) = (a.as_bytes(), b.as_bytes());
    loop {
        let order = match (rest_a, rest_b) {
            ([], _) | (_, []) => return rest_a.len().cmp(&rest_b.len()).then_with(|| a.cmp(b)),
            ([x, ..], [y, ..]) if x.is_ascii_digit() && y.is_ascii_digit() => {
                let (x, y) = (split_number(&mut rest_a), split_number(&mut rest_b));
                x.len().cmp(&y.len()).then_with(|| x.cmp(y))
            }
            ([x, after_x @ ..], [y, after_y @ ..]) => {
                let order = x.cmp(y);
                (rest_a, rest_b) = (after_x, after_y);
                order
            }
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// Splits the digits off the front and returns them without leading zeros.
fn split_number<'t>(rest: &mut &'t [u8]) -> &'t [u8] {
    let end = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
    let (digits, after) = rest.split_at(end);
    *rest = after;
    let zeros = digits.iter().position(|&digit| digit != b'0').unwrap_or(digits.len());
    &digits[zeros..]
}

fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // Also what is no character to look at: control characters, and
            // the marks that change how a terminal or an editor shows a line.
            c if c.is_control()
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}') =>
            {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
