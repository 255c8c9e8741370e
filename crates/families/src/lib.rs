//! Programs that scale: families with a size and a verdict known by
//! construction, for measuring how cost grows. Each program is written as a
//! person would write it for one size.

mod given;
mod locks;
mod stores;

/// Whether the programs of a family are serializable, for every size from 2 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// They are.
    Serializable,
    /// They are not.
    NotSerializable,
}

/// A program for every size.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// What it is, in one line.
    pub story: &'static str,
    /// Its verdict, for every size from 2 on.
    pub verdict: Verdict,
    /// The size at which it is measured unless another one is asked for.
    pub usual: usize,
    make: fn(usize) -> String,
}

impl Family {
    /// The family with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        FAMILIES.iter().find(|family| family.name == name)
    }

    /// The program of size `n`.
    ///
    /// ```
    /// let counter = serval_families::Family::named("counter").unwrap();
    /// assert!(counter.program(7).contains("X == 7"));
    /// ```
    pub fn program(&self, n: usize) -> String {
        (self.make)(n)
    }
}

/// All families.
pub const FAMILIES: &[Family] = &[
    family("counter", "up and down between 0 and n, atomically", Verdict::Serializable, 1_000, given::counter),
    family("counter_racy", "the same with a yield between read and write", Verdict::NotSerializable, 200, given::counter_racy),
    family("lock", "n yields inside one critical section", Verdict::Serializable, 200, given::lock),
    family("flips", "a request that must see n flips of a switch", Verdict::NotSerializable, 40, given::flips),
    family("ring", "two moves round a ring of n, closed by a latch", Verdict::Serializable, 41, given::ring),
    family("watch", "n looks at a switch, a yield before each second look", Verdict::NotSerializable, 12, given::watch),
    family("monitors", "a snapshot of n monitors, then one is switched off", Verdict::NotSerializable, 8, given::monitors),
    family("monitors_atomic", "the same without the yield", Verdict::Serializable, 12, given::monitors_atomic),
    family("bank", "atomic transfers between n accounts", Verdict::Serializable, 8, given::bank),
    family("bank_split", "transfers with a yield in the middle, and an audit", Verdict::NotSerializable, 4, given::bank_split),
    family("route", "a packet crosses n switches while the policy flips", Verdict::NotSerializable, 40, given::route),
    family("two_locks", "ordered two-phase locking over n cells", Verdict::Serializable, 5, given::two_locks),
    family("guarded", "an integer 0..n under one lock: read, pause, write", Verdict::Serializable, 100, locks::guarded),
    family("swap", "a compare-and-swap loop over 0..n", Verdict::Serializable, 50, locks::swap),
    family("buffer", "a mutex and a count 0..n, put and get that wait", Verdict::Serializable, 50, locks::buffer),
    family("ticket", "a ticket lock with n numbers", Verdict::Serializable, 5, locks::ticket),
    family("expiry", "a lock with owner and expiry over a counter modulo n", Verdict::Serializable, 8, locks::expiry),
    family("expiry_stale", "the same, the counter read before the owner is checked", Verdict::NotSerializable, 8, locks::expiry_stale),
    family("cache", "a cache of one slot over n keys, filled and emptied after a pause", Verdict::Serializable, 3, stores::cache),
    family("cache_values", "the same over two keys with n values", Verdict::Serializable, 3, stores::cache_values),
    family("cache_two", "a cache of two slots over n keys", Verdict::Serializable, 2, stores::cache_two),
    family("cache_shown", "one slot, n keys; a writer is shown what is cached then", Verdict::NotSerializable, 3, stores::cache_shown),
    family("smallbank", "snapshots of two accounts modulo n; commits check what was read", Verdict::Serializable, 3, stores::smallbank),
    family("smallbank_skew", "the same; commits check only what they write", Verdict::NotSerializable, 3, stores::smallbank_skew),
    family("stack", "a stack of n cells under one lock", Verdict::Serializable, 3, stores::stack),
    family(
        "stack_early",
        "the same without the lock; the index is raised before the cell is written",
        Verdict::NotSerializable,
        3,
        stores::stack_early,
    ),
    family("torn", "n cells read one by one, and a writer for each", Verdict::NotSerializable, 8, stores::torn),
    family("shards", "n shards counted modulo 2 and summed one by one", Verdict::Serializable, 3, stores::shards),
];

const fn family(name: &'static str, story: &'static str, verdict: Verdict, usual: usize, make: fn(usize) -> String) -> Family {
    Family { name, story, verdict, usual, make }
}

/// `for i in 0..n`, written one after the other.
fn repeat(n: usize, mut part: impl FnMut(usize) -> String) -> String {
    (0..n).map(&mut part).collect()
}

fn joined(n: usize, separator: &str, part: impl FnMut(usize) -> String) -> String {
    (0..n).map(part).collect::<Vec<_>>().join(separator)
}
