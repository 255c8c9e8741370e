//! Families whose counterexamples take more requests the larger they are.

/// A ring of `n` slots. A `get` counts its slot as free before it has emptied it, and waits only for a slot that is
/// full: `n` others go round the ring meanwhile, and one of them is given the same value again. It takes `n` puts and
/// `n + 1` gets.
pub(crate) fn queue_racy(n: usize) -> String {
    let last = n.saturating_sub(1);
    format!(
        "var Slot[0..{last}]: 0..2\nvar Head: 0..{last}\nvar Tail: 0..{last}\nvar Count: 0..{n} saturate\n\
         request put(value: 1..2) {{\n  await (Count < {n} && Slot[Tail] == 0);\n  Count := Count + 1;\n  own := Tail;\n  \
         Tail := (Tail + 1) % {n};\n  yield;\n  Slot[own] := value;\n  value\n}}\n\
         request get {{\n  await (Count > 0 && Slot[Head] > 0);\n  own := Head;\n  Head := (Head + 1) % {n};\n  \
         value := Slot[own];\n  yield;\n  Slot[own] := 0;\n  Count := Count - 1;\n  value\n}}\n"
    )
}

/// A ticket lock whose tickets are numbers modulo `n`: when `n` others wait, two requests have the same ticket, and
/// both come in.
pub(crate) fn ticket_wrap(n: usize) -> String {
    let last = n.saturating_sub(1);
    format!(
        "var Next: 0..{last}\nvar Serving: 0..{last}\n\
         request work {{\n  mine := Next;\n  Next := (Next + 1) % {n};\n  await (Serving == mine);\n  seen := Bit;\n  yield;\n  \
         Bit := 1 - seen;\n  Serving := (Serving + 1) % {n};\n  seen\n}}\n"
    )
}

/// An update that is made only if nothing has changed since it was read, and is given up after `n` attempts: then it
/// answers 9, which one request alone never does.
pub(crate) fn occ_retry(n: usize) -> String {
    format!(
        "var Row: 0..2\n\
         request update {{\n  tries := 0;\n  while (tries < {n}) {{\n    seen := Row;\n    yield;\n    \
         if (Row == seen) {{ Row := (seen + 1) % 3; return seen }};\n    tries := tries + 1\n  }};\n  9\n}}\n"
    )
}
