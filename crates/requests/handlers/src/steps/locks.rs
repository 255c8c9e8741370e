//! Queues of promises, and lists of functions that wake those who wait.
//!
//! **Queues.** A place whose promise is read and replaced in one step, by one that settles when the reader has done its
//! work, is a lock: `await` of the promise before takes it, the end of the work frees it. Who comes next is left free,
//! which only adds orders. It is refused where a request frees it before it has taken it, or awaits a promise without
//! replacing it.
//!
//! **Lists.** `push(resolve)` and `shift()` are a bag: `shift` finds one that waits or none, and either may happen; who
//! is woken takes a permit. A request that has given a permit ends when all are taken: one that is never taken belongs
//! to a run that does not end. At most two permits are given at once, which the verdict says.

use super::ops::{Kind, arithmetic, constant, equal};
use super::places::held_key;
use super::state::{Made, Maker};
use super::values::{CellPart, Prom, STAT, SharedPlace, Static, UNDEFINED, Val};

impl Maker<'_> {
    /// Takes a lock, behind a pause.
    pub(super) fn acquire(&mut self, place: &SharedPlace) -> Made<()> {
        self.pause()?;
        let lock = self.access(place, CellPart::Lock);
        self.push(Kind::Wait(format!("({lock} == 0)")));
        self.put(place, CellPart::Lock, constant(1))?;
        self.now.acquired.insert(held_key(place));
        self.awaited_queues.insert(held_key(place));
        Ok(())
    }

    /// Resolves a promise that was made.
    pub(super) fn release(&mut self, made: usize) -> Made<()> {
        let Some(place) = self.made[made].queue.clone() else {
            return self
                .refuse("a promise that is resolved here", "keep it in a queue: `before = tail; tail = new Promise(…); await before`");
        };
        if !self.now.acquired.remove(&held_key(&place)) {
            return self.refuse("a lock that is freed before it was taken", "await the promise before, then free it once");
        }
        self.put(&place, CellPart::Lock, constant(0))
    }

    /// A promise that was made is stored: a queue.
    pub(super) fn store_made(&mut self, place: &SharedPlace, made: usize) -> Made<()> {
        if place.base.starts_with('%') {
            return Ok(());
        }
        self.type_of(&place.base).queue = true;
        self.made[made].queue = Some(place.clone());
        self.replaced(place)
    }

    /// The promise of a queue is replaced in the step in which it was read.
    pub(super) fn replaced(&mut self, place: &SharedPlace) -> Made<()> {
        self.writes();
        let key = held_key(place);
        if self.now.looked.get(&key) != Some(&self.now.epoch) && self.type_of(&place.base).queue && !self.first_round {
            return self.refuse("a queue whose last promise is replaced without being read", "keep the promise before, and await it");
        }
        self.swapped.insert(key);
        Ok(())
    }

    /// Queues are awaited only by those who stand in them.
    pub(super) fn queues_are_kept(&self) -> Made<()> {
        if let Some(queue) = self.awaited_queues.iter().find(|queue| !self.swapped.contains(*queue)) {
            return self.refuse(format!("a queue that is awaited and not joined: {queue}"), "replace its promise in the same step");
        }
        Ok(())
    }

    /// What `shift` finds.
    pub(super) fn one_waiting(&mut self, place: &SharedPlace) -> Val {
        let found = self.chosen(&[UNDEFINED, STAT]);
        let tags = [UNDEFINED, STAT].into();
        Val { stat: Some(std::rc::Rc::new(Static::Waiter(place.clone()))), ..Val::tagged(tags, found) }
    }

    /// Wakes one who waits.
    pub(super) fn wake(&mut self, place: &SharedPlace) -> Made<()> {
        let bag = self.access(place, CellPart::Bag);
        self.push(Kind::Wait(format!("({bag} < 2)")));
        let there = self.get(place, CellPart::Bag);
        let more = arithmetic("+", &there, "1");
        self.put(place, CellPart::Bag, more)?;
        self.now.gave.insert(place.base.clone());
        self.gave_in.insert(place.base.clone(), place.clone());
        Ok(())
    }

    /// Waits until it is woken.
    pub(super) fn wait_for(&mut self, made: usize) -> Made<()> {
        let Some(place) = self.made[made].bag.clone() else {
            return self.refuse(
                "a promise that is resolved elsewhere in a way that is not known",
                "keep what resolves it in an array, or in a queue",
            );
        };
        self.pause()?;
        let bag = self.access(&place, CellPart::Bag);
        self.push(Kind::Wait(format!("({bag} > 0)")));
        let there = self.get(&place, CellPart::Bag);
        let less = arithmetic("-", &there, "1");
        self.put(&place, CellPart::Bag, less)
    }

    /// A request ends when all permits are taken.
    pub(super) fn permits_are_taken(&mut self) {
        for base in self.now.gave.clone() {
            let Some(place) = self.gave_in.get(&base).cloned() else { continue };
            let bag = self.access(&place, CellPart::Bag);
            self.push(Kind::Wait(format!("({bag} == 0)")));
        }
    }

    /// Whether two promises are one: asked of what lies at a place and of one that was put there.
    pub(super) fn same_promise(&mut self, left: &Val, right: &Val) -> Made<super::ops::Term> {
        for (there, mine) in [(left, right), (right, left)] {
            let Some((place, epoch)) = there.place.clone() else { continue };
            if epoch != self.now.epoch || place.base.starts_with('%') {
                continue;
            }
            self.type_of(&place.base).identity = true;
            let token = self.tokens.get(&held_key(&place)).cloned();
            let put = |val: &Val| match val.prom.as_deref() {
                Some(Prom::Bound { failed, .. }) => Some(failed.clone()),
                _ => None,
            };
            let token = token.filter(|_| put(mine).is_some() && put(mine).as_ref() == self.put_there.get(&held_key(&place)));
            let Some(token) = token else {
                return if self.first_round {
                    Ok(constant(0))
                } else {
                    self.refuse("a comparison of promises", "compare with the promise that was stored there")
                };
            };
            let name = self.version_name(&place)?;
            let same = equal(&token, &name);
            return Ok(super::ops::all(vec![there.is(super::values::PROM), same]));
        }
        self.refuse("a comparison of promises", "compare with what lies in the map or variable now")
    }

    /// The version of what lies at a place.
    fn version_name(&mut self, place: &SharedPlace) -> Made<String> {
        if place.keys.iter().any(|key| super::ops::known(key).is_none()) {
            return self.refuse("a comparison of promises in a map with several keys", "check with `--keys 1`");
        }
        let access = self.access(place, CellPart::Tag);
        let name: String = access.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let name = format!("V_{name}");
        self.versions.insert(name.clone());
        Ok(name)
    }

    /// Something new lies at a place, and this request knows it.
    pub(super) fn version_fresh(&mut self, place: &SharedPlace, failed: &str) -> Made<()> {
        self.put_there.insert(held_key(place), failed.to_owned());
        if self.starting {
            return Ok(());
        }
        let name = self.version_name(place)?;
        self.push(Kind::Raw(format!("fresh({name})")));
        let token = format!("w{}", name.to_lowercase().replace('_', ""));
        self.push(Kind::Raw(format!("{token} := {name}")));
        self.tokens.insert(held_key(place), token);
        Ok(())
    }
}
