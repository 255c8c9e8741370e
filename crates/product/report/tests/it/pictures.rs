//! All three pictures of every program and system at hand: what pictures promise
//! holds, and they say what the system has.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serval_budget::Budget;
use serval_compile::{Options, compile};
use serval_draw::{Graph, MOST_BOXES, Picture, Shape, draw};
use serval_effort::{side_by_side, skips};

use serval_classic_engine::{Places, interleaving};
use serval_model::{NetworkSystem, SerialAutomaton, SystemBuilder, systems_from_json};
use serval_petri::Net;
use serval_report::pictures::{self, Interleaving, View};
use serval_report::{Labels, PlainLabels, ProgramLabels};
use serval_syntax::{ExpectedVerdict, LineIndex, analyze};
use serval_testkit::say;
use serval_testkit::suite::{data_dir, repository_root};

/// Places and transitions that requests can get to, and the arcs between them,
/// counted on the system.
fn live(system: &NetworkSystem) -> (usize, usize) {
    let mut globals = BTreeSet::from([system.initial_global()]);
    let mut locals: BTreeSet<_> = system.starts().iter().copied().collect();
    loop {
        let before = (globals.len(), locals.len());
        for step in system.steps() {
            for request in system.requests() {
                if locals.contains(&(request, step.local)) && globals.contains(&step.global) {
                    globals.insert(step.to_global);
                    locals.insert((request, step.to_local));
                }
            }
        }
        if before == (globals.len(), locals.len()) {
            break;
        }
    }
    let made = |request, step: &serval_model::Step| locals.contains(&(request, step.local)) && globals.contains(&step.global);
    let steps: usize = system.requests().map(|request| system.steps().iter().filter(|step| made(request, step)).count()).sum();
    let given: Vec<_> =
        locals.iter().flat_map(|&(request, local)| system.answers_of(local).iter().map(move |&answer| (request, answer))).collect();
    let answers: BTreeSet<_> = given.iter().collect();
    let spawns = system.starts().len();
    (globals.len() + locals.len() + answers.len() + spawns + steps + given.len(), spawns + 4 * steps + 2 * given.len())
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|has| has == "ser" || has == "json"));
    files.sort();
    files
}

fn check(graph: &Graph, view: View, name: &str) -> Picture {
    let picture = draw(graph);
    picture.check_invariants();
    assert_eq!(picture, draw(graph), "{name}");
    assert!(picture.nodes.len() <= MOST_BOXES, "{name}: {} boxes", picture.nodes.len());
    assert_eq!(picture.is_grouped(), picture.note.is_some(), "{name}");
    let words = view.words(name);
    for svg in [picture.svg("a", &words.words()), picture.element("b", &words.words())] {
        let document = roxmltree::Document::parse(&svg).unwrap_or_else(|error| panic!("{name}: {error}"));
        let titles = document.root_element().children().filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "title")));
        assert_eq!(titles.map(|title| title.text().unwrap_or_default()).collect::<Vec<_>>(), [words.title.as_str()], "{name}");
    }
    picture
}

/// Checks the three pictures of the components of one input; how many are grouped.
fn check_all(systems: &[(&NetworkSystem, &dyn Labels)], name: &str) -> [bool; 3] {
    let system = check(&pictures::system(systems), View::System, name);
    if !system.is_grouped() {
        let count: usize = systems.iter().map(|(system, _)| system.local_count() + system.request_count()).sum();
        assert_eq!(system.nodes.len(), count, "{name}");
    }

    let budget = || Budget::ticks(50_000_000);
    let automata: Vec<SerialAutomaton> = systems.iter().map(|(system, _)| SerialAutomaton::new(system, &mut budget()).unwrap()).collect();
    let rows: Vec<_> = systems.iter().zip(&automata).map(|(&(system, labels), automaton)| (system, automaton, labels)).collect();
    let automaton = check(&pictures::automaton(&rows), View::Automaton, name);
    assert_eq!(automaton.node_count, automata.iter().map(|automaton| automaton.states().len()).sum::<usize>(), "{name}");
    assert_eq!(automaton.nodes.iter().filter(|node| node.initial).count(), systems.len(), "{name}");

    let nets: Vec<(Net, Places)> = systems.iter().map(|(system, _)| interleaving(system).unwrap()).collect();
    let rows = systems.iter().zip(&nets);
    let rows = rows.map(|((system, _), (net, places))| Interleaving { system, net, places: places.kinds(), transitions: places.actions() });
    let rows: Vec<_> = rows.collect();
    let net = check(&pictures::net(&rows), View::Net, name);
    let size: usize = nets.iter().map(|(net, _)| net.place_count() + net.transition_count()).sum();
    let live: Vec<(usize, usize)> = systems.iter().map(|(system, _)| live(system)).collect();
    let (nodes, arcs) = live.iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    assert_eq!((net.node_count, net.edge_count), (nodes, arcs), "{name}");
    assert!(nodes <= size, "{name}");
    assert_eq!(net.nodes.iter().filter(|node| node.token).count(), systems.len(), "{name}");
    [system.is_grouped(), automaton.is_grouped(), net.is_grouped()]
}

fn check_file(path: &Path) -> [bool; 3] {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let text = std::fs::read_to_string(path).unwrap();
    if path.extension().is_some_and(|has| has == "json") {
        let systems = systems_from_json(&text).unwrap();
        return check_all(&systems.iter().map(|system| (system, &PlainLabels as &dyn Labels)).collect::<Vec<_>>(), &name);
    }
    let lines = LineIndex::new(&text);
    let program = analyze(&text).program.unwrap();
    if program.expectation.as_ref().is_some_and(|expectation| expectation.verdict == ExpectedVerdict::Fault) {
        // It has no system with all its answers.
        return [false; 3];
    }
    let compiled = compile(&program, Options::default(), &Budget::unlimited()).unwrap_or_else(|error| panic!("{name}: {error:?}"));
    let labels: Vec<_> = compiled.components().iter().map(|component| ProgramLabels::new(component, &text, &lines)).collect();
    let rows = compiled.components().iter().zip(&labels).map(|(component, labels)| (component.system(), labels as &dyn Labels));
    check_all(&rows.collect::<Vec<_>>(), &name)
}

fn check_directory(directory: &Path, least: usize) {
    let files = files(directory);
    assert!(files.len() >= least, "{}: {}", directory.display(), files.len());
    let grouped = side_by_side(&files, |path| check_file(path));
    let [system, automaton, net] = [0, 1, 2].map(|which| grouped.iter().filter(|one| one[which]).count());
    say(&format!("pictures: {} inputs; grouped: {system} systems, {automaton} automata, {net} nets", files.len()));
}

#[test]
fn pictures_of_the_examples() {
    if skips("report.pictures_of_the_examples") {
        return;
    }
    check_directory(&repository_root().join("examples"), 60);
}

#[test]
fn pictures_of_the_suite() {
    if skips("report.pictures_of_the_suite") {
        return;
    }
    if let Some(directory) = data_dir("suite") {
        check_directory(&directory, 47);
    }
}

/// What lines say, by the boxes that they join.
fn said(picture: &Picture) -> Vec<(String, String, Vec<String>)> {
    let name = |node: usize| picture.nodes[node].lines.join(" ");
    let lines = |edge: &serval_draw::DrawnEdge| edge.label.as_ref().map_or_else(Vec::new, |label| label.lines.clone());
    let mut said: Vec<_> = picture.edges.iter().map(|edge| (name(edge.from), name(edge.to), lines(edge))).collect();
    said.sort();
    said
}

fn owned(rows: &[(&str, &str, &[&str])]) -> Vec<(String, String, Vec<String>)> {
    rows.iter().map(|&(from, to, lines)| (from.into(), to.into(), lines.iter().map(|&line| line.into()).collect())).collect()
}

#[test]
fn lines_say_what_steps_need_and_change() {
    let mut builder = SystemBuilder::new();
    let states: Vec<_> = ["L=0 X=0", "L=0 X=1", "L=1 X=0", "L=1 X=1"].iter().map(|name| builder.global(name)).collect();
    let (start, inside, end) = (builder.local("r@start"), builder.local("r@yield1 a=2"), builder.local("r@end 7"));
    let (request, seven) = (builder.request("r"), builder.response("7"));
    builder.start(request, start);
    // Takes the lock, or waits; sets X in the end, and gives the lock back.
    for x in 0..2 {
        builder.step(start, states[x], inside, states[2 + x]);
        builder.step(start, states[2 + x], start, states[2 + x]);
        builder.step(inside, states[2 + x], end, states[1]);
    }
    builder.answer(end, seven);
    let system = builder.finish(states[0]);
    let picture = check(&pictures::system(&[(&system, &PlainLabels)]), View::System, "lock");
    let expected: &[(&str, &str, &[&str])] = &[
        ("r", "start", &[]),
        ("start", "start", &["L=1"]),
        ("start", "yield1 a=2", &["L=0 →\u{a0}L=1"]),
        ("yield1 a=2", "answers 7", &["→\u{a0}L=0 X=1"]),
    ];
    assert_eq!(said(&picture), owned(expected));
    let titles: Vec<_> = picture.edges.iter().filter_map(|edge| edge.title.as_deref()).collect();
    assert!(titles.contains(&"L=0 X=0 → L=1 X=0\nL=0 X=1 → L=1 X=1"), "{titles:?}");
}

#[test]
fn where_no_rule_holds_steps_are_said_one_by_one() {
    let mut builder = SystemBuilder::new();
    let states: Vec<_> = ["A=0 B=0", "A=0 B=1", "A=1 B=0", "A=1 B=1"].iter().map(|name| builder.global(name)).collect();
    let (start, same, other) = (builder.local("start"), builder.local("same"), builder.local("other"));
    let (request, yes) = (builder.request("equal"), builder.response("yes"));
    builder.start(request, start);
    for (from, to) in [(0, same), (1, other), (2, other), (3, same)] {
        builder.step(start, states[from], to, states[from]);
    }
    builder.answer(same, yes);
    let system = builder.finish(states[0]);
    let picture = check(&pictures::system(&[(&system, &PlainLabels)]), View::System, "equal");
    let expected: &[(&str, &str, &[&str])] =
        &[("equal", "start", &[]), ("start", "other", &["A=0 B=1", "A=1 B=0"]), ("start", "same answers yes", &["A=0 B=0", "A=1 B=1"])];
    assert_eq!(said(&picture), owned(expected));
}

#[test]
fn other_names_of_global_states_are_said_as_they_are() {
    let mut builder = SystemBuilder::new();
    let (red, green) = (builder.global("red light"), builder.global("green"));
    let (start, end) = (builder.local("start"), builder.local("end"));
    let (request, ok) = (builder.request("go"), builder.response("ok"));
    builder.start(request, start);
    builder.step(start, red, start, red);
    builder.step(start, green, end, red);
    builder.answer(end, ok);
    let system = builder.finish(green);
    let picture = check(&pictures::system(&[(&system, &PlainLabels)]), View::System, "light");
    let expected: &[(&str, &str, &[&str])] =
        &[("go", "start", &[]), ("start", "end answers ok", &["green →\u{a0}red light"]), ("start", "start", &["red light"])];
    assert_eq!(said(&picture), owned(expected));
    let (net, places) = interleaving(&system).unwrap();
    let picture = check(
        &pictures::net(&[Interleaving { system: &system, net: &net, places: places.kinds(), transitions: places.actions() }]),
        View::Net,
        "light",
    );
    // What waits has the light and its own place, both taken and given back.
    assert_eq!(picture.edges.iter().filter(|edge| edge.both).count(), 2);
    assert_eq!(picture.nodes.iter().filter(|node| node.shape == Shape::Bar).count(), 4);
}
