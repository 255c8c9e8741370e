//! Random systems.

use std::collections::BTreeMap;

use serval_budget::Budget;
use serval_compile::{Limits, Options, StepLimits, compile};

use serval_model::{LocalId, NetworkSystem, SplitMix64, SystemBuilder};
use serval_syntax::analyze;
use serval_testkit::random::{Shape, random_program};

use super::Behaviours;

/// Where systems come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Generator {
    /// Very few states, so that much can be tried with each.
    Tiny,
    /// Few states, any steps, starts and answers anywhere.
    Uniform,
    /// Requests that read, write, wait, lock, and try again.
    Handlers,
    /// Random programs, compiled.
    Programs,
}

impl Generator {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Tiny, Self::Uniform, Self::Handlers, Self::Programs];

    /// Which one makes the systems of a number.
    pub fn of(number: u64) -> Self {
        match number % 8 {
            0..=2 => Self::Tiny,
            3 | 4 => Self::Uniform,
            5 | 6 => Self::Handlers,
            _ => Self::Programs,
        }
    }

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tiny => "tiny",
            Self::Uniform => "uniform",
            Self::Handlers => "handlers",
            Self::Programs => "programs",
        }
    }

    /// The systems of a number: one, or the components of a program.
    pub fn systems(self, seed: u64, number: u64) -> Vec<NetworkSystem> {
        let own = seed.wrapping_mul(0x1_0000_0000).wrapping_add(number);
        match self {
            Self::Tiny => vec![tiny(own)],
            Self::Uniform => vec![uniform(own)],
            Self::Handlers => vec![handlers(own)],
            Self::Programs => programs(own),
        }
    }
}

/// Random numbers, as sizes.
struct Draw(SplitMix64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.0.below(bound as u64)).unwrap_or(0)
    }

    /// True `percent` times out of a hundred.
    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// A system with two or three global states and up to four local ones, in
/// which requests go from a start over other places to an end.
pub fn tiny(seed: u64) -> NetworkSystem {
    let mut draw = Draw(SplitMix64::new(seed));
    let mut system = draw_tiny(&mut draw);
    for _ in 0..10 {
        if Behaviours::with(&system, 2, 1_000).is_some_and(|two| two.interleaved.len() > 2) {
            break;
        }
        system = draw_tiny(&mut draw);
    }
    system
}

fn draw_tiny(draw: &mut Draw) -> NetworkSystem {
    let mut builder = SystemBuilder::new();
    let globals: Vec<_> = (0..2 + draw.below(2)).map(|g| builder.global(&format!("g{g}"))).collect();
    let locals: Vec<_> = (0..2 + draw.below(3)).map(|l| builder.local(&format!("l{l}"))).collect();
    let request = builder.request("r0");
    builder.start(request, locals[0]);
    if draw.chance(30) {
        let request = builder.request(&format!("r{}", draw.below(2)));
        builder.start(request, locals[1]);
    }
    let ends: Vec<_> = (0..1 + draw.below(2)).map(|end| builder.local(&format!("end{end}"))).collect();
    for (number, &end) in ends.iter().enumerate() {
        let response = builder.response(&format!("a{number}"));
        builder.answer(end, response);
    }
    let back = [0, 20, 50][draw.below(3)];
    for (number, &local) in locals.iter().enumerate() {
        // Mostly on, now and then back or in place.
        let later: Vec<_> = locals[number + 1..].iter().chain(&ends).copied().collect();
        // Often a step is there under all global states, with the same effect.
        let to = later[draw.below(later.len())];
        let effect: Vec<_> = globals.iter().map(|_| globals[draw.below(globals.len())]).collect();
        let alike = draw.chance(50);
        for (&global, &then) in globals.iter().zip(&effect) {
            for _ in 0..1 + draw.below(2) {
                let other = if draw.chance(back) { locals[draw.below(locals.len())] } else { later[draw.below(later.len())] };
                match draw.below(4) {
                    0 => {}
                    1 if alike => builder.step(local, global, to, then),
                    2 if alike => builder.step(local, global, to, global),
                    _ => builder.step(local, global, other, globals[draw.below(globals.len())]),
                }
            }
        }
    }
    builder.finish(globals[0])
}

/// A system with few states and any steps, in which, if luck will have it,
/// requests can be answered and two can disturb each other.
pub fn uniform(seed: u64) -> NetworkSystem {
    let mut draw = Draw(SplitMix64::new(seed));
    let mut system = draw_uniform(&mut draw);
    for _ in 0..6 {
        let interesting = Behaviours::with(&system, 2, 3_000).is_some_and(|two| two.interleaved.len() > 1 && !two.is_serializable());
        if interesting || draw.chance(15) {
            break;
        }
        system = draw_uniform(&mut draw);
    }
    system
}

fn draw_uniform(draw: &mut Draw) -> NetworkSystem {
    let (global_count, local_count, request_count) = (1 + draw.below(4), 1 + draw.below(5), 1 + draw.below(2));
    let mut builder = SystemBuilder::new();
    let globals: Vec<_> = (0..global_count).map(|g| builder.global(&format!("g{g}"))).collect();
    let locals: Vec<_> = (0..local_count).map(|l| builder.local(&format!("l{l}"))).collect();
    for r in 0..request_count {
        let request = builder.request(&format!("r{r}"));
        let starts = if draw.chance(30) { 2 } else { 1 };
        for _ in 0..starts {
            let local = locals[draw.below(local_count)];
            builder.start(request, local);
            // An answer at once.
            if draw.chance(10) {
                let response = builder.response(&format!("a{}", draw.below(3)));
                builder.answer(local, response);
            }
        }
    }
    // Mostly answers are given where nothing else goes on.
    let mut targets = locals.clone();
    for end in 0..1 + draw.below(2) {
        let local = builder.local(&format!("end{end}"));
        let response = builder.response(&format!("a{end}"));
        builder.answer(local, response);
        targets.push(local);
    }
    for _ in 0..2 {
        if draw.chance(20) {
            let response = builder.response(&format!("a{}", draw.below(3)));
            builder.answer(targets[draw.below(targets.len())], response);
        }
    }
    let identities = [0, 25, 60][draw.below(3)];
    // Where steps leave from: anywhere, or from most points once.
    let any = (0..2 + draw.below(4 + 3 * local_count)).map(|_| (draw.below(local_count), draw.below(global_count))).collect();
    let most = (0..local_count).flat_map(|l| (0..global_count).map(move |g| (l, g))).filter(|_| draw.chance(80)).collect();
    let sources: Vec<(usize, usize)> = if draw.chance(50) { any } else { most };
    for (l, g) in sources {
        let (l, m) = (locals[l], targets[draw.below(targets.len())]);
        let g = globals[g];
        let h = if draw.chance(identities) { g } else { globals[draw.below(global_count)] };
        builder.step(l, g, m, h);
        // The same under all global states: what rules like to see.
        if draw.chance(15) {
            for &g in &globals {
                builder.step(l, g, m, g);
            }
        }
    }
    builder.finish(globals[0])
}

/// What a handler does at one place.
#[derive(Clone, Copy)]
enum Piece {
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
    let mut draw = Draw(SplitMix64::new(seed));
    let sizes: Vec<usize> = [vec![2], vec![3], vec![2, 2], vec![2, 2], vec![4], vec![2, 3]][draw.below(6)].clone();
    let mut builder = SystemBuilder::new();
    let count: usize = sizes.iter().product();
    let globals: Vec<_> = (0..count).map(|g| builder.global(&format!("g{g}"))).collect();
    let requests = 1 + draw.below(2);
    for r in 0..requests {
        let bodies = if draw.chance(15) { 2 } else { 1 };
        for body in 0..bodies {
            let pieces = pieces(&mut draw, &sizes);
            let answer = draw.below(3);
            add_handler(&mut builder, &format!("r{r}"), &format!("{r}.{body}"), &pieces, answer, &sizes, &globals);
        }
    }
    let start = if draw.chance(80) { 0 } else { draw.below(count) };
    builder.finish(globals[start])
}

fn pieces(draw: &mut Draw, sizes: &[usize]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let locks = draw.chance(40);
    if locks {
        pieces.push(Piece::Take(0));
    }
    for _ in 0..1 + draw.below(if locks { 2 } else { 4 }) {
        let var = if locks && sizes.len() > 1 { 1 } else { draw.below(sizes.len()) };
        let value = draw.below(sizes[var]);
        pieces.push(match draw.below(28) {
            0..=2 => Piece::Pause,
            3..=5 => Piece::Read(var),
            6 => Piece::Set(var, value),
            7..=9 => Piece::Write(var, draw.below(2)),
            10..=12 => Piece::Add(var),
            13..=14 => Piece::Wait(var, value),
            15..=16 => Piece::Poll(var, value),
            17..=18 => Piece::Swap(var),
            19..=20 => Piece::Take(var),
            21 => Piece::Retry,
            22 => Piece::Skip,
            23..=24 => Piece::Forget,
            25 => Piece::Test,
            _ => Piece::Churn(var),
        });
    }
    if locks {
        pieces.push(Piece::Set(0, 0));
    }
    pieces
}

/// A place in a handler: the piece that is next, what was read, and whether it
/// is at the second place of a piece that has two.
type Place = (usize, usize, bool);

/// The steps from a place: where to, and the variables afterwards.
fn moves(pieces: &[Piece], (at, value, second): Place, vars: &[usize], sizes: &[usize]) -> Vec<(Place, Vec<usize>)> {
    let on = |value: usize| (at + 1, value, false);
    let same = vars.to_vec();
    let with = |var: usize, to: usize| {
        let mut vars = vars.to_vec();
        vars[var] = to % sizes[var];
        vars
    };
    let go_if = |holds: bool, place: Place, vars: Vec<usize>| if holds { vec![(place, vars)] } else { Vec::new() };
    match pieces[at] {
        Piece::Pause => vec![(on(value), same)],
        Piece::Read(var) => vec![(on(vars[var]), same)],
        Piece::Set(var, to) => vec![(on(value), with(var, to))],
        Piece::Write(var, more) => vec![(on(value), with(var, value + more))],
        Piece::Add(var) => vec![(on(vars[var]), with(var, vars[var] + 1))],
        Piece::Wait(var, for_value) => go_if(vars[var] == for_value, on(value), same),
        Piece::Poll(var, for_value) => {
            let mut moves = go_if(vars[var] == for_value, on(value), same.clone());
            moves.push(((at, value, !second), same));
            moves
        }
        Piece::Swap(var) if vars[var] == value % sizes[var] => vec![(on(value), with(var, value + 1))],
        Piece::Swap(_) => vec![((0, 0, false), same)],
        Piece::Take(var) => go_if(vars[var] == 0, on(value), with(var, 1)),
        Piece::Retry => vec![(on(value), same.clone()), ((0, 0, false), same)],
        Piece::Skip => vec![(on(value), same.clone()), (((at + 2).min(pieces.len()), value, false), same)],
        Piece::Forget => vec![(on(0), same)],
        Piece::Test if value == 0 => vec![(on(value), same)],
        Piece::Test => vec![((0, 0, false), same)],
        Piece::Churn(var) => vec![(on(value), same), ((at, value, second), with(var, vars[var] + 1))],
    }
}

fn add_handler(
    builder: &mut SystemBuilder,
    request: &str,
    prefix: &str,
    pieces: &[Piece],
    answer: usize,
    sizes: &[usize],
    globals: &[serval_model::GlobalId],
) {
    let mut names: BTreeMap<Place, LocalId> = BTreeMap::new();
    let begin: Place = (0, 0, false);
    let mut to_visit = vec![begin];
    let mut local = |builder: &mut SystemBuilder, place: Place, to_visit: &mut Vec<Place>| {
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

/// The components of a random program; none if it has too many states.
pub fn programs(seed: u64) -> Vec<NetworkSystem> {
    let shape = Shape::ALL[usize::try_from(SplitMix64::new(seed).below(4)).unwrap_or(0)];
    let text = random_program(seed, shape);
    let Some(program) = analyze(&text).program else { return Vec::new() };
    let limits = Limits { pairs: 5_000, step: StepLimits { operations: 50_000, loop_states: 5_000 } };
    let Ok(compiled) = compile(&program, Options { limits, ..Options::default() }, &Budget::ticks(2_000_000)) else { return Vec::new() };
    compiled.components().iter().map(|component| component.system().clone()).collect()
}
