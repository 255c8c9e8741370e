//! Tickets: requests draw numbers and are called one after the other.
//!
//! A ticket lock has two globals: `N`, the next number, and `S`, the number that is called. A request draws: `t := N; N := N + 1`. It waits until `S = t`, is inside, and calls the
//! next one when it leaves: `S := S + 1`. What excludes whom rests on the registers of different requests, and in which order they come is settled when they draw.
//!
//! A certificate names `N`, `S`, the *holders* (points, each with the register `t`) and the points *inside*; *waiting* are holders that are not inside.
//! A request *has a ticket* while it is at a holder or inside: the value of the register, or that of `S` where it is inside. A path *asks* if it begins at a holder and its tests say that `S ≥ t`.
//!
//! **I5, tickets.** At every moment `S ≤ N`; every ticket is at least `S` and less than `N`; tickets of different requests are different; inside, the ticket is `S`.
//!
//! **Proof.** At first `S ≤ N`, and nobody has a ticket, as no entry is a holder or inside. A path that is taken changes `N` and `S` only by adding 1, and
//! * *from outside to a holder*: the register becomes `N`, `N` grows, `S` stays. The new ticket is at least `S`, less than the new `N`, and greater than all others. The point is not inside.
//! * *between points with a ticket*: `N` and `S` stay; where the new point is a holder, its register gets what the register of the old point holds, which is the ticket. If the new point is inside, then so is the old one, or the path asks: `S ≥ t`
//!   and `S ≤ t`, so the ticket is `S`.
//! * *from a point with a ticket to outside*: `N` stays. If `S` changes, the request is inside or asks, so its ticket is `S`. Those of others are different from it and not less than `S`, so greater: at least `S + 1`. And `S + 1 ≤ N`, as the ticket was
//!   less than `N`. So nobody else was inside, either.
//! * *elsewhere*: `N` and `S` stay. (`S := t + 1` adds 1 where the request is inside or asks.)
//!
//! A step of one request changes no register of another, and it changes `S` only where no other request is inside. ∎
//!
//! **Excluded.** Two requests are never both inside; and while one is inside no other one takes a path that asks: its ticket would be `S`, too.
//!
//! **Turns.** Let waiting points be before the commit; let every path from a waiting point to after the commit ask; let every path from a point with a ticket to one without lead to
//! after the commit. If in a complete run request `i` draws before request `j`, then `i` commits before `j`.
//!
//! **Proof.** Whoever draws comes to a waiting point, before its commit, and has a ticket until it commits, by the last condition. So it draws once, and commits from a point with a ticket: inside, or by a path that asks; its ticket is `S` then.
//! When `j` commits, `S` is its ticket, which is greater than that of `i`, as `N` grows with every draw. So `i` has no ticket any more, by I5; so it has committed. ∎
//!
//! So in the theorem of [`mod@crate::check`] two steps that draw from one lock are no inversion, in whichever order they come, and need not be exchanged.

use serval_proof::{Condition, Ticket};
use serval_syntax::GlobalVar;

use crate::facts::{Facts, Meaningless, Runs};
use crate::invariants::{Claims, Violation};
use crate::model::Model;
use crate::path::{Path, PathId, PointId};
use crate::term::{Symbol, Term};
use serval_compile::control::Reg;

/// A lock with tickets, ready to be asked.
pub struct Turns {
    next: GlobalVar,
    called: GlobalVar,
    /// By point: the register with the ticket.
    holders: Vec<Option<Reg>>,
    inside: Vec<bool>,
}

impl Turns {
    /// Reads what a certificate says; `points` lists the points of runs.
    pub(crate) fn new(model: &Model, ticket: &Ticket, inside: &[PointId]) -> Result<Self, Meaningless> {
        let global = |number: u32| (number as usize) < model.initial.len();
        if !global(ticket.next) || !global(ticket.called) || ticket.next == ticket.called {
            return Err(Meaningless("tickets of no variable".to_owned()));
        }
        let count = model.points.len();
        let mut turns =
            Self { next: GlobalVar(ticket.next), called: GlobalVar(ticket.called), holders: vec![None; count], inside: vec![false; count] };
        for &(point, register) in &ticket.holders {
            let there = turns.holders.get_mut(point as usize).ok_or_else(|| Meaningless(format!("point {point}")))?;
            if there.replace(Reg(register)).is_some() {
                return Err(Meaningless(format!("point {point} holds two tickets")));
            }
        }
        inside.iter().for_each(|point| turns.inside[point.index()] = true);
        Ok(turns)
    }

    /// Whether a request at a point has a ticket.
    pub(crate) fn has(&self, point: PointId) -> bool {
        self.holders[point.index()].is_some() || self.inside[point.index()]
    }

    /// Whether its ticket is the one that is called.
    pub(crate) fn is_inside(&self, point: PointId) -> bool {
        self.inside[point.index()]
    }

    /// Whether a path tests that the ticket is called.
    pub fn asks(&self, path: &Path) -> bool {
        let Some(register) = self.holders[path.from.index()] else { return false };
        let form = [(Symbol::Global(self.called), 1), (Symbol::Local(register), -1)];
        path.conditions.form(&form).is_some_and(|said| said.low() >= 0)
    }

    /// Whether a path keeps what is said of tickets.
    fn keeps(&self, path: &Path) -> bool {
        let is_called = self.inside[path.from.index()] || self.asks(path);
        let more = |symbol: Symbol| Term { constant: 1, parts: vec![(symbol, 1)] };
        let held = self.holders[path.from.index()].map(Symbol::Local);
        let draws = path.update(self.next).map(|update| update.term == more(Symbol::Global(self.next)));
        let calls = path.update(self.called).map(|update| {
            update.term == more(Symbol::Global(self.called)) || is_called && held.is_some_and(|held| update.term == more(held))
        });
        let gets = |what: Option<Symbol>| {
            let Some(register) = self.holders[path.to.index()] else { return true };
            let kept = path.kept.binary_search_by_key(&register, |kept| kept.0).ok().map(|at| &path.kept[at].1.term);
            what.is_some_and(|what| kept == Some(&Term::symbol(what)))
        };
        let enters = self.inside[path.to.index()];
        match (self.has(path.from), self.has(path.to)) {
            (false, true) => draws == Some(true) && calls.is_none() && gets(Some(Symbol::Global(self.next))) && !enters,
            (true, true) => draws.is_none() && calls.is_none() && gets(held) && (!enters || is_called),
            (true, false) => draws.is_none() && (calls.is_none() || calls == Some(true) && is_called),
            (false, false) => draws.is_none() && calls.is_none(),
        }
    }
}

impl Claims<'_> {
    /// I5 for the tickets at a position.
    pub fn ticket(&self, index: usize) -> Result<(), Violation> {
        let violated = |path| Err(Violation { condition: Condition::ReductionTicket, object: format!("ticket {index}"), path });
        let Some(turns) = self.facts.turns().get(index) else { return Ok(()) };
        let (model, facts) = (self.model, self.facts);
        let outside = |point: PointId| point == PointId::END || model.is_entry(point);
        let mut points = (0..u32::try_from(model.points.len()).unwrap_or(u32::MAX)).map(PointId);
        if model.initial(turns.called) > model.initial(turns.next) || points.any(|point| turns.has(point) && outside(point)) {
            return violated(None);
        }
        match model.ids().find(|&id| facts.is_taken(model, id, Runs::All) && !turns.keeps(model.path(id))) {
            Some(id) => violated(Some(id)),
            None => Ok(()),
        }
    }

    /// Whether who draws first commits first, for the tickets at a position.
    pub fn turns(&self, index: usize, post: &[bool]) -> Result<(), Violation> {
        let violated = |path| Err(Violation { condition: Condition::ReductionTurns, object: format!("ticket {index}"), path });
        let Some(turns) = self.facts.turns().get(index) else { return Ok(()) };
        let (model, facts) = (self.model, self.facts);
        let waits = |point: PointId| turns.has(point) && !turns.is_inside(point);
        let is_post = |point: PointId| post[point.index()];
        let in_order = |id: PathId| {
            let path = model.path(id);
            let commits = !is_post(path.to) || !waits(path.from) || turns.asks(path);
            let gives_back = is_post(path.to) || !turns.has(path.from) || turns.has(path.to);
            commits && gives_back && !(waits(path.to) && is_post(path.to))
        };
        match model.ids().find(|&id| facts.is_taken(model, id, Runs::Complete) && !in_order(id)) {
            Some(id) => violated(Some(id)),
            None => Ok(()),
        }
    }
}

impl Facts {
    /// Whether one path leads to where the ticket is called, or begins there, and the other one asks whether its own is.
    pub(crate) fn is_called_twice(&self, inside: PointId, path: &Path) -> bool {
        self.turns().iter().any(|turns| turns.is_inside(inside) && turns.asks(path))
    }
}
