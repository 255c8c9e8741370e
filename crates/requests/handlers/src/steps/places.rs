//! Reading and writing what is shared, and what variables hold.
//!
//! A place has a tag, and what lies inside has places of its own: `.#` the number, `.name` a field, `.!` and `.?` the
//! error and the value of a promise. What a place can hold is found out in rounds, and only grows; in the last round
//! nothing is new.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::Numbers;
use super::ops::{Kind, Term, constant, known};
use super::state::{Made, Maker};
use super::values::{ARR, CellPart, Global, HandlerBounds, INT, PROM, Prom, REC, STAT, SharedPlace, Static, UNDEFINED, Val};

/// A place is shared, or it belongs to a variable of a request.
fn is_local(base: &str) -> bool {
    base.starts_with('%')
}

/// A name of the language for a path.
fn name_of(base: &str) -> String {
    let mut name = String::new();
    for character in base.chars() {
        match character {
            c if c.is_ascii_alphanumeric() => name.push(c),
            '#' => name.push_str("_n"),
            '!' => name.push_str("_f"),
            '?' => name.push_str("_v"),
            '[' | '%' => {}
            ']' => name.push_str("_of"),
            _ => name.push('_'),
        }
    }
    name
}

impl Maker<'_> {
    /// The name of a part of a place, as a program writes it.
    pub(super) fn access(&mut self, place: &SharedPlace, part: CellPart) -> String {
        let suffix = match part {
            CellPart::Tag => "",
            CellPart::Number => "_n",
            CellPart::Failed => "_f",
            CellPart::Lock => "_lock",
            CellPart::Bag => "_bag",
            CellPart::Member => "_in",
        };
        let name = name_of(&place.base);
        if is_local(&place.base) {
            return format!("v{name}{suffix}");
        }
        let name = format!("G_{name}{suffix}");
        self.globals.entry(name.clone()).or_insert_with(|| Global { base: place.base.clone(), part });
        let keys: String = place.keys.iter().map(|key| format!("[{key}]")).collect();
        format!("{name}{keys}")
    }

    pub(super) fn get(&mut self, place: &SharedPlace, part: CellPart) -> Term {
        let access = self.access(place, part);
        if self.starting && !is_local(&place.base) {
            let default = if part == CellPart::Tag { UNDEFINED } else { 0 };
            return constant(self.initial.get(&access).copied().unwrap_or(default));
        }
        let local = self.fresh();
        let kind = if is_local(&place.base) { Kind::Set(local.clone(), access) } else { Kind::Read(local.clone(), access) };
        self.push(kind);
        local
    }

    pub(super) fn put(&mut self, place: &SharedPlace, part: CellPart, term: Term) -> Made<()> {
        let access = self.access(place, part);
        if is_local(&place.base) {
            self.push(Kind::Set(access, term));
            return Ok(());
        }
        if self.starting {
            let Some(value) = known(&term) else {
                return self.refuse("an initial value that is not known", "begin with a value that is written down");
            };
            self.initial.insert(access, value);
            return Ok(());
        }
        self.writes();
        self.push(Kind::Write(access, term));
        Ok(())
    }

    pub(super) fn type_of(&mut self, base: &str) -> &mut super::state::Type {
        self.types.entry(base.to_owned()).or_default()
    }

    fn note_keys(&mut self, place: &SharedPlace) {
        let sets: Vec<BTreeSet<i64>> = place.keys.iter().map(|key| self.key_values(key)).collect();
        let known = self.type_of(&place.base);
        known.keys.resize(sets.len(), BTreeSet::new());
        for (known, new) in known.keys.iter_mut().zip(sets) {
            known.extend(new);
        }
    }

    /// The numbers that a key can be.
    pub(super) fn key_values(&mut self, key: &str) -> BTreeSet<i64> {
        match known(key) {
            Some(value) => [value].into(),
            None => self.key_tokens(),
        }
    }

    /// What lies at a place.
    pub(super) fn load(&mut self, place: &SharedPlace) -> Made<Val> {
        self.note_keys(place);
        let known_type = self.type_of(&place.base).clone();
        if known_type.queue {
            self.now.looked.insert(held_key(place), self.now.epoch);
            return Ok(Val { place: Some((place.clone(), self.now.epoch)), ..Val::promise(Prom::Before(place.clone())) });
        }
        if known_type.set {
            return Ok(Val { place: Some((place.clone(), self.now.epoch)), ..Val::known(Static::Set(place.clone())) });
        }
        if known_type.map {
            return Ok(Val::known(Static::Map(place.clone())));
        }
        let mut tags = known_type.tags.clone();
        if tags.is_empty() {
            tags.insert(UNDEFINED);
        }
        let tag = if tags.len() == 1 { constant(tags.iter().next().copied().unwrap_or(UNDEFINED)) } else { self.get(place, CellPart::Tag) };
        let mut val = Val::tagged(tags, tag);
        val.origins = known_type.origins.clone();
        val.sites = known_type.sites.clone();
        if !is_local(&place.base) && val.may_be(REC) {
            self.read_there(place, &mut val)?;
        }
        if val.may_be(INT) || val.may_be(ARR) {
            val.bounds = self.bounds_of(&place.base);
            val.num = self.get(place, CellPart::Number);
        }
        let sites: Vec<String> = known_type.origins.iter().filter_map(|origin| origin.strip_prefix("a:")).map(ToOwned::to_owned).collect();
        self.predicted.extend(sites);
        if val.may_be(STAT) {
            val.stat = Some(Rc::new(Static::Builtin("a function or an object that depends on the way here".to_owned())));
        }
        if val.may_be(REC) {
            let mut fields = BTreeMap::new();
            for name in known_type.fields {
                fields.insert(name.clone(), self.load(&place.field(&name))?);
            }
            val.fields = Rc::new(fields);
            val.place = Some((place.clone(), self.now.epoch));
        }
        if val.may_be(PROM) {
            let failed = if known_type.errors.is_empty() { constant(0) } else { self.get(place, CellPart::Failed) };
            let value = self.load(&place.field("?"))?;
            let own = self.now.holds.get(&held_key(place)).copied().filter(|own| self.now.live.contains(own));
            val.prom = Some(Rc::new(Prom::Bound { failed, value, own, version: None }));
            val.place.get_or_insert((place.clone(), self.now.epoch));
        }
        Ok(val)
    }

    /// The least and greatest number at a place.
    pub(super) fn bounds_of(&mut self, base: &str) -> HandlerBounds {
        if is_local(base) {
            return self.type_of(base).bounds.unwrap_or(Some((0, 0)));
        }
        let (low, high, _) = self.range_of(base);
        Some((low, high))
    }

    /// The range of a shared number: as it is declared, else 0..3 and the initial value.
    pub(super) fn range_of(&mut self, base: &str) -> (i64, i64, bool) {
        if let Some(range) = self.ranges.get(base) {
            return *range;
        }
        let access = self.access(&SharedPlace { base: base.to_owned(), keys: Vec::new() }, CellPart::Number);
        let initial = self.initial.get(&access).copied().unwrap_or(0);
        match self.limits.numbers {
            Numbers::Few => (initial.min(self.reach.0), initial.max(self.reach.1), true),
            Numbers::Several => (initial.min(self.reach.0).saturating_sub(4), initial.max(self.reach.1).saturating_add(4), true),
            Numbers::Many => (initial.min(0).saturating_sub(40), initial.max(self.reach.1 - 3).saturating_add(40), true),
        }
    }

    /// Stores a value at a place.
    pub(super) fn store(&mut self, place: &SharedPlace, val: &Val) -> Made<()> {
        self.note_keys(place);
        self.forget_place(place);
        if !is_local(&place.base) {
            self.mark(&val.origins.clone(), |uses| uses.moved = true);
        }
        self.store_part(place, val)
    }

    fn store_part(&mut self, place: &SharedPlace, val: &Val) -> Made<()> {
        self.note_keys(place);
        let shared = !is_local(&place.base);
        if shared && val.may_be(REC) {
            self.shared_at(place, val)?;
        }
        if shared && self.is_vague(val) {
            return self.refuse("the text of an error that is stored", "store a text that is written down");
        }
        self.type_of(&place.base).sites.extend(val.sites.iter().filter(|site| !shared || !site.starts_with('@')).cloned());
        match val.statically() {
            Some(Static::FreshSet) => {
                self.type_of(&place.base).set = true;
                return self.clear_set(place);
            }
            Some(Static::FreshMap) => {
                self.type_of(&place.base).map = true;
                return if self.starting { Ok(()) } else { self.refuse("a map in a map or a record", "use one map with one key") };
            }
            Some(Static::Tuple(list)) => {
                let count = i64::try_from(list.len()).unwrap_or(0);
                return self.store_part(place, &Val::array(constant(count), Some((count, count))));
            }
            Some(Static::Resolver(_)) => return self.refuse("a function that is stored", "keep it in a local, or push it to an array"),
            Some(_) if !is_local(&place.base) => {
                return self.refuse("a shared object or a function that is stored", "store its fields, or a value");
            }
            _ => {}
        }
        if let Some(Prom::Before(_) | Prom::All(_) | Prom::Settled(_) | Prom::Sleep) = val.prom.as_deref() {
            return self.refuse("a promise of this kind that is stored", "await it first, or make an async function of it");
        }
        let (failed, value, own, errors) = match val.prom.as_deref() {
            Some(Prom::Bound { failed, value, own, .. }) => {
                let errors =
                    known(failed).map_or_else(|| self.error_codes(failed), |code| if code == 0 { BTreeSet::new() } else { [code].into() });
                (failed.clone(), Some(value.clone()), *own, errors)
            }
            Some(Prom::Calmed(activity)) => return self.store_calmed(place, *activity),
            Some(Prom::Activity(activity)) => return self.store_activity(place, *activity),
            Some(Prom::Made(made)) => return self.store_made(place, *made),
            _ => (constant(0), None, None, BTreeSet::new()),
        };
        let known_type = self.type_of(&place.base);
        known_type.tags.extend(&val.tags);
        known_type.origins.extend(val.origins.iter().cloned());
        known_type.errors.extend(errors);
        if val.may_be(INT) || val.may_be(ARR) {
            known_type.bounds = Some(match known_type.bounds {
                None => val.bounds,
                Some(known_bounds) => widened(known_bounds, val.bounds),
            });
        }
        known_type.fields.extend(val.fields.keys().cloned());
        let known_type = known_type.clone();
        if known_type.tags.len() > 1 || self.starting {
            self.put(place, CellPart::Tag, val.tag.clone())?;
        }
        if known_type.tags.contains(&INT) || known_type.tags.contains(&ARR) {
            let number = if val.may_be(INT) || val.may_be(ARR) { val.num.clone() } else { constant(0) };
            self.put(place, CellPart::Number, number)?;
        }
        for name in &known_type.fields {
            let inner = place.field(name);
            match val.fields.get(name) {
                Some(field) => self.store_part(&inner, field)?,
                // Sets of what is gone can still be looked at in this step.
                None if self.type_of(&inner.base).set || self.type_of(&inner.base).map => {}
                // A record without this field is another than one with it.
                None if val.may_be(REC) => self.store_part(&inner, &Val::undefined())?,
                None => self.store_part(&inner, &self.nothing(&inner.base.clone()))?,
            }
        }
        if known_type.tags.contains(&PROM) {
            if !known_type.errors.is_empty() {
                self.put(place, CellPart::Failed, failed.clone())?;
            }
            let mine = failed;
            let inner = place.field("?");
            let nothing = self.nothing(&inner.base);
            // A promise that fails has no value.
            match (value, known(&mine)) {
                (Some(value), Some(0)) => self.store_part(&inner, &value)?,
                (Some(value), None) => {
                    let fine = super::ops::equal(&mine, "0");
                    let (to, other) = (inner.clone(), inner);
                    self.branch(&fine, |this| this.store_part(&to, &value), |this| this.store_part(&other, &nothing))?;
                }
                _ => self.store_part(&inner, &nothing)?,
            }
            if known_type.identity && val.may_be(PROM) {
                self.version_fresh(place, &mine)?;
            }
        }
        if let Some(own) = own.filter(|own| *own != usize::MAX) {
            self.now.holds.insert(held_key(place), own);
        }
        Ok(())
    }

    /// What lies where there is nothing: the least that the place can hold.
    fn nothing(&self, base: &str) -> Val {
        let least = self.types.get(base).and_then(|known| known.tags.iter().find(|tag| **tag < INT || **tag > ARR)).copied();
        match least {
            Some(tag) => Val::atom(tag),
            None => match self.types.get(base).and_then(|known| known.tags.iter().next()).copied() {
                Some(INT) => Val::int(constant(0), Some((0, 0))),
                Some(ARR) => Val::array(constant(0), Some((0, 0))),
                Some(REC) => Val::record(BTreeMap::new()),
                _ => Val::undefined(),
            },
        }
    }

    /// What lies at a place, or in it, is another from now on.
    fn forget_place(&mut self, place: &SharedPlace) {
        let key = held_key(place);
        self.now.holds.remove(&key);
        self.replaced_at(place);
    }

    /// The place of a variable of a request.
    pub(super) fn cell(&self, frame: usize, variable: crate::form::VarId) -> SharedPlace {
        let path = &self.frames[frame].path;
        SharedPlace { base: format!("%{path}x{}", variable.0), keys: Vec::new() }
    }

    /// Reads a variable of a request.
    pub(super) fn read_cell(&mut self, place: &SharedPlace) -> Made<Val> {
        let mut val = match self.now.known.get(&place.base) {
            Some(known) => known.clone(),
            None => self.load(place)?,
        };
        val.place = match self.now.lies.get(&place.base) {
            Some(lies) => Some(lies.clone()),
            None if self.now.known.contains_key(&place.base) => val.place,
            None => None,
        };
        if let Some((tags, inside)) = self.now.narrowed.get(&place.base) {
            let kept: BTreeSet<i64> = val.tags.iter().copied().filter(|tag| tags.contains(tag) == *inside).collect();
            if !kept.is_empty() {
                val.tags = kept;
            }
        }
        Ok(val)
    }

    /// Assigns a variable of a request.
    pub(super) fn write_cell(&mut self, place: &SharedPlace, val: &Val, cell: bool) -> Made<()> {
        self.now.known.remove(&place.base);
        self.now.lies.remove(&place.base);
        self.now.narrowed.remove(&place.base);
        if let Some((lies, epoch)) = &val.place {
            self.now.lies.insert(place.base.clone(), (lies.clone(), *epoch));
        }
        let fixed = val.may_be(STAT) || matches!(val.prom.as_deref(), Some(prom) if !matches!(prom, Prom::Bound { .. }));
        if cell && !fixed {
            self.note_keys(place);
            self.store_part(place, val)?;
        } else if cell {
            self.type_of(&place.base).tags.extend(&val.tags);
            if let Some(Prom::Activity(activity)) = val.prom.as_deref() {
                let site = self.activities[*activity].site.clone();
                self.type_of(&place.base).origins.insert(format!("a:{site}"));
            }
        }
        self.now.known.insert(place.base.clone(), val.clone());
        Ok(())
    }
}

/// What a place is called among those that hold promises.
pub(super) fn held_key(place: &SharedPlace) -> String {
    format!("{}{:?}", place.base, place.keys)
}

fn widened(known: HandlerBounds, new: HandlerBounds) -> HandlerBounds {
    let ((low, high), (new_low, new_high)) = (known?, new?);
    if low <= new_low && new_high <= high {
        return known;
    }
    let (low, high) = (low.min(new_low), high.max(new_high));
    (low > -100_000 && high < 100_000).then_some((low, high))
}
