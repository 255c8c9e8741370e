//! What a subject has found, as a page: title, what it is about, command, commit, machine, and the result.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A page, and the files that belong to it.
#[derive(Debug, Default)]
pub struct Page {
    title: String,
    about: String,
    body: String,
    files: Vec<(String, String)>,
    wrong: Vec<String>,
}

/// What made a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The arguments of `measure`.
    pub command: String,
    /// The commit, with its date, and whether the checkout differs from it.
    pub commit: String,
    /// The processor, its cores and the memory.
    pub machine: String,
    /// How long the subject took.
    pub seconds: u64,
}

impl Page {
    /// An empty page.
    pub fn new(title: impl Into<String>, about: impl Into<String>) -> Self {
        Self { title: title.into(), about: about.into(), ..Self::default() }
    }

    /// Adds a line.
    pub fn line(&mut self, line: impl AsRef<str>) {
        self.body.push_str(line.as_ref());
        self.body.push('\n');
    }

    /// Begins a section.
    pub fn section(&mut self, heading: impl fmt::Display) {
        let before = if self.body.is_empty() { "" } else { "\n" };
        self.body.push_str(&format!("{before}## {heading}\n\n"));
    }

    /// Begins a table; a column whose heading begins with `>` has numbers.
    pub fn table(&mut self, headings: &[&str]) {
        let names: Vec<&str> = headings.iter().map(|heading| heading.trim_start_matches('>')).collect();
        let rule: Vec<&str> = headings.iter().map(|heading| if heading.starts_with('>') { "---:" } else { "---" }).collect();
        self.line(format!("| {} |\n|{}|", names.join(" | "), rule.join("|")));
    }

    /// A file that is written beside the page.
    pub fn file(&mut self, name: impl Into<String>, text: impl Into<String>) {
        self.files.push((name.into(), text.into()));
    }

    /// Something is wrong: the page says so, and the program ends with 1.
    pub fn fail(&mut self, why: impl Into<String>) {
        self.wrong.push(why.into());
    }

    /// What is wrong.
    pub fn wrong(&self) -> &[String] {
        &self.wrong
    }

    /// The page as Markdown.
    pub fn text(&self, made: &Provenance) -> String {
        let Provenance { command, commit, machine, seconds } = made;
        let mut text = format!(
            "# {}\n\n{}\n\n- Command: `{command}`, {seconds} s\n- Commit: {commit}\n- Machine: {machine}\n\n{}",
            self.title,
            self.about,
            self.body.trim_start_matches('\n')
        );
        if !self.wrong.is_empty() {
            text.push_str("\n## Wrong\n\n");
            self.wrong.iter().for_each(|why| text.push_str(&format!("- {}\n", why.lines().next().unwrap_or_default())));
        }
        text
    }

    /// Writes the page as `NAME.md` into a directory, with its files; gives the paths.
    pub fn write(&self, directory: &Path, name: &str, made: &Provenance) -> Result<Vec<PathBuf>, String> {
        std::fs::create_dir_all(directory).map_err(|error| format!("cannot make {}: {error}", directory.display()))?;
        let page = (format!("{name}.md"), self.text(made));
        let mut paths = Vec::new();
        for (name, text) in std::iter::once(&page).chain(&self.files) {
            let path = directory.join(name);
            std::fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
            paths.push(path);
        }
        Ok(paths)
    }
}

impl fmt::Write for Page {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.body.push_str(text);
        Ok(())
    }
}

impl Provenance {
    /// What the system says of this checkout and this machine.
    pub fn of_this(command: String, seconds: u64) -> Self {
        Self { command, commit: commit(), machine: machine(), seconds }
    }
}

/// The first line that `git` prints.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned())
}

fn commit() -> String {
    let Some(commit) = git(&["log", "-1", "--format=%h of %cs"]) else { return "unknown".to_owned() };
    match git(&["status", "--porcelain", "--untracked-files=no"]).as_deref() {
        Some("") => commit,
        _ => format!("{commit}, with changes that are not committed"),
    }
}

fn machine() -> String {
    let field = |file: &str, name: &str| {
        let text = std::fs::read_to_string(file).ok()?;
        let line = text.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let processor = field("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let memory = field("/proc/meminfo", "MemTotal").and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    let memory = memory.map_or_else(String::new, |kib| format!(", {} GiB", kib.div_ceil(1 << 20)));
    format!("{processor}, {cores} cores{memory}")
}
