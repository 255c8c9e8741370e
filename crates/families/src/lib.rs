//! Programs that scale: families with a size and a verdict known by
//! construction, for measuring how cost grows. Each program is written as a
//! person would write it for one size.

use std::fmt::Write;

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
    family("counter", "up and down between 0 and n, atomically", Verdict::Serializable, 1_000, counter),
    family("counter_racy", "the same with a yield between read and write", Verdict::NotSerializable, 200, counter_racy),
    family("lock", "n yields inside one critical section", Verdict::Serializable, 200, lock),
    family("flips", "a request that must see n flips of a switch", Verdict::NotSerializable, 40, flips),
    family("ring", "two moves round a ring of n, closed by a latch", Verdict::Serializable, 41, ring),
    family("watch", "n looks at a switch, a yield before each second look", Verdict::NotSerializable, 12, watch),
    family("monitors", "a snapshot of n monitors, then one is switched off", Verdict::NotSerializable, 8, monitors),
    family("monitors_atomic", "the same without the yield", Verdict::Serializable, 12, monitors_atomic),
    family("bank", "atomic transfers between n accounts", Verdict::Serializable, 8, bank),
    family("bank_split", "transfers with a yield in the middle, and an audit", Verdict::NotSerializable, 4, bank_split),
    family("route", "a packet crosses n switches while the policy flips", Verdict::NotSerializable, 40, route),
    family("two_locks", "ordered two-phase locking over n cells", Verdict::Serializable, 5, two_locks),
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

fn counter(n: usize) -> String {
    format!(
        "request incr {{ while (X == {n}) {{ yield }}; X := X + 1; X }}\n\
         request decr {{ while (X == 0) {{ yield }}; X := X - 1; X }}\n"
    )
}

fn counter_racy(n: usize) -> String {
    format!(
        "request incr {{ while (X == {n}) {{ yield }}; y := X; yield; X := y + 1; X }}\n\
         request decr {{ while (X == 0) {{ yield }}; y := X; yield; X := y - 1; X }}\n"
    )
}

fn lock(n: usize) -> String {
    let work = repeat(n, |_| "  X := 1 - X; yield;\n".to_owned());
    format!(
        "request main {{\n  while (L == 1) {{ yield }}; L := 1;\n{work}  y := X; L := 0; y\n}}\n\
         request peek {{ while (L == 1) {{ yield }}; X }}\n"
    )
}

fn flips(n: usize) -> String {
    format!(
        "request flip {{ X := 1 - X }}\n\
         request main {{\n  i := {n};\n  while (!(i == 0)) {{\n    while (X == 0) {{ yield }};\n    while (X == 1) {{ yield }};\n    i := i - 1\n  }};\n  100\n}}\n"
    )
}

fn ring(n: usize) -> String {
    let last = n.saturating_sub(1);
    let step = format!("while (STOP == 1) {{ yield }};\n  if (X == {last}) {{ X := 0 }} else {{ X := X + 1 }};");
    format!("request foo {{\n  {step}\n  yield;\n  {step}\n  if (?) {{ STOP := 1; X }} else {{ 0 }}\n}}\n")
}

fn watch(n: usize) -> String {
    format!(
        "request foo {{\n  b := 0; y := 0;\n  while (!(y == {n})) {{\n    tmp := X;\n    yield;\n    if (tmp == X) {{ b := 1 }};\n    y := y + 1\n  }};\n  b\n}}\n\
         request set0 {{ X := 0 }}\nrequest set1 {{ X := 1 }}\n"
    )
}

fn monitors_with(n: usize, pause: &str) -> String {
    let wait = "while (I == 0) { yield };";
    let on = repeat(n, |i| format!(" N{i} := 1;"));
    let snapshot = repeat(n, |i| format!(" s{i} := N{i};"));
    let all_on = joined(n, " && ", |i| format!("s{i} == 1"));
    let mut off = String::new();
    for i in 0..n {
        let _ = write!(off, "if (?) {{ N{i} := 0 }} else ");
    }
    let total = joined(n, " + ", |i| format!("N{i}"));
    format!(
        "request init {{ if (I == 0) {{ I := 1;{on} 0 }} else {{ 0 }} }}\n\
         request restore {{ {wait}{on} 0 }}\n\
         request main {{\n  {wait}{snapshot}{pause}\n  if ({all_on}) {{ {off}{{ 0 }} }} else {{ 0 }};\n  {total}\n}}\n"
    )
}

fn monitors(n: usize) -> String {
    monitors_with(n, " yield;")
}

fn monitors_atomic(n: usize) -> String {
    monitors_with(n, "")
}

fn transfers(n: usize, pause: &str) -> String {
    let moves = repeat(n, |i| {
        let j = (i + 1) % n;
        format!(
            "request move{i} {{\n  while (I == 0) {{ yield }};\n  if (A{i} == 0) {{ 0 }} else {{ A{i} := A{i} - 1;{pause} A{j} := A{j} + 1 }};\n  A{i}\n}}\n"
        )
    });
    format!("request init {{ if (I == 0) {{ I := 1; A0 := 3 }} else {{ 0 }} }}\n{moves}")
}

fn bank(n: usize) -> String {
    transfers(n, "")
}

fn bank_split(n: usize) -> String {
    let total = joined(n, " + ", |i| format!("A{i}"));
    format!("{}request audit {{ while (I == 0) {{ yield }}; {total} }}\n", transfers(n, " yield;"))
}

fn route(n: usize) -> String {
    let end = n + 1;
    format!(
        "request control {{ if (?) {{ B := 1 }} else {{ B := 0 }}; B }}\n\
         request packet {{\n  c := 1; back := 0;\n  while (!(c == 0) && !(c == {end})) {{\n    if (B == 1) {{ c := c + 1 }} else {{ c := c - 1; back := 1 }};\n    yield\n  }};\n  c + c + back\n}}\n"
    )
}

fn two_locks(n: usize) -> String {
    let swaps = repeat(n, |i| {
        let j = (i + 1) % n;
        let (a, b) = (i.min(j), i.max(j));
        let take = |lock: usize| format!("  while (L{lock} == 1) {{ yield }}; L{lock} := 1; yield;\n");
        format!(
            "request swap{i} {{\n{}{}  t := X{i}; X{i} := X{j}; yield;\n  X{j} := t; yield;\n  r := X{i}; L{b} := 0; L{a} := 0; r\n}}\n",
            take(a),
            take(b)
        )
    });
    format!("{swaps}request put {{ while (L0 == 1) {{ yield }}; X0 := 1 - X0; X0 }}\n")
}
