//! The module and its requests. What places can hold and how values are used is found out in rounds: each translates
//! everything with what the rounds before have seen, until a round sees nothing new.
//!
//! A function that the module hands out and that touches what is shared runs at moments that are not known: it is a
//! request if it is marked `/** @serval request */`, and the file is refused otherwise, because a proof without it
//! would be wrong.

mod handed;
mod plugins;
mod touching;

use std::collections::{BTreeMap, BTreeSet};

use serval_diagnostic::Span;

use super::answers::{AnswerShape, Answers};
use super::ops::{Kind, Op, Term, without_last_pauses, without_unread};
use super::outside::given_name;
use super::print::{Page, globals_of, parameters_of};
use super::state::{FoundRequest, Frame, Made, Maker, NoProgram, NotModelled, Now};
use super::values::{ARR, REC, SharedPlace, Static, Val};
use super::{CallShape, HandlerBounds, StepsProgram};
use crate::form::{Expr, ExprKind, Module, Stmt, StmtKind, VarId};
use crate::walk;

/// A request as operations.
struct Done {
    name: String,
    ops: Vec<Op>,
    answer: Term,
    refusals: Vec<Term>,
    shape: AnswerShape,
    span: Span,
}

/// How many rounds there may be.
const ROUNDS: usize = 40;

pub(super) fn translate(module: &Module, limits: &HandlerBounds) -> Result<StepsProgram, NoProgram> {
    if limits.keys.is_some() {
        return translate_with(module, limits).map_err(|(errors, _)| errors);
    }
    let two = HandlerBounds { keys: Some(2), ..limits.clone() };
    let one = HandlerBounds { keys: Some(1), ..limits.clone() };
    match translate_with(module, &two) {
        Ok(translation) if !translation.alone => Ok(translation),
        Err((errors, false)) => Err(errors),
        Ok(_) => translate_with(module, &one).map_err(|(errors, _)| errors),
        // Whether one key stands for all is known only where all requests are translated.
        Err((errors, true)) => translate_with(module, &one).ok().filter(|translation| translation.alone).ok_or(errors),
    }
}

/// Translates with a number of keys; an error says as well whether one key stands for all.
fn translate_with(module: &Module, limits: &HandlerBounds) -> Result<StepsProgram, (NoProgram, bool)> {
    let mut assigned = BTreeSet::new();
    walk::assigned_in(&module.top, &mut assigned);
    for function in &module.functions {
        walk::assigned_in(&function.body, &mut assigned);
    }
    for class in &module.classes {
        for (_, value) in &class.fields {
            if let Some(value) = value {
                walk::assigned_by(value, &mut assigned);
            }
        }
    }
    assigned.extend(&module.written);
    let mut maker = Maker::new(module, limits, assigned);
    let mut last = None;
    for round in 0..ROUNDS {
        maker.first_round = round < 2;
        let before = (
            maker.types.clone(),
            maker.uses.clone(),
            maker.predicted.clone(),
            maker.atoms.clone(),
            maker.initial.clone(),
            maker.frees_once.clone(),
            maker.records.clone(),
        );
        let (done, errors) = maker.round();
        for (origin, uses) in &mut maker.uses {
            // What was seen of a promise before it was known for one says nothing of its value.
            if uses.awaited && !before.1.get(origin).is_some_and(|before| before.awaited) {
                *uses = super::state::ValueUses { awaited: true, ..super::state::ValueUses::default() };
            }
        }
        if before.1 != maker.uses || before.2 != maker.predicted {
            maker.forget_types();
        }
        let after = (&maker.types, &maker.uses, &maker.predicted, &maker.atoms, &maker.initial, &maker.frees_once, &maker.records);
        let stable = (&before.0, &before.1, &before.2, &before.3, &before.4, &before.5, &before.6) == after;
        last = Some((done, errors));
        if stable {
            break;
        }
    }
    let (done, errors) = last.unwrap_or_default();
    if !errors.is_empty() {
        let alone = maker.keys_are_alone();
        let has_part = |name: &String| errors.iter().any(|why| why.request.as_ref() == Some(name));
        let others = done.into_iter().map(|one| one.name).filter(|name| !has_part(name)).collect();
        return Err((NoProgram { parts: errors, others }, alone));
    }
    if done.is_empty() {
        let help = "export a function or an instance that uses a variable of the module, or give a router a handler";
        let what = "no handler that touches the state of the module".to_owned();
        let part = NotModelled { what, help: help.to_owned(), span: Span::default(), request: None, is_mistake: true };
        return Err((NoProgram { parts: vec![part], others: Vec::new() }, false));
    }
    Ok(maker.printed(done))
}

impl<'m> Maker<'m> {
    fn new(module: &'m Module, limits: &'m HandlerBounds, assigned: BTreeSet<VarId>) -> Self {
        let keys = limits.keys.unwrap_or(2).max(1);
        Self {
            called_at: 0,
            outside: BTreeMap::new(),
            sleeps: BTreeSet::new(),
            module,
            limits,
            types: BTreeMap::new(),
            uses: BTreeMap::new(),
            predicted: BTreeSet::new(),
            atoms: (1..=keys).map(|key| format!("k{key}")).collect(),
            keys,
            starting: true,
            initial: BTreeMap::new(),
            ranges: BTreeMap::new(),
            module_vals: BTreeMap::new(),
            assigned,
            replaced: walk::replaced(module),
            frames: Vec::new(),
            here: 0,
            ops: Vec::new(),
            span: Span::default(),
            next: 0,
            now: Now::default(),
            activities: Vec::new(),
            cut: None,
            cut_base: 0,
            around: Vec::new(),
            made: Vec::new(),
            left_out: Vec::new(),
            found: Vec::new(),
            globals: BTreeMap::new(),
            frees_once: BTreeSet::new(),
            awaited_queues: BTreeSet::new(),
            swapped: BTreeSet::new(),
            first_round: true,
            gave_in: BTreeMap::new(),
            tokens: BTreeMap::new(),
            put_there: BTreeMap::new(),
            one_key_each: true,
            given_here: BTreeSet::new(),
            versions: BTreeSet::new(),
            refusing: Vec::new(),
            no_refusal: BTreeSet::new(),
            hidden: BTreeSet::new(),
            reach: (0, 3),
            out_of_reach: None,
            far: BTreeSet::new(),
            opaque: BTreeSet::new(),
            framework: "",
            records: super::records::Records::default(),
            loops: Vec::new(),
            requested: None,
            statement: 0,
            is_last: false,
            handed_over: BTreeMap::new(),
            plugin: None,
            in_plugin: false,
            plugged: BTreeSet::new(),
            plugin_vals: BTreeMap::new(),
            thrown: BTreeSet::new(),
            errors: BTreeMap::new(),
            vague: BTreeSet::new(),
        }
    }

    /// How values are used has turned out to be other than was thought: what places hold is found out anew.
    fn forget_types(&mut self) {
        for known in self.types.values_mut() {
            known.tags.clear();
            known.bounds = None;
            known.fields.clear();
            known.origins.clear();
            known.errors.clear();
            known.sites.clear();
        }
    }

    /// Whether one key stands for all: each request uses one parameter, as a key, and everything shared lies below
    /// keys. Then requests with different keys have nothing in common, and serial orders for each key make one for all.
    fn keys_are_alone(&self) -> bool {
        let plain = |uses: &super::state::ValueUses| {
            uses.key && !uses.arithmetic && !uses.condition && uses.nothing.is_empty() && uses.literals.is_empty() && uses.fields.is_empty()
        };
        let used: Vec<_> = self.uses.iter().filter(|(origin, _)| origin.starts_with("p:")).map(|(_, uses)| uses).collect();
        let used: Vec<_> = used.into_iter().filter(|uses| **uses != super::state::ValueUses::default()).collect();
        !used.is_empty()
            && self.one_key_each
            && used.iter().all(|uses| plain(uses))
            && self.globals.values().all(|global| self.types.get(&global.base).is_some_and(|known| !known.keys.is_empty()))
    }

    fn base_frame() -> Frame {
        Frame { flag: "x0".to_owned(), ..Frame::named(String::new(), 0) }
    }

    /// One round: the module, and then all requests.
    fn round(&mut self) -> (Vec<Done>, Vec<NotModelled>) {
        self.found.clear();
        self.left_out.clear();
        self.module_vals.clear();
        self.initial.clear();
        self.versions.clear();
        self.outside.clear();
        self.sleeps.clear();
        self.one_key_each = true;
        self.out_of_reach = None;
        self.globals.clear();
        self.records.begin();
        self.handed_over.clear();
        self.plugged.clear();
        self.plugin_vals.clear();
        (self.plugin, self.in_plugin) = (None, false);
        self.requested = None;
        self.fresh_request();
        self.starting = true;
        let mut errors = self.unknown_directives();
        for (place, statement) in self.module.top.iter().enumerate() {
            self.span = statement.span;
            let waits = |next: &Stmt| matches!(&next.kind, StmtKind::Expr(e) if matches!(e.kind, ExprKind::Await(_)));
            let declares = |next: &Stmt| matches!(&next.kind, StmtKind::Let(_, Some(e)) if matches!(e.kind, ExprKind::Function(_)));
            self.is_last = self.module.top[place + 1..].iter().all(|next| waits(next) || declares(next));
            self.statement = match &statement.kind {
                StmtKind::Let(variable, _) => self.module.variable(*variable).declared,
                _ => statement.span.start,
            };
            if let Err(why) = self.top(statement) {
                errors.push(*why);
            }
        }
        for export in &self.module.exports {
            if let Err(why) = self.exported(&export.name.clone(), &export.value.clone()) {
                errors.push(*why);
            }
        }
        self.starting = false;
        self.module_vals = std::mem::take(&mut self.module_vals).into_iter().map(|(variable, val)| (variable, val.of_module())).collect();
        let mut done = Vec::new();
        let mut found = self.found.clone();
        if let Some(wanted) = &self.limits.requests {
            for name in wanted.iter().filter(|name| !found.iter().any(|request| request.name == **name)) {
                let known: Vec<&str> = found.iter().map(|request| request.name.as_str()).collect();
                let help = format!("the requests are {}", known.join(", "));
                errors.push(NotModelled {
                    what: format!("a request of the name {name}, which there is not"),
                    help,
                    span: Span::default(),
                    request: None,
                    is_mistake: true,
                });
            }
            let (kept, others): (Vec<_>, Vec<_>) = found.into_iter().partition(|request| wanted.contains(&request.name));
            self.left_out.extend(others.into_iter().map(|request| request.name));
            found = kept;
        }
        let mut names: BTreeSet<String> = BTreeSet::new();
        for request in found {
            if !names.insert(request.name.clone()) {
                let (what, help) = (format!("two handlers of the name {}", request.name), "give them different names".to_owned());
                errors.push(NotModelled { what, help, span: request.span, request: None, is_mistake: false });
                continue;
            }
            self.requested = Some(request.name.clone());
            match self.request(&request) {
                Ok(one) => done.push(one),
                Err(why) => errors.push(NotModelled { request: Some(request.name.clone()), ..*why }),
            }
        }
        errors.extend(self.held_outside());
        (done, errors)
    }

    fn fresh_request(&mut self) {
        self.frames = vec![Self::base_frame()];
        self.here = 0;
        self.ops.clear();
        self.around.clear();
        self.next = 0;
        self.now = Now::default();
        self.activities.clear();
        self.cut = None;
        self.cut_base = 0;
        self.made.clear();
        self.awaited_queues.clear();
        self.swapped.clear();
        self.gave_in.clear();
        self.tokens.clear();
        self.given_here.clear();
        self.put_there.clear();
        self.refusing.clear();
        self.no_refusal.clear();
        self.loops.clear();
        self.thrown.clear();
    }

    /// A statement of the module.
    fn top(&mut self, statement: &Stmt) -> Made<()> {
        if self.directive(self.statement).is_some_and(|text| text.starts_with("ignore")) {
            return Ok(());
        }
        match &statement.kind {
            StmtKind::Let(variable, value) => {
                let val = match value {
                    Some(value) => self.eval(value)?,
                    None => Val::undefined(),
                };
                self.declare(*variable, &val)
            }
            StmtKind::Expr(e) => {
                let begun = match &e.kind {
                    // No request comes while it waits, or nothing of the module is behind it.
                    ExprKind::Await(inner) if self.found.is_empty() || self.is_last => inner,
                    _ => e,
                };
                if self.begins_nothing(begun)? {
                    return Ok(());
                }
                let is_call = matches!(begun.kind, ExprKind::Call(..));
                let val = self.eval(if is_call { begun } else { e })?;
                if is_call && matches!(e.kind, ExprKind::Await(_)) && !matches!(val.statically(), Some(Static::Outside(_))) {
                    return self.refuse("`await` in the module", "await in a request");
                }
                Ok(())
            }
            _ => self.block(std::slice::from_ref(statement)),
        }
    }

    /// Whether this is a call of an `async` function that has nothing to do with what is shared, as `start()`.
    fn begins_nothing(&mut self, e: &Expr) -> Made<bool> {
        let ExprKind::Call(callee, items) = &e.kind else { return Ok(false) };
        if !items.is_empty() || !matches!(callee.kind, ExprKind::Var(_)) {
            return Ok(false);
        }
        let function = self.eval(callee)?;
        Ok(match function.statically() {
            Some(Static::Function { id, .. }) => self.module.function(*id).is_async && !self.touches(*id),
            _ => false,
        })
    }

    /// What is said behind `@serval` and means nothing here: it would be left out in silence.
    fn unknown_directives(&self) -> Vec<NotModelled> {
        let known = |text: &str| {
            let word = text.split_whitespace().next().unwrap_or_default();
            ["request", "ignore"].contains(&word) || range(text).is_some_and(|(low, high, _)| low <= high)
        };
        let unknown = self.module.directives.iter().filter(|directive| !known(&directive.text));
        let said = |directive: &crate::form::Directive| NotModelled {
            what: format!("`@serval {}`", directive.text),
            help: "write `@serval request`, `@serval ignore` or a range such as `@serval 0..9`".to_owned(),
            span: directive.span,
            request: None,
            is_mistake: true,
        };
        unknown.map(said).collect()
    }

    fn directive(&self, about: u32) -> Option<&str> {
        self.module.directives.iter().find(|directive| directive.about == about).map(|directive| directive.text.as_str())
    }

    /// A variable of the module.
    pub(super) fn declare_shared(&mut self, variable: VarId, val: &Val) -> Made<()> {
        let place = self.module_place(variable);
        let known = self.module.variable(variable);
        if let Some(range) = self.directive(known.declared).and_then(range) {
            self.ranges.insert(place.base.clone(), range);
        }
        let changes = self.assigned.contains(&variable);
        let shared = || Val::known(Static::Builtin("shared".to_owned()));
        let fixed = match val.statically() {
            Some(Static::FreshMap) => Some(Val::known(Static::Map(place.clone()))),
            Some(Static::FreshSet) => Some(Val::known(Static::Set(place.clone()))),
            Some(_) => Some(val.clone()),
            None if val.is_only(ARR) => {
                self.store(&place, val)?;
                Some(Val::known(Static::Array(place.clone())))
            }
            // An object of functions, which nothing changes.
            None if val.is_only(REC) && !changes && is_of_functions(val) => Some(val.clone()),
            None if val.is_only(REC) && !changes => {
                for (name, field) in val.fields.iter() {
                    self.declare_field(&place.field(name), field)?;
                    self.type_of(&place.base).fields.insert(name.clone());
                }
                Some(Val::known(Static::Object(place.clone(), None)))
            }
            None if !changes => Some(val.clone()),
            None => None,
        };
        if changes && fixed.is_some() && !matches!(val.statically(), Some(Static::Outside(_))) {
            return self.refuse("a shared container that is replaced", "declare it with `const`, and change what is in it");
        }
        match fixed {
            Some(fixed) => self.module_vals.insert(variable, fixed),
            None => {
                self.store(&place, val)?;
                self.module_vals.insert(variable, shared())
            }
        };
        Ok(())
    }

    /// A field of a shared record.
    fn declare_field(&mut self, place: &SharedPlace, val: &Val) -> Made<()> {
        match val.statically() {
            Some(Static::FreshMap) => self.type_of(&place.base).map = true,
            Some(Static::FreshSet) => self.type_of(&place.base).set = true,
            Some(_) => return self.refuse("a function or an object in a shared record", "declare it by itself"),
            None if val.is_only(REC) => {
                self.type_of(&place.base).tags.insert(REC);
                self.store(place, val)?;
            }
            None => self.store(place, val)?,
        }
        Ok(())
    }

    /// `new C(…)`, once in the module.
    pub(super) fn instance(&mut self, id: crate::form::ClassId, args: Vec<Val>) -> Made<Val> {
        let class = self.module.class(id);
        if let Some(why) = &class.unsupported {
            self.span = why.span;
            return self.refuse(why.what.clone(), why.help.clone());
        }
        if !self.starting {
            return self.refuse(format!("`new {}` in a request", class.name), "make it once, in the module");
        }
        let place = SharedPlace { base: format!("{}@{}", class.name, self.span.start), keys: Vec::new() };
        let this = Val::known(Static::Object(place.clone(), Some(id)));
        for (name, value) in &class.fields {
            let val = match value {
                Some(value) => {
                    let outer = self.frames[0].this.replace(this.clone());
                    let val = self.eval(value);
                    self.frames[0].this = outer;
                    val?
                }
                None => Val::undefined(),
            };
            self.declare_field(&place.field(name), &val)?;
            self.type_of(&place.base).fields.insert(name.clone());
        }
        if let Some(constructor) = class.constructor {
            self.inline(constructor, 0, Some(this.clone()), args)?;
        }
        Ok(this)
    }

    fn request(&mut self, found: &FoundRequest) -> Made<Done> {
        self.fresh_request();
        self.framework = found.framework;
        self.span = found.span;
        let function = self.module.function(found.function);
        self.frames[0].path = found.name.chars().filter(char::is_ascii_alphanumeric).collect();
        self.push(Kind::Set("x0".to_owned(), "0".to_owned()));
        self.answer_begins(found.framework)?;
        let args: Vec<Val> = match found.framework {
            "express" => ["req", "res", "next"].map(|part| Val::known(Static::Framework(part))).to_vec(),
            "fastify" => ["req", "reply"].map(|part| Val::known(Static::Framework(part))).to_vec(),
            "koa" => vec![Val::known(Static::Framework("ctx"))],
            _ => function.param_names.iter().map(|name| Val::known(Static::Given(name.clone()))).collect(),
        };
        let this = found.this.clone();
        let mut val = self.inline(found.function, 0, this, args)?;
        if matches!(val.prom.as_deref(), Some(super::values::Prom::Bound { own: None, .. })) && !self.frame().dead {
            // What was chained to the promise first is done first.
            self.settle_all()?;
        }
        let mut rounds = 0;
        while val.may_be(super::values::PROM) && !self.frame().dead && rounds < 4 {
            val = self.await_val(&val)?;
            rounds += 1;
        }
        let val = self.plain(val)?;
        // Nothing sees what a function gives back that something outside calls.
        let val = if found.handed.is_some() { Val::undefined() } else { val };
        let answer = if self.frame().dead { Val::undefined() } else { self.answer(found.framework, &val)? };
        let answer = self.plain(answer)?;
        let answer = self.as_it_is(answer)?;
        if found.framework != "express" {
            self.comes_out(&answer, true);
        }
        // In variables, so that it is the same on all ways.
        let shape = self.shape(&answer)?;
        let number = self.encode(&answer, &shape)?;
        self.push(Kind::Set("answer".to_owned(), number));
        while !self.around.is_empty() {
            self.close();
        }
        self.frames[0].dead = false;
        // What was answered before a failure is answered.
        let replies = matches!(found.framework, "express" | "fastify");
        if self.frames[0].ended.contains(&super::run::THROWN) {
            let thrown = format!("(x0 == {})", super::run::THROWN);
            if replies {
                self.push(Kind::If(format!("({thrown} and (answered == 0))")));
            } else {
                self.push(Kind::If(thrown));
            }
            self.push(Kind::Set("answer".to_owned(), "(0 - err)".to_owned()));
            self.push(Kind::End);
        }
        if found.framework == "express" {
            self.push(Kind::If("(not (passed == 0))".to_owned()));
            self.push(Kind::Set("answer".to_owned(), "(0 - passed)".to_owned()));
            self.push(Kind::End);
        }
        self.nothing_is_owed()?;
        match self.answers_late() {
            Some(_) if found.framework == "express" => self.settle_and_answer(&shape)?,
            Some(span) if found.framework == "fastify" => {
                self.span = span;
                return self.refuse("an answer behind the end of the handler", "await what comes before it, and answer then");
            }
            _ => self.settle_all()?,
        }
        self.permits_are_taken();
        self.queues_are_kept()?;
        let mut refusals = Vec::new();
        let refusing: Vec<_> = self.refusing.iter().enumerate().filter(|(place, _)| !self.no_refusal.contains(place)).collect();
        let refusing: Vec<(i64, Val)> = refusing.into_iter().map(|(_, one)| one.clone()).collect();
        for (code, body) in refusing {
            let status = Val::int(super::ops::constant(code), Some((code, code)));
            let record = Val::record([("status".to_owned(), status), ("body".to_owned(), body)].into());
            let before = self.ops.len();
            let term = self.encode(&record, &shape)?;
            self.ops.truncate(before);
            if super::ops::known(&term).is_some() && !refusals.contains(&term) {
                refusals.push(term);
            }
        }
        self.one_key_each &= self.given_here.len() <= 1;
        let ops = without_last_pauses(std::mem::take(&mut self.ops));
        let ops = without_unread(ops, &["answer".to_owned()].into());
        Ok(Done { name: found.name.clone(), ops, answer: "answer".to_owned(), refusals, shape, span: found.span })
    }

    fn printed(&mut self, done: Vec<Done>) -> StepsProgram {
        let alone = self.keys_are_alone();
        let mut page = Page::default();
        let mut used = BTreeSet::new();
        for one in &done {
            used.extend(globals_of(&one.ops));
        }
        page.line("// handlers: every await pauses", Span::default());
        self.declarations(&used, &mut page);
        let mut answers = Answers { atoms: self.atoms.clone(), ..Answers::default() };
        let mut requests = Vec::new();
        let mut calls = BTreeMap::new();
        for (number, one) in (1..).zip(&done) {
            let letters: String = one.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
            let name = format!("r{number}_{letters}");
            let wanted = parameters_of(&one.ops, &one.answer);
            let mut parameters = Vec::new();
            for (origin, uses) in &self.uses {
                let Some(path) = origin.strip_prefix("p:") else { continue };
                let local = given_name(path);
                if !wanted.contains(&local) {
                    continue;
                }
                let values: Vec<i64> = if uses.arithmetic {
                    self.given_numbers(uses).into_iter().collect()
                } else {
                    self.given_tags(uses).into_iter().collect()
                };
                let list: Vec<String> = values.iter().map(i64::to_string).collect();
                parameters.push(format!("{local}: {{{}}}", list.join(", ")));
            }
            let list = if parameters.is_empty() { String::new() } else { format!("({})", parameters.join(", ")) };
            page.line(&format!("request {name}{list} {{"), one.span);
            for refusal in &one.refusals {
                page.line(&format!("  if (?) {{ return {refusal} }};"), one.span);
            }
            page.body(&one.ops, &one.answer, one.span);
            page.line("}", one.span);
            let found = self.found.iter().find(|found| found.name == one.name);
            let shape = CallShape {
                name: one.name.clone(),
                framework: found.map_or("", |found| found.framework),
                handed: found.and_then(|found| found.handed.clone()),
                plugin: found.and_then(|found| found.plugin.clone()),
                parameters: found.map_or_else(Vec::new, |found| self.module.function(found.function).param_names.clone()),
                given: self.given_parameters(&wanted),
                fixed: self.fixed_parameters(),
                refusals: Vec::new(),
            };
            calls.insert(name.clone(), shape);
            answers.shapes.insert(name.clone(), one.shape.clone());
            answers.requests.insert(name.clone(), one.name.clone());
            requests.push(one.name.clone());
            let framework = self.found.iter().find(|found| found.name == one.name).map_or("", |found| found.framework);
            if !framework.is_empty() {
                answers.frameworks.insert(name.clone(), framework);
            }
            let numbers = one.refusals.iter().filter_map(|term| super::ops::known(term));
            let refusals: Vec<_> = numbers.filter_map(|number| answers.shown(&name, number)).collect();
            if let Some(call) = calls.get_mut(&name) {
                call.refusals = refusals;
            }
        }
        let names = self.globals.iter().map(|(name, global)| (name.clone(), shown_path(&global.base))).collect();
        let mut bounded: Vec<String> = self.limits.requests.iter().map(|wanted| only(wanted, &self.left_out)).collect();
        bounded.extend([format!("outside values {}", self.limits.values), format!("keys {}", self.keys)]);
        if used.iter().any(|name| name.ends_with("_n")) {
            let more = if self.limits.numbers == super::Numbers::Few { 0 } else { 4 };
            let range = format!("{}..{}", self.reach.0 - more, self.reach.1 + more);
            bounded.push(format!("numbers {range} unless they begin or are declared otherwise"));
        }
        if used.iter().any(|name| name.ends_with("_bag")) {
            bounded.push("woken at once 2".to_owned());
        }
        if !self.versions.is_empty() {
            bounded.push("promises of a key held at once 2".to_owned());
        }
        let Page { text, places } = page;
        let outside = self.outside_calls();
        // Values of the outside may have names of their own.
        answers.atoms = self.atoms.clone();
        let (left_out, out_of_reach) = (self.left_out.clone(), self.out_of_reach.clone());
        StepsProgram { outside, calls, text, places, answers, names, bounded, requests, alone, left_out, out_of_reach }
    }
}

/// The requests that were asked for, and what was left out.
fn only(wanted: &[String], left_out: &[String]) -> String {
    let words = |list: &[String]| match list {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => list.concat(),
    };
    let kept = format!("only the {} {}", if wanted.len() == 1 { "request" } else { "requests" }, words(wanted));
    if left_out.is_empty() { kept } else { format!("{kept}, without {}", words(left_out)) }
}

/// Whether a record has functions, and nothing else.
fn is_of_functions(val: &Val) -> bool {
    !val.fields.is_empty() && val.fields.values().all(|field| matches!(field.statically(), Some(Static::Function { .. })))
}

/// A path as people know it: `search.ready`, `cache[…]`.
fn shown_path(base: &str) -> String {
    let mut shown = String::new();
    let mut skipping = false;
    for character in base.chars() {
        match character {
            '@' => skipping = true,
            c if skipping && c.is_ascii_digit() => {}
            '?' | '!' | '#' => skipping = false,
            c => {
                skipping = false;
                shown.push(c);
            }
        }
    }
    shown.replace("[]", "[…]").trim_end_matches('.').to_owned()
}

/// `0..9`, with `wrap` or without.
fn range(text: &str) -> Option<(i64, i64, bool)> {
    let first = text.split_whitespace().next()?;
    let (low, high) = first.split_once("..")?;
    Some((low.parse().ok()?, high.parse().ok()?, text.contains("wrap")))
}
