//! The gallery of the book, and all pictures in the book, are made here from
//! `examples/` and from the programs of the pages. The tests fail where
//! something is stale; `SERVAL_UPDATE=1 cargo test -p serval-cli --test book gallery`
//! makes everything anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use serval_effort::{side_by_side, skips};

use crate::gallery_groups::{GROUPS, GalleryGroup};
use crate::support::{command, directory, root, text};

/// What has to be in the book, by path from `docs/src`.
type Made = BTreeMap<String, String>;

fn book() -> PathBuf {
    root().join("docs/src")
}

/// Runs the binary as in the sessions of the book.
fn told(arguments: &[&str], statuses: &[i32]) -> String {
    let output = command(arguments).env("LC_ALL", "C.UTF-8").env("COLUMNS", "").output().unwrap();
    let status = output.status.code().unwrap();
    assert!(statuses.contains(&status), "{arguments:?}: {status}\n{}", text(&output.stderr));
    text(&output.stdout)
}

/// Compares with the book; writes it with `SERVAL_UPDATE`.
fn compare(made: &Made) {
    let mut stale = Vec::new();
    for (name, now) in made {
        let path = book().join(name);
        if std::fs::read_to_string(&path).is_ok_and(|known| known == *now) {
            continue;
        }
        if std::env::var_os("SERVAL_UPDATE").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, now).unwrap();
        } else {
            stale.push(name);
        }
    }
    assert!(stale.is_empty(), "stale: {stale:?}; `SERVAL_UPDATE=1 cargo test -p serval-cli --test book gallery` makes them anew");
}

/// Files in a directory with one of these endings, by name.
fn names(directory: &Path, endings: &[&str]) -> BTreeSet<String> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    entries.filter(|name| endings.iter().any(|ending| name.ends_with(ending))).collect()
}

fn stem(example: &str) -> &str {
    example.rsplit_once('.').unwrap().0
}

/// An example, ready for its page.
struct Example {
    name: &'static str,
    /// What the header tells, without the line for the machine.
    story: String,
    /// The program without its header.
    program: String,
    report: String,
    is_serializable: bool,
    can_fail: bool,
    /// The name of the anomaly.
    anomaly: Option<String>,
    /// How many requests the counterexample has.
    requests: Option<String>,
    fix: Option<String>,
    picture: String,
}

/// The header of a program as sentences, and what follows it.
fn header(program: &str) -> (String, String) {
    let mut rest = program;
    let mut story = Vec::new();
    while let Some(line) = rest.lines().next().filter(|line| line.starts_with("//")) {
        rest = rest[line.len()..].trim_start_matches('\n');
        if !line.starts_with("// expect:") {
            story.push(line.trim_start_matches('/').trim());
        }
    }
    (story.join("\n"), rest.to_owned())
}

/// JSON has no comments: the stories of systems are in the list of examples.
fn story_in_list(name: &str) -> String {
    let list = std::fs::read_to_string(root().join("examples/README.md")).unwrap();
    let start = format!("**{name}** – ");
    let paragraph = list.split("\n\n").find_map(|paragraph| paragraph.strip_prefix(&start)).unwrap();
    // The verdict stands elsewhere on the page.
    paragraph.split_once("serializable. ").unwrap().1.trim_end().to_owned()
}

/// What the list of examples says in one sentence.
fn sentence(list: &str, name: &str) -> String {
    let start = format!("| [{name}]({name}) | ");
    let row = list.lines().find_map(|line| line.strip_prefix(&start)).unwrap_or_else(|| panic!("{name} is not in examples/README.md"));
    row.trim_end_matches(" |").rsplit_once(" | ").unwrap().1.to_owned()
}

fn example(name: &'static str, scratch: &Path) -> Example {
    let file = format!("examples/{name}");
    let source = std::fs::read_to_string(root().join(&file)).unwrap();
    let (story, program) = if name.ends_with(".json") { (story_in_list(name), source) } else { header(&source) };
    let drawing = scratch.join(format!("{}.svg", stem(name)));
    let drawn = drawing.to_str().unwrap();
    let report = told(&["check", &file, "--no-times", "--svg", drawn], &[0, 1]);
    let first = report.lines().next().unwrap();
    let is_serializable = first.starts_with("serializable");
    let can_fail = first.starts_with("can fail ");
    assert!(is_serializable || can_fail || first.starts_with("not serializable "), "{name}: {first}");
    if is_serializable {
        told(&["export", &file, "--to", "svg", "--out", drawn], &[0]);
    }
    // What stands in columns is separated by several blanks.
    let columns: Vec<&str> = first.split("   ").collect();
    let number = |column: &&str| column.split_once(" requests").map(|(number, _)| number.to_owned());
    let requests = columns.iter().find_map(number).filter(|_| !is_serializable);
    let anomaly = columns.get(1).filter(|name| !is_serializable && !can_fail && !name.contains("requests")).map(|name| (*name).to_owned());
    let fix = (!is_serializable && name.ends_with(".ser")).then(|| told(&["fix", &file], &[0, 1]));
    let picture = std::fs::read_to_string(&drawing).unwrap();
    Example { name, story, program, report, is_serializable, can_fail, anomaly, requests, fix, picture }
}

/// Prose of a comment as Markdown: examples that are named become links.
fn linked(story: &str, from: &GalleryGroup, places: &BTreeMap<&str, &str>) -> String {
    let mut out = String::new();
    for (number, part) in story.split('`').enumerate() {
        if number > 0 {
            out.push('`');
        }
        if number % 2 == 1 {
            out.push_str(part);
            continue;
        }
        let mut word = String::new();
        for character in part.chars().chain(['\n']) {
            if character.is_ascii_alphanumeric() || matches!(character, '-' | '.') {
                word.push(character);
                continue;
            }
            let (name, point) = word.strip_suffix('.').map_or((word.as_str(), ""), |name| (name, "."));
            match places.get(name) {
                Some(&page) if page == from.page => write!(out, "[{name}](#{}){point}", stem(name)).unwrap(),
                Some(page) => write!(out, "[{name}]({page}.md#{}){point}", stem(name)).unwrap(),
                None => out.push_str(&word),
            }
            word.clear();
            match character {
                '<' | '*' | '_' | '[' => out.extend(['\\', character]),
                _ => out.push(character),
            }
        }
        // The end that was added.
        out.pop();
    }
    out
}

fn verdict(example: &Example) -> String {
    if example.is_serializable {
        return "serializable".to_owned();
    }
    if example.can_fail {
        return "can fail".to_owned();
    }
    match &example.anomaly {
        Some(anomaly) => format!("not serializable: [{anomaly}](../anomalies/{}.md)", anomaly.replace(' ', "-")),
        None => "not serializable".to_owned(),
    }
}

fn section(example: &Example, group: &GalleryGroup, places: &BTreeMap<&str, &str>) -> String {
    let Example { name, program, report, picture: _, .. } = example;
    let title = stem(name);
    let mut out = format!("## {title}\n\n{}\n\n", linked(&example.story, group, places));
    let requests = example.requests.as_ref().map_or_else(String::new, |number| format!(", shown with {number} requests"));
    write!(out, "**{}**{requests}.\n\n", verdict(example)).unwrap();
    let language = if name.ends_with(".ser") { "ser" } else { "json" };
    write!(out, "```{language}\n{}\n```\n\n", program.trim_end()).unwrap();
    // The certificate is named on every report.
    let short = report.trim_end().trim_end_matches("certificate     run checked").trim_end();
    write!(out, "```console\n$ serval check examples/{name}\n{short}\n```\n\n").unwrap();
    let shown = if example.is_serializable { "The network system of" } else { "The run that is shown for" };
    write!(out, "![{shown} {name}]({title}.svg)\n\n").unwrap();
    if let Some(fix) = &example.fix {
        write!(out, "```console\n$ serval fix examples/{name}\n{}\n```\n\n", fix.trim_end()).unwrap();
    }
    out
}

const MADE: &str = "<!-- Made from examples/ by `SERVAL_UPDATE=1 cargo test -p serval-cli --test book gallery`. -->\n\n";

fn page(group: &GalleryGroup, examples: &[Example], places: &BTreeMap<&str, &str>) -> String {
    let mut out = format!("{MADE}# {}\n\n{}\n\n", group.title, group.about);
    for example in examples {
        out.push_str(&section(example, group, places));
    }
    out.trim_end().to_owned() + "\n"
}

const OVERVIEW: &str = "\
All programs of `examples/`, each with its story, its verdict, the report and a picture. For a program that is not serializable
the picture is the run of the report: a lane for each request, time from top to bottom, arrows for the conflicts that no serial
order explains, in the order in which the report tells them. For one that is serializable it is the [network
system](network-systems.md): how a request goes from state to state. Fixes are those that `serval fix` offers. Line numbers are
those of the files, which begin with their stories.

[How to read a report](tutorial.md#reading-the-report) is in the tutorial.
";

fn overview(all: &[(&GalleryGroup, Vec<Example>)]) -> String {
    let examples = || all.iter().flat_map(|(_, examples)| examples);
    let list = std::fs::read_to_string(root().join("examples/README.md")).unwrap();
    let good = examples().filter(|example| example.is_serializable).count();
    let mut out = format!("{MADE}# Gallery\n\n{OVERVIEW}\n");
    let fails = examples().filter(|example| example.can_fail).count();
    let bad = examples().count() - good - fails;
    writeln!(out, "Of {} examples {good} are serializable, {bad} are not, and {fails} can fail.", examples().count()).unwrap();
    for (group, examples) in all {
        write!(
            out,
            "\n## [{}](gallery/{}.md)\n\n{}\n\n| example | verdict | story |\n|---|---|---|\n",
            group.title, group.page, group.about
        )
        .unwrap();
        for example in examples {
            let title = stem(example.name);
            let verdict = verdict(example).replace("../anomalies", "anomalies");
            let story = sentence(&list, example.name);
            writeln!(out, "| [{title}](gallery/{}.md#{title}) | {verdict} | {story} |", group.page).unwrap();
        }
    }
    out
}

#[test]
fn every_example_is_in_one_group() {
    let grouped: Vec<&str> = GROUPS.iter().flat_map(|group| group.examples.iter().copied()).collect();
    let names = names(&root().join("examples"), &[".ser", ".json"]);
    assert_eq!(grouped.len(), grouped.iter().collect::<BTreeSet<_>>().len(), "an example is in two groups of groups.rs");
    let grouped: BTreeSet<String> = grouped.into_iter().map(str::to_owned).collect();
    assert_eq!(grouped, names, "groups in groups.rs, and examples");
}

#[test]
fn the_gallery_is_fresh() {
    if skips("cli.gallery") {
        return;
    }
    let scratch = directory("gallery");
    let places: BTreeMap<&str, &str> =
        GROUPS.iter().flat_map(|group| group.examples.iter().map(|&example| (example, group.page))).collect();
    let mut made = Made::new();
    let mut all = Vec::new();
    let names_of_all: Vec<&'static str> = GROUPS.iter().flat_map(|group| group.examples.iter().copied()).collect();
    let mut ready = side_by_side(&names_of_all, |&name| example(name, &scratch)).into_iter();
    for group in GROUPS {
        let examples: Vec<Example> = ready.by_ref().take(group.examples.len()).collect();
        made.insert(format!("gallery/{}.md", group.page), page(group, &examples, &places));
        for example in &examples {
            made.insert(format!("gallery/{}.svg", stem(example.name)), example.picture.clone());
        }
        all.push((group, examples));
    }
    made.insert("gallery.md".to_owned(), overview(&all));
    compare(&made);
    let there = names(&book().join("gallery"), &[""]);
    let old: Vec<&String> = there.iter().filter(|name| !made.contains_key(&format!("gallery/{name}"))).collect();
    assert!(old.is_empty(), "of no example: {old:?}");
}

/// Pictures of pages that are written by hand, and the commands that draw them.
#[test]
fn pictures_of_pages_are_fresh() {
    let scratch = directory("pictures");
    let mut made = Made::new();
    let mut draw = |picture: &str, arguments: &[&str]| {
        let path = scratch.join(picture.replace('/', "_"));
        told(&[arguments, &[path.to_str().unwrap()]].concat(), &[0, 1]);
        made.insert(picture.to_owned(), std::fs::read_to_string(&path).unwrap());
    };
    let anomalies = book().join("anomalies");
    for name in names(&anomalies, &[".ser"]) {
        let file = format!("docs/src/anomalies/{name}");
        let program = std::fs::read_to_string(root().join(&file)).unwrap();
        let picture = format!("anomalies/{}.svg", stem(&name));
        if program.starts_with("// expect: not-serializable") {
            draw(&picture, &["check", &file, "--no-fix", "--svg"]);
        } else if name == "stuck.ser" {
            draw(&picture, &["export", &file, "--to", "svg", "--out"]);
        }
    }
    draw("tutorial/withdraw.svg", &["check", "docs/src/tutorial/withdraw.ser", "--no-fix", "--svg"]);
    draw("green/none.svg", &["check", "docs/src/green-none.ser", "--no-fix", "--svg"]);
    draw("green/some.svg", &["check", "examples/cache-fill-after-put.ser", "--strict", "--no-fix", "--svg"]);
    for (form, picture) in [("svg", "system"), ("nfa-svg", "automaton"), ("net-svg", "net")] {
        let file = "docs/src/running-example-locked.ser";
        draw(&format!("how-it-works/{picture}.svg"), &["export", file, "--to", form, "--out"]);
    }
    draw("how-it-works/run.svg", &["check", "docs/src/running-example.ser", "--no-fix", "--svg"]);
    // Each rule by which nets become smaller, before and after.
    let page = std::fs::read_to_string(book().join("reductions.md")).unwrap();
    for rule in serval::nets::reduction_rules() {
        let file = format!("docs/src/reductions/{rule}.net");
        let net = std::fs::read_to_string(root().join(&file)).unwrap();
        let asked = net.lines().find_map(|line| line.strip_prefix("# Asked: ")).unwrap();
        draw(&format!("reductions/{rule}-before.svg"), &["net", "export", &file, "--to", "svg", "--out"]);
        draw(
            &format!("reductions/{rule}-after.svg"),
            &["net", "reduce", &file, "--property", asked, "--reduce", rule, "--to", "svg", "--out"],
        );
        assert!(
            page.contains(&format!("](reductions/{rule}-before.svg) | ![")) && page.contains(&format!("](reductions/{rule}-after.svg) |"))
        );
        assert!(page.contains(&format!("The question is `{asked}`.")), "{rule}");
    }
    for name in names(&book().join("reductions"), &[".svg"]) {
        assert!(made.contains_key(&format!("reductions/{name}")), "of no rule: {name}");
    }
    compare(&made);
}
