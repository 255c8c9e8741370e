//! Node performs the given files and random ones, and its answers are compared with those of the program of steps.

use std::time::Duration;

use serval_compile::{Source, StepLimits};
use serval_handlers::node::{Tried, Trying, difference, job, tried};
use serval_handlers::{HandlerBounds, Numbers, Performed, StepsProgram, answers, steps};
use serval_replay::NodeProcess;
use serval_script::{Language, read};
use serval_testkit::suite::data_dir;

use crate::random;

/// A file that is read and translated.
pub(crate) struct File {
    pub(crate) text: String,
    pub(crate) performed: Performed,
    pub(crate) translation: StepsProgram,
    pub(crate) source: Source,
}

pub(crate) fn file(name: &str, text: &str, bounds: &HandlerBounds) -> Result<File, String> {
    let language = Language::of(name).expect("the name of a file of handlers");
    let (module, performed) = read(text, language).map_err(|list| format!("{:?}", list.first().map(|one| &one.message)))?;
    let translation = steps(&module, bounds).map_err(|why| why.parts.iter().map(|one| one.what.clone()).collect::<Vec<_>>().join("; "))?;
    let analysis = serval_syntax::analyze(&translation.text);
    let wrong = analysis.diagnostics.first().map(|one| one.message.to_string()).unwrap_or_default();
    let program = analysis.program.ok_or_else(|| format!("{wrong}\n{}", translation.text))?;
    let source = Source::new(&program, StepLimits::default());
    Ok(File { text: text.to_owned(), performed, translation, source })
}

impl File {
    /// All choices of this many requests.
    pub(crate) fn choices(&self, count: usize) -> Vec<Vec<String>> {
        let names: Vec<&String> = self.source.program().requests.iter().map(|request| &request.name).collect();
        let mut lists: Vec<Vec<usize>> = vec![Vec::new()];
        for _ in 0..count {
            lists = lists
                .into_iter()
                .flat_map(|list| {
                    let first = list.last().copied().unwrap_or(0);
                    (first..names.len()).map(move |next| list.iter().copied().chain([next]).collect())
                })
                .collect();
        }
        lists.into_iter().map(|list| list.into_iter().map(|place| names[place].clone()).collect()).collect()
    }

    /// What Node does with these calls, and how it differs.
    pub(crate) fn compared(&self, node: &mut NodeProcess, requests: &[String], trying: Trying) -> Result<(Tried, Option<String>), String> {
        let job = job(&self.text, &self.performed, &self.translation, requests, trying).ok_or("this cannot be performed")?;
        let said = node.ask(&job, Duration::from_secs(60)).map_err(|why| why.to_string())?;
        let found = tried(&said)?;
        let ours = answers(&self.source, requests).ok_or("too many states")?;
        let wrong = difference(&self.translation, requests, &ours, &found);
        Ok((found, wrong))
    }
}

/// The process of Node that all tests share; nothing where there is none.
pub(crate) fn node() -> Option<NodeProcess> {
    match NodeProcess::start(std::env::var("SERVAL_NODE").ok().as_deref()) {
        Ok(node) => Some(node),
        Err(why) => {
            let required = std::env::var("SERVAL_REQUIRE").unwrap_or_default();
            assert!(!required.split(',').any(|one| one.trim() == "node"), "node: required, but {why}");
            serval_testkit::say("node: not there, skipped");
            None
        }
    }
}

const TRYING: Trying = Trying { most: 3_000, together: 1, failures: true, first: false };

#[test]
fn node_answers_what_the_program_answers_on_the_given_files() {
    let (Some(place), Some(mut node)) = (data_dir("await"), node()) else { return };
    let mut names: Vec<String> = std::fs::read_dir(&place)
        .expect("the data can be listed")
        .map(|entry| entry.expect("the data can be listed").file_name().to_string_lossy().into_owned())
        .filter(|name| Language::of(name).is_some())
        .collect();
    names.sort();
    let mut wrong = Vec::new();
    for name in &names {
        let text = std::fs::read_to_string(place.join(name)).expect("the data can be read");
        let bounds = HandlerBounds { numbers: Numbers::Many, refusals: Vec::new(), ..HandlerBounds::default() };
        let file = file(name, &text, &bounds).unwrap_or_else(|why| panic!("{name}: {why}"));
        for requests in file.choices(2) {
            match file.compared(&mut node, &requests, TRYING) {
                Err(why) | Ok((_, Some(why))) => wrong.push(format!("{name} {requests:?}: {why}")),
                Ok((tried, None)) => assert!(tried.runs > 0, "{name} {requests:?}: Node performed nothing"),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// How the program of a file and Node differ, with a few calls; nothing if they do not, or the file is not translated.
fn differs(node: &mut NodeProcess, text: &str, together: usize) -> Result<Option<String>, String> {
    let bounds = HandlerBounds { numbers: Numbers::Many, refusals: Vec::new(), ..HandlerBounds::default() };
    let file = file("a.js", text, &bounds)?;
    for requests in file.choices(2).into_iter().take(4) {
        let trying = Trying { most: 250, together, ..TRYING };
        match file.compared(node, &requests, trying) {
            Err(why) if why == "too many states" => {}
            Err(why) => return Ok(Some(format!("{requests:?}: {why}"))),
            Ok((_, Some(why))) => return Ok(Some(format!("{requests:?}: {why}"))),
            Ok((_, None)) => {}
        }
    }
    Ok(None)
}

#[test]
fn node_answers_what_the_program_answers_on_random_files() {
    let Some(mut node) = node() else { return };
    let sweep = serval_effort::sweep("script.node", 300, 20_000);
    let (mut refused, mut compared, mut wrong) = (std::collections::BTreeMap::new(), 0, Vec::new());
    for seed in sweep.seeds(0) {
        let mut here = random::drawn(seed);
        match differs(&mut node, &here.text(), 1) {
            Err(why) => *refused.entry(why.chars().take(70).collect::<String>()).or_insert(0) += 1,
            Ok(None) => compared += 1,
            Ok(Some(mut why)) => {
                // Smaller, as long as it differs.
                'smaller: loop {
                    for less in here.smaller() {
                        if let Ok(Some(other)) = differs(&mut node, &less.text(), 1) {
                            (here, why) = (less, other);
                            continue 'smaller;
                        }
                    }
                    break;
                }
                wrong.push(format!("seed {seed}: {why}\n{}", here.text()));
                if wrong.len() >= 8 {
                    break;
                }
            }
        }
    }
    let refusals: u64 = refused.values().sum();
    assert!(compared > refusals, "few files are compared: {compared}; refused: {refused:#?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A file in which all rules matter: a number that is read before a pause, failures, tokens, a lock and a kept promise.
const ALL: &str = "import { out } from './out.js';
let n = 0;
let slot = null;
let tail = Promise.resolve();
async function load() {
  const got = await out.load();
  return got;
}
export async function count() {
  const seen = n;
  await out.go();
  n = seen + 1;
  return n;
}
export async function shared() {
  slot ??= load();
  const got = await slot;
  return got;
}
export async function queued() {
  const before = tail;
  let free;
  tail = new Promise((resolve) => (free = resolve));
  await before;
  try {
    n += 1;
    await out.go();
    return n;
  } finally {
    free();
  }
}
";

/// A program with one rule left out.
fn without(rule: &str, text: &str) -> String {
    let kept = |line: &&str| match rule {
        "pauses" => line.trim() != "yield;",
        "writes" => !line.trim_start().starts_with("G_n_n := "),
        _ => true,
    };
    let changed = |line: &str| match rule {
        // An outside call never fails.
        "failures" if line.contains("choose(0, ") => format!("{} := 0;", line.split(" := ").next().unwrap_or_default()),
        // A kept promise has no value.
        "the bound outcome" if line.trim_start().starts_with("G_slot__v := t") => {
            line.split(" := ").next().unwrap_or_default().to_owned() + " := 2"
        }
        // A lock that is taken is never free again.
        "unlock" if line.trim_start().starts_with("G_tail_lock := 0") => line.replace(":= 0", ":= 1"),
        _ => line.to_owned(),
    };
    text.lines().filter(kept).map(changed).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_rule_that_is_left_out_is_noticed() {
    let Some(mut node) = node() else { return };
    let bounds = HandlerBounds { numbers: Numbers::Many, refusals: Vec::new(), ..HandlerBounds::default() };
    let whole = file("all.js", ALL, &bounds).expect("it is translated");
    let mut differences = |file: &File| -> usize {
        let pairs = file.choices(2);
        pairs.iter().filter(|requests| file.compared(&mut node, requests, TRYING).is_ok_and(|(_, why)| why.is_some())).count()
    };
    assert_eq!(differences(&whole), 0);
    for rule in ["pauses", "writes", "failures", "unlock", "the bound outcome"] {
        let text = without(rule, &whole.translation.text);
        assert!(text.trim() != whole.translation.text.trim(), "{rule}: nothing was left out\n{}", whole.translation.text);
        let program = serval_syntax::analyze(&text).program.unwrap_or_else(|| panic!("{rule}:\n{text}"));
        let source = Source::new(&program, StepLimits::default());
        let (performed, translation) = (whole.performed.clone(), whole.translation.clone());
        let changed = File { text: ALL.to_owned(), performed, translation, source };
        assert!(differences(&changed) > 0, "{rule}");
    }
}
