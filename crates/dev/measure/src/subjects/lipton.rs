//! Proofs on the text: which programs have one and why others have none, and how they grow.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serval::{Decision, Input, Method, Methods, Options, Undecided, Verdict, decide};
use serval_families::Family;
use serval_soundness::{Limit, within};

use crate::page::Page;

/// Families, and at which sizes they are measured; the last has to be decided
/// within ten seconds.
const FAMILIES: &[(&str, &[usize])] = &[
    ("pool", &[10, 100, 1_000]),
    ("rwlock", &[10, 100, 1_000]),
    ("two_locks", &[25, 50, 100]),
    ("lock", &[2_500, 5_000, 10_000]),
    ("dining", &[50, 100, 200]),
    ("rows", &[50, 100, 200]),
    ("shards_whole", &[2_500, 5_000, 10_000]),
    ("queue", &[25, 50, 100]),
    ("saga", &[50, 100, 200]),
    ("escrow", &[50, 100, 200]),
    ("buffer", &[100, 1_000, 10_000]),
    ("guarded", &[1_000, 1_000_000, 1_000_000_000]),
    ("flags", &[25, 50, 100]),
    ("stock", &[25, 50, 100]),
    ("two_phase", &[75, 150, 300]),
];

/// For the methods that work on states.
const LIMIT: Limit = Limit::Time(Duration::from_secs(10));

/// Looks for proofs on the text of the programs in directories, and of families.
pub fn page(directories: &[PathBuf]) -> Result<Page, String> {
    let mut page = Page::new(
        "Proofs on the text",
        "The checker accepted every proof in the same run. Times are of one core; finding includes reading, and telling what was\n\
         proved in words.",
    );
    for directory in directories {
        programs(directory, &mut page)?;
    }
    families(&mut page)?;
    Ok(page)
}

/// The time since the start of the program.
fn clock() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

fn options(methods: &[Method]) -> Options {
    let mut options = Options::default();
    options.methods = Methods::Portfolio(methods.to_vec());
    options.clock = clock;
    options.fixes = false;
    options
}

/// Why no proof was found, or what is wrong.
fn reason(decision: &Decision) -> String {
    match &decision.verdict {
        Verdict::Undecided(Undecided::Stopped(reason)) => reason.what(),
        Verdict::Undecided(undecided) => undecided.to_string(),
        Verdict::Unusable(diagnostic) => diagnostic.message.clone(),
        Verdict::Refused(_) => "the checker refuses the proof".to_owned(),
        _ => String::new(),
    }
}

/// The programs in a directory and below, by name.
fn files(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    for entry in entries {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "ser") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn programs(directory: &Path, page: &mut Page) -> Result<(), String> {
    let name = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
    page.section(format!("Programs in `{name}`"));
    page.table(&["program", "verdict", "on the text"]);
    let (mut proved, mut serializable, mut wrong) = (0, 0, 0);
    for file in files(directory)? {
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let Ok(input) = Input::program(text) else { continue };
        let alone = decide(&input, &options(&[Method::Lipton]));
        let others: Vec<Method> = Method::ALL.iter().copied().filter(|&method| method != Method::Lipton).collect();
        let verdict = within(LIMIT, |cancel| {
            let mut options = options(&others);
            options.cancel = cancel.clone();
            decide(&input, &options).verdict
        });
        let is_proved = matches!(alone.verdict, Verdict::Serializable(_));
        let verdict = match verdict {
            Verdict::Serializable(_) => "serializable",
            Verdict::NotSerializable(..) => "not serializable",
            Verdict::Fault(..) => "can fail",
            Verdict::Unusable(_) => "an error",
            _ if is_proved => "serializable, by this method alone",
            _ => "unknown",
        };
        if is_proved && matches!(verdict, "not serializable" | "an error") {
            wrong += 1;
            page.fail(format!("{} is proved: {verdict}", file.display()));
        }
        proved += usize::from(is_proved);
        serializable += usize::from(verdict.starts_with("serializable"));
        // Of what is not serializable there is no proof, and no reason is missing.
        if verdict.starts_with("serializable") || is_proved {
            let why = if is_proved { "proved".to_owned() } else { reason(&alone) };
            let stem = file.file_stem().unwrap_or_default().to_string_lossy();
            page.line(format!("| {stem} | {verdict} | {} |", why.replace('|', "\\|")));
        }
    }
    page.line(format!(
        "\n{proved} of {serializable} serializable programs are proved on their text; {wrong} are proved that are not serializable."
    ));
    Ok(())
}

/// One program of a family.
struct FamilyPoint {
    n: usize,
    find: Duration,
    bytes: usize,
}

/// Runs of which the fastest counts: what else a machine does can only slow them down.
const RUNS: usize = 3;

/// How long finding and checking took and the length of the certificate, or why there is none.
fn fastest(family: &Family, n: usize) -> Result<Result<(Duration, Duration, usize), String>, String> {
    let mut best: Option<(Duration, Duration, usize)> = None;
    for _ in 0..RUNS {
        let start = clock();
        let Ok(input) = Input::program(family.program(n)) else { return Err(format!("{} {n} is no program", family.name)) };
        let read = clock().saturating_sub(start);
        let decision = decide(&input, &options(&[Method::Lipton]));
        let Verdict::Serializable(evidence) = &decision.verdict else { return Ok(Err(reason(&decision))) };
        let (find, check) = (read + decision.times.decide + decision.times.certify, decision.times.verify);
        let (least, least_check) = best.map_or((find, check), |(found, checked, _)| (found.min(find), checked.min(check)));
        best = Some((least, least_check, evidence.certificate.len()));
    }
    best.map(Ok).ok_or_else(|| "nothing was run".to_owned())
}

fn families(page: &mut Page) -> Result<(), String> {
    page.section("Families");
    page.line("The exponent is that of n with which time, and the size of the certificate, grew from the size before; below 20 ms");
    page.line("no time is compared. Of three runs the fastest counts.\n");
    page.table(&["family", ">n", ">find, ms", ">check, ms", ">certificate, bytes", ">exponent of time", ">of the certificate"]);
    for &(name, sizes) in FAMILIES {
        let family = Family::named(name).ok_or_else(|| format!("there is no family {name}"))?;
        let mut before: Option<FamilyPoint> = None;
        for &n in sizes {
            let (find, check, bytes) = match fastest(family, n)? {
                Ok(measured) => measured,
                Err(why) => {
                    page.line(format!("| {name} | {n} | not proved: {why} | | | | |"));
                    page.fail(format!("{name} {n} is not proved: {why}"));
                    continue;
                }
            };
            let point = FamilyPoint { n, find, bytes };
            let grown = |of: fn(&FamilyPoint) -> u128, least: u128| {
                let before = before.as_ref().filter(|before| of(before) >= least);
                before.map_or_else(String::new, |before| exponent((before.n, of(before)), (n, of(&point))))
            };
            let (time, size) = (grown(|point| point.find.as_micros(), 20_000), grown(|point| point.bytes as u128, 1));
            let tenths = |time: Duration| format!("{}.{}", time.as_micros() / 1000, time.as_micros() / 100 % 10);
            page.line(format!("| {name} | {n} | {} | {} | {} | {time} | {size} |", tenths(find), tenths(check), point.bytes));
            before = Some(point);
        }
    }
    Ok(())
}

/// With which power of the size something has grown.
#[expect(clippy::float_arithmetic, clippy::cast_precision_loss, reason = "figures for people; no verdict depends on them")]
fn exponent((less, before): (usize, u128), (n, now): (usize, u128)) -> String {
    let (size, grown) = (n as f64 / less.max(1) as f64, now.max(1) as f64 / before.max(1) as f64);
    format!("{:.1}", grown.ln() / size.ln())
}
