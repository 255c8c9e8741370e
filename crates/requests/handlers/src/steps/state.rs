//! What is kept between operations.

use std::collections::{BTreeMap, BTreeSet};

use serval_diagnostic::Span;

use super::HandlerBounds as Limits;
use super::ops::{Kind, Op, Term, constant};
use super::records::Records;
use super::values::{FIRST_ATOM, Global, HandlerBounds, SharedPlace, Val};
use crate::form::{FunId, Module, VarId};

/// What is not modelled, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotModelled {
    /// What it is.
    pub what: String,
    /// What would do instead.
    pub help: String,
    /// Where it stands.
    pub span: Span,
    /// The request that comes to it, if one does.
    pub request: Option<String>,
    /// Whether there is nothing to decide, whatever is modelled: no handler, or none of a name that was asked for.
    pub is_mistake: bool,
}

impl NotModelled {
    pub(super) fn of_request(what: &str, help: &str, span: Span, request: Option<String>) -> Self {
        Self { what: what.to_owned(), help: help.to_owned(), span, request, is_mistake: false }
    }
}

/// Why a file has no program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoProgram {
    /// What is not modelled, in the order of the file.
    pub parts: Vec<NotModelled>,
    /// The requests that have nothing of it.
    pub others: Vec<String>,
}

pub(super) type Made<T> = Result<T, Box<NotModelled>>;

/// What is known of a place, over all ways: it only grows from round to round.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Type {
    pub(super) tags: BTreeSet<i64>,
    pub(super) bounds: Option<HandlerBounds>,
    pub(super) fields: BTreeSet<String>,
    pub(super) origins: BTreeSet<String>,
    pub(super) keys: Vec<BTreeSet<i64>>,
    /// Whether it holds the last promise of a queue.
    pub(super) queue: bool,
    /// Whether it holds functions that wake those who wait.
    pub(super) bag: bool,
    /// Whether it is asked whether a promise is still in it.
    pub(super) identity: bool,
    /// A set or a map lies in it.
    pub(super) set: bool,
    pub(super) map: bool,
    pub(super) errors: BTreeSet<i64>,
    /// Where records were made that may lie there.
    pub(super) sites: BTreeSet<String>,
}

/// How an outside value or a parameter is used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ValueUses {
    pub(super) condition: bool,
    /// Truth values and nothing, with which it is compared.
    pub(super) nothing: BTreeSet<i64>,
    pub(super) arithmetic: bool,
    pub(super) moved: bool,
    pub(super) key: bool,
    pub(super) awaited: bool,
    pub(super) literals: BTreeSet<i64>,
    pub(super) numbers: BTreeSet<i64>,
    pub(super) fields: BTreeSet<String>,
}

/// A function that runs.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) path: String,
    pub(super) parent: usize,
    pub(super) vars: BTreeSet<VarId>,
    pub(super) this: Option<Val>,
    /// The local that says how it goes on: 0 on, 1 returned, 2 thrown, 3 `break`, 4 `continue`.
    pub(super) flag: String,
    /// Ways in which what was made so far may have ended.
    pub(super) ended: BTreeSet<i64>,
    /// Whether what follows is never reached.
    pub(super) dead: bool,
    pub(super) returned: Option<Val>,
    pub(super) returns: usize,
    /// Whether it is `async`, and how many `try` are around what is made.
    pub(super) is_async: bool,
    pub(super) tries: usize,
    pub(super) functions: Vec<FunId>,
    /// What is known where it ends before its text does, by the way in which it ends.
    pub(super) exits: Vec<(i64, Now)>,
}

impl Frame {
    /// One that has done nothing yet.
    pub(super) fn named(path: String, parent: usize) -> Self {
        let flag = format!("x{}", super::ops::name_part(&path));
        let (vars, ended, functions, exits) = (BTreeSet::new(), BTreeSet::new(), Vec::new(), Vec::new());
        Self {
            path,
            parent,
            vars,
            this: None,
            flag,
            ended,
            dead: false,
            returned: None,
            returns: 0,
            is_async: false,
            tries: 0,
            functions,
            exits,
        }
    }
}

/// An activity of a request that was begun and is not awaited yet.
#[derive(Clone, Debug)]
pub(super) struct Activity {
    /// What is left to do, behind its first pause.
    pub(super) rest: Vec<Op>,
    pub(super) result: Val,
    /// 0, or the error with which it ends.
    pub(super) failed: Term,
    /// The local that says whether it was begun.
    pub(super) begun: String,
    pub(super) site: String,
    /// The queue that is free when it has ended.
    pub(super) frees: Option<SharedPlace>,
    /// Whether it changes nothing that another activity finds.
    pub(super) quiet: bool,
    /// Whether it may answer for the framework.
    pub(super) answers: bool,
    pub(super) span: Span,
    /// Where what it awaits first was found.
    pub(super) awaits: Option<(SharedPlace, u32)>,
}

/// What is known at a place of the program; it changes with every operation.
#[derive(Clone, Debug, Default)]
pub(super) struct Now {
    /// What variables are known to hold.
    pub(super) known: BTreeMap<String, Val>,
    /// Where what they hold lies.
    pub(super) lies: BTreeMap<String, (SharedPlace, u32)>,
    /// Which step it is.
    pub(super) epoch: u32,
    /// Activities that are begun, and may be so only on some ways.
    pub(super) live: BTreeSet<usize>,
    /// Which place holds the promise of which activity.
    pub(super) holds: BTreeMap<String, usize>,
    /// Queues of which the promise before was awaited.
    pub(super) acquired: BTreeSet<String>,
    /// Whether something shared may have been written, and which refusals may have been given.
    pub(super) wrote: bool,
    pub(super) refused: BTreeSet<usize>,
    /// Bags to which a permit may have been given.
    pub(super) gave: BTreeSet<String>,
    /// In which step the last promise of a queue was read.
    pub(super) looked: BTreeMap<String, u32>,
    /// Which records variables refer to, and whose copies of them may be others than the records.
    pub(super) names: BTreeMap<String, BTreeSet<String>>,
    pub(super) torn: BTreeSet<String>,
    /// Variables of records that may have been replaced where they lay, with the place.
    pub(super) lost: BTreeMap<String, String>,
    /// Records of this request that are shared, by the places.
    pub(super) shared: BTreeMap<String, String>,
    /// Variables whose records have to be stored in this step.
    pub(super) owed: BTreeMap<String, (String, Span)>,
    /// Errors that variables hold, or do not hold, since their class was asked for.
    pub(super) narrowed: BTreeMap<String, (BTreeSet<i64>, bool)>,
}

/// A request that was found.
#[derive(Clone, Debug)]
pub(super) struct FoundRequest {
    pub(super) name: String,
    pub(super) function: FunId,
    pub(super) this: Option<Val>,
    pub(super) framework: &'static str,
    pub(super) span: Span,
    /// Where something outside calls it: what it was given to, and as which of the functions there.
    pub(super) handed: Option<(String, usize)>,
    /// The plugin of Fastify in which it stands, if it is exported as one.
    pub(super) plugin: Option<String>,
}

pub(super) struct Maker<'m> {
    /// Where the call stands that is being made, the calls of the outside, and those that only wait.
    pub(super) called_at: u32,
    pub(super) outside: BTreeMap<String, String>,
    pub(super) sleeps: BTreeSet<u32>,
    pub(super) module: &'m Module,
    pub(super) limits: &'m Limits,
    pub(super) types: BTreeMap<String, Type>,
    pub(super) uses: BTreeMap<String, ValueUses>,
    pub(super) predicted: BTreeSet<String>,
    pub(super) atoms: Vec<String>,
    pub(super) keys: i64,
    /// While the module runs: the initial numbers.
    pub(super) starting: bool,
    pub(super) initial: BTreeMap<String, i64>,
    pub(super) ranges: BTreeMap<String, (i64, i64, bool)>,
    pub(super) module_vals: BTreeMap<VarId, Val>,
    /// Variables that are assigned, or whose fields are; and those that are assigned themselves.
    pub(super) assigned: BTreeSet<VarId>,
    pub(super) replaced: BTreeSet<VarId>,
    /// Functions that keep what is shared in variables of a call that the module has made.
    pub(super) hidden: BTreeSet<FunId>,
    /// The numbers to which shared numbers must come because they are compared with others, and one that is too far.
    pub(super) reach: (i64, i64),
    pub(super) out_of_reach: Option<String>,
    /// What numbers of the outside must come beyond.
    pub(super) far: BTreeSet<i64>,
    /// Tokens of the outside, which are no texts of the file.
    pub(super) opaque: BTreeSet<i64>,
    pub(super) frames: Vec<Frame>,
    pub(super) here: usize,
    pub(super) ops: Vec<Op>,
    pub(super) span: Span,
    pub(super) next: u32,
    pub(super) now: Now,
    pub(super) activities: Vec<Activity>,
    /// Where an activity is cut in two: the place of its first pause, and the conditions that hold there.
    pub(super) cut: Option<Option<(usize, Vec<Term>)>>,
    pub(super) cut_base: usize,
    /// Conditions around, and whether each is one that may be asked again.
    pub(super) around: Vec<(Term, bool)>,
    pub(super) made: Vec<Manual>,
    pub(super) left_out: Vec<String>,
    pub(super) found: Vec<FoundRequest>,
    pub(super) globals: BTreeMap<String, Global>,
    pub(super) frees_once: BTreeSet<String>,
    /// Queues that were awaited, and those that were joined.
    pub(super) awaited_queues: BTreeSet<String>,
    pub(super) swapped: BTreeSet<String>,
    /// What is known is not yet enough to refuse.
    pub(super) first_round: bool,
    pub(super) gave_in: BTreeMap<String, SharedPlace>,
    /// The versions that this request has taken, by place, and what it put there.
    pub(super) tokens: BTreeMap<String, String>,
    pub(super) put_there: BTreeMap<String, String>,
    pub(super) versions: BTreeSet<String>,
    /// Whether no request looks at two parameters, and those that this one looks at.
    pub(super) one_key_each: bool,
    pub(super) given_here: BTreeSet<String>,
    /// Answers that mean that nothing has happened: the status, and the body; and those behind which something has.
    pub(super) refusing: Vec<(i64, Val)>,
    pub(super) no_refusal: BTreeSet<usize>,
    /// What calls the request that is made.
    pub(super) framework: &'static str,
    /// Records that have several names.
    pub(super) records: Records,
    /// The loops around, and the request that is made.
    pub(super) loops: Vec<u32>,
    pub(super) requested: Option<String>,
    /// Where the statement of the module begins, and how many functions it has given to what.
    pub(super) statement: u32,
    /// Whether nothing but calls that wait and functions stands behind it.
    pub(super) is_last: bool,
    pub(super) handed_over: BTreeMap<String, usize>,
    /// The exported plugin that is made, plugins that were made, and what their parameters are.
    pub(super) plugin: Option<String>,
    pub(super) in_plugin: bool,
    pub(super) plugged: BTreeSet<FunId>,
    pub(super) plugin_vals: BTreeMap<VarId, Val>,
    /// The errors that were thrown in the `try` that is made.
    pub(super) thrown: BTreeSet<i64>,
    /// Errors by their tags, and texts that stand for many.
    pub(super) errors: BTreeMap<i64, super::thrown::KnownError>,
    pub(super) vague: BTreeSet<i64>,
}

/// A promise made by `new Promise(…)`.
#[derive(Clone, Debug, Default)]
pub(super) struct Manual {
    pub(super) queue: Option<SharedPlace>,
    pub(super) bag: Option<SharedPlace>,
}

impl Maker<'_> {
    pub(super) fn refuse<T>(&self, what: impl Into<String>, help: impl Into<String>) -> Made<T> {
        Err(Box::new(NotModelled { what: what.into(), help: help.into(), span: self.span, request: None, is_mistake: false }))
    }

    pub(super) fn push(&mut self, kind: Kind) {
        self.ops.push(Op { kind, span: self.span });
    }

    pub(super) fn fresh(&mut self) -> String {
        self.next += 1;
        format!("t{}", self.next)
    }

    /// A local with this value; terms that are names or numbers already stay as they are.
    pub(super) fn hold(&mut self, term: Term) -> Term {
        if term.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-') {
            return term;
        }
        let local = self.fresh();
        self.push(Kind::Set(local.clone(), term));
        local
    }

    /// The tag of a text.
    pub(super) fn atom(&mut self, text: &str) -> i64 {
        // No text is taken for an error.
        if text.starts_with(super::thrown::MARK) { self.named(&format!("{0}{0}{text}", super::thrown::MARK)) } else { self.named(text) }
    }

    /// The tag of this name.
    pub(super) fn named(&mut self, text: &str) -> i64 {
        let place = self.atoms.iter().position(|known| known == text).unwrap_or_else(|| {
            self.atoms.push(text.to_owned());
            self.atoms.len() - 1
        });
        FIRST_ATOM + i64::try_from(place).unwrap_or(0)
    }

    pub(super) fn empty(&mut self) -> i64 {
        self.atoms.iter().position(String::is_empty).map_or(-1, |place| FIRST_ATOM + i64::try_from(place).unwrap_or(0))
    }

    pub(super) fn frame(&mut self) -> &mut Frame {
        &mut self.frames[self.here]
    }

    /// Begins a condition.
    pub(super) fn open(&mut self, term: &str, again: bool) {
        self.push(Kind::If(term.to_owned()));
        self.around.push((term.to_owned(), again));
    }

    pub(super) fn close(&mut self) {
        self.push(Kind::End);
        self.around.pop();
    }

    /// What stands behind here happens only if nothing has ended the function before.
    pub(super) fn guard(&mut self) {
        if self.frame().ended.is_empty() || self.frame().dead {
            return;
        }
        let flag = self.frame().flag.clone();
        self.open(&format!("({flag} == 0)"), true);
    }

    /// Makes something in a part of its own: conditions that were begun inside end with it.
    pub(super) fn part<T>(&mut self, make: impl FnOnce(&mut Self) -> Made<T>) -> Made<T> {
        let depth = self.around.len();
        let made = make(self);
        while self.around.len() > depth {
            self.close();
        }
        made
    }

    /// How the function ends here, from now on.
    pub(super) fn ends(&mut self, way: i64) {
        let flag = self.frame().flag.clone();
        self.push(Kind::Set(flag, constant(way)));
        let now = self.now.clone();
        self.frame().exits.push((way, now));
        self.frame().ended.insert(way);
        self.frame().dead = true;
    }

    /// One branch or the other, each with what is known at its end; what differs is forgotten.
    pub(super) fn branch(
        &mut self,
        condition: &str,
        yes: impl FnOnce(&mut Self) -> Made<()>,
        no: impl FnOnce(&mut Self) -> Made<()>,
    ) -> Made<()> {
        match super::ops::known(condition) {
            Some(0) => return no(self),
            Some(_) => return yes(self),
            None => {}
        }
        if self.starting {
            return self.refuse("a condition in the module that is not known", "compute it in a request");
        }
        let condition = self.hold(condition.to_owned());
        let before = self.now.clone();
        let ended = self.frame().ended.len();
        self.push(Kind::If(condition.clone()));
        self.around.push((condition, false));
        let depth = self.around.len();
        self.part(yes)?;
        self.may_refuse();
        debug_assert_eq!(self.around.len(), depth);
        let (after_yes, dead_yes) = (std::mem::replace(&mut self.now, before), std::mem::take(&mut self.frame().dead));
        self.push(Kind::Else);
        self.part(no)?;
        self.may_refuse();
        self.close();
        let dead_no = std::mem::take(&mut self.frame().dead);
        match (dead_yes, dead_no) {
            (true, true) => self.frame().dead = true,
            (true, false) => {}
            (false, true) => self.now = after_yes,
            (false, false) => self.now = joined(after_yes, std::mem::take(&mut self.now)),
        }
        if self.frame().ended.len() > ended || !self.frame().ended.is_empty() {
            self.guard();
        }
        Ok(())
    }
}

/// What is known where two ways meet.
pub(super) fn joined(one: Now, other: Now) -> Now {
    let mut lost: BTreeMap<String, String> = one.lost.into_iter().chain(other.lost).collect();
    let mut known = BTreeMap::new();
    for (name, val) in one.known {
        let Some(there) = other.known.get(&name) else { continue };
        if *there == val {
            known.insert(name, val);
        } else if (Val { place: None, ..val.clone() } == Val { place: None, ..there.clone() }) {
            // It is the same, but it lies there on one way only.
            if let Some((place, _)) = val.place.as_ref().or(there.place.as_ref()) {
                lost.entry(name.clone()).or_insert_with(|| place.base.clone());
            }
            let one = val.place.as_ref().map_or(there, |_| &val);
            let place = super::values::place_on_one_way(one);
            known.insert(name, Val { place, ..val });
        }
    }
    let lies = one.lies.into_iter().filter(|(name, place)| other.lies.get(name) == Some(place)).collect();
    let mut holds = BTreeMap::new();
    for (place, activity) in one.holds.iter().chain(&other.holds) {
        let kept = |now_holds: &BTreeMap<String, usize>, live: &BTreeSet<usize>| {
            now_holds.get(place) == Some(activity) || !live.contains(activity)
        };
        if kept(&one.holds, &one.live) && kept(&other.holds, &other.live) {
            holds.insert(place.clone(), *activity);
        }
    }
    let mut names = one.names;
    for (name, sites) in other.names {
        names.entry(name).or_default().extend(sites);
    }
    let mut shared = one.shared;
    for (site, place) in other.shared {
        // Different places are like two.
        shared
            .entry(site)
            .and_modify(|known| {
                if *known != place {
                    known.push('?')
                }
            })
            .or_insert(place);
    }
    Now {
        names,
        torn: one.torn.union(&other.torn).cloned().collect(),
        lost,
        shared,
        owed: one.owed.into_iter().chain(other.owed).collect(),
        narrowed: one.narrowed.into_iter().filter(|(name, known)| other.narrowed.get(name) == Some(known)).collect(),
        known,
        lies,
        epoch: one.epoch.max(other.epoch) + u32::from(one.epoch != other.epoch),
        live: one.live.union(&other.live).copied().collect(),
        holds,
        acquired: one.acquired.intersection(&other.acquired).cloned().collect(),
        wrote: one.wrote || other.wrote,
        refused: one.refused.union(&other.refused).copied().collect(),
        looked: one.looked.into_iter().filter(|(place, epoch)| other.looked.get(place) == Some(epoch)).collect(),
        gave: one.gave.union(&other.gave).cloned().collect(),
    }
}
