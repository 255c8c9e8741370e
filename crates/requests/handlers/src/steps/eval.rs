//! Expressions, from left to right. What an expression reads it reads when it comes to it: the terms of its value are
//! of locals that nothing assigns to again, so an operand that is kept over a pause is what it was.

use std::collections::BTreeMap;

use super::calls::Spot;
use super::errors::AskedClass;
use super::identity::deep;
use super::ops::{Term, all, any, arithmetic, constant, either, equal, known, not};
use super::state::{Made, Maker};
use super::values::{ARR, FALSE, HandlerBounds, INT, NULL, PROM, REC, STAT, Static, TRUE, UNDEFINED, Val};
use crate::form::{AssignTarget, BinaryOp, Expr, ExprKind, ListItem, LogicalOp, UpdateOp, VarId};

/// Modules whose locks are not modelled: what is done with them is no call that answers at any time.
const LOCKS: [&str; 12] = [
    "async-mutex",
    "await-lock",
    "async-lock",
    "async-await-mutex-lock",
    "async-sema",
    "await-semaphore",
    "mutexify",
    "p-limit",
    "p-queue",
    "p-memoize",
    "p-throttle",
    "semaphore",
];

impl Maker<'_> {
    pub(super) fn eval(&mut self, e: &Expr) -> Made<Val> {
        if self.frame().dead {
            return Ok(Val::undefined());
        }
        let outer = std::mem::replace(&mut self.span, e.span);
        let made = self.eval_here(e);
        if made.is_ok() {
            self.span = outer;
        }
        made
    }

    fn eval_here(&mut self, e: &Expr) -> Made<Val> {
        Ok(match &e.kind {
            ExprKind::Undefined => Val::undefined(),
            ExprKind::Null => Val::atom(NULL),
            ExprKind::Bool(value) => Val::atom(i64::from(*value)),
            ExprKind::Number(value) => Val::int(constant(*value), Some((*value, *value))),
            ExprKind::Text(text) => Val::atom(self.atom(text)),
            ExprKind::Template(texts, parts) if parts.is_empty() => Val::atom(self.atom(&texts.concat())),
            ExprKind::Template(texts, parts) => {
                let mut list = Vec::new();
                for (place, text) in texts.iter().enumerate() {
                    if !text.is_empty() {
                        list.push(Val::atom(self.atom(text)));
                    }
                    if let Some(part) = parts.get(place) {
                        list.push(self.value(part)?);
                    }
                }
                Val::known(Static::Parts(list))
            }
            ExprKind::Var(variable) => self.variable(*variable)?,
            ExprKind::This => match self.frame().this.clone() {
                Some(this) => this,
                None => return self.refuse("`this` outside of a method", "name the object"),
            },
            ExprKind::Function(id) => {
                let frame = self.here;
                if self.starting && frame != 0 {
                    self.made_in_call(*id);
                }
                let this = (!self.module.function(*id).has_this).then(|| self.frame().this.clone()).flatten();
                Val::known(Static::Function { id: *id, frame, this })
            }
            ExprKind::Class(id) => Val::known(Static::Class(*id)),
            ExprKind::Import(module, name) => self.import(module, name)?,
            ExprKind::Global(name) => Val::known(Static::Builtin(name.clone())),
            ExprKind::Object(items) => self.object(items)?,
            ExprKind::Array(items) => self.array(items)?,
            ExprKind::Member(object, name) => {
                let object = self.eval(object)?;
                let val = self.member(&object, name)?;
                match val.statically() {
                    Some(Static::Method(..)) => self.plain(val)?,
                    _ => val,
                }
            }
            ExprKind::Index(object, index) => {
                let object = self.eval(object)?;
                let index = self.eval(index)?;
                self.index(&object, &index)?
            }
            ExprKind::Call(callee, items) => self.call(callee, items)?,
            ExprKind::New(callee, items) => self.construct(callee, items)?,
            ExprKind::Assign(target, value) => self.assign(target, value)?,
            ExprKind::Update(target, op, value, old) => self.update(target, *op, value, *old)?,
            ExprKind::Not(inner) => {
                let condition = self.condition(inner)?;
                Val::truth(not(&condition))
            }
            ExprKind::Negate(inner) => {
                let val = self.value(inner)?;
                let zero = Val::int(constant(0), Some((0, 0)));
                self.arithmetic(BinaryOp::Subtract, &zero, &val)?
            }
            ExprKind::Void(inner) => {
                self.eval(inner)?;
                Val::undefined()
            }
            ExprKind::InstanceOf(left, right) => self.instance_of(left, right)?,
            ExprKind::In(key, object) => self.is_in(key, object)?,
            ExprKind::Absent => Val::undefined(),
            ExprKind::Elements(list) => self.elements(list)?,
            ExprKind::ElementAt(list, place) => self.element_at(list, place)?,
            ExprKind::Binary(op, left, right) => {
                let left = self.value(left)?;
                let right = self.value(right)?;
                self.binary(*op, &left, &right)?
            }
            ExprKind::Logical(op, left, right) => {
                let asked = if *op == LogicalOp::And { self.asks_for_class(left)? } else { None };
                let first = self.value(left)?;
                self.logical(*op, first, right, asked.as_ref())?
            }
            ExprKind::Conditional(condition, yes, no) => {
                let asked = self.asks_for_class(condition)?;
                let condition = self.condition(condition)?;
                let branch = |this: &mut Self, holds: bool, value: &Expr| {
                    this.narrow(asked.as_ref(), holds);
                    this.value(value)
                };
                self.choice(&condition, |this| branch(this, true, yes), |this| branch(this, false, no))?
            }
            ExprKind::Bind(variable, value, body) => {
                let val = self.eval(value)?;
                self.declare(*variable, &val)?;
                self.eval(body)?
            }
            ExprKind::Await(inner) => {
                let val = self.awaited_operand(inner)?;
                self.span = e.span;
                // A plugin may wait for what it registers: no request comes before.
                if self.in_plugin && matches!(val.statically(), Some(Static::Outside(_))) {
                    return Ok(val);
                }
                self.await_val(&val)?
            }
            ExprKind::Unsupported(what) => {
                self.span = what.span;
                return self.refuse(what.what.clone(), what.help.clone());
            }
        })
    }

    /// A value that is looked at, and not only handed on.
    pub(super) fn value(&mut self, e: &Expr) -> Made<Val> {
        let val = self.eval(e)?;
        self.plain(val)
    }

    /// What is called.
    pub(super) fn callee(&mut self, e: &Expr) -> Made<Val> {
        let ExprKind::Member(object, name) = &e.kind else { return self.eval(e) };
        let object = self.eval(object)?;
        self.span = e.span;
        if object.origins.iter().any(|origin| origin.starts_with("o:")) && !object.may_be(PROM) {
            self.mark(&object.origins.clone(), |uses| uses.moved |= false);
            return Ok(Val::known(Static::Method(Box::new(object), name.clone())));
        }
        self.member(&object, name)
    }

    /// Where a variable of a function lives.
    pub(super) fn owner(&self, variable: VarId) -> Option<usize> {
        let mut frame = self.here;
        loop {
            if self.frames[frame].vars.contains(&variable) {
                return Some(frame);
            }
            if frame == 0 {
                return None;
            }
            frame = self.frames[frame].parent;
        }
    }

    fn variable(&mut self, variable: VarId) -> Made<Val> {
        if let Some(val) = self.module_vals.get(&variable).cloned() {
            return match val.statically() {
                // A variable of the module that requests assign to.
                Some(Static::Builtin(shared)) if shared == "shared" => {
                    let place = self.module_place(variable);
                    self.load(&place)
                }
                _ => Ok(val),
            };
        }
        match self.owner(variable) {
            Some(frame) => {
                let place = self.cell(frame, variable);
                let val = self.read_cell(&place)?;
                self.name_is_read(&place, &val, variable)?;
                Ok(val)
            }
            None if self.plugin_vals.contains_key(&variable) => Ok(self.plugin_vals[&variable].clone()),
            None => {
                let known = self.module.variable(variable);
                let (what, help) = if known.module {
                    (format!("`{}`, which has no value yet", known.name), "declare it before it is used")
                } else {
                    (format!("`{}`, a variable of a call that the module has made", known.name), "make it a variable of the module")
                };
                self.refuse(what, help)
            }
        }
    }

    pub(super) fn module_place(&self, variable: VarId) -> super::values::SharedPlace {
        super::values::SharedPlace { base: self.module.variable(variable).name.clone(), keys: Vec::new() }
    }

    /// Declares a variable here.
    pub(super) fn declare(&mut self, variable: VarId, val: &Val) -> Made<()> {
        if self.here == 0 && self.starting {
            return self.declare_shared(variable, val);
        }
        let here = self.here;
        self.frames[here].vars.insert(variable);
        let place = self.cell(here, variable);
        let cell = self.assigned.contains(&variable);
        self.names(&place, val);
        self.write_cell(&place, val, cell)
    }

    fn import(&mut self, module: &str, name: &str) -> Made<Val> {
        if LOCKS.contains(&module) {
            return self.refuse(format!("a lock of `{module}`"), "keep a chain of promises in the module");
        }
        let timers = matches!(module, "node:timers/promises" | "timers/promises");
        if timers && matches!(name, "setTimeout" | "setImmediate") {
            return Ok(Val::known(Static::Builtin("sleep".to_owned())));
        }
        let is_framework = ["express", "fastify", "koa"].iter().any(|known| module.contains(known));
        let shown = match name {
            "default" | "*" => module.to_owned(),
            _ if is_framework && self.starting => format!("{module}.{name}"),
            _ => name.to_owned(),
        };
        Ok(Val::known(Static::Outside(shown)))
    }

    fn object(&mut self, items: &[ListItem]) -> Made<Val> {
        let mut fields: BTreeMap<String, Val> = BTreeMap::new();
        for item in items {
            match item {
                ListItem::One(name, value) => {
                    let val = self.value(value)?;
                    fields.insert(name.clone(), val);
                }
                ListItem::Spread(value) => {
                    let val = self.eval(value)?;
                    let val = self.as_it_is(val)?;
                    match val.statically() {
                        Some(Static::Object(place, _)) => {
                            let names = self.type_of(&place.base).fields.clone();
                            for name in names {
                                let field = self.load(&place.field(&name))?;
                                fields.insert(name, field);
                            }
                        }
                        // What a caller gives has fields that nothing here looks at.
                        Some(_) => {}
                        None if val.is_only(REC) => fields.extend(val.fields.iter().map(|(name, field)| (name.clone(), field.clone()))),
                        None if val.may_be(REC) => return self.refuse("`...` of what may be no object", "test it before"),
                        None => {}
                    }
                }
            }
        }
        Ok(self.made_here(Val::record(fields), ""))
    }

    fn array(&mut self, items: &[ListItem]) -> Made<Val> {
        let (mut length, mut bounds): (Term, HandlerBounds) = (constant(0), Some((0, 0)));
        let mut sites = std::collections::BTreeSet::new();
        let mut elements = Vec::new();
        let mut spread = false;
        for item in items {
            match item {
                ListItem::One(_, value) => {
                    elements.push(self.eval(value)?);
                    length = arithmetic("+", &length, "1");
                    bounds = bounds.and_then(|(low, high)| Some((low.checked_add(1)?, high.checked_add(1)?)));
                }
                ListItem::Spread(value) => {
                    spread = true;
                    let val = self.eval(value)?;
                    self.still_there(&val)?;
                    sites.extend(deep(&val));
                    let (more, more_bounds) = match val.statically() {
                        Some(Static::Array(place)) => {
                            let inner = self.load(&place.clone())?;
                            (inner.num, inner.bounds)
                        }
                        Some(Static::Tuple(list)) => {
                            let count = i64::try_from(list.len()).unwrap_or(0);
                            (constant(count), Some((count, count)))
                        }
                        _ if val.is_only(ARR) || val.tags.iter().all(|tag| *tag == UNDEFINED) => (val.num.clone(), val.bounds),
                        _ => return self.refuse("`...` of what may be no array", "test it before"),
                    };
                    length = arithmetic("+", &length, &more);
                    bounds = bounds.zip(more_bounds).map(|((low, high), (more_low, more_high))| (low + more_low, high + more_high));
                }
            }
        }
        if self.starting && elements.iter().any(|one| self.has_touching(one)) {
            return self.refuse("a list of functions that touch what is shared", "export the functions, or give each to a router");
        }
        if spread || self.starting || elements.is_empty() {
            sites.extend(elements.iter().flat_map(deep));
            Ok(Val { sites, ..Val::array(length, bounds) })
        } else {
            Ok(Val::known(Static::Tuple(elements)))
        }
    }

    /// A value that depends on a condition.
    pub(super) fn choice(
        &mut self,
        condition: &str,
        yes: impl FnOnce(&mut Self) -> Made<Val>,
        no: impl FnOnce(&mut Self) -> Made<Val>,
    ) -> Made<Val> {
        match known(condition) {
            Some(0) => return no(self),
            Some(_) => return yes(self),
            None => {}
        }
        let place = self.meeting();
        let (mut first, mut second) = (None, None);
        let (to_yes, to_no) = (place.clone(), place.clone());
        let condition = self.hold(condition.to_owned());
        self.branch(
            &condition,
            |this| {
                let val = yes(this)?;
                if !this.frame().dead {
                    this.write_cell(&to_yes, &val, true)?;
                    first = Some(val);
                }
                Ok(())
            },
            |this| {
                let val = no(this)?;
                if !this.frame().dead {
                    this.write_cell(&to_no, &val, true)?;
                    second = Some(val);
                }
                Ok(())
            },
        )?;
        match (first, second) {
            (Some(one), Some(other)) if one == other => Ok(one),
            // A truth value stays a term.
            (Some(one), Some(other)) if truth_of(&one).is_some() && truth_of(&other).is_some() && self.frame().ended.is_empty() => {
                let (one, other) = (truth_of(&one).unwrap_or_default(), truth_of(&other).unwrap_or_default());
                let joined = either(&condition, &one, &other);
                let held = self.hold(joined);
                Ok(Val { origins: std::collections::BTreeSet::new(), ..Val::truth(held) })
            }
            (Some(one), Some(other)) => {
                self.now.known.remove(&place.base);
                let mut val = self.read_cell(&place)?;
                val.place = if val.may_be(PROM) { one.place.or(other.place) } else { None };
                Ok(val)
            }
            (Some(only), None) | (None, Some(only)) => Ok(only),
            (None, None) => Ok(Val::undefined()),
        }
    }

    /// A variable in which values of two ways meet, the same in every round.
    fn meeting(&mut self) -> super::values::SharedPlace {
        let path = self.frame().path.clone();
        super::values::SharedPlace { base: format!("%{path}m{}to{}", self.span.start, self.span.end), keys: Vec::new() }
    }

    fn logical(&mut self, op: LogicalOp, first: Val, right: &Expr, asked: Option<&AskedClass>) -> Made<Val> {
        let condition = match op {
            LogicalOp::And | LogicalOp::Or => self.truth(&first),
            LogicalOp::Nullish => {
                if first.may_be(NULL) || first.may_be(UNDEFINED) || !first.origins.is_empty() {
                    self.mark(&first.origins.clone(), |uses| {
                        uses.nothing.insert(NULL);
                    });
                }
                not(&first.is_one_of(&[NULL, UNDEFINED]))
            }
        };
        let kept = self.narrowed(&first, op);
        match op {
            LogicalOp::And => {
                let behind = |this: &mut Self| {
                    this.narrow(asked, true);
                    this.value(right)
                };
                self.choice(&condition, behind, |_| Ok(kept))
            }
            LogicalOp::Or | LogicalOp::Nullish => self.choice(&condition, |_| Ok(kept), |this| this.value(right)),
        }
    }

    /// What a value is where an operator keeps it.
    fn narrowed(&mut self, val: &Val, op: LogicalOp) -> Val {
        let empty = self.empty();
        let falsy = [FALSE, UNDEFINED, NULL, empty];
        let mut kept = val.clone();
        kept.tags.retain(|tag| match op {
            LogicalOp::And => falsy.contains(tag) || *tag == INT,
            LogicalOp::Or => !falsy.contains(tag),
            LogicalOp::Nullish => ![UNDEFINED, NULL].contains(tag),
        });
        if kept.tags.is_empty() {
            return val.clone();
        }
        if kept.tags.len() == 1 {
            kept.tag = constant(kept.tags.first().copied().unwrap_or(UNDEFINED));
        }
        kept
    }

    fn binary(&mut self, op: BinaryOp, left: &Val, right: &Val) -> Made<Val> {
        match op {
            BinaryOp::Equal => Ok(Val::truth(self.same(left, right)?)),
            BinaryOp::NotEqual => {
                let same = self.same(left, right)?;
                Ok(Val::truth(not(&same)))
            }
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Remainder => self.arithmetic(op, left, right),
            BinaryOp::Less | BinaryOp::LessOrEqual | BinaryOp::Greater | BinaryOp::GreaterOrEqual => {
                self.mark_compared(left, right);
                self.both_sides(left, right);
                self.must_reach(left, right);
                self.numeric(left)?;
                self.numeric(right)?;
                let sign = match op {
                    BinaryOp::Less => "<",
                    BinaryOp::LessOrEqual => "<=",
                    BinaryOp::Greater => ">",
                    _ => ">=",
                };
                self.mark_numbers(left, right);
                if let (Some(one), Some(other)) = (known(&left.num), known(&right.num)) {
                    let holds = match op {
                        BinaryOp::Less => one < other,
                        BinaryOp::LessOrEqual => one <= other,
                        BinaryOp::Greater => one > other,
                        _ => one >= other,
                    };
                    return Ok(Val::atom(i64::from(holds)));
                }
                Ok(Val::truth(format!("({} {sign} {})", left.num, right.num)))
            }
        }
    }

    fn mark_numbers(&mut self, left: &Val, right: &Val) {
        for val in [left, right] {
            self.mark(&val.origins.clone(), |uses| uses.arithmetic = true);
        }
    }

    /// Numbers that are compared with this one must come to both sides of it, or a branch would never be taken.
    fn must_reach(&mut self, left: &Val, right: &Val) {
        for (one, other) in [(left, right), (right, left)] {
            let Some(value) = known(&other.num).filter(|_| other.is_only(INT) && one.may_be(INT) && known(&one.num).is_none()) else {
                continue;
            };
            if one.origins.is_empty() {
                self.frees_once.insert("gaps".to_owned());
            }
            let (low, high) = one.bounds.unwrap_or((value, value));
            if value < low || high <= value {
                self.reach_to(value);
                if one.bounds.is_some() {
                    self.stays_on_one_side(value);
                }
            }
        }
        // Neither is known, and one is always the greater.
        if left.is_only(INT)
            && right.is_only(INT)
            && known(&left.num).is_none()
            && known(&right.num).is_none()
            && let (Some((low, high)), Some((other_low, other_high))) = (left.bounds, right.bounds)
        {
            if left.origins.is_empty() || right.origins.is_empty() {
                self.frees_once.insert("gaps".to_owned());
            }
            if high <= other_low || other_high <= low {
                self.stays_on_one_side(low.max(other_low));
            }
        }
    }

    /// Numbers of the outside and of callers that are compared with this one are less, equal and greater.
    fn both_sides(&mut self, left: &Val, right: &Val) {
        for (one, other) in [(left, right), (right, left)] {
            if let Some(value) = known(&other.num).filter(|_| other.is_only(INT)) {
                self.mark(&one.origins.clone(), |uses| uses.numbers.extend([value.saturating_sub(1), value.saturating_add(1)]));
            }
        }
    }

    /// A number does not come to both sides of what it is compared with: numbers of the outside are to be greater.
    /// Where that changes nothing, a proof would leave out a branch.
    fn stays_on_one_side(&mut self, value: i64) {
        if (-super::MOST_REACHED..=super::MOST_REACHED).contains(&value) && self.far.insert(value) {
            self.frees_once.insert(format!("far {value}"));
        }
        let why = format!("a number is compared with {value}, to which the numbers of the proof do not come");
        self.out_of_reach = Some(format!("{why}: compare it with a smaller one, or give other bounds"));
    }

    fn reach_to(&mut self, value: i64) {
        if (-super::MOST_REACHED..=super::MOST_REACHED).contains(&value) {
            self.reach = (self.reach.0.min(value - 1), self.reach.1.max(value + 1));
            // What places can hold is found out again.
            self.frees_once.insert(format!("reach {value}"));
        } else {
            let why = format!("a number is compared with {value}, to which the numbers of the proof do not come");
            self.out_of_reach = Some(format!("{why}: compare it with a smaller one, or give other bounds"));
        }
    }

    fn numeric(&mut self, val: &Val) -> Made<()> {
        self.mark(&val.origins.clone(), |uses| uses.arithmetic = true);
        if val.is_only(INT) {
            return Ok(());
        }
        self.refuse("arithmetic with what may be no number", "give it a number before, or write `?? 0`")
    }

    fn arithmetic(&mut self, op: BinaryOp, left: &Val, right: &Val) -> Made<Val> {
        let sign = match op {
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            BinaryOp::Multiply => "*",
            _ => "%",
        };
        let texts = |val: &Val| val.tags.iter().any(|tag| *tag >= super::values::FIRST_ATOM) || val.may_be(STAT);
        if op == BinaryOp::Add && (texts(left) || texts(right)) && left.origins.is_empty() && right.origins.is_empty() {
            return Ok(Val::known(Static::Parts(vec![left.clone(), right.clone()])));
        }
        self.numeric(left)?;
        self.numeric(right)?;
        let bounds = left.bounds.zip(right.bounds).and_then(|((a, b), (c, d))| match op {
            BinaryOp::Add => Some((a.checked_add(c)?, b.checked_add(d)?)),
            BinaryOp::Subtract => Some((a.checked_sub(d)?, b.checked_sub(c)?)),
            BinaryOp::Multiply => {
                let all = [a.checked_mul(c)?, a.checked_mul(d)?, b.checked_mul(c)?, b.checked_mul(d)?];
                Some((*all.iter().min()?, *all.iter().max()?))
            }
            // The sign of the rest is that of the first operand; only where both agree is it that of the language.
            _ if a >= 0 && c > 0 => Some((0, d - 1)),
            _ => None,
        });
        if op == BinaryOp::Remainder && bounds.is_none() {
            return self.refuse("`%` of numbers that may be negative", "keep both operands positive");
        }
        if op == BinaryOp::Remainder
            && let Some(divisor) = known(&right.num).filter(|_| known(&left.num).is_none())
            && left.bounds.is_none_or(|(_, high)| high < divisor)
        {
            self.reach_to(divisor);
            if divisor <= super::MOST_REACHED && self.far.insert(divisor) {
                self.frees_once.insert(format!("far {divisor}"));
            }
        }
        if op == BinaryOp::Remainder {
            self.frees_once.insert("gaps".to_owned());
        }
        for (one, other) in [(left, right), (right, left)] {
            let Some(value) = known(&other.num).filter(|_| known(&one.num).is_none()) else { continue };
            if !(-super::MOST_REACHED..=super::MOST_REACHED).contains(&value) && op != BinaryOp::Remainder {
                let why = format!("numbers of the proof do not come as far as {value}, with which one is computed");
                self.out_of_reach = Some(format!("{why}: write a smaller one"));
            }
        }
        let num = self.hold(arithmetic(sign, &left.num, &right.num));
        Ok(Val::int(num, bounds))
    }

    /// Whether two values are the same.
    pub(super) fn same(&mut self, left: &Val, right: &Val) -> Made<Term> {
        self.mark_compared(left, right);
        self.must_reach(left, right);
        if left.may_be(PROM) && right.may_be(PROM) {
            return self.same_promise(left, right);
        }
        for (one, other) in [(left, right), (right, left)] {
            if one.may_be(STAT) && !other.may_be(STAT) && other.tags.iter().all(|tag| [NULL, UNDEFINED].contains(tag)) {
                return Ok(one.is_one_of(&[NULL, UNDEFINED]));
            }
        }
        if left.may_be(REC) && right.may_be(REC) || left.may_be(ARR) && right.may_be(ARR) || left.may_be(STAT) || right.may_be(STAT) {
            return self.refuse("a comparison of objects", "compare a field that tells them apart");
        }
        let nothing = |val: &Val| val.tags.iter().all(|tag| *tag <= NULL);
        if self.is_vague(left) && !nothing(right) || self.is_vague(right) && !nothing(left) {
            return self
                .refuse("a comparison with the text of an error that is not written down", "ask `instanceof` with a class of the file");
        }
        let open = |val: &Val| !val.origins.is_empty() && val.tags.iter().any(|tag| *tag >= super::values::FIRST_ATOM);
        if left.tags.is_disjoint(&right.tags) {
            if open(left) && open(right) {
                self.out_of_reach = Some("two values are compared that are never the same in the proof: compare them outside".to_owned());
            }
            return Ok(constant(0));
        }
        let tags = equal(&left.tag, &right.tag);
        if left.may_be(INT) && right.may_be(INT) {
            let numbers = equal(&left.num, &right.num);
            return Ok(all(vec![tags, any(vec![not(&left.is(INT)), numbers])]));
        }
        Ok(tags)
    }

    pub(super) fn assign(&mut self, target: &AssignTarget, value: &Expr) -> Made<Val> {
        let spot = self.spot(target)?;
        let val = self.eval(value)?;
        if self.frame().dead {
            return Ok(val);
        }
        if let (Spot::Shared(place, _), AssignTarget::Index(..)) = (&spot, target)
            && val.may_be(UNDEFINED)
            && !matches!(value.kind, ExprKind::Absent)
        {
            self.undefined_in(place);
        }
        self.set(&spot, &val)?;
        let there = match &spot {
            Spot::Shared(place, _) => Some(place.clone()),
            Spot::Variable(variable) if self.module_vals.contains_key(variable) => Some(self.module_place(*variable)),
            _ => None,
        };
        if let Some(place) = there {
            self.lies_there(value, &place, &val);
        }
        Ok(val)
    }

    fn update(&mut self, target: &AssignTarget, op: UpdateOp, value: &Expr, wants_old: bool) -> Made<Val> {
        let spot = self.spot(target)?;
        let old = self.spot_value(&spot)?;
        match op {
            UpdateOp::Binary(op) => {
                let right = self.value(value)?;
                if self.frame().dead {
                    return Ok(old);
                }
                let new = self.arithmetic(op, &old, &right)?;
                self.set(&spot, &new)?;
                Ok(if wants_old { old } else { new })
            }
            UpdateOp::Logical(op) => {
                let condition = match op {
                    LogicalOp::And | LogicalOp::Or => self.truth(&old),
                    LogicalOp::Nullish => not(&old.is_one_of(&[NULL, UNDEFINED])),
                };
                let kept = self.narrowed(&old, op);
                let assign = |this: &mut Self| {
                    let val = this.value(value)?;
                    if !this.frame().dead {
                        this.set(&spot, &val)?;
                    }
                    Ok(val)
                };
                match op {
                    LogicalOp::And => self.choice(&condition, assign, |_| Ok(kept)),
                    LogicalOp::Or | LogicalOp::Nullish => self.choice(&condition, |_| Ok(kept), assign),
                }
            }
        }
    }

    /// A short array, or a value that the outside gives, at a place.
    fn index(&mut self, object: &Val, index: &Val) -> Made<Val> {
        match object.statically() {
            Some(Static::Tuple(list)) => {
                let place = known(&index.num).filter(|_| index.is_only(INT)).and_then(|place| usize::try_from(place).ok());
                match place {
                    Some(place) => Ok(list.get(place).cloned().unwrap_or_else(Val::undefined)),
                    None => self.refuse("an element whose place is not known", "name the elements"),
                }
            }
            Some(Static::Given(path)) if index.is_only(INT) && known(&index.num).is_some() => {
                Ok(Val::known(Static::Given(format!("{path}.{}", index.num))))
            }
            Some(Static::Map(_)) => self.refuse("an element of a map", "use `get`"),
            Some(Static::Object(place, _)) => {
                let entry = self.entry(&place.clone(), index)?;
                self.type_of(&entry.base).tags.insert(UNDEFINED);
                self.load(&entry)
            }
            _ if !object.origins.is_empty() && index.is_only(INT) => self.member(object, &index.num),
            _ => self.refuse("an element of an array", "keep a map, or only the length"),
        }
    }
}

/// The term of a truth value.
fn truth_of(val: &Val) -> Option<Term> {
    let truth = !val.tags.is_empty() && val.tags.iter().all(|tag| [FALSE, TRUE].contains(tag));
    (truth && val.origins.is_empty()).then(|| val.tag.clone())
}
