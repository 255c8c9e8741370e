//! Random programs with the comfort forms, and what they must mean.
//!
//! A program is made as a tree of forms. The tree is spelled, and it is turned
//! into terms of the core language by the translations of the manual, written
//! down here a second time: with a variable for every index, argument and
//! value, whether it is needed or not.

use std::collections::BTreeSet;

use super::rng::SplitMix64;
use crate::naive::Source;
use crate::naive::term::{self, Operator, Term};

/// A program, what it must mean, and which forms it has.
#[derive(Clone, Debug)]
pub struct Comfort {
    /// The text.
    pub text: String,
    /// What it means.
    pub source: Source,
    /// The words of the forms in it.
    pub forms: BTreeSet<&'static str>,
}

/// The program of this seed.
pub fn random_comfort(seed: u64) -> Comfort {
    let mut maker = Maker { rng: SplitMix64::new(seed), yields: 0, forms: BTreeSet::new() };
    let file = maker.file();
    let source = Translation::source(&file);
    Comfort { text: spell(&file), source, forms: maker.forms }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    Plain,
    Wrap,
    Saturate,
}

#[derive(Clone, Copy, Debug)]
struct Values {
    low: i64,
    high: i64,
    fit: Fit,
    initial: i64,
}

#[derive(Debug)]
struct File {
    constant: i64,
    scalar: Values,
    array: Values,
    last_index: i64,
    functions: Vec<Function>,
    requests: Vec<Request>,
}

#[derive(Debug)]
struct Function {
    name: &'static str,
    params: Vec<&'static str>,
    body: Vec<Form>,
}

#[derive(Debug)]
struct Request {
    name: &'static str,
    /// The greatest value of the parameter `n`, if there is one; `true` where
    /// its range is that of the `enum`.
    param: Option<(i64, bool)>,
    body: Vec<Form>,
}

#[derive(Clone, Debug)]
enum Form {
    Number(i64),
    /// A constant, a parameter, the variable of a loop, or a variable.
    Name(&'static str),
    Element(Box<Form>),
    Binary(Operator, Box<Form>, Box<Form>),
    Not(Box<Form>),
    Choose(Vec<Form>),
    ChooseRange(i64),
    ChooseEnum,
    Call(usize, Vec<Form>),
    Group(Vec<Form>),
    Assign(&'static str, Box<Form>),
    AssignElement(Box<Form>, Box<Form>),
    Yield,
    Skip,
    Lock,
    Unlock,
    LockElement(Box<Form>, bool),
    Await(Box<Form>),
    Atomic(Vec<Form>),
    If(Box<Form>, Vec<Form>, Option<Vec<Form>>),
    For(&'static str, i64, Vec<Form>),
    Return(Box<Form>),
}

/// The members of the `enum` of every program.
const MEMBERS: [&str; 3] = ["Off", "Dim", "Bright"];

struct Maker {
    rng: SplitMix64,
    /// How often the request at hand may still wait.
    yields: usize,
    forms: BTreeSet<&'static str>,
}

/// What can be named where a form stands.
#[derive(Clone, Default)]
struct Scope {
    names: Vec<&'static str>,
    variables: Vec<&'static str>,
    /// How many of the functions can be called.
    functions: usize,
    atomic: bool,
    depth: usize,
}

impl Scope {
    fn deeper(&self) -> Self {
        Self { depth: self.depth + 1, ..self.clone() }
    }
}

impl Maker {
    fn form(&mut self, word: &'static str) {
        self.forms.insert(word);
    }

    fn values(&mut self) -> Values {
        let fit = match self.rng.below(5) {
            0 | 1 => Fit::Wrap,
            2 | 3 => Fit::Saturate,
            _ => Fit::Plain,
        };
        self.form(match fit {
            Fit::Wrap => "wrap",
            Fit::Saturate => "saturate",
            Fit::Plain => "var",
        });
        // A plain range is large enough for most of what happens.
        let (low, high) = if fit == Fit::Plain { (-2, 6) } else { (self.rng.between(-1, 0), self.rng.between(1, 2)) };
        Values { low, high, fit, initial: self.rng.between(low.max(0), high.min(2)) }
    }

    fn file(&mut self) -> File {
        self.form("const");
        self.form("enum");
        let (scalar, array) = (self.values(), self.values());
        let mut functions = Vec::new();
        for (index, name) in ["first", "second"].into_iter().enumerate().take(self.rng.below(3)) {
            self.yields = usize::from(self.rng.chance(40));
            let params: Vec<&str> = ["p", "q"].into_iter().take(self.rng.below(3)).collect();
            let variables: Vec<&str> = params.iter().copied().chain(["u"]).collect();
            let scope = Scope { names: variables.clone(), variables, functions: index, ..Scope::default() };
            let mut body = Vec::new();
            if self.rng.chance(50) {
                let guard = vec![Form::Return(Box::new(self.value(&scope.deeper())))];
                body.push(Form::If(Box::new(self.condition(&scope)), guard, None));
            }
            body.extend(self.statements(&scope, 2));
            let value = Box::new(self.value(&scope));
            body.push(if self.rng.chance(50) { Form::Return(value) } else { *value });
            functions.push(Function { name, params, body });
        }
        let mut requests = Vec::new();
        for name in ["one", "two"].into_iter().take(1 + self.rng.below(2)) {
            self.yields = 2;
            let param = self.rng.chance(40).then(|| if self.rng.chance(25) { (2, true) } else { (1, false) });
            let mut scope = Scope { names: vec!["x", "y"], variables: vec!["x", "y"], functions: functions.len(), ..Scope::default() };
            if param.is_some() {
                self.form("parameter");
                scope.names.push("n");
            }
            let mut body = self.statements(&scope, 4);
            body.push(self.value(&scope));
            requests.push(Request { name, param, body });
        }
        File { constant: self.rng.between(0, 2), scalar, array, last_index: self.rng.between(1, 2), functions, requests }
    }

    fn statements(&mut self, scope: &Scope, most: usize) -> Vec<Form> {
        (0..1 + self.rng.below(most)).map(|_| self.statement(scope)).collect()
    }

    /// Whether a step may end here, and then one fewer may end later.
    fn may_wait(&mut self, scope: &Scope) -> bool {
        let may = !scope.atomic && self.yields > 0;
        self.yields -= usize::from(may);
        may
    }

    fn statement(&mut self, scope: &Scope) -> Form {
        let inner = scope.deeper();
        let nests = scope.depth < 2;
        match self.rng.below(16) {
            0..=2 => {
                let name = if self.rng.chance(40) { self.rng.pick(&["A", "X"]) } else { self.rng.pick(&scope.variables) };
                // `X` and locals have no range of their own.
                let value = self.value(&inner);
                let value = if name == "A" { value } else { Form::Binary(Operator::Remainder, Box::new(value), Box::new(Form::Number(2))) };
                Form::Assign(name, Box::new(value))
            }
            3 | 4 => {
                self.form("array");
                Form::AssignElement(Box::new(self.index(&inner)), Box::new(self.value(&inner)))
            }
            5 | 6 if self.may_wait(scope) => Form::Yield,
            7 if self.may_wait(scope) => {
                self.form("lock");
                if self.rng.chance(30) { Form::LockElement(Box::new(self.index(&inner)), true) } else { Form::Lock }
            }
            8 => {
                self.form("unlock");
                if self.rng.chance(30) { Form::LockElement(Box::new(self.index(&inner)), false) } else { Form::Unlock }
            }
            9 if self.may_wait(scope) => {
                self.form("await");
                Form::Await(Box::new(self.condition(&inner)))
            }
            10 if nests => {
                self.form("atomic");
                Form::Atomic(self.statements(&Scope { atomic: true, ..inner }, 2))
            }
            11 | 12 if nests => {
                let condition = Box::new(self.condition(&inner));
                let then = self.statements(&inner, 2);
                let otherwise = self.rng.chance(50).then(|| self.statements(&inner, 1));
                Form::If(condition, then, otherwise)
            }
            13 if nests => {
                self.form("for");
                let name = self.rng.pick(&["i", "j"]);
                // Everything in the loop happens twice.
                let yields = std::mem::replace(&mut self.yields, 0);
                let mut names = inner.names.clone();
                names.retain(|known| *known != name);
                names.push(name);
                let variables = inner.variables.iter().copied().filter(|known| *known != name).collect();
                let body = self.statements(&Scope { names, variables, ..inner }, 2);
                self.yields = yields;
                Form::For(name, 1, body)
            }
            14 => {
                self.form("skip");
                Form::Skip
            }
            _ => self.value(&inner),
        }
    }

    fn condition(&mut self, scope: &Scope) -> Form {
        let operator = self.rng.pick(&[Operator::Equal, Operator::NotEqual, Operator::Less]);
        let value = Box::new(self.value(&scope.deeper()));
        let compared = Form::Binary(operator, value, Box::new(Form::Number(self.rng.between(0, 1))));
        if self.rng.chance(15) { Form::Not(Box::new(compared)) } else { compared }
    }

    /// Mostly in range; arrays have at least two elements, numbered from 0.
    fn index(&mut self, scope: &Scope) -> Form {
        match self.rng.below(10) {
            0..=2 => Form::Number(self.rng.between(0, 1)),
            3..=4 => Form::ChooseRange(1),
            5 => Form::Binary(Operator::Remainder, Box::new(self.value(scope)), Box::new(Form::Number(2))),
            6 if self.may_wait(scope) => Form::Group(vec![Form::Yield, Form::Name("X")]),
            7 => Form::Name("Dim"),
            8 => Form::Binary(Operator::Equal, Box::new(Form::Name(self.rng.pick(&scope.names))), Box::new(Form::Number(0))),
            _ => Form::Name("X"),
        }
    }

    fn value(&mut self, scope: &Scope) -> Form {
        let inner = scope.deeper();
        match self.rng.below(if scope.depth < 3 { 16 } else { 7 }) {
            0 | 1 => Form::Number(self.rng.between(0, 2)),
            2 => Form::Name(self.rng.pick(&["K", "Off", "Bright"])),
            3 | 4 => Form::Name(self.rng.pick(&scope.names)),
            5 => Form::Name("A"),
            6 => Form::Name("X"),
            7 | 8 => {
                self.form("array");
                Form::Element(Box::new(self.index(&inner)))
            }
            9 => {
                let operator = self.rng.pick(&[Operator::Add, Operator::Subtract, Operator::Multiply]);
                Form::Binary(operator, Box::new(self.value(&inner)), Box::new(self.value(&inner)))
            }
            10 => self.condition(&inner),
            11 => {
                self.form("choose");
                Form::Choose((0..2 + self.rng.below(2)).map(|_| self.value(&inner)).collect())
            }
            12 => {
                self.form("choose");
                if self.rng.chance(30) { Form::ChooseEnum } else { Form::ChooseRange(self.rng.between(1, 2)) }
            }
            13 if self.may_wait(scope) => Form::Group(vec![Form::Yield, self.value(&inner)]),
            14 if !scope.variables.is_empty() => {
                let name = self.rng.pick(&scope.variables);
                let value = Form::Binary(Operator::Remainder, Box::new(self.value(&inner)), Box::new(Form::Number(2)));
                Form::Group(vec![Form::Assign(name, Box::new(value)), Form::Name(name)])
            }
            // A function may wait, and so cannot be called in `atomic`.
            _ if scope.functions > 0 && !scope.atomic => {
                self.form("fn");
                let called = self.rng.below(scope.functions);
                Form::Call(called, vec![self.value(&inner), self.value(&inner)])
            }
            _ => Form::Number(1),
        }
    }
}

// Spelling.

fn spell(file: &File) -> String {
    let values = |values: &Values| {
        let fit = match values.fit {
            Fit::Plain => "",
            Fit::Wrap => " wrap",
            Fit::Saturate => " saturate",
        };
        format!(": {}..{}{fit} := {}", values.low, values.high, values.initial)
    };
    let speller = Speller { file };
    let mut out = format!("const K = {}\nenum Lamp {{ {} }}\n", file.constant, MEMBERS.join(", "));
    out += &format!("var A{}\nvar B[0..{}]{}\n", values(&file.scalar), file.last_index, values(&file.array));
    out += &format!("var M[0..{}]\n", file.last_index);
    for function in &file.functions {
        out += &format!("fn {}({}) {{ {} }}\n", function.name, function.params.join(", "), speller.list(&function.body));
    }
    for request in &file.requests {
        let param = match request.param {
            None => String::new(),
            Some((_, true)) => "(n: Lamp)".to_owned(),
            Some((high, false)) => format!("(n: 0..{high})"),
        };
        out += &format!("request {}{param} {{ {} }}\n", request.name, speller.list(&request.body));
    }
    out
}

struct Speller<'f> {
    file: &'f File,
}

impl Speller<'_> {
    fn list(&self, forms: &[Form]) -> String {
        forms.iter().map(|form| self.one(form)).collect::<Vec<_>>().join("; ")
    }

    fn comma(&self, forms: &[Form]) -> String {
        forms.iter().map(|form| self.one(form)).collect::<Vec<_>>().join(", ")
    }

    fn one(&self, form: &Form) -> String {
        match form {
            Form::Number(value) => value.to_string(),
            Form::Name(name) => (*name).to_owned(),
            Form::Element(index) => format!("B[{}]", self.operand(index)),
            Form::Binary(op, left, right) => format!("{} {} {}", self.operand(left), sign(*op), self.operand(right)),
            Form::Not(inner) => format!("not ({})", self.one(inner)),
            Form::Choose(values) => format!("choose({})", self.comma(values)),
            Form::ChooseRange(high) => format!("choose(0..{high})"),
            Form::ChooseEnum => "choose(Lamp)".to_owned(),
            Form::Call(called, arguments) => {
                let function = &self.file.functions[*called];
                format!("{}({})", function.name, self.comma(&arguments[..function.params.len()]))
            }
            Form::Group(forms) => format!("({})", self.list(forms)),
            Form::Assign(name, value) => format!("{name} := {}", self.one(value)),
            Form::AssignElement(index, value) => format!("B[{}] := {}", self.operand(index), self.one(value)),
            Form::Yield => "yield".to_owned(),
            Form::Skip => "skip".to_owned(),
            Form::Lock => "lock(L)".to_owned(),
            Form::Unlock => "unlock(L)".to_owned(),
            Form::LockElement(index, locks) => format!("{}(M[{}])", if *locks { "lock" } else { "unlock" }, self.operand(index)),
            Form::Await(condition) => format!("await ({})", self.one(condition)),
            Form::Atomic(body) => format!("atomic {{ {} }}", self.list(body)),
            Form::If(condition, then, otherwise) => {
                let rest = otherwise.as_ref().map_or_else(String::new, |forms| format!(" else {{ {} }}", self.list(forms)));
                format!("if ({}) {{ {} }}{rest}", self.one(condition), self.list(then))
            }
            Form::For(name, high, body) => format!("for {name} in 0..{high} {{ {} }}", self.list(body)),
            Form::Return(value) => format!("return {}", self.one(value)),
        }
    }

    fn operand(&self, form: &Form) -> String {
        match form {
            Form::Number(_)
            | Form::Name(_)
            | Form::Element(_)
            | Form::Choose(_)
            | Form::ChooseRange(_)
            | Form::ChooseEnum
            | Form::Call(..)
            | Form::Group(_) => self.one(form),
            _ => format!("({})", self.one(form)),
        }
    }
}

fn sign(op: Operator) -> &'static str {
    match op {
        Operator::Add => "+",
        Operator::Subtract => "-",
        Operator::Multiply => "*",
        Operator::Remainder => "%",
        Operator::Equal => "==",
        Operator::NotEqual => "!=",
        Operator::Less => "<",
        _ => unreachable!("not made here"),
    }
}

// Meaning.

struct Translation<'f> {
    file: &'f File,
    constants: Vec<(&'static str, i64)>,
    /// What stands before the local variables of the function at hand.
    prefix: String,
    /// The variables of that function that start at 0.
    fresh: usize,
}

impl<'f> Translation<'f> {
    fn source(file: &'f File) -> Source {
        let element = |name: &str, index: i64| format!("{name}{index}");
        let mut globals = std::collections::BTreeMap::from([("A".to_owned(), file.scalar.initial)]);
        for index in 0..=file.last_index {
            globals.insert(element("B", index), file.array.initial);
        }
        let mut requests = Vec::new();
        for request in &file.requests {
            let instances: Vec<(String, Vec<(&str, i64)>)> = match request.param {
                None => vec![(request.name.to_owned(), Vec::new())],
                Some((high, named)) => (0..=high)
                    .map(|value| {
                        let shown = if named { MEMBERS[usize::try_from(value).unwrap_or(0)].to_owned() } else { value.to_string() };
                        (format!("{}({shown})", request.name), vec![("n", value)])
                    })
                    .collect(),
            };
            for (name, params) in instances {
                let mut constants = vec![("K", file.constant)];
                constants.extend(MEMBERS.into_iter().zip(0..));
                constants.extend(params);
                let mut translation = Self { file, constants, prefix: String::new(), fresh: 0 };
                requests.push((name, translation.block(&request.body)));
            }
        }
        Source { globals, requests }
    }

    fn block(&mut self, forms: &[Form]) -> Term {
        term::block(forms.iter().map(|form| self.one(form)).collect::<Vec<_>>())
    }

    fn temporary(&mut self) -> String {
        self.fresh += 1;
        format!("t{}", self.fresh)
    }

    fn local(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    fn name(&self, name: &str) -> Term {
        match self.constants.iter().rev().find(|(known, _)| *known == name) {
            Some((_, value)) => term::number(*value),
            None if term::is_global(name) => term::read(name),
            None => term::read(&self.local(name)),
        }
    }

    fn one(&mut self, form: &Form) -> Term {
        match form {
            Form::Number(value) => term::number(*value),
            Form::Name(name) => self.name(name),
            Form::Element(index) => {
                let at = self.temporary();
                let index = self.one(index);
                let (check, last) = (self.check(&at), self.file.last_index);
                let choice = pick(&at, last, &mut |index| term::read(&format!("B{index}")));
                term::block([term::assign(&at, index), check, choice])
            }
            Form::Binary(op, left, right) => {
                let left = self.one(left);
                term::binary(left, *op, self.one(right))
            }
            Form::Not(inner) => term::not(self.one(inner)),
            Form::Choose(values) => {
                let terms: Vec<Term> = values.iter().map(|value| self.one(value)).collect();
                either(terms)
            }
            Form::ChooseRange(high) => either((0..=*high).map(term::number).collect()),
            Form::ChooseEnum => either((0..3).map(term::number).collect()),
            Form::Call(called, arguments) => self.call(*called, arguments),
            Form::Group(forms) | Form::Atomic(forms) => self.block(forms),
            Form::Assign("A", value) => {
                let value = self.one(value);
                self.store("A", value, self.file.scalar)
            }
            Form::Assign(name, value) => {
                let value = self.one(value);
                if term::is_global(name) { term::assign(name, value) } else { term::assign(&self.local(name), value) }
            }
            Form::AssignElement(index, value) => {
                let (at, new) = (self.temporary(), self.temporary());
                let index = self.one(index);
                let value = self.one(value);
                let (check, last, values) = (self.check(&at), self.file.last_index, self.file.array);
                let choice = pick(&at, last, &mut |index| self.store(&format!("B{index}"), term::read(&new), values));
                term::block([term::assign(&at, index), check, term::assign(&new, value), choice])
            }
            Form::Yield => term::yields(),
            Form::Skip => term::number(0),
            Form::Lock => locked(|| term::read("L"), term::assign("L", term::number(1))),
            Form::Unlock => term::assign("L", term::number(0)),
            Form::LockElement(index, locks) => self.lock_element(index, *locks),
            Form::Await(condition) => term::while_do(term::not(self.one(condition)), term::yields()),
            Form::If(condition, then, otherwise) => {
                let condition = self.one(condition);
                let then = self.block(then);
                let otherwise = otherwise.as_ref().map_or(term::number(0), |forms| self.block(forms));
                term::if_else(condition, then, otherwise)
            }
            Form::For(name, high, body) => {
                let mut rounds = Vec::new();
                for value in 0..=*high {
                    self.constants.push((name, value));
                    rounds.push(self.block(body));
                    self.constants.pop();
                }
                rounds.push(term::number(0));
                term::block(rounds)
            }
            Form::Return(value) => term::returns(self.one(value)),
        }
    }

    /// The index is evaluated anew each time that the lock is looked at.
    fn lock_element(&mut self, index: &Form, locks: bool) -> Term {
        let last = self.file.last_index;
        let set = |this: &mut Self, to: i64| {
            let at = this.temporary();
            let index = this.one(index);
            let check = this.check(&at);
            let choice = pick(&at, last, &mut |index| term::assign(&format!("M{index}"), term::number(to)));
            term::block([term::assign(&at, index), check, choice])
        };
        if !locks {
            return set(self, 0);
        }
        let seen = self.temporary();
        let looked = self.one(index);
        let check = self.check(&seen);
        let choice = pick(&seen, last, &mut |index| term::read(&format!("M{index}")));
        let held = term::block([term::assign(&seen, looked), check, choice]);
        let taken = set(self, 1);
        locked(|| held.clone(), taken)
    }

    /// In error where the variable is no index.
    fn check(&self, at: &str) -> Term {
        limited(at, 0, self.file.last_index)
    }

    fn store(&mut self, name: &str, value: Term, values: Values) -> Term {
        let Values { low, high, fit, .. } = values;
        let kept = self.temporary();
        let seen = || term::read(&kept);
        match fit {
            Fit::Plain => term::block([term::assign(&kept, value), limited(&kept, low, high), term::assign(name, seen())]),
            Fit::Wrap => {
                let offset = term::binary(value, Operator::Subtract, term::number(low));
                let rest = term::binary(offset, Operator::Remainder, term::number(high - low + 1));
                term::assign(name, term::binary(term::number(low), Operator::Add, rest))
            }
            Fit::Saturate => {
                let low_end = |rest| term::if_else(term::binary(seen(), Operator::Less, term::number(low)), term::number(low), rest);
                let high_end = term::if_else(term::binary(seen(), Operator::Greater, term::number(high)), term::number(high), seen());
                term::block([term::assign(&kept, value), term::assign(name, low_end(high_end))])
            }
        }
    }

    fn call(&mut self, called: usize, arguments: &[Form]) -> Term {
        let function = &self.file.functions[called];
        let values: Vec<Term> = arguments.iter().take(function.params.len()).map(|argument| self.one(argument)).collect();
        self.fresh += 1;
        let prefix = std::mem::replace(&mut self.prefix, format!("c{}_", self.fresh));
        // Only constants of the file are known inside.
        let constants = self.constants.clone();
        self.constants.truncate(1 + MEMBERS.len());
        let mut list: Vec<Term> = function.params.iter().zip(values).map(|(name, value)| term::assign(&self.local(name), value)).collect();
        list.push(term::assign(&self.local("u"), term::number(0)));
        list.push(self.function(&function.body));
        self.prefix = prefix;
        self.constants = constants;
        term::block(list)
    }

    /// A body in which `return` gives the value.
    fn function(&mut self, body: &[Form]) -> Term {
        match body {
            [Form::Return(value)] => self.one(value),
            [last] => self.one(last),
            [Form::If(condition, then, None), rest @ ..] if matches!(then.last(), Some(Form::Return(_))) => {
                let condition = self.one(condition);
                let then = self.function(then);
                term::if_else(condition, then, self.function(rest))
            }
            [first, rest @ ..] => {
                let first = self.one(first);
                term::sequence(first, self.function(rest))
            }
            [] => term::number(0),
        }
    }
}

/// One of several, by choices of two.
fn either(mut terms: Vec<Term>) -> Term {
    let last = terms.pop().unwrap_or(Term::Number(0));
    terms.into_iter().rev().fold(last, |rest, term| term::if_else(term::choice(), term, rest))
}

/// What is done with the element whose index is in a variable.
fn pick(at: &str, last: i64, what: &mut dyn FnMut(i64) -> Term) -> Term {
    let end = what(last);
    (0..last)
        .rev()
        .fold(end, |rest, index| term::if_else(term::binary(term::read(at), Operator::Equal, term::number(index)), what(index), rest))
}

fn limited(name: &str, low: i64, high: i64) -> Term {
    let seen = || term::read(name);
    let below = term::binary(seen(), Operator::Less, term::number(low));
    let above = term::binary(seen(), Operator::Greater, term::number(high));
    let error = term::binary(term::number(1), Operator::Divide, term::number(0));
    term::if_else(term::or(below, above), error, term::number(0))
}

fn locked(held: impl Fn() -> Term, take: Term) -> Term {
    let wait = term::while_do(term::binary(held(), Operator::Equal, term::number(1)), term::yields());
    term::sequence(wait, take)
}
