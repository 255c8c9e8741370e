//! Systems of requests as people write them.

use std::collections::BTreeMap;

use serval_model::{GlobalId, LocalId, NetworkSystem, SplitMix64, SystemBuilder};

/// What a handler does at one place.
#[derive(Clone, Copy)]
enum HandlerPiece {
    /// Nothing.
    Pause,
    /// Looks at a variable.
    Read(usize),
    /// Sets a variable to a constant.
    Set(usize, usize),
    /// Sets a variable to what was read, and so much more.
    Write(usize, usize),
    /// Adds one to a variable, and remembers what was there.
    Add(usize),
    /// Goes on when a variable has a value.
    Wait(usize, usize),
    /// The same, and goes round between two places meanwhile.
    Poll(usize, usize),
    /// Goes on if a variable is what was read, increasing it; else begins again.
    Swap(usize),
    /// Sets a variable that must be 0 to 1: takes a lock.
    Take(usize),
    /// Goes on, or back to the beginning.
    Retry,
    /// Goes on, or leaves the next place out.
    Skip,
    /// Forgets what was read.
    Forget,
    /// Goes on if what was read is 0; else begins again.
    Test,
    /// Adds one to a variable and stays, or goes on.
    Churn(usize),
}

/// Requests made of pieces, over one or two small variables.
pub fn handlers(seed: u64) -> NetworkSystem {
    let mut draw = SplitMix64::new(seed);
    let sizes: Vec<usize> = [vec![2], vec![3], vec![2, 2], vec![2, 2], vec![4], vec![2, 3]][draw.index(6)].clone();
    let mut builder = SystemBuilder::new();
    let count: usize = sizes.iter().product();
    let globals: Vec<_> = (0..count).map(|g| builder.global(&format!("g{g}"))).collect();
    let requests = 1 + draw.index(2);
    for r in 0..requests {
        let bodies = if draw.chance(15) { 2 } else { 1 };
        for body in 0..bodies {
            let pieces = pieces(&mut draw, &sizes);
            let answer = draw.index(3);
            add_handler(&mut builder, &format!("r{r}"), &format!("{r}.{body}"), &pieces, answer, &sizes, &globals);
        }
    }
    let start = if draw.chance(80) { 0 } else { draw.index(count) };
    builder.finish(globals[start])
}

fn pieces(draw: &mut SplitMix64, sizes: &[usize]) -> Vec<HandlerPiece> {
    let mut pieces = Vec::new();
    let locks = draw.chance(40);
    if locks {
        pieces.push(HandlerPiece::Take(0));
    }
    for _ in 0..1 + draw.index(if locks { 2 } else { 4 }) {
        let var = if locks && sizes.len() > 1 { 1 } else { draw.index(sizes.len()) };
        let value = draw.index(sizes[var]);
        pieces.push(match draw.index(28) {
            0..=2 => HandlerPiece::Pause,
            3..=5 => HandlerPiece::Read(var),
            6 => HandlerPiece::Set(var, value),
            7..=9 => HandlerPiece::Write(var, draw.index(2)),
            10..=12 => HandlerPiece::Add(var),
            13..=14 => HandlerPiece::Wait(var, value),
            15..=16 => HandlerPiece::Poll(var, value),
            17..=18 => HandlerPiece::Swap(var),
            19..=20 => HandlerPiece::Take(var),
            21 => HandlerPiece::Retry,
            22 => HandlerPiece::Skip,
            23..=24 => HandlerPiece::Forget,
            25 => HandlerPiece::Test,
            _ => HandlerPiece::Churn(var),
        });
    }
    if locks {
        pieces.push(HandlerPiece::Set(0, 0));
    }
    pieces
}

/// A place in a handler: the piece that is next, what was read, and whether it
/// is at the second place of a piece that has two.
type HandlerPlace = (usize, usize, bool);

/// The steps from a place: where to, and the variables afterwards.
fn moves(pieces: &[HandlerPiece], (at, value, second): HandlerPlace, vars: &[usize], sizes: &[usize]) -> Vec<(HandlerPlace, Vec<usize>)> {
    let on = |value: usize| (at + 1, value, false);
    let same = vars.to_vec();
    let with = |var: usize, to: usize| {
        let mut vars = vars.to_vec();
        vars[var] = to % sizes[var];
        vars
    };
    let go_if = |holds: bool, place: HandlerPlace, vars: Vec<usize>| if holds { vec![(place, vars)] } else { Vec::new() };
    match pieces[at] {
        HandlerPiece::Pause => vec![(on(value), same)],
        HandlerPiece::Read(var) => vec![(on(vars[var]), same)],
        HandlerPiece::Set(var, to) => vec![(on(value), with(var, to))],
        HandlerPiece::Write(var, more) => vec![(on(value), with(var, value + more))],
        HandlerPiece::Add(var) => vec![(on(vars[var]), with(var, vars[var] + 1))],
        HandlerPiece::Wait(var, for_value) => go_if(vars[var] == for_value, on(value), same),
        HandlerPiece::Poll(var, for_value) => {
            let mut moves = go_if(vars[var] == for_value, on(value), same.clone());
            moves.push(((at, value, !second), same));
            moves
        }
        HandlerPiece::Swap(var) if vars[var] == value % sizes[var] => vec![(on(value), with(var, value + 1))],
        HandlerPiece::Swap(_) => vec![((0, 0, false), same)],
        HandlerPiece::Take(var) => go_if(vars[var] == 0, on(value), with(var, 1)),
        HandlerPiece::Retry => vec![(on(value), same.clone()), ((0, 0, false), same)],
        HandlerPiece::Skip => vec![(on(value), same.clone()), (((at + 2).min(pieces.len()), value, false), same)],
        HandlerPiece::Forget => vec![(on(0), same)],
        HandlerPiece::Test if value == 0 => vec![(on(value), same)],
        HandlerPiece::Test => vec![((0, 0, false), same)],
        HandlerPiece::Churn(var) => vec![(on(value), same), ((at, value, second), with(var, vars[var] + 1))],
    }
}

fn add_handler(
    builder: &mut SystemBuilder,
    request: &str,
    prefix: &str,
    pieces: &[HandlerPiece],
    answer: usize,
    sizes: &[usize],
    globals: &[GlobalId],
) {
    let mut names: BTreeMap<HandlerPlace, LocalId> = BTreeMap::new();
    let begin: HandlerPlace = (0, 0, false);
    let mut to_visit = vec![begin];
    let mut local = |builder: &mut SystemBuilder, place: HandlerPlace, to_visit: &mut Vec<HandlerPlace>| {
        *names.entry(place).or_insert_with(|| {
            to_visit.push(place);
            builder.local(&format!("{prefix} {} {}{}", place.0, place.1, if place.2 { "'" } else { "" }))
        })
    };
    let request = builder.request(request);
    let start = local(builder, begin, &mut Vec::new());
    builder.start(request, start);
    while let Some(place) = to_visit.pop() {
        let from = local(builder, place, &mut Vec::new());
        if place.0 == pieces.len() {
            // What was read, or a constant.
            let response = builder.response(&format!("a{}", if answer == 0 { 0 } else { place.1 }));
            builder.answer(from, response);
            continue;
        }
        for (number, &global) in globals.iter().enumerate() {
            let vars = vars(number, sizes);
            for (to, after) in moves(pieces, place, &vars, sizes) {
                let to = local(builder, to, &mut to_visit);
                builder.step(from, global, to, globals[number_of(&after, sizes)]);
            }
        }
    }
}

fn vars(mut number: usize, sizes: &[usize]) -> Vec<usize> {
    sizes
        .iter()
        .map(|&size| {
            let value = number % size;
            number /= size;
            value
        })
        .collect()
}

fn number_of(vars: &[usize], sizes: &[usize]) -> usize {
    vars.iter().zip(sizes).rev().fold(0, |number, (&value, &size)| number * size + value)
}
