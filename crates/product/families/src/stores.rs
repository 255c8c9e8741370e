//! Data in several places: caches, banks, stacks, shards.

use crate::{joined, repeat};

/// What a cache of one slot does with a key.
const ONE_SLOT: Slots = Slots {
    declared: |keys, values| format!("var Key: 0..{keys}\nvar Value: 0..{}\n", values.saturating_sub(1)),
    look: "  if (Key == k) { return Value };\n",
    fill: "  Key := k;\n  Value := loaded;\n",
    empty: "  if (Key == k) { Key := 0 };\n",
    shown: "if (Key == k) { Value } else { Db[k] }",
};

/// The same with two slots: the newer one, and the older one, which is lost
/// when something new comes. A key that two requests fill at a time may be in
/// both, perhaps with two values; then the newer one counts.
const TWO_SLOTS: Slots = Slots {
    declared: |keys, values| {
        let last = values.saturating_sub(1);
        format!("var New: 0..{keys}\nvar NewValue: 0..{last}\nvar Old: 0..{keys}\nvar OldValue: 0..{last}\n")
    },
    look: "  if (New == k) { return NewValue };\n  if (Old == k) { return OldValue };\n",
    fill: "  Old := New;\n  OldValue := NewValue;\n  New := k;\n  NewValue := loaded;\n",
    empty: "  if (New == k) { New := 0 };\n  if (Old == k) { Old := 0 };\n",
    shown: "if (New == k) { NewValue } else if (Old == k) { OldValue } else { Db[k] }",
};

/// How a cache is declared, looked at, filled and emptied. Key 0 is none.
struct Slots {
    declared: fn(usize, usize) -> String,
    look: &'static str,
    fill: &'static str,
    empty: &'static str,
    shown: &'static str,
}

/// A database and a cache in front of it. `get` fills the cache after a pause,
/// `put` empties it after a pause; `answer` is what `put` ends with.
///
/// With the answer 0 it is serializable, however stale the cache may be: a
/// `get(k)` answers the first value, or one of which some `put(k, v)` has been
/// made. And whatever set of answers meets this comes from a serial run, for
/// each key on its own: first the `get`s that answer the first value, then, for
/// one value after the other, its `put`s and the `get`s that answer it; a `put`
/// that no request disturbs leaves no old value in the cache.
fn cached(slots: &Slots, keys: usize, values: usize, answer: &str) -> String {
    let last = values.saturating_sub(1);
    format!(
        "var Db[1..{keys}]: 0..{last}\n{}\
         request get(k: 1..{keys}) {{\n{}  loaded := Db[k];\n  yield;\n{}  loaded\n}}\n\
         request put(k: 1..{keys}, v: 0..{last}) {{\n  Db[k] := v;\n  yield;\n{}  {answer}\n}}\n",
        (slots.declared)(keys, values),
        slots.look,
        slots.fill,
        slots.empty
    )
}

/// Serializable, by what is said of `cached`.
pub(crate) fn cache(n: usize) -> String {
    cached(&ONE_SLOT, n, 2, "0")
}

/// Serializable, by what is said of `cached`.
pub(crate) fn cache_values(n: usize) -> String {
    cached(&ONE_SLOT, 2, n, "0")
}

/// Serializable, by what is said of `cached`.
pub(crate) fn cache_two(n: usize) -> String {
    cached(&TWO_SLOTS, n, 2, "0")
}

/// Not serializable: a `get` loads the first value, a `put` of another one
/// empties the cache, and then the `get` fills it with what it has. The `put`
/// is shown the first value, which serially it has overwritten.
pub(crate) fn cache_shown(n: usize) -> String {
    cached(&ONE_SLOT, n, 2, &format!("yield;\n  {}", ONE_SLOT.shown))
}

/// Two accounts of one customer modulo `n`. A transaction reads both in a first
/// step and commits in a second one, if `unchanged` holds, or begins again.
fn accounts(n: usize, unchanged: &str) -> String {
    let last = n.saturating_sub(1);
    let transaction = |name: &str, unchanged: &str, commit: &str| {
        format!(
            "request {name} {{\n  done := 0;\n  while (not done) {{\n    savings := Savings;\n    checking := Checking;\n    yield;\n    if ({unchanged}) {{\n{commit}      done := 1\n    }}\n  }};\n  (savings + checking) % {n}\n}}\n"
        )
    };
    let both = "Savings == savings and Checking == checking";
    format!(
        "var Savings: 0..{last} wrap\nvar Checking: 0..{last} wrap\n{}{}",
        transaction("transfer", both, "      Savings := savings - 1;\n      Checking := checking + 1;\n"),
        transaction("withdraw", unchanged, "      Checking := checking - 1;\n")
    )
}

/// Serializable: a commit finds both accounts as they were read, so that all of
/// the transaction might as well happen there.
pub(crate) fn smallbank(n: usize) -> String {
    accounts(n, "Savings == savings and Checking == checking")
}

/// Not serializable: a withdrawal checks only the row that it writes, as under
/// snapshot isolation. A transfer and another withdrawal bring this row back to
/// what it was, and take one away from the sum: both withdrawals answer the
/// sum 0, but one after the other they answer 0 and the last number.
pub(crate) fn smallbank_skew(n: usize) -> String {
    accounts(n, "Checking == checking")
}

/// Serializable: as under any lock, requests are ordered as they got it.
pub(crate) fn stack(n: usize) -> String {
    format!(
        "var L: 0..1\nvar Top: 0..{n}\nvar Cell[0..{last}]: 0..1\n\
         request push(v: 0..1) {{\n  lock(L);\n  if (Top == {n}) {{\n    unlock(L);\n    return -1\n  }};\n  Cell[Top] := v;\n  yield;\n  Top := Top + 1;\n  unlock(L);\n  0\n}}\n\
         request pop {{\n  lock(L);\n  if (Top == 0) {{\n    unlock(L);\n    return -1\n  }};\n  seen := Cell[Top - 1];\n  yield;\n  Top := Top - 1;\n  unlock(L);\n  seen\n}}\n",
        last = n.saturating_sub(1)
    )
}

/// Not serializable: a `pop` between the two steps of a `push(1)` answers the 0
/// that is still in the cell, and no request has pushed a 0.
pub(crate) fn stack_early(n: usize) -> String {
    format!(
        "var Top: 0..{n}\nvar Cell[0..{last}]: 0..1\n\
         request push(v: 0..1) {{\n  if (Top == {n}) {{ return -1 }};\n  at := Top;\n  Top := at + 1;\n  yield;\n  Cell[at] := v;\n  0\n}}\n\
         request pop {{\n  if (Top == 0) {{ return -1 }};\n  Top := Top - 1;\n  Cell[Top]\n}}\n",
        last = n.saturating_sub(1)
    )
}

/// Not serializable: of two readers one finds cell 1 not yet written and then
/// cell 2 written, the other one, in between, finds cell 1 written and cell 2
/// not. They answer 2 and 1, where each cell is written once. Serially the cell
/// that is written first is seen by both or by none before the other.
///
/// The answer is the sum of the numbers of cells that are written, so that it
/// tells cells apart without being exponentially large.
pub(crate) fn torn(n: usize) -> String {
    let writers = repeat(n, |i| format!("request write{0} {{\n  Cell{0} := 1;\n  0\n}}\n", i + 1));
    let look = |i: usize| format!("  if (Cell{0} == 1) {{ sum := sum + {0} }};\n", i + 1);
    format!("{writers}request read {{\n  sum := 0;\n{}  sum\n}}\n", joined(n, "  yield;\n", look))
}

/// Serializable. Let `m` be the number of shards that are counted at all. A
/// reader sees a 1 only in those, so it answers at most `m`; and the answers of
/// the counting requests of a shard are 0, 1, 0, 1, …, whatever the others do.
/// Serially: count each of these shards once, one after the other, so that all
/// sums from 0 to `m` are there in turn, with the readers that answer them;
/// then all that is left to count.
pub(crate) fn shards(n: usize) -> String {
    let counts = repeat(n, |i| format!("request add{0} {{\n  seen := Shard{0};\n  Shard{0} := 1 - seen;\n  seen\n}}\n", i + 1));
    let look = |i: usize| format!("  sum := sum + Shard{};\n", i + 1);
    format!("{counts}request total {{\n  sum := 0;\n{}  sum\n}}\n", joined(n, "  yield;\n", look))
}
