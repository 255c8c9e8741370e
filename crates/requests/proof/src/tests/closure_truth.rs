//! No list of states is accepted for a system that can fail, by trying everything with few requests.

use std::collections::{BTreeMap, BTreeSet};

use serval_budget::Cancel;
use serval_model::{NetworkSystem, SplitMix64};

use super::fault::Failing;
use crate::{Body, Caps, Certificate, Claim, ClosedPart, check, fingerprint};

/// Where requests come first, where they fail if the global state is `1`, where they wait, and where they answer.
const LOCALS: [&str; 4] = ["start", "read 0", "mid", "done 0"];
const GLOBALS: [&str; 3] = ["0", "1", "2"];
const FAILS: (usize, usize) = (1, 1);

/// Steps from place to place, by number, and where requests start.
struct Drawn {
    steps: BTreeSet<[usize; 4]>,
    starts: Vec<usize>,
}

impl Drawn {
    fn new(random: &mut SplitMix64) -> Self {
        let mut steps = BTreeSet::new();
        for _ in 0..3 + random.below(5) {
            let from = random.index(3);
            let to = if random.chance(70) { from + 1 } else { random.index(4) };
            steps.insert([from, random.index(3), to, random.index(3)]);
        }
        Self { steps, starts: if random.chance(15) { vec![0, 2] } else { vec![0] } }
    }

    fn system(&self) -> NetworkSystem {
        let steps: Vec<_> = self.steps.iter().map(|&[l, g, to, to_g]| [LOCALS[l], GLOBALS[g], LOCALS[to], GLOBALS[to_g]]).collect();
        let starts: Vec<_> = self.starts.iter().map(|&start| ["r", LOCALS[start]]).collect();
        let text =
            format!(r#"{{"initial_global": "0", "requests": {starts:?}, "responses": [["done 0", "0"]], "transitions": {steps:?}}}"#);
        NetworkSystem::from_json(&text).unwrap()
    }

    /// All configurations of at most so many requests in flight: a global state, and how many are in each local state.
    fn configurations(&self, most: u32) -> BTreeSet<(usize, [u32; 4])> {
        let mut to_visit = vec![(0, [0; 4])];
        let mut seen = BTreeSet::from([to_visit[0]]);
        while let Some((global, at)) = to_visit.pop() {
            let mut next: Vec<(usize, Option<usize>, Option<usize>)> = Vec::new();
            if at.iter().sum::<u32>() < most {
                next.extend(self.starts.iter().map(|&start| (global, None, Some(start))));
            }
            if at[3] > 0 {
                next.push((global, Some(3), None));
            }
            let possible = self.steps.iter().filter(|step| step[1] == global && at[step[0]] > 0 && (step[0], global) != FAILS);
            next.extend(possible.map(|&[from, _, to, to_global]| (to_global, Some(from), Some(to))));
            for (global, from, to) in next {
                let mut at = at;
                from.into_iter().for_each(|from| at[from] -= 1);
                to.into_iter().for_each(|to| at[to] += 1);
                if seen.insert((global, at)) {
                    to_visit.push((global, at));
                }
            }
        }
        seen
    }

    /// A list of what is seen with a few requests, and a reason that is not far from one.
    fn part(&self, random: &mut SplitMix64) -> ClosedPart {
        let seen = self.configurations(3);
        let mut at: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
        for (global, counts) in &seen {
            at.entry(*global).or_default().extend((0..4).filter(|&local| counts[local as usize] > 0));
        }
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let at = (0..3).map(|global| at.get(&global).into_iter().flatten().copied().collect()).collect();
        let mut part = ClosedPart { globals: names(&GLOBALS), locals: names(&LOCALS), at, ..ClosedPart::default() };
        if random.chance(50) {
            self.weigh(random, &mut part);
        } else {
            // Markings of two or three requests, and where more can be, of any number.
            let few = self.configurations(if random.chance(50) { 2 } else { 3 });
            let many = seen.iter().fold([0; 4], |most, (_, counts)| std::array::from_fn(|local| most[local].max(counts[local])));
            let count = |local: usize, number: u32| if many[local] == 3 { 0 } else { number };
            let marking = |counts: &[u32; 4]| -> Vec<(u32, u32)> {
                let inside = (0..4).filter(|&local| counts[local] > 0 && !self.starts.contains(&local));
                inside.map(|local| (u32::try_from(local).unwrap(), count(local, counts[local]))).collect()
            };
            let of = |global| -> BTreeSet<_> { few.iter().filter(|one| one.0 == global).map(|one| marking(&one.1)).collect() };
            part.markings = (0..3).map(|global| of(global).into_iter().collect()).collect();
        }
        part
    }

    /// Weights at random, and levels as the steps that are met say.
    fn weigh(&self, random: &mut SplitMix64, part: &mut ClosedPart) {
        let counts = random.index(3);
        part.weights =
            (0..4).map(|local| (0..counts).map(|_| i64::from(local != 0 && local != 3 && random.chance(50))).collect()).collect();
        let mut levels = vec![None; 3];
        levels[0] = Some(vec![0; counts]);
        for _ in 0..3 {
            for &[from, global, to, to_global] in &self.steps {
                if let (Some(level), None) = (levels[global].clone(), &levels[to_global]) {
                    let after = |(count, level): (usize, i64)| level + part.weights[to][count] - part.weights[from][count];
                    levels[to_global] = Some(level.into_iter().enumerate().map(after).collect());
                }
            }
        }
        part.levels = levels.into_iter().map(|level| level.unwrap_or(vec![0; counts])).collect();
    }
}

fn damage(random: &mut SplitMix64, part: &mut ClosedPart) {
    let (global, local) = (random.index(3), random.index(4));
    let by = i64::try_from(random.below(3)).unwrap() - 1;
    match random.below(10) {
        0 => part.at[global].retain(|_| random.chance(60)),
        1 => part.at[global].push(u32::try_from(local + random.index(3)).unwrap()),
        2 => part.levels.iter_mut().for_each(|row| row.iter_mut().for_each(|level| *level += by)),
        3 => part.levels.get_mut(global).into_iter().flatten().for_each(|level| *level += by),
        4 => part.weights.get_mut(local).into_iter().flatten().for_each(|weight| *weight += by),
        5 => part.markings.get_mut(global).into_iter().for_each(|markings| markings.retain(|_| random.chance(60))),
        6 => part.markings.iter_mut().flatten().for_each(|marking| marking.retain(|_| random.chance(80))),
        7 => part.markings.iter_mut().flatten().flatten().for_each(|one| one.1 = u32::try_from(random.below(3)).unwrap()),
        8 => part.locals[local] = LOCALS[random.index(4)].to_owned(),
        _ => part.globals[global] = GLOBALS[random.index(3)].to_owned(),
    }
}

#[test]
fn what_is_accepted_cannot_fail() {
    let sweep = serval_effort::sweep("proof.closed", 3_000, 60_000);
    let (mut accepted, mut failing) = (0, 0);
    for seed in sweep.seeds(0) {
        let random = &mut SplitMix64::new(seed);
        let drawn = Drawn::new(random);
        let system = Failing(drawn.system());
        let can_fail = drawn.configurations(4).iter().any(|(global, at)| *global == FAILS.1 && at[FAILS.0] > 0);
        failing += u64::from(can_fail);
        for round in 0..3 {
            let mut part = drawn.part(random);
            for _ in 0..round {
                damage(random, &mut part);
            }
            let certificate =
                Certificate { input: fingerprint("the text"), component: 0, claim: Claim::Safe, body: Body::Closure(vec![part]) };
            let is_accepted = check(&system, &certificate, &Caps::default(), &Cancel::new()).is_ok();
            assert!(!is_accepted || !can_fail, "{}\n{}", drawn.system().to_json(), certificate.to_json());
            accepted += u64::from(is_accepted);
        }
    }
    assert!(!sweep.is_representative() || accepted > sweep.count() / 4 && failing > sweep.count() / 10, "{accepted} {failing}");
}
