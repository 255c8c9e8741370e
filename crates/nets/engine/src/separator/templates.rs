//! Clauses that a separator may be made of: those of few shapes that hold on markings that are known to be reachable.
//!
//! Atoms are bounds of places, of sums and of differences of two places, near what the goal says and what was seen;
//! residues of places and of sums and differences of two, by 2 and 3; and whether a transition has fired. A clause is
//! one atom, or one beside a *guard*: that a place is empty or not, or that a transition has fired or not.

use std::collections::BTreeSet;

use serval_linear::Linear;
use serval_net_proof::inductive::Atom as _;
use serval_net_proof::separator::Atom;
use serval_petri::Net;

use crate::fast::Fast;
use crate::walk::Random;

/// Markings that clauses are tried on.
const SAMPLES: usize = 640;
/// Half of them are the nearest, the others are at the ends of walks of at most this number of steps.
const STEPS: usize = 48;

/// Clauses, by the numbers of their atoms.
pub(super) struct Templates {
    pub(super) atoms: Vec<Atom>,
    pub(super) clauses: Vec<Vec<usize>>,
}

impl Templates {
    /// Those that hold on samples of the counting net, for a goal that says these numbers of places.
    pub(super) fn new(counting: &Net, places: usize, label: &[Option<u64>]) -> Self {
        let samples = samples(&Fast::new(counting));
        let (atoms, guards) = atoms(counting, places, label, &samples);
        let seen: Vec<Vec<u64>> = atoms.iter().map(|atom| bits(atom, &samples)).collect();
        let is_all =
            |one: &[u64], other: &[u64]| one.iter().zip(other).enumerate().all(|(at, (one, other))| one | other == full(at, samples.len()));
        let mut clauses: Vec<Vec<usize>> =
            (0..atoms.len()).filter(|&atom| is_all(&seen[atom], &seen[atom])).map(|atom| vec![atom]).collect();
        let is_known: Vec<bool> = seen.iter().map(|seen| is_all(seen, seen)).collect();
        let is_never = |seen: &[u64]| seen.iter().all(|&word| word == 0);
        for guard in (0..guards).filter(|&guard| !is_known[guard] && !is_never(&seen[guard])) {
            for atom in (0..atoms.len()).filter(|&atom| !is_known[atom] && (atom > guard || atom >= guards)) {
                if is_all(&seen[guard], &seen[atom]) {
                    clauses.push(vec![guard, atom]);
                }
            }
        }
        Self { atoms, clauses }
    }

    /// Which atoms hold where places and counters have these numbers.
    pub(super) fn holding(&self, numbers: &[i64]) -> Vec<bool> {
        let value = |variable: u32| numbers.get(variable as usize).copied().map_or(0, i128::from);
        self.atoms.iter().map(|atom| holds(atom, value)).collect()
    }
}

fn holds(atom: &Atom, value: impl Fn(u32) -> i128) -> bool {
    let Some(value) = atom.linear().value(value) else { return false };
    atom.divisor().map_or(value >= 0, |divisor| value.rem_euclid(i128::from(divisor)) != 0)
}

/// All bits of a word of samples.
fn full(word: usize, samples: usize) -> u64 {
    match samples.saturating_sub(word * 64) {
        64.. => u64::MAX,
        bits => !(u64::MAX << bits),
    }
}

fn bits(atom: &Atom, samples: &[Vec<u64>]) -> Vec<u64> {
    let word = |samples: &[Vec<u64>]| {
        let bit = |(at, sample): (usize, &Vec<u64>)| u64::from(holds(atom, |variable| sample[variable as usize].into())) << at;
        samples.iter().enumerate().map(bit).sum()
    };
    samples.chunks(64).map(word).collect()
}

/// Markings of the counting net that can be reached: the nearest, and some far away.
fn samples(fast: &Fast) -> Vec<Vec<u64>> {
    let mut known: BTreeSet<Vec<u64>> = BTreeSet::from([fast.initial.clone()]);
    let mut samples = vec![fast.initial.clone()];
    let mut at = 0;
    let enabled = |marking: &[u64]| (0..fast.inputs.len()).filter(|&one| fast.is_enabled(marking, one)).collect::<Vec<_>>();
    while at < samples.len() && samples.len() < SAMPLES / 2 {
        let marking = samples[at].clone();
        for transition in enabled(&marking) {
            let mut next = marking.clone();
            if fast.fire(&mut next, transition) && known.insert(next.clone()) {
                samples.push(next);
            }
        }
        at += 1;
    }
    let mut random = Random(1);
    for _ in samples.len()..SAMPLES {
        let mut marking = fast.initial.clone();
        for _ in 0..random.below(STEPS) {
            let enabled = enabled(&marking);
            if enabled.is_empty() || !fast.fire(&mut marking, enabled[random.below(enabled.len())]) {
                break;
            }
        }
        if known.insert(marking.clone()) {
            samples.push(marking);
        }
    }
    samples
}

/// The atoms, and how many of them, at the beginning, are guards.
fn atoms(counting: &Net, places: usize, label: &[Option<u64>], samples: &[Vec<u64>]) -> (Vec<Atom>, usize) {
    let number = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
    // Factors are 1 and −1, and values sums of two numbers of 64 bits, so that 128 bits are enough.
    let wide = |terms: &[(u32, i64)], sign: i128| terms.iter().map(|&(of, factor)| (of, sign * i128::from(factor))).collect::<Vec<_>>();
    let at_least = |terms: &[(u32, i64)], least: i128| Linear::from_wide(wide(terms, 1), -least).map(Atom::bound);
    let at_most = |terms: &[(u32, i64)], most: i128| Linear::from_wide(wide(terms, -1), most).map(Atom::bound);
    let mut atoms: Vec<Atom> = Vec::new();
    for variable in 0..counting.place_count() {
        let terms = [(number(variable), 1)];
        atoms.extend(at_most(&terms, 0).into_iter().chain(at_least(&terms, 1)));
    }
    let guards = atoms.len();
    let mut sums: Vec<Vec<(u32, i64)>> = (0..places).map(|place| vec![(number(place), 1)]).collect();
    for one in 0..places {
        for other in one + 1..places {
            sums.extend([1, -1].map(|sign| vec![(number(one), 1), (number(other), sign)]));
        }
    }
    let wanted = |terms: &[(u32, i64)]| {
        let numbers = terms.iter().map(|&(place, factor)| Some(i128::from(factor) * i128::from(label[place as usize]?)));
        numbers.sum::<Option<i128>>().filter(|wanted| wanted.unsigned_abs() < 1 << 40)
    };
    for terms in &sums {
        let value = |sample: &Vec<u64>| -> i128 {
            terms.iter().map(|&(place, factor)| i128::from(factor) * i128::from(sample[place as usize])).sum()
        };
        let (least, most) = (samples.iter().map(value).min().unwrap_or(0), samples.iter().map(value).max().unwrap_or(0));
        let mut bounds: Vec<Option<Atom>> = vec![at_least(terms, least), at_most(terms, most)];
        if let Some(wanted) = wanted(terms) {
            bounds.extend([at_most(terms, wanted), at_least(terms, wanted), at_most(terms, wanted - 1), at_least(terms, wanted + 1)]);
        }
        bounds.extend(
            [2, 3]
                .into_iter()
                .flat_map(|divisor| (0..divisor).map(move |rest| (divisor, rest)))
                .map(|(divisor, rest)| Atom::residue(divisor, Linear::new(terms.iter().copied(), rest)?)),
        );
        for atom in bounds.into_iter().flatten() {
            if !atoms.contains(&atom) {
                atoms.push(atom);
            }
        }
    }
    (atoms, guards)
}
