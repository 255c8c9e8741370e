//! Locks with tickets as a certificate names them: see [`crate::tickets`].

use serval_compile::control::Reg;
use serval_proof::Ticket;
use serval_syntax::GlobalVar;

use crate::model::Model;
use crate::path::{Path, PointId};
use crate::said::Meaningless;
use crate::term::{Symbol, Term};

/// A lock with tickets, ready to be asked.
pub(crate) struct Turns {
    pub(crate) next: GlobalVar,
    pub(crate) called: GlobalVar,
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
    pub(crate) fn asks(&self, path: &Path) -> bool {
        let Some(register) = self.holders[path.from.index()] else { return false };
        let form = [(Symbol::Global(self.called), 1), (Symbol::Local(register), -1)];
        path.conditions.form(&form).is_some_and(|said| said.low() >= 0)
    }

    /// Whether a path keeps what is said of tickets.
    pub(crate) fn keeps(&self, path: &Path) -> bool {
        let is_called = self.inside[path.from.index()] || self.asks(path);
        let more = |symbol: Symbol| Term { constant: 1, parts: vec![(symbol, 1)] };
        let held = self.holders[path.from.index()].map(Symbol::Local);
        let grows = |term: &Term| term.parts == [(Symbol::Global(self.next), 1)] && term.constant > 0;
        let draws = path.update(self.next).is_some();
        if path.update(self.next).is_some_and(|update| !grows(&update.term)) {
            return false;
        }
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
            (false, true) => draws && calls.is_none() && gets(Some(Symbol::Global(self.next))) && !enters,
            (true, true) => calls.is_none() && gets(held) && (!enters || is_called),
            (true, false) => calls.is_none() || calls == Some(true) && is_called,
            (false, false) => calls.is_none(),
        }
    }
}
