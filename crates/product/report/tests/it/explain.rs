//! The pages of `serval explain`: there is one for every code, and what they
//! show is true.

use std::collections::{BTreeMap, BTreeSet};

use serval_budget::Budget;
use serval_compile::{CompileError, Fault, FaultKind, FaultReport, Limits, Options, compile};

use serval_model::{JSON_ERROR_CODES, NetworkSystem, completed_multisets, serial_multisets, systems_from_json};
use serval_report::{Trace, explain};
use serval_syntax::{ExpectedVerdict, Program, Severity, Span, analyze};

/// Every code that serval reports, with its title.
fn codes() -> BTreeMap<&'static str, &'static str> {
    let programs = serval_syntax::codes()
        .iter()
        .chain(serval_compile::codes())
        .chain(serval_tso_program::codes())
        .chain(serval_sql::codes())
        .map(|info| (info.code.0, info.title));
    programs.chain(JSON_ERROR_CODES).chain(explain::INPUT_CODES.iter().copied()).collect()
}

fn is_code(name: &str) -> bool {
    name.len() == 5 && name.starts_with(['E', 'W', 'N']) && name[1..].bytes().all(|byte| byte.is_ascii_digit())
}

/// The blocks of a page that are written in `language`.
fn blocks<'p>(page: &'p str, language: &str) -> Vec<&'p str> {
    let opening = format!("```{language}\n");
    page.split(&opening).skip(1).map(|rest| rest.split("```").next().unwrap_or_default()).collect()
}

/// The codes of everything that is said about a program. With `pairs` the
/// number of states is limited to that.
fn codes_of_program(text: &str, pairs: Option<u64>) -> Vec<(&'static str, Severity)> {
    let analysis = analyze(text);
    let mut diagnostics = analysis.diagnostics;
    if let Some(program) = analysis.program {
        let limits = Limits { pairs: pairs.unwrap_or(Limits::default().pairs), ..Limits::default() };
        let result = compile(&program, Options { limits, ..Options::default() }, &Budget::unlimited());
        match result {
            Ok(compiled) => diagnostics.extend(compiled.findings(text, &Budget::unlimited())),
            Err(error) => diagnostics.extend(error.diagnostic(text)),
        }
    }
    diagnostics.iter().map(|diagnostic| (diagnostic.code.0, diagnostic.severity)).collect()
}

#[test]
fn every_code_has_a_page_and_every_page_of_a_code_has_a_code() {
    let known: BTreeSet<&str> = codes().into_keys().collect();
    let explained: BTreeSet<&str> = explain::names().into_iter().map(|(name, _)| name).filter(|name| is_code(name)).collect();
    assert_eq!(known, explained);
}

#[test]
fn every_property_of_nets_has_a_page() {
    for name in serval_petri::Property::NAMES {
        let page = explain::page(name).unwrap_or_else(|| panic!("{name} has no page"));
        assert!(page.contains("A property of Petri nets") && page.contains("$ serval net check "), "{name}");
    }
    assert_eq!(explain::page("safe:3"), explain::page("safe"));
}

#[test]
fn a_page_has_the_title_of_its_code() {
    let codes = codes();
    for (name, title) in explain::names() {
        let page = explain::page(name).expect("a name has a page");
        assert!(page.starts_with(&format!("# {name}: ")), "{name}");
        assert!(page.ends_with('\n') && !title.is_empty(), "{name}");
        if is_code(name) {
            assert_eq!(codes.get(name), Some(&title), "{name}");
        }
    }
}

#[test]
fn every_page_file_is_in_the_table() {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("pages");
    for entry in std::fs::read_dir(directory).expect("the directory is readable") {
        let path = entry.expect("the entry is readable").path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("file names are text");
        assert!(explain::page(name).is_some(), "{name} is not in the table");
    }
}

#[test]
fn names_are_sorted_and_different() {
    let names: Vec<(bool, &str)> = explain::names().into_iter().map(|(name, _)| (is_code(name), name)).collect();
    assert!(names.windows(2).all(|pair| pair[0] < pair[1]), "{names:?}");
}

#[test]
fn the_words_that_everybody_needs_have_pages() {
    let words = "serializable not-serializable undecided yield request global network-system check-then-act lost-update write-skew read-skew \
                 dirty-read dirty-write intermediate-read stuck vacuous";
    for word in words.split_whitespace() {
        assert!(explain::page(word).is_some(), "{word}");
    }
}

/// A verdict has a word on the screen and one in JSON, and a page under both.
#[test]
fn both_words_of_a_verdict_have_a_page() {
    for &(verdict, screen, json) in serval_report::VERDICT_WORDS {
        let expected = verdict != serval_report::Verdict::Error;
        for word in [screen.to_owned(), screen.replace(' ', "-"), json.to_owned(), json.to_uppercase()] {
            assert_eq!(explain::page(&word).is_some(), expected, "{word}");
        }
        assert_eq!(explain::page(screen), explain::page(json));
    }
}

#[test]
fn examples_of_mistakes_in_programs_are_what_they_claim() {
    let mut checked = 0;
    for (name, _) in explain::names().into_iter().filter(|(name, _)| is_code(name)) {
        let page = explain::page(name).expect("a name has a page");
        let [wrong, right] = blocks(page, "ser")[..] else {
            assert!(blocks(page, "ser").is_empty(), "{name}: two programs, or none");
            continue;
        };
        if name == "E0305" {
            // What gives this code is too large for a page: in a program as small as this it is found out.
            let found = codes_of_program(wrong, None);
            assert!(found.iter().all(|(_, severity)| *severity != Severity::Error), "{name}: {found:?}");
            let fault = Fault { kind: FaultKind::DivisionByZero, span: Span::new(0, 1) };
            let open = CompileError::Fault(Box::new(FaultReport { certain: false, ..FaultReport::of(fault) }));
            assert_eq!(open.diagnostic(wrong).map(|diagnostic| diagnostic.code.0), Some(name));
            checked += 1;
            continue;
        }
        let found = &codes_of_program(wrong, None);
        assert!(found.iter().any(|(code, _)| *code == name), "{name}: the first program gives {found:?}");
        // It shows this mistake and no other one.
        let other = found.iter().find(|(code, severity)| *severity == Severity::Error && *code != name);
        assert!(other.is_none(), "{name}: the first program also gives {other:?}");
        let found = codes_of_program(right, None);
        assert!(found.iter().all(|(code, severity)| *code != name && *severity != Severity::Error), "{name}: the second gives {found:?}");
        checked += 1;
    }
    assert!(checked >= 40, "{checked}");
}

#[test]
fn examples_of_mistakes_in_systems_are_what_they_claim() {
    for (name, _) in JSON_ERROR_CODES.into_iter().filter(|(name, _)| !TOO_LONG_TO_SHOW.contains(name)) {
        let page = explain::page(name).expect("a code has a page");
        let [wrong, right] = blocks(page, "json")[..] else { panic!("{name}: a wrong and a right system") };
        // Only a reader that wants a single system can complain about many.
        let read = |text: &str| if name == "E0410" { NetworkSystem::from_json(text).err() } else { systems_from_json(text).err() };
        assert_eq!(read(wrong).map(|error| error.code), Some(name), "{name}");
        assert_eq!(read(right), None, "{name}");
    }
}

/// The code of the first mistake in a program on shared memory, also of one that only running it shows.
fn code_of_tso(text: &str, syntax: serval_tso_program::Syntax) -> Option<&'static str> {
    let program = match serval_tso_program::read_as(text, syntax) {
        Ok(program) => program,
        Err(diagnostics) => {
            assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
            return Some(diagnostics[0].code.0);
        }
    };
    let (limits, budget) = (serval_tso_engine::EngineLimits::default(), &mut Budget::unlimited());
    let Ok(outcome) = serval_tso_engine::decide(&program, &limits, budget) else { return Some(serval_tso_program::VALUE_LEAVES_RANGE.0) };
    // What a program has in vain is no mistake, and is said of programs that have none.
    let vain = serval_tso_engine::in_vain(&program, &limits, budget).expect("the example is small");
    let needless = outcome.certificate.robust.is_some() && !serval_tso_engine::needless_fences(&program, 9, &limits, budget).is_empty();
    let said = [
        (!vain.unreached.is_empty(), serval_tso_program::NOT_REACHED),
        (!vain.stuck.is_empty(), serval_tso_program::ASSUMES_NEVER),
        (needless, serval_tso_program::FENCE_IN_VAIN),
    ];
    said.into_iter().find(|(is_said, _)| *is_said).map(|(_, code)| code.0)
}

#[test]
fn examples_of_mistakes_in_programs_on_shared_memory_are_what_they_claim() {
    for info in serval_tso_program::codes() {
        let name = info.code.0;
        let page = explain::page(name).expect("a code has a page");
        let tests = blocks(page, "litmus");
        let (examples, syntax) = if tests.is_empty() {
            (blocks(page, "tso"), serval_tso_program::Syntax::Tso)
        } else {
            (tests, serval_tso_program::Syntax::Litmus)
        };
        let [wrong, right] = examples[..] else { panic!("{name}: a wrong and a right program") };
        assert_eq!(code_of_tso(wrong, syntax), Some(name), "{name}");
        assert_eq!(code_of_tso(right, syntax), None, "{name}");
    }
    for name in ["store-buffering", "robust", "fence", "happens-before"] {
        let programs = blocks(explain::page(name).expect("a word has a page"), "tso");
        assert!(!programs.is_empty() && programs.iter().all(|text| code_of_tso(text, serval_tso_program::Syntax::Tso).is_none()), "{name}");
    }
}

/// The codes of what is said about a workload: a schema, and behind a line `-- file: NAME` a script.
fn codes_of_workload(text: &str) -> Vec<&'static str> {
    let (schema, script) = text.split_once("-- file: script.sql\n").unwrap_or((text, ""));
    let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let mut files = vec![file("schema.sql", schema)];
    files.extend((!script.is_empty()).then(|| file("script.sql", script)));
    let reading = serval_sql::read(&serval_sql::bundle(&files));
    let mut found = reading.diagnostics;
    if let Some(workload) = reading.workload {
        match serval_sql::translate(&workload, serval_sql::Form::Exact) {
            Ok(translation) => found.extend(translation.notes),
            Err(diagnostics) => found.extend(diagnostics),
        }
    }
    found.iter().map(|diagnostic| diagnostic.code.0).collect()
}

#[test]
fn examples_of_mistakes_in_workloads_are_what_they_claim() {
    for info in serval_sql::codes() {
        let name = info.code.0;
        let page = explain::page(name).expect("a code has a page");
        let [wrong, right] = blocks(page, "sql")[..] else { panic!("{name}: a wrong and a right workload") };
        let found = codes_of_workload(wrong);
        assert!(!found.is_empty() && found.iter().all(|code| *code == name), "{name}: {found:?}");
        assert!(codes_of_workload(right).is_empty(), "{name}: {:?}", codes_of_workload(right));
    }
}

#[test]
fn the_example_of_a_trace_is_a_trace() {
    let page = explain::page("E0510").expect("a code has a page");
    let [wrong, right] = blocks(page, "json")[..] else { panic!("a wrong and a right trace") };
    assert!(Trace::from_json(wrong).is_err());
    assert!(Trace::from_json(right).is_ok());
}

/// The codes whose examples fill more than a page.
const TOO_LONG_TO_SHOW: &[&str] = &["E0130", "E0131", "E0199", "N0207", "E0408"];

#[test]
fn every_code_of_a_language_has_an_example_that_is_run() {
    for (name, _) in codes() {
        let input = explain::INPUT_CODES.iter().any(|(code, _)| *code == name);
        let page = explain::page(name).expect("a code has a page");
        let examples: usize = ["ser", "json", "tso", "litmus", "sql"].iter().map(|language| blocks(page, language).len()).sum();
        assert!(input || (examples == 2) != TOO_LONG_TO_SHOW.contains(&name), "{name}: {examples} examples");
    }
}

#[test]
fn what_is_too_long_to_show_is_true_as_well() {
    let deep = format!("request main {{ X := {}1{} - X }}", "(".repeat(300), ")".repeat(300));
    let large = " ".repeat(serval_syntax::MAX_FILE_BYTES + 1);
    let wrong = format!("request main {{ {} }}", "x = 1; ".repeat(200));
    let doubtful = format!("request main {{ {} }}", (0..200).map(|n| format!("x{n}; ")).collect::<String>());
    for (name, text) in [("E0130", deep), ("E0131", large), ("E0199", wrong), ("N0207", doubtful)] {
        assert!(analyze(&text).diagnostics.iter().any(|diagnostic| diagnostic.code.0 == name), "{name}");
    }
    let large = " ".repeat(serval_model::MAX_JSON_BYTES + 1);
    assert_eq!(systems_from_json(&large).err().map(|error| error.code), Some("E0408"));
}

/// Whether up to three requests can give answers that no serial order gives.
fn looks_serializable(program: &Program) -> bool {
    let compiled = compile(program, Options::default(), &Budget::unlimited()).unwrap_or_else(|error| panic!("{error:?}"));
    compiled.components().iter().all(|component| {
        let (system, budget) = (component.system(), &mut Budget::ticks(2_000_000));
        let interleaved = completed_multisets(system, 3, budget).expect("the example is small");
        let serial = serial_multisets(system, 3, budget).expect("the example is small");
        interleaved == serial
    })
}

/// What is said about the order in time is said about what is serializable.
fn promises_serializable(verdict: ExpectedVerdict) -> bool {
    matches!(verdict, ExpectedVerdict::Serializable | ExpectedVerdict::Strict | ExpectedVerdict::NotStrict)
}

#[test]
fn programs_on_the_pages_of_words_are_right_and_as_promised() {
    for (name, _) in explain::names().into_iter().filter(|(name, _)| !is_code(name)) {
        let page = explain::page(name).expect("a name has a page");
        let programs = blocks(page, "ser");
        // Pages about nets show a command instead.
        let shows_command = ["net check", "tso check", "tso fix", "check examples/sql/"]
            .iter()
            .any(|command| page.contains(&format!("\n$ serval {command}")));
        assert!(!programs.is_empty() || shows_command, "{name}: no program");
        for text in programs {
            let analysis = analyze(text);
            let program = analysis.program.unwrap_or_else(|| panic!("{name}: {:?}", analysis.diagnostics));
            let Some(expectation) = &program.expectation else { continue };
            if expectation.verdict == ExpectedVerdict::Fault {
                assert!(compile(&program, Options::default(), &Budget::unlimited()).is_err(), "{name}:\n{text}");
                continue;
            }
            assert_eq!(looks_serializable(&program), promises_serializable(expectation.verdict), "{name}:\n{text}");
            if let Some(anomaly) = &expectation.anomaly {
                assert!(explain::page(anomaly).is_some(), "{name}: nothing explains {anomaly}");
            }
        }
        for text in blocks(page, "json") {
            assert_eq!(systems_from_json(text).err(), None, "{name}");
        }
    }
}

#[test]
fn promises_elsewhere_hold_too() {
    for (name, _) in explain::names().into_iter().filter(|(name, _)| is_code(name)) {
        for text in blocks(explain::page(name).expect("a name has a page"), "ser") {
            let Some(program) = analyze(text).program else { continue };
            if let Some(expectation) = &program.expectation {
                assert_eq!(looks_serializable(&program), promises_serializable(expectation.verdict), "{name}:\n{text}");
            }
        }
    }
}

#[test]
fn the_anomalies_show_themselves_and_their_repair() {
    for name in ["check-then-act", "lost-update", "write-skew", "read-skew", "dirty-read", "dirty-write", "intermediate-read"] {
        let programs = blocks(explain::page(name).expect("an anomaly has a page"), "ser");
        let promises: Vec<String> = programs.iter().map(|text| text.lines().next().unwrap_or_default().to_owned()).collect();
        assert_eq!(promises[0], format!("// expect: not-serializable {name}"));
        assert!(promises.len() > 1 && promises[1..].iter().all(|promise| promise == "// expect: serializable"), "{name}: {promises:?}");
    }
}

/// What stands in backquotes and looks like a name of a page is one.
#[test]
fn pages_refer_to_pages() {
    let mut references = 0;
    for (name, _) in explain::names() {
        let page = explain::page(name).expect("a name has a page");
        let prose: String = page.split("```").step_by(2).collect();
        for quoted in prose.split('`').skip(1).step_by(2) {
            let refers = is_code(quoted) || quoted.contains('-') && quoted.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
            if refers && quoted != "-" && !quoted.starts_with("--") {
                assert!(explain::page(quoted).is_some(), "{name} refers to {quoted}");
                references += 1;
            }
        }
    }
    assert!(references > 5, "{references}");
}

#[test]
fn names_are_found_in_any_case() {
    assert!(explain::page("e0103").is_some());
    assert_eq!(explain::page("LOST-UPDATE"), explain::page("lost-update"));
    assert_eq!(explain::page("no such page"), None);
    assert_eq!(explain::page(""), None);
}

#[test]
fn similar_names_are_suggested() {
    for (typed, meant) in [
        ("lost update", "lost-update"),
        ("lost_updates", "lost-update"),
        ("Write Skew", "write-skew"),
        ("serialisable", "serializable"),
        ("yeild", "yield"),
        ("E103", "E0103"),
        ("103", "E0103"),
        ("E0201", "W0201"),
        ("n202", "N0202"),
    ] {
        assert_eq!(explain::similar(typed), Some(meant), "{typed}");
    }
    for typed in ["", "x", "E9999", "banana", "99999999999999", &"long-".repeat(1000)] {
        assert_eq!(explain::similar(typed), None, "{typed}");
    }
}
