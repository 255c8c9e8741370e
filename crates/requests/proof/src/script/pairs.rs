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
//!
//! **The order in time** is kept (lemma 2 of [`crate::strict`]): complete runs are the same.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use serval_budget::{Budget, Stopped};
use serval_model::{Node, NodeStep, NormalForm};

use super::Reduced;
use super::rule::{Range, Rule};
use crate::{Checked, Work};

/// The column of all done nodes.
const DONE: u32 = 0;
/// The column of nodes that no complete run visits.
const NOWHERE: u32 = u32::MAX;
/// Up to this number of rows are found in a table, more by hashing.
const TABLE_ROWS: u64 = 1 << 22;

/// A set of pairs of nodes under global states. Only columns that are in a
/// pair have a row, because mostly few nodes can be where the global state is
/// a certain one.
#[derive(Clone, Debug)]
pub struct Pairs {
    /// For each node its column.
    columns: Vec<u32>,
    width: u32,
    words: usize,
    rows: Rows,
    /// The bits of the rows, `words` words each. The first has none.
    bits: Vec<u64>,
    /// How many bits there are.
    count: u64,
}

/// For each global state and column the number of its row.
#[derive(Clone, Debug)]
enum Rows {
    Table(Vec<u32>),
    Map(FxHashMap<(u32, u32), u32>),
}

impl Pairs {
    /// Whether two requests may be at `a` and `b` under `global`.
    pub fn contains(&self, a: Node, b: Node, global: u32) -> bool {
        let (a, b) = (self.columns[a as usize], self.columns[b as usize]);
        a != NOWHERE && b != NOWHERE && self.has(self.row(a, global), b)
    }

    /// Whether a request may be at a point.
    pub fn visits(&self, (node, global): (Node, u32)) -> bool {
        let column = self.columns[node as usize];
        column != NOWHERE && self.has(self.row(column, global), DONE)
    }

    /// The column of a node; `None` if no complete run visits it.
    pub(super) fn column(&self, node: Node) -> Option<u32> {
        Some(self.columns[node as usize]).filter(|&column| column != NOWHERE)
    }

    /// The columns of all nodes at which a request may be while another one
    /// is at a point, in order.
    pub(super) fn beside(&self, (node, global): (Node, u32)) -> impl Iterator<Item = u32> {
        let row = self.column(node).map_or(0, |column| self.row(column, global));
        (0..).zip(&self.bits[row..row + self.words]).flat_map(|(word, &bits): (u32, _)| {
            let rest = |bits: u64| bits & bits.wrapping_sub(1);
            std::iter::successors(Some(bits), move |&bits| Some(rest(bits)))
                .take_while(|&bits| bits != 0)
                .map(move |bits| word * 64 + bits.trailing_zeros())
        })
    }

    /// A new node is where `node` is.
    pub(super) fn copy(&mut self, node: Node) {
        self.columns.push(self.columns[node as usize]);
    }

    fn none(columns: Vec<u32>, width: u32, globals: u32) -> Self {
        let places = u64::from(globals) * u64::from(width);
        let table = usize::try_from(places).ok().filter(|_| places <= TABLE_ROWS).map(|places| Rows::Table(vec![0; places]));
        let words = width.div_ceil(64) as usize;
        Self { columns, width, words, rows: table.unwrap_or_else(|| Rows::Map(FxHashMap::default())), bits: vec![0; words], count: 0 }
    }

    /// Where the row of a column begins.
    fn row(&self, a: u32, global: u32) -> usize {
        let number = match &self.rows {
            Rows::Table(table) => table[global as usize * self.width as usize + a as usize],
            Rows::Map(map) => map.get(&(global, a)).copied().unwrap_or(0),
        };
        number as usize * self.words
    }

    /// The same, for a row that is to have bits.
    fn own_row(&mut self, a: u32, global: u32) -> usize {
        let next = u32::try_from(self.bits.len() / self.words).unwrap_or(u32::MAX);
        let number = match &mut self.rows {
            Rows::Table(table) => &mut table[global as usize * self.width as usize + a as usize],
            Rows::Map(map) => map.entry((global, a)).or_insert(0),
        };
        if *number == 0 {
            *number = next;
            self.bits.resize(self.bits.len() + self.words, 0);
        }
        *number as usize * self.words
    }

    fn has(&self, row: usize, b: u32) -> bool {
        self.bits[row + b as usize / 64] >> (b % 64) & 1 != 0
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
/// be. Costs ticks in proportion to the words that are looked at and made.
pub(crate) fn prune(mut form: NormalForm, budget: &mut Budget) -> Result<(NormalForm, Pairs), Stopped> {
    // A request at a node that no step leaves never gets any further.
    let mut width: u32 = 1;
    let columns: Vec<u32> = form.node_numbers().map(|node| column(&form, node, &mut width)).collect();
    let mut before: Option<Pairs> = None;
    let mut backwards = false;
    loop {
        let pairs = Closure::new(&form, &columns, width, before.as_ref(), backwards, budget)?.run(budget)?;
        let kept: Vec<NodeStep> =
            form.steps().iter().filter(|step| pairs.visits(step.source()) && pairs.visits(step.target())).copied().collect();
        // A turn that takes nothing away, after one in the other direction, is
        // the last. Each set is part of the one before.
        let settled = before.as_ref().is_some_and(|before| before.count == pairs.count);
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
    /// Bits that are new since their row was visited.
    new: Vec<u64>,
    /// Rows with new bits: column and global state. First those of columns
    /// that were moved to; rows that others only wait in collect bits meanwhile.
    moved: Vec<(u32, u32)>,
    waiting: VecDeque<(u32, u32)>,
    /// For each row whether it is among them.
    listed: Vec<bool>,
    /// The moves in the direction of this turn: the global state and the
    /// column from which they lead, and those to which; sorted.
    moves: Vec<(u32, u32, u32, u32)>,
    /// Where those from each global state begin, and where the last ones end.
    moves_from: Vec<usize>,
    /// A global state, another one that can follow it, and the columns that
    /// can make it follow; sorted.
    changes: Vec<(u32, u32, u32)>,
    /// Where those from each global state begin, and where the last ones end.
    changes_from: Vec<usize>,
}

/// Where the entries for each global state begin in a sorted list, and where
/// the last ones end.
fn beginnings(globals: u32, sorted: impl Iterator<Item = u32>) -> Vec<usize> {
    let mut first = vec![0; globals as usize + 1];
    for global in sorted {
        first[global as usize + 1] += 1;
    }
    for global in 0..globals as usize {
        first[global + 1] += first[global];
    }
    first
}

impl<'a> Closure<'a> {
    fn new(
        form: &NormalForm,
        columns: &[u32],
        width: u32,
        before: Option<&'a Pairs>,
        backwards: bool,
        budget: &mut Budget,
    ) -> Result<Self, Stopped> {
        let places = u64::from(form.global_count()) * u64::from(width);
        budget.spend(form.steps().len() as u64 + if places <= TABLE_ROWS { places } else { 0 })?;
        let pairs = Pairs::none(columns.to_vec(), width, form.global_count());
        let mut moves: Vec<(u32, u32, u32, u32)> = Vec::with_capacity(form.steps().len());
        for step in form.steps() {
            let (from, to) = if backwards { (step.target(), step.source()) } else { (step.source(), step.target()) };
            let (column, to_column) = (columns[from.0 as usize], columns[to.0 as usize]);
            if column != NOWHERE && to_column != NOWHERE {
                moves.push((from.1, column, to.1, to_column));
            }
        }
        moves.sort_unstable();
        moves.dedup();
        let mut changes: Vec<(u32, u32, u32)> = moves
            .iter()
            .filter(|(global, _, target, _)| global != target)
            .map(|&(global, column, target, _)| (global, target, column))
            .collect();
        changes.sort_unstable();
        changes.dedup();
        let moves_from = beginnings(form.global_count(), moves.iter().map(|step| step.0));
        let changes_from = beginnings(form.global_count(), changes.iter().map(|change| change.0));
        let mut closure = Self {
            before,
            new: vec![0; pairs.words],
            pairs,
            moved: Vec::new(),
            waiting: VecDeque::new(),
            listed: vec![false],
            moves,
            moves_from,
            changes,
            changes_from,
        };
        if backwards {
            for global in 0..form.global_count() {
                closure.add(DONE, DONE, global, false);
            }
        } else {
            let initial = form.node_numbers().filter(|&node| form.is_initial(node)).map(|node| columns[node as usize]);
            let begin: Vec<u32> = initial.filter(|&column| column != NOWHERE).chain([DONE]).collect();
            for &a in &begin {
                for &b in &begin {
                    closure.add(a, b, form.initial_global(), false);
                }
            }
        }
        Ok(closure)
    }

    /// Adds a pair, if it is in the set before; `a` may have `moved` there.
    fn add(&mut self, a: u32, b: u32, global: u32, moved: bool) {
        if self.before.is_none_or(|before| before.has(before.row(a, global), b)) && !self.pairs.has(self.pairs.row(a, global), b) {
            self.put(a, b, global, moved);
            if a != b {
                self.put(b, a, global, false);
            }
        }
    }

    /// Sets a bit that is not set.
    fn put(&mut self, a: u32, b: u32, global: u32, moved: bool) {
        let row = self.pairs.own_row(a, global);
        if self.new.len() < self.pairs.bits.len() {
            self.new.resize(self.pairs.bits.len(), 0);
            self.listed.push(false);
        }
        if !std::mem::replace(&mut self.listed[row / self.pairs.words], true) {
            if moved {
                self.moved.push((a, global));
            } else {
                self.waiting.push_back((a, global));
            }
        }
        self.pairs.bits[row + b as usize / 64] |= 1 << (b % 64);
        self.new[row + b as usize / 64] |= 1 << (b % 64);
        self.pairs.count += 1;
    }

    /// Of the columns in `wanted`, those that are not in the row of `a` but were
    /// in the set before; and whether there are any.
    fn missing(&self, a: u32, global: u32, wanted: &mut [u64]) -> bool {
        let row = self.pairs.row(a, global);
        for (word, bits) in wanted.iter_mut().zip(&self.pairs.bits[row..]) {
            *word &= !bits;
        }
        if let Some(before) = self.before {
            let row = before.row(a, global);
            for (word, bits) in wanted.iter_mut().zip(&before.bits[row..]) {
                *word &= bits;
            }
        }
        wanted.iter().any(|&word| word != 0)
    }

    fn add_all(&mut self, a: u32, columns: &[u64], global: u32, moved: bool) {
        for (word, &bits) in (0..).zip(columns) {
            let mut left = bits;
            while left != 0 {
                self.add(a, word * 64 + left.trailing_zeros(), global, moved);
                left &= left - 1;
            }
        }
    }

    /// Every pair is in two rows, and each sees to what follows when its own
    /// column moves, or waits while another one moves.
    fn run(mut self, budget: &mut Budget) -> Result<Pairs, Stopped> {
        let words = self.pairs.words;
        let (mut new, mut wanted, mut met) = (vec![0; words], vec![0; words], vec![0; words]);
        while let Some((a, global)) = self.moved.pop().or_else(|| self.waiting.pop_front()) {
            let (rows, pairs) = (self.pairs.bits.len(), self.pairs.count);
            let row = self.pairs.row(a, global);
            new.copy_from_slice(&self.new[row..row + words]);
            self.new[row..row + words].fill(0);
            self.listed[row / words] = false;
            let mut looked_at = words;
            // It moves while others wait.
            let mut moves = self.moves_from[global as usize]..self.moves_from[global as usize + 1];
            moves.start += self.moves[moves.clone()].partition_point(|step| step.1 < a);
            for index in moves {
                let (_, column, target, to_column) = self.moves[index];
                if column != a {
                    break;
                }
                looked_at += words;
                wanted.copy_from_slice(&new);
                if self.missing(to_column, target, &mut wanted) {
                    self.add_all(to_column, &wanted, target, true);
                }
            }
            // It waits, with another one, while a third moves.
            let mut missing = false;
            let mut before = None;
            for index in self.changes_from[global as usize]..self.changes_from[global as usize + 1] {
                let (_, target, mover) = self.changes[index];
                looked_at += 1;
                if before.replace(target) != Some(target) {
                    looked_at += words;
                    wanted.copy_from_slice(&self.pairs.bits[row..row + words]);
                    missing = self.missing(a, target, &mut wanted);
                }
                if missing && self.pairs.has(row, mover) {
                    looked_at += words;
                    let beside = self.pairs.row(mover, global);
                    for ((met, word), bits) in met.iter_mut().zip(&wanted).zip(&self.pairs.bits[beside..]) {
                        *met = word & bits;
                    }
                    self.add_all(a, &met, target, false);
                }
            }
            // Memory is paid for, too.
            let made = (self.pairs.bits.len() - rows) * 8;
            budget.spend((looked_at + made) as u64 + (self.pairs.count - pairs))?;
        }
        Ok(self.pairs)
    }
}
