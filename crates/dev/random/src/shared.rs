//! Systems whose requests share their places.

use serval_model::{NetworkSystem, SplitMix64, SystemBuilder};

use crate::Behaviours;

/// Draws from which one is taken that two requests have something to do in.
const DRAWS: usize = 8;

/// A system of two or three requests that all go through the same local states,
/// each from several starts: where a request is does not tell which one it is,
/// nor where it began, and an answer may be given where others only pass.
pub fn shared(seed: u64) -> NetworkSystem {
    let mut draw = SplitMix64::new(seed);
    // Violations with two requests are found at once, so half of the systems
    // are to have none.
    let serializable = draw.chance(50);
    let mut system = draw_shared(&mut draw);
    for _ in 1..DRAWS {
        let wanted = |two: Behaviours| two.interleaved.len() > 4 && two.is_serializable() == serializable;
        if Behaviours::with(&system, 2, 3_000).is_some_and(wanted) {
            break;
        }
        system = draw_shared(&mut draw);
    }
    system
}

fn draw_shared(draw: &mut SplitMix64) -> NetworkSystem {
    let mut builder = SystemBuilder::new();
    let globals: Vec<_> = (0..2 + draw.index(3)).map(|g| builder.global(&format!("g{g}"))).collect();
    let locals: Vec<_> = (0..3 + draw.index(4)).map(|l| builder.local(&format!("l{l}"))).collect();
    let early = &locals[..2 + draw.index(2)];
    for r in 0..2 + draw.index(2) {
        let request = builder.request(&format!("r{r}"));
        for _ in 0..1 + draw.index(3) {
            builder.start(request, early[draw.index(early.len())]);
        }
    }
    let mut targets = locals.clone();
    for end in 0..2 + draw.index(2) {
        let local = builder.local(&format!("end{end}"));
        let response = builder.response(&format!("a{end}"));
        builder.answer(local, response);
        targets.push(local);
    }
    if draw.chance(30) {
        let response = builder.response(&format!("a{}", draw.index(3)));
        builder.answer(locals[draw.index(locals.len())], response);
    }
    let (back, waits, keeps): (usize, u64, u64) = ([0, 10, 30][draw.index(3)], [10, 30, 60][draw.index(3)], [20, 40, 70][draw.index(3)]);
    for (number, &local) in locals.iter().enumerate() {
        let later = &targets[number + 1..];
        let usual = later[draw.index(later.len())];
        for &global in &globals {
            if draw.chance(waits) {
                continue;
            }
            let to = match draw.index(100) {
                drawn if drawn < back => locals[draw.index(locals.len())],
                drawn if drawn < 60 => usual,
                _ => later[draw.index(later.len())],
            };
            let after = if draw.chance(keeps) { global } else { globals[draw.index(globals.len())] };
            builder.step(local, global, to, after);
        }
    }
    builder.finish(globals[0])
}
