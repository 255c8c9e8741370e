//! Answers as numbers, and what the numbers mean.
//!
//! **Claim.** Two answers are the same number exactly if they are the same: an answer is a tree of tags and numbers
//! with known bounds, and its number is their mixed radix. A request that throws answers a negative number.

use std::collections::BTreeMap;

use super::ops::{Term, arithmetic, constant, either, known};
use super::state::{Made, Maker};
use super::values::{ARR, FALSE, INT, NULL, PROM, REC, SharedPlace, Static, TRUE, UNDEFINED, Val};

/// The form of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AnswerShape {
    tags: Vec<i64>,
    numbers: Option<(i64, i64)>,
    fields: Vec<(String, AnswerShape)>,
    fixed: Option<String>,
    kind: List,
}

/// What the fields of a form are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum List {
    #[default]
    Fields,
    Elements,
    Texts,
}

/// What the answers of all requests mean.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    pub(super) shapes: BTreeMap<String, AnswerShape>,
    pub(super) frameworks: BTreeMap<String, &'static str>,
    pub(super) atoms: Vec<String>,
    /// What requests of the program are called in the file.
    pub requests: BTreeMap<String, String>,
}

impl Answers {
    /// An answer in words.
    pub fn words(&self, request: &str, answer: i64) -> Option<String> {
        let name = request.split('(').next().unwrap_or(request);
        let shown = self.shown(request, answer)?;
        Some(match self.frameworks.get(name).copied() {
            Some("express" | "koa" | "fastify") => answered(&shown),
            _ => shown.text(),
        })
    }

    /// What an answer is.
    pub fn shown(&self, request: &str, answer: i64) -> Option<ShownAnswer> {
        let name = request.split('(').next().unwrap_or(request);
        if answer < 0 {
            return Some(ShownAnswer::Thrown(self.atom(-answer)));
        }
        let mut rest = answer;
        Some(self.decode(self.shapes.get(name)?, &mut rest))
    }

    /// What a request is called in the file.
    pub fn request(&self, request: &str) -> String {
        let (name, rest) = request.split_once('(').map_or((request, ""), |(name, rest)| (name, rest.trim_end_matches(')')));
        let shown = self.requests.get(name).cloned().unwrap_or_else(|| name.to_owned());
        let values: Vec<String> = rest.split(", ").filter(|value| !value.is_empty()).map(|value| self.parameter(value)).collect();
        if values.is_empty() { shown } else { format!("{shown}({})", values.join(", ")) }
    }

    fn parameter(&self, value: &str) -> String {
        match value.parse::<i64>() {
            Ok(tag) if tag >= super::values::FIRST_ATOM => self.atom(tag),
            Ok(UNDEFINED) => "undefined".to_owned(),
            _ => value.to_owned(),
        }
    }

    /// A tag in words.
    pub fn tag(&self, tag: i64) -> String {
        match tag {
            FALSE => "false".to_owned(),
            TRUE => "true".to_owned(),
            UNDEFINED => "undefined".to_owned(),
            NULL => "null".to_owned(),
            REC => "an object".to_owned(),
            PROM => "a promise".to_owned(),
            INT => "a number".to_owned(),
            _ => self.atom(tag),
        }
    }

    fn atom(&self, tag: i64) -> String {
        let place = usize::try_from(tag - super::values::FIRST_ATOM).ok();
        let text = place.and_then(|place| self.atoms.get(place));
        text.map_or_else(|| tag.to_string(), |text| super::thrown::shown(text).to_owned())
    }

    fn decode(&self, shape: &AnswerShape, rest: &mut i64) -> ShownAnswer {
        if let Some(fixed) = &shape.fixed {
            return ShownAnswer::Anything(fixed.clone());
        }
        let low = shape.tags.first().copied().unwrap_or(UNDEFINED);
        let high = shape.tags.last().copied().unwrap_or(low);
        let tag = low + take(rest, high - low + 1);
        let number = shape.numbers.map(|(low, high)| low + take(rest, high - low + 1));
        let fields: Vec<(String, ShownAnswer)> =
            shape.fields.iter().map(|(name, inner)| (name.clone(), self.decode(inner, rest))).collect();
        match tag {
            INT => ShownAnswer::Number(number.unwrap_or(0)),
            ARR => ShownAnswer::Array(number.unwrap_or(0)),
            REC => match shape.kind {
                List::Fields => ShownAnswer::Record(fields),
                List::Elements => ShownAnswer::List(fields.into_iter().map(|(_, shown)| shown).collect()),
                List::Texts => ShownAnswer::Text(fields.into_iter().map(|(_, shown)| shown.text()).collect()),
            },
            FALSE | TRUE => ShownAnswer::Bool(tag == TRUE),
            UNDEFINED => ShownAnswer::Undefined,
            NULL => ShownAnswer::Null,
            tag => match self.tag(tag) {
                text if text.starts_with(super::thrown::VAGUE) => ShownAnswer::Anything(text),
                text => ShownAnswer::Text(text),
            },
        }
    }
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ShownAnswer {
    Undefined,
    Null,
    Bool(bool),
    Number(i64),
    Text(String),
    /// Of which only the length is known.
    Array(i64),
    List(Vec<ShownAnswer>),
    Record(Vec<(String, ShownAnswer)>),
    Thrown(String),
    /// Something of which nothing is known.
    Anything(String),
}

impl ShownAnswer {
    /// In words.
    pub fn text(&self) -> String {
        match self {
            Self::Undefined => "undefined".to_owned(),
            Self::Null => "null".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Number(value) => value.to_string(),
            Self::Text(text) | Self::Anything(text) => text.clone(),
            Self::Thrown(text) => format!("throws {text}"),
            Self::Array(length) => format!("[{length} elements]"),
            Self::List(list) => format!("[{}]", list.iter().map(Self::text).collect::<Vec<_>>().join(", ")),
            Self::Record(fields) => {
                let fields = fields.iter().filter(|(_, value)| *value != Self::Undefined);
                let fields: Vec<String> = fields.map(|(name, value)| format!("{name}: {}", value.text())).collect();
                if fields.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", fields.join(", ")) }
            }
        }
    }
}

/// Status and body.
fn answered(shown: &ShownAnswer) -> String {
    let ShownAnswer::Record(fields) = shown else { return shown.text() };
    let part = |wanted: &str| fields.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.text()).unwrap_or_default();
    match part("body").as_str() {
        "undefined" | "" => part("status"),
        body => format!("{} {body}", part("status")),
    }
}

fn take(rest: &mut i64, radix: i64) -> i64 {
    let digit = rest.rem_euclid(radix.max(1));
    *rest = rest.div_euclid(radix.max(1));
    digit
}

impl Maker<'_> {
    fn status_place(&self) -> SharedPlace {
        SharedPlace { base: "%status".to_owned(), keys: Vec::new() }
    }

    fn body_place(&self) -> SharedPlace {
        SharedPlace { base: "%body".to_owned(), keys: Vec::new() }
    }

    pub(super) fn framework_member(&mut self, part: &'static str, name: &str) -> Val {
        match (part, name) {
            ("req", _) | ("ctx", "params" | "query" | "request" | "ip" | "headers") => Val::known(Static::Given(name.to_owned())),
            _ => Val::known(Static::Method(Box::new(Val::known(Static::Framework(part))), name.to_owned())),
        }
    }

    pub(super) fn framework_call(&mut self, part: &'static str, name: &str, args: Vec<Val>) -> Made<Val> {
        let this = Val::known(Static::Framework(part));
        let first = args.first().cloned().unwrap_or_else(Val::undefined);
        match (part, name) {
            ("res" | "reply", "status" | "code") => {
                self.write_cell(&self.status_place(), &first, true)?;
                Ok(this)
            }
            ("res" | "reply", "set" | "header" | "type" | "setHeader" | "cookie") => {
                // An answer is status and body: what else says what was found would be left out.
                if args.iter().any(|arg| self.depends_on_shared(arg)) {
                    return self.refuse(format!("`{part}.{name}()` with what is shared"), "put it into the body, which is compared");
                }
                Ok(this)
            }
            ("res" | "reply", "send" | "json" | "end") => {
                let body = self.plain(first)?;
                let body = self.as_it_is(body)?;
                self.reply(&body)?;
                Ok(this)
            }
            ("res", "sendStatus") => {
                self.write_cell(&self.status_place(), &first, true)?;
                self.reply(&Val::undefined())?;
                Ok(this)
            }
            ("ctx", "throw") => self.refuse("`ctx.throw`", "set `ctx.status` and `ctx.body`, and return"),
            _ => self.refuse(format!("`{part}.{name}()`"), "answer with status, send or json"),
        }
    }

    pub(super) fn answer_set(&mut self, framework: &str, name: &str, val: &Val) -> Made<()> {
        if framework == "ctx" {
            // The end was not there.
            let refused = std::mem::take(&mut self.now.refused);
            self.no_refusal.extend(refused);
        }
        match (framework, name) {
            ("ctx", "status") => self.write_cell(&self.status_place(), val, true),
            ("ctx", "body") => self.write_cell(&self.body_place(), val, true),
            ("res", "statusCode") => self.write_cell(&self.status_place(), val, true),
            _ => self.refuse(format!("an assignment to `{name}` of an answer"), "set status and body"),
        }
    }

    /// An answer with this status: a refusal, if nothing has happened so far, and nothing happens behind it.
    fn refuses(&mut self, code: i64, body: &Val) {
        let busy = self.now.live.iter().any(|activity| !self.activities[*activity].quiet);
        if !self.limits.refusals.contains(&code) || self.now.wrote || busy || !is_constant(body) {
            return;
        }
        self.now.refused.insert(self.refusing.len());
        self.refusing.push((code, body.clone()));
    }

    /// Something shared is written: what was answered before was no refusal.
    pub(super) fn writes(&mut self) {
        self.now.wrote = true;
        let refused = std::mem::take(&mut self.now.refused);
        self.no_refusal.extend(refused);
    }

    /// A handler of Fastify or Koa returns, perhaps a refusal.
    pub(super) fn returns_refusal(&mut self, val: &Val) {
        // The handler itself, and nothing that it calls.
        if self.here != 1 || self.framework == "express" {
            return;
        }
        if self.framework == "fastify"
            && !val.may_be(super::values::STAT)
            && let Some(code) = self.status_now()
        {
            self.refuses(code, val);
        }
        self.may_refuse();
    }

    /// What is answered is what `ctx` says in the end: perhaps a refusal, if this is the end.
    pub(super) fn may_refuse(&mut self) {
        if self.here != 1 || self.framework != "koa" || self.frames[1].dead {
            return;
        }
        let Some(code) = self.status_now() else { return };
        let body = self.now.known.get(&self.body_place().base).cloned().unwrap_or_else(Val::undefined);
        self.refuses(code, &body);
    }

    fn status_now(&self) -> Option<i64> {
        self.now.known.get(&self.status_place().base).and_then(|status| known(&status.num))
    }

    /// The first of several answers counts.
    fn reply(&mut self, body: &Val) -> Made<()> {
        let status = self.read_cell(&self.status_place())?;
        if let Some(code) = known(&status.num) {
            self.refuses(code, body);
        }
        let place = self.body_place();
        let record = Val::record([("status".to_owned(), status), ("body".to_owned(), body.clone())].into());
        self.branch(
            "(answered == 0)",
            |this| {
                this.push(super::ops::Kind::Set("answered".to_owned(), constant(1)));
                this.write_cell(&place, &record, true)
            },
            |_| Ok(()),
        )
    }

    /// `next(error)`: the framework answers with the error, if nothing is answered yet.
    pub(super) fn next_handler(&mut self, args: &[Val]) -> Made<Val> {
        let error = self.plain(args.first().cloned().unwrap_or_else(Val::undefined))?;
        let is_error = !error.tags.is_empty() && error.origins.is_empty() && error.tags.iter().all(|tag| *tag >= super::values::FIRST_ATOM);
        if !is_error {
            return self.refuse("`next` without an error", "answer with status, send or json");
        }
        self.type_of("%error").errors.extend(error.tags.clone());
        self.branch(
            "(answered == 0)",
            |this| {
                this.push(super::ops::Kind::Set("answered".to_owned(), constant(1)));
                this.push(super::ops::Kind::Set("passed".to_owned(), error.tag));
                Ok(())
            },
            |_| Ok(()),
        )?;
        Ok(Val::undefined())
    }

    /// What a request answers in the end.
    pub(super) fn answer(&mut self, framework: &'static str, returned: &Val) -> Made<Val> {
        match framework {
            "express" => {
                self.now.known.remove("%body");
                self.read_cell(&self.body_place())
            }
            "koa" => {
                let status = self.read_cell(&self.status_place())?;
                let body = self.read_cell(&self.body_place())?;
                Ok(Val::record([("status".to_owned(), status), ("body".to_owned(), body)].into()))
            }
            "fastify" => {
                // Where the reply is returned, it has been answered.
                let mut returned = returned.clone();
                if returned.tags.remove(&super::values::STAT) {
                    returned.stat = None;
                }
                if returned.tags.is_empty() {
                    returned = Val::undefined();
                }
                let status = self.read_cell(&self.status_place())?;
                let plain = Val::record([("status".to_owned(), status), ("body".to_owned(), returned)].into());
                self.now.known.remove("%body");
                let place = self.body_place();
                self.choice("(answered == 1)", |this| this.read_cell(&place), |_| Ok(plain))
            }
            _ => Ok(returned.clone()),
        }
    }

    /// What was begun ends behind the handler. It may still answer, unless the handler has answered or failed.
    pub(super) fn settle_and_answer(&mut self, shape: &AnswerShape) -> Made<()> {
        let thrown = self.frames[0].ended.contains(&super::run::THROWN);
        let failed = if thrown { format!(" and (not (x0 == {}))", super::run::THROWN) } else { String::new() };
        self.push(super::ops::Kind::Set("late".to_owned(), format!("(if ((answered == 0){failed}) {{ 1 }} else {{ 0 }})")));
        self.settle_all()?;
        self.now.known.remove("%body");
        self.push(super::ops::Kind::If("((late == 1) and (answered == 1))".to_owned()));
        let body = self.read_cell(&self.body_place())?;
        let body = self.plain(body)?;
        let body = self.as_it_is(body)?;
        let number = self.encode(&body, shape)?;
        self.push(super::ops::Kind::Set("answer".to_owned(), number));
        self.push(super::ops::Kind::If("(not (passed == 0))".to_owned()));
        self.push(super::ops::Kind::Set("answer".to_owned(), "(0 - passed)".to_owned()));
        self.push(super::ops::Kind::End);
        self.push(super::ops::Kind::End);
        Ok(())
    }

    /// Status 200 and nothing else, before anything is answered.
    pub(super) fn answer_begins(&mut self, framework: &'static str) -> Made<()> {
        if framework.is_empty() || framework == "handed" {
            return Ok(());
        }
        let fine = Val::int(constant(200), Some((200, 200)));
        self.write_cell(&self.status_place(), &fine, true)?;
        self.write_cell(&self.body_place(), &Val::undefined(), true)?;
        self.push(super::ops::Kind::Set("answered".to_owned(), constant(0)));
        self.push(super::ops::Kind::Set("passed".to_owned(), constant(0)));
        Ok(())
    }

    /// The form of the answers that a value can be.
    pub(super) fn shape(&mut self, val: &Val) -> Made<AnswerShape> {
        self.mark(&val.origins.clone(), |uses| uses.moved = true);
        let plain = AnswerShape { tags: Vec::new(), numbers: None, fields: Vec::new(), fixed: None, kind: List::Fields };
        match val.statically() {
            Some(Static::Tuple(list)) if val.is_only(super::values::STAT) => {
                let list = list.clone();
                let mut fields = Vec::new();
                for (place, inner) in list.iter().enumerate() {
                    fields.push((place.to_string(), self.shape(inner)?));
                }
                return Ok(AnswerShape { tags: vec![REC], fields, kind: List::Elements, ..plain });
            }
            Some(Static::Parts(list)) if val.is_only(super::values::STAT) => {
                let list = list.clone();
                let mut fields = Vec::new();
                for (place, inner) in list.iter().enumerate() {
                    if inner.may_be(REC)
                        || inner.may_be(ARR)
                        || matches!(inner.statically(), Some(known) if !matches!(known, Static::Parts(_)))
                    {
                        return self.refuse("an object in a text", "name the field that is meant");
                    }
                    fields.push((place.to_string(), self.shape(inner)?));
                }
                return Ok(AnswerShape { tags: vec![REC], fields, kind: List::Texts, ..plain });
            }
            Some(Static::Builtin(_) | Static::Outside(_) | Static::Framework(_)) if val.is_only(super::values::STAT) => {
                return Ok(AnswerShape { fixed: Some("a value".to_owned()), ..plain });
            }
            Some(_) => return self.refuse("an answer that hands out what is shared", "answer a copy of what is needed"),
            None => {}
        }
        if val.may_be(PROM) {
            return self.refuse("a promise inside of an answer", "await it");
        }
        if self.may_be_error(val) {
            return self.refuse("an error inside of an answer", "answer its `message`");
        }
        let tags: Vec<i64> = val.tags.iter().copied().collect();
        let numbers = if val.may_be(INT) || val.may_be(ARR) {
            let Some(bounds) = val.bounds else {
                return self.refuse("a number without bounds in an answer", "give it a range: `/** @serval 0..9 */`");
            };
            Some(bounds)
        } else {
            None
        };
        let mut fields = Vec::new();
        if val.may_be(REC) {
            for (name, inner) in val.fields.iter() {
                let inner = self.plain(inner.clone())?;
                fields.push((name.clone(), self.shape(&inner)?));
            }
        }
        Ok(AnswerShape { tags, numbers, fields, ..plain })
    }

    /// The number of a value, in this form.
    pub(super) fn encode(&mut self, val: &Val, shape: &AnswerShape) -> Made<Term> {
        let mut weight = 1_i64;
        let mut total = constant(0);
        self.encode_part(val, shape, "1", &mut weight, &mut total)?;
        Ok(total)
    }

    fn encode_part(&mut self, val: &Val, shape: &AnswerShape, there: &str, weight: &mut i64, total: &mut Term) -> Made<()> {
        if shape.fixed.is_some() {
            return Ok(());
        }
        let val = &self.plain(val.clone())?;
        if let Some(Static::Tuple(list) | Static::Parts(list)) = val.statically() {
            let list = list.clone();
            for (inner, (_, shape)) in list.iter().zip(&shape.fields) {
                self.encode_part(inner, shape, there, weight, total)?;
            }
            return Ok(());
        }
        let low = shape.tags.first().copied().unwrap_or(UNDEFINED);
        let high = shape.tags.last().copied().unwrap_or(low);
        self.digit(&arithmetic("-", &val.tag, &constant(low)), there, high - low + 1, weight, total)?;
        if let Some((low, high)) = shape.numbers {
            let number = super::ops::any(vec![val.is(INT), val.is(ARR)]);
            let here = super::ops::all(vec![there.to_owned(), number]);
            self.digit(&arithmetic("-", &val.num, &constant(low)), &here, high - low + 1, weight, total)?;
        }
        let here = super::ops::all(vec![there.to_owned(), val.is(REC)]);
        for (name, shape) in &shape.fields {
            let inner = val.fields.get(name).cloned().unwrap_or_else(Val::undefined);
            self.encode_part(&inner, shape, &here, weight, total)?;
        }
        Ok(())
    }

    fn digit(&mut self, digit: &str, there: &str, radix: i64, weight: &mut i64, total: &mut Term) -> Made<()> {
        if radix > 1 {
            let digit = either(there, digit, "0");
            let part = arithmetic("*", &digit, &constant(*weight));
            let sum = arithmetic("+", total, &part);
            *total = self.hold(sum);
        }
        match weight.checked_mul(radix.max(1)).filter(|product| *product < 1 << 60) {
            Some(product) => {
                *weight = product;
                Ok(())
            }
            None => self.refuse("an answer with this many values", "answer less"),
        }
    }
}

fn is_constant(val: &Val) -> bool {
    let plain = val.tags.len() == 1 && val.origins.is_empty() && known(&val.num).is_some() && val.stat.is_none() && val.prom.is_none();
    plain && val.fields.values().all(is_constant)
}
