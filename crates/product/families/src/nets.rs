//! Nets whose questions need search: mutual-exclusion algorithms for some processes, and planning.
//!
//! A net is made from steps, in Tina's format. No place ever has two tokens.

mod exclusion;
mod planning;

use std::borrow::Borrow;
use std::fmt::Write;

pub use exclusion::{bakery, eisenberg_mcguire, lamport_fast, peterson, szymanski, ticket};
pub use planning::{blocks, tiles};

/// Sizes at which each net is made.
pub const NET_SIZES: [usize; 4] = [2, 3, 4, 5];

/// A net of one size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeNet {
    /// Its name, with the size.
    pub name: String,
    /// The net in Tina's format.
    pub text: String,
    /// That it is never so that two are where only one may be.
    pub exclusion: String,
}

type Make = fn(usize) -> MadeNet;

const MAKES: [Make; 8] = [peterson, lamport_fast, eisenberg_mcguire, szymanski, ticket, bakery, blocks, tiles];

/// All nets of these sizes.
pub fn made_nets(sizes: &[usize]) -> Vec<MadeNet> {
    MAKES.iter().flat_map(|make| sizes.iter().map(|&size| make(size))).collect()
}

/// What a step of a process does with a variable.
enum StepAccess<'a> {
    /// Nothing.
    Nothing,
    /// It waits until the variable has this value.
    Finds(&'a str, usize),
    /// It waits until the variable has the first value, and changes it to the second.
    Changes(&'a str, usize, usize),
    /// It writes the value, whichever of `0..=most` the variable had.
    Writes(&'a str, usize, usize),
}

/// A net on the way.
#[derive(Default)]
struct Steps {
    marked: Vec<String>,
    lines: String,
    count: usize,
}

impl Steps {
    /// A variable with its first value.
    fn variable(&mut self, name: &str, value: usize) {
        self.marked.push(format!("{name}_{value}"));
    }

    /// The point at which a process begins.
    fn begins(&mut self, point: &str) {
        self.marked.push(point.to_owned());
    }

    /// A transition, with a name of its own.
    fn transition(&mut self, name: &str, takes: &[impl Borrow<str>], gives: &[impl Borrow<str>]) {
        self.count += 1;
        // Writing to a string does not fail.
        let _ = writeln!(self.lines, "tr {name}_{} {} -> {}", self.count, takes.join(" "), gives.join(" "));
    }

    /// A step of a process from point to point, called after the point where it begins.
    fn step(&mut self, from: &str, to: &str, access: &StepAccess<'_>) {
        match *access {
            StepAccess::Nothing => self.transition(from, &[from], &[to]),
            StepAccess::Finds(variable, value) => self.change(from, to, variable, (value, value)),
            StepAccess::Changes(variable, before, after) => self.change(from, to, variable, (before, after)),
            StepAccess::Writes(variable, value, most) => (0..=most).for_each(|before| self.change(from, to, variable, (before, value))),
        }
    }

    fn change(&mut self, from: &str, to: &str, variable: &str, (before, after): (usize, usize)) {
        let [before, after] = [before, after].map(|value| format!("{variable}_{value}"));
        self.transition(from, &[from, &before], &[to, &after]);
    }

    fn made(self, name: &str, story: &str, exclusion: &[String]) -> MadeNet {
        let marked: String = self.marked.iter().map(|place| format!("pl {place} (1)\n")).collect();
        let exclusion = format!("invariant:{}", exclusion.join(" and "));
        let text = format!("# {story}\nnet {name}\n{marked}{}", self.lines);
        MadeNet { name: name.to_owned(), text, exclusion }
    }
}

/// That at most one of these places has a token.
fn at_most_one(places: &[String]) -> String {
    format!("{} <= 1", places.join(" + "))
}
