//! Locks, and what stands in for them.

/// Serializable: between taking and giving back the lock a request is alone
/// with the integer, so that its pieces can be pushed together; requests are
/// ordered as they got the lock.
pub(crate) fn guarded(n: usize) -> String {
    format!(
        "var L: 0..1\nvar X: 0..{n}\n\
         request incr {{\n  lock(L);\n  seen := X;\n  yield;\n  if (seen < {n}) {{ X := seen + 1 }};\n  unlock(L);\n  seen\n}}\n\
         request decr {{\n  lock(L);\n  seen := X;\n  yield;\n  if (seen > 0) {{ X := seen - 1 }};\n  unlock(L);\n  seen\n}}\n"
    )
}

/// Serializable: all that a request does to others, and all that it answers,
/// is in its last step, which finds the integer as it was read. That it may
/// have been another one meanwhile changes nothing.
pub(crate) fn swap(n: usize) -> String {
    format!(
        "var X: 0..{n} wrap\n\
         request next {{\n  done := 0;\n  while (not done) {{\n    seen := X;\n    yield;\n    if (X == seen) {{\n      X := seen + 1;\n      done := 1\n    }}\n  }};\n  seen\n}}\n\
         request read {{ X }}\n"
    )
}

/// Serializable: a request that waits gives the mutex back and begins again,
/// having changed nothing; what it does in the end is done while it has the
/// mutex, as in `guarded`. Alone it finds the mutex free, and it waits only for
/// a count that others have to change first, in a serial run as well.
pub(crate) fn buffer(n: usize) -> String {
    format!(
        "var M: 0..1\nvar Count: 0..{n}\n\
         request put {{\n  lock(M);\n  while (Count == {n}) {{\n    unlock(M);\n    yield;\n    lock(M)\n  }};\n  seen := Count;\n  yield;\n  Count := seen + 1;\n  unlock(M);\n  seen\n}}\n\
         request get {{\n  lock(M);\n  while (Count == 0) {{\n    unlock(M);\n    yield;\n    lock(M)\n  }};\n  seen := Count;\n  yield;\n  Count := seen - 1;\n  unlock(M);\n  seen\n}}\n"
    )
}

/// Serializable: fewer than `n` requests have a number, so that all numbers are
/// different; only the holder of the called number is inside, and it alone
/// calls the next. Requests are ordered by their numbers.
pub(crate) fn ticket(n: usize) -> String {
    format!(
        "var Next: 0..{last} wrap\nvar Called: 0..{last} wrap\nvar Data: 0..1\n\
         request work {{\n  await ((Next + 1) % {n} != Called);\n  ticket := Next;\n  Next := Next + 1;\n  await (Called == ticket);\n  seen := Data;\n  yield;\n  Data := 1 - seen;\n  Called := Called + 1;\n  seen\n}}\n",
        last = n.saturating_sub(1)
    )
}

/// A lock that says whose it is, and that any request may call expired.
fn leased(n: usize, body: &str) -> String {
    format!(
        "var Owner: 0..2\nvar X: 0..{} wrap\n\
         request next(me: 1..2) {{\n  done := 0;\n  while (not done) {{\n    await (Owner == 0);\n    Owner := me;\n{body}      Owner := 0;\n      done := 1\n    }}\n  }};\n  seen\n}}\n\
         request expire {{\n  Owner := 0;\n  0\n}}\n",
        n.saturating_sub(1)
    )
}

/// Serializable: a request reads and writes the counter in one step, its last,
/// and all that it has done before is to take a lock, perhaps in vain. What is
/// left of a lock that expired is never more than an owner too many. Alone,
/// without another that could let it expire, a request does the same at once.
pub(crate) fn expiry(n: usize) -> String {
    leased(n, "    yield;\n    if (Owner == me) {\n      seen := X;\n      X := seen + 1;\n")
}

/// Not serializable: the first request reads 0 and its lock expires. A second
/// one reads 0 and counts to 1. A third one, with the name of the first, takes
/// the lock, and so the first finds its own name there and writes 1 again: two
/// requests answer 0 and none has counted from the last number to 0. (For
/// `n = 2`, where the third one then counts from 1 to 0, it takes one more.)
pub(crate) fn expiry_stale(n: usize) -> String {
    leased(n, "    seen := X;\n    yield;\n    if (Owner == me) {\n      X := seen + 1;\n")
}
