//! The code and the book name methods as the literature does: the first lines of a method's module have its name and
//! its source, the bibliography has each source once, and the glossary says which of our words stands for which of
//! theirs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::support::root;

/// A term, its source, and the module that implements it: the end of its path, since folders may move.
const METHODS: &[(&str, &str, &str)] = &[
    ("IC3", "Bradley 2011", "inductive/pdr.rs"),
    ("k-induction", "Sheeran, Singh, Stålmarck 2000", "inductive/induction.rs"),
    ("Stubborn sets", "Valmari 1990", "explicit/stubborn.rs"),
    ("minimal coverability set", "Finkel 1993", "cover/forward.rs"),
    ("Backward coverability", "Abdulla, Čerāns, Jonsson, Tsay 1996", "cover/backward.rs"),
    ("abstraction refinement", "Clarke, Grumberg, Jha, Lu, Veith 2000", "cover/sliced.rs"),
    ("covering runs", "Rackoff 1978", "cover/levels.rs"),
    ("marking equation", "Esparza, Melzer 2000", "engine/src/equation.rs"),
    ("Siphons", "Commoner 1972", "engine/src/siphon.rs"),
    ("Place invariants", "Murata 1989", "engine/src/weights.rs"),
    ("Presburger inductive invariants", "Leroux 2009", "engine/src/separator.rs"),
    ("KLMST", "Lambert 1992", "engine/src/decompose.rs"),
    ("Dual TSO", "Abdulla, Atig, Bouajjani, Ngo 2016", "weak-memory/engine/src/loads.rs"),
    ("Attacks", "Bouajjani, Derevenetc, Meyer 2013", "weak-memory/engine/src/attack.rs"),
    ("x86-TSO", "Owens, Sarkar, Sewell 2009", "weak-memory/engine/src/models.rs"),
    ("Persistent sets", "Godefroid 1996", "weak-memory/engine/src/footprints.rs"),
    ("Symmetry reduction", "Ip, Dill 1996", "weak-memory/engine/src/alike.rs"),
    ("Counter abstraction", "Pnueli, Xu, Zuck 2002", "weak-memory/engine/src/counted.rs"),
    ("hitting sets", "Reiter 1987", "weak-memory/engine/src/fences.rs"),
    ("left movers", "Lipton 1975", "lipton-engine/src/movers.rs"),
    ("Houdini", "Flanagan, Leino 2001", "lipton-engine/src/infer.rs"),
    ("Interval analysis", "Cousot, Cousot 1977", "lipton-engine/src/ranges.rs"),
    ("published method", "Amir, Barbone, Amat, Jacobs 2026", "classic-engine/src/lib.rs"),
    ("simplex", "Dutertre, de Moura 2006", "arith/src/simplex.rs"),
    ("cuts from proofs", "Dillig, Dillig, Aiken 2009", "arith/src/solver.rs"),
    ("Farkas' lemma", "Farkas 1902", "linear/src/tree.rs"),
    ("Parikh images", "Parikh 1966", "semilinear/src/image.rs"),
    ("Semilinear sets", "Ginsburg, Spanier 1966", "semilinear/src/set.rs"),
    ("simulation", "Milner 1971", "reduce/game.rs"),
    ("Probabilistic concurrency testing", "Burckhardt, Kothari, Musuvathi, Nagarakatte 2010", "sample/schedule.rs"),
    ("First return, then explore", "Ecoffet, Huizinga, Lehman, Stanley, Clune 2021", "sample/archive.rs"),
];

fn page(name: &str) -> String {
    std::fs::read_to_string(root().join("docs/src").join(name)).unwrap()
}

/// All files below a folder whose names end so.
fn below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                open.push(entry);
            } else if entry.extension().is_some_and(|has| has == extension) {
                found.push(entry);
            }
        }
    }
    found.sort();
    found
}

/// The keys of the bibliography, in its order.
fn keys() -> Vec<String> {
    let page = page("bibliography.md");
    page.lines().filter_map(|line| line.strip_prefix("- **")?.split_once(".** ")).map(|(key, _)| key.to_owned()).collect()
}

#[test]
fn methods_have_their_names_and_sources() {
    let (files, keys) = (below(&root().join("crates"), "rs"), keys());
    for (term, source, module) in METHODS {
        let file = files.iter().find(|file| file.ends_with(module)).unwrap_or_else(|| panic!("there is no {module}"));
        let text = std::fs::read_to_string(file).unwrap();
        let lines: Vec<&str> = text.lines().take(3).filter_map(|line| line.strip_prefix("//!")).map(str::trim).collect();
        let head = lines.join(" ");
        assert!(head.contains(term) && head.contains(source), "{module} does not begin with “{term}” and “{source}”: {head}");
        assert!(keys.iter().any(|key| key == source), "{source} is not in the bibliography");
    }
}

#[test]
fn the_bibliography_has_each_source_once_and_none_in_vain() {
    let keys = keys();
    assert!(keys.windows(2).all(|pair| pair[0].to_lowercase() < pair[1].to_lowercase()), "they are not in order: {keys:#?}");
    let book = below(&root().join("docs"), "md").into_iter().filter(|page| !page.ends_with("bibliography.md"));
    let texts: Vec<String> =
        below(&root().join("crates"), "rs").into_iter().chain(book).map(|file| std::fs::read_to_string(file).unwrap()).collect();
    for key in &keys {
        let (name, year) = (key.split([',', ' ']).next().unwrap(), key.rsplit(' ').next().unwrap());
        // This file names them, too.
        let is_cited = texts.iter().filter(|text| !text.contains("const METHODS")).any(|text| text.contains(name) && text.contains(year));
        assert!(is_cited, "{key} is cited nowhere");
    }
}

/// Every row has both words, a meaning and sources that the bibliography has; no word of ours has two meanings.
#[test]
fn the_glossary_is_complete() {
    let (keys, page) = (keys(), page("glossary.md"));
    let mut ours = BTreeMap::new();
    for row in page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| our word")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [our, _, _, sources] = cells[..] else { panic!("four cells are needed: {row}") };
        assert!(cells.iter().all(|cell| !cell.is_empty()), "{row}");
        assert!(ours.insert(our, row).is_none(), "{our} is there twice");
        for source in sources.split("; ") {
            assert!(keys.iter().any(|key| key == source), "“{source}” is not in the bibliography: {row}");
        }
    }
    assert!(ours.len() >= 40, "only {} words", ours.len());
}

#[test]
fn families_are_counted() {
    let said = format!("{} families of programs are built in", serval_families::FAMILIES.len());
    assert!(page("bench.md").contains(&said), "bench.md does not say: {said}");
}

/// The part for people who check handlers can be read in an evening or two; the gallery, which is looked things up in,
/// is not counted.
#[test]
fn the_first_part_of_the_book_is_short() {
    let summary = page("SUMMARY.md");
    let (first, second) = summary.split_once("\n# Reference: nets, weak memory, theory\n").expect("the book has two parts");
    let (_, first) = first.split_once("\n# For people who check handlers\n").expect("the first part has its title");
    let count = |part: &str| part.lines().filter(|line| line.trim_start().starts_with("- [") && !line.contains("(gallery")).count();
    assert!((20..=40).contains(&count(first)), "the first part has {} pages", count(first));
    assert!(count(second) > 40, "the second part has {} pages", count(second));
}

/// The page of commands has the table of `serval_report::VERDICT_WORDS`, row by row.
#[test]
fn the_words_for_verdicts_stand_in_one_table() {
    let page = page("commands.md");
    let table = page.split("### Words for verdicts").nth(1).unwrap().split("\n### ").next().unwrap();
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| `")).collect();
    assert_eq!(rows.len(), serval_report::VERDICT_WORDS.len());
    for (row, (_, screen, json)) in rows.iter().zip(serval_report::VERDICT_WORDS) {
        assert!(row.starts_with(&format!("| `{screen}` | `{json}` |")), "{row}");
    }
}
