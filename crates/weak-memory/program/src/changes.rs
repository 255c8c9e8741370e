//! What a program can be changed by so that fewer stores are delayed: fences and locked stores.

use crate::fences::FencePlace;
use crate::program::{Inner, LockedKind, Op, Point, Program, Thread};

/// How a place is changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Change {
    /// A fence stands before the step.
    #[default]
    Fence,
    /// The step, a store, becomes a locked exchange whose old value is dropped.
    Locked,
}

impl Program {
    /// The same program with each of these places changed; they ascend. Places that cannot be changed so are left out.
    #[must_use]
    pub fn with_changes(&self, change: Change, places: &[FencePlace]) -> Self {
        if change == Change::Fence {
            return self.with_fences(places);
        }
        let mut program = self.clone();
        for place in places {
            let node = program.threads.get_mut(place.thread.index()).and_then(|thread| thread.code.get_mut(place.point.index()));
            if let Some(node) = node
                && let Op::Store(address, value) = &node.op
            {
                node.op = Op::Atomic(vec![Inner::Locked(LockedKind::Exchange, None, address.clone(), vec![value.clone()])]);
            }
        }
        program
    }

    /// Whether a place can be changed so: fences stand at every point, and only a store can become locked.
    pub fn can_change(&self, change: Change, place: FencePlace) -> bool {
        let node = self.threads.get(place.thread.index()).and_then(|thread| thread.code.get(place.point.index()));
        node.is_some_and(|node| change == Change::Fence || matches!(node.op, Op::Store(..)))
    }
}

impl Thread {
    /// For each point, whether a thread that is there may come back to it.
    pub fn in_loops(&self) -> Vec<bool> {
        let next = |point: usize| {
            let node = &self.code[point];
            let other = node.op.other().map(Point::index);
            let ahead = (node.op != Op::End).then(|| node.next.index());
            ahead.into_iter().chain(other).filter(|point| *point < self.code.len())
        };
        let comes_back = |start: usize| {
            let mut seen = vec![false; self.code.len()];
            let mut open: Vec<usize> = next(start).collect();
            while let Some(point) = open.pop() {
                if !std::mem::replace(&mut seen[point], true) {
                    open.extend(next(point));
                }
            }
            seen[start]
        };
        (0..self.code.len()).map(comes_back).collect()
    }
}
