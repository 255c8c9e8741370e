//! What was called how, as a file.
//!
//! Identifiers can be read back without it ([`names`](crate::names)); it is for people and for other tools, and it
//! alone tells which property a number stands for.

use serde::Serialize;
use serval_petri::Net;

use crate::{NamedProperty, lustre};

/// Identifiers with what they stand for.
#[derive(Serialize)]
struct Map<'a> {
    format: &'static str,
    version: u32,
    places: Vec<MapEntry<'a>>,
    transitions: Vec<MapEntry<'a>>,
    properties: Vec<MapEntry<'a>>,
}

#[derive(Serialize)]
struct MapEntry<'a> {
    identifier: String,
    name: &'a str,
}

/// The map of an export to Lustre, in JSON.
pub fn write(net: &Net, asked: &[NamedProperty]) -> String {
    let places = net.places().map(|place| MapEntry { identifier: lustre::identifier(net.place_name(place)), name: net.place_name(place) });
    let transitions = net.transitions().map(|transition| {
        let name = net.transition_name(transition);
        MapEntry { identifier: lustre::identifier(name), name }
    });
    let properties = asked.iter().enumerate().map(|(number, asked)| MapEntry { identifier: lustre::asked_name(number), name: &asked.name });
    let map = Map {
        format: "serval-net-names",
        version: 1,
        places: places.collect(),
        transitions: transitions.collect(),
        properties: properties.collect(),
    };
    // Only maps with keys that are not strings could fail.
    let mut text = serde_json::to_string_pretty(&map).unwrap_or_default();
    text.push('\n');
    text
}
