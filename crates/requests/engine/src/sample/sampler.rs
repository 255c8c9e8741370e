//! Draws runs until one is a counterexample.

use log::debug;
use serval_budget::{Budget, Stopped};
use serval_model::{LocalId, Named, RequestId, Run, ThreadId};

use super::archive::{Archive, Kept};
use super::aside::Aside;
use super::membership::{Membership, SerialQuestion, ask};
use super::mix::{Kinds, Mix, requests};
use super::places::KnownPlaces;
use super::play::{Failing, Play, PlayEnd, World};
use super::schedule::{Course, Schedule, WHOLE_PAIRS};
use super::shrink::{SHRINK_TICKS, smaller};

/// One part of the ticks in this many is for runs that go on from the archive.
const ARCHIVE_PART: u64 = 8;
/// The same for answers that are asked about again.
const ASIDE_PART: u64 = 6;
/// The same for requests that overlap at a place.
const PLACES_PART: u64 = 4;
/// Requests that overlap there, at most, and that run whole before, at most two to this power.
const MOST_OVERLAPPING: usize = 5;
const MOST_WHOLE: usize = 6;
/// Of a hundred runs, how many follow a hint, if there is one: among the first so many, and later. Requests in them, at
/// most.
const HINTED_RUNS: u64 = 4_000;
const HINTED_FIRST: u64 = 50;
const HINTED_LATER: u64 = 5;
const MOST_HINTED: u64 = 1 << 12;
/// Most of the sub-multisets of answers that the checker looks at.
const MOST_SUBMULTISETS: u128 = 1 << 20;

/// A counterexample, and how it was found.
#[derive(Debug)]
pub struct Sampled {
    /// The run, with requests left out that are not needed for it.
    pub run: Run,
    /// How it was found.
    pub how: HowSampled,
}

/// How a run was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HowSampled {
    /// The schedule of the run that was found.
    pub schedule: Schedule,
    /// How many runs were drawn until then.
    pub runs: u64,
    /// How many requests it had before some were left out.
    pub requests: usize,
}

/// A run after which a request cannot go on.
#[derive(Debug)]
pub struct SampledStop<S> {
    /// The run up to there.
    pub run: Run,
    /// The request that cannot: its number, or none if it is a new one.
    pub thread: Option<ThreadId>,
    /// Which it is and where it stands.
    pub place: (RequestId, LocalId),
    /// What the system said.
    pub stop: S,
    /// How it was found.
    pub how: HowSampled,
}

/// What was found.
#[derive(Debug)]
pub enum SampleOutcome<S> {
    /// A counterexample.
    Found(Sampled),
    /// A run that cannot go on.
    Stops(SampledStop<S>),
}

/// Random runs of one system; it can be stopped and taken up again.
pub struct Sampler<M> {
    world: World<M>,
    kinds: Kinds,
    archive: Archive,
    aside: Aside,
    places: KnownPlaces,
    /// Kinds that are worth being drawn first, how many requests there may be, and how many at least.
    hint: Option<(Mix, usize, usize)>,
    runs: u64,
    /// Ticks in all, and those for the archive, for answers that are asked about again, and for places.
    spent: [u64; 4],
}

impl<M: Named> Sampler<M> {
    /// Runs that depend on the system and on this number alone.
    pub fn new(system: M, seed: u64) -> Self {
        let world = World::new(system, seed);
        let kinds = Kinds::of(world.serial.system(), world.names());
        let places = KnownPlaces::new(world.initial_global());
        Self { world, kinds, archive: Archive::default(), aside: Aside::default(), places, hint: None, runs: 0, spent: [0; 4] }
    }

    /// Many of the first runs have these kinds of requests, in such a proportion, and up to so many times as many of
    /// them.
    pub fn hint(&mut self, kinds: &[(RequestId, u64)], times: u64) {
        let count: u64 = kinds.iter().map(|&(_, count)| count).fold(0, u64::saturating_add);
        let most = count.saturating_mul(times.saturating_add(1)).min(MOST_HINTED);
        let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        self.hint = Mix::new(kinds.iter().copied()).map(|mix| (mix, number(most), number(count.min(most))));
    }

    /// The kinds of a run, and how many requests it has.
    fn mix(&mut self) -> Option<(Mix, usize)> {
        let random = &mut self.world.random;
        if let Some((mix, most, least)) = &self.hint
            && random.chance(if self.runs < HINTED_RUNS { HINTED_FIRST } else { HINTED_LATER })
        {
            return Some((mix.clone(), (least + random.index(1 + most - least)).max(2)));
        }
        let mix = self.kinds.draw(random)?;
        Some((mix, requests(self.runs, random)))
    }

    /// The system.
    pub fn system(&self) -> &M {
        self.world.serial.system()
    }

    /// How many runs have been drawn.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// Draws runs until something is found or the ticks end. A tick is an act of a request, a pair of a question about
    /// serial runs, or a request that is copied.
    pub fn look(&mut self, budget: &mut Budget) -> Result<SampleOutcome<M::Stop>, Stopped> {
        loop {
            budget.spend(1)?;
            let part = self.part();
            let before = budget.left();
            let found = match part {
                3 => self.at_a_place(budget),
                2 => self.ask_again(budget),
                1 => self.one_run(true, budget),
                _ => self.one_run(false, budget),
            };
            let spent = 1 + before - budget.left();
            self.spent[0] += spent;
            if part > 0 {
                self.spent[part] += spent;
            }
            match found {
                Ok(None) => {}
                Ok(Some(found)) => return Ok(found),
                Err(stopped) => {
                    let [all, archive, aside, places] = self.spent;
                    let runs = self.runs;
                    debug!("sample: {runs} runs, {all} ticks, {archive} from the archive, {aside} for asking again, {places} at places");
                    return Err(stopped);
                }
            }
        }
    }

    /// What has had less than its part of the ticks; 0 for a run from the beginning.
    fn part(&self) -> usize {
        let [all, archive, aside, places] = self.spent;
        if !self.aside.is_empty() && aside * ASIDE_PART <= all {
            2
        } else if self.runs > 0 && archive * ARCHIVE_PART <= all {
            1
        } else if self.runs > 0 && places * PLACES_PART <= all {
            3
        } else {
            0
        }
    }

    /// Some whole requests from a place on, and then a few that overlap.
    fn at_a_place(&mut self, budget: &mut Budget) -> Result<Option<SampleOutcome<M::Stop>>, Stopped> {
        let (Some((before, _)), Some((mix, _))) = (self.mix(), self.mix()) else { return Err(Stopped::OutOfTicks) };
        let Self { world, places, .. } = self;
        let random = &mut world.random;
        let mut place = places.draw(random);
        let most = 1 << random.index(MOST_WHOLE);
        let schedule = drawn(random.index(100));
        let overlapping = 2 + random.index(MOST_OVERLAPPING - 1);
        self.runs += 1;
        for _ in 0..world.random.index(most) {
            let kind = before.pick(&mut world.random);
            match places.whole(world, place, kind, budget) {
                Ok(next) => place = next.unwrap_or(place),
                Err(PlayEnd::Stopped(stopped)) => return Err(stopped),
                // What fails by itself is met by runs from the beginning, and found out by compiling.
                Err(PlayEnd::Fails(_) | PlayEnd::Found) => return Ok(None),
            }
        }
        let Some(play) = places.play(place) else { return Ok(None) };
        budget.spend(play.acts.len() as u64 / 4)?;
        let mix = if world.random.chance(50) { mix } else { before };
        let mut course = Course::new(world, mix, overlapping);
        (course.serial, course.explained, course.play) = (Some(play.global), play.answers.len(), play);
        let ended = course.follow(schedule, budget);
        let (play, is_cut) = (course.play, course.cut);
        self.outcome(ended, play, is_cut, schedule, budget)
    }

    fn one_run(&mut self, from_archive: bool, budget: &mut Budget) -> Result<Option<SampleOutcome<M::Stop>>, Stopped> {
        let Some((mix, count)) = self.mix() else { return Err(Stopped::OutOfTicks) };
        let random = &mut self.world.random;
        let schedule = drawn(random.index(100));
        let kept = if from_archive { self.archive.draw(random) } else { None };
        let holds = random.chance(50);
        self.runs += 1;
        let mut course = Course::new(&mut self.world, mix, count);
        if let Some(Kept { play, serial, explained }) = kept {
            budget.spend(play.acts.len() as u64 / 4)?;
            course.held = if holds { play.threads } else { 0 };
            (course.play, course.serial, course.explained) = (play, Some(serial), explained);
        }
        course.archive = from_archive.then_some(&mut self.archive);
        let ended = course.follow(schedule, budget);
        let (play, is_cut) = (course.play, course.cut);
        self.outcome(ended, play, is_cut, schedule, budget)
    }

    /// What comes of a run.
    fn outcome(
        &mut self,
        ended: Result<(), PlayEnd<M::Stop>>,
        play: Play,
        is_cut: bool,
        schedule: Schedule,
        budget: &Budget,
    ) -> Result<Option<SampleOutcome<M::Stop>>, Stopped> {
        let runs = self.runs;
        match ended {
            Ok(()) => {
                if is_cut && play.flight.is_empty() {
                    self.aside.put(&play, schedule, runs, WHOLE_PAIRS);
                }
                Ok(None)
            }
            Err(PlayEnd::Found) => Ok(self.found(play, schedule, runs, budget)),
            Err(PlayEnd::Stopped(stopped)) => Err(stopped),
            Err(PlayEnd::Fails(failing)) => Ok(self.stops(&play, failing, schedule)),
        }
    }

    /// Looks again for a serial run of one whose search was cut off.
    fn ask_again(&mut self, budget: &mut Budget) -> Result<Option<SampleOutcome<M::Stop>>, Stopped> {
        let Some(waiting) = self.aside.next() else { return Ok(None) };
        let from = self.world.initial_global();
        let question = SerialQuestion { from, letters: &waiting.play.answers, to: None, pairs: waiting.pairs };
        match ask(&mut self.world.serial, question, budget)? {
            Membership::NotSerial => Ok(self.found(waiting.play, waiting.schedule, waiting.runs, budget)),
            Membership::Serial(_) => Ok(None),
            Membership::Cut => {
                self.aside.again(waiting);
                Ok(None)
            }
        }
    }

    /// Makes a counterexample smaller. One with too many different answers for the checker is none.
    fn found(&mut self, play: Play, schedule: Schedule, runs: u64, budget: &Budget) -> Option<SampleOutcome<M::Stop>> {
        let how = HowSampled { schedule, runs, requests: play.answers.len() };
        let play = smaller(&mut self.world, play, &mut budget.aside(SHRINK_TICKS));
        if submultisets(&play) > MOST_SUBMULTISETS {
            return None;
        }
        let run = play.run(self.world.initial_global())?;
        Some(SampleOutcome::Found(Sampled { run, how }))
    }

    fn stops(&self, play: &Play, failing: Failing<M::Stop>, schedule: Schedule) -> Option<SampleOutcome<M::Stop>> {
        let Failing { request, local, thread, stop } = failing;
        let run = play.run(self.world.initial_global())?;
        let thread = thread.and_then(|number| ThreadId::new(number.checked_add(1)?));
        let how = HowSampled { schedule, runs: self.runs, requests: play.threads as usize };
        Some(SampleOutcome::Stops(SampledStop { run, thread, place: (request, local), stop, how }))
    }
}

/// The schedule for an even number below 100: one in twenty takes turns, the others have equal shares.
fn drawn(number: usize) -> Schedule {
    Schedule::ALL[(number / 19).min(Schedule::ALL.len() - 1)]
}

/// The number of sub-multisets of the answers.
fn submultisets(play: &Play) -> u128 {
    let mut answers = play.answers.clone();
    answers.sort_unstable();
    let counts = answers.chunk_by(|one, other| one == other).map(|same| same.len() as u128 + 1);
    counts.fold(1, u128::saturating_mul)
}

/// A number for a system, from which its runs are drawn unless another one is asked for.
pub fn seed_of<M: Named>(system: &M) -> u64 {
    let names = system.starts().iter().map(|&(request, local)| format!("{} {}", system.request_name(request), system.local_name(local)));
    let names = names.chain([system.global_name(system.initial_global())]);
    let mix = |seed: u64, byte: u8| (seed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    names.fold(0xcbf2_9ce4_8422_2325, |seed, name| name.bytes().chain([0]).fold(seed, mix))
}
