//! The theory in the manual is the one at the head of the modules, and what it
//! says about sizes is so. `SERVAL_UPDATE=1` writes the pages anew.

use std::path::{Path, PathBuf};

use serval_testkit::say;

use crate::support::{read, root};

/// Modules whose heads a page shows, each perhaps with the title of the only
/// section that is shown.
type Sources = &'static [(&'static str, Option<&'static str>)];

/// Pages: name, title and sources.
const PAGES: &[(&str, &str, Sources)] = &[
    ("normal-form", "Normal form", &[("crates/requests/model/src/normal.rs", None)]),
    ("serial", "Serial answers", &[("crates/requests/model/src/serial.rs", None)]),
    ("certificates", "What a certificate proves", &[("crates/requests/proof/src/lib.rs", Some("What is proved"))]),
    ("scripts", "Reductions", &[("crates/requests/proof/src/script.rs", None)]),
    (
        "fold",
        "Rules: split and fold",
        &[("crates/requests/proof/src/script/split.rs", None), ("crates/requests/proof/src/script/identity_elimination.rs", None)],
    ),
    ("pairs", "Rules: pairs", &[("crates/requests/proof/src/script/pairs.rs", None)]),
    (
        "simulation",
        "Rules: locals, globals, dominated, closure",
        &[
            ("crates/requests/proof/src/script/simulation.rs", None),
            ("crates/requests/proof/src/script/quotient.rs", None),
            ("crates/requests/proof/src/script/dominated.rs", None),
            ("crates/requests/proof/src/script/waiting_elimination.rs", None),
        ],
    ),
    ("movers", "Rules: movers", &[("crates/requests/proof/src/script/movers.rs", None)]),
    ("track", "Rules: track", &[("crates/requests/proof/src/script/track.rs", None)]),
    ("counting", "Proofs by counting", &[("crates/requests/proof/src/flow.rs", None)]),
    ("invariants", "Invariants", &[("crates/requests/proof/src/invariant.rs", None)]),
    (
        "letters",
        "Proofs over numbers of answers",
        &[
            ("crates/requests/proof/src/letters.rs", None),
            ("crates/requests/proof/src/letters/level.rs", None),
            ("crates/requests/proof/src/letters/groups.rs", None),
            ("crates/requests/proof/src/letters/fact.rs", None),
            ("crates/requests/proof/src/letters/explicit.rs", None),
            ("crates/requests/proof/src/letters/region.rs", None),
        ],
    ),
    (
        "cases",
        "Proofs by cases on nets",
        &[("crates/requests/case-proof/src/lib.rs", None), ("crates/requests/case-proof/src/net.rs", None)],
    ),
    (
        "reduction",
        "Proofs on the text of programs",
        &[
            ("crates/requests/lipton-proof/src/check.rs", None),
            ("crates/requests/lipton-proof/src/execute.rs", None),
            ("crates/requests/lipton-proof/src/model.rs", None),
            ("crates/requests/lipton-proof/src/validated.rs", None),
            ("crates/requests/lipton-proof/src/attempts.rs", None),
            ("crates/requests/lipton-proof/src/late.rs", None),
            ("crates/requests/lipton-proof/src/additions.rs", None),
            ("crates/requests/lipton-proof/src/facts.rs", None),
            ("crates/requests/lipton-proof/src/invariants.rs", None),
            ("crates/requests/lipton-proof/src/tickets.rs", None),
            ("crates/requests/lipton-proof/src/sums.rs", None),
            ("crates/requests/lipton-proof/src/exchange.rs", None),
            ("crates/requests/lipton-proof/src/rows.rs", None),
            ("crates/requests/syntax/src/lowering/rows.rs", None),
            ("crates/requests/syntax/src/lowering/chosen.rs", None),
            ("crates/product/verify/src/many.rs", None),
        ],
    ),
    (
        "strict",
        "The order in time",
        &[
            ("crates/requests/proof/src/strict.rs", None),
            ("crates/requests/proof/src/strict/order.rs", None),
            ("crates/requests/proof/src/strict/monitor.rs", None),
            ("crates/requests/proof/src/strict/in_flight.rs", None),
            ("crates/requests/proof/src/strict/points.rs", None),
        ],
    ),
    ("closure", "Lists of states that are closed", &[("crates/requests/proof/src/closure.rs", None)]),
    ("same", "Components that are the same", &[("crates/requests/proof/src/same.rs", None)]),
    ("shared", "Parts that few letters join", &[("crates/requests/proof/src/shared.rs", None)]),
    (
        "nets",
        "Evidence about nets",
        &[
            ("crates/nets/proof/src/certificate.rs", None),
            ("crates/nets/proof/src/run.rs", None),
            ("crates/nets/proof/src/bounds.rs", None),
            ("crates/nets/proof/src/equation.rs", None),
            ("crates/nets/proof/src/inductive.rs", None),
            ("crates/nets/proof/src/k_inductive.rs", None),
            ("crates/nets/proof/src/states.rs", None),
            ("crates/nets/proof/src/toward.rs", None),
            ("crates/nets/proof/src/cover.rs", None),
            ("crates/nets/proof/src/basis.rs", None),
            ("crates/nets/proof/src/backward.rs", None),
            ("crates/nets/proof/src/separator.rs", None),
            ("crates/nets/proof/src/decomposition.rs", None),
            ("crates/nets/proof/src/pump.rs", None),
            ("crates/nets/proof/src/homes.rs", None),
            ("crates/nets/proof/src/script.rs", None),
            ("crates/nets/proof/src/script/agglomeration.rs", None),
            ("crates/nets/proof/src/script/implicit.rs", None),
            ("crates/nets/proof/src/script/division.rs", None),
            ("crates/nets/proof/src/bounded.rs", None),
        ],
    ),
    (
        "weak-memory",
        "Evidence about programs on weak memory",
        &[
            ("crates/weak-memory/proof/src/certificate.rs", None),
            ("crates/weak-memory/proof/src/run.rs", None),
            ("crates/weak-memory/proof/src/states.rs", None),
            ("crates/weak-memory/proof/src/live.rs", None),
            ("crates/weak-memory/proof/src/urgent.rs", None),
            ("crates/weak-memory/proof/src/persistent.rs", None),
            ("crates/weak-memory/proof/src/alike.rs", None),
            ("crates/weak-memory/proof/src/finals.rs", None),
            ("crates/weak-memory/proof/src/merged.rs", None),
            ("crates/weak-memory/proof/src/loads.rs", None),
            ("crates/weak-memory/proof/src/basis.rs", None),
            ("crates/weak-memory/proof/src/trace.rs", None),
            ("crates/weak-memory/proof/src/robust.rs", None),
            ("crates/weak-memory/proof/src/any.rs", None),
            ("crates/weak-memory/proof/src/anystates.rs", None),
            ("crates/weak-memory/proof/src/fences.rs", None),
        ],
    ),
    ("trees", "Proof trees", &[("crates/base/linear/src/tree.rs", None), ("crates/base/linear/src/format.rs", None)]),
    ("obligations", "Obligations for other solvers", &[("crates/requests/obligations/src/counting.rs", None)]),
];

/// The documentation at the head of a module.
fn head(source: &str) -> Vec<String> {
    source.lines().map_while(|line| line.strip_prefix("//!")).map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned()).collect()
}

/// Only the section with this title, without it.
fn section(lines: Vec<String>, title: &str) -> Vec<String> {
    let begins = |line: &String| line.strip_prefix("# ").is_some_and(|text| text == title);
    lines.into_iter().skip_while(|line| !begins(line)).skip(1).take_while(|line| !line.starts_with("# ")).collect()
}

/// Links to items of the code become their names; the manual has no such pages.
fn without_links(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('[') {
        out.push_str(before);
        let Some((label, tail)) = after.split_once(']') else {
            out.push('[');
            rest = after;
            continue;
        };
        let target = tail.strip_prefix('(').and_then(link_target);
        match target {
            Some((target, tail)) if !target.contains("://") => {
                out.push_str(label);
                rest = tail;
            }
            None if label.starts_with('`') && label.ends_with('`') => {
                out.push_str(label);
                rest = tail;
            }
            _ => {
                out.push('[');
                rest = after;
            }
        }
    }
    out + rest
}

/// The target of a link and what follows it; targets may end in `()`.
fn link_target(text: &str) -> Option<(&str, &str)> {
    let end = text.find(')')?;
    let end = if text[..end].ends_with('(') { end + 1 } else { end };
    Some((&text[..end], text.get(end + 1..)?))
}

fn page(title: &str, sources: &[(&str, Option<&str>)]) -> String {
    let mut out = format!("# {title}\n");
    for (source, only) in sources {
        out.push_str(&format!("\n<!-- The head of {source}; `SERVAL_UPDATE=1 cargo test -p serval-verify theory` copies it here. -->\n\n"));
        let lines = head(&read(source));
        let lines = only.map_or(lines.clone(), |title| section(lines, title));
        let mut in_code = false;
        for line in lines {
            if line.starts_with("```") {
                in_code = !in_code;
                out.push_str(if in_code && line == "```" { "```rust" } else { &line });
            } else if in_code {
                out.push_str(&line);
            } else if line.starts_with('#') {
                out.push_str(&format!("#{line}"));
            } else {
                out.push_str(&without_links(&line));
            }
            out.push('\n');
        }
    }
    out
}

fn update() -> bool {
    std::env::var_os("SERVAL_UPDATE").is_some()
}

fn compare(path: &Path, expected: &str) {
    if update() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, expected).unwrap();
    }
    let there = std::fs::read_to_string(path).unwrap_or_default();
    assert!(there == expected, "{} is not the head of the module any more; SERVAL_UPDATE=1 copies it", path.display());
}

#[test]
fn the_theory_in_the_manual_is_that_of_the_modules() {
    let summary = read("docs/src/SUMMARY.md");
    for (name, title, sources) in PAGES {
        let text = page(title, sources);
        assert!(text.len() > 500, "{name} says nothing");
        compare(&root().join(format!("docs/src/theory/{name}.md")), &text);
        assert!(summary.contains(&format!("({}.md)", format_args!("theory/{name}"))), "{name} is missing in the table of contents");
    }
}

#[test]
fn links_become_names() {
    assert_eq!(
        without_links("see [`check`](check()), [x], [`Tree`] and [pairs](crate::pairs): `[0, 1]`"),
        "see `check`, [x], `Tree` and pairs: `[0, 1]`"
    );
}

/// Lines that are neither blank nor comments, in files that are not tests.
fn lines_of(directory: &Path) -> usize {
    let mut count = 0;
    let mut to_visit: Vec<PathBuf> = vec![directory.to_owned()];
    while let Some(path) = to_visit.pop() {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if name == "tests" {
            continue;
        }
        if path.is_dir() {
            to_visit.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            // Tests in a file are at its end.
            let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            count += text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count();
        }
    }
    count
}

/// What is trusted, by folder; the checker of certificates about network systems comes first.
const TRUSTED: [&str; 15] = [
    "requests/proof",
    "base/diagnostic",
    "base/evidence",
    "base/linear",
    "requests/model",
    "product/verify",
    "requests/syntax",
    "requests/sql",
    "requests/compile",
    "requests/lipton-proof",
    "nets/proof",
    "nets/petri",
    "requests/case-proof",
    "weak-memory/program",
    "weak-memory/proof",
];

#[test]
fn the_trusted_base_is_small() {
    let manual = read("docs/src/trust.md");
    let crates = TRUSTED.iter().map(|name| (*name, lines_of(&root().join(format!("crates/{name}/src")))));
    let sizes: Vec<(&str, usize)> = crates.collect();
    for (name, lines) in &sizes {
        say(&format!("trusted: {name} has {lines} lines of code"));
    }
    assert!(sizes[0].1 <= 5_100, "the checker has {} lines", sizes[0].1);
    // The manual names the sizes in hundreds, rounded up.
    for (name, lines) in sizes {
        let row = manual.lines().find(|line| line.starts_with(&format!("| `crates/{name}` |"))).expect("a row for the crate");
        let said: usize = row.rsplit('|').nth(1).unwrap().trim().replace(',', "").parse().unwrap();
        assert!(said.abs_diff(lines) <= 150, "docs/src/trust.md says that {name} has {said} lines, but it has {lines}");
    }
}
