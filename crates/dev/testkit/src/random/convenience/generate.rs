//! Makes the tree of forms.

use std::collections::BTreeSet;

use super::{ArrayName, ConvenienceForm, File, Fit, Function, ParamValues, RandomValues, Request};
use crate::naive::term::{Operator, RoundExit};
use crate::random::rng::SplitMix64;

/// The tree of this seed, and the words of the forms in it.
pub(super) fn file(seed: u64) -> (File, BTreeSet<&'static str>) {
    let mut maker = Maker { rng: SplitMix64::new(seed), yields: 0, last_index: 1, forms: BTreeSet::new() };
    (maker.file(), maker.forms)
}

struct Maker {
    rng: SplitMix64,
    /// How often the request at hand may still wait.
    yields: usize,
    /// The greatest index of arrays with one index, and the greatest second one of the others.
    last_index: i64,
    forms: BTreeSet<&'static str>,
}

/// What can be named where a form stands.
#[derive(Clone, Default)]
struct Scope {
    names: Vec<&'static str>,
    variables: Vec<&'static str>,
    /// The arrays of the request or function that are declared before.
    arrays: Vec<ArrayName>,
    /// How many of the functions can be called.
    functions: usize,
    atomic: bool,
    depth: usize,
    /// How many loops are around.
    loops: usize,
    /// Whether `return` may stand anywhere, as in requests.
    returns: bool,
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

    fn values(&mut self) -> RandomValues {
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
        RandomValues { low, high, fit, initial: self.rng.between(low.max(0), high.min(2)) }
    }

    fn file(&mut self) -> File {
        self.form("const");
        self.form("enum");
        let (scalar, array, own) = (self.values(), self.values(), self.values());
        let constant = self.rng.between(0, 2);
        self.last_index = self.rng.between(1, 2);
        let mut functions = Vec::new();
        for (index, name) in ["first", "second"].into_iter().enumerate().take(self.rng.below(3)) {
            self.yields = usize::from(self.rng.chance(40));
            let params: Vec<&str> = ["p", "q"].into_iter().take(self.rng.below(3)).collect();
            let variables: Vec<&str> = params.iter().copied().chain(["u"]).collect();
            let scope = Scope { names: variables.clone(), variables, functions: index, ..Scope::default() };
            // Often enough beside an array of its caller of the same name.
            let (mut body, scope) = self.declared(&scope, 50);
            if self.rng.chance(50) {
                let guard = vec![ConvenienceForm::Return(Box::new(self.value(&scope.deeper())))];
                body.push(ConvenienceForm::If(Box::new(self.condition(&scope)), guard, None));
            }
            let (statements, scope) = self.sequence(&scope, 2);
            body.extend(statements);
            let value = Box::new(self.value(&scope));
            body.push(if self.rng.chance(50) { ConvenienceForm::Return(value) } else { *value });
            functions.push(Function { name, params, body });
        }
        let mut requests = Vec::new();
        for name in ["one", "two"].into_iter().take(1 + self.rng.below(2)) {
            self.yields = 2;
            let param = self.rng.chance(40).then(|| self.param(constant));
            let mut scope =
                Scope { names: vec!["x", "y"], variables: vec!["x", "y"], functions: functions.len(), returns: true, ..Scope::default() };
            if param.is_some() {
                self.form("parameter");
                scope.names.push("n");
            }
            let (mut body, scope) = self.declared(&scope, 30);
            let (statements, scope) = self.sequence(&scope, 4);
            body.extend(statements);
            body.push(self.value(&scope));
            requests.push(Request { name, param, body });
        }
        File { constant, scalar, array, own, last_index: self.last_index, functions, requests }
    }

    fn param(&mut self, constant: i64) -> ParamValues {
        match self.rng.below(4) {
            0 => ParamValues::Members,
            1 => {
                self.form("value set");
                let first = match self.rng.below(3) {
                    0 => ("Lamp.Dim", "Dim", 1),
                    1 => ("Bright", "Bright", 2),
                    _ if constant != 0 => ("K", "K", constant),
                    _ => ("1 + 1", "2", 2),
                };
                let mut values = vec![first, self.rng.pick(&[("0", "0", 0), ("-1", "-1", -1), ("Off", "Off", 0)])];
                if self.rng.chance(30) {
                    values.push(("2 * 2", "4", 4));
                }
                ParamValues::Set(values)
            }
            _ => ParamValues::Range(1),
        }
    }

    fn statements(&mut self, scope: &Scope, most: usize) -> Vec<ConvenienceForm> {
        self.sequence(scope, most).0
    }

    /// Statements, and what can be named behind them.
    fn sequence(&mut self, scope: &Scope, most: usize) -> (Vec<ConvenienceForm>, Scope) {
        let mut list = Vec::new();
        let mut scope = scope.clone();
        for _ in 0..1 + self.rng.below(most) {
            let (declared, inner) = self.declared(&scope, 15);
            list.extend(declared);
            scope = inner;
            list.push(self.statement(&scope));
        }
        (list, scope)
    }

    /// Perhaps the declaration of an array that is not known yet.
    fn declared(&mut self, scope: &Scope, percent: usize) -> (Vec<ConvenienceForm>, Scope) {
        let array = if self.rng.chance(70) { ArrayName::Own } else { ArrayName::OwnTable };
        let mut scope = scope.clone();
        if scope.arrays.contains(&array) || !self.rng.chance(percent) {
            return (Vec::new(), scope);
        }
        self.form("local array");
        scope.arrays.push(array);
        (vec![ConvenienceForm::Declare(array)], scope)
    }

    /// An array that can be named, with indices.
    fn element(&mut self, scope: &Scope) -> (ArrayName, Vec<ConvenienceForm>) {
        let own = !scope.arrays.is_empty() && self.rng.chance(60);
        let array = if own { self.rng.pick(&scope.arrays) } else { self.rng.pick(&[ArrayName::Row, ArrayName::Row, ArrayName::Table]) };
        self.form(if array.indices() == 2 { "two indices" } else { "array" });
        (array, array.ends(self.last_index).into_iter().map(|end| self.index(scope, end)).collect())
    }

    /// Whether a step may end here, and then one fewer may end later.
    fn may_wait(&mut self, scope: &Scope) -> bool {
        let may = !scope.atomic && self.yields > 0;
        self.yields -= usize::from(may);
        may
    }

    fn statement(&mut self, scope: &Scope) -> ConvenienceForm {
        let inner = scope.deeper();
        let nests = scope.depth < 2;
        match self.rng.below(if scope.loops > 0 { 20 } else { 18 }) {
            0..=2 => {
                let name = if self.rng.chance(40) { self.rng.pick(&["A", "X"]) } else { self.rng.pick(&scope.variables) };
                // `X` and locals have no range of their own.
                let value = self.value(&inner);
                let value = if name == "A" {
                    value
                } else {
                    ConvenienceForm::Binary(Operator::Remainder, Box::new(value), Box::new(ConvenienceForm::Number(2)))
                };
                ConvenienceForm::Assign(name, Box::new(value))
            }
            3 | 4 => {
                let (array, indices) = self.element(&inner);
                let value = Box::new(self.value(&inner));
                if self.rng.chance(25) {
                    ConvenienceForm::AddToElement(array, indices, value)
                } else {
                    ConvenienceForm::AssignElement(array, indices, value)
                }
            }
            5 | 6 if self.may_wait(scope) => ConvenienceForm::Yield,
            7 if self.may_wait(scope) => {
                self.form("lock");
                if self.rng.chance(30) {
                    ConvenienceForm::LockElement(Box::new(self.index(&inner, 1)), true)
                } else {
                    ConvenienceForm::Lock
                }
            }
            8 => {
                self.form("unlock");
                if self.rng.chance(30) {
                    ConvenienceForm::LockElement(Box::new(self.index(&inner, 1)), false)
                } else {
                    ConvenienceForm::Unlock
                }
            }
            9 if self.may_wait(scope) => {
                self.form("await");
                ConvenienceForm::Await(Box::new(self.condition(&inner)))
            }
            10 if nests => {
                self.form("atomic");
                ConvenienceForm::Atomic(self.statements(&Scope { atomic: true, ..inner }, 2))
            }
            11 | 12 if nests => {
                let condition = Box::new(self.condition(&inner));
                let then = self.statements(&inner, 2);
                let otherwise = self.rng.chance(50).then(|| self.statements(&inner, 1));
                ConvenienceForm::If(condition, then, otherwise)
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
                let body = self.statements(&Scope { names, variables, loops: scope.loops + 1, ..inner }, 2);
                self.yields = yields;
                ConvenienceForm::For(name, 1, body)
            }
            14 => {
                self.form("skip");
                ConvenienceForm::Skip
            }
            15 | 16 if nests => self.while_loop(&inner),
            18 | 19 => self.exit(&inner),
            17 if scope.loops > 0 && scope.returns && self.rng.chance(30) => ConvenienceForm::Return(Box::new(self.value(&inner))),
            _ => self.value(&inner),
        }
    }

    /// `(w := 0; while (w < 2) { w := w + 1; … })`, of which the test may leave the round too.
    fn while_loop(&mut self, scope: &Scope) -> ConvenienceForm {
        self.form("while");
        let name = ["w", "z"][scope.loops.min(1)];
        let inside = Scope { loops: scope.loops + 1, ..scope.clone() };
        // Everything in the loop happens twice.
        let some = usize::from(self.yields > 1 && self.rng.chance(50));
        let yields = std::mem::replace(&mut self.yields, some);
        let step = ConvenienceForm::Assign(name, Box::new(binary(Operator::Add, ConvenienceForm::Name(name), ConvenienceForm::Number(1))));
        let test = binary(Operator::Less, ConvenienceForm::Name(name), ConvenienceForm::Number(2));
        let mut condition = Vec::new();
        let mut body = Vec::new();
        if self.rng.chance(25) {
            condition.extend([step, self.exit(&inside), binary(Operator::Less, ConvenienceForm::Name(name), ConvenienceForm::Number(3))]);
        } else {
            condition.push(test);
            body.push(step);
        }
        body.extend(self.statements(&inside, 3));
        self.yields = yields;
        // The count is bounded also where every round is left in the test.
        let reset = ConvenienceForm::Assign(name, Box::new(ConvenienceForm::Number(0)));
        if condition.len() > 1 {
            let over = binary(Operator::Less, ConvenienceForm::Number(3), ConvenienceForm::Name(name));
            let ends = ConvenienceForm::If(Box::new(over), vec![ConvenienceForm::Exit(RoundExit::Break)], None);
            condition.insert(1, ends);
        }
        ConvenienceForm::Group(vec![reset, ConvenienceForm::While(condition, body)])
    }

    /// A value, something that others see, or in a loop what may leave the round in its place.
    fn operand(&mut self, scope: &Scope) -> ConvenienceForm {
        if scope.loops > 0 && self.rng.chance(40) {
            return self.exit(scope);
        }
        let value = self.value(scope);
        if self.rng.chance(60) {
            return value;
        }
        let small = binary(Operator::Remainder, value, ConvenienceForm::Number(2));
        ConvenienceForm::Group(vec![ConvenienceForm::Assign("X", Box::new(small)), ConvenienceForm::Name("X")])
    }

    /// `break` or `continue`, mostly under a condition.
    fn exit(&mut self, scope: &Scope) -> ConvenienceForm {
        let how = if self.rng.chance(50) { RoundExit::Break } else { RoundExit::Continue };
        self.form(if how == RoundExit::Break { "break" } else { "continue" });
        let exit = ConvenienceForm::Exit(how);
        if self.rng.chance(15) {
            return exit;
        }
        let otherwise = self.rng.chance(50).then(|| vec![self.value(&scope.deeper())]);
        ConvenienceForm::If(Box::new(self.condition(scope)), vec![exit], otherwise)
    }

    fn condition(&mut self, scope: &Scope) -> ConvenienceForm {
        let operator = self.rng.pick(&[Operator::Equal, Operator::NotEqual, Operator::Less]);
        let value = Box::new(self.value(&scope.deeper()));
        let compared = ConvenienceForm::Binary(operator, value, Box::new(ConvenienceForm::Number(self.rng.between(0, 1))));
        if self.rng.chance(15) { ConvenienceForm::Not(Box::new(compared)) } else { compared }
    }

    /// Mostly from 0 to `end`, which is at least 1.
    fn index(&mut self, scope: &Scope, end: i64) -> ConvenienceForm {
        // One further where X is 1.
        if self.rng.chance(1) {
            return ConvenienceForm::Binary(Operator::Add, Box::new(ConvenienceForm::Name("X")), Box::new(ConvenienceForm::Number(end)));
        }
        match self.rng.below(10) {
            0..=2 => ConvenienceForm::Number(self.rng.between(0, end)),
            3..=4 => ConvenienceForm::ChooseRange(end),
            5 => ConvenienceForm::Binary(Operator::Remainder, Box::new(self.value(scope)), Box::new(ConvenienceForm::Number(end + 1))),
            6 if self.may_wait(scope) => ConvenienceForm::Group(vec![ConvenienceForm::Yield, ConvenienceForm::Name("X")]),
            7 => ConvenienceForm::Name("Dim"),
            8 => ConvenienceForm::Binary(
                Operator::Equal,
                Box::new(ConvenienceForm::Name(self.rng.pick(&scope.names))),
                Box::new(ConvenienceForm::Number(0)),
            ),
            _ => ConvenienceForm::Name("X"),
        }
    }

    fn value(&mut self, scope: &Scope) -> ConvenienceForm {
        let inner = scope.deeper();
        match self.rng.below(if scope.depth < 3 { 20 } else { 7 }) {
            0 | 1 => ConvenienceForm::Number(self.rng.between(0, 2)),
            2 if self.rng.chance(30) => {
                self.form("member");
                ConvenienceForm::Member(self.rng.pick(&["Off", "Bright"]))
            }
            2 => ConvenienceForm::Name(self.rng.pick(&["K", "Off", "Bright"])),
            3 | 4 => ConvenienceForm::Name(self.rng.pick(&scope.names)),
            5 => ConvenienceForm::Name("A"),
            6 => ConvenienceForm::Name("X"),
            7 | 8 => {
                let (array, indices) = self.element(&inner);
                ConvenienceForm::Element(array, indices)
            }
            9 => {
                let operator = self.rng.pick(&[Operator::Add, Operator::Subtract, Operator::Multiply]);
                ConvenienceForm::Binary(operator, Box::new(self.value(&inner)), Box::new(self.value(&inner)))
            }
            10 => self.condition(&inner),
            11 => {
                self.form("choose");
                ConvenienceForm::Choose((0..2 + self.rng.below(2)).map(|_| self.value(&inner)).collect())
            }
            12 => {
                self.form("choose");
                if self.rng.chance(30) { ConvenienceForm::ChooseEnum } else { ConvenienceForm::ChooseRange(self.rng.between(1, 2)) }
            }
            13 if self.may_wait(scope) => ConvenienceForm::Group(vec![ConvenienceForm::Yield, self.value(&inner)]),
            14 if !scope.variables.is_empty() => {
                let name = self.rng.pick(&scope.variables);
                let value =
                    ConvenienceForm::Binary(Operator::Remainder, Box::new(self.value(&inner)), Box::new(ConvenienceForm::Number(2)));
                ConvenienceForm::Group(vec![ConvenienceForm::Assign(name, Box::new(value)), ConvenienceForm::Name(name)])
            }
            15 => {
                let greatest = self.rng.chance(50);
                self.form(if greatest { "max" } else { "min" });
                ConvenienceForm::Extreme(greatest, (0..2 + self.rng.below(2)).map(|_| self.value(&inner)).collect())
            }
            16 if scope.loops > 0 => self.exit(&inner),
            17 => {
                let any = self.rng.chance(50);
                ConvenienceForm::Logic(any, (0..2 + self.rng.below(2)).map(|_| self.operand(&inner)).collect())
            }
            18 => {
                let first = Box::new(self.operand(&inner));
                ConvenienceForm::Sum(first, (0..2).map(|_| (self.rng.chance(50), self.operand(&inner))).collect())
            }
            // A function may wait, and so cannot be called in `atomic`.
            _ if scope.functions > 0 && !scope.atomic => {
                self.form("fn");
                let called = self.rng.below(scope.functions);
                ConvenienceForm::Call(called, vec![self.value(&inner), self.value(&inner)])
            }
            _ => ConvenienceForm::Number(1),
        }
    }
}

fn binary(op: Operator, left: ConvenienceForm, right: ConvenienceForm) -> ConvenienceForm {
    ConvenienceForm::Binary(op, Box::new(left), Box::new(right))
}
