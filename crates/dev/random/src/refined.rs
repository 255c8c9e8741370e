//! Nets that structural reductions are for: small ones in which something was put that they may leave out, and now and
//! then something that they must not.

use serval_model::SplitMix64;
use serval_petri::{Net, PlaceId};

type Arcs = Vec<(usize, u64)>;

/// A net that grows.
struct Draft {
    tokens: Vec<u64>,
    transitions: Vec<(Arcs, Arcs)>,
}

/// The net of a seed: up to 3 places and 4 transitions, after up to 5 refinements.
///
/// ```
/// use serval_random::refined_net;
/// assert_eq!(refined_net(7), refined_net(7));
/// ```
pub fn refined_net(seed: u64) -> Net {
    let mut draw = SplitMix64::new(seed ^ 0x4EF1);
    let mut draft = Draft::small(&mut draw);
    for _ in 0..1 + draw.index(5) {
        draft.refine(&mut draw);
    }
    if draw.chance(40) {
        draft.spoil(&mut draw);
    }
    draft.net(seed)
}

impl Draft {
    fn small(draw: &mut SplitMix64) -> Self {
        let places = 2 + draw.index(2);
        let tokens = (0..places).map(|_| [0, 1, 1, 2][draw.index(4)]).collect();
        let transitions = (0..2 + draw.index(3)).map(|_| {
            let inputs = (0..1 + draw.index(2)).map(|_| (draw.index(places), 1)).collect();
            let outputs = (0..[0, 1, 1, 1, 2][draw.index(5)]).map(|_| (draw.index(places), 1)).collect();
            (inputs, outputs)
        });
        Self { tokens, transitions: transitions.collect() }
    }

    fn place(&mut self, tokens: u64) -> usize {
        self.tokens.push(tokens);
        self.tokens.len() - 1
    }

    fn refine(&mut self, draw: &mut SplitMix64) {
        let (transition, place) = (draw.index(self.transitions.len()), draw.index(self.tokens.len()));
        match draw.index(8) {
            // What a transition does takes two steps, and the second may be one of several.
            0..=3 => {
                let between = self.place(0);
                let outputs = std::mem::replace(&mut self.transitions[transition].1, vec![(between, 1)]);
                // The first gives something, or the second takes something, too.
                let (mut first, mut inputs) = (vec![(between, 1)], vec![(between, 1)]);
                match draw.index(5) {
                    0 => first.push((place, 1)),
                    1 => inputs.push((place, 1)),
                    _ => {}
                }
                self.transitions[transition].1 = first;
                self.transitions.push((inputs, outputs));
                if draw.chance(40) {
                    let other = if draw.chance(50) { vec![(place, 1)] } else { Vec::new() };
                    self.transitions.push((vec![(between, 1)], other));
                }
                if draw.chance(30) {
                    self.transitions.push((vec![(place, 1)], vec![(between, 1)]));
                }
            }
            // Tokens come in heaps.
            4 => {
                let by = 2 + draw.below(2);
                self.tokens[place] = self.tokens[place] * by + draw.below(by);
                let arcs = self.transitions.iter_mut().flat_map(|both| both.0.iter_mut().chain(&mut both.1));
                arcs.filter(|arc| arc.0 == place).for_each(|arc| arc.1 *= by);
            }
            // What two places have together, and perhaps one more or less.
            5 | 6 => {
                let other = draw.index(self.tokens.len());
                let sum = (self.tokens[place] + self.tokens[other] + draw.below(3)).saturating_sub(u64::from(draw.chance(50)));
                let both = self.place(sum);
                for (inputs, outputs) in &mut self.transitions {
                    for arcs in [inputs, outputs] {
                        let more: u64 = arcs.iter().filter(|arc| arc.0 == place || arc.0 == other).map(|arc| arc.1).sum();
                        if more > 0 {
                            arcs.push((both, more));
                        }
                    }
                }
            }
            // The same once more, or with what is given back.
            _ => {
                let mut twin = self.transitions[transition].clone();
                if draw.chance(50) {
                    twin.0.push((place, 1));
                    twin.1.push((place, 1));
                }
                self.transitions.push(twin);
            }
        }
    }

    /// Something changes that a rule may have counted on.
    fn spoil(&mut self, draw: &mut SplitMix64) {
        let (transition, place) = (draw.index(self.transitions.len()), draw.index(self.tokens.len()));
        match draw.index(4) {
            0 => self.tokens[place] += 1,
            1 => self.transitions[transition].0.push((place, 1)),
            2 => self.transitions[transition].1.push((place, 1)),
            _ => drop(self.transitions.remove(transition)),
        }
    }

    fn net(self, seed: u64) -> Net {
        let mut net = Net::new(format!("refined net {seed}"));
        let add = |(number, tokens): (usize, u64)| net.add_place(format!("p{number}"), tokens).ok();
        let places: Vec<PlaceId> = self.tokens.into_iter().enumerate().filter_map(add).collect();
        let arcs = |arcs: Arcs| arcs.into_iter().map(|(place, weight)| (places[place], weight)).collect::<Vec<_>>();
        for (number, (inputs, outputs)) in self.transitions.into_iter().enumerate() {
            let added = net.add_transition(format!("t{number}"), arcs(inputs), arcs(outputs));
            added.unwrap_or_else(|error| unreachable!("{error}"));
        }
        net
    }
}
