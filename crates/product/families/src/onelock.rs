//! One lock over much: an integer, a count, flags, stock, the slots of a queue.
//! Each program that is serializable stands beside one that gives the lock back
//! too early.

use crate::repeat;

fn last(n: usize) -> usize {
    n.saturating_sub(1)
}

/// Not serializable: the sections of [`crate::given::lock`], in which the lock
/// is given back before the switch is read. With the sections of another
/// request half done the switch is not where a whole number of sections leaves
/// it.
pub(crate) fn lock_early(n: usize) -> String {
    let work = repeat(n, |_| "  X := 1 - X; yield;\n".to_owned());
    format!(
        "request main {{\n  while (L == 1) {{ yield }}; L := 1;\n{work}  L := 0; yield; X\n}}\n\
         request peek {{ while (L == 1) {{ yield }}; X }}\n"
    )
}

/// Not serializable: the swaps of [`crate::given::two_locks`], which give the
/// first lock back between their two writes. Another request puts a value into the
/// cell that was written and is to be read again, and that is what the swap
/// answers.
pub(crate) fn two_locks_early(n: usize) -> String {
    let swaps = repeat(n, |i| {
        let j = (i + 1) % n;
        let (a, b) = (i.min(j), i.max(j));
        let take = |lock: usize| format!("  while (L{lock} == 1) {{ yield }}; L{lock} := 1; yield;\n");
        format!(
            "request swap{i} {{\n{}{}  t := X{i}; X{i} := X{j}; L{a} := 0; yield;\n  X{j} := t; yield;\n  r := X{i}; L{b} := 0; r\n}}\n",
            take(a),
            take(b)
        )
    });
    format!("{swaps}request put {{ while (L0 == 1) {{ yield }}; X0 := 1 - X0; X0 }}\n")
}

/// Not serializable: [`crate::locks::guarded`] with the lock given back before
/// the integer is written. Two requests read 0 and answer 0.
pub(crate) fn guarded_early(n: usize) -> String {
    let change = |name: &str, test: &str, change: &str| {
        format!("request {name} {{\n  lock(L);\n  seen := X;\n  unlock(L);\n  yield;\n  if ({test}) {{ X := {change} }};\n  seen\n}}\n")
    };
    format!("var L: 0..1\nvar X: 0..{n}\n{}{}", change("incr", &format!("seen < {n}"), "seen + 1"), change("decr", "seen > 0", "seen - 1"))
}

/// Not serializable: [`crate::locks::buffer`] with the mutex given back before
/// the count is written.
pub(crate) fn buffer_early(n: usize) -> String {
    let change = |name: &str, wrong: usize, change: &str| {
        format!(
            "request {name} {{\n  lock(M);\n  while (Count == {wrong}) {{\n    unlock(M);\n    yield;\n    lock(M)\n  }};\n  seen := Count;\n  unlock(M);\n  yield;\n  Count := {change};\n  seen\n}}\n"
        )
    };
    format!("var M: 0..1\nvar Count: 0..{n}\n{}{}", change("put", n, "seen + 1"), change("get", 0, "seen - 1"))
}

/// `n` flags, and a request that counts those that are up, in two parts; `between`
/// stands between the parts.
fn flagged(n: usize, between: &str) -> String {
    let (half, last) = ((n / 2).saturating_sub(1), last(n));
    format!(
        "var L: 0..1\nvar Flag[0..{last}]: 0..1\n\
         request turn(i: 0..{last}) {{\n  lock(L);\n  seen := Flag[i];\n  yield;\n  Flag[i] := 1 - seen;\n  unlock(L);\n  seen\n}}\n\
         request count {{\n  lock(L);\n  low := 0;\n  high := 0;\n  for i in 0..{half} {{ low := low + Flag[i] }};\n{between}  for i in {}..{last} {{ high := high + Flag[i] }};\n  unlock(L);\n  low * {} + high\n}}\n",
        half + 1,
        n + 1
    )
}

/// Serializable: requests are ordered as they got the lock.
pub(crate) fn flags(n: usize) -> String {
    flagged(n, "  yield;\n")
}

/// Not serializable: between its two parts the counting request gives the lock
/// back, as in [`crate::held::shards_split`].
pub(crate) fn flags_early(n: usize) -> String {
    flagged(n, "  unlock(L);\n  yield;\n  lock(L);\n")
}

/// `n` items that are bought and delivered; `found` stands when an item has been
/// found to be there, `bought` when it has been taken.
fn shop(n: usize, found: &str, bought: &str) -> String {
    let last = last(n);
    format!(
        "var L: 0..1\nvar Stock[0..{last}]: 0..2 := 1\n\
         request buy(i: 0..{last}) {{\n  lock(L);\n  left := Stock[i];\n  if (left == 0) {{\n    unlock(L);\n    return 0\n  }};\n{found}  yield;\n  Stock[i] := left - 1;\n{bought}  left\n}}\n\
         request deliver(i: 0..{last}) {{\n  lock(L);\n  left := Stock[i];\n  yield;\n  if (left < 2) {{ Stock[i] := left + 1 }};\n  unlock(L);\n  left\n}}\n"
    )
}

/// Serializable, as under any lock.
pub(crate) fn stock(n: usize) -> String {
    shop(n, "", "  unlock(L);\n")
}

/// Not serializable: the lock is given back when the item has been seen. Two
/// requests buy the only one.
pub(crate) fn stock_early(n: usize) -> String {
    shop(n, "  unlock(L);\n", "")
}

/// A ring of `n` slots, of which one stays empty, and two indices; `put` is what
/// happens when there is room.
fn ring(n: usize, put: &str) -> String {
    let last = last(n);
    format!(
        "var L: 0..1\nvar Slot[0..{last}]: 0..1\nvar Head: 0..{last} wrap\nvar Tail: 0..{last} wrap\n\
         request put(v: 0..1) {{\n  lock(L);\n  if ((Tail + 1) % {n} == Head) {{\n    unlock(L);\n    return -1\n  }};\n{put}  0\n}}\n\
         request get {{\n  lock(L);\n  if (Head == Tail) {{\n    unlock(L);\n    return -1\n  }};\n  seen := Slot[Head];\n  yield;\n  Head := Head + 1;\n  unlock(L);\n  seen\n}}\n"
    )
}

/// Serializable, as under any lock.
pub(crate) fn queue(n: usize) -> String {
    ring(n, "  Slot[Tail] := v;\n  yield;\n  Tail := Tail + 1;\n  unlock(L);\n")
}

/// Not serializable: the index is raised and the lock given back before the slot
/// is written. A `get` answers the 0 that is still there, and no request has put it.
pub(crate) fn queue_early(n: usize) -> String {
    ring(n, "  at := Tail;\n  Tail := at + 1;\n  unlock(L);\n  yield;\n  Slot[at] := v;\n")
}
