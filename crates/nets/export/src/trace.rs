//! Counterexamples of Kind 2 (XML and JSON) and JKind (XML), as runs of the net that was exported to Lustre.
//!
//! Both write for each property that fails the values of streams by instant. In XML a `<Property name="…">` has a
//! `<CounterExample>` with a `<Node>` of `<Stream name="…">` (Kind 2) or a `<Counterexample>` of `<Signal name="…">`
//! (JKind), and these have a `<Value>` for each instant, with its number as `instant`, `state` or `time`. In JSON an
//! object of the type `property` has `counterExample`, an array of nodes with `streams`, and these have
//! `instantValues`, pairs of an instant and a value.
//!
//! What fires at an instant is seen at the next, so what fires at the last one is left out: it is after the failure.
//! Transitions that fire at one instant touch no common place ([`sets`](crate::sets)) and fire one after the other.
//! Where the file tells the tokens of places, they are compared with those of the net at every instant: a trace of
//! another net is refused.

use roxmltree::Node;
use rustc_hash::FxHashMap;
use serde_json::Value;
use serval_petri::{Limits, Net, TransitionId, parse_xml};

use crate::{ExportRefusal, lustre};

/// Values of a stream by instant.
type Stream = (String, Vec<(usize, String)>);

/// How a property fails.
struct Counterexample {
    property: String,
    streams: Vec<Stream>,
}

/// Whether a text looks like a file of Kind 2 or JKind.
pub fn is_meant(text: &str) -> bool {
    text.trim_start().starts_with(['<', '['])
}

/// The run that a counterexample is: the one of the named property, or the first of the file.
pub fn read(text: &str, net: &Net, property: Option<&str>) -> Result<Vec<TransitionId>, ExportRefusal> {
    let all = if text.trim_start().starts_with('<') { of_xml(text)? } else { of_json(text)? };
    let names: Vec<&str> = all.iter().map(|one| one.property.as_str()).collect();
    let found = match property {
        None => all.first().ok_or_else(|| ExportRefusal("the file has no counterexample".to_owned()))?,
        Some(wanted) => all.iter().find(|one| one.property == wanted).ok_or_else(|| {
            let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            ExportRefusal(format!("the file has no counterexample for {wanted}; it has {known}"))
        })?,
    };
    run(net, &found.streams)
}

fn of_xml(text: &str) -> Result<Vec<Counterexample>, ExportRefusal> {
    let document = parse_xml(text, &Limits::default()).map_err(|error| ExportRefusal(error.to_string()))?;
    let called = |node: Node<'_, '_>, names: &[&str]| node.is_element() && names.contains(&node.tag_name().name());
    let mut all = Vec::new();
    for property in document.descendants().filter(|node| called(*node, &["Property"])) {
        let Some(example) = property.children().find(|node| called(*node, &["CounterExample", "Counterexample"])) else { continue };
        // The first node is the one that has the property; those within it are what it calls.
        let top = example.children().find(|node| called(*node, &["Node"])).unwrap_or(example);
        let mut streams = Vec::new();
        for stream in top.children().filter(|node| called(*node, &["Stream", "Signal"])) {
            let mut values = Vec::new();
            for value in stream.children().filter(|node| called(*node, &["Value"])) {
                let instant =
                    ["instant", "state", "time"].iter().find_map(|name| value.attribute(*name)).and_then(|text| text.parse().ok());
                let instant = instant.ok_or_else(|| ExportRefusal("a <Value> has no number of its instant".to_owned()))?;
                values.push((instant, value.text().unwrap_or_default().trim().to_owned()));
            }
            streams.push((stream.attribute("name").unwrap_or_default().to_owned(), values));
        }
        all.push(Counterexample { property: property.attribute("name").unwrap_or_default().to_owned(), streams });
    }
    Ok(all)
}

fn of_json(text: &str) -> Result<Vec<Counterexample>, ExportRefusal> {
    let document: Value = serde_json::from_str(text).map_err(|error| ExportRefusal(error.to_string()))?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut all = Vec::new();
    for object in list(&document).iter().filter(|object| object["objectType"] == "property") {
        let nodes = list(&object["counterExample"]);
        let Some(top) = nodes.first() else { continue };
        let mut streams = Vec::new();
        for stream in list(&top["streams"]) {
            let mut values = Vec::new();
            for pair in list(&stream["instantValues"]) {
                let instant = pair[0].as_u64().and_then(|instant| usize::try_from(instant).ok());
                values.push((instant.ok_or_else(|| ExportRefusal("a value has no number of its instant".to_owned()))?, text(&pair[1])));
            }
            streams.push((text(&stream["name"]), values));
        }
        all.push(Counterexample { property: text(&object["name"]), streams });
    }
    Ok(all)
}

/// What the streams say, fired and compared.
fn run(net: &Net, streams: &[Stream]) -> Result<Vec<TransitionId>, ExportRefusal> {
    let named: FxHashMap<String, &Vec<(usize, String)>> = streams.iter().map(|(name, values)| (name.clone(), values)).collect();
    let last = streams.iter().flat_map(|stream| stream.1.iter().map(|value| value.0)).max();
    let last = last.ok_or_else(|| ExportRefusal("the counterexample has no values".to_owned()))?;
    // By instant; there are no more instants than values.
    let values: usize = streams.iter().map(|stream| stream.1.len()).sum();
    if last >= values {
        return Err(ExportRefusal(format!("instant {last} has a value, and there are {values} values in all")));
    }
    let mut firing: Vec<Vec<TransitionId>> = vec![Vec::new(); last + 1];
    let mut is_known = net.transition_count() == 0;
    for transition in net.transitions() {
        let name = lustre::identifier(net.transition_name(transition));
        let Some(stream) = ["firing_", "act_"].iter().find_map(|prefix| named.get(&format!("{prefix}{name}"))) else { continue };
        is_known = true;
        for (instant, value) in *stream {
            match value.as_str() {
                "true" | "1" => firing[*instant].push(transition),
                "false" | "0" => {}
                other => return Err(ExportRefusal(format!("“{other}” is no Boolean value, at instant {instant}"))),
            }
        }
    }
    if !is_known {
        return Err(ExportRefusal("the counterexample tells of no transition of this net whether it fires".to_owned()));
    }
    let mut tokens: Vec<Vec<(serval_petri::PlaceId, &str)>> = vec![Vec::new(); last + 1];
    for place in net.places() {
        for (instant, value) in named.get(&lustre::identifier(net.place_name(place))).into_iter().copied().flatten() {
            tokens[*instant].push((place, value.as_str()));
        }
    }
    let mut marking = net.initial();
    let mut fired = Vec::new();
    for (instant, (firing, tokens)) in firing.iter().zip(&tokens).enumerate() {
        for (place, value) in tokens {
            let has = marking.tokens(*place);
            if value.parse() != Ok(has) {
                let name = net.place_name(*place);
                return Err(ExportRefusal(format!("at instant {instant} “{name}” has {value} in the file and {has} in the net")));
            }
        }
        if instant == last {
            break;
        }
        for &transition in firing {
            net.fire(&mut marking, transition).map_err(|error| ExportRefusal(format!("instant {instant}: {error}")))?;
            fired.push(transition);
        }
    }
    Ok(fired)
}
