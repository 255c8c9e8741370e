//! Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatte 2010) and four other schedules: in
//! which order requests take their turns.
//!
//! None of them finds everything, and each finds what the others hardly do:
//!
//! * `walk` draws who is next, and stays with it for a while.
//! * `pct` gives everybody a priority; the highest that can move does, but for a few moments that are drawn, in which
//!   the one that moves becomes the lowest.
//! * `late` lets all begin before the first one ends.
//! * `victim` stops a few in the middle while the others run whole.
//! * `rotate` lets one request make a step, then others run whole in a fixed pattern, and so on: what the slow one sees
//!   changes between its steps in a regular way.
//!
//! In one run of twenty they take turns, a step each.
//!
//! At the end all requests in flight go on until they have answered. Where nothing moves, another request comes that
//! can; what never began is not there.

use serval_budget::Budget;
use serval_model::{GlobalId, Letter, Moves, RequestId, SplitMix64};

use super::archive::Archive;
use super::membership::{Membership, SerialQuestion, ask};
use super::mix::Mix;
use super::play::{Play, PlayEnd, World};

/// Pairs for a question about what has happened since nothing was in flight, and about everything.
const PIECE_PAIRS: usize = 400;
pub(super) const WHOLE_PAIRS: usize = 3_000;
/// Answers of which it is remembered whether they are serial, as often as they come.
const ASKED: usize = 1 << 14;
/// Changes of the mix in a run, at most.
const MOST_PHASES: usize = 3;
/// Requests after which a change comes soon.
const SOON: usize = 8;
/// Of a hundred runs in which a few are stopped, those in which kinds come one after the other.
const SORTED: u64 = 30;
/// How often another kind is drawn than that of the request that is stopped.
const ANOTHER: usize = 2;
/// Runs of a hundred at whose end what is left is taken.
const DRAINED: u64 = 25;
/// Steps of a run, for each of its requests, and of one request that runs whole.
const STEPS_EACH: usize = 48;
pub(super) const STEPS_WHOLE: usize = 400;

/// The name of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Schedule {
    /// Draws who is next.
    Walk,
    /// Priorities with few changes.
    Pct,
    /// All begin before the first one ends.
    Late,
    /// A few stop in the middle while the others run whole.
    Victim,
    /// A step of one request and some whole ones, in turn.
    Rotate,
    /// One step each, in turn.
    Turns,
}

impl Schedule {
    /// All of them, in the order of the pages.
    pub const ALL: [Self; 6] = [Self::Walk, Self::Pct, Self::Late, Self::Victim, Self::Rotate, Self::Turns];

    /// The name, as people see it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Walk => "walk",
            Self::Pct => "pct",
            Self::Late => "late",
            Self::Victim => "victim",
            Self::Rotate => "rotate",
            Self::Turns => "turns",
        }
    }
}

/// One run on its way.
pub(super) struct Course<'a, M> {
    world: &'a mut World<M>,
    /// Keeps what leads to new places.
    pub(super) archive: Option<&'a mut Archive>,
    pub(super) play: Play,
    mix: Mix,
    /// What the mix becomes when only so few requests are still to come, or before, when none of it can come.
    phases: Vec<(usize, Mix)>,
    /// Requests that are still to come.
    to_come: usize,
    /// Those with a smaller number move only at the end.
    pub(super) held: u32,
    /// Where a serial run with the answers up to `explained` ends, if one is known.
    pub(super) serial: Option<GlobalId>,
    pub(super) explained: usize,
    /// From how many answers on they are looked at all together.
    next_whole: usize,
    /// Whether the last time that was cut off.
    pub(super) cut: bool,
}

/// In half of the runs the mix changes once or a few times to one of fewer of its kinds: some things must be filled up
/// before they are emptied, and what went wrong may not show before all that was put somewhere has been taken again.
/// The last phase comes first.
fn phases(mix: &Mix, to_come: usize, random: &mut SplitMix64) -> Vec<(usize, Mix)> {
    if mix.kinds().len() < 2 || random.chance(50) {
        return Vec::new();
    }
    let mut phases: Vec<(usize, Mix)> = Vec::new();
    for _ in 0..=random.index(MOST_PHASES) {
        // Only when nothing else can come, soon, or at any time.
        let left = match random.index(3) {
            0 => 0,
            1 => to_come.saturating_sub(1 + random.index(SOON)),
            _ => random.index(to_come.max(1)),
        };
        phases.extend(mix.part(random).map(|part| (left, part)));
    }
    phases.sort_by_key(|&(left, _)| left);
    phases
}

type DrawnEnd<M> = PlayEnd<<M as Moves>::Stop>;

impl<'a, M: Moves> Course<'a, M> {
    /// A run with this number of requests that begins where everything does.
    pub(super) fn new(world: &'a mut World<M>, mix: Mix, to_come: usize) -> Self {
        let initial = world.initial_global();
        let (play, serial) = (Play::new(initial), Some(initial));
        let phases = phases(&mix, to_come, &mut world.random);
        Self { world, archive: None, play, mix, phases, to_come, held: 0, serial, explained: 0, next_whole: 0, cut: false }
    }

    /// Makes the run.
    pub(super) fn follow(&mut self, schedule: Schedule, budget: &mut Budget) -> Result<(), DrawnEnd<M>> {
        match schedule {
            Schedule::Walk => self.walk(budget)?,
            Schedule::Pct => self.by_priorities(budget)?,
            Schedule::Late => self.late(budget)?,
            Schedule::Victim => self.victims(budget)?,
            Schedule::Rotate => self.rotate(budget)?,
            Schedule::Turns => self.turns(budget)?,
        }
        self.finish(budget)?;
        if self.world.random.chance(DRAINED) {
            self.drain(budget)?;
        }
        if self.play.flight.is_empty() && self.explained < self.play.answers.len() {
            (self.next_whole, self.cut) = (0, false);
            self.look(budget)?;
        }
        Ok(())
    }

    fn index(&mut self, length: usize) -> usize {
        self.world.random.index(length)
    }

    /// A request in flight makes a step, if it can.
    fn step(&mut self, position: usize, budget: &mut Budget) -> Result<bool, DrawnEnd<M>> {
        let moved = self.world.act(&mut self.play, position, None, budget)?;
        if moved {
            self.moved(budget)?;
        }
        Ok(moved)
    }

    /// Looks at where the run has come to.
    fn moved(&mut self, budget: &mut Budget) -> Result<(), DrawnEnd<M>> {
        self.look(budget)?;
        if let (Some(archive), Some(serial)) = (&mut self.archive, self.serial) {
            budget.spend(archive.keep(&self.play, serial, self.explained))?;
        }
        Ok(())
    }

    fn step_of(&mut self, thread: u32, budget: &mut Budget) -> Result<bool, DrawnEnd<M>> {
        match self.play.position(thread) {
            Some(position) => self.step(position, budget),
            None => Ok(false),
        }
    }

    /// A request of this kind comes, if it can do something; its number.
    fn come(&mut self, kind: RequestId, budget: &mut Budget) -> Result<Option<u32>, DrawnEnd<M>> {
        if !self.world.come(&mut self.play, kind, None, budget)? {
            return Ok(None);
        }
        self.to_come = self.to_come.saturating_sub(1);
        let thread = self.play.threads - 1;
        self.moved(budget)?;
        Ok(Some(thread))
    }

    /// The next request comes; another one of the mix, if it cannot do anything.
    fn next_comes(&mut self, budget: &mut Budget) -> Result<Option<u32>, DrawnEnd<M>> {
        while self.to_come > 0 {
            if self.phases.last().is_some_and(|&(left, _)| self.to_come <= left) {
                self.next_phase();
            }
            let kind = self.mix.pick(&mut self.world.random);
            if let Some(thread) = self.come(kind, budget)? {
                return Ok(Some(thread));
            }
            let others: Vec<RequestId> = self.mix.kinds().filter(|&other| other != kind).collect();
            if let Some(thread) = self.any_of(&others, budget)? {
                return Ok(Some(thread));
            }
            if !self.next_phase() {
                break;
            }
        }
        Ok(None)
    }

    /// From now on others come; whether that is so.
    fn next_phase(&mut self) -> bool {
        let Some((_, mix)) = self.phases.pop() else { return false };
        self.mix = mix;
        true
    }

    /// A request of one of these kinds comes.
    fn any_of(&mut self, kinds: &[RequestId], budget: &mut Budget) -> Result<Option<u32>, DrawnEnd<M>> {
        let first = self.index(kinds.len());
        for &kind in kinds.iter().skip(first).chain(kinds.iter().take(first)) {
            if let Some(thread) = self.come(kind, budget)? {
                return Ok(Some(thread));
            }
        }
        Ok(None)
    }

    /// A request goes on until it has answered, or cannot go on; whether it did anything.
    fn run_whole(&mut self, thread: u32, budget: &mut Budget) -> Result<bool, DrawnEnd<M>> {
        for steps in 0..STEPS_WHOLE {
            if !self.step_of(thread, budget)? {
                return Ok(steps > 0);
            }
        }
        Ok(true)
    }

    fn one_whole(&mut self, budget: &mut Budget) -> Result<bool, DrawnEnd<M>> {
        let Some(thread) = self.next_comes(budget)? else { return Ok(false) };
        self.run_whole(thread, budget)?;
        Ok(true)
    }

    fn most_steps(&self) -> usize {
        STEPS_EACH.saturating_mul(self.to_come + self.play.flight.len() + 2)
    }

    fn walk(&mut self, budget: &mut Budget) -> Result<(), DrawnEnd<M>> {
        let stays = [0, 30, 60, 85][self.index(4)];
        let at_once = [2, 3, 5, usize::MAX][self.index(4)];
        let mut last = None;
        for _ in 0..self.most_steps() {
            if let Some(thread) = last
                && self.world.random.chance(stays)
                && self.step_of(thread, budget)?
            {
                continue;
            }
            let free: Vec<u32> = self.play.flight.iter().map(|flying| flying.thread).filter(|&thread| thread >= self.held).collect();
            let ways = free.len() + usize::from(self.to_come > 0 && free.len() < at_once);
            let first = self.index(ways);
            last = None;
            for way in (first..ways).chain(0..first) {
                last = match free.get(way) {
                    Some(&thread) => self.step_of(thread, budget)?.then_some(thread),
                    None => self.next_comes(budget)?,
                };
                if last.is_some() {
                    break;
                }
            }
            if last.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn by_priorities(&mut self, budget: &mut Budget) -> Result<(), DrawnEnd<M>> {
        // The highest priority first. Those to come are kinds, and become numbers.
        let mut order: Vec<Result<u32, RequestId>> =
            self.play.flight.iter().map(|flying| flying.thread).filter(|&thread| thread >= self.held).map(Ok).collect();
        for _ in 0..self.to_come {
            let at = self.index(order.len() + 1);
            order.insert(at, Err(self.mix.pick(&mut self.world.random)));
        }
        let expected = 1 + order.len() * 4;
        let changes: Vec<usize> = (0..self.index(5)).map(|_| self.index(expected)).collect();
        for count in 0..self.most_steps() {
            let mut moved = None;
            for (place, next) in order.iter_mut().enumerate() {
                let has_moved = match *next {
                    Ok(thread) => self.step_of(thread, budget)?,
                    Err(kind) => match self.come(kind, budget)? {
                        Some(thread) => {
                            *next = Ok(thread);
                            true
                        }
                        None => false,
                    },
                };
                if has_moved {
                    moved = Some(place);
                    break;
                }
            }
            let Some(place) = moved else { break };
            let moved = order.remove(place);
            let is_there = moved.is_ok_and(|thread| self.play.position(thread).is_some());
            if is_there && changes.contains(&count) {
                order.push(moved);
            } else if is_there {
                order.insert(place, moved);
            }
        }
        Ok(())
    }

    fn late(&mut self, budget: &mut Budget) -> Result<(), DrawnEnd<M>> {
        let steps = 1 + self.index(3);
        while let Some(thread) = self.next_comes(budget)? {
            for _ in 0..self.index(steps) {
                self.step_of(thread, budget)?;
            }
        }
        Ok(())
    }

    /// In some runs a few requests run whole before anything overlaps: what waits for others can come then.
    fn some_whole(&mut self, percent: u64, budget: &mut Budget) -> Result<(), DrawnEnd<M>> {
        if self.world.random.chance(percent) {
            let most = 1 << self.index(1 + self.to_come.max(1).ilog2() as usize);
            for _ in 0..=self.index(most) {
                self.one_whole(budget)?;
            }
        }
        Ok(())
    }

    fn victims(&mut self, budget: &mut Budget) -> Result<(), DrawnEnd<M>> {
        self.some_whole(50, budget)?;
        // One or two are mostly enough.
        let victims = (1 + self.index(5).min(self.index(5))).min(self.to_come.saturating_sub(1).max(1));
        let most = [1, 2, 4, 8][self.index(4)];
        let mut stopped = Vec::new();
        // In half of the runs they come at once, in the others one now and then.
        let spread = if self.world.random.chance(50) { 0 } else { 1 + self.index(4) };
        for _ in 0..victims {
            let Some(thread) = self.next_comes(budget)? else { break };
            for _ in 0..self.index(most) {
                self.step_of(thread, budget)?;
            }
            stopped.push(thread);
            for _ in 0..self.index(spread + 1) {
                self.one_whole(budget)?;
            }
        }
        if self.world.random.chance(SORTED) {
            self.one_kind_after_another();
        }
        let goes_on = [0, 0, 10, 30][self.index(4)];
        while self.one_whole(budget)? {
            if self.world.random.chance(goes_on)
                && let Some(thread) = self.world.random.pick(&stopped)
            {
                self.step_of(thread, budget)?;
            }
        }
        Ok(())
    }

    fn rotate(&mut self, budget: &mut Budget) -> Result<(), DrawnEnd<M>> {
        self.some_whole(15, budget)?;
        let Some(victim) = self.next_comes(budget)? else { return Ok(()) };
        let kind = self.play.acts.last().map(|act| act.request);
        let pattern: Vec<RequestId> = (0..=self.index(3)).map(|_| self.another(kind)).collect();
        let each = 1 + self.index(3);
        // The pattern goes on where it was, or begins again.
        let begins_again = self.world.random.chance(30);
        let mut at = 0;
        while self.to_come > 0 && self.play.position(victim).is_some() {
            let before = self.play.acts.len();
            for _ in 0..each {
                let kind = pattern[at % pattern.len()];
                at += 1;
                if let Some(thread) = self.come(kind, budget)? {
                    self.run_whole(thread, budget)?;
                }
            }
            self.step_of(victim, budget)?;
            if begins_again {
                at = 0;
            }
            if self.play.acts.len() == before {
                break;
            }
        }
        while self.world.random.chance(50) && self.one_whole(budget)? {}
        Ok(())
    }

    /// From now on each kind of the mix comes as long as it can, at most an equal part of what is to come, and then
    /// the next one.
    fn one_kind_after_another(&mut self) {
        let mut kinds: Vec<RequestId> = self.mix.kinds().collect();
        let (first, count) = (self.index(kinds.len()), kinds.len());
        kinds.rotate_left(first);
        if self.world.random.chance(50) {
            kinds.reverse();
        }
        let part = |at: usize| self.to_come / count * at;
        self.phases = kinds.into_iter().enumerate().filter_map(|(at, kind)| Some((part(at + 1), Mix::new([(kind, 1)])?))).collect();
        self.next_phase();
    }

    /// A kind of the mix, mostly another one than this.
    fn another(&mut self, than: Option<RequestId>) -> RequestId {
        let mut drawn = self.mix.pick(&mut self.world.random);
        for _ in 0..ANOTHER {
            if Some(drawn) == than {
                drawn = self.mix.pick(&mut self.world.random);
            }
        }
        drawn
    }

    fn turns(&mut self, budget: &mut Budget) -> Result<(), DrawnEnd<M>> {
        let mut order = Vec::new();
        while let Some(thread) = self.next_comes(budget)? {
            order.push(thread);
        }
        for _ in 0..STEPS_EACH {
            let mut moved = false;
            for &thread in &order {
                moved |= self.step_of(thread, budget)?;
            }
            if !moved {
                break;
            }
        }
        Ok(())
    }

    /// All requests in flight go on until they have answered, in an order that is drawn; where none can, another
    /// request comes.
    fn finish(&mut self, budget: &mut Budget) -> Result<(), DrawnEnd<M>> {
        let mut helpers = 2 + self.play.flight.len() + self.to_come.min(8);
        let most = self.play.acts.len() + self.most_steps();
        let backwards = self.world.random.chance(50);
        while !self.play.flight.is_empty() && self.play.acts.len() < most {
            let mut order: Vec<u32> = self.play.flight.iter().map(|flying| flying.thread).collect();
            let first = self.index(order.len());
            order.rotate_left(first);
            if backwards {
                order.reverse();
            }
            let mut moved = false;
            for thread in order {
                moved |= self.run_whole(thread, budget)?;
            }
            if !moved {
                if helpers == 0 {
                    break;
                }
                helpers -= 1;
                if !self.helper(budget)? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Requests of one kind come as long as they can, up to as many as there have been: what is left is taken, and that
    /// there is more or less of it than there should be shows in the answers.
    fn drain(&mut self, budget: &mut Budget) -> Result<(), DrawnEnd<M>> {
        let count = self.play.answers.len();
        let drawn = self.index(count);
        let Some(&(kind, _)) = self.play.answers.get(drawn) else { return Ok(()) };
        for _ in 0..count {
            let Some(thread) = self.come(kind, budget)? else { break };
            self.run_whole(thread, budget)?;
            if !self.play.flight.is_empty() {
                return self.finish(budget);
            }
        }
        Ok(())
    }

    /// Another request comes and runs as far as it can.
    fn helper(&mut self, budget: &mut Budget) -> Result<bool, DrawnEnd<M>> {
        let own: Vec<RequestId> = self.mix.kinds().collect();
        let thread = match self.any_of(&own, budget)? {
            Some(thread) => Some(thread),
            None => {
                let all: Vec<RequestId> = (0..self.world.names()).map(RequestId::from_index).collect();
                self.any_of(&all, budget)?
            }
        };
        let Some(thread) = thread else { return Ok(false) };
        self.run_whole(thread, budget)?;
        Ok(true)
    }

    /// Whenever nothing is in flight the run is complete, and its answers may not be serial.
    ///
    /// What happened since the last such moment is looked at alone, from where a serial run with the answers before it
    /// ends: mostly there is a serial order of it that ends in the global state of the run, so that the next piece
    /// begins there, too. Serial runs for all pieces make one for the whole. Otherwise all answers are looked at
    /// together, which takes longer, and so not each time: when there is a fifth more of them, and at the end.
    fn look(&mut self, budget: &mut Budget) -> Result<(), DrawnEnd<M>> {
        if !self.play.flight.is_empty() {
            return Ok(());
        }
        let letters: &[Letter] = &self.play.answers[self.explained..];
        if let Some(from) = self.serial.filter(|_| !letters.is_empty()) {
            for to in [Some(self.play.global), None] {
                let piece = SerialQuestion { from, letters, to, pairs: PIECE_PAIRS };
                if let Membership::Serial(end) = ask(&mut self.world.serial, piece, budget)? {
                    self.serial = Some(end);
                    self.explained = self.play.answers.len();
                    return Ok(());
                }
            }
        }
        // What was cut off with few answers is so with more, and is looked at again at the end.
        if !self.cut && self.play.answers.len() >= self.next_whole { self.look_at_all(budget) } else { Ok(()) }
    }

    fn look_at_all(&mut self, budget: &mut Budget) -> Result<(), DrawnEnd<M>> {
        let count = self.play.answers.len();
        let whole = SerialQuestion { from: self.world.initial_global(), letters: &self.play.answers, to: None, pairs: WHOLE_PAIRS };
        self.next_whole = count + count / 5 + 1;
        let mut letters = self.play.answers.clone();
        letters.sort_unstable();
        let known = self.world.asked.get(&letters).copied();
        let answer = match known {
            Some(known) => known,
            None => ask(&mut self.world.serial, whole, budget)?,
        };
        if known.is_none() && self.world.asked.len() < ASKED {
            self.world.asked.insert(letters, answer);
        }
        match answer {
            Membership::NotSerial => return Err(PlayEnd::Found),
            Membership::Serial(end) => (self.serial, self.explained, self.cut) = (Some(end), count, false),
            Membership::Cut => (self.serial, self.cut) = (None, true),
        }
        Ok(())
    }
}
