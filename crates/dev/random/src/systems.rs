//! Systems with few states.

use serval_model::{GlobalId, LocalId, NetworkSystem, SplitMix64, SystemBuilder};

use crate::Behaviours;

/// A system with two or three global states and up to four local ones, in
/// which requests go from a start over other places to an end.
pub fn tiny(seed: u64) -> NetworkSystem {
    let mut draw = SplitMix64::new(seed);
    let mut system = draw_tiny(&mut draw);
    for _ in 0..10 {
        if Behaviours::with(&system, 2, 1_000).is_some_and(|two| two.interleaved.len() > 2) {
            break;
        }
        system = draw_tiny(&mut draw);
    }
    system
}

fn draw_tiny(draw: &mut SplitMix64) -> NetworkSystem {
    let mut builder = SystemBuilder::new();
    let globals: Vec<_> = (0..2 + draw.index(2)).map(|g| builder.global(&format!("g{g}"))).collect();
    let locals: Vec<_> = (0..2 + draw.index(3)).map(|l| builder.local(&format!("l{l}"))).collect();
    let request = builder.request("r0");
    builder.start(request, locals[0]);
    if draw.chance(30) {
        let request = builder.request(&format!("r{}", draw.index(2)));
        builder.start(request, locals[1]);
    }
    let ends: Vec<_> = (0..1 + draw.index(2)).map(|end| builder.local(&format!("end{end}"))).collect();
    for (number, &end) in ends.iter().enumerate() {
        let response = builder.response(&format!("a{number}"));
        builder.answer(end, response);
    }
    let back = [0, 20, 50][draw.index(3)];
    for (number, &local) in locals.iter().enumerate() {
        // Mostly on, now and then back or in place.
        let later: Vec<_> = locals[number + 1..].iter().chain(&ends).copied().collect();
        // Often a step is there under all global states, with the same effect.
        let to = later[draw.index(later.len())];
        let effect: Vec<_> = globals.iter().map(|_| globals[draw.index(globals.len())]).collect();
        let alike = draw.chance(50);
        for (&global, &then) in globals.iter().zip(&effect) {
            for _ in 0..1 + draw.index(2) {
                let other = if draw.chance(back) { locals[draw.index(locals.len())] } else { later[draw.index(later.len())] };
                match draw.index(4) {
                    0 => {}
                    1 if alike => builder.step(local, global, to, then),
                    2 if alike => builder.step(local, global, to, global),
                    _ => builder.step(local, global, other, globals[draw.index(globals.len())]),
                }
            }
        }
    }
    builder.finish(globals[0])
}

/// A system with few states and any steps, in which, if luck will have it,
/// requests can be answered and two can disturb each other.
pub fn uniform(seed: u64) -> NetworkSystem {
    let mut draw = SplitMix64::new(seed);
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

fn draw_uniform(draw: &mut SplitMix64) -> NetworkSystem {
    let (global_count, local_count, request_count) = (1 + draw.index(4), 1 + draw.index(5), 1 + draw.index(2));
    let mut builder = SystemBuilder::new();
    let globals: Vec<_> = (0..global_count).map(|g| builder.global(&format!("g{g}"))).collect();
    let locals: Vec<_> = (0..local_count).map(|l| builder.local(&format!("l{l}"))).collect();
    for r in 0..request_count {
        let request = builder.request(&format!("r{r}"));
        let starts = if draw.chance(30) { 2 } else { 1 };
        for _ in 0..starts {
            let local = locals[draw.index(local_count)];
            builder.start(request, local);
            // An answer at once.
            if draw.chance(10) {
                let response = builder.response(&format!("a{}", draw.index(3)));
                builder.answer(local, response);
            }
        }
    }
    // Mostly answers are given where nothing else goes on.
    let mut targets = locals.clone();
    for end in 0..1 + draw.index(2) {
        let local = builder.local(&format!("end{end}"));
        let response = builder.response(&format!("a{end}"));
        builder.answer(local, response);
        targets.push(local);
    }
    for _ in 0..2 {
        if draw.chance(20) {
            let response = builder.response(&format!("a{}", draw.index(3)));
            builder.answer(targets[draw.index(targets.len())], response);
        }
    }
    let identities = [0, 25, 60][draw.index(3)];
    // Where steps leave from: anywhere, or from most points once.
    let any = (0..2 + draw.index(4 + 3 * local_count)).map(|_| (draw.index(local_count), draw.index(global_count))).collect();
    let most = (0..local_count).flat_map(|l| (0..global_count).map(move |g| (l, g))).filter(|_| draw.chance(80)).collect();
    let sources: Vec<(usize, usize)> = if draw.chance(50) { any } else { most };
    for (l, g) in sources {
        let (l, m) = (locals[l], targets[draw.index(targets.len())]);
        let g = globals[g];
        let h = if draw.chance(identities) { g } else { globals[draw.index(global_count)] };
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

/// A small system: requests go through a few stages, some steps are possible
/// under every global state and change nothing, some set it.
pub fn staged(random: &mut SplitMix64) -> NetworkSystem {
    let mut builder = SystemBuilder::new();
    let globals: Vec<_> = (0..2 + random.below(2)).map(|global| builder.global(&format!("g{global}"))).collect();
    for name in ["a", "b"].into_iter().take(1 + random.index(2)) {
        let request = builder.request(name);
        let width = 1 + random.below(2);
        let mut stage = vec![builder.local(&format!("{name} start"))];
        builder.start(request, stage[0]);
        for depth in 0..random.below(3) {
            let next: Vec<_> = (0..width).map(|index| builder.local(&format!("{name} {depth} {index}"))).collect();
            connect(&mut builder, &globals, &stage, &next, random);
            if random.below(4) == 0 {
                connect(&mut builder, &globals, &next, &stage, random);
            }
            stage = next;
        }
        let ends: Vec<_> = (0..1 + random.below(2))
            .map(|index| {
                let local = builder.local(&format!("{name} end {index}"));
                let response = builder.response(&format!("{index}"));
                builder.answer(local, response);
                local
            })
            .collect();
        connect(&mut builder, &globals, &stage, &ends, random);
    }
    builder.finish(globals[0])
}

fn connect(builder: &mut SystemBuilder, globals: &[GlobalId], from: &[LocalId], to: &[LocalId], random: &mut SplitMix64) {
    for &local in from {
        match random.below(4) {
            0 => {
                // Whatever the global state is, it stays.
                let target = to[random.index(to.len())];
                globals.iter().for_each(|&global| builder.step(local, global, target, global));
            }
            1 => {
                // One global state for all.
                let (target, left) = (to[random.index(to.len())], globals[random.index(globals.len())]);
                globals.iter().for_each(|&global| builder.step(local, global, target, left));
            }
            _ => {
                for &global in globals {
                    if random.below(3) > 0 {
                        builder.step(local, global, to[random.index(to.len())], globals[random.index(globals.len())]);
                    }
                }
            }
        }
    }
}

/// A small system with names that are easily confused.
///
/// Local states are in layers: steps lead from layer to layer, or anywhere in
/// a few cases, and most answers are given at the end, so that many of these
/// systems have complete runs that are not serial.
pub fn confusable(random: &mut SplitMix64) -> NetworkSystem {
    let mut builder = SystemBuilder::new();
    let globals = ["a", "b", "a b"].map(|name| builder.global(name));
    let locals = ["a", "b", "", "\"", "é", "A"].map(|name| builder.local(name));
    let requests = ["a", "b"].map(|name| builder.request(name));
    let responses = ["a", "b", "A"].map(|name| builder.response(name));
    let layer = |layer: usize| &locals[2 * layer..2 * layer + 2];
    for &request in &requests[..if random.below(2) == 0 { 1 } else { 2 }] {
        for _ in 0..1 + random.below(2) {
            builder.start(request, pick(random, layer(0)));
        }
    }
    for (index, &last) in layer(2).iter().enumerate() {
        builder.answer(last, responses[index]);
    }
    if random.below(3) == 0 {
        builder.answer(pick(random, &locals), pick(random, &responses));
    }
    for _ in 0..5 + random.below(6) {
        let (global, to_global) = (pick(random, &globals), pick(random, &globals));
        let (from, to) = match random.below(5) {
            0 => (&locals[..], &locals[..]),
            1 | 2 => (layer(0), layer(1)),
            _ => (layer(1), layer(2)),
        };
        builder.step(pick(random, from), global, pick(random, to), to_global);
    }
    builder.finish(globals[0])
}

/// Requests that go from a start over two places to an end, and often change
/// nothing but where they are, under any of two global states.
pub fn with_identities(random: &mut SplitMix64) -> NetworkSystem {
    let mut builder = SystemBuilder::new();
    let request = builder.request("a");
    let globals = ["g", "h"].map(|name| builder.global(name));
    let locals = ["start", "l", "x", "end"].map(|name| builder.local(name));
    builder.start(request, locals[0]);
    let response = builder.response("ok");
    builder.answer(locals[3], response);
    for _ in 0..4 + random.below(5) {
        let (from, to) = (pick(random, &locals[..3]), pick(random, &locals));
        if random.below(2) == 0 {
            globals.iter().for_each(|&global| builder.step(from, global, to, global));
        } else {
            builder.step(from, pick(random, &globals), to, pick(random, &globals));
        }
    }
    builder.finish(globals[0])
}

/// One of some items, of which there is at least one.
fn pick<T: Copy>(random: &mut SplitMix64, items: &[T]) -> T {
    items[random.index(items.len())]
}
