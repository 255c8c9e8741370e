//! All targets and the certificates that were found for them.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use serval_effort::side_by_side;
use serval_proof::Claim;
use serval_random::parted;
use serval_testkit::random::{Shape, random_program};

use super::draw::Draw;
use super::found::{Sample, harvest};
use super::targets::{Target, joined, neighbours};
use crate::requests::systems::Generator;

/// How many targets there are, beside the listed ones.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Random systems.
    pub systems: u64,
    /// Random programs.
    pub programs: u64,
    /// Pairs of random systems as two components.
    pub joined: u64,
    /// Edits of each target.
    pub edits: usize,
}

/// All targets and samples.
#[derive(Debug)]
pub struct Pool {
    /// The inputs.
    pub targets: Vec<Target>,
    /// Certificates that the checker accepts.
    pub samples: Vec<Sample>,
    /// Complete runs, most of them with serial answers.
    pub runs: Vec<Sample>,
    /// For each target those one edit away.
    pub near: Vec<Vec<usize>>,
    /// How many of the targets were given as files.
    pub listed: usize,
    /// The samples of each kind.
    by_kind: BTreeMap<String, Vec<usize>>,
    /// The targets with one component for which something is proved: those
    /// that are serializable, and those that are not.
    single: [Vec<usize>; 2],
}

/// Programs of which proofs say what few others say: that few requests stand for many, that a look does not matter, and
/// in which order tickets are drawn.
const WRITTEN: [(&str, &str); 4] = [
    (
        "rows.ser",
        "var L[0..7]: 0..1\nvar X[0..7]: 0..1\n\
         request move(i: 0..6) { lock(L[i]); a := X[i]; yield; lock(L[i + 1]); X[i] := X[i + 1]; X[i + 1] := a; unlock(L[i]); yield; unlock(L[i + 1]); a }",
    ),
    (
        "guarded rows.ser",
        "var L[0..8]: 0..1\nvar X[0..8]: 0..2\nrequest add(i: 0..8) { lock(L[i]); a := X[i]; yield; if (a < 2) { X[i] := a + 1 }; unlock(L[i]); a }",
    ),
    (
        "twice.ser",
        "request get { if (READY == 1) { return OBJECT }; lock(L); yield; if (READY == 0) { OBJECT := 1 + ?; yield; READY := 1; unlock(L); return 10 + OBJECT }; unlock(L); OBJECT }",
    ),
    (
        "tickets.ser",
        "var X: 0..1\nrequest swap { await (NEXT < 3); t := NEXT; NEXT := NEXT + 1; await (CALLED == t); x := X; yield; X := 1 - x; CALLED := CALLED + 1; x }",
    ),
];

/// The programs and systems in a directory, sorted by name.
pub fn inputs_in(directory: &Path) -> Result<Vec<(String, String)>, String> {
    let cannot = |error: std::io::Error| format!("cannot read {}: {error}", directory.display());
    let mut inputs = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        let is_input = path.extension().is_some_and(|ending| ending == "ser" || ending == "json");
        if let (true, Some(name)) = (is_input, path.file_name()) {
            inputs.push((name.to_string_lossy().into_owned(), std::fs::read_to_string(&path).map_err(cannot)?));
        }
    }
    inputs.sort();
    Ok(inputs)
}

impl Pool {
    /// Gathers targets and certificates; all cores work, and their number makes
    /// no difference. The error is a certificate of the engine that the checker
    /// refuses.
    pub fn new(inputs: &[(String, String)], size: Size, seed: u64) -> Result<Self, String> {
        let mut targets: Vec<Target> = side_by_side(inputs, |(name, text)| Target::new(name, text.clone())).into_iter().flatten().collect();
        let listed = targets.len();
        if size.programs > 0 {
            targets.extend(WRITTEN.iter().filter_map(|(name, text)| Target::new(name, (*text).to_owned())));
        }
        for number in 0..size.systems {
            // Programs come below, as texts.
            let generator = Generator::ALL[usize::try_from(number % 3).unwrap_or(0)];
            for system in generator.systems(seed, number) {
                targets.extend(Target::new(&format!("{} system {number}", generator.name()), system.to_json()));
            }
        }
        for number in 0..size.systems / 6 {
            let (system, _) = parted(seed.wrapping_add(number));
            targets.extend(Target::new(&format!("system {number} of parts"), system.to_json()));
        }
        for number in 0..size.programs {
            // Those near the ends of 64 bits often fail.
            let shape = Shape::WITH_EDGES[usize::try_from(number % 5).unwrap_or(0)];
            targets.extend(Target::new(&format!("random program {number}"), random_program(seed.wrapping_add(number), shape)));
        }
        for number in 0..size.joined {
            let drawn = |shift: u64| Generator::ALL[usize::try_from((number + shift) % 3).unwrap_or(0)].systems(!seed, 2 * number + shift);
            if let ([one, ..], [other, ..]) = (drawn(0).as_slice(), drawn(1).as_slice()) {
                // Every second time twice the same.
                targets.extend(joined(&format!("components {number}"), [one, if number % 2 == 0 { other } else { one }]));
            }
        }
        let mut near: Vec<Vec<usize>> = Vec::new();
        let mut edited = Vec::new();
        let numbered: Vec<(usize, &Target)> = targets.iter().enumerate().collect();
        let all_found = side_by_side(&numbered, |&(number, target)| neighbours(target, size.edits, &mut Draw::new(seed, number as u64)));
        for found in all_found {
            near.push((targets.len() + edited.len()..).take(found.len()).collect());
            edited.extend(found);
        }
        targets.extend(edited);
        near.resize(targets.len(), Vec::new());
        for (number, others) in near.clone().into_iter().enumerate() {
            for other in others {
                near[other].push(number);
            }
        }
        let (samples, runs, by_kind, single) = (Vec::new(), Vec::new(), BTreeMap::new(), [Vec::new(), Vec::new()]);
        let mut pool = Self { targets, samples, runs, near, listed, by_kind, single };
        let numbered: Vec<(usize, &Target)> = pool.targets.iter().enumerate().collect();
        let harvests = side_by_side(&numbered, |&(number, target)| {
            let mut draw = Draw::new(!seed, number as u64);
            harvest(number, target, number < listed, &mut draw).map_err(|why| format!("{}: {why}", target.name))
        });
        for (number, found) in harvests.into_iter().enumerate() {
            let found = found?;
            pool.targets[number].verdict = found.verdict;
            pool.samples.extend(found.certificates);
            pool.runs.extend(found.runs);
            if let (Some(verdict), 1) = (found.verdict, pool.targets[number].systems.len()) {
                pool.single[usize::from(verdict == Claim::NotSerializable)].push(number);
            }
        }
        for (number, sample) in pool.samples.iter().enumerate() {
            pool.by_kind.entry(sample.kind().to_owned()).or_default().push(number);
        }
        Ok(pool)
    }

    /// A certificate of this kind.
    pub fn sample(&self, kind: &str, draw: &mut Draw) -> Option<&Sample> {
        self.samples.get(*draw.pick(self.by_kind.get(kind)?)?)
    }

    /// A certificate of this kind in whose evidence there is this field.
    pub fn sample_with(&self, kind: &str, field: &str, draw: &mut Draw) -> Option<&Sample> {
        let with = |at: &&usize| self.samples[**at].value.as_ref().is_some_and(|value| value[kind].get(field).is_some());
        let fitting: Vec<&usize> = self.by_kind.get(kind)?.iter().filter(with).collect();
        self.samples.get(**draw.pick(&fitting)?)
    }

    /// How many certificates there are of each kind.
    pub fn kinds(&self) -> impl Iterator<Item = (&str, usize)> {
        self.by_kind.iter().map(|(kind, samples)| (kind.as_str(), samples.len()))
    }

    /// The targets of one component of which this is proved.
    pub fn single(&self, verdict: Claim) -> &[usize] {
        &self.single[usize::from(verdict == Claim::NotSerializable)]
    }

    /// Whether these are known to be different: one serializable, one not.
    pub fn are_opposed(&self, one: usize, other: usize) -> bool {
        let verdicts = (self.targets[one].verdict, self.targets[other].verdict);
        matches!(verdicts, (Some(one), Some(other)) if one != other)
    }

    /// The value of a field of some certificate, or of a part of one.
    pub fn any_with(&self, field: &str, draw: &mut Draw) -> Option<Value> {
        for _ in 0..10 {
            let Some(value) = draw.pick(&self.samples).and_then(|sample| sample.value.as_ref()) else { continue };
            let body = if value["kind"] == "components" { draw.element(&value["parts"]).unwrap_or(value) } else { value };
            if let Some(found) = body.get(field) {
                return Some(found.clone());
            }
        }
        None
    }
}
