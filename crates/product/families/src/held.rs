//! Resources that are held for a while: connections, forks, rows, participants.
//! Each program is serializable for a reason that does not mention data, and
//! stands beside one in which something is given back, or looked at, at the
//! wrong moment.

use crate::{joined, repeat};

fn last(n: usize) -> usize {
    n.saturating_sub(1)
}

/// `n` connections; what is done with one is `work`.
fn connections(n: usize, work: &str) -> String {
    format!(
        "var Free: 0..{n} := {n}\nvar Data: 0..1\n\
         request query {{\n  await (Free > 0);\n  Free := Free - 1;\n  yield;\n{work}  yield;\n  Free := Free + 1;\n  seen\n}}\n"
    )
}

/// Serializable: data are touched in one step, and requests are ordered by it.
/// Connections are all alike, and a request that runs alone finds one.
pub(crate) fn pool(n: usize) -> String {
    connections(n, "  seen := Data;\n  Data := 1 - seen;\n")
}

/// Not serializable: two requests have a connection each, both read 0, and both
/// answer 0.
pub(crate) fn pool_split(n: usize) -> String {
    connections(n, "  seen := Data;\n  yield;\n  Data := 1 - seen;\n")
}

/// At most `n` readers, or one writer; a reader ends with `look`.
fn readers(n: usize, look: &str) -> String {
    format!(
        "var Readers: 0..{n}\nvar Writer: 0..1\nvar Data: 0..1\n\
         request read {{\n  await (Writer == 0 and Readers < {n});\n  Readers := Readers + 1;\n  yield;\n  first := Data;\n  yield;\n{look}  2 * first + second\n}}\n\
         request write {{\n  await (Writer == 0 and Readers == 0);\n  Writer := 1;\n  yield;\n  Data := 1 - Data;\n  yield;\n  Writer := 0;\n  0\n}}\n"
    )
}

/// Serializable: while a request reads none writes, so that both looks of a
/// reader might as well be one.
pub(crate) fn rwlock(n: usize) -> String {
    readers(n, "  second := Data;\n  Readers := Readers - 1;\n")
}

/// Not serializable: the second look comes when the reader has left, and a
/// writer may have been there in between.
pub(crate) fn rwlock_early(n: usize) -> String {
    readers(n, "  Readers := Readers - 1;\n  yield;\n  second := Data;\n")
}

/// Philosophers round a table: number `i` has fork `i` to the left and the next
/// one to the right, and takes the one with the smaller number first. `use_both`
/// is what it then does, with the names of left and right, and of the first and
/// the second one that it has taken.
fn table(n: usize, use_both: fn([&str; 4]) -> String) -> String {
    let eat = |[left, right, first, second]: [&str; 4]| {
        format!(
            "  lock(Fork[{first}]);\n  yield;\n  lock(Fork[{second}]);\n  mine := Turned[{left}];\n  Turned[{left}] := 1 - mine;\n{}  2 * mine + other\n",
            use_both([left, right, first, second])
        )
    };
    let number = last(n).to_string();
    format!(
        "var Fork[0..{last}]: 0..1\nvar Turned[0..{last}]: 0..1\n\
         request eat(i: 0..{before}) {{\n{}}}\nrequest eat_last {{\n{}}}\n",
        eat(["i", "i + 1", "i", "i + 1"]),
        eat([&number, "0", "0", &number]),
        last = last(n),
        before = n.saturating_sub(2)
    )
}

/// Serializable: a request that has both forks is alone with them until it has used
/// them.
pub(crate) fn dining(n: usize) -> String {
    table(n, |[_, right, first, second]| {
        format!(
            "  yield;\n  other := Turned[{right}];\n  Turned[{right}] := 1 - other;\n  unlock(Fork[{second}]);\n  unlock(Fork[{first}]);\n"
        )
    })
}

/// Not serializable: the forks are put down between the two halves of the use of
/// the right one. Two requests with the same forks see the right one alike.
pub(crate) fn dining_early(n: usize) -> String {
    table(n, |[_, right, first, second]| {
        format!(
            "  other := Turned[{right}];\n  unlock(Fork[{second}]);\n  unlock(Fork[{first}]);\n  yield;\n  Turned[{right}] := 1 - other;\n"
        )
    })
}

/// When a request gives back the lock of its first row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Release {
    /// When it has written both.
    Last,
    /// When it has read it.
    Early,
}

/// Money between two rows that are locked in the order of their numbers.
fn transfer(from: &str, to: &str, release: Release) -> String {
    let given_back = |at: Release| if at == release { format!("  unlock(Lock[{from}]);\n  yield;\n") } else { String::new() };
    format!(
        "  lock(Lock[{from}]);\n  here := Row[{from}];\n  yield;\n{}  lock(Lock[{to}]);\n  there := Row[{to}];\n  yield;\n  \
           if (here > 0 and there < 2) {{\n    Row[{from}] := here - 1;\n    Row[{to}] := there + 1\n  }};\n{}  \
           unlock(Lock[{to}]);\n  3 * here + there\n",
        given_back(Release::Early),
        given_back(Release::Last)
    )
}

fn row_store(n: usize, release: Release) -> String {
    format!(
        "var Lock[0..{last}]: 0..1\nvar Row[0..{last}]: 0..2 := 1\n\
         request move(i: 0..{before}) {{\n{}}}\n\
         request fill(i: 0..{last}) {{\n  lock(Lock[i]);\n  yield;\n  Row[i] := 2;\n  unlock(Lock[i]);\n  0\n}}\n",
        transfer("i", "i + 1", release),
        last = last(n),
        before = n.saturating_sub(2)
    )
}

/// Serializable: two-phase locking. Requests are ordered as they came to have
/// all their locks.
pub(crate) fn rows(n: usize) -> String {
    row_store(n, Release::Last)
}

/// Not serializable: the lock of the first row is given back once it is read.
/// Two requests read the same row, and one writes over what the other wrote.
pub(crate) fn rows_early(n: usize) -> String {
    row_store(n, Release::Early)
}

/// Serializable, as [`rows`]: here any two rows can be those of a request, so
/// that there are about n²/2 requests in a text of n declarations.
pub(crate) fn rows_pairs(n: usize) -> String {
    let moves =
        repeat(last(n), |i| format!("request move{i}(j: {}..{}) {{\n{}}}\n", i + 1, last(n), transfer(&i.to_string(), "j", Release::Last)));
    format!("var Lock[0..{last}]: 0..1\nvar Row[0..{last}]: 0..2 := 1\n{moves}", last = last(n))
}

/// Counts modulo 2 in `n` places, which `total` reads.
fn counts(n: usize, total: &str) -> String {
    let adds = repeat(n, |i| format!("request add{0} {{\n  seen := Shard{0};\n  Shard{0} := 1 - seen;\n  seen\n}}\n", i + 1));
    format!("{adds}request total {{\n  sum := 0;\n{total}}}\n")
}

/// Serializable: no request is ever interrupted.
pub(crate) fn shards_whole(n: usize) -> String {
    counts(n, &format!("{}  sum\n", repeat(n, |i| format!("  sum := sum + Shard{};\n", i + 1))))
}

/// Not serializable: the total is read in two parts that the answer tells
/// apart. One reader finds the first part without and the second one with what
/// was added, another one, in between, the other way round, and nothing was
/// added twice.
pub(crate) fn shards_split(n: usize) -> String {
    let part = |from: usize, to: usize| joined(to - from, "", |i| format!("  sum := sum + Shard{};\n", from + i + 1));
    let half = n / 2;
    counts(n, &format!("{}  low := sum;\n  yield;\n{}  low * {} + sum\n", part(0, half), part(half, n), n + 1))
}

/// A booking of `n` things one after the other. What is missing undoes what was
/// taken; what was taken is written down, under the lock of the thing.
/// `booked` stands after each thing, `done` after the last of its uses.
fn bookings(n: usize, booked: &str, done: &str) -> String {
    let last = last(n);
    format!(
        "var Lock[0..{last}]: 0..1\nvar Free[0..{last}]: 0..1 := 1\nvar Mine[0..{last}]: 0..1\n\
         request book {{\n\
         \x20 fine := 1;\n\
         \x20 for i in 0..{last} {{\n    lock(Lock[i]);\n    yield;\n    if (fine) {{\n      if (Free[i] == 1) {{\n        Free[i] := 0;\n        Mine[i] := 1\n      }} else {{\n        fine := 0\n      }}\n    }};\n{booked}    yield\n  }};\n\
         \x20 for i in 0..{last} {{\n    if (not fine) {{\n      if (Mine[i] == 1) {{ Free[i] := 1 }}\n    }};\n    Mine[i] := 0;\n{done}    yield\n  }};\n  fine\n}}\n\
         request one(i: 0..{last}) {{\n  lock(Lock[i]);\n  yield;\n  was := Free[i];\n  Free[i] := 1 - was;\n  unlock(Lock[i]);\n  was\n}}\n"
    )
}

/// Serializable: two-phase locking again; what is undone is undone while its
/// lock is held.
pub(crate) fn saga(n: usize) -> String {
    bookings(n, "", "    unlock(Lock[i]);\n")
}

/// Not serializable: the lock of a thing is given back as soon as the thing is
/// booked. A request answers that the first one is taken, the last one is not
/// free, and the booking that failed has given the first one back.
pub(crate) fn saga_early(n: usize) -> String {
    bookings(n, "    unlock(Lock[i]);\n", "")
}

/// Payments from one balance to the next. The amount is held until it is known
/// whether the other one has room for it, and else goes back. `held` stands
/// after it has been taken, `kind` after the range of a balance.
fn payments(n: usize, kind: &str, held: &str) -> String {
    format!(
        "var Lock[0..{last}]: 0..1\nvar Balance[0..{last}]: 0..2{kind} := 1\n\
         request pay(i: 0..{before}) {{\n  lock(Lock[i]);\n  yield;\n  lock(Lock[i + 1]);\n  paid := 0;\n\
         \x20 if (Balance[i] > 0) {{\n    Balance[i] := Balance[i] - 1;\n    yield;\n{held}    if (Balance[i + 1] < 2) {{\n      Balance[i + 1] := Balance[i + 1] + 1;\n      paid := 1\n    }} else {{\n      Balance[i] := Balance[i] + 1\n    }}\n  }};\n\
         \x20 unlock(Lock[i]);\n  yield;\n  unlock(Lock[i + 1]);\n  paid\n}}\n\
         request look(i: 0..{last}) {{\n  lock(Lock[i]);\n  yield;\n  seen := Balance[i];\n  unlock(Lock[i]);\n  seen\n}}\n\
         request fill {{\n  lock(Lock[{last}]);\n  yield;\n  Balance[{last}] := 2;\n  unlock(Lock[{last}]);\n  0\n}}\n",
        last = last(n),
        before = n.saturating_sub(2)
    )
}

/// Serializable: both balances are locked while an amount is held.
pub(crate) fn escrow(n: usize) -> String {
    payments(n, "", "")
}

/// Not serializable: the lock of the balance is given back for a moment while
/// the amount is held. When the next one is full, a request has seen a balance of
/// 0 though nothing was paid.
pub(crate) fn escrow_early(n: usize) -> String {
    payments(n, " saturate", "    unlock(Lock[i]);\n    yield;\n    lock(Lock[i]);\n    yield;\n")
}

/// `n` participants that vote. `vote` is what a participant does before the
/// others have voted, `decided` what it does then.
fn participants(n: usize, vote: &str, decided: &str) -> String {
    let last = last(n);
    format!(
        "enum State {{ Idle, Prepared }}\nvar At[0..{last}]: State\nvar Value[0..{last}]: 0..1\n\
         request commit {{\n  fine := 1;\n\
         \x20 for i in 0..{last} {{\n    await (At[i] == Idle);\n    At[i] := Prepared;\n    yield;\n    if (?) {{ fine := 0 }};\n{vote}    yield\n  }};\n\
         \x20 for i in 0..{last} {{\n{decided}    yield\n  }};\n  fine\n}}\n\
         request read(i: 0..{last}) {{\n  await (At[i] == Idle);\n  Value[i]\n}}\n"
    )
}

/// Serializable: no request looks at a participant between its vote and the
/// decision. Requests are ordered as their last participants prepared.
pub(crate) fn two_phase(n: usize) -> String {
    participants(n, "", "    if (fine) { Value[i] := 1 - Value[i] };\n    At[i] := Idle;\n")
}

/// Not serializable: a participant is through with its vote and undoes it when
/// another one votes against. A reader is shown what was never committed.
pub(crate) fn two_phase_early(n: usize) -> String {
    participants(n, "    Value[i] := 1 - Value[i];\n    At[i] := Idle;\n", "    if (not fine) { Value[i] := 1 - Value[i] };\n")
}
