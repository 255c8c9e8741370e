//! Disjoint sets of bodies of requests (union–find).

/// A partition of the numbers below a count: which bodies have to stay together.
pub(crate) struct DisjointSets {
    /// Another member of the same set with a smaller number, or the number itself.
    leader: Vec<usize>,
}

impl DisjointSets {
    /// Each number in a set of its own.
    pub(crate) fn new(count: usize) -> Self {
        Self { leader: (0..count).collect() }
    }

    /// The smallest member of the set of a number.
    pub(crate) fn least(&mut self, mut member: usize) -> usize {
        while self.leader[member] != member {
            self.leader[member] = self.leader[self.leader[member]];
            member = self.leader[member];
        }
        member
    }

    /// Makes one set of those of two numbers.
    pub(crate) fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.least(a), self.least(b));
        self.leader[a.max(b)] = a.min(b);
    }
}
