//! Programs that scale: families with a size and a verdict known by
//! construction, for measuring how cost grows. Each program is written as a
//! person would write it for one size.

pub mod covering;
mod deep;
mod given;
mod held;
mod locks;
pub mod nets;
mod onelock;
mod stores;

/// Whether the programs of a family are serializable, for every size from 2 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FamilyVerdict {
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
    pub verdict: FamilyVerdict,
    /// The size at which it is measured unless another one is asked for.
    pub usual: usize,
    /// Whether the reason for its verdict is in its text: such a family is for
    /// sizes at which its states are too many to make.
    pub on_text: bool,
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
    family("counter", "up and down between 0 and n, atomically", FamilyVerdict::Serializable, 1_000, given::counter),
    family("counter_racy", "the same with a yield between read and write", FamilyVerdict::NotSerializable, 200, given::counter_racy),
    family("lock", "n yields inside one critical section", FamilyVerdict::Serializable, 200, given::lock),
    family("flips", "a request that must see n flips of a switch", FamilyVerdict::NotSerializable, 40, given::flips),
    family("ring", "two moves round a ring of n, closed by a latch", FamilyVerdict::Serializable, 41, given::ring),
    family("watch", "n looks at a switch, a yield before each second look", FamilyVerdict::NotSerializable, 12, given::watch),
    family("monitors", "a snapshot of n monitors, then one is switched off", FamilyVerdict::NotSerializable, 8, given::monitors),
    family("monitors_atomic", "the same without the yield", FamilyVerdict::Serializable, 12, given::monitors_atomic),
    family("bank", "atomic transfers between n accounts", FamilyVerdict::Serializable, 8, given::bank),
    family("bank_split", "transfers with a yield in the middle, and an audit", FamilyVerdict::NotSerializable, 4, given::bank_split),
    family("route", "a packet crosses n switches while the policy flips", FamilyVerdict::NotSerializable, 40, given::route),
    family("two_locks", "ordered two-phase locking over n cells", FamilyVerdict::Serializable, 5, given::two_locks),
    family("guarded", "an integer 0..n under one lock: read, pause, write", FamilyVerdict::Serializable, 100, locks::guarded),
    family("swap", "a compare-and-swap loop over 0..n", FamilyVerdict::Serializable, 50, locks::swap),
    family("buffer", "a mutex and a count 0..n, put and get that wait", FamilyVerdict::Serializable, 50, locks::buffer),
    family("ticket", "a ticket lock with n numbers", FamilyVerdict::Serializable, 5, locks::ticket),
    family("expiry", "a lock with owner and expiry over a counter modulo n", FamilyVerdict::Serializable, 8, locks::expiry),
    family(
        "expiry_stale",
        "the same, the counter read before the owner is checked",
        FamilyVerdict::NotSerializable,
        8,
        locks::expiry_stale,
    ),
    family("cache", "a cache of one slot over n keys, filled and emptied after a pause", FamilyVerdict::Serializable, 3, stores::cache),
    family("cache_values", "the same over two keys with n values", FamilyVerdict::Serializable, 3, stores::cache_values),
    family("cache_two", "a cache of two slots over n keys", FamilyVerdict::Serializable, 2, stores::cache_two),
    family(
        "cache_shown",
        "one slot, n keys; a writer is shown what is cached then",
        FamilyVerdict::NotSerializable,
        3,
        stores::cache_shown,
    ),
    family(
        "smallbank",
        "snapshots of two accounts modulo n; commits check what was read",
        FamilyVerdict::Serializable,
        3,
        stores::smallbank,
    ),
    family("smallbank_skew", "the same; commits check only what they write", FamilyVerdict::NotSerializable, 3, stores::smallbank_skew),
    family("stack", "a stack of n cells under one lock", FamilyVerdict::Serializable, 3, stores::stack),
    family(
        "stack_early",
        "the same without the lock; the index is raised before the cell is written",
        FamilyVerdict::NotSerializable,
        3,
        stores::stack_early,
    ),
    family(
        "queue_racy",
        "a ring of n slots; a slot is given again before it is emptied",
        FamilyVerdict::NotSerializable,
        8,
        deep::queue_racy,
    ),
    family("ticket_wrap", "a ticket lock whose numbers begin again after n", FamilyVerdict::NotSerializable, 24, deep::ticket_wrap),
    family("occ_retry", "an update with validation, given up after n attempts", FamilyVerdict::NotSerializable, 16, deep::occ_retry),
    family("torn", "n cells read one by one, and a writer for each", FamilyVerdict::NotSerializable, 8, stores::torn),
    family("shards", "n shards counted modulo 2 and summed one by one", FamilyVerdict::Serializable, 3, stores::shards),
    on_text("pool", "n connections, each for one step of work", FamilyVerdict::Serializable, 1_000, held::pool),
    on_text("pool_split", "the same, a yield in the middle of the work", FamilyVerdict::NotSerializable, 50, held::pool_split),
    on_text("rwlock", "up to n readers or one writer; a reader looks twice", FamilyVerdict::Serializable, 1_000, held::rwlock),
    on_text("rwlock_early", "the same, the second look after leaving", FamilyVerdict::NotSerializable, 50, held::rwlock_early),
    on_text("dining", "n philosophers with forks in order", FamilyVerdict::Serializable, 200, held::dining),
    on_text(
        "dining_early",
        "the same, a fork put down before the other one is used",
        FamilyVerdict::NotSerializable,
        6,
        held::dining_early,
    ),
    on_text("rows", "n rows under two-phase locking, each with the next", FamilyVerdict::Serializable, 200, held::rows),
    on_text("rows_early", "the same, the first lock given back once the row is read", FamilyVerdict::NotSerializable, 6, held::rows_early),
    on_text("rows_pairs", "n rows under two-phase locking, any two of them", FamilyVerdict::Serializable, 20, held::rows_pairs),
    on_text("shards_whole", "n shards counted and summed without interruption", FamilyVerdict::Serializable, 10_000, held::shards_whole),
    on_text("shards_split", "the same, summed in two parts", FamilyVerdict::NotSerializable, 6, held::shards_split),
    on_text("saga", "n things booked in order under locks, or undone", FamilyVerdict::Serializable, 200, held::saga),
    on_text("saga_early", "the same, each lock given back once the thing is booked", FamilyVerdict::NotSerializable, 4, held::saga_early),
    on_text("escrow", "n balances; an amount is held under both locks, or goes back", FamilyVerdict::Serializable, 200, held::escrow),
    on_text(
        "escrow_early",
        "the same, a lock given back for a moment while it is held",
        FamilyVerdict::NotSerializable,
        6,
        held::escrow_early,
    ),
    on_text("two_phase", "two-phase commit of n participants", FamilyVerdict::Serializable, 300, held::two_phase),
    on_text(
        "two_phase_early",
        "the same, participants through before all have voted",
        FamilyVerdict::NotSerializable,
        6,
        held::two_phase_early,
    ),
    on_text("lock_early", "lock, given back before the last look", FamilyVerdict::NotSerializable, 200, onelock::lock_early),
    on_text("two_locks_early", "two_locks, one given back between two writes", FamilyVerdict::NotSerializable, 5, onelock::two_locks_early),
    on_text("guarded_early", "guarded, the lock given back before the write", FamilyVerdict::NotSerializable, 100, onelock::guarded_early),
    on_text("buffer_early", "buffer, the mutex given back before the write", FamilyVerdict::NotSerializable, 50, onelock::buffer_early),
    on_text("flags", "n flags under one lock, counted in two parts", FamilyVerdict::Serializable, 100, onelock::flags),
    on_text("flags_early", "the same, the lock given back between the parts", FamilyVerdict::NotSerializable, 6, onelock::flags_early),
    on_text("stock", "n items of stock under one lock", FamilyVerdict::Serializable, 100, onelock::stock),
    on_text(
        "stock_early",
        "the same, the lock given back before the item is taken",
        FamilyVerdict::NotSerializable,
        6,
        onelock::stock_early,
    ),
    on_text("queue", "a ring of n slots and two indices under one lock", FamilyVerdict::Serializable, 100, onelock::queue),
    on_text(
        "queue_early",
        "the same, the lock given back before the slot is written",
        FamilyVerdict::NotSerializable,
        6,
        onelock::queue_early,
    ),
];

const fn family(name: &'static str, story: &'static str, verdict: FamilyVerdict, usual: usize, make: fn(usize) -> String) -> Family {
    Family { name, story, verdict, usual, on_text: false, make }
}

const fn on_text(name: &'static str, story: &'static str, verdict: FamilyVerdict, usual: usize, make: fn(usize) -> String) -> Family {
    Family { on_text: true, ..family(name, story, verdict, usual, make) }
}

/// `for i in 0..n`, written one after the other.
fn repeat(n: usize, mut part: impl FnMut(usize) -> String) -> String {
    (0..n).map(&mut part).collect()
}

fn joined(n: usize, separator: &str, part: impl FnMut(usize) -> String) -> String {
    (0..n).map(part).collect::<Vec<_>>().join(separator)
}
