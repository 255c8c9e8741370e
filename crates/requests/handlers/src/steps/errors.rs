//! Errors: their classes, texts and fields.
//!
//! **Claim.** What is read of an error is what Node reads. *Why.* An error is a tag of its own, by the class, the text
//! and the fields with which it is made, so that what they are is known for each tag; a text or field that is not
//! written down at the place where the error is made is vague. What is vague is answered and moved within a request,
//! and is neither compared, nor a key, nor shared: one tag stands for many. An error of the outside may have any text
//! and any class of the language, and none of the file. A text or a field with what is shared in it would
//! answer that; it is refused.

use std::collections::{BTreeMap, BTreeSet};

use super::ops::{Kind, Term, among, constant, either, equal, known, locals};
use super::state::{Frame, Made, Maker};
use super::thrown::{ErrorClass, KnownError, MARK, VAGUE};
use super::values::{FIRST_ATOM, INT, NULL, PROM, REC, STAT, Static, UNDEFINED, Val};
use crate::form::{AssignTarget, ClassId, Expr, ExprKind, ListItem, LogicalOp, StmtKind, VarId};

/// A condition that asks for the class of a variable: its place, the tags that have the class, and whether it has one
/// of them where the condition holds and where it does not.
pub(super) struct AskedClass {
    cell: String,
    tags: BTreeSet<i64>,
    yes: Option<bool>,
    no: Option<bool>,
}

impl Maker<'_> {
    fn error(&mut self, error: KnownError) -> i64 {
        let class = match &error.class {
            ErrorClass::Known(name) => name.clone(),
            ErrorClass::Own(id) => format!("{}", id.0),
        };
        let vague = format!("{VAGUE}{}", self.span.start);
        // All errors of this class are one for those who perform runs.
        let message = error.message.clone().unwrap_or(vague);
        let shown = if class == "TypeError" { "TypeError" } else { &message };
        let fields: Vec<String> = error
            .fields
            .iter()
            .map(|(name, value)| match value {
                Some(value) => format!("{name}={}/{}", value.tag, value.num),
                None => format!("{name}@{}", self.span.start),
            })
            .collect();
        let outside = if error.is_outside { "!" } else { "" };
        let name = format!("{MARK}{class}{outside} {} {message}{MARK}{shown}", fields.join(","));
        let tag = self.named(&name);
        self.errors.insert(tag, error);
        tag
    }

    fn known_error(&mut self, class: &str, message: Option<String>) -> i64 {
        let class = ErrorClass::Known(class.to_owned());
        self.error(KnownError { class, message, fields: BTreeMap::new(), is_outside: false })
    }

    /// The failure of a call of the outside.
    pub(super) fn failure_of(&mut self, path: &str) -> i64 {
        let class = ErrorClass::Known("Error".to_owned());
        self.error(KnownError { class, message: Some(format!("{path} failed")), fields: BTreeMap::new(), is_outside: true })
    }

    /// What an operation throws that cannot be done.
    pub(super) fn type_error_tag(&mut self) -> i64 {
        let span = std::mem::take(&mut self.span);
        let tag = self.known_error("TypeError", None);
        self.span = span;
        tag
    }

    /// `new Error('…')` of a class of the language.
    pub(super) fn error_value(&mut self, class: &str, args: &[Val]) -> Made<Val> {
        let message = self.error_text(args.first())?;
        for beside in args.iter().skip(1) {
            self.is_of_the_request(beside)?;
        }
        Ok(Val::atom(self.known_error(class, message)))
    }

    /// The text of an error, if it is written down.
    fn error_text(&mut self, given: Option<&Val>) -> Made<Option<String>> {
        let Some(val) = given else { return Ok(Some(String::new())) };
        let text = (val.tags.len() == 1 && val.origins.is_empty()).then(|| val.tags.first().copied()).flatten();
        let text = text.filter(|tag| !self.errors.contains_key(tag) && !self.vague.contains(tag)).and_then(|tag| self.text_of(tag));
        if text.is_none() {
            self.is_of_the_request(val)?;
        }
        Ok(text)
    }

    /// Text and fields of an error that are not written down are not compared, so they have nothing that is shared.
    fn is_of_the_request(&self, val: &Val) -> Made<()> {
        if !self.starting && self.depends_on_shared(val) {
            return self.refuse("an error that has what is shared", "throw what is written down, and answer the value");
        }
        Ok(())
    }

    /// A field of an error, if it is written down.
    fn error_field(&mut self, val: Val) -> Made<Option<Val>> {
        let kept = written(val.clone());
        if kept.is_none() {
            self.is_of_the_request(&val)?;
        }
        Ok(kept)
    }

    /// The conditions around each operation, without those inside which it goes on here.
    fn conditions(&self) -> Vec<BTreeSet<String>> {
        let (mut ends, mut open) = (BTreeMap::new(), Vec::new());
        for (place, op) in self.ops.iter().enumerate() {
            match op.kind {
                Kind::If(_) | Kind::While(_) => open.push(place),
                Kind::End => {
                    open.pop().map(|begin| ends.insert(begin, place));
                }
                _ => {}
            }
        }
        let mut around: Vec<BTreeSet<String>> = vec![BTreeSet::new(); self.ops.len()];
        for (begin, end) in ends {
            if let Kind::If(term) | Kind::While(term) = &self.ops[begin].kind {
                let said = locals(term);
                around[begin..end].iter_mut().for_each(|inside| inside.extend(said.iter().cloned()));
            }
        }
        around
    }

    /// Whether a value comes from what is shared.
    pub(super) fn depends_on_shared(&self, val: &Val) -> bool {
        let mut wanted: BTreeSet<String> = locals(&val.tag);
        wanted.extend(locals(&val.num));
        if let Some(Static::Parts(list) | Static::Tuple(list)) = val.stat.as_deref() {
            return list.iter().any(|inner| self.depends_on_shared(inner));
        }
        if val.fields.values().any(|inner| self.depends_on_shared(inner)) || val.place.is_some() {
            return true;
        }
        // Backwards, until nothing is new; what was made elsewhere may be anything.
        let around = self.conditions();
        loop {
            let before = wanted.len();
            for (op, around) in self.ops.iter().zip(&around).rev() {
                match &op.kind {
                    Kind::Read(local, _) if wanted.contains(local) => return true,
                    Kind::Set(local, term) if wanted.contains(local) => {
                        wanted.extend(locals(term));
                        wanted.extend(around.iter().cloned());
                    }
                    Kind::Choose(local, _) if wanted.contains(local) => wanted.extend(around.iter().cloned()),
                    _ => {}
                }
            }
            if wanted.len() == before {
                break;
            }
        }
        let made = |name: &String| {
            name.starts_with("p_")
                || self.ops.iter().any(|op| match &op.kind {
                    Kind::Set(local, _) | Kind::Choose(local, _) => local == name,
                    _ => false,
                })
        };
        !wanted.iter().all(made)
    }

    /// Whether a class of the file is one of errors.
    pub(super) fn is_error_class(&self, id: ClassId) -> bool {
        self.base_of(id).is_some()
    }

    /// What a class of errors extends.
    fn base_of(&self, id: ClassId) -> Option<ErrorClass> {
        let extended = self.module.class(id).extends.as_ref()?;
        match &extended.kind {
            ExprKind::Global(name) if name == "Error" => Some(ErrorClass::Known(name.clone())),
            ExprKind::Var(variable) => match self.module_vals.get(variable)?.statically()? {
                // Those before it, so that there is no circle.
                Static::Class(base) if base.0 < id.0 && self.is_error_class(*base) => Some(ErrorClass::Own(*base)),
                _ => None,
            },
            _ => None,
        }
    }

    /// `new X('…')` of a class of errors of the file.
    pub(super) fn own_error(&mut self, id: ClassId, args: Vec<Val>) -> Made<Val> {
        let class = self.module.class(id);
        if let Some(why) = &class.unsupported {
            self.span = why.span;
            return self.refuse(why.what.clone(), why.help.clone());
        }
        let site = self.span;
        let mut fields = BTreeMap::new();
        let message = self.error_parts(id, args, &mut fields, 0)?;
        self.span = site;
        Ok(Val::atom(self.error(KnownError { class: ErrorClass::Own(id), message, fields, is_outside: false })))
    }

    /// The text of an error of the file; its fields are added.
    fn error_parts(&mut self, id: ClassId, args: Vec<Val>, fields: &mut BTreeMap<String, Option<Val>>, depth: u32) -> Made<Option<String>> {
        let class = self.module.class(id);
        let above = |this: &mut Self, args: Vec<Val>, fields: &mut BTreeMap<String, Option<Val>>| match this.base_of(id) {
            Some(ErrorClass::Own(base)) if depth < 16 => this.error_parts(base, args, fields, depth + 1),
            Some(ErrorClass::Known(_)) => this.error_text(args.first()),
            _ => this.refuse("inheritance", "put the fields and methods into one class"),
        };
        if !class.methods.is_empty() {
            return self.refuse("methods of an error", "make functions of them");
        }
        let mut message = None;
        let own = |this: &mut Self, fields: &mut BTreeMap<String, Option<Val>>| -> Made<()> {
            for (name, value) in &class.fields {
                let val = value.as_ref().map_or_else(|| Ok(Val::undefined()), |value| this.value(value))?;
                let kept = this.error_field(val)?;
                fields.insert(name.clone(), kept);
            }
            Ok(())
        };
        let Some(constructor) = class.constructor else {
            let message = above(self, args, fields)?;
            own(self, fields)?;
            return Ok(message);
        };
        let function = self.module.function(constructor);
        let at = self.span.start;
        let path = format!("{}e{at}", self.frame().path);
        let made = Frame { functions: self.frame().functions.clone(), ..Frame::named(path, self.here) };
        self.frames.push(made);
        let caller = std::mem::replace(&mut self.here, self.frames.len() - 1);
        let mut args = args.into_iter();
        for parameter in &function.params {
            let val = args.next().unwrap_or_else(Val::undefined);
            self.declare_local(*parameter, &val)?;
        }
        for statement in &function.body {
            self.span = statement.span;
            match &statement.kind {
                StmtKind::Let(variable, Some(value)) => {
                    let val = self.value(value)?;
                    self.declare_local(*variable, &val)?;
                }
                StmtKind::Expr(e) => match &e.kind {
                    ExprKind::Call(callee, items) if matches!(&callee.kind, ExprKind::Global(name) if name == "super") => {
                        let mut given = self.arguments_of(items)?;
                        // What stands for a parameter without an argument.
                        for (val, item) in given.iter_mut().zip(items) {
                            if let ListItem::One(_, value) = item {
                                *val = self.value(value)?;
                            }
                        }
                        message = Some(above(self, given, fields)?);
                        own(self, fields)?;
                    }
                    ExprKind::Assign(AssignTarget::Member(object, name), value) if matches!(object.kind, ExprKind::This) => {
                        let val = self.value(value)?;
                        let kept = self.error_field(val)?;
                        fields.insert(name.clone(), kept);
                    }
                    ExprKind::Call(callee, _) if is_stack(callee) => {}
                    _ => return self.refuse("a constructor of an error that does more", "call `super` and keep values in fields"),
                },
                _ => return self.refuse("a constructor of an error that does more", "call `super` and keep values in fields"),
            }
        }
        self.here = caller;
        if let Some(Some(val)) = fields.get("message") {
            let text = val.tags.first().and_then(|tag| self.text_of(*tag));
            return Ok(text);
        }
        match message {
            Some(message) if !fields.contains_key("message") => Ok(message),
            _ => Ok(None),
        }
    }

    fn declare_local(&mut self, variable: VarId, val: &Val) -> Made<()> {
        let here = self.here;
        self.frames[here].vars.insert(variable);
        let place = self.cell(here, variable);
        self.write_cell(&place, val, self.assigned.contains(&variable))
    }

    /// Whether a value may be an error.
    pub(super) fn may_be_error(&self, val: &Val) -> bool {
        val.tags.iter().any(|tag| self.errors.contains_key(tag))
    }

    /// A field of an error.
    pub(super) fn error_member(&mut self, val: &Val, name: &str) -> Made<Val> {
        let broken = val.is_one_of(&[NULL, UNDEFINED]);
        self.type_error(&broken)?;
        if self.frame().dead {
            return Ok(Val::undefined());
        }
        let mut parts: Vec<(i64, Val)> = Vec::new();
        for tag in val.tags.clone().into_iter().filter(|tag| ![NULL, UNDEFINED].contains(tag)) {
            let Some(error) = self.errors.get(&tag).cloned() else {
                return self.refuse(format!("`.{name}` of what may be no error"), "ask `instanceof Error` before");
            };
            let part = match (name, error.fields.get(name)) {
                ("message", _) => {
                    let is_vague = error.is_outside || error.message.is_none();
                    let text = error.message.clone().unwrap_or_else(|| format!("{VAGUE}{tag}"));
                    let text = self.atom(&text);
                    if is_vague {
                        self.vague.insert(text);
                    }
                    Val::atom(text)
                }
                (_, Some(Some(field))) => field.clone(),
                (_, Some(None)) => {
                    return self.refuse(format!("`.{name}` of an error, which is not written down where it is made"), "answer `message`");
                }
                _ if error.is_outside => {
                    return self.refuse(
                        format!("`.{name}` of an error of the outside"),
                        "ask `instanceof` with a class of the file before, or use `message`",
                    );
                }
                ("name", None) => match &error.class {
                    ErrorClass::Known(class) => Val::atom(self.atom(&class.clone())),
                    ErrorClass::Own(_) => Val::atom(self.atom("Error")),
                },
                ("stack" | "cause" | "constructor" | "toString", None) => {
                    return self.refuse(format!("`.{name}` of an error"), "use `message` or a field");
                }
                (_, None) => Val::undefined(),
            };
            parts.push((tag, part));
        }
        let Some((_, last)) = parts.last().cloned() else { return Ok(Val::undefined()) };
        if parts.iter().all(|(_, part)| *part == last) {
            return Ok(last);
        }
        let (mut tags, mut tag, mut num): (BTreeSet<i64>, Term, Term) = (last.tags.clone(), last.tag.clone(), last.num.clone());
        let mut bounds = last.bounds.unwrap_or((0, 0));
        for (of, part) in parts.iter().rev().skip(1) {
            let is = equal(&val.tag, &constant(*of));
            tag = either(&is, &part.tag, &tag);
            num = either(&is, &part.num, &num);
            tags.extend(&part.tags);
            let (low, high) = part.bounds.unwrap_or((0, 0));
            bounds = if part.may_be(INT) { (bounds.0.min(low), bounds.1.max(high)) } else { bounds };
        }
        let (tag, num) = (self.hold(tag), self.hold(num));
        Ok(Val { num, bounds: Some(bounds), ..Val::tagged(tags, tag) })
    }

    /// The tags of a value that are errors of a class.
    fn of_class(&mut self, val: &Val, class: &Expr) -> Made<BTreeSet<i64>> {
        if val.may_be(STAT) || val.may_be(REC) || val.may_be(PROM) || !val.origins.is_empty() {
            return self.refuse("`instanceof` of what may be no error", "ask for a field that tells it apart");
        }
        let class = self.eval(class)?;
        let wanted = match class.statically() {
            Some(Static::Builtin(name)) if name.ends_with("Error") => ErrorClass::Known(name.clone()),
            Some(Static::Class(id)) if self.is_error_class(*id) => ErrorClass::Own(*id),
            _ => return self.refuse("`instanceof` with this class", "ask for `Error`, or for a class of the file that extends it"),
        };
        let mut found = BTreeSet::new();
        for tag in &val.tags {
            let Some(error) = self.errors.get(tag) else { continue };
            let mut here = Some(error.class.clone());
            let is_any = wanted == ErrorClass::Known("Error".to_owned());
            if error.is_outside && !is_any && matches!(wanted, ErrorClass::Known(_)) {
                return self.refuse("`instanceof` with a class of the language, of an error of the outside", "ask for `Error`");
            }
            while let Some(class) = here {
                if class == wanted || is_any {
                    found.insert(*tag);
                    break;
                }
                here = if let ErrorClass::Own(id) = class { self.base_of(id) } else { None };
            }
        }
        Ok(found)
    }

    /// `value instanceof Class`
    pub(super) fn instance_of(&mut self, left: &Expr, right: &Expr) -> Made<Val> {
        let val = self.value(left)?;
        let tags = self.of_class(&val, right)?;
        if val.tags.iter().all(|tag| tags.contains(tag)) {
            return Ok(Val::truth(constant(1)));
        }
        let is = among(&val.tag, tags);
        let held = self.hold(is);
        Ok(Val::truth(held))
    }

    /// Where a condition asks for the class of a variable.
    pub(super) fn asks_for_class(&mut self, condition: &Expr) -> Made<Option<AskedClass>> {
        let (asked, yes, no) = match &condition.kind {
            ExprKind::Not(inner) => (&**inner, Some(false), Some(true)),
            ExprKind::Logical(LogicalOp::And, first, _) => (&**first, Some(true), None),
            _ => (condition, Some(true), Some(false)),
        };
        let ExprKind::InstanceOf(left, right) = &asked.kind else { return Ok(None) };
        let ExprKind::Var(variable) = &left.kind else { return Ok(None) };
        let Some(cell) = self.cell_of(*variable) else { return Ok(None) };
        let before = self.ops.len();
        let val = self.value(left)?;
        let tags = self.of_class(&val, right)?;
        self.ops.truncate(before);
        Ok(Some(AskedClass { cell: cell.base, tags, yes, no }))
    }

    /// What is known where the answer to such a condition is known.
    pub(super) fn narrow(&mut self, asked: Option<&AskedClass>, holds: bool) {
        if let Some(AskedClass { cell, tags, yes, no }) = asked
            && let Some(inside) = if holds { *yes } else { *no }
        {
            self.now.narrowed.insert(cell.clone(), (tags.clone(), inside));
        }
    }

    /// What is vague is neither compared nor shared.
    pub(super) fn is_vague(&self, val: &Val) -> bool {
        val.tags.iter().any(|tag| self.vague.contains(tag))
    }
}

/// A value that is written down.
fn written(val: Val) -> Option<Val> {
    let plain = val.tags.len() == 1 && val.origins.is_empty() && known(&val.num).is_some() && val.stat.is_none() && val.prom.is_none();
    let simple = val.tags.iter().all(|tag| *tag < REC || *tag >= FIRST_ATOM) && known(&val.tag).is_some();
    (plain && simple && val.fields.is_empty()).then_some(Val { sites: BTreeSet::new(), place: None, ..val })
}

/// `Error.captureStackTrace`
fn is_stack(callee: &Expr) -> bool {
    matches!(&callee.kind, ExprKind::Member(object, name)
        if name == "captureStackTrace" && matches!(&object.kind, ExprKind::Global(of) if of == "Error"))
}
