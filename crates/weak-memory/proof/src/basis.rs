//! Backward reachability of dual TSO (Abdulla, Atig, Bouajjani, Ngo 2016): a finite basis of load-buffer configurations
//! shows what cannot be reached with unbounded store buffers.
//!
//! The words are those of [`crate::loads`]. A configuration is *covered* if it is above a member of the basis.
//!
//! **Rule.**
//!
//! 1. The descriptions of what threads and cells may be, and the members of the basis, are well formed, and in no
//!    buffer of a member two entries on one cell are own (`tso.basis.shape`).
//! 2. The descriptions have the beginning, and with everything what each step makes of it, whatever a load or a locked
//!    step finds in memory among the values of the cells; dead registers are forgotten ([`crate::live`])
//!    (`tso.basis.reach`).
//! 3. Every possible configuration with empty buffers that the question seeks is covered (`tso.basis.sought`).
//! 4. For every member, and every kind of step, what is listed below is covered, where it is possible
//!    (`tso.basis.closed`).
//! 5. The initial configuration is not covered (`tso.basis.initial`).
//! 6. The question does not speak of memory unless it is about final states (`tso.local`).
//!
//! **Predecessors.** For a member with the buffer `w` of a thread, and memory `M`, the same with
//!
//! 1. *loss*: the own entry (x, v) before `w`, if `w` has no own entry on x, for each v that the thread may have stored
//!    last;
//! 2. *news*: `w` without its newest entry, if that is not own and (x, M(x));
//! 3. *without access*: the thread where the step comes from;
//! 4. *fence*: the same, if `w` is empty;
//! 5. *locked*: the same, if `w` is empty, with memory as the step found it, if it makes `M` of it;
//! 6. *load* of x, where it reads v and comes from: if `w` has an own entry on x, `w`, provided that its value is v;
//!    else `w`, if its oldest entry is (x, v) and not own, or else (x, v) before `w`;
//! 7. *store* of v to x, if `w` is `u` and the own entry (x, v) behind it, and M(x) is v: the thread where the step
//!    comes from, memory with each value of x, and as its buffer `u`, or `u` with an own entry (x, v') put in at each
//!    place, for each v' that the thread may have stored last.
//!
//! **Lemma.** If a step leads from a configuration c to one above a member b, then c is above b or above what is listed
//! for b.
//!
//! **Proof.** Let d be where it leads, and D, C the buffers of the thread in d and c; all other buffers are the same. D
//! is above w, so it has the own entries of w.
//!
//! - *Loss* of e: C is e before D. If e is not own, C is above w. If it is own, on x, then D has no own entry on x, and
//!   neither has w; C is above e before w (1), for e was stored last by the thread.
//! - *News*: D is C with (x, M(x)) behind it. If w is obtained by leaving that out, C is above w. Else it is the newest
//!   of w, and C is above w without it (2).
//! - *Without access*: (3).
//! - *Fence*, *locked*: C and D are empty, hence so is w (4, 5); the memory of c differs from M only in what the step
//!   writes, which is among what it looks at.
//! - *Load*: C is D. If C has an own entry on x, so has w, the same (6). Else the oldest entry of C is (x, v), and not
//!   own; w is obtained by leaving out entries of C. If the first is not left out, w begins with it, and C is above w.
//!   If it is left out, C without it is above w, so C is above (x, v) before w, and above w if w begins with (x, v) as
//!   well.
//! - *Store*: D ends with its own entry (x, v), which w has too, so it is the end of w, and w is u and (x, v). Then C
//!   without its own entry on x is above u. If C has none, C is above u. If it has one, it is somewhere in C: what of u
//!   is obtained from what is older and what from what is newer than it parts u, and C is above u with the entry put in
//!   there (7). This is why it is not enough to look at what leads to b itself: the store made an own entry go that b
//!   says nothing of. ∎
//!
//! **Theorem.** No state that the question seeks can be reached with store buffers, where a step that leaves the range
//! of values cannot be made.
//!
//! **Proof.** Suppose one can.
//!
//! - If the question is about final states, no store waits there; otherwise let all stores land, which changes neither
//!   points nor registers. By the theorem of [`crate::loads`] the configuration of that state with empty buffers can be
//!   reached.
//! - All configurations on the way are possible: the initial one is; what a thread reads is a value of the cell in
//!   memory, now or, in an entry, before; a store changes what was stored last and a cell as the condition says, and a
//!   thread with an empty buffer has no own entry. (Up to dead registers, with the lemma of [`crate::live`].)
//! - The last one is sought and so covered. If one is covered, so is the one before: by the lemma it is above a member,
//!   or above what is listed, which is possible because what is above it is and has the same own entries; and so it is
//!   covered.
//!
//! Hence the initial one is covered, which it is not. ∎

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serval_budget::Budget;
use serval_evidence::require;
use serval_tso_program::{CellId, Expr, Observed, Program, Question};

use crate::Refusal;
use crate::live::Live;
use crate::loads::{Arrival, BufferEntry, LoadConfiguration, ReachableValues, is_below, local_of, numbers_of, own};
use crate::state::{Model, State};

/// A finite basis.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Basis {
    /// The live registers of each thread at each point, as bits.
    pub live: Vec<Vec<u64>>,
    /// What each thread may be: its point, its registers, for each cell 1 and what it has stored last or 0 and 0.
    pub threads: Vec<Vec<Vec<i64>>>,
    /// Which values each cell may have.
    pub values: Vec<Vec<i64>>,
    /// The members: points, registers and memory as in `state`, then for each thread how many entries its buffer has,
    /// and of each, the oldest first, the cell, the value and 1 if it is own.
    pub members: Vec<Vec<i64>>,
}

serval_evidence::objects!(Basis);

/// Members by points, registers and memory.
struct Members(BTreeMap<Vec<i64>, Vec<Vec<Vec<BufferEntry>>>>);

impl Members {
    fn cover(&self, configuration: &LoadConfiguration) -> bool {
        let alike = self.0.get(&configuration.state.encode(Model::Sc));
        alike.into_iter().flatten().any(|member| member.iter().zip(&configuration.buffers).all(|(small, large)| is_below(small, large)))
    }
}

fn decode(program: &Program, numbers: &[i64]) -> Option<LoadConfiguration> {
    let (state, mut rest) = State::decode(program, Model::Sc, numbers)?;
    let mut buffers = Vec::new();
    for _ in 0..program.threads.len() {
        let (&[length], behind) = rest.split_first_chunk::<1>()?;
        rest = behind;
        let length = usize::try_from(length).ok()?;
        let mut buffer: Vec<BufferEntry> = Vec::new();
        for _ in 0..length {
            let (&[cell, value, flag], behind) = rest.split_first_chunk::<3>()?;
            rest = behind;
            let cell = u32::try_from(cell).ok().map(CellId).filter(|cell| cell.index() < program.cells.len())?;
            if !(0..=1).contains(&flag) || flag == 1 && own(&buffer, cell).is_some() {
                return None;
            }
            buffer.push(BufferEntry { cell, value, own: flag == 1 });
        }
        buffers.push(buffer);
    }
    rest.is_empty().then_some(LoadConfiguration { state, buffers })
}

/// A member, one thread of which is looked at.
struct Before<'a> {
    reach: &'a ReachableValues,
    thread: usize,
    /// The place of the thread.
    at: Vec<i64>,
    member: &'a LoadConfiguration,
    list: Vec<LoadConfiguration>,
    program: &'a Program,
}

impl Before<'_> {
    /// Adds the member with this place, buffer and memory, if that is possible.
    fn add(&mut self, at: &[i64], buffer: Vec<BufferEntry>, memory: &[i64]) {
        if !self.reach.is_possible(self.thread, at, &buffer) {
            return;
        }
        let Some(local) = local_of(self.program, self.thread, at) else { return };
        let mut before = self.member.clone();
        before.state.locals[self.thread] = local;
        before.state.memory = memory.to_vec();
        before.buffers[self.thread] = buffer;
        self.list.push(before);
    }

    fn all(&mut self) {
        let (thread, member) = (self.thread, self.member);
        let (buffer, memory) = (&member.buffers[thread], &member.state.memory);
        let at = self.at.clone();
        for cell in (0..memory.len()).map(CellId::new).filter(|cell| own(buffer, *cell).is_none()) {
            for value in self.reach.stored(thread, &at, cell) {
                let lost = [BufferEntry { cell, value, own: true }].into_iter().chain(buffer.iter().copied()).collect();
                self.add(&at, lost, memory);
            }
        }
        if let Some((newest, older)) = buffer.split_last()
            && !newest.own
            && memory[newest.cell.index()] == newest.value
        {
            self.add(&at, older.to_vec(), memory);
        }
        let reach = self.reach;
        for (from, way) in reach.ways(thread, &at) {
            match way {
                Arrival::Quiet => self.add(from, buffer.clone(), memory),
                Arrival::Fence if buffer.is_empty() => self.add(from, Vec::new(), memory),
                Arrival::Locked(found, writes) if buffer.is_empty() => self.locked(from, found, writes),
                Arrival::Fence | Arrival::Locked(..) => {}
                Arrival::Load(cell, value) => self.load(from, *cell, *value),
                Arrival::Store(cell, value) => self.store(from, *cell, *value),
            }
        }
    }

    fn locked(&mut self, from: &[i64], found: &[(CellId, i64)], writes: &[(CellId, i64)]) {
        let memory = self.member.state.memory.clone();
        let mut before = memory.clone();
        found.iter().for_each(|(cell, value)| before[cell.index()] = *value);
        let mut after = before.clone();
        writes.iter().for_each(|(cell, value)| after[cell.index()] = *value);
        if after == memory {
            self.add(from, Vec::new(), &before);
        }
    }

    fn load(&mut self, from: &[i64], cell: CellId, value: i64) {
        let (buffer, memory) = (&self.member.buffers[self.thread], &self.member.state.memory);
        let news = BufferEntry { cell, value, own: false };
        match own(buffer, cell) {
            Some(entry) if entry.value == value => self.add(from, buffer.clone(), memory),
            Some(_) => {}
            None if buffer.first() == Some(&news) => self.add(from, buffer.clone(), memory),
            None => {
                let longer = [news].into_iter().chain(buffer.iter().copied()).collect();
                self.add(from, longer, memory);
            }
        }
    }

    fn store(&mut self, from: &[i64], cell: CellId, value: i64) {
        let (buffer, memory) = (&self.member.buffers[self.thread], &self.member.state.memory);
        let Some((newest, older)) = buffer.split_last() else { return };
        if *newest != (BufferEntry { cell, value, own: true }) || memory[cell.index()] != value {
            return;
        }
        let stored = self.reach.stored(self.thread, from, cell);
        let values: Vec<i64> = self.reach.values[cell.index()].iter().copied().collect();
        for old in values {
            let mut memory = memory.clone();
            memory[cell.index()] = old;
            self.add(from, older.to_vec(), &memory);
            for &value in &stored {
                for place in 0..=older.len() {
                    let mut longer = older.to_vec();
                    longer.insert(place, BufferEntry { cell, value, own: true });
                    self.add(from, longer, &memory);
                }
            }
        }
    }
}

/// What must be covered because of a member.
pub(crate) fn before(program: &Program, reach: &ReachableValues, member: &LoadConfiguration) -> Vec<LoadConfiguration> {
    let mut list = Vec::new();
    for thread in 0..program.threads.len() {
        let at = numbers_of(&member.state.locals[thread]);
        let mut before = Before { reach, thread, at, member, list, program };
        before.all();
        list = before.list;
    }
    list
}

/// The value of a condition where only some threads, and memory or not, are known: `None` where it depends on the rest.
fn known(condition: &Expr<Observed>, atom: &dyn Fn(Observed) -> Option<i64>) -> Option<i64> {
    use serval_tso_program::BinaryOp::{And, Or};
    match condition {
        Expr::Number(number) => Some(*number),
        Expr::Atom(what) => atom(*what),
        Expr::Not(inner) => known(inner, atom).map(|value| i64::from(value == 0)),
        Expr::Negate(inner) => known(inner, atom)?.checked_neg(),
        Expr::Binary(And, left, right) if known(left, atom) == Some(0) || known(right, atom) == Some(0) => Some(0),
        Expr::Binary(Or, left, right) if [left, right].iter().any(|side| known(side, atom).is_some_and(|value| value != 0)) => Some(1),
        Expr::Binary(op, left, right) => {
            let (left, right) = (known(left, atom)?, known(right, atom)?);
            Expr::<Observed>::Binary(*op, Box::new(Expr::Number(left)), Box::new(Expr::Number(right))).value(&|_| 0).ok()
        }
    }
}

/// Checks that everything that is possible and sought is covered; threads are chosen one after the other, then cells.
fn check_sought(
    program: &Program,
    question: &Question,
    reach: &ReachableValues,
    members: &Members,
    chosen: &mut (Vec<Vec<i64>>, Vec<i64>),
    budget: &mut Budget,
) -> Result<bool, Refusal> {
    budget.spend(u64::try_from(program.threads.len() + program.cells.len()).unwrap_or(u64::MAX))?;
    let value = known(&question.condition, &|what| match what {
        Observed::At(thread, point) => chosen.0.get(thread.index()).map(|local| i64::from(local[0] == i64::from(point.0))),
        Observed::Register(thread, register) => chosen.0.get(thread.index()).map(|local| local[1 + register.index()]),
        Observed::Cell(cell) => chosen.1.get(cell.index()).copied(),
    });
    if value == Some(0) {
        return Ok(true);
    }
    let thread = chosen.0.len();
    if thread < program.threads.len() {
        let end = i64::from(program.threads[thread].end().0);
        for place in reach.places(thread).filter(|place| !question.asked.is_final() || place[0] == end) {
            chosen.0.push(place.clone());
            let covered = check_sought(program, question, reach, members, chosen, budget)?;
            chosen.0.pop();
            if !covered {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    let cell = chosen.1.len();
    if cell < program.cells.len() {
        for &value in &reach.values[cell] {
            chosen.1.push(value);
            let covered = check_sought(program, question, reach, members, chosen, budget)?;
            chosen.1.pop();
            if !covered {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    let locals = chosen.0.iter().enumerate().filter_map(|(thread, place)| local_of(program, thread, place)).collect();
    let buffers = vec![Vec::new(); program.threads.len()];
    let state = State { locals, memory: chosen.1.clone(), buffers };
    // No text brings about a condition without a value; other input that does must cover it.
    let is_sought = state.is_sought(program, question) != Some(false);
    Ok(!is_sought || members.cover(&LoadConfiguration { state, buffers: vec![Vec::new(); program.threads.len()] }))
}

/// Checks a basis for these questions.
pub(crate) fn check(program: &Program, basis: &Basis, questions: &[usize], budget: &mut Budget) -> Result<(), Refusal> {
    let asked: Vec<&Question> = program.questions.iter().collect();
    let live = Live::new(program, &asked, &basis.live)?;
    let reach = ReachableValues::read(program, &basis.threads, &basis.values);
    require!(BasisShape, reach.is_some(), "what threads and cells may be is not well formed");
    let Some(mut reach) = reach else { return Ok(()) };
    let closed = reach.is_closed(program, &live, budget)?;
    require!(BasisReach, closed, "a thread or a cell may be what is not listed");
    let mut members = Members(BTreeMap::new());
    let mut read = Vec::new();
    for (number, numbers) in basis.members.iter().enumerate() {
        budget.spend(u64::try_from(numbers.len()).unwrap_or(u64::MAX))?;
        let member = decode(program, numbers);
        require!(BasisShape, member.is_some(), "member {number} has not the numbers of a configuration");
        let Some(member) = member else { continue };
        members.0.entry(member.state.encode(Model::Sc)).or_default().push(member.buffers.clone());
        read.push(member);
    }
    let mut initial = State::initial(program);
    live.forget(&mut initial);
    let initial = LoadConfiguration { state: initial, buffers: vec![Vec::new(); program.threads.len()] };
    require!(BasisInitial, !members.cover(&initial), "the initial configuration is above a member");
    for &number in questions {
        let Some(question) = program.questions.get(number) else { continue };
        let covered = check_sought(program, question, &reach, &members, &mut (Vec::new(), Vec::new()), budget)?;
        require!(BasisSought, covered, "what question {number} looks for is above no member");
    }
    for (number, member) in read.iter().enumerate() {
        for before in before(program, &reach, member) {
            budget.spend(u64::try_from(program.threads.len() + program.cells.len()).unwrap_or(u64::MAX))?;
            require!(BasisClosed, members.cover(&before), "a step leads to member {number}, or above it, from what is above no member");
        }
    }
    Ok(())
}
