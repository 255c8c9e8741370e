//! Serial answers: whether given ones are, and what else is then serial.
//!
//! A serial run is a walk from the initial global state along *edges*, each a
//! request alone. Answers are serial iff some walk has them; a walk exists iff
//! numbers of times for the edges exist that are balanced and connected
//! (Euler). [`Serial::walk`] finds such numbers, [`Serial::generalise`] makes
//! them into a linear set: a base, and round trips from it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serval_budget::{Budget, Stopped};
use serval_model::{Node, NormalForm};
use serval_proof::flow::{Edge, LinearSet, Period, Uses, letters_of, serial_edges};

use crate::letters::walk;
use crate::span::{Span, whole};

/// Answers: how often each done node is reached.
pub type Answers = BTreeMap<Node, i64>;

/// Round trips that are looked for from one state.
const TRIPS_PER_STATE: usize = 64;

/// The serial behaviours of a system.
pub struct Serial {
    initial: u32,
    /// The edges, in their order.
    pub edges: Vec<Edge>,
    /// For each state the edges that leave it.
    leaving: BTreeMap<u32, Vec<u32>>,
}

impl Serial {
    /// The serial behaviours of a system.
    pub fn new(form: &NormalForm, budget: &mut Budget) -> Result<Self, Stopped> {
        let edges = serial_edges(form, budget)?;
        let mut leaving: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (index, &(from, ..)) in (0..).zip(&edges) {
            leaving.entry(from).or_default().push(index);
        }
        Ok(Self { initial: form.initial_global(), edges, leaving })
    }

    /// How often each edge is used on a walk with exactly these answers; `None`
    /// if there is none.
    pub fn walk(&self, answers: &Answers, budget: &mut Budget) -> Result<Option<Vec<i64>>, Stopped> {
        walk::by_counting(self.initial, &self.edges, answers, budget)
    }

    fn leaving(&self, state: u32) -> &[u32] {
        self.leaving.get(&state).map_or(&[], Vec::as_slice)
    }

    /// A linear set of serial answers that contains those of a walk.
    pub fn generalise(&self, walk: &[i64]) -> Option<LinearSet> {
        let mut left = walk.to_vec();
        let mut base = vec![0_i64; self.edges.len()];
        let mut touched = BTreeSet::from([self.initial]);
        let mut take = |trip: &[u32], times: i64, base: &mut Vec<i64>| {
            for &edge in trip {
                base[edge as usize] += times;
                touched.insert(self.edges[edge as usize].0);
                touched.insert(self.edges[edge as usize].2);
            }
            touched.clone()
        };
        // A simple path to where the walk ends, and round trips.
        let end = self.end_of(walk);
        let path = self.path(self.initial, end, |edge| left[edge as usize] > 0)?;
        for &edge in &path {
            left[edge as usize] -= 1;
        }
        let mut touched = take(&path, 1, &mut base);
        let mut trips: Vec<(Vec<u32>, i64)> = Vec::new();
        while let Some(trip) = self.trip(&left) {
            let times = trip.iter().map(|&edge| left[edge as usize]).min()?;
            for &edge in &trip {
                left[edge as usize] -= times;
            }
            trips.push((trip, times));
        }
        // One copy of a round trip stays in the base where others hang on it.
        loop {
            let hangs = |trip: &[u32], touched: &BTreeSet<u32>| trip.iter().any(|&edge| touched.contains(&self.edges[edge as usize].0));
            if trips.iter().all(|(trip, _)| hangs(trip, &touched)) {
                break;
            }
            let useful = trips.iter_mut().find(|(trip, times)| {
                *times > 0 && hangs(trip, &touched) && trip.iter().any(|&edge| !touched.contains(&self.edges[edge as usize].0))
            })?;
            useful.1 -= 1;
            let trip = useful.0.clone();
            touched.extend(take(&trip, 1, &mut base));
        }
        trips.sort_by_key(|(trip, _)| trip.len());
        let Independent { mut span, trips: mut periods, rest } = self.independent(trips);
        for (trip, times) in &rest {
            touched.extend(take(trip, *times, &mut base));
        }
        // More round trips that touch the base make the set larger.
        for &state in &touched {
            for trip in self.trips_from(state) {
                if span.add(self.letters(&trip)) {
                    periods.push(trip);
                }
            }
        }
        let base = uses(base.iter().enumerate().map(|(edge, &times)| (edge, times)));
        let offset = letters_of(&self.edges, &base)?;
        let forms = span.forms(&offset)?;
        let periods = periods.iter().zip(forms).map(|(trip, (divisor, constant, terms))| {
            let mut counts = vec![0_i64; self.edges.len()];
            for &edge in trip {
                counts[edge as usize] += 1;
            }
            Period { edges: uses(counts.iter().enumerate().map(|(edge, &times)| (edge, times))), divisor, constant, terms }
        });
        Some(LinearSet { base, periods: periods.collect() })
    }

    /// Exchanges round trips for others with the same answers until those that
    /// are made often are independent; the others are made a few times.
    ///
    /// Let the answers of a trip be a sum of multiples `n` of those of others, and
    /// `d` a number with which all multiples become whole. Then `d` times this
    /// trip have the same answers as `d·n` times the others, where a negative
    /// multiple stands on the other side. The exchange is made as often as
    /// there are trips for it. After that this trip is there less than `d` times,
    /// or one of those that are given for it with it less than `−d·n` times, and
    /// goes to the rest. So how often trips are in the rest is bounded by numbers
    /// that do not depend on the walk, and there are finitely many bases. Only
    /// where numbers do not fit a trip goes to the rest as it is.
    fn independent(&self, trips: Vec<(Vec<u32>, i64)>) -> Independent {
        let mut span = Span::default();
        let mut kept: Vec<(Vec<u32>, i64)> = Vec::new();
        let mut rest = Vec::new();
        for (trip, mut times) in trips {
            let letters = self.letters(&trip);
            if span.add(letters.clone()) {
                kept.push((trip, times));
                continue;
            }
            let Some((divisor, multiples)) = whole(&span.numbers(&letters)) else {
                rest.push((trip, times));
                continue;
            };
            let given = kept.iter().zip(&multiples).filter(|(_, multiple)| **multiple < 0);
            let exchanges = given.map(|((_, times), multiple)| times / -multiple).fold(times / divisor, i64::min);
            times -= exchanges * divisor;
            let after: Option<Vec<i64>> =
                kept.iter().zip(&multiples).map(|((_, times), multiple)| times.checked_add(exchanges.checked_mul(*multiple)?)).collect();
            let Some(after) = after else {
                rest.push((trip, times + exchanges * divisor));
                continue;
            };
            for ((_, times), after) in kept.iter_mut().zip(after) {
                *times = after;
            }
            if times < divisor {
                rest.push((trip, times));
                continue;
            }
            // The exchange ended because this one was used up.
            let Some(short) = kept.iter().zip(&multiples).position(|((_, times), multiple)| *multiple < 0 && *times < -multiple) else {
                rest.push((trip, times));
                continue;
            };
            rest.push(kept.remove(short));
            kept.push((trip, times));
            span = Span::default();
            for (trip, _) in &kept {
                span.add(self.letters(trip));
            }
        }
        rest.retain(|(_, times)| *times > 0);
        Independent { span, trips: kept.into_iter().map(|(trip, _)| trip).collect(), rest }
    }

    /// Where a balanced walk ends.
    fn end_of(&self, walk: &[i64]) -> u32 {
        let mut excess: BTreeMap<u32, i64> = BTreeMap::from([(self.initial, 1)]);
        for (&(from, _, to), &times) in self.edges.iter().zip(walk) {
            *excess.entry(from).or_default() -= times;
            *excess.entry(to).or_default() += times;
        }
        excess.into_iter().find(|&(_, excess)| excess > 0).map_or(self.initial, |(state, _)| state)
    }

    /// A shortest path along edges that may be used.
    fn path(&self, from: u32, to: u32, may: impl Fn(u32) -> bool) -> Option<Vec<u32>> {
        let mut came: BTreeMap<u32, u32> = BTreeMap::new();
        let mut queue = VecDeque::from([from]);
        let mut seen = BTreeSet::from([from]);
        while let Some(state) = queue.pop_front() {
            if state == to {
                let mut path = Vec::new();
                let mut at = to;
                while at != from {
                    let edge = *came.get(&at)?;
                    path.push(edge);
                    at = self.edges[edge as usize].0;
                }
                path.reverse();
                return Some(path);
            }
            for &edge in self.leaving(state) {
                let next = self.edges[edge as usize].2;
                if may(edge) && seen.insert(next) {
                    came.insert(next, edge);
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// A simple round trip along edges that are left.
    fn trip(&self, left: &[i64]) -> Option<Vec<u32>> {
        let first = left.iter().position(|&times| times > 0)?;
        let mut at = self.edges[first].0;
        let mut path: Vec<u32> = Vec::new();
        let mut position: BTreeMap<u32, usize> = BTreeMap::new();
        loop {
            if let Some(&from) = position.get(&at) {
                return Some(path.split_off(from));
            }
            position.insert(at, path.len());
            let &edge = self.leaving(at).iter().find(|&&edge| left[edge as usize] > 0)?;
            path.push(edge);
            at = self.edges[edge as usize].2;
        }
    }

    /// Shortest round trips from a state, one for each first edge.
    fn trips_from(&self, state: u32) -> Vec<Vec<u32>> {
        let mut trips: Vec<Vec<u32>> = Vec::new();
        for &edge in self.leaving(state).iter().take(TRIPS_PER_STATE) {
            if let Some(mut back) = self.path(self.edges[edge as usize].2, state, |_| true) {
                back.insert(0, edge);
                trips.push(back);
            }
        }
        trips.sort_by_key(Vec::len);
        trips
    }

    fn letters(&self, trip: &[u32]) -> Answers {
        let mut letters = Answers::new();
        for &edge in trip {
            *letters.entry(self.edges[edge as usize].1).or_default() += 1;
        }
        letters
    }
}

fn uses(counts: impl Iterator<Item = (usize, i64)>) -> Uses {
    counts
        .filter(|&(_, times)| times > 0)
        .filter_map(|(edge, times)| Some((u32::try_from(edge).ok()?, u32::try_from(times).ok()?)))
        .collect()
}

/// Round trips whose answers are independent, and what is made beside them.
struct Independent {
    span: Span,
    trips: Vec<Vec<u32>>,
    rest: Vec<(Vec<u32>, i64)>,
}

#[cfg(test)]
mod tests {
    use serval_testkit::random::SplitMix64;

    use super::*;

    fn automaton(edges: Vec<Edge>) -> Serial {
        let mut leaving: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (index, &(from, ..)) in (0..).zip(&edges) {
            leaving.entry(from).or_default().push(index);
        }
        Serial { initial: 0, edges, leaving }
    }

    /// Whether the set contains these answers, by the forms of its periods.
    fn contains(serial: &Serial, set: &LinearSet, answers: &Answers) -> bool {
        let mut sum = letters_of(&serial.edges, &set.base).unwrap();
        for period in &set.periods {
            let value: i64 = period.terms.iter().map(|(node, factor)| factor * answers.get(node).copied().unwrap_or(0)).sum();
            let (value, divisor) = (value + period.constant, i64::try_from(period.divisor).unwrap());
            if value < 0 || value % divisor != 0 {
                return false;
            }
            for (node, times) in letters_of(&serial.edges, &period.edges).unwrap() {
                *sum.entry(node).or_default() += times * (value / divisor);
            }
        }
        sum.retain(|_, times| *times > 0);
        sum == *answers
    }

    #[test]
    fn sets_contain_their_walks_and_long_walks_have_small_bases() {
        let sweep = serval_effort::sweep("engine.serial", 80, 300);
        let mut random = SplitMix64::new(sweep.seed(1));
        let (mut walks, mut largest) = (0, 0);
        for _ in 0..sweep.count() {
            let edges: BTreeSet<Edge> = (0..3 + random.below(6))
                .map(|_| [3, 4, 3].map(|below| u32::try_from(random.below(below)).unwrap()))
                .map(|[from, letter, to]| (from, letter, to))
                .collect();
            let serial = automaton(edges.into_iter().collect());
            for length in [1, 3, 10, 100, 3_000] {
                let (mut walk, mut answers, mut at) = (vec![0; serial.edges.len()], Answers::new(), 0);
                for _ in 0..length {
                    // One edge much more often than the others.
                    let Some(last) = serial.leaving(at).len().checked_sub(1) else { break };
                    let edge = serial.leaving(at)[random.below(4 * (last + 1)).min(last)];
                    walk[edge as usize] += 1;
                    let (_, letter, to) = serial.edges[edge as usize];
                    *answers.entry(letter).or_default() += 1;
                    at = to;
                }
                let set = serial.generalise(&walk).unwrap();
                assert!(contains(&serial, &set, &answers), "{:?}\n{walk:?}\n{set:?}", serial.edges);
                walks += 1;
                largest = largest.max(set.base.iter().map(|&(_, times)| times).max().unwrap_or(0));
            }
        }
        assert!(walks == 5 * sweep.count() && largest <= 12, "{walks} walks, an edge {largest} times in a base");
    }

    #[test]
    fn trips_that_depend_on_others_are_exchanged() {
        // From the hub three round trips, each of which depends on the other two and the loop.
        let edges: Vec<Edge> = vec![(0, 6, 0), (0, 8, 1), (1, 7, 1), (1, 8, 0), (1, 9, 2), (2, 6, 0), (2, 9, 0)];
        let serial = automaton(edges);
        let sizes = [10, 1_000, 100_000].map(|n| {
            let set = serial.generalise(&[n, 3 * n, n, n, 2 * n, n, n]).unwrap();
            set.base.iter().map(|&(_, times)| times).sum::<u32>()
        });
        assert!(sizes.iter().all(|&size| size <= 20), "{sizes:?}");
    }
}
