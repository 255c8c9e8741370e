//! Ticket locks (Mellor-Crummey, Scott 1991): requests draw numbers and are called one after the other.
//!
//! A ticket lock has two globals: `N`, the next number, and `S`, the number that is called. A request draws:
//! `t := N; N := N + 1`. It waits until `S = t`, is inside, and calls the next one when it leaves: `S := S + 1`. Mutual
//! exclusion rests on the registers of different requests, and the order of entry is settled when they draw.
//!
//! A certificate names `N`, `S`, the *holders* (points, each with the register `t`) and the points *inside*; *waiting*
//! are holders that are not inside. A request *has a ticket* while it is at a holder or inside: the value of the
//! register, or that of `S` where it is inside. A path *asks* if it begins at a holder and its tests say that `S ≥ t`.
//!
//! **I5, tickets.** At every moment
//!
//! 1. `S ≤ N`;
//! 2. every ticket is at least `S` and less than `N`;
//! 3. tickets of different requests are different;
//! 4. inside, the ticket is `S`.
//!
//! **Proof.** At first `S ≤ N`, and no request has a ticket, as no entry is a holder or inside. Every path that is
//! taken and changes `N` adds a positive number, and
//!
//! * *from outside to a holder*: the register becomes `N`, `N` grows, `S` stays. The new ticket is at least `S`, less
//!   than the new `N`, and greater than all others. The point is not inside.
//! * *between points with a ticket*: `S` stays; where the new point is a holder, its register gets what the register of
//!   the old point holds, which is the ticket. If the new point is inside, then so is the old one, or the path asks:
//!   `S ≥ t` and `S ≤ t`, so the ticket is `S`.
//! * *from a point with a ticket to outside*: if `S` changes, then by 1, and the request is inside or asks, so its
//!   ticket is `S`. Those of others are different from it and not less than `S`, so at least `S + 1`. And `S + 1 ≤ N`,
//!   as the ticket was less than `N`. So no other request was inside, either.
//! * *elsewhere*: `S` stays. (`S := t + 1` adds 1 where the request is inside or asks.)
//!
//! A step of one request changes no register of another, and it changes `S` only where no other request is inside. ∎
//!
//! **Excluded.** Two requests are never both inside; and while one is inside no other one takes a path that asks: its
//! ticket would be `S`, too.
//!
//! **Turns.** Let
//!
//! 1. no path between points before the commit lead from a point with a ticket to one without;
//! 2. every path from before to after the commit that begins or ends with a ticket begin inside or ask;
//! 3. no path after the commit draw.
//!
//! If in a complete run requests `i` and `j` both draw, and `i` before `j`, then `i` commits before `j`.
//!
//! **Proof.** A path that draws begins without a ticket, so neither inside nor does it ask; so it does not commit, and
//! leads from before to before. A request that draws keeps its ticket until it commits, by (1), so it draws once, and
//! its commit begins with the ticket, which is `S` then, by (2). When `j` commits, `S` is its ticket, which is greater
//! than that of `i`, as `N` grows with every draw. So `i` has no ticket any more, by I5; so it has committed. ∎
//!
//! So in the theorem of [`check`](crate::check()) two steps that draw from one lock are no inversion, in whichever
//! order they come, and need not be exchanged.

use serval_proof::Condition;

use crate::facts::Runs;
use crate::invariants::{Claims, Violation};
use crate::path::{PathId, PointId};

impl Claims<'_> {
    /// I5 for the tickets at a position.
    pub fn ticket(&self, index: usize) -> Result<(), Violation> {
        let violated = |path| Err(Violation { condition: Condition::ReductionTicket, object: format!("ticket {index}"), path });
        let Some(turns) = self.facts.turns().get(index) else { return Ok(()) };
        let (model, facts) = (self.model, self.facts);
        if model.initial(turns.called) > model.initial(turns.next) || model.entries.iter().any(|&entry| turns.has(entry)) {
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
        let is_post = |point: PointId| post[point.index()];
        let in_order = |id: PathId| {
            let path = model.path(id);
            let (had, has) = (turns.has(path.from), turns.has(path.to));
            let is_called = turns.is_inside(path.from) || turns.asks(path);
            match (is_post(path.from), is_post(path.to)) {
                (false, false) => has || !had,
                (false, true) => is_called || !(had || has),
                _ => had || !has,
            }
        };
        match model.ids().find(|&id| facts.is_taken(model, id, Runs::Complete) && !in_order(id)) {
            Some(id) => violated(Some(id)),
            None => Ok(()),
        }
    }
}
