//! Explicit search of nets and weak memory, against an older program: both answer the same questions in turns, with
//! evidence and its check, and must print the same.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serval_soundness::weak_memory::sizes::{filter, ring};

use super::{progress, read, serval};
use crate::page::Page;

/// Nets of the contest that are small enough for all markings, by the beginning of their names.
const NETS: [&str; 5] = ["CloudOpsManagement-PT-00002", "Raft-PT-02", "Referendum-PT-0010", "SatelliteMemory-PT-X00100", "TwoPhaseLocking"];

/// What both programs are asked: a name, and the arguments.
struct OlderCase {
    name: String,
    arguments: Vec<String>,
}

/// What a run took.
struct MeasuredRun {
    /// Hundredths of seconds on a core.
    ticks: u64,
    /// The peak of memory, in KiB.
    peak: u64,
    printed: Vec<u8>,
}

/// The Kanban system with so many tokens (Ciardo, Tilgner 1996).
fn kanban(tokens: usize) -> String {
    let mut text = "net kanban\n".to_owned();
    for cell in 1..=4 {
        let _ = writeln!(text, "pl m{cell} (0)\npl b{cell} (0)\npl o{cell} (0)\npl k{cell} ({tokens})");
        let _ = writeln!(text, "tr redo{cell} m{cell} -> b{cell}\ntr back{cell} b{cell} -> m{cell}\ntr ok{cell} m{cell} -> o{cell}");
    }
    text + "tr in k1 -> m1\ntr split o1 k2 k3 -> k1 m2 m3\ntr join o2 o3 k4 -> k2 k3 m4\ntr out o4 -> k4\n"
}

fn field(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

/// How long children that have ended were on a core, in ticks of the system: hundredths of seconds.
fn children() -> Option<u64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    Some(fields.get(13)?.parse::<u64>().ok()? + fields.get(14)?.parse::<u64>().ok()?)
}

fn run(program: &Path, case: &OlderCase, directory: &Path) -> Result<MeasuredRun, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", program.display());
    let out = directory.join("out");
    let before = children().ok_or("the system does not say how long a program was on a core")?;
    let file = std::fs::File::create(&out).map_err(failed)?;
    let mut child = Command::new(program).args(&case.arguments).stdout(file).stderr(Stdio::null()).spawn().map_err(failed)?;
    let (status, mut peak) = (format!("/proc/{}/status", child.id()), 0);
    while child.try_wait().map_err(failed)?.is_none() {
        peak = std::fs::read_to_string(&status).ok().and_then(|text| field(&text, "VmHWM:")).unwrap_or(0).max(peak);
        std::thread::sleep(Duration::from_millis(1));
    }
    let ticks = children().unwrap_or(before) - before;
    Ok(MeasuredRun { ticks, peak, printed: std::fs::read(&out).map_err(failed)? })
}

fn cases(contest: &Path, memory: &Path, directory: &Path) -> Result<Vec<OlderCase>, String> {
    let mut cases = Vec::new();
    let mut net = |name: String, path: &Path, place: &str| {
        let question = format!("invariant:{place} <= 1000000");
        let arguments = ["net", "check", &path.to_string_lossy(), "-p", &question, "--method", "explicit", "--no-times"];
        cases.push(OlderCase { name, arguments: arguments.map(str::to_owned).to_vec() });
    };
    let kanban_file = directory.join("kanban.net");
    std::fs::write(&kanban_file, kanban(4)).map_err(|error| error.to_string())?;
    net("Kanban with 4 tokens, 454,475 markings".to_owned(), &kanban_file, "k1");
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(contest).map_err(|error| error.to_string())?.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    for folder in folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if NETS.iter().any(|beginning| name.starts_with(beginning)) {
            let model = folder.join("model.pnml");
            let text = read(&model)?;
            let place = text.split("<place id=\"").nth(1).and_then(|rest| rest.split('"').next()).ok_or("a model has no place")?.to_owned();
            net(name, &model, &place);
        }
    }
    let mut program = |name: String, path: &Path| {
        let arguments = ["tso", "check", &path.to_string_lossy(), "--no-times"].map(str::to_owned).to_vec();
        cases.push(OlderCase { name, arguments });
    };
    for (name, text) in [
        ("the filter lock of 3 threads, with fences", filter(3, "fence;")),
        ("the filter lock of 3 threads", filter(3, "")),
        ("store buffering in a ring of 12 threads", ring(12, "")),
    ] {
        let path = directory.join(format!("{}.tso", file_name(name)));
        std::fs::write(&path, text).map_err(|error| error.to_string())?;
        program(name.to_owned(), &path);
    }
    program("all of the directory on weak memory".to_owned(), memory);
    Ok(cases)
}

fn file_name(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect()
}

/// Asks both, five times in turns; of each the least counts.
pub fn page(old: &Path, contest: &Path, memory: &Path) -> Result<Page, String> {
    let now = serval()?;
    let directory = std::env::temp_dir().join(format!("serval-older-{}", std::process::id()));
    std::fs::create_dir_all(&directory).map_err(|error| error.to_string())?;
    let mut page = Page::new(
        "Explicit search, old against new",
        "Seconds on a core and the peak of memory of the whole program, with evidence and its check; the least of five runs in turns.",
    );
    page.table(&["question", ">old, s", ">new, s", ">times as fast", ">old, MB", ">new, MB", ">share"]);
    for case in cases(contest, memory, &directory)? {
        progress(&case.name);
        let mut least = [[u64::MAX; 2]; 2];
        for _ in 0..5 {
            let mut printed = Vec::new();
            for (program, least) in [old, &now].into_iter().zip(&mut least) {
                let run = run(program, &case, &directory)?;
                *least = [least[0].min(run.ticks), least[1].min(run.peak)];
                printed.push(run.printed);
            }
            if printed[0] != printed[1] {
                page.fail(format!("{}: the programs say different things", case.name));
            }
        }
        let [[old_ticks, old_peak], [new_ticks, new_peak]] = least;
        let seconds = |ticks: u64| format!("{}.{:02}", ticks / 100, ticks % 100);
        let megabytes = |kib: u64| (kib * 1024 + 500_000) / 1_000_000;
        let faster = (old_ticks * 10).checked_div(new_ticks).map_or("–".to_owned(), |tenths| format!("{}.{}", tenths / 10, tenths % 10));
        page.line(format!(
            "| {} | {} | {} | {faster} | {} | {} | {} % |",
            case.name,
            seconds(old_ticks),
            seconds(new_ticks),
            megabytes(old_peak),
            megabytes(new_peak),
            (new_peak * 100).checked_div(old_peak).unwrap_or(0)
        ));
    }
    std::fs::remove_dir_all(&directory).map_err(|error| error.to_string())?;
    Ok(page)
}
