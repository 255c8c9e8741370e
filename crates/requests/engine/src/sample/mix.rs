//! Which requests a run has, and how many.
//!
//! What needs many requests mostly needs many of few kinds, so each run draws one to five kinds, and weights that make
//! some of them much more likely than others. Of requests with parameters few values are drawn first, the same for all
//! kinds, because what goes wrong is mostly about one row or two. Numbers of requests come in levels that double, and
//! later runs draw among more levels; there is no largest one.

use serval_model::{Named, RequestId, SplitMix64};

/// Runs after which there is another level, and half of those after which there is the next one.
const RUNS_PER_LEVEL: u64 = 50;
/// The last of the levels that are equally likely. Each level after it is half as likely as the one before, so that all
/// of them take about the same time.
const LAST_LIKELY: u32 = 7;
/// Kinds in a run, at most.
const MOST_KINDS: usize = 5;
/// Values of parameters in a run, of which one is drawn, and the number of kinds from which on they are drawn first.
const VALUES: [usize; 4] = [1, 1, 2, 3];
const MANY_KINDS: usize = 3;

/// The kinds of requests, and their parameters as far as their names say.
pub(super) struct Kinds {
    /// For each kind its arguments, as numbers.
    arguments: Vec<Vec<usize>>,
    /// How many different arguments there are.
    values: usize,
}

/// The kinds of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mix {
    /// Each with its weight, which is not 0.
    kinds: Vec<(RequestId, u64)>,
    total: u64,
}

impl Kinds {
    pub(super) fn of<M: Named>(system: &M, names: usize) -> Self {
        let mut values: Vec<String> = Vec::new();
        let mut arguments = Vec::with_capacity(names);
        for kind in 0..names {
            let name = system.request_name(RequestId::from_index(kind));
            let inside = name.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')')).unwrap_or("");
            let mut own = Vec::new();
            for value in inside.split(',').map(str::trim).filter(|value| !value.is_empty()) {
                let at = values.iter().position(|known| known == value);
                own.push(at.unwrap_or(values.len()));
                if at.is_none() {
                    values.push(value.to_owned());
                }
            }
            arguments.push(own);
        }
        Self { arguments, values: values.len() }
    }

    /// The kinds of the next run. `None` where there are no requests at all.
    pub(super) fn draw(&self, random: &mut SplitMix64) -> Option<Mix> {
        let mut among: Vec<usize> = (0..self.arguments.len()).collect();
        if among.len() >= MANY_KINDS && self.values > 1 && random.chance(70) {
            let drawn: Vec<usize> = (0..VALUES[random.index(VALUES.len())]).map(|_| random.index(self.values)).collect();
            let few: Vec<usize> =
                among.iter().copied().filter(|&kind| self.arguments[kind].iter().all(|value| drawn.contains(value))).collect();
            // Those without any argument are there whatever is drawn.
            if few.iter().any(|&kind| !self.arguments[kind].is_empty()) {
                among = few;
            }
        }
        let count = (1 + random.index(MOST_KINDS)).min(among.len());
        let drawn = (0..count).map(|_| among.swap_remove(random.index(among.len())));
        Mix::new(drawn.map(RequestId::from_index).collect::<Vec<_>>().into_iter().map(|kind| (kind, weight(random))))
    }
}

/// A weight: the square of an even one, so that few kinds are much more likely than the others.
fn weight(random: &mut SplitMix64) -> u64 {
    let even = random.below(1_024);
    even * even / 1_024 + 20
}

impl Mix {
    /// `None` of no kinds.
    pub(super) fn new(kinds: impl IntoIterator<Item = (RequestId, u64)>) -> Option<Self> {
        let kinds: Vec<(RequestId, u64)> = kinds.into_iter().collect();
        let total = kinds.iter().map(|&(_, weight)| weight).sum();
        (total > 0).then_some(Self { kinds, total })
    }

    /// A mix of some of its kinds, in half of the cases of one.
    pub(super) fn part(&self, random: &mut SplitMix64) -> Option<Self> {
        let mut among: Vec<RequestId> = self.kinds().collect();
        let count = if random.chance(50) { 1 } else { 1 + random.index(among.len()) };
        let drawn: Vec<RequestId> = (0..count).map(|_| among.swap_remove(random.index(among.len()))).collect();
        Self::new(drawn.into_iter().map(|kind| (kind, weight(random))))
    }

    /// The kind of a request.
    pub(super) fn pick(&self, random: &mut SplitMix64) -> RequestId {
        let mut number = random.below(self.total);
        for &(kind, weight) in &self.kinds {
            match number.checked_sub(weight) {
                Some(rest) => number = rest,
                None => return kind,
            }
        }
        // Whatever is below the sum of all weights is below that of some.
        self.kinds[0].0
    }

    /// All its kinds.
    pub(super) fn kinds(&self) -> impl ExactSizeIterator<Item = RequestId> + '_ {
        self.kinds.iter().map(|&(kind, _)| kind)
    }
}

/// How many requests a run has, before which this number of others has been.
pub(super) fn requests(runs: u64, random: &mut SplitMix64) -> usize {
    let levels = (1 + runs / RUNS_PER_LEVEL).ilog2() + 1;
    let mut level = u32::try_from(random.below(levels.into())).unwrap_or(0) + 1;
    if level > LAST_LIKELY && random.below(1 << (level - LAST_LIKELY).min(40)) > 0 {
        level = 1 + u32::try_from(random.below(LAST_LIKELY.into())).unwrap_or(0);
    }
    let most = 1_u64 << level.min(40);
    let number = most / 2 + 1 + random.below(most / 2);
    usize::try_from(number.max(2)).unwrap_or(usize::MAX)
}
