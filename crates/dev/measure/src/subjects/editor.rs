//! What people who write a program wait for in their editor: `serval lsp` as a process, asked as an editor asks it.
//! Each figure stands beside its bound.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use serval_families::Family;

use super::{progress, read, serval};
use crate::language_client::LanguageClient;
use crate::page::Page;

const URI: &str = "untitled:Untitled-1";
/// What is typed, letter by letter, and deleted again.
const TYPED: &str = " more := G1 + 2;";
const TINY: &str = "request flip { X := 1 - X }\n";
/// What takes long to decide about, beside texts of two megabytes: families and sizes.
const LONG: [(&str, usize); 6] =
    [("bank_split", 8), ("monitors", 12), ("two_locks", 8), ("counter_racy", 2_000), ("flips", 2_000), ("ticket", 12)];
/// How long each of them is worked on before it is changed.
const MOMENTS: [u64; 6] = [5, 20, 60, 150, 400, 1_000];

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct EditCounts {
    /// Edits that are timed.
    pub timed: u64,
    /// Edits after which the memory is compared with that after a hundred.
    pub many: u64,
}

/// Measures the server; `before` is a program without one.
pub fn page(suite: Option<&Path>, before: Option<&Path>, edits: EditCounts) -> Result<Page, String> {
    let serval = serval()?;
    let mut page = Page::new(
        "In the editor",
        "`serval lsp` as a process, asked as an editor asks it, with its usual settings: each edit is followed by diagnostics\n\
         and by the work on the verdict, which the next edit cancels. The text of 300 lines has 50 requests.",
    );
    page.table(&["what", ">measured", ">bound"]);
    keystrokes(&mut page, &serval, edits.timed)?;
    if let Some(suite) = suite {
        verdicts(&mut page, &serval, suite)?;
    }
    cancelled(&mut page, &serval)?;
    memory(&mut page, &serval, edits.many)?;
    if let Some(before) = before {
        grown(&mut page, &serval, before)?;
    }
    Ok(page)
}

/// A line of the table. What is above its bound is wrong. `unit` is what `value` has a thousand of.
fn row(page: &mut Page, what: &str, value: u64, unit: &str, bound: u64) {
    let thousandths = |value: u64| format!("{}.{:02}", value / 1_000, value % 1_000 / 10);
    page.line(format!(
        "| {what} | {} {unit} | {} {unit} |",
        thousandths(value),
        thousandths(bound).trim_end_matches('0').trim_end_matches('.')
    ));
    if value > bound {
        page.fail(format!("{what}: {} {unit}", thousandths(value)));
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// So many requests of six lines each; so many of them have a variable together.
fn requests(count: usize, together: usize) -> String {
    (0..count).fold(String::new(), |mut text, number| {
        let name = number / together;
        // Writing to a text does not fail.
        let _ = write!(text, "request r{number} {{\n  seen := G{name};\n  yield;\n  G{name} := (seen + 1) % 4;\n  seen\n}}\n");
        text
    })
}

/// The edit with this number, of a text of fifty requests: letters are put behind a `yield` and taken away again.
fn edit(number: u64) -> Value {
    let length = TYPED.len() as u64;
    let (place, letter) = (number / (2 * length), number % (2 * length));
    let line = place * 7 % 50 * 6 + 2;
    // Behind `  yield;`.
    let at = |letter: u64| json!({"line": line, "character": 8 + letter});
    if letter < length {
        let new = TYPED.chars().nth(usize::try_from(letter).unwrap_or_default()).map(String::from);
        json!({"range": {"start": at(letter), "end": at(letter)}, "text": new})
    } else {
        let last = 2 * length - letter;
        json!({"range": {"start": at(last - 1), "end": at(last)}, "text": ""})
    }
}

fn keystrokes(page: &mut Page, serval: &Path, count: u64) -> Result<(), String> {
    progress("keystrokes");
    let mut client = LanguageClient::start(serval, &json!({}))?;
    client.open(URI, &requests(50, 5))?;
    client.diagnosed(URI, 1)?;
    let mut times = Vec::new();
    for number in 0..count {
        let begun = client.change(URI, number + 2, edit(number))?;
        times.push(micros(client.diagnosed(URI, number + 2)?.saturating_duration_since(begun)));
    }
    times.sort_unstable();
    let worst = times.last().copied().unwrap_or_default();
    row(page, &format!("diagnostics after a keystroke on 300 lines, median of {count} edits"), times[times.len() / 2], "ms", 10_000);
    row(page, "the worst of them", worst, "ms", 30_000);
    Ok(())
}

fn verdicts(page: &mut Page, serval: &Path, suite: &Path) -> Result<(), String> {
    progress("verdicts of the suite");
    let mut paths: Vec<_> = std::fs::read_dir(suite)
        .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>())
        .map_err(|error| format!("{}: {error}", suite.display()))?;
    paths.retain(|path| path.extension().is_some_and(|end| end == "ser" || end == "json"));
    paths.sort();
    let mut client = LanguageClient::start(serval, &json!({"state": true}))?;
    let mut times = Vec::new();
    for path in &paths {
        let uri = format!("file://{}", path.display());
        let begun = client.open(&uri, &read(path)?)?;
        let (when, state) = client.reached(&uri, 1, &["verdict", "stopped", "error"])?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if state != "verdict" {
            page.fail(format!("{name}: {state}"));
        }
        times.push((micros(when.saturating_duration_since(begun)), name));
        client.close(&uri)?;
    }
    times.sort_unstable();
    let Some((worst, name)) = times.last() else { return Err(format!("{}: no programs", suite.display())) };
    row(page, &format!("verdict after opening, of {} suite programs the slowest (`{name}`)", times.len()), *worst, "ms", 300_000);
    row(page, "the one in the middle", times[times.len() / 2].0, "ms", 300_000);
    Ok(())
}

/// From an edit until work on the next text begins, which it does when the work before has stopped.
fn cancelled(page: &mut Page, serval: &Path) -> Result<(), String> {
    progress("cancelled work");
    let mut long = Vec::new();
    for (name, size) in LONG {
        let family = Family::named(name).ok_or_else(|| format!("there is no family {name}"))?;
        long.push((format!("`{name}` {size}"), family.program(size)));
    }
    let large = [
        ("many requests".to_owned(), requests(27_500, 1)),
        ("one request".to_owned(), format!("request r {{\n{}}}\n", "  x := X + 1;\n  yield;\n  X := (x * 2) % 7;\n".repeat(45_000))),
    ];
    for (what, texts) in [("programs", long.as_slice()), ("texts of 2 MB", large.as_slice())] {
        let (mut worst, mut of, mut count) = (0, String::new(), 0);
        for (name, text) in texts {
            for wait in MOMENTS {
                let mut client = LanguageClient::start(serval, &json!({"state": true, "timeout": 0}))?;
                client.open(URI, text)?;
                std::thread::sleep(Duration::from_millis(wait));
                let begun = client.change(URI, 2, json!({"text": TINY}))?;
                let (when, _) = client.reached(URI, 2, &["checking"])?;
                let taken = micros(when.saturating_duration_since(begun));
                count += 1;
                if taken > worst {
                    (worst, of) = (taken, format!("{name} after {wait} ms"));
                }
            }
        }
        row(page, &format!("cancelled work stops, {count} times in {what}; the latest: {of}"), worst, "ms", 50_000);
    }
    Ok(())
}

fn memory(page: &mut Page, serval: &Path, many: u64) -> Result<(), String> {
    progress("memory");
    let mut client = LanguageClient::start(serval, &json!({"state": true}))?;
    client.open(URI, &requests(50, 5))?;
    let settled = |client: &mut LanguageClient, version| {
        let (_, state) = client.reached(URI, version, &["verdict", "stopped", "error"])?;
        client.resident_kib().ok_or(format!("the system does not say how much memory the server has, {state}"))
    };
    let mut after = Vec::new();
    for number in 0..many {
        client.change(URI, number + 2, edit(number))?;
        if number + 1 == 100 || number + 1 == many {
            after.push(settled(&mut client, number + 2)?);
        } else {
            client.diagnosed(URI, number + 2)?;
        }
    }
    let [first, .., last] = after[..] else { return Err("memory is compared with that after 100 edits: there have to be more".to_owned()) };
    let what = format!("memory after {many} edits, above the {} MB after 100", first / 1_000);
    row(page, &what, last.saturating_sub(first), "MB", 10_000);
    Ok(())
}

/// What the server costs those who do not use it: size and start, beside a program without it.
fn grown(page: &mut Page, serval: &Path, before: &Path) -> Result<(), String> {
    progress("size and start");
    let size = |path: &Path| std::fs::metadata(path).map(|data| data.len()).map_err(|error| format!("{}: {error}", path.display()));
    let more = size(serval)?.saturating_sub(size(before)?);
    row(page, "size of the program, above the one without the server", more / 1_000, "MB", 2_500);
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..400 {
        for (path, times) in [before, serval].into_iter().zip(&mut times) {
            let begun = Instant::now();
            let status = Command::new(path).arg("--version").stdout(Stdio::null()).status().map_err(|error| error.to_string())?;
            if !status.success() {
                return Err(format!("{} --version: {status}", path.display()));
            }
            times.push(micros(begun.elapsed()));
        }
    }
    times.iter_mut().for_each(|times| times.sort_unstable());
    let [without, with] = times.map(|times| times[times.len() / 2]);
    row(page, "`serval --version`, above the one without, median of 400", with.saturating_sub(without), "ms", 100);
    Ok(())
}
