//! Counterexamples with fewer requests, and then with fewer switches.
//!
//! Requests are left out: large parts first, then all of a kind, then one, two or three, with the others in the same
//! order but for up to eleven small moves. Then runs are drawn again with fewer of the same kinds. What is found is a
//! counterexample as what it was made of, since each is looked at anew; that there is none with fewer requests is not
//! said here.

use serval_budget::{Budget, Stopped};
use serval_model::{Moves, RequestId, Run};

use super::mix::Mix;
use super::play::{Act, Play, PlayEnd, World, acts_of};
use super::replay::{is_counterexample, replayed};
use super::schedule::{Course, Schedule};

/// Ticks for all of it.
pub(super) const SHRINK_TICKS: u64 = 4_000_000;
/// Small moves, at most, and how far.
const MOVES: usize = 12;
const FAR: usize = 6;
/// Attempts to leave requests out, for each request, and beside.
const ATTEMPTS_EACH: usize = 24;
const ATTEMPTS: usize = 160;
/// Runs that are drawn again, with each of the ticks that are left.
const AGAIN_TICKS: u64 = 400_000;
/// Requests of a run that is drawn again before anything is left out.
const LONG: usize = 24;

/// A counterexample of `system` with no more requests than `run`, which is one; `run` itself if none is found.
pub fn shrunk<M: Moves>(system: M, run: &Run, budget: &Budget) -> Run {
    let mut world = World::new(system, 1);
    let (initial, acts) = (world.initial_global(), acts_of(run));
    let mut budget = budget.aside(SHRINK_TICKS);
    // Asked once more, so that what is made of it is a counterexample as well.
    let play = replayed(&mut world, &acts, &mut budget).ok().flatten();
    let Some(play) = play.filter(|play| is_counterexample(&mut world, play, &mut budget).is_ok_and(|is| is)) else { return run.clone() };
    let requests = play.answers.len();
    let best = smaller(&mut world, play, &mut budget);
    if best.answers.len() < requests { best.run(initial).unwrap_or_else(|| run.clone()) } else { run.clone() }
}

/// A counterexample that is no larger.
pub(super) fn smaller<M: Moves>(world: &mut World<M>, play: Play, budget: &mut Budget) -> Play {
    let mut work = Shrinker { world, best: play };
    // What was found before the ticks ended counts.
    let _ = work.fewer_requests(budget);
    let _ = work.fewer_switches(&mut budget.aside(SHRINK_TICKS / 8));
    work.best
}

struct Shrinker<'a, M> {
    world: &'a mut World<M>,
    best: Play,
}

impl<M: Moves> Shrinker<'_, M> {
    fn requests(&self) -> usize {
        self.best.answers.len()
    }

    fn fewer_requests(&mut self, budget: &mut Budget) -> Result<(), Stopped> {
        loop {
            let before = self.requests();
            // Most of a long run is there by chance, and it takes long to leave it out bit by bit.
            while self.requests() > LONG && self.drawn_again(AGAIN_TICKS / 4, budget)? {}
            self.parts(budget)?;
            self.kinds(budget)?;
            self.few(budget)?;
            if self.requests() <= 2 || !self.drawn_again(AGAIN_TICKS, budget)? && self.requests() == before {
                return Ok(());
            }
        }
    }

    /// Takes these acts, if what comes of them is a counterexample with fewer requests.
    fn take(&mut self, acts: &[Act], budget: &mut Budget) -> Result<bool, Stopped> {
        let Some(play) = replayed(self.world, acts, budget)? else { return Ok(false) };
        if play.answers.len() >= self.requests() || play.answers.is_empty() || !is_counterexample(self.world, &play, budget)? {
            return Ok(false);
        }
        self.best = play;
        Ok(true)
    }

    fn without(&self, left_out: impl Fn(&Act) -> bool) -> Vec<Act> {
        self.best.acts.iter().filter(|act| !left_out(act)).copied().collect()
    }

    /// Leaves out parts, halves at first and in the end one request.
    fn parts(&mut self, budget: &mut Budget) -> Result<(), Stopped> {
        let mut part = self.best.threads.div_ceil(2);
        while part > 0 {
            let mut end = self.best.threads;
            while end > 0 {
                let begin = end.saturating_sub(part);
                let acts = self.without(|act| (begin..end).contains(&act.thread));
                end = if self.take(&acts, budget)? { begin.min(self.best.threads) } else { begin };
            }
            part = if part == 1 { 0 } else { part.div_ceil(2) };
        }
        Ok(())
    }

    /// Leaves out all requests of a kind.
    fn kinds(&mut self, budget: &mut Budget) -> Result<(), Stopped> {
        for kind in self.all_kinds() {
            let acts = self.without(|act| act.request == kind);
            if !acts.is_empty() {
                self.take(&acts, budget)?;
            }
        }
        Ok(())
    }

    fn all_kinds(&self) -> Vec<RequestId> {
        let mut kinds: Vec<RequestId> = self.best.answers.iter().map(|letter| letter.0).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }

    /// Leaves out one, two or three requests, with small moves.
    fn few(&mut self, budget: &mut Budget) -> Result<(), Stopped> {
        let mut failed = 0;
        while failed < self.requests() * ATTEMPTS_EACH + ATTEMPTS && self.requests() > 2 {
            let random = &mut self.world.random;
            let count = [1, 1, 1, 2, 2, 3][random.index(6)].min(self.best.answers.len() - 1);
            let threads = self.best.threads as usize;
            let left_out: Vec<usize> = (0..count).map(|_| random.index(threads)).collect();
            let mut acts: Vec<Act> = self.best.acts.iter().filter(|act| !left_out.contains(&(act.thread as usize))).copied().collect();
            for _ in 0..random.index(MOVES) {
                move_one(&mut acts, random.index(self.best.acts.len()), random.index(2 * FAR + 1));
            }
            failed = if self.take(&acts, budget)? { 0 } else { failed + 1 };
        }
        Ok(())
    }

    /// Draws runs with fewer of the same kinds, until one is a counterexample or the ticks end.
    fn drawn_again(&mut self, ticks: u64, budget: &mut Budget) -> Result<bool, Stopped> {
        let weights = self.all_kinds().into_iter().map(|kind| (kind, self.best.answers.iter().filter(|letter| letter.0 == kind).count()));
        let Some(mix) = Mix::new(weights.map(|(kind, count)| (kind, count as u64))) else { return Ok(false) };
        let mut part = budget.part(ticks);
        let before = part.left();
        let found = loop {
            let most = self.requests() - 1;
            let least = (self.requests() / 2).max(2);
            let requests = least + self.world.random.index(most.saturating_sub(least) + 1);
            let schedule = Schedule::ALL[self.world.random.index(Schedule::ALL.len())];
            let mut course = Course::new(self.world, mix.clone(), requests);
            match course.follow(schedule, &mut part) {
                Err(PlayEnd::Found) if course.play.answers.len() <= most => break Some(course.play),
                Err(PlayEnd::Stopped(Stopped::Cancelled)) => return Err(Stopped::Cancelled),
                Err(PlayEnd::Stopped(Stopped::OutOfTicks)) => break None,
                Ok(()) | Err(PlayEnd::Found | PlayEnd::Fails(_)) => part.spend(1)?,
            }
        };
        budget.spend(before - part.left())?;
        if let Some(play) = found {
            self.best = play;
            return Ok(true);
        }
        Ok(false)
    }

    /// Lets a request go on where it is interrupted, as long as that leaves a counterexample.
    fn fewer_switches(&mut self, budget: &mut Budget) -> Result<(), Stopped> {
        let mut at = 1;
        while at < self.best.acts.len() {
            let (before, here) = (self.best.acts[at - 1].thread, self.best.acts[at].thread);
            let again = self.best.acts.iter().skip(at).position(|act| act.thread == before);
            if let Some(again) = again.filter(|_| before != here) {
                let mut acts = self.best.acts.clone();
                let moved = acts.remove(at + again);
                acts.insert(at, moved);
                if let Some(play) = replayed(self.world, &acts, budget)?
                    && play.answers.len() == self.best.answers.len()
                    && switches(&play.acts) < switches(&self.best.acts)
                    && is_counterexample(self.world, &play, budget)?
                {
                    self.best = play;
                    at = at.saturating_sub(2);
                }
            }
            at += 1;
        }
        Ok(())
    }
}

fn switches(acts: &[Act]) -> usize {
    acts.windows(2).filter(|two| two[0].thread != two[1].thread).count()
}

/// Moves an act a few places.
fn move_one(acts: &mut Vec<Act>, from: usize, by: usize) {
    if acts.is_empty() {
        return;
    }
    let act = acts.remove(from % (acts.len()));
    let to = (from + by).saturating_sub(FAR).min(acts.len());
    acts.insert(to, act);
}
