//! Records that have more than one name.
//!
//! The program copies records, and Node does not. The difference can be seen only where a record is changed in place
//! while something else refers to it. So each record has the *site* at which it is made, values carry the sites of
//! what they refer to, and three things are refused.
//!
//! **Claim.** What is read through a name is what Node reads there. *Why.* A name of a record that lies in a shared
//! place is read there, in the step in which it was found, and later only where nothing changes such records. A name
//! that lies nowhere has a copy; when the record is changed or stored under another name, the copy is *torn*, and
//! reading it is refused where such records change. A record that lies in two shared places does not change in either.
//! Nothing outside reads or holds a shared record that changes: neither one that was handed out before, or by which
//! name, nor one that is answered.

use std::collections::{BTreeMap, BTreeSet};

use serval_diagnostic::Span;

use super::places::held_key;
use super::records::Handed;
use super::state::{Made, Maker, NotModelled};
use super::values::{GONE, Prom, REC, SharedPlace, Static, Val, is_container};
use crate::form::{AssignTarget, Expr, ExprKind, FunId, VarId};
use crate::walk;

/// A site that stands for a shared place from which a record was read.
fn read_from(place: &SharedPlace) -> String {
    format!("@{}", held_key(place))
}

/// All sites that a value refers to.
pub(super) fn deep(val: &Val) -> BTreeSet<String> {
    let mut found = val.sites.clone();
    let mut add = |inner: &Val| found.extend(deep(inner));
    val.fields.values().for_each(&mut add);
    if let Some(Static::Tuple(list)) = val.stat.as_deref() {
        list.iter().for_each(&mut add);
    }
    match val.prom.as_deref() {
        Some(Prom::Bound { value, .. }) => add(value),
        Some(Prom::All(list) | Prom::Settled(list)) => list.iter().for_each(&mut add),
        _ => {}
    }
    found
}

impl Maker<'_> {
    /// A record that is made here.
    pub(super) fn made_here(&mut self, mut val: Val, from: &str) -> Val {
        let at = self.span.start;
        let site = format!("{from}{}@{at}", self.frame().path);
        let inner: BTreeSet<String> = val.fields.values().flat_map(deep).collect();
        self.records.inside.entry(site.clone()).or_default().extend(inner);
        val.sites.insert(site);
        val
    }

    /// A record that is read at a shared place.
    pub(super) fn read_there(&mut self, place: &SharedPlace, val: &mut Val) -> Made<()> {
        let is_owed = |(there, _): &(String, Span)| place.base.starts_with(there.split('[').next().unwrap_or_default());
        if self.now.owed.values().any(is_owed) {
            self.nothing_is_owed()?;
        }
        val.sites.insert(read_from(place));
        Ok(())
    }

    /// Whether something changes records under a place in place: assigns a field, or changes a set or a list in it.
    fn changes_under(&self, base: &str) -> bool {
        self.fields_change(base) || self.is_noted("filled", base)
    }

    fn fields_change(&self, base: &str) -> bool {
        self.is_noted("changed", base)
    }

    fn is_noted(&self, what: &str, base: &str) -> bool {
        let (field, entry) = (format!("{what} {base}."), format!("{what} {base}["));
        self.frees_once.iter().any(|known| known.starts_with(&field) || known.starts_with(&entry))
    }

    /// What lies at a place is replaced: variables that name it have a copy from now on.
    pub(super) fn replaced_at(&mut self, place: &SharedPlace) {
        let (inner, entries) = (format!("{}.", place.base), format!("{}[", place.base));
        let is_there = |lies: &SharedPlace| lies.base == place.base || lies.base.starts_with(&inner) || lies.base.starts_with(&entries);
        let apart = |lies: &SharedPlace| {
            let pairs = lies.keys.iter().zip(&place.keys);
            pairs
                .into_iter()
                .any(|(one, other)| super::ops::known(one).zip(super::ops::known(other)).is_some_and(|(one, other)| one != other))
        };
        let found: Vec<String> =
            self.now.lies.iter().filter(|(_, (lies, _))| is_there(lies) && !apart(lies)).map(|(name, _)| name.clone()).collect();
        for name in found {
            let Some((lies, epoch)) = self.now.lies.remove(&name) else { continue };
            let mark = if epoch == self.now.epoch { "" } else { "!" };
            self.now.lost.insert(name.clone(), format!("{mark}{}", lies.base));
            // A set that is taken out is still what it was in this step.
            if let Some(known) = self.now.known.get_mut(&name).filter(|known| !is_container(known)) {
                known.place = None;
            }
        }
    }

    /// A request puts another set or list at a place: what was found there before is no longer there.
    pub(super) fn another_there(&mut self, place: &SharedPlace) {
        self.frees_once.insert(format!("another {}", place.base));
        let is_there = |(lies, _): &(SharedPlace, u32)| lies.base == place.base;
        for lies in self.now.lies.values_mut().filter(|lies| is_there(lies)) {
            lies.1 = GONE;
        }
        for lies in self.now.known.values_mut().filter_map(|val| val.place.as_mut()).filter(|lies| is_there(lies)) {
            lies.1 = GONE;
        }
    }

    /// A set or a list is used where it may have been replaced since it was found.
    pub(super) fn still_there(&self, val: &Val) -> Made<()> {
        let Some((place, epoch)) = val.place.as_ref().filter(|_| is_container(val)) else { return Ok(()) };
        if *epoch == self.now.epoch || !self.frees_once.contains(&format!("another {}", place.base)) {
            return Ok(());
        }
        self.refuse("a shared set or list that was found before an `await`", "look it up again behind the `await`")
    }

    /// Others may change what was found, where it is not known any more where it lies.
    pub(super) fn names_pause(&mut self) -> Made<()> {
        self.nothing_is_owed()?;
        let names = self.now.names.iter().filter(|(name, sites)| {
            sites.iter().any(|site| site.starts_with('@') || self.now.shared.contains_key(site)) && !self.now.lies.contains_key(*name)
        });
        let names: Vec<String> = names.map(|(name, _)| name.clone()).collect();
        self.now.torn.extend(names);
        Ok(())
    }

    /// Whether records of these sites may be changed in place.
    fn may_change(&self, sites: &BTreeSet<String>) -> bool {
        sites.iter().any(|site| {
            let places = self.records.lies_in.get(site).into_iter().flatten();
            let from = site.strip_prefix('@').map(|key| key.split('[').next().unwrap_or(key));
            let within = |known: &String| from.is_some_and(|from| known.starts_with("changed ") && known[8..].starts_with(from));
            self.records.changed.contains(site)
                || places.into_iter().any(|base| self.changes_under(base))
                || self.frees_once.iter().any(within)
        })
    }

    /// The other names of a record become torn: what they read would be a copy.
    fn tear(&mut self, but: Option<&str>, sites: &BTreeSet<String>) {
        let other = |(name, held): (&String, &BTreeSet<String>)| {
            let is_found = self.now.lies.contains_key(name);
            (Some(name.as_str()) != but && !is_found && !held.is_disjoint(sites)).then(|| name.clone())
        };
        let torn: Vec<String> = self.now.names.iter().filter_map(other).collect();
        if !self.loops.is_empty() {
            self.records.torn.extend(torn.iter().cloned());
        }
        self.now.torn.extend(torn);
    }

    /// A variable holds this from now on.
    pub(super) fn names(&mut self, cell: &SharedPlace, val: &Val) {
        self.now.torn.remove(&cell.base);
        self.now.lost.remove(&cell.base);
        let sites = deep(val);
        if sites.is_empty() {
            self.now.names.remove(&cell.base);
        } else {
            self.now.names.insert(cell.base.clone(), sites);
        }
    }

    /// The variables of a function that has ended are read by nothing.
    pub(super) fn names_end(&mut self, path: &str, id: FunId) {
        let mut keeps = self.cut.is_some();
        walk::expressions(&self.module.function(id).body, None, &mut |e| keeps |= matches!(e.kind, ExprKind::Function(_)));
        if !keeps {
            let own = format!("%{path}x");
            self.now.names.retain(|name, _| !name.starts_with(&own));
        }
    }

    /// A loop begins, or a round of it ends: what is named at its end is so at its beginning.
    pub(super) fn names_in_loop(&mut self, ends: bool) {
        let Some(at) = self.loops.last() else { return };
        let key = format!("{}@{at}", self.frames[self.here].path);
        let known = self.records.loops.entry(key).or_default();
        if ends {
            for (name, sites) in &self.now.names {
                known.entry(name.clone()).or_default().extend(sites.iter().cloned());
            }
        } else {
            for (name, sites) in known {
                self.now.names.entry(name.clone()).or_default().extend(sites.iter().cloned());
            }
        }
    }

    /// A variable is read.
    pub(super) fn name_is_read(&self, cell: &SharedPlace, val: &Val, variable: VarId) -> Made<()> {
        let name = &self.module.variable(variable).name;
        let is_lost = self.now.lost.get(&cell.base).is_some_and(|base| match base.strip_prefix('!') {
            Some(base) => self.changes_under(base),
            None => self.fields_change(base),
        });
        if is_lost {
            return self.refuse(
                format!("`{name}`, a shared record that was replaced since it was found"),
                "read what is needed before it is replaced",
            );
        }
        let torn = self.now.torn.contains(&cell.base) || !self.loops.is_empty() && self.records.torn.contains(&cell.base);
        if torn && self.may_change(&deep(val)) {
            return self.refuse(
                format!("`{name}`, which is one of several names of a record that is changed"),
                "use one name for it, or make a copy: `{ ...record }`",
            );
        }
        Ok(())
    }

    /// A field of a record is assigned that lies nowhere yet, by this variable.
    pub(super) fn changed_in(&mut self, cell: &SharedPlace, object: &Val, field: &Val) -> Made<()> {
        if let Some(there) = object.sites.iter().find_map(|site| site.strip_prefix('@')) {
            // It may be the one of the shared place, or another: it has to be stored there in this step.
            self.now.owed.insert(cell.base.clone(), (there.to_owned(), self.span));
        }
        if object.sites.iter().any(|site| !site.starts_with('@') && self.now.shared.contains_key(site)) {
            return self.refuse(
                "an assignment to a record behind the place where it was stored",
                "assign before, or look it up again: `map.get(key)`",
            );
        }
        self.records.changed.extend(object.sites.iter().filter(|site| !site.starts_with('@')).cloned());
        let inner = deep(field);
        for site in &object.sites {
            self.records.inside.entry(site.clone()).or_default().extend(inner.iter().cloned());
        }
        let sites = object.sites.clone();
        self.tear(Some(&cell.base), &sites);
        Ok(())
    }

    /// A field of a record is assigned that lies at a shared place.
    pub(super) fn changed_at(&mut self, object: &Val) {
        let sites = object.sites.clone();
        self.tear(None, &sites);
    }

    /// A record is stored at a shared place.
    pub(super) fn shared_at(&mut self, place: &SharedPlace, val: &Val) -> Made<()> {
        let key = held_key(place);
        let own: BTreeSet<String> = val.sites.iter().filter(|site| !site.starts_with('@')).cloned().collect();
        for site in &own {
            self.records.lies_in.entry(site.clone()).or_default().insert(place.base.clone());
        }
        let is_another = |site: &String| match site.strip_prefix('@') {
            Some(from) => from != key,
            None => self.now.shared.get(site).is_some_and(|known| *known != key),
        };
        let in_loop = !self.loops.is_empty() && own.iter().any(|site| self.now.shared.contains_key(site));
        if (val.sites.iter().any(is_another) || in_loop)
            && !self.starting
            && (self.may_change(&val.sites) || self.changes_under(&place.base))
        {
            return self.refuse("a record at two places that is changed in place", "store a copy: `{ ...record }`");
        }
        if self.starting {
            return Ok(());
        }
        for site in own {
            self.now.shared.insert(site, key.clone());
        }
        self.tear(None, &val.sites.clone());
        Ok(())
    }

    /// The variable whose value was stored at a place names what lies there from now on.
    pub(super) fn lies_there(&mut self, value: &Expr, place: &SharedPlace, val: &Val) {
        let ExprKind::Var(variable) = &value.kind else { return };
        if !val.may_be(REC) || place.base.starts_with('%') {
            return;
        }
        let Some(cell) = self.cell_of(*variable) else { return };
        let lies = (place.clone(), self.now.epoch);
        if let Some(known) = self.now.known.get_mut(&cell.base) {
            known.place = Some(lies.clone());
        }
        self.now.torn.remove(&cell.base);
        self.now.lost.remove(&cell.base);
        self.now.owed.remove(&cell.base);
        self.now.lies.insert(cell.base, lies);
    }

    /// Where a variable of a request lives.
    pub(super) fn cell_of(&self, variable: VarId) -> Option<SharedPlace> {
        self.owner(variable).map(|frame| self.cell(frame, variable))
    }

    /// Records that have to be stored in this step were not.
    pub(super) fn nothing_is_owed(&self) -> Made<()> {
        match self.now.owed.values().next() {
            Some((_, span)) => Err(Box::new(NotModelled {
                what: "an assignment to a record that may be a shared one".to_owned(),
                help: "store it first, `map.set(key, record)`, and change it then".to_owned(),
                span: *span,
                request: None,
                is_mistake: false,
            })),
            None => Ok(()),
        }
    }

    /// A record that was found at a shared place, as it is now.
    pub(super) fn as_it_is(&mut self, val: Val) -> Made<Val> {
        let Some((place, epoch)) = val.place.clone().filter(|(place, _)| val.may_be(REC) && !place.base.starts_with('%')) else {
            if !val.fields.values().any(|inner| inner.may_be(REC)) {
                return Ok(val);
            }
            let mut fields = BTreeMap::new();
            for (name, inner) in val.fields.iter() {
                fields.insert(name.clone(), self.as_it_is(inner.clone())?);
            }
            return Ok(Val { fields: std::rc::Rc::new(fields), ..val });
        };
        if epoch != self.now.epoch {
            if self.changes_under(&place.base) {
                return self.refuse("a shared record that was found before an `await`", "look it up again behind the `await`");
            }
            return Ok(val);
        }
        if !self.changes_under(&place.base) {
            return Ok(val);
        }
        let mut fields = BTreeMap::new();
        for name in val.fields.keys() {
            let inner = self.load(&place.field(name))?;
            fields.insert(name.clone(), self.as_it_is(inner)?);
        }
        Ok(Val { fields: std::rc::Rc::new(fields), ..val })
    }

    /// What is handed to the outside, or answered.
    pub(super) fn comes_out(&mut self, val: &Val, answered: bool) {
        let request = self.requested.clone();
        for site in deep(val) {
            let handed = Handed { span: self.span, answered, request: request.clone() };
            self.records.out.entry(site).or_insert(handed);
        }
        if let Some(Static::Tuple(list)) = val.statically() {
            for inner in list.clone() {
                self.comes_out(&inner, answered);
            }
        }
        if let Some(Static::Function { id, frame, .. }) = val.statically() {
            for variable in self.captured(*id, *frame).0 {
                let held = self.now.names.get(&variable).cloned().unwrap_or_default();
                let handed = Handed { span: self.span, answered, request: request.clone() };
                for site in held {
                    self.records.out.entry(site).or_insert_with(|| handed.clone());
                }
            }
        }
    }

    /// The variables of a request that a function reads, and the name of one that it assigns to.
    pub(super) fn captured(&self, id: FunId, frame: usize) -> (BTreeSet<String>, Option<String>) {
        let (mut read, mut assigned) = (BTreeSet::new(), None);
        let (mut open, mut seen) = (vec![id], BTreeSet::new());
        let cell = |variable: VarId| {
            let mut at = frame;
            while at != 0 && !self.frames[at].vars.contains(&variable) {
                at = self.frames[at].parent;
            }
            (at != 0).then(|| self.cell(at, variable).base)
        };
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            walk::function(id, self.module, &mut |e| match &e.kind {
                ExprKind::Assign(target, _) | ExprKind::Update(target, ..) => {
                    let of = match target {
                        AssignTarget::Var(variable) => Some(*variable),
                        AssignTarget::Member(object, _) | AssignTarget::Index(object, _) => match &object.kind {
                            ExprKind::Var(variable) => Some(*variable),
                            _ => None,
                        },
                    };
                    if let Some(variable) = of.filter(|variable| cell(*variable).is_some()) {
                        assigned = Some(self.module.variable(variable).name.clone());
                    }
                }
                ExprKind::Var(variable) => {
                    let Some(cell) = cell(*variable) else { return };
                    if let Some(Static::Function { id, .. }) = self.now.known.get(&cell).and_then(Val::statically) {
                        open.push(*id);
                    }
                    read.insert(cell);
                }
                _ => {}
            });
        }
        (read, assigned)
    }

    /// Shared records that change, and that the outside may hold.
    pub(super) fn held_outside(&self) -> Vec<NotModelled> {
        let mut found: Vec<NotModelled> = Vec::new();
        for (base, (span, request)) in &self.records.undefined {
            if self.frees_once.contains(&format!("asked {base}")) {
                let (what, help) = ("`undefined` in a shared map that is asked what is in it", "store null, or a value");
                found.push(NotModelled::of_request(what, help, *span, request.clone()));
            }
        }
        for (site, handed) in &self.records.out {
            let (mut open, mut seen) = (vec![site], BTreeSet::new());
            while let Some(site) = open.pop() {
                if !seen.insert(site) {
                    continue;
                }
                open.extend(self.records.inside.get(site).into_iter().flatten());
                let places = self.records.lies_in.get(site).into_iter().flatten();
                if places.into_iter().any(|base| self.changes_under(base)) {
                    let (what, help) = if handed.answered {
                        ("an answer that hands out a shared record that is changed in place", "answer a copy: `{ ...record }`")
                    } else {
                        (
                            "a record that is handed to the outside, stored, and changed in place",
                            "hand over a copy: `{ ...record }`, or store a new record instead of changing it",
                        )
                    };
                    let request = handed.request.clone();
                    let why = NotModelled::of_request(what, help, handed.span, request);
                    if !found.contains(&why) {
                        found.push(why);
                    }
                    break;
                }
            }
        }
        found
    }
}
