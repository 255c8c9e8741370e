//! The core of a program with the map between its states and those of its components.

use serde::Serialize;
use serval_compile::{Compiled, WrittenMap, WrittenMarking, WrittenPlace, WrittenValue};
use serval_model::{NetworkSystem, systems_to_json};
use serval_syntax::Core;

use crate::escape;

#[derive(Serialize)]
struct CoreReport<'a> {
    schema: u32,
    core: &'a str,
    globals: &'a [String],
    requests: Vec<CoreRequest<'a>>,
    map: Option<StatesMap<'a>>,
}

#[derive(Serialize)]
struct CoreRequest<'a> {
    name: &'a str,
    written: &'a str,
    locals: &'a [String],
}

#[derive(Serialize)]
struct StatesMap<'a> {
    /// By request.
    components: &'a [usize],
    /// By component, the names of its states.
    names: Vec<StateNames<'a>>,
    points: Vec<MapPoint>,
    /// Point, values, and the local state of the component.
    states: Vec<(usize, &'a [i64], usize)>,
    /// The values of all globals, and the global state of each component.
    globals: Vec<(&'a [i64], Vec<usize>)>,
    pairs: &'a [(usize, usize)],
    /// By global state, each a list of local states with a count, 0 for any.
    markings: Option<Vec<Vec<LocalCounts>>>,
}

/// Local states, each with how many requests may be there.
type LocalCounts = Vec<(usize, u32)>;

#[derive(Serialize)]
struct StateNames<'a> {
    requests: Vec<&'a str>,
    responses: Vec<&'a str>,
    locals: Vec<&'a str>,
    globals: Vec<&'a str>,
}

#[derive(Serialize)]
struct MapPoint {
    request: usize,
    place: MapPlace,
    locals: Vec<usize>,
    operands: Vec<usize>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
enum MapPlace {
    Start,
    Yield(usize),
    End,
}

/// The core of a program with its names, the map if there is one, and the systems as JSON, ending with a line break.
pub fn core_with_map(core: &Core, written: &[String], compiled: Option<(&Compiled, &WrittenMap)>) -> String {
    let requests = core.requests.iter().zip(written).map(|((name, locals), written)| CoreRequest { name, written, locals });
    let map = compiled.map(|(compiled, map)| states_map(compiled, map));
    let mut text = core.text.as_str();
    while let Some((_, rest)) = text.split_once('\n').filter(|(line, _)| line.starts_with("//")) {
        text = rest;
    }
    let report = CoreReport { schema: 1, core: text, globals: &core.globals, requests: requests.collect(), map };
    // Strings and numbers always have a form in JSON.
    let mut text = serde_json::to_string(&report).unwrap_or_default();
    if let Some((compiled, _)) = compiled {
        text.pop();
        let systems: Vec<NetworkSystem> = compiled.components().iter().map(|component| component.system().clone()).collect();
        text.push_str(",\"systems\":");
        text.push_str(systems_to_json(&systems).trim_end());
        text.push('}');
    }
    escape::json(text + "\n")
}

fn states_map<'a>(compiled: &'a Compiled, map: &'a WrittenMap) -> StatesMap<'a> {
    let systems = compiled.components().iter().map(|component| component.system());
    let names = systems.map(|system| StateNames {
        requests: system.requests().map(|id| system.request_name(id)).collect(),
        responses: system.responses().map(|id| system.response_name(id)).collect(),
        locals: system.locals().map(|id| system.local_name(id)).collect(),
        globals: system.globals().map(|id| system.global_name(id)).collect(),
    });
    let points = map.points.iter().map(|point| {
        let (mut locals, mut operands) = (Vec::new(), Vec::new());
        for value in &point.kept {
            match *value {
                WrittenValue::Local(number) => locals.push(number),
                WrittenValue::Operand(number) => operands.push(number),
                WrittenValue::Answer => {}
            }
        }
        let place = match point.place {
            WrittenPlace::Start => MapPlace::Start,
            WrittenPlace::Yield(number) => MapPlace::Yield(number),
            WrittenPlace::End => MapPlace::End,
        };
        MapPoint { request: point.body, place, locals, operands }
    });
    StatesMap {
        components: &map.components,
        names: names.collect(),
        points: points.collect(),
        states: map.states.iter().map(|state| (state.point, state.values.as_slice(), state.image.index())).collect(),
        globals: map.globals.iter().map(|(values, images)| (values.as_slice(), images.iter().map(|id| id.index()).collect())).collect(),
        pairs: &map.pairs,
        markings: map.markings.as_ref().map(|markings| {
            let marking = |marking: &WrittenMarking| marking.iter().map(|&(state, count)| (state, count.unwrap_or(0))).collect();
            markings.iter().map(|list| list.iter().map(marking).collect()).collect()
        }),
    }
}
