//! Systems whose state has parts, and requests of which some belong to one and some to several.

use serval_model::{GlobalId, NetworkSystem, SplitMix64, SystemBuilder};

/// A system, and for each request the parts that it is meant to touch.
///
/// Mostly a request of several parts has one answer and does in each part what depends on that part alone; now and then
/// it waits for a value of one part, its answer or a test mixes parts, there are two such requests, which may need each
/// other in different orders, or several that join three parts in a circle.
pub fn parted(seed: u64) -> (NetworkSystem, Vec<Vec<u32>>) {
    let mut draw = SplitMix64::new(seed);
    let sizes: Vec<usize> = if draw.chance(30) { vec![2; 3] } else { (0..2).map(|_| 2 + draw.index(2)).collect() };
    let mut parted = Parted { builder: SystemBuilder::new(), globals: Vec::new(), sizes, draw, locals: 0 };
    let count: usize = parted.sizes.iter().product();
    parted.globals = (0..count).map(|number| parted.builder.global(&format!("g{number}"))).collect();
    let mut touches = Vec::new();
    for part in 0..parted.sizes.len() {
        for _ in 0..1 + usize::from(parted.draw.chance(20)) {
            parted.add(touches.len(), &[part]);
            touches.push(vec![numbered(part)]);
        }
    }
    for _ in 0..1 + usize::from(parted.draw.chance(25)) + usize::from(parted.sizes.len() > 2 && parted.draw.chance(60)) {
        let mut parts: Vec<usize> = (0..parted.sizes.len()).collect();
        if parts.len() > 2 && parted.draw.chance(70) {
            parts.remove(parted.draw.index(3));
        }
        parted.add(touches.len(), &parts);
        touches.push(parts.iter().copied().map(numbered).collect());
    }
    let first = parted.globals[0];
    (parted.builder.finish(first), touches)
}

fn numbered(part: usize) -> u32 {
    u32::try_from(part).unwrap_or(u32::MAX)
}

struct Parted {
    builder: SystemBuilder,
    globals: Vec<GlobalId>,
    sizes: Vec<usize>,
    draw: SplitMix64,
    locals: usize,
}

impl Parted {
    /// Adds a request of these parts.
    fn add(&mut self, number: usize, parts: &[usize]) {
        let request = self.builder.request(&format!("r{number}"));
        let alone = parts.len() == 1;
        // What is done together, step by step.
        let mut steps: Vec<Vec<usize>> = if alone {
            vec![parts.to_vec(); 1 + self.draw.index(2)]
        } else if self.draw.chance(50) {
            parts.iter().map(|&part| vec![part]).collect()
        } else {
            vec![parts.to_vec()]
        };
        if !alone && self.draw.chance(30) {
            steps.reverse();
        }
        let mixes = !alone && self.draw.chance(35);
        let answers = if alone { 1 + self.draw.index(2) } else { 1 + usize::from(mixes && self.draw.chance(50)) };
        let mut at = self.local();
        self.builder.start(request, at);
        let ends: Vec<_> = (0..answers).map(|_| self.local()).collect();
        for (answer, &end) in ends.iter().enumerate() {
            let response = self.builder.response(&format!("a{answer}"));
            self.builder.answer(end, response);
        }
        let last = steps.len() - 1;
        for (position, step) in steps.iter().enumerate() {
            let next = if position == last { ends.clone() } else { vec![self.local()] };
            let effects: Vec<Vec<Option<usize>>> = step.iter().map(|&part| self.effect(part)).collect();
            let chosen: Vec<usize> = (0..self.globals.len()).map(|_| self.draw.index(next.len())).collect();
            let open: Vec<bool> = (0..self.globals.len()).map(|_| !mixes || self.draw.chance(70)).collect();
            for global in (0..self.globals.len()).filter(|&global| open[global]) {
                let values = self.values(global);
                let mut then = values.clone();
                let possible = step.iter().zip(&effects).all(|(&part, effect)| match effect[values[part]] {
                    Some(value) => {
                        then[part] = value;
                        true
                    }
                    None => false,
                });
                if possible {
                    let by = if mixes { global } else { values[step[0]] };
                    let to = self.number(&then);
                    self.builder.step(at, self.globals[global], next[chosen[by]], self.globals[to]);
                }
            }
            at = next[0];
        }
    }

    fn local(&mut self) -> serval_model::LocalId {
        self.locals += 1;
        self.builder.local(&format!("l{}", self.locals))
    }

    /// What becomes of each value of a part; nothing where it is waited for another.
    fn effect(&mut self, part: usize) -> Vec<Option<usize>> {
        let size = self.sizes[part];
        let fixed = self.draw.chance(40).then(|| self.draw.index(size));
        let blocks = [0, 0, 30, 60][self.draw.index(4)];
        (0..size).map(|_| (!self.draw.chance(blocks)).then(|| fixed.unwrap_or_else(|| self.draw.index(size)))).collect()
    }

    fn values(&self, mut global: usize) -> Vec<usize> {
        let digit = |&size: &usize| {
            let value = global % size;
            global /= size;
            value
        };
        self.sizes.iter().map(digit).collect()
    }

    fn number(&self, values: &[usize]) -> usize {
        self.sizes.iter().zip(values).rev().fold(0, |number, (size, value)| number * size + value)
    }
}
