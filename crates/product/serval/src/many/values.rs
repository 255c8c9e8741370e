//! Values of parameters that are worth a look.

use std::collections::BTreeSet;

use serval_syntax::{ExprKind, ParamValues, Program};

/// Numbers of the text that are looked at.
const MOST_NUMBERS: usize = 64;

/// The numbers of a text, and what random ones are drawn from.
pub(super) struct Pool {
    numbers: Vec<i64>,
    /// The ranges of parameters that are numbers, not rows.
    kept: BTreeSet<(i64, i64)>,
    seed: u64,
}

impl Pool {
    pub(super) fn new(program: &Program, seed: u64) -> Self {
        let mut numbers: BTreeSet<i64> = BTreeSet::new();
        for global in &program.globals {
            numbers.insert(global.initial);
            numbers.extend(global.range.into_iter().flat_map(|(low, high)| [low, high]));
        }
        for request in &program.requests {
            request.body.visit(&mut |part| {
                if let ExprKind::Number(number) | ExprKind::Constant(number) = part.kind {
                    numbers.insert(number);
                }
            });
        }
        let kept = program.requests.iter().flat_map(|request| &request.params).map(|param| (param.low, param.high)).collect();
        Self { kept, numbers: numbers.into_iter().take(MOST_NUMBERS).collect(), seed }
    }

    /// A random number, the same for the same places (SplitMix64; Steele, Lea, Flood 2014).
    pub(super) fn number(&self, set: u64, index: usize) -> usize {
        let place = set.wrapping_mul(0x1_0000).wrapping_add(u64::try_from(index).unwrap_or(0)).wrapping_add(1);
        let mut z = self.seed.wrapping_add(place.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((z ^ (z >> 31)) >> 1).unwrap_or(0)
    }

    /// The values of a parameter in a set of requests: two or three, the same for the same range.
    pub(super) fn values(&self, declared: &ParamValues, set: u64) -> Vec<i64> {
        let count = declared.count();
        let end = count.saturating_sub(1);
        let at = |place: u64| declared.at(place.min(end));
        let is_number = self.kept.contains(&declared.bounds());
        let mut values: Vec<i64> = match (set, is_number) {
            (0, true) => vec![at(1), at(end)],
            (0, false) => vec![at(0), at(1)],
            (1, true) => vec![at(0), at(end / 2), at(end)],
            (1, false) => vec![at(1), at(end)],
            _ => Vec::new(),
        }
        .into_iter()
        .flatten()
        .collect();
        let (low, high) = declared.bounds();
        let near = self.numbers.iter().flat_map(|&number| [number.checked_sub(1), Some(number), number.checked_add(1)]);
        let mut near: Vec<i64> = near.flatten().filter(|&number| declared.contains(number)).collect();
        near.sort_unstable();
        near.dedup();
        let mut salt = usize::try_from(low.wrapping_mul(31).wrapping_add(high).unsigned_abs() & 0xFFF).unwrap_or(0) * 16;
        while set > 1 && values.len() < 2 + usize::from(set % 3 == 2) && salt % 16 < 8 {
            let draw = self.number(set, salt);
            let random = || at(u64::try_from(draw / 4).unwrap_or(0) % count.max(1));
            let value = if draw.is_multiple_of(4) || near.is_empty() { random() } else { near.get((draw / 4) % near.len()).copied() };
            values.extend(value.filter(|value| !values.contains(value)));
            salt += 1;
        }
        values.dedup();
        if values.is_empty() {
            values.extend(at(0));
        }
        values
    }
}
