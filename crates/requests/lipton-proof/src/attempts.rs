//! Optimistic concurrency control (Kung, Robinson 1981), transformation T7: attempts that read in several steps, with
//! several versions, and test all of them before anything counts. It extends [`crate::validated`].
//!
//! ```text
//! h:   v := V; x := X; yield;
//! p1:  w := W; y := Y; yield;
//! w:   if (V == v and W == w) { … } else { go back to h }
//! ```
//!
//! **Conditions**, for points `h = p₀, p₁, …, p_k = w`, versions `Vᵢ` with registers `vᵢ`, each read in step `s(i) <
//! k`, and reads of globals `Xⱼ` with registers `xⱼ`, each in a step `s(j) < k` and guarded by a version `i` with
//! `s(i) ≤ s(j)`. No register is named twice.
//!
//! 1. One path leads from `p_s` to `p_{s+1}`, which is no entry and not the end. For `s > 0` no other path leaves
//!    `p_s`, and none but this one leads to `p_{s+1}`. If paths from other points `h'` lead to `p₁`, then from each of
//!    them one, and for each path from `h` there is a path from `h'` that tests, changes, keeps and answers the same.
//! 2. These paths change no global and leave every register that is kept at `h` as it is. None of the registers of the
//!    conditions is kept at `h`. The path from `p_s` puts `Vᵢ` into `vᵢ` and `Xⱼ` into `xⱼ` where `s(i) = s` and
//!    `s(j) = s`, and leaves those of earlier steps as they are. It tests what it reads so one by one if at all.
//! 3. Every path from `w` either tests `Vᵢ = vᵢ` for every version, or goes to `h`, changes no global and leaves every
//!    register that is kept at `h` as it is.
//! 4. If version `i` guards anything: every path that changes `Vᵢ` or something that it guards adds something positive
//!    to `Vᵢ`.
//!
//! **Transformation.** At `w` no request keeps a `vᵢ` or `xⱼ`. Paths that test all versions do not test them any more,
//! have `Vᵢ` and `Xⱼ` in the place of `vᵢ` and `xⱼ`, and test in addition what was tested alone of a `Vᵢ` or `Xⱼ` on
//! the path that reads it, where it is tested no more. Paths back to `h` test nothing.
//!
//! **Statement.** Every step before is one after, and `Ser` does not grow.
//!
//! **Proof.**
//!
//! - *Steps.* Let a run of the program before be given. When a path from `w` tests all versions and goes on, the
//!   request came to `w` along `p₀ … p_k` (1): it read `vᵢ` from `Vᵢ` and `xⱼ` from `Xⱼ` in steps of this attempt, in
//!   this order, and has changed none of them since (2). As `Vᵢ = vᵢ`, putting `Vᵢ` for `vᵢ` changes nothing, and what
//!   was tested of `Vᵢ` then holds now. As to `Xⱼ`, guarded by `i`: every change of `Vᵢ` or `Xⱼ` makes `Vᵢ` larger (4).
//!   `Vᵢ` is what it was when `vᵢ` was read, so there was no such change since, and `xⱼ` was read then or later. So `Xⱼ
//!   = xⱼ`, and what was tested of `Xⱼ` holds. So the step is one after the transformation. Other steps test less than
//!   before. So every run before is a run after, without these registers at `w`.
//! - *Serial runs.* In a serial run after the transformation, a request that goes from `h` to `w` and back to `h` has
//!   changed nothing: what is kept at `h` is as it was. Leave that out. (If it came from another `h'`, then it can do
//!   there what it does at `h` next.) If it goes from `h` to `w` and on, no other request came between, so all `Vᵢ` and
//!   `Xⱼ` are at `w` what they were when they were read: before the transformation it reads exactly these, passes the
//!   tests on the way, which are tested now, finds `Vᵢ = vᵢ`, and does the same. A request that is at some `p_s` with
//!   `s > 0` can do nothing but go on to `w`, so there are no other cases. ∎
//!
//! What the program before reads lies in the range of the global and passes the test on the way; errors are those of
//! the program before, so [`Facts`](crate::facts::Facts) says this of these registers at `w`.

use serval_compile::control::Reg;
use serval_proof::ValidatedAttempt;
use serval_syntax::GlobalVar;

use crate::domain::Domain;
use crate::model::Model;
use crate::path::{Path, PathId, PointId, Value};
use crate::term::{Symbol, Term};
use crate::validated::{Unvalidated, put_paths, require, tests};

/// What an attempt reads.
struct AttemptRead {
    step: usize,
    global: GlobalVar,
    register: Reg,
}

impl Model {
    /// All that is read, versions first, and the points.
    fn readings(&self, attempt: &ValidatedAttempt) -> Result<(Vec<PointId>, Vec<AttemptRead>), Unvalidated> {
        let points: Vec<PointId> = attempt.points.iter().copied().map(PointId).collect();
        let there = |point: &PointId| *point != PointId::END && point.index() < self.points.len();
        let mut sorted = points.clone();
        sorted.sort_unstable();
        let known = points.len() > 1 && points.iter().all(there) && sorted.windows(2).all(|pair| pair[0] != pair[1]);
        require(known, "there are no such points, or one twice")?;
        let versions = attempt.versions.iter().map(|&(step, global, reg)| (step, global, reg));
        let reads = attempt.reads.iter().map(|&(_, step, global, reg)| (step, global, reg));
        let all: Vec<AttemptRead> = versions
            .chain(reads)
            .map(|(step, global, reg)| AttemptRead { step: step as usize, global: GlobalVar(global), register: Reg(reg) })
            .collect();
        let fits = |read: &AttemptRead| read.step + 1 < points.len() && read.global.index() < self.initial.len();
        require(!attempt.versions.is_empty() && all.iter().all(fits), "there is no such step or variable")?;
        let guarded = |&(version, step, ..): &(u32, u32, u32, u32)| attempt.versions.get(version as usize).is_some_and(|v| v.0 <= step);
        require(attempt.reads.iter().all(guarded), "something is read before the version that guards it")?;
        let mut names: Vec<Reg> = all.iter().map(|read| read.register).collect();
        names.sort_unstable();
        require(names.windows(2).all(|pair| pair[0] != pair[1]), "a register is named twice")?;
        Ok((points, all))
    }

    /// Whether the conditions hold.
    pub fn is_attempt(&self, attempt: &ValidatedAttempt) -> Result<(), Unvalidated> {
        let (points, all) = self.readings(attempt)?;
        let (head, wait) = (points[0], points[points.len() - 1]);
        require(points[1..].iter().all(|&point| !self.is_entry(point)), "a request begins where it waits")?;
        let dead = |read: &AttemptRead| self.points[head.index()].live.binary_search(&read.register).is_err();
        require(all.iter().all(dead), "what was read is kept where the attempt begins")?;
        let pairs = |step: usize| all.iter().filter(move |read| read.step == step).map(|read| (read.global, read.register));
        self.reads(head, points[1], &pairs(0).collect::<Vec<_>>())?;
        for step in 1..points.len() - 1 {
            let (from, to) = (points[step], points[step + 1]);
            let only = self.leaving[from.index()].len() == 1 && self.leaving[from.index()] == self.entering[to.index()];
            require(only, "several paths leave a step of the attempt, or lead to the next one")?;
            self.reads(from, to, &pairs(step).collect::<Vec<_>>())?;
            let path = self.path(self.leaving[from.index()][0]);
            require(self.leaves(path, head, from, to), "a step of the attempt changes a register")?;
            let earlier = all.iter().filter(|read| read.step < step);
            require(earlier.into_iter().all(|read| is_left(path, read.register)), "a step of the attempt changes what was read")?;
        }
        let versions = &all[..attempt.versions.len()];
        let tested = |path: &&Path| versions.iter().all(|read| tests(path, read.global, read.register));
        for path in self.leaving[wait.index()].iter().map(|&id| self.path(id)).filter(|path| !tested(path)) {
            require(path.to == head && path.updates.is_empty(), "a path neither tests all versions nor goes back")?;
            require(self.leaves(path, head, wait, head), "a path back changes a register")?;
        }
        for (number, version) in (0_u32..).zip(versions) {
            let guarded = attempt.reads.iter().filter(|read| read.0 == number).map(|read| (GlobalVar(read.2), Reg(read.3)));
            let together: Vec<(GlobalVar, Reg)> = std::iter::once((version.global, version.register)).chain(guarded).collect();
            if together.len() > 1 {
                self.grows(&together)?;
            }
        }
        Ok(())
    }

    /// Transforms the program, of which the conditions hold; leaves it as it is if that cannot be done.
    pub fn put_attempt(&mut self, attempt: &ValidatedAttempt) -> Result<(), Unvalidated> {
        let (points, all) = self.readings(attempt)?;
        let wait = points[points.len() - 1];
        let mut ways: Vec<Vec<PathId>> = Vec::new();
        let mut guards: Vec<Domain> = vec![Domain::values(); all.len()];
        for step in 0..points.len() - 1 {
            let into = self.entering[points[step + 1].index()].clone();
            let Some(first) = into.iter().map(|&id| self.path(id)).find(|path| path.from == points[step]) else {
                return Err(Unvalidated("no path leads to where it waits"));
            };
            for (read, guard) in all.iter().zip(&mut guards).filter(|(read, _)| read.step == step) {
                *guard = first.guard(read.global).cloned().unwrap_or_else(Domain::values);
            }
            ways.push(into);
        }
        let versions = &all[..attempt.versions.len()];
        let tested = |path: &Path| versions.iter().all(|read| tests(path, read.global, read.register));
        let pairs: Vec<(GlobalVar, Reg)> = all.iter().map(|read| (read.global, read.register)).collect();
        let changed = put_paths(self, wait, &tested, &pairs, &guards)?;
        for (step, id) in ways.iter().enumerate().flat_map(|(step, ids)| ids.iter().map(move |&id| (step, id))) {
            let path = &mut self.paths[id.index()];
            let here = |global: GlobalVar| all.iter().any(|read| read.step == step && read.global == global);
            path.conditions.0.retain(|(form, _)| !matches!(form.as_slice(), &[(Symbol::Global(global), 1)] if here(global)));
            if step + 2 == points.len() {
                path.kept.retain(|(reg, _)| !pairs.iter().any(|pair| pair.1 == *reg));
            }
        }
        self.replace(changed);
        self.read_before.extend(pairs.iter().zip(guards).map(|(&(global, reg), guard)| (wait, reg, (global, guard))));
        self.tidy();
        Ok(())
    }
}

/// Whether a path leaves a register as it is.
fn is_left(path: &Path, register: Reg) -> bool {
    path.kept.iter().any(|(reg, Value { term, .. })| *reg == register && *term == Term::symbol(Symbol::Local(register)))
}
