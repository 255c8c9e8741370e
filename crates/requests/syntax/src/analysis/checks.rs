//! Warnings and notes: programs that are right in form and probably not what
//! was meant.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::read_first::find_read_first;
use super::unreachable::find_unreachable;
use crate::diagnostic::{Diagnostic, Sink, codes, similar};
use crate::grammar::WORDS;
use crate::lowering::{Lowered, Names};
use crate::program::is_global;
use serval_diagnostic::Span;

/// How many names are looked through for a similar one.
const MAX_CANDIDATES: usize = 1000;

/// What is known about a program, of which some may not have been read.
#[derive(Clone, Copy)]
pub(crate) struct ProgramFacts {
    /// Whether all is known that is done to globals.
    pub(crate) globals: bool,
    /// Whether all is known that is done to locals.
    pub(crate) locals: bool,
}

/// Runs every check that makes sense with what is known.
pub(crate) fn run(text: &str, requests: &[Lowered], globals: &Names, known: ProgramFacts, sink: &mut Sink) {
    same_names(requests, sink);
    let told = if known.locals { find_read_first(requests, text, sink) } else { BTreeSet::new() };
    for request in requests {
        if known.locals {
            unwritten_locals(request, &told, globals, sink);
        }
        find_unreachable(&request.body, sink);
    }
    let mut before = None;
    for (name, place, usage) in globals.iter().filter(|_| known.globals) {
        // All elements of an array are declared in one place, and used where
        // one of them is.
        if before.replace(place) == Some(place) {
            continue;
        }
        let name = name.split('[').next().unwrap_or(name);
        match usage.read {
            Some(read) if !usage.written => sink.push(|| unwritten(name, read, suggestion(name, None, globals))),
            None => sink.push(|| unread_global(name, place)),
            _ => {}
        }
    }
    letter_case(requests, globals, sink);
}

fn same_names(requests: &[Lowered], sink: &mut Sink) {
    let mut first: FxHashMap<&str, Span> = FxHashMap::default();
    for request in requests {
        match first.get(request.name.as_str()) {
            Some(&place) => sink.push(|| same_name(&request.name, request.name_span, place)),
            None => {
                first.insert(&request.name, request.name_span);
            }
        }
    }
}

fn same_name(name: &str, place: Span, first: Span) -> Diagnostic {
    Diagnostic::warning(codes::SAME_NAME, place, format!("another request is called `{name}` too"))
        .also(first, "the first one")
        .with_note("a request of this name runs one body or the other")
        .help("give them different names unless this choice is meant")
}

/// Locals that are read and never written, but for those of which that has been told.
fn unwritten_locals(request: &Lowered, told: &BTreeSet<&str>, globals: &Names, sink: &mut Sink) {
    for (name, _, usage) in request.locals.iter() {
        if let Some(read) = usage.read
            && !usage.written
            && !told.contains(name)
        {
            sink.push(|| unwritten(name, read, suggestion(name, Some(&request.locals), globals)));
        }
    }
}

/// What to write instead of a variable that is never written.
fn suggestion(name: &str, locals: Option<&Names>, globals: &Names) -> Option<String> {
    if name.eq_ignore_ascii_case("skip") {
        return Some("0".to_owned());
    }
    let locals = locals.into_iter().flat_map(Names::written);
    let candidates = locals.chain(globals.written()).take(MAX_CANDIDATES);
    similar(name, candidates.chain(WORDS.iter().copied())).map(str::to_owned)
}

fn unwritten(name: &str, place: Span, meant: Option<String>) -> Diagnostic {
    let whose = if is_global(name) { "no request writes it, and it has no initial value" } else { "this request never writes it" };
    let diagnostic = Diagnostic::warning(codes::UNWRITTEN, place, format!("`{name}` is read but never written"))
        .label("this is always 0")
        .with_note(whose);
    match meant {
        Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")).edit(place, meant),
        None => diagnostic.help(format!("assign `{name}` first, or write `0`")),
    }
}

fn unread_global(name: &str, place: Span) -> Diagnostic {
    Diagnostic::note(codes::UNREAD_GLOBAL, place, format!("the global `{name}` is never read"))
        .help("remove it, or use a local variable, whose first letter is lower-case")
}

/// A local and a global whose names differ only in the first letter's case.
fn letter_case<'a>(requests: &'a [Lowered], globals: &Names, sink: &mut Sink) {
    let mut seen: FxHashSet<&'a str> = FxHashSet::default();
    for request in requests {
        for (name, place, usage) in request.locals.iter().filter(|local| !local.2.param) {
            // Looking for similar names takes long where there are many.
            if sink.is_full() {
                return;
            }
            let Some(other) = other_case(name).filter(|other| globals.place(other).is_some()) else { continue };
            // A local that is never written has been reported with this very
            // name as the suggestion.
            let reported = !usage.written && suggestion(name, Some(&request.locals), globals).as_ref() == Some(&other);
            // Of an array it is said once, by its name.
            let base = |name: &'a str| name.split('[').next().unwrap_or(name);
            if seen.insert(base(name)) && !reported {
                let first = globals.place(&other);
                let other = other.split('[').next().unwrap_or_default();
                sink.push(|| local_or_global(base(name), place, other, first));
            }
        }
    }
}

/// The name with the case of its first letter changed.
fn other_case(name: &str) -> Option<String> {
    let at = name.find(|c: char| c.is_ascii_alphabetic())?;
    let mut other = name.to_owned();
    if is_global(name) {
        other[at..=at].make_ascii_lowercase()
    } else {
        other[at..=at].make_ascii_uppercase()
    }
    Some(other)
}

fn local_or_global(name: &str, place: Span, other: &str, first: Option<Span>) -> Diagnostic {
    let mut diagnostic = Diagnostic::warning(codes::LETTER_CASE, place, format!("`{name}` and `{other}` differ only in the first letter"))
        .label("local to this request");
    if let Some(first) = first {
        diagnostic = diagnostic.also(first, "shared by all requests");
    }
    diagnostic.help(format!("if they are meant to be different, a name such as `my_{name}` says so"))
}
