//! Sets of integers: an interval without some numbers inside.
//!
//! Every set here is either exact or larger than what it stands for, as its maker says; the operations are exact but
//! for [`Domain::image`] with a factor other than ±1, which fills gaps. Numbers have 128 bits and are cut off far
//! outside of 64 bits, where no value of a program is.

/// Where numbers are cut off.
const FAR: i128 = 1 << 120;

/// An interval with holes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Domain {
    low: i128,
    high: i128,
    /// Ascending, strictly between `low` and `high`.
    holes: Vec<i128>,
}

impl Domain {
    /// The numbers from `low` to `high`.
    pub fn between(low: i128, high: i128) -> Self {
        if low > high {
            return Self { low: 1, high: 0, holes: Vec::new() };
        }
        Self { low: low.clamp(-FAR, FAR), high: high.clamp(-FAR, FAR), holes: Vec::new() }
    }

    /// No number.
    pub fn empty() -> Self {
        Self::between(1, 0)
    }

    /// One number.
    pub fn point(value: i128) -> Self {
        Self::between(value, value)
    }

    /// The values of a variable.
    pub fn values() -> Self {
        Self::between(i128::from(i64::MIN), i128::from(i64::MAX))
    }

    /// All numbers.
    pub fn all() -> Self {
        Self::between(-FAR, FAR)
    }

    /// The least number, if there is one.
    pub fn low(&self) -> i128 {
        self.low
    }

    /// The greatest number, if there is one.
    pub fn high(&self) -> i128 {
        self.high
    }

    /// The numbers between the least and the greatest that are missing.
    pub fn holes(&self) -> &[i128] {
        &self.holes
    }

    /// Whether there is no number.
    pub fn is_empty(&self) -> bool {
        self.low > self.high
    }

    /// The only number.
    pub fn single(&self) -> Option<i128> {
        (self.low == self.high).then_some(self.low)
    }

    /// Whether `value` is inside.
    pub fn contains(&self, value: i128) -> bool {
        self.low <= value && value <= self.high && self.holes.binary_search(&value).is_err()
    }

    /// How many numbers there are.
    pub fn size(&self) -> i128 {
        if self.is_empty() {
            return 0;
        }
        // Both ends are within `FAR`, and there are fewer holes than bytes of memory.
        self.high - self.low + 1 - i128::try_from(self.holes.len()).unwrap_or(0)
    }

    /// The numbers in both.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        if self.holes.is_empty() && other.holes.is_empty() {
            return if low > high { Self::empty() } else { Self { low, high, holes: Vec::new() } };
        }
        let mut holes: Vec<i128> = self.holes.iter().chain(&other.holes).copied().collect();
        holes.sort_unstable();
        holes.dedup();
        Self { low, high, holes }.tidy()
    }

    /// The same without one number.
    #[must_use]
    pub fn without(&self, value: i128) -> Self {
        let mut domain = self.clone();
        if let Err(at) = domain.holes.binary_search(&value) {
            domain.holes.insert(at, value);
        }
        domain.tidy()
    }

    /// Holes strictly inside, and none next to an end that is one.
    fn tidy(mut self) -> Self {
        while self.low <= self.high && self.holes.binary_search(&self.low).is_ok() {
            self.low += 1;
        }
        while self.low <= self.high && self.holes.binary_search(&self.high).is_ok() {
            self.high -= 1;
        }
        if self.low > self.high {
            return Self::empty();
        }
        let (low, high) = (self.low, self.high);
        self.holes.retain(|&hole| low < hole && hole < high);
        self
    }

    /// The least interval around both.
    #[must_use]
    pub fn hull(&self, other: &Self) -> Self {
        if self.is_empty() {
            return Self::between(other.low, other.high);
        }
        if other.is_empty() {
            return Self::between(self.low, self.high);
        }
        Self::between(self.low.min(other.low), self.high.max(other.high))
    }

    /// Whether everything here is there.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.is_empty() || (other.low <= self.low && self.high <= other.high && other.holes.iter().all(|&hole| !self.contains(hole)))
    }

    /// A set that contains `factor * x + add` for each `x`; exactly that for the factors 1 and -1 and for one number.
    #[must_use]
    pub fn image(&self, factor: i128, add: i128) -> Self {
        if self.is_empty() {
            return Self::empty();
        }
        let map = |x: i128| x.saturating_mul(factor).saturating_add(add);
        let (a, b) = (map(self.low), map(self.high));
        let mut result = Self::between(a.min(b), a.max(b));
        if factor == 1 || factor == -1 {
            result.holes = self.holes.iter().map(|&hole| map(hole)).collect();
            result.holes.sort_unstable();
        }
        result.tidy()
    }

    /// The numbers, ascending, if they are at most `most`.
    pub fn list(&self, most: i128) -> Option<Vec<i128>> {
        (self.size() <= most).then(|| (self.low..=self.high).filter(|&x| self.contains(x)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(domain: &Domain) -> Vec<i128> {
        (-30..=30).filter(|&x| domain.contains(x)).collect()
    }

    #[test]
    fn operations_are_those_of_sets() {
        let mut domains = vec![Domain::empty()];
        for low in -2..=2 {
            for high in low..=3 {
                let whole = Domain::between(low, high);
                domains.push(whole.without(low + 1));
                domains.push(whole.without(low).without(0));
                domains.push(whole);
            }
        }
        for a in &domains {
            assert_eq!(set(a).len() as i128, a.size());
            assert_eq!(a.is_empty(), set(a).is_empty());
            assert_eq!(a.list(100), Some(set(a)));
            for (factor, add) in [(1, 2), (-1, 1), (2, 0)] {
                let mapped: Vec<i128> = set(a).iter().map(|x| x * factor + add).collect();
                let image = a.image(factor, add);
                assert!(mapped.iter().all(|&x| image.contains(x)));
                assert!(factor == 2 || mapped.len() as i128 == image.size());
            }
            for b in &domains {
                let both: Vec<i128> = set(a).into_iter().filter(|x| b.contains(*x)).collect();
                assert_eq!(set(&a.and(b)), both);
                assert_eq!(a.is_subset(b), set(a).iter().all(|&x| b.contains(x)));
                assert!(a.is_subset(&a.hull(b)) && b.is_subset(&a.hull(b)));
            }
        }
    }
}
