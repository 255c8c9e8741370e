//! Whether answers are those of a serial run, by looking for one.
//!
//! The question is whether there is a serial run with exactly these answers, from one global state, and to another one
//! if that is asked. It is a search for a word, depth first, over pairs of a global state and of what is left: letters
//! are tried in the order in which the run gave them, which is mostly right. A pair that was seen led nowhere. A pair
//! is left out, too, where some letter that is left is possible in no global state that the letters that are left lead
//! to, however often each of them is used: the runs with exactly what is left are some of those, so there is none.
//!
//! What is left is a number in mixed radix, exactly: no two different ones are confused, so `NotSerial` is the result
//! of having seen all pairs. A search that was cut off says so, and its answer is neither yes nor no.

use rustc_hash::{FxHashMap, FxHashSet};
use serval_budget::{Budget, Stopped};
use serval_model::{GlobalId, Halt, Letter, Moves, SerialExplorer};

/// Pairs after which it is worth while to ask what is possible at all.
const WORTHWHILE: usize = 24;
/// Global states that are looked at for what is possible at all; beyond that everything is.
const POSSIBLE_STATES: usize = 192;
/// Global states that are kept where letters are taken in the order of the run.
const IN_ORDER_STATES: usize = 4;
/// Ticks for a question, for each pair that it may look at.
const TICKS_PER_PAIR: u64 = 32;

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Membership {
    /// There is a serial run, and it ends here.
    Serial(GlobalId),
    /// There is none.
    NotSerial,
    /// It is not known.
    Cut,
}

/// The question.
#[derive(Clone, Copy)]
pub(super) struct SerialQuestion<'a> {
    pub(super) from: GlobalId,
    /// In the order in which they are to be tried.
    pub(super) letters: &'a [Letter],
    pub(super) to: Option<GlobalId>,
    /// How many pairs to look at.
    pub(super) pairs: usize,
}

/// Asks it. A tick is a pair that is looked at, or what a request alone costs.
pub(super) fn ask<M: Moves>(
    serial: &mut SerialExplorer<M>,
    question: SerialQuestion<'_>,
    budget: &mut Budget,
) -> Result<Membership, Stopped> {
    if let Some(end) = unless_stopped(in_order(serial, question, budget), None)? {
        return Ok(Membership::Serial(end));
    }
    let Some(word) = Word::new(question) else { return Ok(Membership::Cut) };
    let mut part = budget.part(TICKS_PER_PAIR.saturating_mul(question.pairs as u64));
    let before = part.left();
    let answer = unless_stopped(Inquiry { serial, question, word }.depth_first(&mut part), Membership::Cut);
    budget.spend(1 + before - part.left())?;
    answer
}

/// Where a serial run with the letters in this very order ends, if there is one.
fn in_order<M: Moves>(
    serial: &mut SerialExplorer<M>,
    question: SerialQuestion<'_>,
    budget: &mut Budget,
) -> Result<Option<GlobalId>, Halt<M::Stop>> {
    let (mut now, mut next) = (vec![question.from], Vec::new());
    for &(request, response) in question.letters {
        budget.spend(1)?;
        for &global in now.iter().take(IN_ORDER_STATES) {
            let results = serial.alone(request, global, budget)?;
            next.extend(results.iter().filter(|result| result.0 == response).map(|&(_, to)| to));
        }
        std::mem::swap(&mut now, &mut next);
        next.clear();
        if now.is_empty() {
            return Ok(None);
        }
    }
    Ok(match question.to {
        Some(to) => now.contains(&to).then_some(to),
        None => now.first().copied(),
    })
}

/// The letters, each once, and how often each is left.
struct Word {
    letters: Vec<Letter>,
    /// For each position of the run its letter.
    order: Vec<usize>,
    left: Vec<u64>,
    /// What one of a letter is worth in the number of what is left.
    worth: Vec<u128>,
}

impl Word {
    /// `None` where the numbers would be too large, or the letters too many.
    fn new(question: SerialQuestion<'_>) -> Option<Self> {
        let (mut letters, mut left): (Vec<Letter>, Vec<u64>) = Default::default();
        let mut known: FxHashMap<Letter, usize> = FxHashMap::default();
        let mut order = Vec::with_capacity(question.letters.len());
        for &letter in question.letters {
            let at = *known.entry(letter).or_insert(letters.len());
            if at == letters.len() {
                letters.push(letter);
                left.push(0);
            }
            left[at] += 1;
            order.push(at);
        }
        let mut worth = Vec::with_capacity(letters.len());
        let mut product: u128 = 1;
        for &count in &left {
            worth.push(product);
            product = product.checked_mul(u128::from(count) + 1)?;
        }
        (letters.len() <= 128).then_some(Self { letters, order, left, worth })
    }

    fn number(&self) -> u128 {
        self.left.iter().zip(&self.worth).map(|(&left, &worth)| u128::from(left) * worth).sum()
    }

    /// The letters of which some are left, a bit each.
    fn support(&self) -> u128 {
        self.left.iter().enumerate().filter(|(_, left)| **left > 0).fold(0, |all, (letter, _)| all | 1 << letter)
    }
}

/// A pair on the way, and which of its ways on are left.
struct Pair {
    /// Where its ways on begin in the list of all.
    first: usize,
    /// The letter that led here.
    came: Option<usize>,
}

struct Inquiry<'a, M> {
    serial: &'a mut SerialExplorer<M>,
    question: SerialQuestion<'a>,
    word: Word,
}

impl<M: Moves> Inquiry<'_, M> {
    fn depth_first(mut self, budget: &mut Budget) -> Result<Membership, Halt<M::Stop>> {
        let length = self.word.order.len();
        let mut seen: FxHashSet<(GlobalId, u128)> = FxHashSet::default();
        let mut possible: FxHashMap<(GlobalId, u128), bool> = FxHashMap::default();
        let (mut path, mut ways): (Vec<Pair>, Vec<(usize, GlobalId)>) = Default::default();
        let (mut next, mut number) = (Some((None, self.question.from)), self.word.number());
        loop {
            if let Some((came, global)) = next.take() {
                let depth = path.len();
                if depth == length && self.question.to.is_none_or(|to| to == global) {
                    return Ok(Membership::Serial(global));
                }
                let is_new = depth < length && seen.insert((global, number));
                if seen.len() > self.question.pairs {
                    return Ok(Membership::Cut);
                }
                budget.spend(1 + self.word.letters.len() as u64 / 2)?;
                let first = ways.len();
                if is_new && (seen.len() < WORTHWHILE || self.may_go_on(global, &mut possible, budget)?) {
                    self.ways(global, depth, &mut ways, budget)?;
                }
                path.push(Pair { first, came });
            }
            let Some(pair) = path.last() else { return Ok(Membership::NotSerial) };
            if ways.len() > pair.first {
                if let Some((letter, global)) = ways.pop() {
                    self.word.left[letter] -= 1;
                    number -= self.word.worth[letter];
                    next = Some((Some(letter), global));
                }
            } else if let Some(Pair { came: Some(letter), .. }) = path.pop() {
                self.word.left[letter] += 1;
                number += self.word.worth[letter];
            }
        }
    }

    /// Lists the letters that may come next, the one to be tried first at the end.
    fn ways(
        &mut self,
        global: GlobalId,
        depth: usize,
        ways: &mut Vec<(usize, GlobalId)>,
        budget: &mut Budget,
    ) -> Result<(), Halt<M::Stop>> {
        let first = self.word.order[depth];
        let others = (0..self.word.letters.len()).rev().filter(|&letter| letter != first);
        for letter in others.chain([first]) {
            if self.word.left[letter] > 0 {
                let (request, response) = self.word.letters[letter];
                let results = self.serial.alone(request, global, budget)?;
                ways.extend(results.iter().filter(|result| result.0 == response).map(|&(_, to)| (letter, to)));
            }
        }
        Ok(())
    }

    /// Whether each letter that is left is possible somewhere. If not, nothing can come of this pair.
    fn may_go_on(
        &mut self,
        global: GlobalId,
        known: &mut FxHashMap<(GlobalId, u128), bool>,
        budget: &mut Budget,
    ) -> Result<bool, Halt<M::Stop>> {
        let support = self.word.support();
        if let Some(&known) = known.get(&(global, support)) {
            return Ok(known);
        }
        let mut missing = support;
        let mut reached = vec![global];
        let mut seen: FxHashSet<GlobalId> = FxHashSet::from_iter([global]);
        while let Some(at) = reached.pop() {
            budget.spend(1)?;
            for (letter, &(request, response)) in self.word.letters.iter().enumerate().filter(|(letter, _)| support >> letter & 1 == 1) {
                for &(_, to) in self.serial.alone(request, at, budget)?.iter().filter(|result| result.0 == response) {
                    missing &= !(1 << letter);
                    if seen.insert(to) {
                        reached.push(to);
                    }
                }
            }
            if missing == 0 || seen.len() > POSSIBLE_STATES {
                break;
            }
        }
        let may = missing == 0 || seen.len() > POSSIBLE_STATES;
        known.insert((global, support), may);
        Ok(may)
    }
}

/// Budgets say why they end; systems do so only where a play is made.
fn unless_stopped<T, S>(result: Result<T, Halt<S>>, cut: T) -> Result<T, Stopped> {
    match result {
        Ok(value) => Ok(value),
        Err(Halt::Budget(Stopped::Cancelled)) => Err(Stopped::Cancelled),
        Err(Halt::Budget(Stopped::OutOfTicks) | Halt::System(_)) => Ok(cut),
    }
}
