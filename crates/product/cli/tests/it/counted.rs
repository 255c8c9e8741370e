//! A number before a noun goes through `serval_diagnostic::counted`: "1 requests" is on no screen.

use std::path::{Path, PathBuf};

use crate::support::root;

/// What messages count.
const NOUNS: &str = "requests steps states places lines programs files events arcs transitions tokens markings clauses cases \
                     questions cells pieces trees nodes facts owners exclusions components periods edges notes fixes sets sums orders \
                     variables mistakes branches sequences vertices columns solutions invariants groups registers instructions fences \
                     goals targets conditions certificates obligations counters regions levels reductions rules pairs operations errors \
                     warnings sections rows levels disjuncts equations";

/// Words that may stand between the number and the noun.
const BETWEEN: [&str; 7] = ["global", "local", "more", "other", "serial", "open", "least"];

/// Numbers that are never 1: limits, and what the arms of a `match` or the line before have told apart.
const NEVER_ONE: &[&str] = &[
    "{all} cases",
    "{several} cases",
    "{cases} cases",
    "{refuted} cases",
    "{length} cells; there",
    "{count} requests cannot",
    "{instead} states",
    "{} components, ",
    "more than {} ",
    "{nodes} transitions",
    "{arcs} arcs",
    "{places} places",
    "{transitions} transitions",
    "{} threads",
    "{} questions",
    "{} targets",
    "{rounds} rounds",
    "{last} steps",
    "{boxes} boxes",
    "{} tokens",
    "{first} steps",
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && !["tests", "examples", "dev", "families"].contains(&name) {
            sources(&path, found);
        } else if name.ends_with(".rs") && name != "tests.rs" {
            found.push(path);
        }
    }
}

/// The numbers before nouns in the plural of a line: `{count} requests`.
fn numbered(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in line.match_indices('{') {
        let Some((name, rest)) = line[at + 1..].split_once('}') else { continue };
        let is_constant = name.starts_with(|letter: char| letter.is_ascii_uppercase());
        let Some(rest) = rest.strip_prefix(' ').filter(|_| !is_constant && !name.contains(['{', '"', ' '])) else { continue };
        let mut words = rest.split(|letter: char| !letter.is_ascii_alphabetic());
        let first = words.next().unwrap_or_default();
        let noun = if BETWEEN.contains(&first) { words.next().unwrap_or_default() } else { first };
        if NOUNS.split_whitespace().any(|known| known == noun) {
            found.push(format!("{{{name}}} {rest}"));
        }
    }
    found
}

#[test]
fn no_number_stands_before_a_plural() {
    assert_eq!(numbered("format!(\"{count} requests, {MOST} steps, {} global states\")").len(), 2);
    let mut files = Vec::new();
    sources(&root().join("crates"), &mut files);
    let mut wrong = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        // What stands behind the tests of a module is a test.
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim_start().starts_with("//")) {
            let allowed = NEVER_ONE.iter().any(|known| line.contains(known)) || ["assert", "panic!"].iter().any(|word| line.contains(word));
            if !allowed {
                wrong.extend(numbered(line).into_iter().map(|found| format!("{}:{number}: {found:.40}", path.display())));
            }
        }
    }
    assert!(wrong.is_empty(), "write `counted(number, noun)`:\n{}", wrong.join("\n"));
}
