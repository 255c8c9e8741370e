//! What is awaited: outside calls, functions of the file, promises that are kept.
//!
//! **Early binding.** A promise that others can find has the outcome with which it will settle from the moment in which
//! it is made: what the outside answers within it is chosen then, and what it computes from that is computed then, too.
//! No request can see the outcome before the promise has settled, so no answer is new and none is lost. It is refused
//! where the outcome depends on what is shared after a pause.
//!
//! **Activities.** What an `async` function does behind its first pause is done when its promise is awaited, or when
//! the request ends. Between two pauses of the request that is no difference: nothing of it could have run before. A
//! request that pauses otherwise while such an activity writes something shared is refused.

use std::collections::BTreeSet;

use super::calls::called_at;
use super::ops::{Kind, Op, Term, constant, equal, known, locals, not, renamed};
use super::state::{Activity, Frame, Made, Maker, Manual};
use super::values::{PROM, Prom, REC, SharedPlace, Static, Val};
use crate::form::{Expr, ExprKind, FunId};

impl Maker<'_> {
    /// Others may run.
    pub(super) fn pause(&mut self) -> Made<()> {
        if self.starting {
            return self.refuse("`await` in the module", "await in a request");
        }
        let busy = self.now.live.iter().find(|activity| !self.activities[**activity].quiet).copied();
        if let Some(busy) = busy {
            let span = self.activities[busy].span;
            let why = super::state::NotModelled {
                what: "two activities of one request at once".to_owned(),
                help: "await this before anything else".to_owned(),
                span,
                request: None,
                is_mistake: false,
            };
            return Err(Box::new(why));
        }
        self.pause_here()
    }

    fn pause_here(&mut self) -> Made<()> {
        if self.cut == Some(None) {
            let inside = self.around[self.cut_base..].to_vec();
            if inside.iter().any(|(_, again)| !again) {
                return self.refuse(
                    "a kept promise of a function that first pauses on some ways only",
                    "await it where it is called, or await something first",
                );
            }
            let guards = inside.into_iter().map(|(term, _)| term).collect();
            self.cut = Some(Some((self.ops.len(), guards)));
            // What is behind this is done later, when variables around may be others.
            let here = &self.frames[self.here].path;
            let activity = self.frames.iter().rev().find(|frame| frame.flag.starts_with('y') && here.starts_with(&frame.path));
            let inside = format!("%{}", activity.map_or("", |frame| frame.path.as_str()));
            self.forget_rounds(Some(&inside));
        }
        self.push(Kind::Pause);
        self.now.epoch += 1;
        self.now.holds.clear();
        self.names_pause()
    }

    /// The operand of `await`, so far as it is not awaited itself.
    pub(super) fn awaited_operand(&mut self, inner: &Expr) -> Made<Val> {
        let ExprKind::Call(callee, items) = &inner.kind else { return self.eval(inner) };
        let function = self.callee(callee)?;
        self.races_what_is_made_here(callee, items)?;
        let args = self.arguments_of(items)?;
        if self.frame().dead {
            return Ok(Val::undefined());
        }
        self.span = inner.span;
        self.called_at = called_at(callee);
        match function.statically() {
            Some(Static::Function { id, frame, this }) if self.module.function(*id).is_async => {
                let (id, frame, this) = (*id, *frame, this.clone());
                let val = self.inline(id, frame, this, args)?;
                self.flat(val)
            }
            Some(Static::Outside(path)) if self.in_plugin => self.call_outside(&path.clone(), &args),
            Some(Static::Outside(path)) => {
                self.keeps(&args)?;
                self.outside_awaited(&path.clone())
            }
            Some(Static::Builtin(name)) if name == "fetch" => {
                self.keeps(&args)?;
                self.outside_awaited("fetch")
            }
            Some(Static::Method(object, name))
                if object.origins.iter().any(|origin| origin.starts_with("o:"))
                    && !object.may_be(PROM)
                    && !matches!(name.as_str(), "then" | "catch" | "finally") =>
            {
                self.keeps(&args)?;
                let path = object.origins.first().map(|origin| super::outside::short(origin).to_owned()).unwrap_or_default();
                self.outside_awaited(&format!("{path}.{name}"))
            }
            _ => self.call_val(&function, args, items),
        }
    }

    /// A promise that an `async` function returns is awaited by the code that awaits the function.
    fn flat(&mut self, val: Val) -> Made<Val> {
        if val.may_be(PROM) && !self.frame().dead { self.await_val(&val) } else { Ok(val) }
    }

    /// An outside call that is awaited at once: what it answers is chosen when it answers.
    fn outside_awaited(&mut self, path: &str) -> Made<Val> {
        self.pause()?;
        let (failed, value) = self.outcome(path);
        self.fails(path, &failed)?;
        // The value is there: one more pause would change nothing.
        Ok(Val::promise(Prom::Bound { failed: constant(0), value, own: Some(usize::MAX), version: None }))
    }

    fn outcome(&mut self, path: &str) -> (Term, Val) {
        let origin = self.origin(path);
        self.mark(&[origin.clone()].into(), |uses| uses.awaited = true);
        let code = self.failure_of(path);
        let failed = self.chosen(&[0, code]);
        let value = self.outside_value(&origin);
        (failed, value)
    }

    fn fails(&mut self, path: &str, failed: &str) -> Made<()> {
        let code = self.failure_of(path);
        self.fail_if(failed, [code])
    }

    /// Nothing shared is handed to the outside, which could change it, or call it, at any moment.
    pub(super) fn keeps(&mut self, args: &[Val]) -> Made<()> {
        if args.iter().any(|arg| self.is_handed_out(arg)) {
            return self.refuse("a shared object or a function that is handed to the outside", "hand over a copy of what is needed");
        }
        for arg in args {
            if let Some(Static::Function { id, frame, .. }) = arg.statically()
                && let Some(name) = self.captured(*id, *frame).1
            {
                return self.refuse(
                    format!("a function that is handed to the outside and changes `{name}`"),
                    "have it return what is needed, and await it",
                );
            }
            self.comes_out(arg, false);
        }
        Ok(())
    }

    pub(super) fn is_handed_out(&self, val: &Val) -> bool {
        let known = match val.statically() {
            Some(Static::Object(..) | Static::Map(_) | Static::Set(_) | Static::Array(_)) => true,
            Some(Static::Function { id, .. }) => self.touches(*id),
            Some(Static::Tuple(list)) => list.iter().any(|inner| self.is_handed_out(inner)),
            _ => false,
        };
        known || val.place.is_some() && val.may_be(REC) || val.fields.values().any(|inner| self.is_handed_out(inner))
    }

    /// An outside call that is not awaited here.
    pub(super) fn call_outside(&mut self, path: &str, args: &[Val]) -> Made<Val> {
        if !self.starting {
            self.keeps(args)?;
        }
        if self.starting {
            self.handed(path, args)?;
            return Ok(Val::known(Static::Outside(format!("{path}()"))));
        }
        let origin = self.origin(path);
        let promise = self.uses.get(&origin).is_some_and(|uses| uses.awaited);
        if promise {
            let (failed, value) = self.outcome(path);
            let code = self.failure_of(path);
            self.type_of("%error").errors.insert(code);
            return Ok(Val::promise(Prom::Bound { failed, value, own: None, version: None }));
        }
        // What it is shows how it is used: a promise if it is awaited.
        Ok(self.outside_value(&origin))
    }

    /// Behind `await`: the value, or the failure.
    pub(super) fn await_val(&mut self, val: &Val) -> Made<Val> {
        self.mark(&val.origins.clone(), |uses| uses.awaited = true);
        if !val.may_be(PROM) {
            self.pause()?;
            return Ok(val.clone());
        }
        match val.prom.as_deref().cloned() {
            Some(Prom::Bound { value, own: Some(usize::MAX), .. }) => Ok(value),
            Some(Prom::Bound { failed, value, own, .. }) => {
                match own.filter(|own| self.now.live.contains(own)) {
                    Some(own) => self.force(own, true)?,
                    None => self.pause()?,
                }
                let failed = super::ops::either(&val.is(PROM), &failed, "0");
                let failed = self.hold(failed);
                let errors = match known(&failed) {
                    Some(code) => [code].into(),
                    None => self.error_codes(&failed),
                };
                self.fail_if(&failed, errors)?;
                if val.is_only(PROM) || self.frame().dead {
                    return Ok(value);
                }
                let mut plain = val.clone();
                plain.tags.remove(&PROM);
                plain.prom = None;
                plain.place = None;
                if plain.tags.len() == 1 {
                    plain.tag = constant(plain.tags.first().copied().unwrap_or(super::values::UNDEFINED));
                }
                let is = val.is(PROM);
                self.choice(&is, |_| Ok(value), |_| Ok(plain))
            }
            Some(Prom::Activity(activity)) => {
                self.force(activity, false)?;
                let failed = self.activities[activity].failed.clone();
                let errors = self.error_codes(&failed);
                self.fail_if(&failed, errors)?;
                Ok(self.activities[activity].result.clone())
            }
            Some(Prom::Calmed(activity)) => {
                self.force(activity, false)?;
                Ok(Val::undefined())
            }
            Some(Prom::Before(place)) => {
                self.acquire(&place)?;
                Ok(Val::undefined())
            }
            Some(Prom::Made(made)) => {
                self.wait_for(made)?;
                Ok(Val::undefined())
            }
            Some(Prom::All(list)) => self.await_all(&list),
            Some(Prom::Settled(list)) => self.await_settled(&list),
            Some(Prom::Sleep) | None => {
                self.pause()?;
                Ok(Val::undefined())
            }
        }
    }

    /// `Promise.all` of outside calls: one pause, all outcomes, and any of the failures.
    fn await_all(&mut self, list: &[Val]) -> Made<Val> {
        let mut values = Vec::new();
        let mut failed = constant(0);
        for val in list {
            self.mark(&val.origins.clone(), |uses| uses.awaited = true);
            match val.prom.as_deref().filter(|_| val.may_be(PROM)) {
                None => values.push(val.clone()),
                Some(Prom::Bound { failed: fails, value, own, .. }) if own.is_none_or(|own| !self.now.live.contains(&own)) => {
                    values.push(value.clone());
                    let next = self.fresh();
                    let both = super::ops::all(vec![not(&equal(&failed, "0")), not(&equal(fails, "0"))]);
                    let either = self.fresh();
                    self.push(Kind::Choose(either.clone(), vec![0, 1]));
                    let one = format!("(if ({failed} == 0) {{ {fails} }} else {{ {failed} }})");
                    let term = super::ops::either(&super::ops::all(vec![both, either]), fails, &one);
                    self.push(Kind::Set(next.clone(), term));
                    failed = next;
                }
                Some(Prom::Sleep) => values.push(Val::undefined()),
                Some(_) => return self.refuse("`Promise.all` of functions of the file", "await them one after the other"),
            }
        }
        self.pause()?;
        let errors = self.error_codes(&failed);
        self.fail_if(&failed, errors)?;
        Ok(Val::known(Static::Tuple(values)))
    }

    /// What is left of an activity happens now. `perhaps`: it may have been begun by another request, or not at all.
    pub(super) fn force(&mut self, activity: usize, perhaps: bool) -> Made<()> {
        if !self.now.live.remove(&activity) {
            return if perhaps {
                self.pause()
            } else {
                self.refuse("a promise that is awaited twice here", "await it once, and keep the value")
            };
        }
        let busy = self.now.live.iter().any(|other| !self.activities[*other].quiet);
        if busy && !self.activities[activity].rest.is_empty() {
            return self.refuse("two activities of one request at once", "await one before the other begins");
        }
        if self.cut == Some(None) {
            // The first pause of the one is that of the other.
            self.pause_here()?;
        }
        let Activity { rest, begun, frees, .. } = self.activities[activity].clone();
        self.push(Kind::If(begun.clone()));
        self.ops.extend(rest);
        if let Some(queue) = frees {
            self.put(&queue, super::values::CellPart::Lock, constant(0))?;
        }
        self.push(Kind::Set(begun, constant(0)));
        if perhaps {
            self.push(Kind::Else);
            self.push(Kind::Pause);
        }
        self.push(Kind::End);
        self.now.epoch += 1;
        self.now.holds.clear();
        self.writes();
        let all: BTreeSet<_> = self.assigned.iter().copied().collect();
        self.forget_variables(&all);
        // It may have answered.
        self.now.known.remove("%body");
        self.now.known.remove("%status");
        Ok(())
    }

    /// An `async` function that is called and not awaited.
    pub(super) fn begin_activity(&mut self, id: FunId, frame: usize, this: Option<Val>, args: Vec<Val>) -> Made<Val> {
        self.activity(None, move |maker| {
            let val = maker.inline(id, frame, this, args)?;
            maker.flat(val)
        })
    }

    /// Begins an activity: what it does before its first pause is done here.
    fn activity(&mut self, awaits: Option<(SharedPlace, u32)>, body: impl FnOnce(&mut Self) -> Made<Val>) -> Made<Val> {
        if self.starting {
            return self.refuse("an activity that the module begins", "begin it in a request");
        }
        let span = self.span;
        let path = format!("{}a{}", self.frame().path, span.start);
        let site = path.clone();
        let name = super::ops::name_part(&path);
        let (flag, failed, begun) = (format!("y{name}"), format!("f{name}"), format!("b{name}"));
        let outer_ops = std::mem::take(&mut self.ops);
        let outer_cut = self.cut.replace(None);
        let outer_base = std::mem::replace(&mut self.cut_base, self.around.len());
        let (caller, outer_live) = (self.here, std::mem::take(&mut self.now.live));
        let functions = self.frame().functions.clone();
        let frame = Frame { this: self.frame().this.clone(), flag: flag.clone(), functions, ..Frame::named(path, caller) };
        self.frames.push(frame);
        self.here = self.frames.len() - 1;
        let before = self.now.clone();
        self.push(Kind::Set(flag.clone(), constant(0)));
        self.push(Kind::Set("err".to_owned(), constant(0)));
        let depth = self.around.len();
        let result = self.part(body);
        debug_assert_eq!(depth, self.around.len());
        let inside = self.here;
        self.here = caller;
        self.cut_base = outer_base;
        let cut = std::mem::replace(&mut self.cut, outer_cut);
        let mut ops = std::mem::replace(&mut self.ops, outer_ops);
        let mut result = result?;
        let thrown = self.frames[inside].ended.contains(&super::run::THROWN);
        if result.may_be(super::values::STAT) && result.statically().is_some_and(|known| matches!(known, Static::Given(_))) {
            result = self.plain(result)?;
        }
        let failed = if thrown { failed } else { constant(0) };
        if thrown {
            let term = format!("(if ({flag} == {}) {{ err }} else {{ 0 }})", super::run::THROWN);
            ops.push(Op { kind: Kind::Set(failed.clone(), term), span });
        }
        self.span = span;
        let inner_live = std::mem::replace(&mut self.now.live, outer_live.clone());
        let Some(Some((place, guards))) = cut else {
            // It is done; what it has begun runs on, as if the caller had begun it.
            self.now.live.extend(inner_live);
            self.ops.extend(ops);
            return Ok(Val::promise(Prom::Bound { failed, value: result, own: None, version: None }));
        };
        if inner_live.iter().any(|inner| !outer_live.contains(inner) && !self.activities[*inner].quiet) {
            return self.refuse("an activity that an activity leaves behind", "await it");
        }
        let after = std::mem::replace(&mut self.now, before);
        // What it does before its first pause is done here.
        self.now.known.retain(|name, val| after.known.contains_key(name) || val.may_be(super::values::STAT) || val.prom.is_some());
        for (name, val) in &mut self.now.known {
            if after.known.get(name).is_none_or(|there| there.place != val.place)
                && let Some((place, _)) = val.place.clone()
            {
                val.place = super::values::place_on_one_way(val);
                self.now.lost.entry(name.clone()).or_insert(place.base);
            }
        }
        self.now.lies.retain(|name, lies| after.lies.get(name) == Some(lies));
        self.now.gave.extend(after.gave);
        // What it writes behind its first pause it may write at any time.
        self.now.wrote |= after.wrote;
        self.now.refused.extend(after.refused);
        for (name, sites) in after.names {
            self.now.names.entry(name).or_default().extend(sites);
        }
        self.now.torn.extend(after.torn);
        self.now.lost.extend(after.lost);
        self.now.shared.extend(after.shared);
        self.now.live = outer_live;
        let mut rest: Vec<Op> = guards.iter().map(|term| Op { kind: Kind::If(term.clone()), span }).collect();
        rest.extend(ops.split_off(place));
        ops.extend(guards.iter().map(|_| Op { kind: Kind::End, span }));
        self.ops.extend(ops);
        let answers = rest.iter().any(|op| matches!(&op.kind, Kind::Set(local, _) if is_of_the_answer(local)));
        let quiet = !answers && !rest.iter().any(|op| matches!(op.kind, Kind::Write(..) | Kind::Wait(_) | Kind::Raw(_)));
        self.push(Kind::Set(begun.clone(), constant(1)));
        let id = self.activities.len();
        let made = Activity { rest, result, failed, begun, site: site.clone(), frees: None, quiet, answers, span, awaits };
        self.activities.push(made);
        self.now.live.insert(id);
        if self.predicted.contains(&site) {
            return self.predict(id);
        }
        Ok(Val::promise(Prom::Activity(id)))
    }

    /// Computes with which outcome an activity will end.
    fn predict(&mut self, id: usize) -> Made<Val> {
        let Activity { rest, result, failed, span, .. } = self.activities[id].clone();
        let mut wanted = locals(&failed);
        terms_of(&result, &mut |term| wanted.extend(locals(term)));
        // What the outcome depends on, backwards until nothing is new.
        loop {
            let before = wanted.len();
            let mut around: Vec<BTreeSet<String>> = Vec::new();
            let mut needed_in: Vec<bool> = Vec::new();
            for op in rest.iter().rev() {
                match &op.kind {
                    Kind::End => {
                        around.push(BTreeSet::new());
                        needed_in.push(false);
                    }
                    Kind::If(term) | Kind::While(term) => {
                        if needed_in.pop().unwrap_or(false) {
                            wanted.extend(locals(term));
                            if let Some(outer) = needed_in.last_mut() {
                                *outer = true;
                            }
                        }
                        around.pop();
                    }
                    Kind::Set(local, term) if wanted.contains(local) => {
                        wanted.extend(locals(term));
                        needed_in.iter_mut().for_each(|inner| *inner = true);
                    }
                    Kind::Read(local, access) if wanted.contains(local) => {
                        needed_in.iter_mut().for_each(|inner| *inner = true);
                        for op in &rest {
                            if let Kind::Write(to, term) = &op.kind
                                && to == access
                            {
                                wanted.extend(locals(term));
                            }
                        }
                    }
                    Kind::Choose(local, _) if wanted.contains(local) => {
                        needed_in.iter_mut().for_each(|inner| *inner = true);
                    }
                    _ => {}
                }
            }
            if wanted.len() == before {
                break;
            }
        }
        let mut chosen: BTreeSet<String> = BTreeSet::new();
        let mut level = 0_usize;
        let mut loops = 0_usize;
        let mut written: Vec<(String, Term)> = Vec::new();
        let mut opened: Vec<bool> = Vec::new();
        let mut out: Vec<Op> = Vec::new();
        for op in &rest {
            let kind = match &op.kind {
                Kind::Choose(local, _) if wanted.contains(local) => {
                    if loops > 0 {
                        return self.refuse("a kept promise whose function awaits in a loop", "await it where it is called");
                    }
                    chosen.insert(local.clone());
                    Some(op.kind.clone())
                }
                Kind::Read(local, access) if wanted.contains(local) => {
                    let Some((_, term)) = written.iter().rev().find(|(to, _)| to == access) else {
                        self.span = op.span;
                        return self
                            .refuse("a kept promise whose outcome depends on what is shared behind an `await`", "return what was awaited");
                    };
                    Some(Kind::Set(local.clone(), term.clone()))
                }
                Kind::Set(local, _) if wanted.contains(local) => Some(op.kind.clone()),
                Kind::Write(access, term) => {
                    if level == opened.len() {
                        written.retain(|(to, _)| to != access);
                        written.push((access.clone(), term.clone()));
                    }
                    None
                }
                Kind::Pause | Kind::Wait(_) => {
                    written.clear();
                    None
                }
                Kind::If(_) | Kind::Else => {
                    if matches!(op.kind, Kind::If(_)) {
                        opened.push(false);
                    }
                    level = opened.len();
                    if matches!(op.kind, Kind::Else) {
                        written.clear();
                    }
                    Some(op.kind.clone())
                }
                Kind::While(_) => {
                    opened.push(true);
                    loops += 1;
                    level = opened.len();
                    written.clear();
                    Some(op.kind.clone())
                }
                Kind::End => {
                    if opened.pop() == Some(true) {
                        loops -= 1;
                    }
                    level = opened.len();
                    Some(op.kind.clone())
                }
                _ => None,
            };
            out.extend(kind.map(|kind| Op { kind, span: op.span }));
        }
        // What is set ahead has names of its own.
        let set: BTreeSet<String> =
            out.iter().filter_map(|op| if let Kind::Set(local, _) = &op.kind { Some(local.clone()) } else { None }).collect();
        let rename = |word: &str| set.contains(word).then(|| format!("{word}p"));
        for local in &set {
            self.ops.push(Op { kind: Kind::Set(format!("{local}p"), local.clone()), span });
        }
        for op in out {
            let kind = match op.kind {
                Kind::Set(local, term) => Kind::Set(format!("{local}p"), renamed(&term, &rename)),
                Kind::If(term) => Kind::If(renamed(&term, &rename)),
                Kind::While(term) => Kind::While(renamed(&term, &rename)),
                kind => kind,
            };
            self.ops.push(Op { kind, span: op.span });
        }
        let left: Vec<Op> = rest.into_iter().filter(|op| !matches!(&op.kind, Kind::Choose(local, _) if chosen.contains(local))).collect();
        self.activities[id].rest = left;
        let value = map_terms(&result, &|term| renamed(term, &rename));
        let failed = renamed(&failed, &rename);
        Ok(Val::promise(Prom::Bound { failed, value, own: Some(id), version: None }))
    }

    /// `p.then(f)`, `p.catch(f)`, `p.finally(f)`.
    pub(super) fn then(&mut self, promise: &Val, name: &str, args: Vec<Val>) -> Made<Val> {
        self.mark(&promise.origins.clone(), |uses| uses.awaited = true);
        let function = args.first().cloned().unwrap_or_else(Val::undefined);
        let trivial = match function.statically() {
            Some(Static::Function { id, .. }) => self.module.function(*id).body.is_empty(),
            _ => false,
        };
        if name == "catch" && trivial {
            match promise.prom.as_deref() {
                Some(Prom::Activity(activity)) => return Ok(Val::promise(Prom::Calmed(*activity))),
                Some(Prom::Bound { value: _, own: Some(own), .. }) if self.now.live.contains(own) => {
                    return Ok(Val::promise(Prom::Calmed(*own)));
                }
                _ => {}
            }
        }
        match promise.prom.as_deref() {
            Some(Prom::Bound { own: Some(own), .. }) if self.now.live.contains(own) && !self.activities[*own].quiet => {
                return self.refuse(format!("`.{name}` of a promise of a function of the file"), "write it into the function, with `try`");
            }
            Some(Prom::Activity(_) | Prom::Calmed(_)) => {
                return self.refuse(format!("`.{name}` of a promise of a function of the file"), "write it into the function, with `try`");
            }
            _ => {}
        }
        let awaits = promise.place.clone();
        let promise = promise.clone();
        let name = name.to_owned();
        self.activity(awaits, move |maker| {
            let here = maker.here;
            let flag = maker.frames[here].flag.clone();
            let val = maker.await_val(&promise)?;
            let thrown = maker.frames[here].ended.contains(&super::run::THROWN);
            match name.as_str() {
                "then" if args.len() == 1 => {
                    if maker.frame().dead {
                        return Ok(Val::undefined());
                    }
                    let val = maker.call_val(&function, vec![val], &[])?;
                    maker.flat(val)
                }
                "catch" if thrown => {
                    maker.frames[here].ended.remove(&super::run::THROWN);
                    let was_dead = std::mem::take(&mut maker.frames[here].dead);
                    // The guard of the failure is still open: leave it.
                    while maker.around.len() > maker.cut_base {
                        maker.close();
                    }
                    let condition = equal(&flag, &constant(super::run::THROWN));
                    let function = function.clone();
                    let val = if was_dead { Val::undefined() } else { val };
                    maker.choice(
                        &condition,
                        |maker| {
                            maker.push(Kind::Set(flag.clone(), constant(0)));
                            let errors = maker.error_codes("err");
                            let tag = maker.fresh();
                            maker.push(Kind::Set(tag.clone(), "err".to_owned()));
                            let error = Val::tagged(errors, tag);
                            let val = maker.call_val(&function, vec![error], &[])?;
                            maker.flat(val)
                        },
                        |_| Ok(val),
                    )
                }
                "catch" => Ok(val),
                _ => maker.refuse(format!("`.{name}` with these functions"), "write `await` with `try`"),
            }
        })
    }

    /// `new Promise(resolve => …)`: the function runs at once.
    pub(super) fn new_promise(&mut self, args: &[Val]) -> Made<Val> {
        let Some(Static::Function { id, frame, this }) = args.first().and_then(Val::statically) else {
            return self.refuse("`new Promise` of this", "give it a function");
        };
        let (id, frame, this) = (*id, *frame, this.clone());
        let made = self.made.len();
        self.made.push(Manual::default());
        self.inline(id, frame, this, vec![Val::known(Static::Resolver(made))])?;
        Ok(Val::promise(Prom::Made(made)))
    }

    /// `setTimeout(f)`: an activity that begins with an outside call.
    pub(super) fn later(&mut self, function: &Val) -> Made<Val> {
        let function = function.clone();
        self.activity(None, move |maker| {
            maker.pause()?;
            let val = maker.call_val(&function, Vec::new(), &[])?;
            maker.flat(val)
        })?;
        Ok(Val::known(Static::Builtin("a timer".to_owned())))
    }

    /// The promise of an activity is stored.
    pub(super) fn store_activity(&mut self, place: &SharedPlace, id: usize) -> Made<()> {
        if self.activities[id].awaits.as_ref().is_some_and(|(awaited, _)| awaited == place) && !place.base.starts_with('%') {
            return self.refuse("a queue of promises that a failure would break", "store `.catch(() => {})` of it");
        }
        let site = self.activities[id].site.clone();
        self.predicted.insert(site);
        let known = self.type_of(&place.base);
        known.tags.insert(PROM);
        Ok(())
    }

    /// The promise of an activity is stored that never fails: a queue, if the activity awaits what lay there.
    pub(super) fn store_calmed(&mut self, place: &SharedPlace, id: usize) -> Made<()> {
        let queued = self.activities[id].awaits.as_ref().is_some_and(|(awaited, _)| awaited == place);
        if !queued {
            self.type_of(&place.base).tags.insert(PROM);
            if self.first_round {
                return Ok(());
            }
            return self.refuse("a promise of this kind that is stored", "store the promise of an async function that does not fail");
        }
        self.type_of(&place.base).queue = true;
        self.activities[id].frees = Some(place.clone());
        self.replaced(place)
    }

    /// Whether something that was begun may still answer, behind the end of the handler.
    pub(super) fn answers_late(&self) -> Option<serval_diagnostic::Span> {
        let late = self.now.live.iter().find(|activity| self.activities[**activity].answers);
        late.map(|activity| self.activities[*activity].span)
    }

    /// Everything that was begun is done before the request ends.
    pub(super) fn settle_all(&mut self) -> Made<()> {
        for activity in self.now.live.clone() {
            if self.now.live.contains(&activity) && !self.activities[activity].quiet {
                self.force(activity, false)?;
            }
        }
        Ok(())
    }
}

/// Whether a local is one of those that say what the framework answers.
fn is_of_the_answer(local: &str) -> bool {
    matches!(local, "answered" | "passed") || local.starts_with("vbody") || local.starts_with("vstatus")
}

/// Shows all terms of a value.
fn terms_of(val: &Val, see: &mut dyn FnMut(&str)) {
    see(&val.tag);
    see(&val.num);
    for field in val.fields.values() {
        terms_of(field, see);
    }
    if let Some(Static::Tuple(list) | Static::Parts(list)) = val.stat.as_deref() {
        list.iter().for_each(|val| terms_of(val, see));
    }
}

/// Changes all terms of a value.
fn map_terms(val: &Val, change: &dyn Fn(&str) -> Term) -> Val {
    let fields = val.fields.iter().map(|(name, field)| (name.clone(), map_terms(field, change))).collect();
    let (tag, num) = (change(&val.tag), change(&val.num));
    let stat = match val.stat.as_deref() {
        Some(Static::Tuple(list)) => Some(std::rc::Rc::new(Static::Tuple(list.iter().map(|one| map_terms(one, change)).collect()))),
        Some(Static::Parts(list)) => Some(std::rc::Rc::new(Static::Parts(list.iter().map(|one| map_terms(one, change)).collect()))),
        _ => val.stat.clone(),
    };
    Val { tag, num, stat, fields: std::rc::Rc::new(fields), place: None, ..val.clone() }
}
