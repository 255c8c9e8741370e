//! How fast the machine is at the moment.
//!
//! The speed of a machine changes by a factor of two from one second to the
//! next, with what else runs on it and how warm it is. So a time is compared
//! with that of a fixed piece of work right beside it. This piece shares nothing
//! with what is measured, so that it stays the same when serval becomes slower.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// How often the work is done at a time; the middle counts.
const TIMES: usize = 5;

/// How long the fixed piece of work takes at the moment.
pub(super) fn measured() -> Duration {
    let mut times = [Duration::ZERO; TIMES];
    for time in &mut times {
        let start = Instant::now();
        black_box(work());
        *time = start.elapsed();
    }
    times.sort();
    times[TIMES / 2]
}

/// A little of many things, as in a check: much code, many small pieces of
/// memory. A short loop would slow down less than a check when caches are short.
fn work() -> u64 {
    let mut random = 88_172_645_463_325_252_u64;
    let mut next = move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let mut tree: BTreeMap<Vec<u64>, u64> = BTreeMap::new();
    let mut table: HashMap<String, Vec<u64>> = HashMap::new();
    let mut queue = VecDeque::new();
    for number in 0..150 {
        let n = next();
        let key: Vec<u64> = (0..4 + n % 4).map(|place| (n >> (8 * place)) % 7).collect();
        table.entry(format!("{}:{:?}", n % 50, &key[..2])).or_default().push(number);
        let sum = tree.entry(key).or_default();
        *sum = sum.wrapping_add(number);
        queue.push_front((n % 1000).to_string());
        if n % 3 == 0 {
            queue.pop_back();
        }
    }
    let mut words: Vec<(String, Vec<u64>)> = table.into_iter().collect();
    words.sort();
    let numbers: Vec<u128> = queue.iter().filter_map(|text| text.parse().ok()).collect();
    let product = numbers.iter().fold(1_u128, |product, number| (product * (number + 1)) % 1_000_000_007_000_003);
    let text: String = words.iter().flat_map(|(word, _)| word.chars().rev()).filter(|letter| letter.is_alphanumeric()).collect();
    let distinct: BTreeSet<&str> = text.split('7').collect();
    let sums = tree.iter().map(|(key, sum)| key.iter().fold(*sum, |sum, part| sum.rotate_left(3) ^ part));
    let sum = sums.fold(0_u64, |all, sum| all.rotate_left(5) ^ sum);
    sum ^ distinct.len() as u64 ^ (product % 1_000_003) as u64
}
