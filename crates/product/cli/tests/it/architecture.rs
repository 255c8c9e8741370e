//! The rules of the wings hold, and ARCHITECTURE.md marks what is trusted.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use crate::support;

/// The wings; each stands only on those before it.
const WINGS: [&str; 6] = ["base", "nets", "requests", "weak-memory", "product", "dev"];

/// Crates below all engines that search.
const SOLVERS: [&str; 2] = ["serval-arith", "serval-semilinear"];

/// The crates of ours that the binary may stand on.
const DOORS: [&str; 8] = [
    "serval-budget",
    "serval-check",
    "serval-families",
    "serval-lsp",
    "serval-memory",
    "serval-playground",
    "serval-replay",
    "serval-report",
];

type Names = BTreeSet<String>;

/// A crate of the workspace.
struct Room {
    wing: String,
    folder: String,
    /// What it stands on, by package.
    below: Names,
    /// The same, with what only its tests need.
    with_tests: Names,
}

/// What cargo knows of the packages of the workspace.
pub(crate) fn metadata() -> serde_json::Value {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(support::root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The crates of the workspace, by package.
fn rooms() -> BTreeMap<String, Room> {
    let mut rooms = BTreeMap::new();
    for package in metadata()["packages"].as_array().unwrap() {
        let path = package["manifest_path"].as_str().unwrap();
        let parts: Vec<&str> = path.trim_end_matches("/Cargo.toml").rsplit('/').take(3).collect();
        let [folder, wing, "crates"] = parts[..] else { panic!("{path} is not crates/WING/ROOM") };
        let ours = |tests: bool| {
            let dependencies = package["dependencies"].as_array().unwrap().iter();
            let wanted = dependencies.filter(|one| one["path"].is_string() && (tests || one["kind"].is_null()));
            wanted.map(|one| one["name"].as_str().unwrap().to_owned()).collect()
        };
        let room = Room { wing: wing.to_owned(), folder: folder.to_owned(), below: ours(false), with_tests: ours(true) };
        rooms.insert(package["name"].as_str().unwrap().to_owned(), room);
    }
    rooms
}

/// All that a crate stands on, directly or not, and itself.
fn all_below(rooms: &BTreeMap<String, Room>, package: &str) -> Names {
    let (mut all, mut open) = (Names::new(), vec![package.to_owned()]);
    while let Some(name) = open.pop() {
        if all.insert(name.clone()) {
            open.extend(rooms[&name].below.iter().cloned());
        }
    }
    all
}

fn is_engine(package: &str) -> bool {
    package.ends_with("-engine")
}

#[test]
fn a_wing_stands_only_on_wings_before_it() {
    let rooms = rooms();
    let floor = |room: &Room| {
        let place = WINGS.iter().position(|wing| *wing == room.wing);
        place.unwrap_or_else(|| panic!("{} is in the folder {}, which is no wing", room.folder, room.wing))
    };
    for (package, room) in &rooms {
        for other in &room.below {
            assert!(floor(&rooms[other]) <= floor(room), "{package} in {} stands on {other} in {}", room.wing, rooms[other].wing);
        }
    }
}

#[test]
fn package_names_tell_wing_and_room() {
    for (package, room) in rooms() {
        let expected = match (room.wing.as_str(), room.folder.as_str()) {
            // The registry has another `serval`.
            (_, "serval") => "serval-check".to_owned(),
            ("nets", folder) if folder != "petri" => format!("serval-net-{folder}"),
            ("weak-memory", folder) => format!("serval-tso-{folder}"),
            (_, folder) => format!("serval-{folder}"),
        };
        assert_eq!(package, expected);
    }
}

#[test]
fn no_checker_stands_on_an_engine() {
    let rooms = rooms();
    for package in rooms.keys().filter(|package| package.ends_with("-proof")) {
        let engines: Vec<String> = all_below(&rooms, package).into_iter().filter(|other| is_engine(other)).collect();
        assert!(engines.is_empty(), "{package} stands on {engines:?}");
    }
}

#[test]
fn what_is_trusted_does_not_search() {
    let rooms = rooms();
    // A crate searches if it is an engine or a solver, or stands on one, whatever its name.
    let searches = |package: &str| {
        let below = all_below(&rooms, package);
        below.iter().any(|other| is_engine(other) || SOLVERS.contains(&other.as_str()))
    };
    let searching: Vec<String> = all_below(&rooms, "serval-verify").into_iter().filter(|package| searches(package)).collect();
    assert!(searching.is_empty(), "serval-verify stands on {searching:?}");
    assert!(SOLVERS.iter().all(|solver| rooms.contains_key(*solver)));
}

#[test]
fn what_is_trusted_is_marked() {
    let rooms = rooms();
    let trusted: Names =
        all_below(&rooms, "serval-verify").iter().map(|name| format!("{}/{}", rooms[name].wing, rooms[name].folder)).collect();
    let text = std::fs::read_to_string(support::root().join("ARCHITECTURE.md")).unwrap();
    let picture = text.split("```text").nth(1).unwrap().split("```").next().unwrap();
    let (mut marked, mut drawn, mut wing) = (Names::new(), Names::new(), "");
    for line in picture.lines() {
        wing = line.split_whitespace().next().filter(|word| WINGS.contains(word)).unwrap_or(wing);
        for word in line.split_whitespace() {
            let name = format!("{wing}/{}", word.trim_end_matches('*'));
            if rooms.values().any(|room| format!("{}/{}", room.wing, room.folder) == name) {
                drawn.insert(name.clone());
                if word.ends_with('*') {
                    marked.insert(name);
                }
            }
        }
    }
    assert_eq!(marked, trusted);
    let all: Names = rooms.values().map(|room| format!("{}/{}", room.wing, room.folder)).collect();
    assert_eq!(drawn, all);
}

#[test]
fn the_library_is_the_only_door() {
    let rooms = rooms();
    let others: Vec<&String> = rooms["serval-cli"].below.iter().filter(|name| !DOORS.contains(&name.as_str())).collect();
    assert!(others.is_empty(), "serval-cli stands on {others:?}");
    let engines: Vec<String> = all_below(&rooms, "serval-report").into_iter().filter(|name| is_engine(name)).collect();
    assert!(engines.is_empty(), "serval-report stands on {engines:?}");
}

#[test]
fn questions_of_editors_know_no_protocol() {
    let rooms = rooms();
    let standing: Vec<&String> = rooms.iter().filter(|(_, room)| room.below.contains("serval-lsp")).map(|(name, _)| name).collect();
    assert_eq!(standing, ["serval-cli"], "only the binary stands on the server");
    // What asks about texts is compiled to WebAssembly, too: it decides nothing and starts nothing.
    let below = all_below(&rooms, "serval-ide");
    assert!(!below.contains("serval-check") && !below.iter().any(|name| is_engine(name)), "serval-ide stands on {below:?}");
    let folder = support::root().join("crates/product/ide/src");
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        for word in ["std::fs", "std::thread", "std::time", "std::env", "serde_json", "jsonrpc"] {
            assert!(!text.contains(word), "serval-ide has `{word}`");
        }
    }
}

#[test]
fn nothing_goes_round_in_circles() {
    // Takes away what stands on nothing that is left; tests count, too.
    let mut left: BTreeMap<String, Names> = rooms().into_iter().map(|(name, room)| (name, room.with_tests)).collect();
    loop {
        let free: Vec<String> = left.iter().filter(|(_, others)| others.is_empty()).map(|(name, _)| name.clone()).collect();
        if free.is_empty() {
            break;
        }
        for name in &free {
            left.remove(name);
            for others in left.values_mut() {
                others.remove(name);
            }
        }
    }
    assert!(left.is_empty(), "{left:?}");
}
