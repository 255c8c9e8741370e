//! Formatting changes neither what a program means nor what has been formatted
//! already: on random programs with random blanks and comments, on the
//! examples and on the suite.

use std::path::{Path, PathBuf};

use serval_budget::Budget;
use serval_compile::{CompileError, Limits, Options, StepLimits, compile};
use serval_effort::{one_in, side_by_side, skips, sweep};
use serval_format::{Style, format};
use serval_model::NetworkSystem;
use serval_syntax::{SyntaxKind, analyze, parse};
use serval_testkit::random::{Shape, SplitMix64, random_convenience, random_layout, random_program};
use serval_testkit::say;
use serval_testkit::suite::{data_dir, repository_root};

/// What a text compiles to, small enough to be compared.
fn systems(text: &str) -> Result<Vec<NetworkSystem>, &'static str> {
    let limits = Limits { pairs: 4_000, step: StepLimits { operations: 20_000, loop_states: 2_000 } };
    let program = analyze(text).program.ok_or("not a program")?;
    match compile(&program, Options { limits, ..Options::default() }, &Budget::unlimited()) {
        Ok(compiled) => Ok(compiled.components().iter().map(|component| component.system().clone()).collect()),
        Err(CompileError::TooLarge(_) | CompileError::Many { .. }) => Err("too large"),
        Err(CompileError::Fault(_)) => Err("faulty"),
        Err(CompileError::Stopped(_)) => Err("stopped"),
    }
}

/// Formats, and checks what can be checked of the text alone.
fn formatted(name: &str, text: &str, style: Style) -> String {
    let once = format(text, &style).unwrap_or_else(|refusal| panic!("{name}: {refusal}\n{text}"));
    let twice = format(&once, &style).unwrap_or_else(|refusal| panic!("{name}, again: {refusal}\n{once}"));
    assert_eq!(once, twice, "{name} is not formatted once and for all\n{text}");
    assert!(once.ends_with('\n') && !once.ends_with("\n\n") && !once.starts_with('\n'), "{name}: empty lines at the ends\n{once}");
    assert!(!once.contains("\n\n\n"), "{name}: two empty lines\n{once}");
    assert!(once.lines().all(|line| line.trim_end() == line), "{name}: blanks at the end of a line\n{once}");
    once
}

/// Whether the compiled systems, which must be equal, are systems at all.
fn means_the_same(name: &str, before: &str, after: &str) -> bool {
    let (before_systems, after_systems) = (systems(before), systems(after));
    assert_ne!(before_systems, Err("not a program"), "{name}\n{before}");
    assert_eq!(before_systems, after_systems, "{name} means something else\n{before}\n{after}");
    before_systems.is_ok()
}

const TRIVIA: &[&str] = &[
    " ",
    " ",
    " ",
    "\n",
    "\n\n",
    "\n\n\n\n",
    "\t",
    "\r\n",
    "      ",
    "// to the end\n",
    "    // set off  \t\r\n",
    "\n// alone: é ✓\n",
    "//\n",
    "/* c */",
    "/**/",
    "/* over\n     lines\n */",
    "\n  /* alone\r\n\t of\r\n lines */\n",
    "/* // */",
    "\n          // far right\n",
];

/// The tokens of `text` with random blanks and comments between them; `rate`
/// in a hundred gaps get some.
fn scattered(text: &str, seed: u64, rate: usize) -> String {
    let mut rng = SplitMix64::new(seed);
    let mut out = String::new();
    let tokens = parse(text).syntax().descendants_with_tokens().filter_map(|element| element.into_token());
    for token in tokens.filter(|token| !token.kind().is_trivia()) {
        let plain = !rng.chance(rate);
        for _ in 0..if plain { 0 } else { 1 + rng.below(4) } {
            let piece = TRIVIA[rng.below(TRIVIA.len())];
            if out.ends_with('/') && piece.starts_with('/') {
                out.push(' ');
            }
            out.push_str(piece);
        }
        // A blank wherever two tokens could become one.
        let glues = |c: Option<char>| c.is_none_or(|c| !"(){};, \n\t".contains(c));
        if glues(out.chars().last()) && glues(token.text().chars().next()) {
            out.push(' ');
        }
        out.push_str(token.text());
    }
    out.push_str(["", "\n", " // the end", "\n\n/* the end */ ", "\n// the\n\n// end\n\n"][rng.below(5)]);
    out
}

fn comments(text: &str) -> usize {
    let kinds = parse(text).syntax().descendants_with_tokens().map(|element| element.kind()).collect::<Vec<_>>();
    kinds.iter().filter(|kind| matches!(kind, SyntaxKind::LineComment | SyntaxKind::BlockComment)).count()
}

const STYLES: [Style; 4] =
    [Style { indent: 2, width: 100 }, Style { indent: 4, width: 60 }, Style { indent: 1, width: 20 }, Style { indent: 8, width: 1000 }];

#[test]
fn random_programs_with_random_comments_stay_the_same() {
    let sweep = sweep("format.random", 800, 3_000);
    let each = sweep.map(0, |seed| {
        let mut compiled = 0;
        let place = usize::try_from(seed).unwrap();
        // One in five has the convenience forms.
        let (kind, plain) = match Shape::ALL.get(place % (Shape::ALL.len() + 1)) {
            Some(&shape) => (format!("{shape:?}"), random_program(seed, shape)),
            None => ("Convenience".to_owned(), random_convenience(seed).text),
        };
        // Some with comments everywhere, some with few, some with none.
        let text = match place / (Shape::ALL.len() + 1) % 4 {
            0 => scattered(&plain, seed, 90),
            1 => scattered(&plain, seed, 8),
            2 => random_layout(&plain, seed),
            _ => plain.clone(),
        };
        let name = format!("{kind} {seed}");
        for style in STYLES {
            let result = formatted(&name, &text, style);
            if style == STYLES[place % STYLES.len()] {
                compiled += u64::from(means_the_same(&name, &plain, &result));
            }
        }
        (compiled, comments(&text))
    });
    let (compiled, seen) = each.into_iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let count = sweep.count();
    say(&format!(
        "formatted {count} random programs in {} styles with {seen} comments; {compiled} compile to the same systems",
        STYLES.len()
    ));
    assert!(!sweep.is_representative() || compiled * 10 >= count * 7, "most of them must be small enough to compare");
    assert!(seen > 0);
}

/// `+=`, `-=`, `true`, `false` and blocks without a `;` behind them: laid out once and for all, with their comments.
#[test]
fn short_forms_are_laid_out_and_keep_their_comments() {
    let untidy = "var OPEN:0..1:=0\nvar A[0..1]:0..3 saturate\nrequest r{x+=  1 ; A[ x ]-=2;if(x==true){OPEN:=false} // closed\n\
                  while(OPEN==false){yield}/* open */x-=/* two */2;if(x>0){x+=1}x}\n";
    let tidy = "var OPEN: 0..1 := 0\nvar A[0..1]: 0..3 saturate\nrequest r {\n  x += 1;\n  A[x] -= 2;\n  if (x == true) { OPEN := false } // closed\n  \
                while (OPEN == false) { yield }\n  /* open */ x -= /* two */ 2;\n  if (x > 0) { x += 1 }\n  x\n}\n";
    let result = formatted("short forms", untidy, Style::default());
    assert_eq!(result, tidy);
    assert_eq!(comments(&result), 3);
    assert!(means_the_same("short forms", untidy, &result));
}

fn programs_in(directory: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|extension| extension == "ser")).collect();
    files.sort();
    files
}

fn files_stay_the_same(directory: &Path) {
    let files = programs_in(directory);
    let each = side_by_side(&files, |path| {
        let mut compiled = 0;
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).unwrap();
        for style in STYLES {
            let result = formatted(&name, &text, style);
            compiled += usize::from(means_the_same(&name, &text, &result));
        }
        // And with comments between all tokens.
        let stirred = scattered(&text, 7, 60);
        means_the_same(&name, &text, &formatted(&name, &stirred, Style::default()));
        compiled
    });
    let compiled: usize = each.into_iter().sum();
    say(&format!("formatted {} files in {} styles; {compiled} compile to the same systems", files.len(), STYLES.len()));
    assert!(!files.is_empty());
}

#[test]
fn examples_stay_the_same() {
    if skips("format.examples_stay_the_same") {
        return;
    }
    files_stay_the_same(&repository_root().join("examples"));
}

/// Every form of the language, and what fuzzing has found.
#[test]
fn the_corpus_of_the_parser_stays_the_same() {
    if skips("format.the_corpus_of_the_parser_stays_the_same") {
        return;
    }
    let files: Vec<_> = programs_in(&repository_root().join("fuzz/corpus/parser")).into_iter().step_by(one_in(6)).collect();
    let each = side_by_side(&files, |path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Ok(text) = std::fs::read_to_string(path) else { return 0 };
        if text.len() > 4_000 || !parse(&text).diagnostics().is_empty() {
            return 0;
        }
        let (meant, is_program) = (systems(&text), analyze(&text).program.is_some());
        // What is refused says little, and some of it takes long to be refused.
        let (styles, seeds) = if is_program { (STYLES.len(), 5) } else { (1, 1) };
        for (place, style) in STYLES.into_iter().enumerate().take(styles) {
            let result = formatted(&name, &text, style);
            assert_eq!(meant, systems(&result), "{name} means something else\n{text}\n{result}");
            for seed in 0..seeds {
                let stirred = scattered(&text, seed, 15 * (place + 1));
                let result = formatted(&name, &stirred, style);
                assert_eq!(is_program, analyze(&result).program.is_some(), "{name}\n{result}");
            }
        }
        1
    });
    let seen: usize = each.into_iter().sum();
    say(&format!("formatted {seen} files of the corpus, programs with 20 layouts"));
    assert!(seen > 0);
}

#[test]
fn suite_programs_stay_the_same() {
    if skips("format.suite_programs_stay_the_same") {
        return;
    }
    let Some(suite) = data_dir("suite") else { return };
    files_stay_the_same(&suite);
}
