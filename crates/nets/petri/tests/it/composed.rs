//! Nets that are composed, from files and from pages.

use serval_petri::{Limits, Net, compose, pnml, tina};

/// The names of all transitions that can fire first, after a run.
fn enabled(net: &Net, run: &[&str]) -> Vec<String> {
    let sequence: Vec<_> = run.iter().map(|name| net.transition_named(name).unwrap()).collect();
    let marking = net.replay(&sequence).unwrap();
    net.transitions().filter(|&one| net.is_enabled(&marking, one)).map(|one| net.transition_name(one).to_owned()).collect()
}

#[test]
fn shared_transitions_wait_for_each_other() {
    let client = tina::read("net client\npl idle (1)\ntr ask idle -> waiting\ntr answer waiting -> idle").unwrap();
    let server = tina::read("net server\npl idle (1)\ntr ask idle -> asked\ntr work asked -> ready\ntr answer ready -> idle").unwrap();
    let net = compose(&[client.clone(), server.clone()]).unwrap();
    net.check_invariants();
    assert_eq!((net.place_count(), net.transition_count()), (5, 3));
    assert_eq!(enabled(&net, &[]), ["ask"]);
    assert_eq!(enabled(&net, &["ask"]), ["work"]);
    assert_eq!(enabled(&net, &["ask", "work"]), ["answer"]);
    // Runs of the whole are runs of the parts, without what these do not have.
    assert_eq!(enabled(&client, &["ask"]), ["answer"]);
    // The same net twice: nothing but positions tells the places apart.
    let twice = compose(&[client.clone(), client]).unwrap();
    let places: Vec<&str> = twice.places().map(|place| twice.place_name(place)).collect();
    assert_eq!(places, ["1:idle", "1:waiting", "2:idle", "2:waiting"]);
    assert_eq!(compose(&[]).unwrap(), Net::new(""));
    assert_eq!(compose(std::slice::from_ref(&server)).unwrap(), server);
}

#[test]
fn names_that_clash_after_all_are_an_error() {
    let nets = ["net a\npl p (1)", "net b\npl p (1)", "net c\npl {a:p} (1)"].map(|text| tina::read(text).unwrap());
    assert_eq!(compose(&nets).unwrap_err().to_string(), "two places are called “a:p”");
}

const HEAD: &str = r#"<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">"#;
const NET: &str = r#"<net id="ID" type="http://www.pnml.org/version-2009/grammar/ptnet">"#;

fn node(kind: &str, id: &str, name: &str, more: &str) -> String {
    format!("<{kind} id=\"{id}\"><name><text>{name}</text></name>{more}</{kind}>")
}

#[test]
fn pages_and_nets_of_one_file_are_composed_by_the_names_of_transitions() {
    let marked = "<initialMarking><text>1</text></initialMarking>";
    let page = |letter: &str| {
        let places = node("place", &format!("{letter}p"), &format!("{letter} idle"), marked)
            + &node("place", &format!("{letter}q"), &format!("{letter} busy"), "");
        let transitions = node("transition", &format!("{letter}t"), "start", "")
            + &node("transition", &format!("{letter}u"), &format!("stop {letter}"), "");
        let arc = |source: &str, target: &str| {
            format!("<arc id=\"{letter}{source}{target}\" source=\"{letter}{source}\" target=\"{letter}{target}\"/>")
        };
        format!("<page id=\"{letter}\">{places}{transitions}{}{}{}{}</page>", arc("p", "t"), arc("t", "q"), arc("q", "u"), arc("u", "p"))
    };
    let pages = format!("{HEAD}{NET}{}{}</net></pnml>", page("a"), page("b"));
    let nets = format!("{HEAD}{}{}</net>{}{}</net></pnml>", NET.replace("ID", "one"), page("a"), NET.replace("ID", "two"), page("b"));
    for text in [&pages, &nets] {
        let read = pnml::read_composed(text, &Limits::default()).unwrap();
        let names: Vec<&str> = read.net.transitions().map(|one| read.net.transition_name(one)).collect();
        assert_eq!(names, ["start", "stop a", "stop b"]);
        assert_eq!(read.ids.transition("at"), read.ids.transition("bt"));
        assert_eq!(enabled(&read.net, &["start", "stop a"]), ["stop b"]);
    }
    // Otherwise two transitions with one name are two, by their ids.
    assert_eq!(pnml::read(&pages).unwrap().net.transition_count(), 4);
    assert_eq!(pnml::read(&nets).unwrap_err().message, "a second <net>; one is read, unless nets are composed");
}
