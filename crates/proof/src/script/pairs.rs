//! Which two requests can be where at the same time: `pairs`.
//!
//! **Statement.** Let `D` stand for all done nodes. A *pair* `{a, b}@g` says that
//! two requests are at `a` and `b` while the global state is `g`. Start with the
//! set of all pairs and shrink it, in turns:
//!
//! - *Forwards*: the least set that contains `{a, b}@g0` for all `a`, `b` that are
//!   initial or done and is closed under (own) `{a, b}@g` and a step `(a, g) →
//!   (a', g')` give `{a', b}@g'`; (third) `{a, b}@g`, `{a, c}@g`, `{b, c}@g` and a step
//!   `(c, g) → (c', g')` give `{a, b}@g'`; where only pairs of the set before count.
//! - *Backwards*: the least set that contains `{D, D}@g` for all `g` and is closed
//!   under the same with all steps reversed; again only pairs of the set
//!   before count.
//! - After each turn leave out the steps `(a, g) → (a', g')` for which `{a, D}@g`
//!   or `{a', D}@g'` is not in the set.
//!
//! Then no step is left out that a complete run makes, and of every two
//! requests of a complete run the pair is in the set at every moment.
//!
//! *Proof.* Take a complete run and add two more tokens that stay on a done
//! node throughout; so there are at least two tokens. We show by induction on
//! the turns that at every moment of the run every pair of tokens is in the
//! set, so that no step of the run is left out: the token that makes it forms
//! pairs with a token that stays on a done node, before and after.
//!
//! Forwards: at the beginning all tokens are at initial or done nodes. Let all
//! pairs be in the set before a step of token `c`. A pair of `c` with another
//! token is in the set after it by (own), a pair `{a, b}` without `c` by (third),
//! as `{a, c}` and `{b, c}` were in the set; both pairs are in the set of the turn
//! before by induction, so they count. Backwards: at the end all tokens are on
//! done nodes, and the same holds from each moment to the one before. ∎
//!
//! (A set that is merely closed relative to itself proves nothing: the empty
//! set is. That is why the checker computes the sets.)

use std::collections::BTreeMap;

use serval_budget::{Budget, Stopped};
use serval_model::{Node, NodeStep, NormalForm};

use super::Reduced;
use super::rule::{Range, Rule};
use crate::{Checked, Work};

/// The column of all done nodes.
const DONE: u32 = 0;
/// The column of nodes that no complete run visits.
const NOWHERE: u32 = u32::MAX;

/// A set of pairs of nodes under global states.
#[derive(Clone, Debug)]
pub struct Pairs {
    /// For each node its column.
    columns: Vec<u32>,
    width: usize,
    words: usize,
    /// For each global state and each column a row of `words` words.
    bits: Vec<u64>,
}

impl Pairs {
    /// Whether two requests may be at `a` and `b` under `global`.
    pub fn contains(&self, a: Node, b: Node, global: u32) -> bool {
        let (a, b) = (self.columns[a as usize], self.columns[b as usize]);
        a != NOWHERE && b != NOWHERE && self.has(a, b, global)
    }

    /// Whether a request may be at a point.
    pub fn visits(&self, (node, global): (Node, u32)) -> bool {
        let column = self.columns[node as usize];
        column != NOWHERE && self.has(column, DONE, global)
    }

    /// A new node is where `node` is.
    pub(super) fn copy(&mut self, node: Node) {
        self.columns.push(self.columns[node as usize]);
    }

    fn row(&self, a: u32, global: u32) -> usize {
        (global as usize * self.width + a as usize) * self.words
    }

    fn has(&self, a: u32, b: u32, global: u32) -> bool {
        self.bits[self.row(a, global) + b as usize / 64] >> (b % 64) & 1 != 0
    }

    fn set(&mut self, a: u32, b: u32, global: u32) {
        let (at, other) = (self.row(a, global) + b as usize / 64, self.row(b, global) + a as usize / 64);
        self.bits[at] |= 1 << (b % 64);
        self.bits[other] |= 1 << (a % 64);
    }

    fn none(columns: Vec<u32>, width: usize, globals: u32) -> Self {
        let words = width.div_ceil(64);
        Self { columns, width, words, bits: vec![0; globals as usize * width * words] }
    }
}

/// The rule. It has no conditions: the checker computes the sets itself.
pub(super) struct PairPruning;

impl Rule for PairPruning {
    fn in_range(&self, _: &Range) -> bool {
        true
    }

    fn check(&self, _: &Reduced, _: &mut Work) -> Checked {
        Ok(())
    }

    fn apply(&self, reduced: &mut Reduced, budget: &mut Budget) -> Result<(), Stopped> {
        let (form, pairs) = prune(reduced.form.clone(), budget)?;
        *reduced = Reduced { form, pairs: Some(pairs) };
        Ok(())
    }
}

/// Leaves out steps that no complete run makes, and says which pairs there can
/// be. Costs ticks in proportion to the words that are looked at.
pub(crate) fn prune(mut form: NormalForm, budget: &mut Budget) -> Result<(NormalForm, Pairs), Stopped> {
    // A request at a node that no step leaves never gets any further.
    let mut width: u32 = 1;
    let columns: Vec<u32> = form.node_numbers().map(|node| column(&form, node, &mut width)).collect();
    let size = u64::from(form.global_count()) * u64::from(width) * u64::from(width.div_ceil(64));
    // Memory is paid for, too.
    budget.spend(size.saturating_mul(8))?;
    let mut before: Option<Pairs> = None;
    let mut backwards = false;
    loop {
        budget.spend(size)?;
        let pairs = Closure::new(&form, &columns, width as usize, before.as_ref(), backwards).run(budget)?;
        let kept: Vec<NodeStep> =
            form.steps().iter().filter(|step| pairs.visits(step.source()) && pairs.visits(step.target())).copied().collect();
        // A turn that takes nothing away, after one in the other direction, is the last.
        let settled = before.as_ref().is_some_and(|before| before.bits == pairs.bits);
        if kept.len() < form.steps().len() {
            form = form.with_steps(kept);
        } else if settled {
            return Ok((form, pairs));
        }
        before = Some(pairs);
        backwards = !backwards;
    }
}

fn column(form: &NormalForm, node: Node, width: &mut u32) -> u32 {
    if form.is_done(node) {
        DONE
    } else if form.steps_of(node).is_empty() {
        NOWHERE
    } else {
        *width += 1;
        *width - 1
    }
}

/// A turn in progress.
struct Closure<'a> {
    before: Option<&'a Pairs>,
    pairs: Pairs,
    to_visit: Vec<(u32, u32, u32)>,
    /// For each global state the moves that lead away from it in the
    /// direction of this turn: the column, and where to; sorted by target.
    moves: Vec<Vec<(u32, u32, u32)>>,
    /// For each global state and each other one that can follow it, the
    /// columns that can make it follow, as words.
    changes: Vec<Vec<(u32, Vec<u64>)>>,
}

impl<'a> Closure<'a> {
    fn new(form: &NormalForm, columns: &[u32], width: usize, before: Option<&'a Pairs>, backwards: bool) -> Self {
        let globals = form.global_count() as usize;
        let pairs = Pairs::none(columns.to_vec(), width, form.global_count());
        let mut moves: Vec<Vec<(u32, u32, u32)>> = vec![Vec::new(); globals];
        for step in form.steps() {
            let (from, to) = if backwards { (step.target(), step.source()) } else { (step.source(), step.target()) };
            let (column, to_column) = (columns[from.0 as usize], columns[to.0 as usize]);
            if column != NOWHERE && to_column != NOWHERE {
                moves[from.1 as usize].push((column, to_column, to.1));
            }
        }
        let mut changes = Vec::with_capacity(globals);
        for (global, moves) in moves.iter_mut().enumerate() {
            moves.sort_unstable();
            moves.dedup();
            let mut targets: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
            for &(column, _, target) in moves.iter().filter(|&&(.., target)| target as usize != global) {
                targets.entry(target).or_insert_with(|| vec![0; pairs.words])[column as usize / 64] |= 1 << (column % 64);
            }
            changes.push(targets.into_iter().collect());
        }
        let mut closure = Self { before, pairs, to_visit: Vec::new(), moves, changes };
        if backwards {
            for global in 0..form.global_count() {
                closure.add(DONE, DONE, global);
            }
        } else {
            let initial = form.node_numbers().filter(|&node| form.is_initial(node)).map(|node| columns[node as usize]);
            let begin: Vec<u32> = initial.filter(|&column| column != NOWHERE).chain([DONE]).collect();
            for &a in &begin {
                for &b in &begin {
                    closure.add(a, b, form.initial_global());
                }
            }
        }
        closure
    }

    fn add(&mut self, a: u32, b: u32, global: u32) {
        if !self.pairs.has(a, b, global) && self.before.is_none_or(|before| before.has(a, b, global)) {
            self.pairs.set(a, b, global);
            self.to_visit.push((a, b, global));
        }
    }

    fn run(mut self, budget: &mut Budget) -> Result<Pairs, Stopped> {
        while let Some((a, b, global)) = self.to_visit.pop() {
            let words = self.pairs.words;
            budget.spend((self.changes[global as usize].len() * words + words) as u64)?;
            // Another request moves while these two wait.
            for index in 0..self.changes[global as usize].len() {
                let (target, columns) = &self.changes[global as usize][index];
                let (row_a, row_b) = (self.pairs.row(a, global), self.pairs.row(b, global));
                let met = (0..words).any(|w| self.pairs.bits[row_a + w] & self.pairs.bits[row_b + w] & columns[w] != 0);
                if met {
                    self.add(a, b, *target);
                }
            }
            self.move_one(a, b, global, budget)?;
            if a != b {
                self.move_one(b, a, global, budget)?;
            }
        }
        Ok(self.pairs)
    }

    /// `mover` moves and `other` waits; and so do the pairs of `other` with a
    /// request that can be there beside both.
    fn move_one(&mut self, mover: u32, other: u32, global: u32, budget: &mut Budget) -> Result<(), Stopped> {
        let words = self.pairs.words;
        let moves = &self.moves[global as usize];
        let from = moves.partition_point(|&(column, ..)| column < mover);
        let to = moves.partition_point(|&(column, ..)| column <= mover);
        for index in from..to {
            let (_, to_column, target) = self.moves[global as usize][index];
            self.add(to_column, other, target);
            if target == global {
                continue;
            }
            budget.spend(words as u64)?;
            for word in 0..words {
                let both = self.pairs.bits[self.pairs.row(mover, global) + word] & self.pairs.bits[self.pairs.row(other, global) + word];
                let mut new = both & !self.pairs.bits[self.pairs.row(other, target) + word];
                while new != 0 {
                    let waiting = u32::try_from(word * 64).unwrap_or(NOWHERE) + new.trailing_zeros();
                    self.add(other, waiting, target);
                    new &= new - 1;
                }
            }
        }
        Ok(())
    }
}
