//! Random statements: plain ones, idioms of request handlers, loops.

use super::expression::COUNTERS;
use super::generate::Maker;
use crate::naive::term::{self, Operator, Term};

fn compare(name: &str, op: Operator, n: i64) -> Term {
    term::binary(term::read(name), op, term::number(n))
}

fn change(name: &str, op: Operator, n: i64) -> Term {
    term::assign(name, term::binary(term::read(name), op, term::number(n)))
}

impl Maker {
    pub(super) fn statement(&mut self, nesting: usize) -> Term {
        let [plain, idiom, iteration] = self.profile.weights;
        let number = self.rng.below(plain + idiom + iteration);
        if number < plain {
            self.plain(nesting)
        } else if number < plain + idiom {
            self.idiom(nesting)
        } else {
            self.iteration(nesting)
        }
    }

    /// One or two statements.
    fn few(&mut self, nesting: usize) -> Term {
        if nesting == 0 || self.rng.chance(50) {
            return self.statement(nesting.saturating_sub(1));
        }
        let parts = [self.statement(nesting - 1), self.statement(nesting - 1)];
        term::block(parts)
    }

    fn plain(&mut self, nesting: usize) -> Term {
        if self.edges && self.rng.chance(40) {
            return self.discarded();
        }
        match self.rng.below(100) {
            0..55 => self.assignment(self.profile.depth),
            55..67 => self.yields(),
            67..87 if nesting > 0 => self.branch(nesting),
            87..92 => {
                let condition = self.condition(0);
                let value = self.expression(1);
                term::if_else(condition, term::returns(value), term::number(0))
            }
            92..94 if self.grows => {
                let name = self.target();
                change(name, Operator::Add, 1)
            }
            94..97 => self.expression(self.profile.depth),
            _ => self.assignment(1),
        }
    }

    fn branch(&mut self, nesting: usize) -> Term {
        let condition = self.condition(self.profile.depth.saturating_sub(1));
        let then = self.few(nesting);
        let otherwise = match self.rng.below(3) {
            0 => term::number(0),
            1 => self.few(nesting),
            _ => {
                let second = self.condition(0);
                term::if_else(second, self.assignment(1), self.assignment(1))
            }
        };
        term::if_else(condition, then, otherwise)
    }

    fn idiom(&mut self, nesting: usize) -> Term {
        if self.grows && self.rng.chance(25) {
            let name = self.target();
            return change(name, Operator::Add, 1);
        }
        match self.rng.below(9) {
            0 => self.wait(),
            1 => {
                // A critical section, usually with a yield in it.
                let lock = self.global();
                let busy = term::while_do(compare(lock, Operator::Equal, 1), term::yields());
                let taken = term::assign(lock, term::number(1));
                let inside = self.few(nesting.min(1));
                let pause = if self.rng.chance(70) { term::yields() } else { self.assignment(1) };
                term::block([busy, taken, inside, pause, term::assign(lock, term::number(0))])
            }
            2 => {
                // A toggle, which keeps the range.
                let name = self.target();
                term::assign(name, term::binary(term::number(1), Operator::Subtract, term::read(name)))
            }
            3 | 4 => {
                // Read, let others run, write.
                let (name, copy) = (self.global(), self.local());
                let get = term::assign(copy, term::read(name));
                let sum = term::binary(term::read(copy), Operator::Add, term::number(1));
                let put = term::assign(name, self.bounded(sum));
                term::block([get, self.yields(), put])
            }
            5 => {
                let name = self.global();
                let full = if self.rng.chance(50) { Operator::Equal } else { Operator::GreaterOrEqual };
                let wait = term::while_do(compare(name, full, 2), term::yields());
                term::sequence(wait, change(name, Operator::Add, 1))
            }
            6 => {
                let name = self.global();
                let wait = term::while_do(term::not(compare(name, Operator::Greater, 0)), term::yields());
                term::sequence(wait, change(name, Operator::Subtract, 1))
            }
            7 => {
                let name = self.target();
                let step = if self.rng.chance(50) {
                    (compare(name, Operator::Less, 2), Operator::Add)
                } else {
                    (compare(name, Operator::Greater, 0), Operator::Subtract)
                };
                term::if_else(step.0, change(name, step.1, 1), self.variable())
            }
            _ => {
                // Look twice at the same thing.
                let (name, copy) = (self.global(), self.local());
                let get = term::assign(copy, term::read(name));
                let same = term::binary(term::read(copy), Operator::Equal, term::read(name));
                let parts = [get, self.yields(), self.assignment_to(copy, same)];
                term::block(parts)
            }
        }
    }

    fn assignment_to(&mut self, name: &str, value: Term) -> Term {
        term::assign(name, self.bounded(value))
    }

    /// `while (X == n) { yield }`; the yield counts for little, since the
    /// request waits at the same place each time.
    fn wait(&mut self) -> Term {
        let name = self.global();
        let op = self.rng.pick(&[Operator::Equal, Operator::Equal, Operator::NotEqual, Operator::Greater]);
        let n = self.rng.between(0, 1);
        term::while_do(compare(name, op, n), term::yields())
    }

    fn iteration(&mut self, nesting: usize) -> Term {
        match self.rng.below(10) {
            0 | 1 => self.wait(),
            2..5 if self.counters < COUNTERS.len() => {
                // A counter loop. Nothing in it writes the counter.
                let counter = COUNTERS[self.counters];
                self.counters += 1;
                let body = self.few(nesting.min(1));
                self.counters -= 1;
                let last = self.rng.between(1, 2);
                let start = term::assign(counter, term::number(0));
                let steps = term::sequence(body, change(counter, Operator::Add, 1));
                term::block([start, term::while_do(compare(counter, Operator::Less, last), steps)])
            }
            5 => {
                // The yield is in the condition.
                let yields = self.yields();
                let right = self.variable();
                let condition = match self.rng.below(4) {
                    0 => yields,
                    1 => term::not(term::binary(yields, Operator::Equal, right)),
                    2 => term::or(yields, term::binary(right, Operator::Equal, term::number(1))),
                    _ => term::binary(term::binary(yields, Operator::Add, right), Operator::Equal, term::number(1)),
                };
                term::while_do(condition, self.assignment(1))
            }
            6 => {
                // Ends by chance.
                let body = term::sequence(self.assignment(1), self.yields());
                term::while_do(term::choice(), body)
            }
            _ => {
                // Any loop; some never end.
                let condition = self.condition(0);
                let body = self.few(nesting);
                let body = if self.rng.chance(70) { term::sequence(body, self.yields()) } else { body };
                term::while_do(condition, body)
            }
        }
    }
}
