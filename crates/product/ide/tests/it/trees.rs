//! The grammars of editors have the class for every token that our parser has, and that of tree-sitter accepts what it
//! accepts.
//!
//! They are coarser in one thing: what a name means depends on the whole file, so names are compared as names.

use std::fmt::Write as _;
use std::process::Command;

use serval_effort::sweep;
use serval_ide::{Document, Span, TokenClass, classified};
use serval_testkit::say;
use serval_testkit::suite::repository_root;

use crate::support::{given, random};

fn runs(program: &str, arguments: &[&str]) -> bool {
    Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
}

/// Says that a tool is not there, where it need not be.
fn absent(name: &str) {
    let required = std::env::var("SERVAL_REQUIRE").unwrap_or_default();
    assert!(!required.split(',').any(|entry| entry.trim() == name), "{name}: required, but it is not there");
    say(&format!("{name}: not there, skipped"));
}

/// How each grammar is asked, where its tools are there: Python with the binding and a compiler for C, which is the
/// library that editors use; and Node with the modules of the editor, in the folder that `SERVAL_TEXTMATE` names.
fn commands() -> Vec<(&'static str, Command)> {
    let editors = repository_root().join("editors");
    let mut found = Vec::new();
    let python = std::env::var("SERVAL_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    if runs(&python, &["-c", "import tree_sitter"]) && runs("cc", &["--version"]) {
        let mut command = Command::new(python);
        command.arg(editors.join("tree-sitter-serval/test/agreement.py"));
        found.push(("tree-sitter", command));
    } else {
        absent("tree-sitter");
    }
    match std::env::var("SERVAL_TEXTMATE") {
        Ok(modules) if runs("node", &["--version"]) => {
            let mut command = Command::new("node");
            command.arg(editors.join("vscode/test/agreement.mjs")).env("SERVAL_TEXTMATE", modules);
            found.push(("textmate", command));
        }
        _ => absent("textmate"),
    }
    found
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c < ' ' => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// A text and its tokens as the script reads them; nothing for one that is no program.
fn described(name: &str, text: &str) -> Option<String> {
    let document = Document::new(text);
    document.program()?;
    let end = u32::try_from(text.len()).ok()?;
    let tokens = classified(&document, Span::new(0, end)).into_iter().map(|token| {
        let class = match token.class {
            TokenClass::Keyword => "keyword",
            TokenClass::Number => "number",
            TokenClass::Operator => "operator",
            TokenClass::Comment => "comment",
            TokenClass::Name(_) => "name",
        };
        format!("[{}, {}, \"{class}\"]", token.span.start, token.span.end)
    });
    let tokens: Vec<String> = tokens.collect();
    Some(format!("{{\"name\": {}, \"text\": {}, \"tokens\": [{}]}}", quoted(name), quoted(text), tokens.join(", ")))
}

/// Words that are names here and keywords elsewhere.
const WORDS: &str = "request lock { lock := 1; unlock := lock + 1; min := choose(1, 2); max(min, lock) }\n\
    request not_taken { return := 3; skip; x := -return; if (x < 0) { await (Free == 1) } else { yield } x }\n\
    request other { atomic := 1; for := 2; for i in 0..2 { A := A + i }; atomic { B := for; lock(L); unlock(L) } }\n";

#[test]
fn grammars_of_editors_read_what_serval_reads() {
    let commands = commands();
    if commands.is_empty() {
        return;
    }
    let mut texts = given();
    texts.push(("words".to_owned(), WORDS.to_owned()));
    let sweep = sweep("ide.trees", 500, 5_000);
    texts.extend(sweep.map(7, |seed| (format!("seed {seed}"), random(seed))));
    let described: Vec<String> = texts.iter().filter_map(|(name, text)| described(name, text)).collect();
    let file = std::env::temp_dir().join(format!("serval-trees-{}.json", std::process::id()));
    std::fs::write(&file, format!("[{}]", described.join(",\n"))).unwrap();
    for (name, mut command) in commands {
        let output = command.arg(&file).output().unwrap();
        let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{name}: {errors}");
        let (differences, last) = said.trim_end().rsplit_once('\n').unwrap_or(("", said.trim_end()));
        let first: Vec<&str> = differences.lines().take(20).collect();
        assert!(first.is_empty(), "{name}: {} differences, the first:\n{}", differences.lines().count(), first.join("\n"));
        let tokens: usize = last.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or_default();
        assert!(!sweep.is_representative() || described.len() > 100 && tokens > 10_000, "{name}: {} texts, {last}", described.len());
    }
    let _ = std::fs::remove_file(&file);
}
