//! The families that are given elsewhere as well.

use std::fmt::Write;

use crate::{joined, repeat};

pub(crate) fn counter(n: usize) -> String {
    format!(
        "request incr {{ while (X == {n}) {{ yield }}; X := X + 1; X }}\n\
         request decr {{ while (X == 0) {{ yield }}; X := X - 1; X }}\n"
    )
}

pub(crate) fn counter_racy(n: usize) -> String {
    format!(
        "request incr {{ while (X == {n}) {{ yield }}; y := X; yield; X := y + 1; X }}\n\
         request decr {{ while (X == 0) {{ yield }}; y := X; yield; X := y - 1; X }}\n"
    )
}

pub(crate) fn lock(n: usize) -> String {
    let work = repeat(n, |_| "  X := 1 - X; yield;\n".to_owned());
    format!(
        "request main {{\n  while (L == 1) {{ yield }}; L := 1;\n{work}  y := X; L := 0; y\n}}\n\
         request peek {{ while (L == 1) {{ yield }}; X }}\n"
    )
}

pub(crate) fn flips(n: usize) -> String {
    format!(
        "request flip {{ X := 1 - X }}\n\
         request main {{\n  i := {n};\n  while (!(i == 0)) {{\n    while (X == 0) {{ yield }};\n    while (X == 1) {{ yield }};\n    i := i - 1\n  }};\n  100\n}}\n"
    )
}

pub(crate) fn ring(n: usize) -> String {
    let last = n.saturating_sub(1);
    let step = format!("while (STOP == 1) {{ yield }};\n  if (X == {last}) {{ X := 0 }} else {{ X := X + 1 }};");
    format!("request foo {{\n  {step}\n  yield;\n  {step}\n  if (?) {{ STOP := 1; X }} else {{ 0 }}\n}}\n")
}

pub(crate) fn watch(n: usize) -> String {
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

pub(crate) fn monitors(n: usize) -> String {
    monitors_with(n, " yield;")
}

pub(crate) fn monitors_atomic(n: usize) -> String {
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

pub(crate) fn bank(n: usize) -> String {
    transfers(n, "")
}

pub(crate) fn bank_split(n: usize) -> String {
    let total = joined(n, " + ", |i| format!("A{i}"));
    format!("{}request audit {{ while (I == 0) {{ yield }}; {total} }}\n", transfers(n, " yield;"))
}

pub(crate) fn route(n: usize) -> String {
    let end = n + 1;
    format!(
        "request control {{ if (?) {{ B := 1 }} else {{ B := 0 }}; B }}\n\
         request packet {{\n  c := 1; back := 0;\n  while (!(c == 0) && !(c == {end})) {{\n    if (B == 1) {{ c := c + 1 }} else {{ c := c - 1; back := 1 }};\n    yield\n  }};\n  c + c + back\n}}\n"
    )
}

pub(crate) fn two_locks(n: usize) -> String {
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
