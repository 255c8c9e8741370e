//! Programs and systems in the documentation are what they seem.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use serval_budget::Budget;
use serval_compile::{CompileError, Options, compile};

use serval_model::systems_from_json;

use crate::support::{self, root, serval, text};

/// The fenced blocks of one kind.
fn blocks<'a>(text: &'a str, kind: &str) -> Vec<&'a str> {
    let fence = format!("```{kind}\n");
    text.match_indices(&fence).filter_map(|(at, _)| text[at + fence.len()..].split("```").next()).collect()
}

/// The files of a directory with this extension, in order.
fn files(directory: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|has| has == extension)).collect();
    files.sort();
    files
}

/// The modelling guide.
fn guide() -> PathBuf {
    root().join("docs/src/modelling")
}

fn documents() -> Vec<PathBuf> {
    let mut documents = files(&root().join("docs/src"), "md");
    documents.extend(files(&guide(), "md"));
    documents.extend(files(&root().join("docs/src/anomalies"), "md"));
    documents.push(root().join("README.md"));
    documents
}

#[test]
fn programs_compile_and_systems_are_read() {
    let mut seen = 0;
    for path in documents() {
        let text = std::fs::read_to_string(&path).unwrap();
        for block in blocks(&text, "ser") {
            let analysis = serval_syntax::analyze(block);
            let program = analysis.program.unwrap_or_else(|| panic!("{}: {:#?}\n{block}", path.display(), analysis.diagnostics));
            // What a page claims with `assert` or `invariant` may fail: that is what the page is about.
            let claims = block.contains("assert") || block.contains("invariant");
            match compile(&program, Options::default(), &Budget::unlimited()) {
                Err(CompileError::Fault(_)) if claims => {}
                // Too many combinations of parameters to be written out: decided by other ways.
                Err(CompileError::Many { .. }) => {}
                compiled => drop(compiled.unwrap_or_else(|error| panic!("{}: {error:?}\n{block}", path.display()))),
            }
            seen += 1;
        }
        for block in blocks(&text, "json") {
            systems_from_json(block).unwrap_or_else(|error| panic!("{}: {error}\n{block}", path.display()));
            seen += 1;
        }
    }
    assert!(seen >= 3, "only {seen} blocks");
}

/// The file that is linked to on the last line before a block.
fn linked(before: &str) -> Option<&str> {
    let line = before.lines().rev().find(|line| !line.trim().is_empty())?;
    line.rsplit_once("](")?.1.split_once(')').map(|(file, _)| file)
}

/// Whether all programs that pages show are the files that they name, each of
/// them checked in a session, and whether all files are shown.
fn shows_its_files(pages: &[PathBuf], of: &str, files_shown: &[PathBuf]) {
    let mut shown = BTreeSet::new();
    for page in pages {
        let name = page.display();
        let text = std::fs::read_to_string(page).unwrap();
        let mut sessions = 0;
        for (at, fence) in text.match_indices("```ser\n") {
            let block = text[at + fence.len()..].split("```").next().unwrap();
            let file = linked(&text[..at]).unwrap_or_else(|| panic!("{name}: no file is named before\n{block}"));
            let path = page.parent().unwrap().join(file);
            let program = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {file}: {error}"));
            assert_eq!(block, program, "{name}: {file} has another text");
            let file = path.file_name().unwrap().to_string_lossy().into_owned();
            assert!(text.contains(&format!("$ serval check docs/src/{of}/{file}")), "{name}: {file} is not checked");
            shown.insert(file);
            sessions += 1;
        }
        assert!(sessions >= 2, "{name}: only {sessions} programs");
    }
    for file in files_shown {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        assert!(shown.contains(&name), "{name} is on no page");
    }
}

#[test]
fn programs_of_pages_are_the_files_that_they_name() {
    for of in ["modelling", "anomalies"] {
        let directory = root().join("docs/src").join(of);
        shows_its_files(&files(&directory, "md"), of, &files(&directory, "ser"));
    }
    // That which forgets to unlock is described, not shown.
    let mut shown = files(&root().join("docs/src/tutorial"), "ser");
    shown.retain(|file| !file.ends_with("withdraw-forgotten.ser"));
    shows_its_files(&[root().join("docs/src/tutorial.md")], "tutorial", &shown);
}

#[test]
fn programs_that_are_written_out_are_those_that_are_shown() {
    let page = std::fs::read_to_string(root().join("docs/src/language.md")).unwrap();
    for file in ["seats.ser", "first-seat.ser"] {
        let program = std::fs::read_to_string(root().join("docs/src").join(file)).unwrap();
        assert!(blocks(&page, "ser").contains(&program.as_str()), "{file}");
    }
}

#[test]
fn the_guide_is_in_the_summary_and_on_its_first_page() {
    for contents in ["docs/src/SUMMARY.md", "docs/src/modelling.md"] {
        let text = std::fs::read_to_string(root().join(contents)).unwrap();
        for page in files(&guide(), "md") {
            let link = format!("(modelling/{})", page.file_name().unwrap().to_string_lossy());
            assert!(text.contains(&link), "{contents} has no {link}");
        }
    }
}

#[test]
fn programs_of_pages_get_the_verdicts_that_they_expect() {
    let directories = ["docs/src/modelling", "docs/src/anomalies", "docs/src/tutorial"];
    let output = serval(&[&["check", "--format", "json"], &directories[..]].concat(), b"");
    let lines = text(&output.stdout);
    let reports: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(reports.len(), directories.iter().map(|directory| files(&root().join(directory), "ser").len()).sum::<usize>());
    for report in &reports {
        let file = report["file"].as_str().unwrap();
        let program = std::fs::read_to_string(root().join(file)).unwrap();
        let expected = program.lines().next().unwrap().strip_prefix("// expect: ").unwrap_or_else(|| panic!("{file}: nothing is expected"));
        assert_eq!(report["verdict"].as_str(), expected.split(' ').next(), "{file}");
        // Requests that get stuck are not in the notes; warnings would be. What was mended by one step is one.
        let others = report["notes"].as_array().unwrap().iter().filter(|note| note["code"] != "N0311");
        assert_eq!(others.count(), 0, "{file}: {}", report["notes"]);
    }
}

/// All pages of the book, with their paths from `docs/src`.
fn pages() -> BTreeSet<String> {
    let book = root().join("docs/src");
    support::pages().iter().map(|page| page.strip_prefix(&book).unwrap().to_str().unwrap().to_owned()).collect()
}

/// Where the links of a page lead, without those in code.
fn links(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut in_block = false;
    // Links may go over the end of a line.
    let mut prose = String::new();
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            prose.push_str(line);
            prose.push('\n');
        }
    }
    for (number, part) in prose.split('`').enumerate() {
        // What stands in backquotes is code, unless a link goes around it.
        let begins = if number % 2 == 0 { part.match_indices("](").map(|(at, _)| at + 2).collect() } else { Vec::new() };
        for at in begins {
            let target: String = part[at..].chars().take_while(|&c| c != ')').collect();
            found.push(target.split_whitespace().collect());
        }
    }
    found
}

/// The anchor of a heading, as mdBook and GitHub make it.
fn anchor(heading: &str) -> String {
    let plain = heading.split("](").next().unwrap_or_default();
    let mut anchor = String::new();
    for character in plain.to_lowercase().chars() {
        match character {
            ' ' => anchor.push('-'),
            _ if character.is_alphanumeric() || matches!(character, '-' | '_') => anchor.push(character),
            _ => {}
        }
    }
    anchor
}

fn anchors(page: &str) -> BTreeSet<String> {
    let mut in_block = false;
    let mut found = BTreeSet::new();
    for line in page.lines() {
        if line.starts_with("```") {
            in_block = !in_block;
        }
        if !in_block && line.starts_with('#') {
            found.insert(anchor(line.trim_start_matches('#').trim()));
        }
    }
    found
}

/// A path without `..`.
fn normal(path: &Path) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.to_str().unwrap().split('/') {
        match part {
            ".." if parts.last().is_some_and(|&last| last != "..") => {
                parts.pop();
            }
            "." | "" => {}
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[test]
fn every_page_is_in_the_summary() {
    let summary = std::fs::read_to_string(root().join("docs/src/SUMMARY.md")).unwrap();
    let mut listed = links(&summary);
    let all = listed.len();
    listed.sort();
    listed.dedup();
    assert_eq!(listed.len(), all, "SUMMARY.md has a page twice");
    let mut pages = pages();
    pages.remove("SUMMARY.md");
    assert_eq!(listed.into_iter().collect::<BTreeSet<_>>(), pages, "SUMMARY.md, and the pages of the book");
}

/// Within the book, and to nothing that the book does not hold; also to the
/// parts of pages.
#[test]
fn links_lead_somewhere() {
    let book = root().join("docs/src");
    let read = |page: &str| std::fs::read_to_string(book.join(page)).unwrap();
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for page in pages() {
        let text = read(&page);
        for link in links(&text) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            seen += 1;
            let (file, part) = link.split_once('#').map_or((link.as_str(), None), |(file, part)| (file, Some(part)));
            let target = if file.is_empty() { page.clone() } else { normal(&Path::new(&page).parent().unwrap().join(file)) };
            let is_there = !target.starts_with("..") && book.join(&target).is_file();
            if !is_there || part.is_some_and(|part| !anchors(&read(&target)).contains(part)) {
                wrong.push(format!("{page}: {link}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(seen > 100, "only {seen} links");
}

#[test]
fn links_are_found() {
    let page = "[a](b.md) and [two\nlines](c.md#d) but not `[e](f.md)`\n```text\n[g](h.md)\n```\n![i](j.svg)\n[`code`](k.md)\n";
    assert_eq!(links(page), ["b.md", "c.md#d", "j.svg", "k.md"]);
    assert_eq!(anchor("`serval check`, and more: 2"), "serval-check-and-more-2");
    assert_eq!(normal(Path::new("theory/../a/./b.md")), "a/b.md");
    assert_eq!(normal(Path::new("../a.md")), "../a.md");
}

/// The certificate on the page is the one that the tool writes.
#[test]
fn the_certificate_that_is_shown_is_real() {
    let page = std::fs::read_to_string(root().join("docs/src/how-it-works.md")).unwrap();
    let shown = blocks(&page, "text").into_iter().find(|block| block.contains("serval-certificate")).unwrap();
    let path = support::directory("shown").join("certificate.json");
    let program = "docs/src/running-example-locked.ser";
    let output = serval(&["check", program, "--method", "reduce", "--certificate", path.to_str().unwrap()], b"");
    assert!(output.status.success());
    let written = std::fs::read_to_string(path).unwrap();
    assert_eq!(serde_json::from_str::<Value>(shown).unwrap(), serde_json::from_str::<Value>(&written).unwrap());
    assert!(page.contains(&format!("{} bytes", written.len())), "it has {} bytes", written.len());
}

/// README and book say it in the words of people who know transactions, and the first page takes one minute.
#[test]
fn words_are_those_of_engineers() {
    for path in documents().into_iter().chain(files(&root().join("crates/product/report/pages"), "md")) {
        let text = std::fs::read_to_string(&path).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
        for words in [
            "no fewer will do",
            "no smaller one",
            "told beside the verdict",
            "what makes a proof a proof",
            "it is said that",
            "nobody tells",
        ] {
            assert!(!text.contains(words), "{}: {words}", path.display());
        }
    }
    let summary = std::fs::read_to_string(root().join("docs/src/SUMMARY.md")).unwrap();
    assert!(summary.lines().find(|line| line.starts_with("- [")).unwrap().contains("(one-minute.md)"), "{summary}");
    let minute = std::fs::read_to_string(root().join("docs/src/one-minute.md")).unwrap();
    assert!(minute.split_whitespace().count() <= 450, "a minute is over after {} words", minute.split_whitespace().count());
}
