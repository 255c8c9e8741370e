//! Replays the fuzzer's corpora of nets and questions: what is found once is checked ever after, without the fuzzer and
//! with the ordinary compiler.

use std::path::Path;

#[path = "../../../../../fuzz/checks/formula.rs"]
mod formula;
#[path = "../../../../../fuzz/checks/net.rs"]
mod net;
#[path = "../../../../../fuzz/checks/query.rs"]
mod query;

/// Replays a corpus; says which files are accepted, and what is said of the others.
#[expect(clippy::print_stdout, reason = "a test that fails tells which file it was at")]
fn replayed<E: ToString>(target: &str, check: impl Fn(&str) -> Result<(), E>) -> (Vec<String>, Vec<String>) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fuzz/corpus").join(target);
    let entries = std::fs::read_dir(&directory).unwrap_or_else(|error| panic!("fuzz/corpus/{target}: {error}"));
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut accepted, mut refused) = (Vec::new(), Vec::new());
    for path in &files {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        // The fuzzer gives bytes that are no text no further thought either.
        let Ok(text) = String::from_utf8(std::fs::read(path).unwrap()) else { continue };
        println!("{target}/{name}");
        match check(&text) {
            Ok(()) => {
                assert!(!name.starts_with("bad-"), "{target}/{name} is accepted");
                accepted.push(name);
            }
            Err(error) => {
                assert!(name.starts_with("bad-") || name.starts_with("found-"), "{target}/{name}: {}", error.to_string());
                refused.push(error.to_string());
            }
        }
    }
    println!(
        "replayed {} of {} files: {} accepted, {} refused",
        accepted.len() + refused.len(),
        files.len(),
        accepted.len(),
        refused.len()
    );
    assert!(accepted.len() >= 9 && refused.len() >= 15, "fuzz/corpus/{target} is empty or one-sided");
    (accepted, refused)
}

/// Something in the corpus is refused for each of these reasons.
fn assert_told(told: &[String], reasons: &[&str]) {
    for reason in reasons {
        assert!(told.iter().any(|told| told.contains(reason)), "nothing in the corpus is refused because: {reason}");
    }
}

#[test]
fn the_corpora_of_nets_are_replayed() {
    let (_, told) = replayed("pnml", net::check_pnml);
    assert_told(
        &told,
        &[
            "expected <pnml>",
            "expected <net>",
            "a second <net>",
            "of the type",
            "a second element with the id",
            "there is no place or transition",
            "weight 0",
            "a number of 64 bits",
            "leads to no place",
            "nest more than",
            "hexadecimal",
            "not well-formed",
        ],
    );
    let (_, told) = replayed("net", net::check_tina);
    assert_told(
        &told,
        &[
            "expected `net`",
            "weight 0",
            "does not fit 64 bits",
            "time intervals",
            "priorities",
            "test arcs",
            "inhibitor arcs",
            "stopwatch arcs",
            "no closing",
            "has a marking already",
            "stands in braces",
            "keyword",
            "has a name already",
        ],
    );
}

#[test]
fn the_corpora_of_covering_problems_are_replayed() {
    let (_, told) = replayed("spec", net::check_spec);
    assert_told(
        &told,
        &[
            "expected “vars”",
            "two counters",
            "this is a reset",
            "this is a transfer",
            "a test for an exact number",
            "there is no counter",
            "does not fit 64 bits",
            "does not fit 63 bits",
            "is no comparison",
            "has no “!”",
            "changes a counter twice",
        ],
    );
    let (_, told) = replayed("vass", net::check_vass);
    assert_told(
        &told,
        &[
            "expected one line “state",
            "a counter begins below 0",
            "number for",
            "is no number of 64 bits",
            "expected “(”",
            "never closed",
            "expected “state NAME (…)”",
            "a target is below 0",
            "a state cannot be called",
        ],
    );
}

#[test]
fn the_corpus_of_formulas_is_replayed() {
    let as_what = std::cell::RefCell::new([0; 3]);
    let (_, told) = replayed("formula", |text| {
        formula::check(text).map(|accepted| {
            for (count, is_one) in as_what.borrow_mut().iter_mut().zip(accepted) {
                *count += usize::from(is_one);
            }
        })
    });
    // The message about a text that is no formula, marking or property is that of a property.
    assert_told(&told, &["there is no property", "after “safe:”", "nothing comes after"]);
    assert!(as_what.into_inner().iter().all(|&count| count >= 3), "formulas, markings and properties");
}

#[test]
fn the_corpus_of_queries_is_replayed() {
    let (_, told) = replayed("query", |text| query::check(text).map(|_| ()));
    assert_told(
        &told,
        &[
            "expected <property-set>",
            "expected <property>",
            "without <id>",
            "without <formula>",
            "there is no place",
            "there is no transition",
            "not supported here",
            "not linear",
            "does not fit",
            "not well-formed",
        ],
    );
}
