//! What a tree of forms means in the core language.

use super::{ArrayName, ConvenienceForm, File, Fit, MEMBERS, ParamValues, RandomValues};
use crate::naive::Source;
use crate::naive::term::{self, Operator, RoundExit, Term};

/// The program that a tree stands for.
pub(super) fn source(file: &File) -> Source {
    let element = |name: &str, index: i64| format!("{name}{index}");
    let mut globals = std::collections::BTreeMap::from([("A".to_owned(), file.scalar.initial)]);
    for index in 0..=file.last_index {
        globals.insert(element("B", index), file.array.initial);
        for row in 0..=1 {
            globals.insert(element(&element("C", row), index), file.array.initial);
        }
    }
    let mut requests = Vec::new();
    for request in &file.requests {
        let values: Vec<(String, i64)> = match &request.param {
            None => Vec::new(),
            Some(ParamValues::Range(high)) => (0..=*high).map(|value| (value.to_string(), value)).collect(),
            Some(ParamValues::Members) => MEMBERS.into_iter().map(str::to_owned).zip(0..).collect(),
            Some(ParamValues::Set(values)) => values.iter().map(|&(_, called, value)| (called.to_owned(), value)).collect(),
        };
        let instances: Vec<(String, Vec<(&str, i64)>)> = match request.param {
            None => vec![(request.name.to_owned(), Vec::new())],
            Some(_) => values.into_iter().map(|(called, value)| (format!("{}({called})", request.name), vec![("n", value)])).collect(),
        };
        for (name, params) in instances {
            let mut constants = vec![("K", file.constant)];
            constants.extend(MEMBERS.into_iter().zip(0..));
            constants.extend(params);
            let mut translation = Translation { file, constants, prefix: String::new(), fresh: 0 };
            requests.push((name, translation.block(&request.body)));
        }
    }
    Source { globals, requests }
}

struct Translation<'f> {
    file: &'f File,
    constants: Vec<(&'static str, i64)>,
    /// What stands before the local variables of the function at hand.
    prefix: String,
    /// The variables of that function that start at 0.
    fresh: usize,
}

impl Translation<'_> {
    fn block(&mut self, forms: &[ConvenienceForm]) -> Term {
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

    fn one(&mut self, form: &ConvenienceForm) -> Term {
        match form {
            ConvenienceForm::Number(value) => term::number(*value),
            ConvenienceForm::Name(name) => self.name(name),
            ConvenienceForm::Member(name) => self.name(name),
            ConvenienceForm::Element(array, indices) => {
                let (at, mut list) = self.located(*array, indices);
                list.push(self.pick_element(*array, &at, &mut |_, name| term::read(&name)));
                term::block(list)
            }
            ConvenienceForm::Declare(array) => {
                let (ends, own) = (array.ends(self.file.last_index), self.file.own);
                let mut suffixes = vec![String::new()];
                for end in ends {
                    suffixes = suffixes.iter().flat_map(|before| (0..=end).map(move |index| format!("{before}{index}"))).collect();
                }
                let mut list: Vec<Term> =
                    suffixes.iter().map(|suffix| term::assign(&self.element(*array, suffix), term::number(own.initial))).collect();
                list.push(term::number(0));
                term::block(list)
            }
            ConvenienceForm::Binary(op, left, right) => {
                let left = self.one(left);
                term::binary(left, *op, self.one(right))
            }
            ConvenienceForm::Not(inner) => term::not(self.one(inner)),
            ConvenienceForm::Logic(any, operands) => {
                let join = if *any { term::or } else { term::and };
                operands.iter().map(|operand| self.one(operand)).reduce(join).unwrap_or(term::number(0))
            }
            ConvenienceForm::Sum(first, rest) => {
                let first = self.one(first);
                rest.iter().fold(first, |sum, (less, operand)| {
                    term::binary(sum, if *less { Operator::Subtract } else { Operator::Add }, self.one(operand))
                })
            }
            ConvenienceForm::Choose(values) => {
                let terms: Vec<Term> = values.iter().map(|value| self.one(value)).collect();
                either(terms)
            }
            ConvenienceForm::ChooseRange(high) => either((0..=*high).map(term::number).collect()),
            ConvenienceForm::ChooseEnum => either((0..3).map(term::number).collect()),
            ConvenienceForm::Call(called, arguments) => self.call(*called, arguments),
            ConvenienceForm::Group(forms) | ConvenienceForm::Atomic(forms) => self.block(forms),
            ConvenienceForm::Assign("A", value) => {
                let value = self.one(value);
                self.store("A", value, self.file.scalar)
            }
            ConvenienceForm::Assign(name, value) => {
                let value = self.one(value);
                if term::is_global(name) { term::assign(name, value) } else { term::assign(&self.local(name), value) }
            }
            ConvenienceForm::AssignElement(array, indices, value) => {
                let (at, mut list) = self.located(*array, indices);
                let new = self.temporary();
                list.push(term::assign(&new, self.one(value)));
                let values = self.values_of(*array);
                list.push(self.pick_element(*array, &at, &mut |this, name| this.store(&name, term::read(&new), values)));
                term::block(list)
            }
            ConvenienceForm::AddToElement(array, indices, value) => {
                let (at, mut list) = self.located(*array, indices);
                let new = self.temporary();
                let old = self.pick_element(*array, &at, &mut |_, name| term::read(&name));
                list.push(term::assign(&new, term::binary(old, Operator::Add, self.one(value))));
                let values = self.values_of(*array);
                list.push(self.pick_element(*array, &at, &mut |this, name| this.store(&name, term::read(&new), values)));
                term::block(list)
            }
            ConvenienceForm::Yield => term::yields(),
            ConvenienceForm::Skip => term::number(0),
            ConvenienceForm::Lock => locked(|| term::read("L"), term::assign("L", term::number(1))),
            ConvenienceForm::Unlock => term::assign("L", term::number(0)),
            ConvenienceForm::LockElement(index, locks) => self.lock_element(index, *locks),
            ConvenienceForm::Await(condition) => term::while_do(term::not(self.one(condition)), term::yields()),
            ConvenienceForm::If(condition, then, otherwise) => {
                let condition = self.one(condition);
                let then = self.block(then);
                let otherwise = otherwise.as_ref().map_or(term::number(0), |forms| self.block(forms));
                term::if_else(condition, then, otherwise)
            }
            ConvenienceForm::For(name, high, body) => {
                let mut rounds = Vec::new();
                for value in 0..=*high {
                    self.constants.push((name, value));
                    rounds.push(term::up_to(RoundExit::Continue, self.block(body)));
                    self.constants.pop();
                }
                rounds.push(term::number(0));
                term::up_to(RoundExit::Break, term::block(rounds))
            }
            ConvenienceForm::Return(value) => term::returns(self.one(value)),
            // A condition that does not hold leaves the loop as `break` does.
            ConvenienceForm::While(condition, body) => {
                let condition = self.block(condition);
                let round = term::if_else(condition, self.block(body), term::exit(RoundExit::Break));
                term::up_to(RoundExit::Break, term::while_do(term::number(1), term::up_to(RoundExit::Continue, round)))
            }
            ConvenienceForm::Exit(how) => term::exit(*how),
            ConvenienceForm::Extreme(greatest, values) => self.extreme(*greatest, values),
        }
    }

    /// What an element is called.
    fn element(&self, array: ArrayName, suffix: &str) -> String {
        let name = format!("{}{suffix}", array.name());
        if term::is_global(&name) { name } else { self.local(&name) }
    }

    fn values_of(&self, array: ArrayName) -> RandomValues {
        if matches!(array, ArrayName::Row | ArrayName::Table) { self.file.array } else { self.file.own }
    }

    /// A variable for each index, and what assigns to them and tests each right after that.
    fn located(&mut self, array: ArrayName, indices: &[ConvenienceForm]) -> (Vec<String>, Vec<Term>) {
        let (mut names, mut list) = (Vec::new(), Vec::new());
        for (index, end) in indices.iter().zip(array.ends(self.file.last_index)) {
            let at = self.temporary();
            let index = self.one(index);
            list.extend([term::assign(&at, index), limited(&at, 0, end)]);
            names.push(at);
        }
        (names, list)
    }

    /// What is done with the element whose indices are in variables.
    fn pick_element(&mut self, array: ArrayName, at: &[String], what: &mut dyn FnMut(&mut Self, String) -> Term) -> Term {
        let last = self.file.last_index;
        match at {
            [at] => pick(at, last, &mut |index| {
                let name = self.element(array, &index.to_string());
                what(self, name)
            }),
            [first, second] => pick(first, 1, &mut |row| {
                pick(second, last, &mut |index| {
                    let name = self.element(array, &format!("{row}{index}"));
                    what(self, name)
                })
            }),
            _ => unreachable!("one index or two"),
        }
    }

    /// All values in turn, and then the one that is not beaten by any later one.
    fn extreme(&mut self, greatest: bool, values: &[ConvenienceForm]) -> Term {
        let names: Vec<String> = values.iter().map(|_| self.temporary()).collect();
        let mut list: Vec<Term> = names.iter().zip(values).map(|(name, value)| term::assign(name, self.one(value))).collect();
        let op = if greatest { Operator::GreaterOrEqual } else { Operator::LessOrEqual };
        let mut found = term::number(0);
        for (at, name) in names.iter().enumerate().rev() {
            let stands = |other: &String| term::binary(term::read(name), op, term::read(other));
            let best = names[at + 1..].iter().map(stands).reduce(term::and).unwrap_or(term::number(1));
            found = term::if_else(best, term::read(name), found);
        }
        list.push(found);
        term::block(list)
    }

    /// The index is evaluated anew each time that the lock is looked at.
    fn lock_element(&mut self, index: &ConvenienceForm, locks: bool) -> Term {
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

    fn store(&mut self, name: &str, value: Term, values: RandomValues) -> Term {
        let RandomValues { low, high, fit, .. } = values;
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

    fn call(&mut self, called: usize, arguments: &[ConvenienceForm]) -> Term {
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
    fn function(&mut self, body: &[ConvenienceForm]) -> Term {
        match body {
            [ConvenienceForm::Return(value)] => self.one(value),
            [last] => self.one(last),
            [ConvenienceForm::If(condition, then, None), rest @ ..] if matches!(then.last(), Some(ConvenienceForm::Return(_))) => {
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
