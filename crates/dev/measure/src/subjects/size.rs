//! How large what is shipped is, each file beside its bound, and what each step of the profile `dist` brings.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::Value;
use serval_families::FAMILIES;

use super::{output, progress, read};
use crate::page::Page;

/// What the files of a release may have, in bytes, by kind.
const BOUNDS: [(&str, u64); 4] = [("wheel", 7_000_000), ("debian", 8_000_000), ("image", 6_000_000), ("extension", 300_000)];
/// What the programs may have. The page, where it is in one, is not part of it.
const PROGRAMS: [(&str, u64); 2] = [("serval", 14_000_000), ("serval-verify", 5_000_000)];
/// How often a folder is decided about; the least time counts.
const RUNS: usize = 3;

/// Sizes of a release, and of the programs that each step of the profile gives; times for a suite and the families.
pub fn page(release: &Path, steps: bool, suite: Option<&Path>) -> Result<Page, String> {
    let mut page = Page::new(
        "Sizes",
        "What is shipped, in bytes of 1,000,000 to the MB, beside what it may have. The programs are stripped; all files of a\n\
         release have the same.",
    );
    let work = std::env::temp_dir().join(format!("serval-size-{}", std::process::id()));
    let found = files(&mut page, release, &work).and_then(|()| if steps { profile(&mut page, suite, &work) } else { Ok(()) });
    let _ = std::fs::remove_dir_all(&work);
    found.map(|()| page)
}

fn megabytes(bytes: u64) -> String {
    format!("{}.{:02}", bytes / 1_000_000, bytes % 1_000_000 / 10_000)
}

fn row(page: &mut Page, what: &str, size: u64, bound: Option<u64>) {
    page.line(format!("| {what} | {} | {} |", megabytes(size), bound.map_or("–".to_owned(), megabytes)));
    if bound.is_some_and(|bound| size > bound) {
        page.fail(format!("{what}: {} MB", megabytes(size)));
    }
}

fn size(path: &Path) -> Result<u64, String> {
    std::fs::metadata(path).map(|data| data.len()).map_err(|error| format!("{}: {error}", path.display()))
}

/// The files of a release, and the programs in its archive.
fn files(page: &mut Page, release: &Path, work: &Path) -> Result<(), String> {
    let manifest: Value = serde_json::from_str(&read(&release.join("manifest.json"))?).map_err(|error| error.to_string())?;
    let all = manifest["files"].as_array().ok_or("the manifest has no files")?;
    let field = |one: &Value, name: &str| one[name].as_str().unwrap_or_default().to_owned();
    page.section(format!("A release: {}, commit {:.8}", field(&manifest, "version"), field(&manifest, "commit")));
    page.table(&["file", ">MB", ">bound"]);
    let archive = all.iter().find(|one| one["kind"] == "archive").ok_or("the manifest has no archive")?;
    std::fs::create_dir_all(work).map_err(|error| error.to_string())?;
    let mut unpack = Command::new("tar");
    unpack.arg("-xzf").arg(release.join(field(archive, "name"))).arg("-C").arg(work);
    if !output(&mut unpack)?.status.success() {
        return Err("the archive cannot be unpacked".to_owned());
    }
    let programs = work.join(format!("serval-{}/bin", field(&manifest, "version")));
    // What `serval playground` serves is in the program as it is.
    let inside: u64 = all.iter().filter(|one| one["kind"] == "page").filter_map(|one| one["size"].as_u64()).sum();
    for (name, bound) in PROGRAMS {
        let whole = size(&programs.join(name))?;
        let pages = if name == "serval" { inside } else { 0 };
        let what = if pages == 0 { format!("`{name}`") } else { format!("`{name}`, without the page in it") };
        row(page, &what, whole.saturating_sub(pages), Some(bound));
    }
    let wanted = |one: &&Value| !["crate", "other", "notes"].iter().any(|kind| one["kind"] == *kind);
    for one in all.iter().filter(wanted) {
        let kind = field(one, "kind");
        let bound = BOUNDS.iter().find(|(name, _)| *name == kind).map(|(_, bound)| *bound);
        row(page, &format!("{kind}: `{}`", field(one, "name")), one["size"].as_u64().unwrap_or_default(), bound);
    }
    let crates: u64 = all.iter().filter(|one| one["kind"] == "crate").filter_map(|one| one["size"].as_u64()).sum();
    row(page, "all crates", crates, None);
    Ok(())
}

/// What a step changes, beginning with everything optimised for speed; each has what those before it have.
fn steps() -> Result<Vec<(&'static str, Vec<String>)>, String> {
    let manifest = read(Path::new("Cargo.toml"))?;
    let cold = manifest.lines().filter_map(|line| line.strip_prefix("[profile.dist.package.")?.strip_suffix(']'));
    let cold: Vec<String> = cold.map(|name| format!("profile.dist.package.{name}.opt-level=3")).collect();
    let set = |words: &[&str]| words.iter().map(|word| format!("profile.dist.{word}")).collect::<Vec<_>>();
    let loose = set(&["lto=\"off\"", "codegen-units=4"]);
    Ok(vec![
        ("all at level 3, four units, with symbols", [cold.clone(), loose.clone(), set(&["strip=\"debuginfo\""])].concat()),
        ("without symbols", [cold, loose.clone()].concat()),
        ("what is cold at level `s`", loose),
        ("optimised as a whole, four units", set(&["codegen-units=4"])),
        ("one unit: `dist`", Vec::new()),
    ])
}

/// Builds each step, which takes several minutes for each, and looks at the program.
fn profile(page: &mut Page, suite: Option<&Path>, work: &Path) -> Result<(), String> {
    page.section("What each step of the profile brings");
    page.table(&["profile", ">to build, s", ">MB", ">compressed, MB", ">suite, ms", ">families, ms"]);
    let families = work.join("families");
    std::fs::create_dir_all(&families).map_err(|error| error.to_string())?;
    for family in FAMILIES.iter().filter(|family| !family.on_text) {
        let path = families.join(format!("{}.ser", family.name));
        std::fs::write(&path, family.program(family.usual)).map_err(|error| error.to_string())?;
    }
    for (what, settings) in steps()? {
        progress(what);
        let begun = Instant::now();
        let mut build = Command::new("scripts/static");
        build.args(["--profile", "dist"]).args(settings.iter().flat_map(|setting| ["--config", setting]));
        let built = output(build.stderr(Stdio::inherit()))?;
        if !built.status.success() {
            return Err(format!("{what}: cannot be built"));
        }
        let seconds = begun.elapsed().as_secs();
        let said = String::from_utf8_lossy(&built.stdout).into_owned();
        let program = PathBuf::from(said.lines().last().unwrap_or_default());
        let squeezed = output(Command::new("gzip").args(["-9", "--stdout"]).arg(&program))?.stdout.len();
        let suite = suite.map_or(Ok("–".to_owned()), |suite| time(&program, suite))?;
        let whole = megabytes(size(&program)?);
        let squeezed = megabytes(u64::try_from(squeezed).unwrap_or(u64::MAX));
        page.line(format!("| {what} | {seconds} | {whole} | {squeezed} | {suite} | {} |", time(&program, &families)?));
    }
    Ok(())
}

/// The least time for all files of a folder, on one core, in milliseconds.
fn time(program: &Path, folder: &Path) -> Result<String, String> {
    let mut least = u128::MAX;
    for _ in 0..RUNS {
        let begun = Instant::now();
        let mut check = Command::new(program);
        check.args(["check", "-q", "--no-cache", "--jobs", "1", "--exit-zero", "--timeout", "20"]).arg(folder);
        if !output(&mut check)?.status.success() {
            return Err(format!("{} cannot decide about {}", program.display(), folder.display()));
        }
        least = least.min(begun.elapsed().as_millis());
    }
    Ok(least.to_string())
}
