//! Values as the translation knows them: what they may be, and the terms that say what they are.
//!
//! A value is a *tag*, one number that says which of finitely many values it is or of which kind, and for the kinds
//! numbers, records and promises what lies inside.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::ops::{Term, all, among, any, constant, equal, not};
use crate::form::{ClassId, FunId};

pub(super) const FALSE: i64 = 0;
pub(super) const TRUE: i64 = 1;
pub(super) const UNDEFINED: i64 = 2;
pub(super) const NULL: i64 = 3;
/// A whole number.
pub(super) const INT: i64 = 4;
/// A record.
pub(super) const REC: i64 = 5;
/// A promise.
pub(super) const PROM: i64 = 6;
/// Something that is known while the program is made.
pub(super) const STAT: i64 = 7;
/// An array of which only the length counts.
pub(super) const ARR: i64 = 8;
/// The first of the texts and tokens.
pub(super) const FIRST_ATOM: i64 = 9;

/// From the least to the greatest, as far as that is known.
pub(super) type HandlerBounds = Option<(i64, i64)>;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Val {
    pub(super) tags: BTreeSet<i64>,
    pub(super) tag: Term,
    pub(super) num: Term,
    pub(super) bounds: HandlerBounds,
    pub(super) fields: Rc<BTreeMap<String, Val>>,
    pub(super) prom: Option<Rc<Prom>>,
    pub(super) stat: Option<Rc<Static>>,
    /// Where it lies, and since when it is known that it does.
    pub(super) place: Option<(SharedPlace, u32)>,
    /// Outside values and parameters that it may be.
    pub(super) origins: BTreeSet<String>,
    /// Where the record was made that it may be, and shared places where it was found.
    pub(super) sites: BTreeSet<String>,
}

/// A place of what is shared: its path, with `[]` for keys, and the keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SharedPlace {
    pub(super) base: String,
    pub(super) keys: Vec<Term>,
}

impl SharedPlace {
    pub(super) fn field(&self, name: &str) -> Self {
        Self { base: format!("{}.{name}", self.base), keys: self.keys.clone() }
    }

    pub(super) fn entry(&self, key: &str) -> Self {
        let mut keys = self.keys.clone();
        keys.push(key.to_owned());
        Self { base: format!("{}[]", self.base), keys }
    }
}

/// A promise.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "it always lies behind a counted reference")]
pub(super) enum Prom {
    /// Its outcome is known: 0 or the error, and the value.
    Bound { failed: Term, value: Val, own: Option<usize>, version: Option<(SharedPlace, Term)> },
    /// An activity of this request, whose outcome is not chosen yet.
    Activity(usize),
    /// The same, but its failure is swallowed.
    Calmed(usize),
    /// The promise before in a queue.
    Before(SharedPlace),
    /// `new Promise(…)`, by its number.
    Made(usize),
    /// `Promise.all` of these.
    All(Vec<Val>),
    /// `Promise.allSettled` of these.
    Settled(Vec<Val>),
    /// An outside call that has not been made a choice of: only right behind the call.
    Sleep,
}

/// What is known while the program is made.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Static {
    Function {
        id: FunId,
        frame: usize,
        this: Option<Val>,
    },
    Class(ClassId),
    /// A shared record, by its place.
    Object(SharedPlace, Option<ClassId>),
    Map(SharedPlace),
    Set(SharedPlace),
    /// A shared array.
    Array(SharedPlace),
    FreshMap,
    FreshSet,
    Outside(String),
    /// A part of what a caller gives.
    Given(String),
    /// What a framework hands over: `req`, `res`, `ctx`, `reply`.
    Framework(&'static str),
    /// Resolves a promise that was made.
    Resolver(usize),
    /// Resolves one that waits in an array.
    Waiter(SharedPlace),
    Builtin(String),
    Method(Box<Val>, String),
    /// A text that is put together from these.
    Parts(Vec<Val>),
    /// A short array whose elements are known.
    Tuple(Vec<Val>),
}

impl Static {
    /// Whether it is an object, a map, a set or a list of the module.
    pub(super) fn is_shared(&self) -> bool {
        matches!(self, Self::Object(..) | Self::Map(_) | Self::Set(_) | Self::Array(_))
    }
}

impl Val {
    fn new(tags: impl IntoIterator<Item = i64>, tag: Term) -> Self {
        let tags = tags.into_iter().collect();
        let (fields, origins) = (Rc::default(), BTreeSet::new());
        Self {
            tags,
            tag,
            num: constant(0),
            bounds: Some((0, 0)),
            fields,
            prom: None,
            stat: None,
            place: None,
            origins,
            sites: BTreeSet::new(),
        }
    }

    pub(super) fn atom(code: i64) -> Self {
        Self::new([code], constant(code))
    }

    pub(super) fn undefined() -> Self {
        Self::atom(UNDEFINED)
    }

    pub(super) fn tagged(tags: BTreeSet<i64>, tag: Term) -> Self {
        Self::new(tags, tag)
    }

    pub(super) fn truth(term: Term) -> Self {
        match super::ops::known(&term) {
            Some(value) => Self::atom(i64::from(value != 0)),
            None => Self::new([FALSE, TRUE], term),
        }
    }

    pub(super) fn int(num: Term, bounds: HandlerBounds) -> Self {
        Self { num, bounds, ..Self::atom(INT) }
    }

    pub(super) fn array(num: Term, bounds: HandlerBounds) -> Self {
        Self { num, bounds, ..Self::atom(ARR) }
    }

    pub(super) fn record(fields: BTreeMap<String, Self>) -> Self {
        Self { fields: Rc::new(fields), ..Self::atom(REC) }
    }

    pub(super) fn promise(prom: Prom) -> Self {
        Self { prom: Some(Rc::new(prom)), ..Self::atom(PROM) }
    }

    pub(super) fn known(known: Static) -> Self {
        Self { stat: Some(Rc::new(known)), ..Self::atom(STAT) }
    }

    pub(super) fn is_only(&self, tag: i64) -> bool {
        self.tags.len() == 1 && self.tags.contains(&tag)
    }

    pub(super) fn may_be(&self, tag: i64) -> bool {
        self.tags.contains(&tag)
    }

    /// The same behind the end of the module, with whose calls their variables end.
    pub(super) fn of_module(self) -> Self {
        let stat = self.stat.map(|stat| {
            Rc::new(match &*stat {
                Static::Function { id, this, .. } => Static::Function { id: *id, frame: 0, this: this.clone() },
                Static::Tuple(list) => Static::Tuple(list.iter().cloned().map(Self::of_module).collect()),
                other => other.clone(),
            })
        });
        let fields = self.fields.iter().map(|(name, field)| (name.clone(), field.clone().of_module())).collect();
        Self { stat, fields: Rc::new(fields), ..self }
    }

    /// What it is if it is something known.
    pub(super) fn statically(&self) -> Option<&Static> {
        if self.may_be(STAT) { self.stat.as_deref() } else { None }
    }

    /// Whether it has this tag.
    pub(super) fn is(&self, tag: i64) -> Term {
        match (self.may_be(tag), self.tags.len()) {
            (false, _) => constant(0),
            (true, 1) => constant(1),
            _ => equal(&self.tag, &constant(tag)),
        }
    }

    /// Whether it has one of these tags.
    pub(super) fn is_one_of(&self, tags: &[i64]) -> Term {
        if self.tags.iter().all(|tag| tags.contains(tag)) {
            return constant(1);
        }
        among(&self.tag, tags.iter().copied().filter(|tag| self.may_be(*tag)))
    }

    /// Whether it counts as true. `empty` is the tag of the empty text.
    pub(super) fn truthy(&self, empty: i64) -> Term {
        if self.tags.iter().all(|tag| [FALSE, TRUE].contains(tag)) && self.tags.len() == 2 {
            return self.tag.clone();
        }
        let falsy = self.is_one_of(&[FALSE, UNDEFINED, NULL, empty]);
        let zero = all(vec![self.is(INT), equal(&self.num, "0")]);
        not(&any(vec![falsy, zero]))
    }
}

/// A global of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Global {
    /// The path in the file.
    pub(super) base: String,
    pub(super) part: CellPart,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CellPart {
    Tag,
    Number,
    Failed,
    Lock,
    Bag,
    Member,
}

/// A step that is none: what was found in it may be no longer there.
pub(super) const GONE: u32 = u32::MAX;

/// Whether this is a shared set, map or list.
pub(super) fn is_container(val: &Val) -> bool {
    matches!(val.statically(), Some(Static::Set(_) | Static::Map(_) | Static::Array(_)))
}

/// Where a value lies where this is known on one way only.
pub(super) fn place_on_one_way(val: &Val) -> Option<(SharedPlace, u32)> {
    val.place.clone().filter(|_| is_container(val)).map(|(place, _)| (place, GONE))
}
