//! Members, targets and calls: functions of the file are inlined, what is known does what it does, and all else is
//! outside.

use std::collections::BTreeSet;

use super::ops::{Kind, arithmetic, constant, equal};
use super::state::{Frame, Made, Maker};
use super::values::{ARR, CellPart, INT, Prom, REC, STAT, SharedPlace, Static, TRUE, UNDEFINED, Val};
use crate::form::{AssignTarget, Expr, ExprKind, FunId, ListItem, VarId};

/// Where a value is put.
#[derive(Clone, Debug)]
pub(super) enum Spot {
    Variable(VarId),
    /// A shared place; where it is a field of a record that was found, which record.
    Shared(SharedPlace, Option<Box<Val>>),
    /// A field of a record that lies nowhere yet, in this variable.
    Local(VarId, String),
    Answer(&'static str, String),
}

impl Maker<'_> {
    pub(super) fn member(&mut self, object: &Val, name: &str) -> Made<Val> {
        if let Some(known) = object.statically() {
            self.still_there(object)?;
            let method = || Val::known(Static::Method(Box::new(object.clone()), name.to_owned()));
            return match known {
                Static::Object(place, class) => {
                    let has = class.and_then(|class| self.module.class(class).methods.iter().find(|method| method.name == name));
                    if let Some(found) = has {
                        return Ok(Val::known(Static::Function { id: found.function, frame: 0, this: Some(object.clone()) }));
                    }
                    let field = place.field(name);
                    if let Some(known) = self.fixed(&field) {
                        return Ok(known);
                    }
                    self.load(&field)
                }
                Static::Set(place) if name == "size" => self.set_size(&place.clone()),
                Static::Map(place) if name == "size" => self.map_size(&place.clone()),
                Static::Array(place) if name == "length" => {
                    let inner = self.load(&place.clone())?;
                    Ok(Val::int(inner.num, inner.bounds))
                }
                Static::Tuple(list) if name == "length" => {
                    let count = i64::try_from(list.len()).unwrap_or(0);
                    Ok(Val::int(constant(count), Some((count, count))))
                }
                Static::Given(path) => Ok(Val::known(Static::Given(format!("{path}.{name}")))),
                Static::Framework(part) => Ok(self.framework_member(part, name)),
                Static::Outside(path) => Ok(Val::known(Static::Outside(format!("{path}.{name}")))),
                Static::Builtin(path) => Ok(Val::known(Static::Builtin(format!("{path}.{name}")))),
                _ => Ok(method()),
            };
        }
        if object.may_be(ARR) {
            let broken = super::ops::not(&object.is(ARR));
            self.type_error(&broken)?;
            return match name {
                "length" => Ok(Val::int(object.num.clone(), object.bounds)),
                _ => Ok(Val::known(Static::Method(Box::new(object.clone()), name.to_owned()))),
            };
        }
        if object.may_be(super::values::PROM) && matches!(name, "then" | "catch" | "finally") {
            return Ok(Val::known(Static::Method(Box::new(object.clone()), name.to_owned())));
        }
        if object.may_be(REC) {
            let broken = super::ops::not(&object.is(REC));
            self.type_error(&broken)?;
            if self.frame().dead {
                return Ok(Val::undefined());
            }
            if let Some((place, epoch)) = object.place.clone() {
                let field = place.field(name);
                if epoch == self.now.epoch {
                    return self.load(&field);
                }
                let inside = self.type_of(&field.base).clone();
                if inside.set || inside.map || self.is_changed(&field.base) {
                    return self.refuse(
                        format!("`.{name}` of a shared record that was found before an `await`"),
                        "look it up again behind the `await`",
                    );
                }
            }
            return Ok(object.fields.get(name).cloned().unwrap_or_else(Val::undefined));
        }
        if object.origins.is_empty() && self.may_be_error(object) {
            return self.error_member(object, name);
        }
        if !object.origins.is_empty() {
            let called = Val::known(Static::Method(Box::new(object.clone()), name.to_owned()));
            // Whether it is read or called is known to the caller of this.
            return Ok(called);
        }
        let errors = object.tags.iter().filter(|tag| [UNDEFINED, super::values::NULL].contains(tag)).count();
        if errors == object.tags.len() {
            self.type_error("1")?;
            return Ok(Val::undefined());
        }
        Ok(Val::known(Static::Method(Box::new(object.clone()), name.to_owned())))
    }

    /// A field of what the outside answered, where it is not called.
    pub(super) fn plain(&mut self, val: Val) -> Made<Val> {
        match val.statically() {
            Some(Static::Given(path)) => Ok(self.given(&path.clone())),
            Some(Static::Method(object, name)) if object.origins.iter().any(|origin| origin.starts_with("o:")) => {
                let (object, name) = ((**object).clone(), name.clone());
                self.mark(&object.origins.clone(), |uses| {
                    uses.fields.insert(name.clone());
                });
                Ok(Val::undefined())
            }
            Some(Static::Builtin(name)) if name.as_str() == "NaN" => self.refuse("NaN", "use whole numbers"),
            _ => Ok(val),
        }
    }

    /// A TypeError where this holds.
    pub(super) fn type_error(&mut self, condition: &str) -> Made<()> {
        if super::ops::known(condition) == Some(0) {
            return Ok(());
        }
        let code = self.type_error_tag();
        let failed = super::ops::either(condition, &constant(code), "0");
        let held = self.hold(failed);
        self.fail_if(&held, [code])
    }

    /// Whether something stores into a field other than with its whole record.
    fn is_changed(&self, base: &str) -> bool {
        self.frees_once.contains(&format!("changed {base}"))
    }

    /// The place of a target.
    pub(super) fn spot(&mut self, target: &AssignTarget) -> Made<Spot> {
        match target {
            AssignTarget::Var(variable) => Ok(Spot::Variable(*variable)),
            AssignTarget::Member(object, name) => {
                let val = self.eval(object)?;
                match val.statically() {
                    Some(Static::Object(place, _)) => return Ok(Spot::Shared(place.field(name), None)),
                    Some(Static::Framework("ctx")) => return Ok(Spot::Answer("ctx", name.clone())),
                    Some(Static::Framework("res" | "reply")) => return Ok(Spot::Answer("res", name.clone())),
                    Some(_) => {
                        return self.refuse(format!("an assignment to `.{name}` here"), "keep the value in a variable of the module");
                    }
                    None => {}
                }
                let place = val.place.clone().filter(|(_, epoch)| *epoch == self.now.epoch);
                match (place, &object.kind) {
                    (Some((place, _)), _) => {
                        let broken = super::ops::not(&val.is(REC));
                        self.type_error(&broken)?;
                        let field = place.field(name);
                        self.frees_once.insert(format!("changed {}", field.base));
                        Ok(Spot::Shared(field, Some(Box::new(val))))
                    }
                    (None, ExprKind::Var(variable)) if val.is_only(REC) && val.place.is_none() => Ok(Spot::Local(*variable, name.clone())),
                    _ => self.refuse(
                        format!("an assignment to `.{name}` of a record that was found before an `await`"),
                        "look it up again behind the `await`",
                    ),
                }
            }
            AssignTarget::Index(object, index) => {
                let object = self.eval(object)?;
                let index = self.eval(index)?;
                match object.statically() {
                    Some(Static::Map(_)) => self.refuse("an element of a map", "use `set`"),
                    Some(Static::Object(place, _)) => {
                        let entry = self.entry(&place.clone(), &index)?;
                        self.type_of(&entry.base).tags.insert(UNDEFINED);
                        Ok(Spot::Shared(entry, None))
                    }
                    _ => self.refuse("an assignment to an element", "keep a map"),
                }
            }
        }
    }

    pub(super) fn spot_value(&mut self, spot: &Spot) -> Made<Val> {
        match spot {
            Spot::Variable(variable) => {
                let e = Expr { kind: ExprKind::Var(*variable), span: self.span };
                self.eval(&e)
            }
            Spot::Shared(place, _) => self.load(place),
            Spot::Local(variable, name) => {
                let e = Expr { kind: ExprKind::Var(*variable), span: self.span };
                let object = self.eval(&e)?;
                self.member(&object, name)
            }
            Spot::Answer(..) => self.refuse("an answer that is read", "keep it in a local"),
        }
    }

    pub(super) fn set(&mut self, spot: &Spot, val: &Val) -> Made<()> {
        let val = &self.plain(val.clone())?;
        match spot {
            Spot::Variable(variable) => {
                if let Some(shared) = self.module_vals.get(variable) {
                    if self.starting || !matches!(shared.statically(), Some(Static::Builtin(name)) if name == "shared") {
                        return self.refuse("an assignment to this variable", "assign in requests, to a variable of the module");
                    }
                    let place = self.module_place(*variable);
                    return self.store(&place, val);
                }
                let Some(place) = self.cell_of(*variable) else {
                    let name = self.module.variable(*variable).name.clone();
                    return self.refuse(format!("`{name}`, which has no value yet"), "declare it before it is used");
                };
                self.names(&place, val);
                self.write_cell(&place, val, true)
            }
            Spot::Shared(place, found) => {
                if let Some(found) = found {
                    self.changed_at(found);
                }
                if val.is_only(ARR) || matches!(val.statically(), Some(Static::Tuple(_))) {
                    self.another_there(place);
                }
                self.store(place, val)
            }
            Spot::Local(variable, name) => {
                let e = Expr { kind: ExprKind::Var(*variable), span: self.span };
                let object = self.eval(&e)?;
                if let Some(cell) = self.cell_of(*variable) {
                    self.changed_in(&cell, &object, val)?;
                }
                let mut fields = (*object.fields).clone();
                fields.insert(name.clone(), val.clone());
                let changed = Val { fields: std::rc::Rc::new(fields), ..object };
                self.set(&Spot::Variable(*variable), &changed)
            }
            Spot::Answer(framework, name) => self.answer_set(framework, name, val),
        }
    }

    /// The arguments of a call.
    pub(super) fn arguments_of(&mut self, items: &[ListItem]) -> Made<Vec<Val>> {
        let mut vals = Vec::new();
        for item in items {
            match item {
                ListItem::One(_, value) => {
                    let val = self.eval(value)?;
                    vals.push(val);
                }
                ListItem::Spread(value) => {
                    let val = self.eval(value)?;
                    if !matches!(val.statically(), Some(Static::Given(_) | Static::Tuple(_))) {
                        return self.refuse("`...` in a call", "name the arguments");
                    }
                }
            }
        }
        Ok(vals)
    }

    pub(super) fn call(&mut self, callee: &Expr, items: &[ListItem]) -> Made<Val> {
        let site = self.span;
        let function = self.callee(callee)?;
        if self.frame().dead {
            return Ok(Val::undefined());
        }
        self.races_what_is_made_here(callee, items)?;
        let args = self.arguments_of(items)?;
        if self.frame().dead {
            return Ok(Val::undefined());
        }
        self.span = site;
        self.called_at = called_at(callee);
        self.call_val(&function, args, items)
    }

    pub(super) fn call_val(&mut self, function: &Val, args: Vec<Val>, items: &[ListItem]) -> Made<Val> {
        match function.statically() {
            Some(Static::Function { id, frame, this }) => {
                let (id, frame, this) = (*id, *frame, this.clone());
                self.call_function(id, frame, this, args)
            }
            Some(Static::Method(object, name)) => {
                let (object, name) = ((**object).clone(), name.clone());
                self.call_method(&object, &name, args, items)
            }
            Some(Static::Builtin(name)) => self.call_builtin(&name.clone(), args),
            Some(Static::Outside(path)) => self.call_outside(&path.clone(), &args),
            Some(Static::Resolver(made)) => {
                self.release(*made)?;
                Ok(Val::undefined())
            }
            Some(Static::Waiter(place)) => {
                let place = place.clone();
                let missing = super::ops::not(&function.is(STAT));
                self.type_error(&missing)?;
                self.wake(&place)?;
                Ok(Val::undefined())
            }
            Some(Static::Given(_)) => self.refuse("a call of what the caller gives", "call a function of the file or an import"),
            Some(Static::Framework("next")) => self.next_handler(&args),
            Some(Static::Framework(part)) => self.refuse(format!("a call of `{part}`"), "use its methods"),
            _ => self.refuse("a call of what may be no function", "call a function of the file or an import"),
        }
    }

    /// A function of the file, inlined; one that is `async` and not awaited is an activity.
    pub(super) fn call_function(&mut self, id: FunId, frame: usize, this: Option<Val>, args: Vec<Val>) -> Made<Val> {
        let function = self.module.function(id);
        if function.is_async && !self.starting {
            return self.begin_activity(id, frame, this, args);
        }
        self.inline(id, frame, this, args)
    }

    /// The body of a function, here.
    pub(super) fn inline(&mut self, id: FunId, parent: usize, this: Option<Val>, args: Vec<Val>) -> Made<Val> {
        let function = self.module.function(id);
        let mut functions = self.frame().functions.clone();
        if functions.contains(&id) || functions.len() > 24 {
            return self.refuse(format!("recursion of `{}`", function.name), "write a loop");
        }
        functions.push(id);
        if self.frames.len() > 4_000 {
            return self.refuse("a request with this many calls", "make it smaller");
        }
        let at = self.span.start;
        let path = format!("{}c{at}", self.frame().path);
        let returns = crate::walk::returns(&function.body);
        let is_async = function.is_async;
        let made = Frame { this, returns, functions, is_async, ..Frame::named(path, parent) };
        let flag = made.flag.clone();
        self.frames.push(made);
        let (caller, inner) = (self.here, self.frames.len() - 1);
        let site = self.span;
        self.here = inner;
        self.push(Kind::Set(flag.clone(), constant(0)));
        let mut args = args.into_iter();
        for parameter in &function.params {
            let val = args.next().unwrap_or_else(Val::undefined);
            self.declare(*parameter, &val)?;
        }
        if returns > 1 {
            let place = self.result_place();
            self.write_cell(&place, &Val::undefined(), true)?;
        }
        self.part(|this| this.block(&function.body))?;
        let ended = self.frame().ended.clone();
        let dead = self.frame().dead;
        let returned = self.frame().returned.clone();
        let place = self.result_place();
        let path = self.frame().path.clone();
        let exits = std::mem::take(&mut self.frame().exits);
        self.join_exits(dead, exits);
        self.names_end(&path, id);
        self.here = caller;
        self.span = site;
        if ended.contains(&super::run::THROWN) {
            let thrown = equal(&flag, &constant(super::run::THROWN));
            if dead && ended.len() == 1 {
                self.ends(super::run::THROWN);
                return Ok(Val::undefined());
            }
            self.branch(
                &thrown,
                |this| {
                    this.ends(super::run::THROWN);
                    Ok(())
                },
                |_| Ok(()),
            )?;
        }
        if returns > 1 {
            self.now.known.remove(&place.base);
            self.now.lies.remove(&place.base);
            return self.read_cell(&place);
        }
        match returned {
            // It may also come to its end without a result.
            Some(val) if !dead && returns == 1 && !val.is_only(UNDEFINED) => {
                let done = equal(&flag, &constant(super::run::RETURNED));
                self.choice(&done, |_| Ok(val), |_| Ok(Val::undefined()))
            }
            Some(val) => Ok(val),
            None => Ok(Val::undefined()),
        }
    }

    /// `new callee(…)`
    pub(super) fn construct(&mut self, callee: &Expr, items: &[ListItem]) -> Made<Val> {
        let function = self.eval(callee)?;
        let args = self.arguments_of(items)?;
        match function.statically() {
            Some(Static::Builtin(name)) => match name.as_str() {
                "Map" | "WeakMap" if args.is_empty() => Ok(Val::known(Static::FreshMap)),
                "Set" | "WeakSet" if args.is_empty() => Ok(Val::known(Static::FreshSet)),
                "Promise" => self.new_promise(&args),
                name if name.ends_with("Error") && name != "AggregateError" => self.error_value(name, &args),
                "Date" => {
                    self.called_at = self.span.start;
                    let origin = self.origin("Date");
                    Ok(self.outside_value(&origin))
                }
                other => self.refuse(format!("`new {other}`"), "make it outside of the request"),
            },
            Some(Static::Class(id)) if self.is_error_class(*id) => self.own_error(*id, args),
            Some(Static::Class(id)) => self.instance(*id, args),
            Some(Static::Outside(name)) => {
                let name = name.clone();
                if self.starting {
                    self.handed(&name, &args)?;
                } else {
                    self.keeps(&args)?;
                }
                Ok(Val::known(Static::Outside(format!("{name}()"))))
            }
            _ => self.refuse("`new` of this", "make it outside of the request"),
        }
    }

    /// The text of an atom.
    pub(super) fn text_of(&self, tag: i64) -> Option<String> {
        usize::try_from(tag - super::values::FIRST_ATOM).ok().and_then(|place| self.atoms.get(place)).cloned()
    }

    fn call_builtin(&mut self, name: &str, args: Vec<Val>) -> Made<Val> {
        let later = ["setTimeout", "setImmediate", "queueMicrotask", "setInterval", "process.nextTick"].contains(&name);
        if self.starting && (later || name.starts_with("process.")) {
            // Something that calls functions later.
            self.handed(name, &args)?;
            return Ok(Val::known(Static::Outside(format!("{name}()"))));
        }
        match name {
            "sleep" => {
                self.sleeps.insert(self.called_at);
                Ok(Val::promise(Prom::Sleep))
            }
            "Promise.resolve" => {
                let value = args.into_iter().next().unwrap_or_else(Val::undefined);
                if value.may_be(super::values::PROM) {
                    return Ok(value);
                }
                Ok(Val::promise(Prom::Bound { failed: constant(0), value, own: None, version: None }))
            }
            "Promise.reject" => {
                let error = args.into_iter().next().unwrap_or_else(Val::undefined);
                if error.tags.len() != 1 {
                    return self.refuse("a rejection with a value", "reject with `new Error('…')` with a text");
                }
                self.type_of("%error").errors.extend(&error.tags);
                Ok(Val::promise(Prom::Bound { failed: error.tag, value: Val::undefined(), own: None, version: None }))
            }
            "Promise.all" => match args.first().and_then(Val::statically) {
                Some(Static::Tuple(list)) => Ok(Val::promise(Prom::All(list.clone()))),
                _ => self.refuse("`Promise.all` of a list that is not written down", "write the promises"),
            },
            "Promise.allSettled" => match args.first().and_then(Val::statically) {
                Some(Static::Tuple(list)) => Ok(Val::promise(Prom::Settled(list.clone()))),
                _ => self.refuse("`Promise.allSettled` of a list that is not written down", "write the promises"),
            },
            "Promise.race" => match args.first().and_then(Val::statically) {
                Some(Static::Tuple(list)) if !list.is_empty() => self.race(&list.clone()),
                _ => self.refuse("`Promise.race` of a list that is not written down", "write the calls"),
            },
            "Promise.any" => self.refuse("`Promise.any`", "await the calls one by one, or with `Promise.race`"),
            "Math.max" | "Math.min" => {
                let mut args = args.into_iter();
                let Some(mut best) = args.next() else { return self.refuse(format!("`{name}` of nothing"), "give it two numbers") };
                for next in args {
                    let (one, other) = (best, next);
                    if !one.is_only(INT) || !other.is_only(INT) {
                        return self.refuse("arithmetic with what may be no number", "give it a number before");
                    }
                    let bounds = one
                        .bounds
                        .zip(other.bounds)
                        .map(|((a, b), (c, d))| if name == "Math.max" { (a.max(c), b.max(d)) } else { (a.min(c), b.min(d)) });
                    let sign = if name == "Math.max" { ">=" } else { "<=" };
                    let term = format!("(if ({} {sign} {}) {{ {} }} else {{ {} }})", one.num, other.num, one.num, other.num);
                    let num = self.hold(term);
                    best = Val::int(num, bounds);
                }
                Ok(best)
            }
            "Error" | "TypeError" | "RangeError" => self.error_value(name, &args),
            "setTimeout" | "setImmediate" | "queueMicrotask" | "process.nextTick" | "setInterval" => {
                let [function, ..] = args.as_slice() else { return self.refuse(format!("`{name}` of nothing"), "give it a function") };
                if name == "setInterval" {
                    return self
                        .refuse("`setInterval` in a request", "begin it where the module begins, or mark it `/** @serval ignore */`");
                }
                self.later(&function.clone())
            }
            name if name.starts_with("console.") => Ok(Val::undefined()),
            "Boolean" => {
                let val = args.into_iter().next().unwrap_or_else(Val::undefined);
                Ok(Val::truth(self.truth(&val)))
            }
            "String" => {
                let val = args.into_iter().next().unwrap_or_else(Val::undefined);
                let val = self.plain(val)?;
                Ok(Val::known(Static::Parts(vec![val])))
            }
            "clearTimeout" | "clearInterval" => self.refuse(format!("`{name}`"), "let the timer run and look at a flag in it"),
            "Date.now" | "performance.now" | "Math.random" | "crypto.randomUUID" => {
                let origin = self.origin(name);
                Ok(self.outside_value(&origin))
            }
            "fetch" => self.call_outside("fetch", &args),
            other => self.refuse(format!("`{other}`"), "compute it in a function of the outside"),
        }
    }

    fn call_method(&mut self, object: &Val, name: &str, args: Vec<Val>, items: &[ListItem]) -> Made<Val> {
        self.still_there(object)?;
        match object.statically() {
            Some(Static::Map(place)) => return self.map_method(&place.clone(), name, args, items),
            Some(Static::Set(place)) => return self.set_method(&place.clone(), name, args),
            Some(Static::Array(place)) => return self.array_method(&place.clone(), name, args),
            Some(Static::Framework(part)) => return self.framework_call(part, name, args),
            Some(Static::Outside(path)) => return self.call_outside(&format!("{path}.{name}"), &args),
            _ => {}
        }
        if object.may_be(super::values::PROM) {
            return self.then(object, name, args);
        }
        if object.is_only(ARR) && name == "push" {
            if let Some((place, _)) = object.place.clone().filter(|(_, epoch)| *epoch == self.now.epoch) {
                return self.array_method(&place, name, args);
            }
            return self.refuse("`push` to a list of a request", "count with a number");
        }
        if object.origins.iter().any(|origin| origin.starts_with("o:")) {
            if matches!(name, "then" | "catch" | "finally") {
                self.mark(&object.origins.clone(), |uses| uses.awaited = true);
                return Ok(Val::undefined());
            }
            let path = object.origins.first().map(|origin| super::outside::short(origin).to_owned()).unwrap_or_default();
            return self.call_outside(&format!("{path}.{name}"), &args);
        }
        self.refuse(format!("`.{name}()` here"), "compute it in a function of the outside")
    }

    /// The entry of a map with this key.
    pub(super) fn entry(&mut self, place: &SharedPlace, key: &Val) -> Made<SharedPlace> {
        let key = self.plain(key.clone())?;
        self.mark(&key.origins.clone(), |uses| uses.key = true);
        if key.origins.iter().any(|origin| origin.starts_with("p:") && self.uses.get(origin).is_some_and(|uses| uses.arithmetic)) {
            return self.refuse("a parameter that is a key and a number", "take two parameters");
        }
        let wrong = key.tags.iter().any(|tag| *tag < super::values::FIRST_ATOM)
            || key.tags.is_empty()
            || self.is_vague(&key)
            || self.may_be_error(&key);
        if wrong || key.origins.iter().any(|origin| origin.starts_with("o:")) {
            return self.refuse("a key that is neither a parameter nor a text", "use a parameter of the request as the key");
        }
        if super::ops::known(&key.tag).is_none() && !key.tags.is_subset(&self.key_tokens()) && !self.first_round {
            return self.refuse("a key that is a parameter here and a text there", "use one of them");
        }
        Ok(place.entry(&key.tag))
    }

    fn map_method(&mut self, place: &SharedPlace, name: &str, args: Vec<Val>, items: &[ListItem]) -> Made<Val> {
        let Some(key) = args.first() else {
            if name == "clear" {
                return self.refuse("`clear` of a shared map", "replace entries one by one");
            }
            return self.refuse(format!("iteration over a shared map, `{name}`"), "keep what is needed in a variable of the module");
        };
        let entry = self.entry(place, key)?;
        match name {
            "get" => self.load(&entry),
            "has" => {
                let val = self.load(&entry)?;
                self.asks_whether_there(place);
                Ok(Val::truth(super::ops::not(&val.is(UNDEFINED))))
            }
            "set" => {
                let val = args.get(1).cloned().unwrap_or_else(Val::undefined);
                let val = self.plain(val)?;
                if val.may_be(UNDEFINED) {
                    let at = (self.span, self.requested.clone());
                    self.records.undefined.entry(place.base.clone()).or_insert(at);
                }
                self.type_of(&entry.base).tags.insert(UNDEFINED);
                self.store(&entry, &val)?;
                if let Some(ListItem::One(_, value)) = items.get(1) {
                    self.lies_there(value, &entry, &val);
                }
                Ok(Val::known(Static::Map(place.clone())))
            }
            "delete" => {
                let before = self.load(&entry)?;
                self.store(&entry, &Val::undefined())?;
                self.asks_whether_there(place);
                Ok(Val::truth(super::ops::not(&before.is(UNDEFINED))))
            }
            _ => self.refuse(format!("`{name}` of a shared map"), "use get, set, has and delete"),
        }
    }

    fn set_method(&mut self, place: &SharedPlace, name: &str, args: Vec<Val>) -> Made<Val> {
        let Some(key) = args.first() else {
            return self.refuse(format!("`{name}` of a shared set"), "use add, has, delete and size");
        };
        let entry = self.entry(place, key)?;
        self.note_member(&entry);
        match name {
            "has" => Ok(Val::truth(self.get(&entry, CellPart::Member))),
            "add" => {
                self.frees_once.insert(format!("filled {}", place.base));
                self.put(&entry, CellPart::Member, constant(TRUE))?;
                Ok(Val::known(Static::Set(place.clone())))
            }
            "delete" => {
                let before = self.get(&entry, CellPart::Member);
                self.frees_once.insert(format!("filled {}", place.base));
                self.put(&entry, CellPart::Member, constant(0))?;
                Ok(Val::truth(before))
            }
            _ => self.refuse(format!("`{name}` of a shared set"), "use add, has, delete and size"),
        }
    }

    fn note_member(&mut self, entry: &SharedPlace) {
        let values: Vec<BTreeSet<i64>> = entry.keys.iter().map(|key| self.key_values(key)).collect();
        let known = self.type_of(&entry.base);
        known.keys.resize(values.len(), BTreeSet::new());
        for (known, new) in known.keys.iter_mut().zip(values) {
            known.extend(new);
        }
    }

    /// The keys that the last dimension of a place can have.
    fn members(&mut self, place: &SharedPlace) -> Vec<i64> {
        let known = self.type_of(&format!("{}[]", place.base)).keys.last().cloned().unwrap_or_default();
        known.into_iter().collect()
    }

    fn set_size(&mut self, place: &SharedPlace) -> Made<Val> {
        let mut total = constant(0);
        let members = self.members(place);
        for member in &members {
            let bit = self.get(&place.entry(&constant(*member)), CellPart::Member);
            total = arithmetic("+", &total, &bit);
        }
        let num = self.hold(total);
        Ok(Val::int(num, Some((0, i64::try_from(members.len()).unwrap_or(0)))))
    }

    /// It is asked whether something is there.
    pub(super) fn asks_whether_there(&mut self, place: &SharedPlace) {
        self.frees_once.insert(format!("asked {}", place.base));
    }

    fn map_size(&mut self, place: &SharedPlace) -> Made<Val> {
        self.asks_whether_there(place);
        let mut total = constant(0);
        let members = self.members(place);
        for member in &members {
            let val = self.load(&place.entry(&constant(*member)))?;
            let there = super::ops::either(&super::ops::not(&val.is(UNDEFINED)), "1", "0");
            total = arithmetic("+", &total, &there);
        }
        let num = self.hold(total);
        Ok(Val::int(num, Some((0, i64::try_from(members.len()).unwrap_or(0)))))
    }

    /// An empty set is made at this place.
    pub(super) fn clear_set(&mut self, place: &SharedPlace) -> Made<()> {
        if self.starting {
            return Ok(());
        }
        self.another_there(place);
        for member in self.members(place) {
            self.put(&place.entry(&constant(member)), CellPart::Member, constant(0))?;
        }
        Ok(())
    }

    fn array_method(&mut self, place: &SharedPlace, name: &str, args: Vec<Val>) -> Made<Val> {
        let resolver = args.iter().find_map(|arg| match arg.statically() {
            Some(Static::Resolver(made)) => Some(*made),
            _ => None,
        });
        if let Some(made) = resolver {
            if name != "push" {
                return self.refuse(format!("`{name}` of a list of those who wait"), "use push and shift");
            }
            self.type_of(&place.base).bag = true;
            self.made[made].bag = Some(place.clone());
            return Ok(Val::undefined());
        }
        if self.type_of(&place.base).bag {
            return match name {
                "shift" | "pop" => Ok(self.one_waiting(place)),
                _ => self.refuse(format!("`{name}` of a list of those who wait"), "use push and shift"),
            };
        }
        match name {
            "push" => {
                let before = self.load(place)?;
                self.frees_once.insert(format!("filled {}", place.base));
                let more = constant(i64::try_from(args.len()).unwrap_or(0));
                let num = self.hold(arithmetic("+", &before.num, &more));
                let bounds = before.bounds.map(|(low, high)| (low, high + 1));
                self.store(place, &Val::array(num.clone(), bounds))?;
                Ok(Val::int(num, bounds))
            }
            _ => self.refuse(format!("`{name}` of a shared list"), "use push and length, or keep a map"),
        }
    }

    /// A field of a shared record that nothing assigns to, known from the start.
    pub(super) fn fixed(&mut self, place: &SharedPlace) -> Option<Val> {
        let known = self.type_of(&place.base).clone();
        let list = known.bag || (known.tags.len() == 1 && known.tags.contains(&ARR) && !self.starting);
        let found = if known.map {
            Static::Map(place.clone())
        } else if known.set {
            Static::Set(place.clone())
        } else if list {
            Static::Array(place.clone())
        } else {
            return None;
        };
        Some(Val { place: Some((place.clone(), self.now.epoch)), ..Val::known(found) })
    }
}

/// Where a call is, as Node says it: the name of what is called.
pub(super) fn called_at(callee: &Expr) -> u32 {
    match &callee.kind {
        ExprKind::Member(_, name) => callee.span.end.saturating_sub(u32::try_from(name.len()).unwrap_or(0)),
        _ => callee.span.start,
    }
}
