//! `examples`: the programs of the gallery, nets and programs on weak memory, each with its story.

use serde::Serialize;
use serval::TextKind;

use crate::answer::{Unanswered, json};
use crate::asked::ModuleRequest;
use crate::groups::GROUPS;

include!(concat!(env!("OUT_DIR"), "/texts.rs"));

/// Where an example belongs.
#[derive(Serialize)]
struct ExampleGroup {
    name: &'static str,
    title: &'static str,
    about: &'static str,
}

#[derive(Serialize)]
struct Example {
    name: &'static str,
    group: &'static str,
    kind: &'static str,
    /// The verdict that its header expects, with the name of what is wrong.
    expects: String,
    /// What stands at its beginning.
    story: String,
    text: &'static str,
}

#[derive(Serialize)]
struct Examples {
    groups: Vec<ExampleGroup>,
    examples: Vec<Example>,
}

/// Groups that are no page of the gallery.
const OTHERS: [ExampleGroup; 2] = [
    ExampleGroup {
        name: "weak-memory",
        title: "Weak memory",
        about: "Threads on a machine whose stores wait in buffers: what can be read that no order of the statements explains.",
    },
    ExampleGroup { name: "nets", title: "Petri nets", about: "Places and transitions: deadlocks, bounds, and what can be reached." },
];

/// The group of an example.
fn group_of(folder: &str, name: &str) -> &'static str {
    match folder {
        "tso" => "weak-memory",
        "nets" => "nets",
        _ => GROUPS.iter().find(|group| group.examples.contains(&name)).map_or("", |group| group.page),
    }
}

/// The header of a text without marks of comments: what it expects, and its story.
fn header(text: &str) -> (String, String) {
    let lines = text.lines().take_while(|line| line.starts_with("//") || line.starts_with('#'));
    let (mut expects, mut story) = (String::new(), Vec::new());
    for line in lines.map(|line| line.trim_start_matches(['/', '#']).trim()) {
        match line.strip_prefix("expect:") {
            Some(rest) => expects = rest.trim().to_owned(),
            None => story.push(line),
        }
    }
    (expects, story.join(" "))
}

pub(crate) fn examples(_: &ModuleRequest) -> Result<String, Unanswered> {
    let groups = GROUPS.iter().map(|group| ExampleGroup { name: group.page, title: group.title, about: group.about });
    let kinds = |name: &'static str| name.rsplit_once('.').and_then(|(_, ending)| TextKind::of_ending(ending));
    let mut examples: Vec<Example> = TEXTS
        .iter()
        .filter_map(|&(folder, name, text)| {
            let kind = kinds(name)?;
            let (expects, story) = header(text);
            Some(Example { name, group: group_of(folder, name), kind: kind.ending(), expects, story, text })
        })
        .collect();
    // In the order of the pages.
    let place = |example: &Example| {
        let page = GROUPS.iter().position(|group| group.page == example.group);
        let row = page.and_then(|page| GROUPS[page].examples.iter().position(|name| *name == example.name));
        (page.unwrap_or(GROUPS.len()), row)
    };
    examples.sort_by_key(place);
    json(&Examples { groups: groups.chain(OTHERS).collect(), examples })
}
