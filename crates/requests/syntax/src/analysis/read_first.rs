//! Local variables that are read where nothing can have been assigned to them.
//!
//! Such a read gives 0 in every run. Where the same request assigns to the
//! variable later, or another request has a variable of the same name, its
//! author most likely meant one that all requests share.
//!
//! A read counts only if *no* way through the request leads to it from an
//! assignment. So `while (done == 0) { …; done := 1 }` and `if (c) { x := 1 }; x`,
//! which rely on locals that start at 0, are left in peace.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::{Diagnostic, Sink, codes};
use crate::lowering::Lowered;
use crate::program::{Expr, ExprKind, Variable, is_global};
use serval_diagnostic::{LineIndex, Span};

/// What the requests of one name in the text do with the locals of one name.
#[derive(Default)]
struct Uses<'a> {
    /// The first read without any assignment before it, for each request.
    first: BTreeMap<Span, (&'a str, Span)>,
    /// The requests that assign to it, by the places of their names.
    assigning: BTreeMap<Span, &'a str>,
    /// Where it stands.
    places: Vec<Span>,
}

/// Reports reads of locals before any assignment. A local that its request never
/// assigns to is reported elsewhere, unless several requests read it: the names
/// of such are given back.
pub(crate) fn find_read_first<'a>(requests: &'a [Lowered], text: &str, sink: &mut Sink) -> BTreeSet<&'a str> {
    let mut told = BTreeSet::new();
    let mut names: BTreeMap<&'a str, Uses<'a>> = BTreeMap::new();
    for request in requests {
        let found = reads_before_assignment(&request.body, request.locals.list.len());
        for ((name, _, usage), read) in request.locals.iter().zip(found) {
            // Names with other characters are generated, not written, and what holds a
            // version is looked at when it is given back, also where it holds none.
            if usage.token || usage.param || is_global(name) || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
                continue;
            }
            let uses = names.entry(name).or_default();
            if usage.written {
                uses.assigning.insert(request.name_span, &request.name);
            }
            if let Some(read) = read {
                uses.first.entry(request.name_span).or_insert((&request.name, read));
            }
        }
        request.body.visit(&mut |part| note_place(part, request, &mut names));
    }
    let lines = LineIndex::new(text);
    for (name, mut uses) in names {
        if uses.assigning.is_empty() || uses.first.is_empty() || sink.is_full() {
            continue;
        }
        uses.places.sort_unstable();
        uses.places.dedup();
        let mut on: Vec<u32> = uses.places.iter().map(|place| lines.position(text, place.start).line).collect();
        on.dedup();
        if uses.first.len() > 1 {
            told.insert(name);
            sink.push(|| nothing_shared(name, &uses, &on));
        } else if let Some((request, &(_, read))) = uses.first.first_key_value()
            && uses.assigning.contains_key(request)
        {
            sink.push(|| read_first(name, read, &uses, *request, &on));
        }
    }
    told
}

fn note_place<'a>(part: &Expr, request: &'a Lowered, names: &mut BTreeMap<&'a str, Uses<'a>>) {
    let (local, place) = match &part.kind {
        ExprKind::Read(Variable::Local(local)) => (local, part.span),
        ExprKind::Assign { target: Variable::Local(local), target_span, .. } => (local, *target_span),
        _ => return,
    };
    let name = request.locals.list[local.index()].0.as_str();
    if let Some(uses) = names.get_mut(name) {
        uses.places.push(place);
    }
}

/// For each local, the first place where it is read and no way from an
/// assignment leads to.
fn reads_before_assignment(body: &Expr, locals: usize) -> Vec<Option<Span>> {
    let mut walk = ReadFirstWalk { assigned: vec![false; locals], order: Vec::new(), found: vec![None; locals], in_loop: false };
    walk.expr(body);
    walk.found
}

/// A walk in the order of evaluation.
struct ReadFirstWalk {
    /// The locals to which something may have been assigned.
    assigned: Vec<bool>,
    /// The same as a list, in the order in which they were met.
    order: Vec<usize>,
    found: Vec<Option<Span>>,
    in_loop: bool,
}

impl ReadFirstWalk {
    fn assign(&mut self, local: usize) {
        if !std::mem::replace(&mut self.assigned[local], true) {
            self.order.push(local);
        }
    }

    /// Walks through something that may be left out: what it assigns is given
    /// back and is forgotten here.
    fn apart(&mut self, walk: impl FnOnce(&mut Self)) -> Vec<usize> {
        let before = self.order.len();
        walk(self);
        let new = self.order.split_off(before);
        for &local in &new {
            self.assigned[local] = false;
        }
        new
    }

    fn expr(&mut self, expr: &Expr) {
        serval_budget::checkpoint::pass();
        match &expr.kind {
            ExprKind::Read(Variable::Local(local)) => {
                if !self.assigned[local.index()] {
                    self.found[local.index()].get_or_insert(expr.span);
                }
            }
            ExprKind::Assign { target, value, .. } => {
                self.expr(value);
                if let Variable::Local(local) = target {
                    self.assign(local.index());
                }
            }
            ExprKind::If { arms, otherwise } => {
                let mut assigned = Vec::new();
                for arm in arms {
                    self.expr(&arm.condition);
                    assigned.extend(self.apart(|walk| walk.expr(&arm.body)));
                }
                if let Some(otherwise) = otherwise {
                    self.expr(otherwise);
                }
                assigned.into_iter().for_each(|local| self.assign(local));
            }
            ExprKind::While { condition, body } => {
                // The end of a round leads to its beginning; around an inner loop all
                // is known already.
                let outermost = !std::mem::replace(&mut self.in_loop, true);
                if outermost {
                    expr.visit(&mut |part| {
                        if let ExprKind::Assign { target: Variable::Local(local), .. } = &part.kind {
                            self.assign(local.index());
                        }
                    });
                }
                self.expr(condition);
                self.expr(body);
                self.in_loop &= !outermost;
            }
            _ => expr.each_part(&mut |part| self.expr(part)),
        }
    }
}

/// The name as a global would have it.
fn capital(name: &str) -> String {
    let mut letters = name.to_owned();
    if let Some(at) = name.find(|c: char| c.is_ascii_alphabetic()) {
        letters[at..=at].make_ascii_uppercase();
    }
    letters
}

/// What to change if the variable is meant to be shared.
fn share(name: &str, on: &[u32]) -> String {
    let shown: Vec<String> = on.iter().take(MOST_LINES).map(u32::to_string).collect();
    let lines = match shown.as_slice() {
        [only] => format!("line {only}"),
        [first, last] if on.len() == 2 => format!("lines {first} and {last}"),
        _ if on.len() > MOST_LINES => format!("lines {}, …", shown.join(", ")),
        shown => format!("lines {}", shown.join(", ")),
    };
    format!("to share it, write `{}` on {lines}: names with a capital letter are global", capital(name))
}

/// More lines than these are not listed.
const MOST_LINES: usize = 8;

fn read_first(name: &str, read: Span, uses: &Uses<'_>, request: Span, on: &[u32]) -> Diagnostic {
    let others: Vec<String> =
        uses.assigning.iter().filter(|(other, _)| **other != request).map(|(_, name)| format!("`{name}`")).take(3).collect();
    let diagnostic = Diagnostic::warning(codes::READ_FIRST, read, format!("the local `{name}` is read before anything is assigned to it"))
        .label("this is always 0");
    let diagnostic = if others.is_empty() {
        diagnostic.with_note("a local is lost at the end of its request, and the next request begins with 0")
    } else {
        diagnostic.with_note(format!("`{name}` in {} is another variable: locals are not shared", others.join(", ")))
    };
    diagnostic.help(share(name, on))
}

fn nothing_shared(name: &str, uses: &Uses<'_>, on: &[u32]) -> Diagnostic {
    let mut first = uses.first.values();
    let (_, read) = first.next().copied().unwrap_or_default();
    let mut diagnostic = Diagnostic::warning(
        codes::NOTHING_SHARED,
        read,
        format!("nothing is shared: `{name}` is a local, and each request has one of its own that starts at 0"),
    )
    .label("this is always 0");
    for (request, read) in first {
        diagnostic = diagnostic.also(*read, format!("and so is this in `{request}`"));
    }
    diagnostic.help(share(name, on))
}
