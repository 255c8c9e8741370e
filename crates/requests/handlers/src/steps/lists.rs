//! Lists that are written down: loops over them, `in`, and promises that are awaited together.
//!
//! **Claim.** A loop over a list takes the elements in their order, each as it was when the list was made: the list is
//! one whose elements are known, and nothing else names it. `Promise.allSettled` pauses once and gives what each call
//! came to. `Promise.race` of calls of the outside that are made in its list comes to what any of them comes to: none
//! of them is settled before, and which is first is free in Node, too, also where calls come one at a time. A promise
//! that is made elsewhere may be settled already, and then it is always first; it is refused.

use super::ops::{Term, constant, either, equal, known};
use super::state::{Made, Maker};
use super::values::{INT, PROM, Prom, STAT, Static, UNDEFINED, Val};
use crate::form::{Expr, ExprKind, ListItem};

impl Maker<'_> {
    /// A list over which a loop goes.
    pub(super) fn elements(&mut self, list: &Expr) -> Made<Val> {
        let val = self.eval(list)?;
        if self.frame().dead {
            return Ok(val);
        }
        match val.statically() {
            Some(Static::Tuple(elements)) => {
                let mut plain = Vec::new();
                for element in elements.clone() {
                    let element = self.plain(element)?;
                    let columns = |val: &Val| if let Some(Static::Tuple(list)) = val.statically() { Some(list.len()) } else { None };
                    let is_list = columns(&element).is_some() && plain.first().is_none_or(|first| columns(first) == columns(&element));
                    if element.may_be(PROM) || element.may_be(STAT) && !is_list {
                        return self.refuse("a loop over promises or functions", "write them one after the other");
                    }
                    plain.push(element);
                }
                Ok(Val::known(Static::Tuple(plain)))
            }
            Some(Static::Map(_) | Static::Set(_) | Static::Array(_)) => {
                self.refuse("a loop over a shared collection", "keep what is needed in a variable of the module")
            }
            Some(Static::Given(_)) => self.refuse("a loop over what a caller gives", "do it for one element, and call that for each"),
            _ => self.refuse("a loop over a collection", "write the list, or a function of the outside"),
        }
    }

    /// The element of such a list at a place that it has.
    pub(super) fn element_at(&mut self, list: &Expr, place: &Expr) -> Made<Val> {
        let list = self.eval(list)?;
        let place = self.value(place)?;
        let Some(Static::Tuple(elements)) = list.statically() else {
            return self.refuse("a loop over a collection", "write the list, or a function of the outside");
        };
        let elements = elements.clone();
        if !place.is_only(INT) {
            return self.refuse("an element whose place is not known", "name the elements");
        }
        self.element_from(&elements, 0, &place.num)
    }

    fn element_from(&mut self, elements: &[Val], first: usize, place: &str) -> Made<Val> {
        let Some(here) = elements.get(first).cloned() else { return Ok(Val::undefined()) };
        if first + 1 == elements.len() {
            return Ok(here);
        }
        if let Some(Static::Tuple(columns)) = here.statically() {
            return self.row_from(elements, columns.len(), place);
        }
        let is = equal(place, &constant(i64::try_from(first).unwrap_or(0)));
        self.choice(&is, |_| Ok(here), |this| this.element_from(elements, first + 1, place))
    }

    /// The same of lists of this length, each of their elements by itself.
    fn row_from(&mut self, rows: &[Val], length: usize, place: &str) -> Made<Val> {
        let mut row = Vec::new();
        for column in 0..length {
            let of = |row: &Val| if let Some(Static::Tuple(list)) = row.statically() { list.get(column).cloned() } else { None };
            let Some(list) = rows.iter().map(of).collect::<Option<Vec<Val>>>() else {
                return self.refuse("a loop over promises or functions", "write them one after the other");
            };
            let list = list.into_iter().map(|one| self.plain(one)).collect::<Made<Vec<Val>>>()?;
            if list.iter().any(|one| one.may_be(STAT) || one.may_be(PROM)) {
                return self.refuse("a loop over promises or functions", "write them one after the other");
            }
            row.push(self.element_from(&list, 0, place)?);
        }
        Ok(Val::known(Static::Tuple(row)))
    }

    /// `key in object`
    pub(super) fn is_in(&mut self, key: &Expr, object: &Expr) -> Made<Val> {
        let key = self.value(key)?;
        let object = self.eval(object)?;
        match object.statically() {
            Some(Static::Object(place, None)) if self.type_of(&place.base.clone()).fields.is_empty() => {
                let entry = self.entry(&place.clone(), &key)?;
                let val = self.load(&entry)?;
                self.asks_whether_there(&place.clone());
                Ok(Val::truth(super::ops::not(&val.is(UNDEFINED))))
            }
            _ => self.refuse("`in` of this object", "keep a map, and ask `has`; or compare the field with undefined"),
        }
    }

    /// `undefined` is stored at this entry of an object, where it is not gone.
    pub(super) fn undefined_in(&mut self, entry: &super::values::SharedPlace) {
        let Some(base) = entry.base.strip_suffix("[]") else { return };
        let at = (self.span, self.requested.clone());
        self.records.undefined.entry(base.to_owned()).or_insert(at);
    }

    /// `Promise.allSettled` of outside calls: one pause, and what each of them came to.
    pub(super) fn await_settled(&mut self, list: &[Val]) -> Made<Val> {
        let mut parts: Vec<(Term, Val)> = Vec::new();
        for val in list {
            self.mark(&val.origins.clone(), |uses| uses.awaited = true);
            parts.push(self.outcome_of(val, "`Promise.allSettled` of functions of the file")?);
        }
        self.pause()?;
        let mut values = Vec::new();
        for (failed, value) in parts {
            let fine = equal(&failed, "0");
            let (done, lost) = (self.atom("fulfilled"), self.atom("rejected"));
            let status = match known(&fine) {
                Some(0) => Val::atom(lost),
                Some(_) => Val::atom(done),
                None => {
                    let tag = self.hold(either(&fine, &constant(done), &constant(lost)));
                    Val::tagged([done, lost].into(), tag)
                }
            };
            let errors = match known(&failed) {
                Some(0) => [].into(),
                Some(code) => [code].into(),
                None => self.error_codes(&failed),
            };
            let reason = if errors.is_empty() {
                Val::undefined()
            } else {
                let tag = self.hold(either(&fine, &constant(UNDEFINED), &failed));
                Val::tagged(errors.into_iter().chain([UNDEFINED]).collect(), tag)
            };
            let value = self.choice(&fine, |_| Ok(value), |_| Ok(Val::undefined()))?;
            let fields = [("status".to_owned(), status), ("value".to_owned(), value), ("reason".to_owned(), reason)];
            let record = Val::record(fields.into());
            values.push(self.made_here(record, ""));
        }
        Ok(Val::known(Static::Tuple(values)))
    }

    /// How an outside call ends that is awaited with others: 0 or the error, and the value.
    fn outcome_of(&mut self, val: &Val, what: &str) -> Made<(Term, Val)> {
        match val.prom.as_deref().filter(|_| val.may_be(PROM)) {
            None => Ok((constant(0), val.clone())),
            Some(Prom::Bound { failed, value, own, .. }) if own.is_none_or(|own| !self.now.live.contains(&own)) && val.is_only(PROM) => {
                Ok((failed.clone(), value.clone()))
            }
            Some(Prom::Sleep) => Ok((constant(0), Val::undefined())),
            Some(_) => self.refuse(what, "await them one after the other"),
        }
    }

    /// A race is one of calls of the outside that begin in it.
    pub(super) fn races_what_is_made_here(&self, callee: &Expr, items: &[ListItem]) -> Made<()> {
        let is_race = matches!(&callee.kind, ExprKind::Member(object, name)
            if name == "race" && matches!(&object.kind, ExprKind::Global(of) if of == "Promise"));
        if !is_race {
            return Ok(());
        }
        let calls = |item: &ListItem| match item {
            ListItem::One(_, Expr { kind: ExprKind::Call(callee, _), .. }) => self.is_call_of_outside(callee),
            _ => false,
        };
        match items {
            [ListItem::One(_, Expr { kind: ExprKind::Array(list), .. })] if list.iter().all(calls) => Ok(()),
            _ => self.refuse("`Promise.race` of what may be settled before it", "call what is imported in its list"),
        }
    }

    fn is_call_of_outside(&self, callee: &Expr) -> bool {
        match &callee.kind {
            ExprKind::Member(object, _) => self.is_call_of_outside(object),
            ExprKind::Import(..) => true,
            ExprKind::Global(name) => name == "fetch",
            ExprKind::Var(variable) => {
                self.module_vals.get(variable).is_some_and(|val| matches!(val.statically(), Some(Static::Outside(_))))
            }
            _ => false,
        }
    }

    /// `Promise.race`: what any of the calls comes to.
    pub(super) fn race(&mut self, list: &[Val]) -> Made<Val> {
        let mut parts = Vec::new();
        for val in list {
            self.mark(&val.origins.clone(), |uses| uses.awaited = true);
            parts.push(self.outcome_of(val, "`Promise.race` of functions of the file")?);
        }
        let places: Vec<i64> = (0..i64::try_from(parts.len()).unwrap_or(0)).collect();
        let first = self.chosen(&places);
        let mut failed = constant(0);
        for (place, (fails, _)) in places.iter().zip(&parts).rev() {
            failed = either(&equal(&first, &constant(*place)), fails, &failed);
        }
        let failed = self.hold(failed);
        let values: Vec<Val> = parts.into_iter().map(|(_, value)| value).collect();
        let value = self.element_from(&values, 0, &first)?;
        Ok(Val::promise(Prom::Bound { failed, value, own: None, version: None }))
    }
}
