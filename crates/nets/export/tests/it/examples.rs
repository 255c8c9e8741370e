//! Nets to write: all examples, and random ones.

use std::path::{Path, PathBuf};

use serval_effort::Sweep;
use serval_petri::{Net, pnml, tina};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// All example nets, with their names.
pub(crate) fn examples() -> Vec<(String, Net)> {
    let mut nets = Vec::new();
    for directory in ["examples/nets", "examples/nets/mutex"] {
        let mut paths: Vec<PathBuf> = std::fs::read_dir(root().join(directory)).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths.into_iter().filter(|path| path.is_file()) {
            let text = std::fs::read_to_string(&path).unwrap();
            let net = if path.extension().unwrap() == "net" { tina::read(&text).unwrap() } else { pnml::read(&text).unwrap().net };
            nets.push((path.file_name().unwrap().to_string_lossy().into_owned(), net));
        }
    }
    assert!(nets.len() >= 20, "{}", nets.len());
    nets
}

/// All example nets and as many random ones as the sweep has cases.
pub(crate) fn examples_and(sweep: Sweep) -> Vec<(String, Net)> {
    examples().into_iter().chain(sweep.seeds(0).map(|seed| (format!("random {seed}"), random_net(seed)))).collect()
}

/// The example with this name.
pub(crate) fn example(name: &str) -> Net {
    examples().into_iter().find(|(other, _)| other == name).unwrap().1
}

/// Random numbers, the same every time.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }
}

/// A random net with few places and transitions.
pub(crate) fn random_net(seed: u64) -> Net {
    let mut random = Random(seed);
    let mut net = Net::new(format!("random {seed}"));
    let count = 1 + random.below(5);
    let names = ["a", "b", "node", "flag=1", "c d"];
    let places: Vec<_> = (0..count).map(|place| net.add_place(names[place], u64::try_from(random.below(3)).unwrap()).unwrap()).collect();
    for transition in 0..1 + random.below(6) {
        let arcs = |random: &mut Random| -> Vec<_> {
            (0..random.below(3)).map(|_| (places[random.below(count)], 1 + u64::try_from(random.below(2)).unwrap())).collect()
        };
        let (inputs, outputs) = (arcs(&mut random), arcs(&mut random));
        net.add_transition(format!("t{transition}"), inputs, outputs).unwrap();
    }
    net
}
