//! REPEATABLE READ, which is snapshot isolation, in two steps for each transaction.
//!
//! The first step takes the snapshot and runs the whole transaction on it; the outcome of each INSERT is guessed. The
//! second step tests the guesses and writes. W are the rows that are updated or deleted, I those that are inserted, G
//! those that are only locked.
//!
//! ```text
//! step 1   assume F = 0 for W and G
//!          commits:  assume R = 0, R := 1 for W; guards of G + 1;
//!                    F := 1 for those of W and I that the first statement touched,
//!                    where that was an INSERT: assume now the row absent and F = 0, or the row there and R = 1
//!          rolls back, or 23505:  guards of W and G + 1
//! yield
//! step 2   assume the row absent and F = 0 for I; 23505 at k: assume k there and F = 0
//!          commits: assume that no one else guards or reserves W and I; write; R := 0, F := 0; guards - 1
//! ```
//!
//! Why: attempts that fail with 40001 leave nothing behind. Two attempts that both commit and overlap between snapshot
//! and commit change disjoint rows, which the reservation R says without comparing values. A statement other than the
//! first can be issued as late as the commit, since what it reads is fixed; so a row that is only locked needs no more
//! than that no other commit changes it meanwhile (a guard, which is counted), and an inserted key no more than to be
//! absent at the end, because INSERT looks at the present. Without guards there are more runs; so what is serializable
//! without them is serializable with them, for any number of guards.
//!
//! The first statement is not issued later than the snapshot is taken: who begins with a change of a row, and does not
//! wait, holds it from his snapshot on, which is F. Who begins with an INSERT of a row that another is about to delete
//! (R = 1) waits for him with the older snapshot, and holds the row behind him: F is then `behind`, and 1 when he ends.
//! **F is for runs, not for proofs.** A statement takes its snapshot before its locks. Where something holds the row,
//! which may be an attempt that fails and is in no run, or where the server is busy, another transaction with a newer
//! snapshot can lock the row first and end first; stepped cases 4.16 and the test `overtaking` show it. So each run
//! with F is one of a server, and a proof is about the program without F ([`super::Form::Counted`]), which has all.
//!
//! Of several attempts that wait with an old snapshot for who deletes a row, one can insert it, be rolled back by
//! its script, and another inserts it then, which has F from its first moment on. So an attempt that inserts and
//! does not commit has a turn, Q, which counts them: from its first step on where INSERT was its first statement
//! (the row is absent and F = 0, or it waits as above), and else from a step in between on, while someone deletes
//! the row, where it has touched nothing else. Who has a turn asks for no F in step 2; all others ask for Q = 0 in
//! step 1 for W and G, and in step 2 for I and the key of a 23505: they wait for who has inserted the row, or stand
//! behind him in the queue. Who wins the queue is left open on a server; who comes behind one that commits gets
//! 23505, which is another guess.
//!
//! *Each run with Q is one of the program without F and Q*: there the step in between does nothing, and each of the
//! two others assumes less, as no step writes anything else because of Q. So the runs remain such of a server.
//!
//! That someone holds a row in order to delete it, so that an INSERT waits, and that an attempt which guards it is
//! still to end, cannot be: it would have locked the row before, and the other would wait for it. So who waits
//! assumes that there is no guard. Any number that wait to change one row are as on a server: if it was changed all
//! end in 40001, and else one goes on.
//!
//! Where other transactions run at READ COMMITTED two programs enclose the server. *Upper*, without guards and F: the
//! levels meet only where a COMMIT at READ COMMITTED assumes R = 0 for the rows that it changes, and step 2 assumes
//! that none holds W and I there; on a server neither can be otherwise for attempts that both commit. *Lower*, with
//! both: what is touched by the first statement, or by an attempt of one step, is free of locks in step 1, all that is
//! touched in step 2, and a statement at READ COMMITTED that takes a row waits while an attempt is in flight that
//! touched it with its first statement (a count). Each run of it is performed, first statements in step 1 and the rest
//! in step 2.
//!
//! A row whose number the server chooses is one that is absent and that no one reserves, and is reserved from step 1
//! on: no statement of another attempt can be about it before it is there, so there is nothing to guess or to test.
//!
//! FOR SHARE is as FOR UPDATE: the row is only locked, and no other commit may change it. A row that is locked FOR KEY
//! SHARE, as the parent of a child is, may be changed and not deleted: it has a count of its own, which a commit that
//! deletes the row wants to be 0, and F is 2 where the first statement deleted the row, so that the lock is not taken.
//! The module `foreign` says how DELETE of a parent guesses whether there is a child.
//!
//! An advisory lock protects nothing here: the statement that waits for it has its snapshot, and all that comes behind
//! can be issued right before the commit.

use serval_syntax::{ArithmeticOp, CompareOp, Expr, GlobalVar};

use super::answers::UNIQUE_VIOLATION;
use super::build::{add, all, any, arithmetic, assume, compare, either, equal, global, known, local, not, number, pause, set, store};
use super::emit::{CHANGED, Emitted, Emitter, FREE, HELD, NEW, RowAction};
use super::foreign::KEY;
use super::model::{Identity, RowId};
use super::rows::{NewRow, Visit};
use super::state::Ending;
use super::switch::Rule;
use crate::workload::{Conflict, Strength, TableId, Wait};

/// A row that was touched, and in which ways it can have been.
struct Part {
    row: RowId,
    /// Updated or deleted.
    changed: Expr,
    inserted: Expr,
    /// Only locked.
    locked: Expr,
    first: Expr,
    /// Inserted, with a number that the server chooses: the row is its own from the beginning.
    numbered: Expr,
    /// Only locked FOR KEY SHARE.
    keyed: Expr,
    /// Deleted, so that no other may have locked it FOR KEY SHARE since the snapshot.
    deleted: Expr,
    keys: Option<GlobalVar>,
    reserved: Option<GlobalVar>,
    guards: Option<GlobalVar>,
    flag: Option<GlobalVar>,
    turns: Option<GlobalVar>,
    /// The lock of attempts at READ COMMITTED.
    lock: Option<GlobalVar>,
    began: Option<GlobalVar>,
}

impl Part {
    fn is_touched(&self) -> Expr {
        any(vec![self.changed.clone(), self.inserted.clone(), self.numbered.clone(), self.locked.clone()])
    }

    /// Whether a commit writes the row.
    fn is_written(&self) -> Expr {
        any(vec![self.changed.clone(), self.inserted.clone(), self.numbered.clone()])
    }

    /// Whether an attempt that commits reserves the row.
    fn is_reserved(&self) -> Expr {
        any(vec![self.changed.clone(), self.numbered.clone()])
    }

    /// Whether an attempt that inserts the row has a turn from its first step on, if it comes to nothing.
    fn is_in_turn(&self) -> Expr {
        all(vec![self.inserted.clone(), self.first.clone()])
    }
}

fn implies(condition: &Expr, then: Expr) -> Expr {
    any(vec![not(condition.clone()), then])
}

fn is_zero(variable: Option<GlobalVar>) -> Expr {
    variable.map_or_else(|| number(1), |variable| equal(global(variable), 0))
}

impl<'m, 'w> Emitter<'m, 'w> {
    pub(super) fn visit_snapshot(&mut self, visit: &Visit<'_>, action: RowAction<'_, 'm, 'w>) -> Emitted<()> {
        self.not_again(visit.table)?;
        if visit.wait != Wait::Wait {
            return self.outside("NOWAIT or SKIP LOCKED above READ COMMITTED");
        }
        let count = self.count;
        self.push(set(count, number(0)));
        if visit.limit.is_some() && !visit.ordered {
            return self.outside("LIMIT without ORDER BY");
        }
        // All rows are chosen before any is changed.
        let mut chosen = Vec::new();
        for &row in &visit.candidates {
            let passes = self.passes(visit.filter, row, None)?;
            let mut found = all(vec![self.there(row), passes]);
            if known(&found).is_none() && visit.candidates.len() > 1 && visit.changes {
                let holder = self.temporary();
                self.push(set(holder, found));
                found = equal(local(holder), 1);
            }
            chosen.push((row, found));
        }
        for (row, found) in chosen {
            let within = visit.limit.map_or_else(|| number(1), |limit| compare(CompareOp::Less, local(count), number(i64::from(limit))));
            self.when(all(vec![within, found]), |this| {
                this.push(set(count, add(local(count), number(1))));
                match visit.strength {
                    _ if visit.changes => {}
                    Strength::KeyShare => this.set_shared(row, KEY),
                    _ => this.mark(row, HELD)?,
                }
                action(this, row)
            })?;
        }
        Ok(())
    }

    /// A key that was inserted and is looked at again: where others delete, the server can show two rows with it.
    pub(super) fn not_again(&self, table: TableId) -> Emitted<()> {
        let known = &self.model.tables[table.0];
        if self.state.inserted.contains(&table) && known.deleted && matches!(known.identity, Identity::Key(_)) {
            return self.outside("reading a table at REPEATABLE READ after inserting into it, where scripts delete from it,");
        }
        Ok(())
    }

    /// A row is inserted, if the guess says so.
    pub(super) fn insert_snapshot(&mut self, row: RowId, new: &NewRow<'_>, told: RowAction<'_, 'm, 'w>) -> Emitted<()> {
        if matches!(self.model.tables[row.table].identity, Identity::Number(_)) {
            self.insert_row(row, new, Some(NEW))?;
            return told(self, row);
        }
        let there = self.there(row);
        let own = compare(CompareOp::GreaterOrEqual, self.flag(row), number(CHANGED));
        let locked = self.is_flag(row, HELD);
        let told = std::cell::RefCell::new(told);
        self.branch(
            own,
            |this| {
                this.branch(
                    there.clone(),
                    |this| match new.conflict {
                        Conflict::Fail => this.fail(UNIQUE_VIOLATION),
                        Conflict::Nothing => Ok(()),
                        Conflict::Update { set, filter } => this.conflict_update(row, set, filter.as_ref(), new, *told.borrow_mut()),
                    },
                    |this| {
                        this.insert_row(row, new, None)?;
                        (*told.borrow_mut())(this, row)
                    },
                )
            },
            |this| {
                // Whether the row is there in the snapshot, and whether the guess is that it is there in the end.
                let absent = not(this.committed_there(row));
                let deleted = this.model.tables[row.table].deleted;
                let done = match new.conflict {
                    Conflict::Fail => {
                        let guess = if this.model.has(Rule::GuessedInsert) { this.free_choice() } else { absent.clone() };
                        let possible = if deleted { number(1) } else { absent };
                        all(vec![not(locked), possible, guess])
                    }
                    _ if deleted => {
                        let guess = this.free_choice();
                        any(vec![absent, all(vec![not(locked), guess])])
                    }
                    _ => absent,
                };
                this.branch(
                    done,
                    |this| {
                        this.insert_row(row, new, Some(NEW))?;
                        (*told.borrow_mut())(this, row)
                    },
                    |this| match new.conflict {
                        Conflict::Fail => this.end_snapshot(Ending::Conflict(row), Some(UNIQUE_VIOLATION)),
                        Conflict::Nothing => this.left_alone(row),
                        Conflict::Update { set, filter } => this.conflict_update(row, set, filter.as_ref(), new, *told.borrow_mut()),
                    },
                )
            },
        )
    }

    fn conflict_update(
        &mut self,
        row: RowId,
        set: &[(crate::workload::ColumnId, crate::workload::Scalar)],
        filter: Option<&crate::workload::Scalar>,
        new: &NewRow<'_>,
        told: RowAction<'_, 'm, 'w>,
    ) -> Emitted<()> {
        self.mark(row, HELD)?;
        let passes = self.passes(filter, row, Some(new.excluded))?;
        self.when(passes, |this| {
            this.update_row(row, set, Some(new.excluded))?;
            this.mark(row, CHANGED)?;
            told(this, row)
        })
    }

    /// DO NOTHING leaves a row alone that is there: either it stays as it is to the end, or the statement came early,
    /// and what was touched before was touched as if by the first statement.
    fn left_alone(&mut self, row: RowId) -> Emitted<()> {
        let Some(first) = self.model.row(row).first else { return Ok(()) };
        if self.model.levels.mixed() {
            // Lower: some of the runs.
            return self.mark(row, HELD);
        }
        let late = self.free_choice();
        let turns = self.model.row(row).turns;
        self.branch(
            late,
            |this| this.mark(row, HELD),
            |this| {
                this.push_some(assume(equal(global(first), 0)));
                this.push_some(assume(is_zero(turns)));
                for row in this.touched.keys().copied().collect::<Vec<_>>() {
                    let changed = compare(CompareOp::GreaterOrEqual, this.flag(row), number(CHANGED));
                    let before = this.is_first(row);
                    let first = this.first_value(row, any(vec![before, changed]));
                    this.set_first(row, first);
                }
                Ok(())
            },
        )
    }

    /// The first statement of the transaction is done.
    pub(super) fn after_first(&mut self) {
        if !self.model.exact {
            return;
        }
        for row in self.touched.keys().copied().collect::<Vec<_>>() {
            let touched = compare(CompareOp::GreaterOrEqual, self.flag(row), number(HELD));
            if known(&touched) != Some(0) {
                let first = self.first_value(row, touched);
                self.set_first(row, first);
            }
        }
    }

    /// What F becomes where the first statement touched a row: 2 where it deleted one that others lock FOR KEY SHARE.
    fn first_value(&mut self, row: RowId, touched: Expr) -> Expr {
        if !self.model.usage.key_shared.contains(&TableId(row.table)) {
            return touched;
        }
        let deleted = self.is_deleted(row);
        either(deleted, number(2), touched)
    }

    /// What F is while the next one waits for who holds the row.
    fn behind(&self, row: RowId) -> i64 {
        if self.model.usage.key_shared.contains(&TableId(row.table)) { 3 } else { 2 }
    }

    fn parts(&mut self) -> Vec<Part> {
        let rows: std::collections::BTreeSet<RowId> = self.touched.keys().chain(self.shared[KEY].keys()).copied().collect();
        let part = |row: RowId| {
            let (changed, new, locked) = (self.is_flag(row, CHANGED), self.is_flag(row, NEW), self.is_flag(row, HELD));
            let is_numbered = matches!(self.model.tables[row.table].identity, Identity::Number(_));
            let (inserted, numbered) = if is_numbered { (number(0), new) } else { (new, number(0)) };
            let (first, keyed, deleted) = (self.is_first(row), self.is_keyed(row), self.is_deleted(row));
            let known = self.model.row(row);
            let keys = known.counts[KEY];
            let (reserved, guards, flag, turns) = (known.reserved, known.guards, known.first, known.turns);
            let (lock, began) = (known.lock, known.began);
            Part { row, changed, inserted, locked, first, numbered, keyed, deleted, keys, reserved, guards, flag, turns, lock, began }
        };
        rows.into_iter().map(part).collect()
    }

    /// The attempt ends: with this outcome, or going on behind it.
    pub(super) fn end_snapshot(&mut self, ending: Ending, outcome: Option<i64>) -> Emitted<()> {
        let parts = self.parts();
        for part in &parts {
            let touched = any(vec![part.changed.clone(), part.locked.clone()]);
            self.push_some(assume(implies(&touched, is_zero(part.flag))));
            self.push_some(assume(implies(&touched, is_zero(part.turns))));
            if let Some(flag) = part.flag {
                self.push_some(assume(implies(&part.keyed, not(equal(global(flag), 2)))));
            }
            if ending == Ending::Commit {
                self.push_some(assume(implies(&part.changed, is_zero(part.reserved))));
                let behind = part.flag.map(|flag| compare(CompareOp::Less, global(flag), number(self.behind(part.row))));
                let waits = behind.filter(|_| !self.model.levels.mixed()).map(|free| all(vec![self.awaits_deleter(part), free]));
                if self.model.exact && self.model.has(Rule::FirstStatement) {
                    let can = any([self.is_absent(part)].into_iter().chain(waits).collect());
                    self.push_some(assume(implies(&part.is_in_turn(), can)));
                }
            }
        }
        let waits = match ending {
            Ending::Commit => any(parts.iter().map(Part::is_written).collect()),
            Ending::Rollback => any(parts.iter().map(|part| part.inserted.clone()).collect()),
            Ending::Conflict(_) | Ending::Child => number(1),
        };
        let waits = any(vec![waits, self.has_guessed(), self.awaits_table()]);
        for part in parts.iter().take(if self.model.exact { parts.len() } else { 0 }) {
            // What is taken now, no attempt at READ COMMITTED holds.
            let taken = all(vec![part.is_touched(), any(vec![part.first.clone(), not(waits.clone())])]);
            let free = implies(&taken, is_zero(part.lock));
            self.push_some(assume(free));
        }
        self.when(waits, |this| {
            this.first_step(&parts, ending)?;
            this.hold_first_tables()?;
            let later = if ending == Ending::Commit { Vec::new() } else { this.take_turns(&parts)? };
            let turns =
                parts.iter().zip(later).map(|(part, later)| part.turns.map_or_else(|| number(0), |_| any(vec![part.is_in_turn(), later])));
            let turns: Vec<Expr> = turns.collect();
            this.push(pause());
            this.second_step(&parts, &turns, ending)
        })?;
        self.advisory.clear();
        self.release_tables()?;
        match outcome {
            Some(outcome) => self.end(outcome),
            None => {
                self.forget();
                Ok(())
            }
        }
    }

    /// Whether a row is absent, and no attempt that commits holds it.
    fn is_absent(&self, part: &Part) -> Expr {
        all(vec![not(self.committed_there(part.row)), is_zero(part.flag)])
    }

    /// Whether an INSERT of a row waits for who deletes it.
    fn awaits_deleter(&self, part: &Part) -> Expr {
        let reserved = part.reserved.map_or_else(|| number(0), |reserved| equal(global(reserved), 1));
        all(vec![self.committed_there(part.row), reserved, is_zero(part.guards)])
    }

    /// An attempt that inserts a row and comes to nothing gets its turn.
    fn takes_turn(&mut self, turns: GlobalVar) {
        let most = i64::from(self.model.workload.settings.shared);
        self.push_some(assume(compare(CompareOp::Less, global(turns), number(most))));
        self.push(store(turns, add(global(turns), number(1))));
        self.model.holds = true;
    }

    /// The turns of an attempt that comes to nothing, with the first step and with one behind it. Which of the latter
    /// it has.
    fn take_turns(&mut self, parts: &[Part]) -> Emitted<Vec<Expr>> {
        let mut later = vec![number(0); parts.len()];
        for part in parts {
            let Some(turns) = part.turns else { continue };
            let can = any(vec![self.is_absent(part), self.awaits_deleter(part)]);
            self.when(part.is_in_turn(), |this| {
                this.push_some(assume(can));
                this.takes_turn(turns);
                Ok(())
            })?;
        }
        for (at, part) in parts.iter().enumerate() {
            let Some(turns) = part.turns.filter(|_| self.model.tables[part.row.table].deleted) else { continue };
            let others = parts.iter().enumerate().filter(|(other, _)| *other != at);
            let alone = others.map(|(_, other)| not(any(vec![other.is_touched(), other.keyed.clone()])));
            let can = all([part.inserted.clone(), not(part.first.clone())].into_iter().chain(alone).collect());
            if known(&can) == Some(0) {
                continue;
            }
            let takes = self.temporary();
            self.push(set(takes, all(vec![can, super::build::choice()])));
            let waits = self.awaits_deleter(part);
            self.when(equal(local(takes), 1), |this| {
                this.push(pause());
                this.push_some(assume(waits));
                this.takes_turn(turns);
                Ok(())
            })?;
            later[at] = equal(local(takes), 1);
        }
        Ok(later)
    }

    /// What guards a row: it is only locked, or it was changed and that comes to nothing.
    fn guarded(&self, part: &Part, ending: Ending) -> Expr {
        if ending == Ending::Commit || !self.model.has(Rule::RolledBack) {
            part.locked.clone()
        } else {
            any(vec![part.locked.clone(), part.changed.clone()])
        }
    }

    fn first_step(&mut self, parts: &[Part], ending: Ending) -> Emitted<()> {
        for part in parts {
            if let Some(guards) = part.guards {
                let most = i64::from(self.model.workload.settings.shared);
                let guarded = self.guarded(part, ending);
                self.when(guarded, |this| {
                    this.push_some(assume(compare(CompareOp::Less, global(guards), number(most))));
                    this.push(store(guards, add(global(guards), number(1))));
                    Ok(())
                })?;
            }
            if let Some(keys) = part.keys {
                let most = i64::from(self.model.workload.settings.shared);
                self.when(part.keyed.clone(), |this| {
                    this.push_some(assume(compare(CompareOp::Less, global(keys), number(most))));
                    this.push(store(keys, add(global(keys), number(1))));
                    Ok(())
                })?;
            }
            if let Some(began) = part.began {
                let most = i64::from(self.model.workload.settings.shared);
                self.when(all(vec![part.is_touched(), part.first.clone()]), |this| {
                    this.push_some(assume(compare(CompareOp::Less, global(began), number(most))));
                    this.push(store(began, add(global(began), number(1))));
                    Ok(())
                })?;
            }
            if ending != Ending::Commit {
                continue;
            }
            if let Some(reserved) = part.reserved {
                self.when(part.is_reserved(), |this| {
                    this.push(store(reserved, number(1)));
                    Ok(())
                })?;
            }
            if let Some(flag) = part.flag {
                self.when(all(vec![any(vec![part.changed.clone(), part.inserted.clone()]), part.first.clone()]), |this| {
                    let waits = all(vec![part.inserted.clone(), not(equal(global(flag), 0))]);
                    let behind = number(this.behind(part.row));
                    this.push(store(flag, either(waits, behind, part.first.clone())));
                    this.model.holds = true;
                    Ok(())
                })?;
            }
        }
        Ok(())
    }

    fn second_step(&mut self, parts: &[Part], turns: &[Expr], ending: Ending) -> Emitted<()> {
        for (at, part) in parts.iter().enumerate() {
            let others = match turns.get(at) {
                // Who has a turn comes before who holds the row next.
                Some(turn) => any(vec![turn.clone(), all(vec![is_zero(part.flag), is_zero(part.turns)])]),
                None => all(vec![any(vec![is_zero(part.flag), part.first.clone()]), is_zero(part.turns)]),
            };
            let absent = all(vec![not(self.committed_there(part.row)), others]);
            self.push_some(assume(implies(&part.inserted, absent)));
            if self.model.exact {
                self.push_some(assume(implies(&part.is_touched(), is_zero(part.lock))));
            }
            if ending == Ending::Commit {
                let changed = part.is_written();
                self.push_some(assume(implies(&changed, is_zero(part.lock))));
                self.push_some(assume(implies(&changed, is_zero(part.guards))));
                self.push_some(assume(implies(&part.inserted, is_zero(part.reserved))));
            }
        }
        for part in parts.iter().filter(|_| ending == Ending::Commit) {
            self.push_some(assume(implies(&part.deleted, is_zero(part.keys))));
        }
        let kept_out = self.awaits_table();
        self.push_some(assume(not(kept_out)));
        self.test_guesses(ending);
        if let Ending::Conflict(row) = ending {
            let lock = self.model.row(row).lock.filter(|_| self.model.exact);
            let known = self.model.row(row);
            let there = all(vec![self.committed_there(row), is_zero(known.first), is_zero(known.turns), is_zero(lock)]);
            self.push_some(assume(there));
        }
        for (part, turn) in parts.iter().zip(turns) {
            if let Some(turns) = part.turns {
                self.when(turn.clone(), |this| {
                    this.push(store(turns, arithmetic(ArithmeticOp::Subtract, global(turns), number(1))));
                    Ok(())
                })?;
            }
        }
        for part in parts {
            if let Some(began) = part.began {
                self.when(all(vec![part.is_touched(), part.first.clone()]), |this| {
                    this.push(store(began, arithmetic(ArithmeticOp::Subtract, global(began), number(1))));
                    Ok(())
                })?;
            }
            if let Some(keys) = part.keys {
                self.when(part.keyed.clone(), |this| {
                    this.push(store(keys, arithmetic(ArithmeticOp::Subtract, global(keys), number(1))));
                    Ok(())
                })?;
            }
            if let Some(guards) = part.guards {
                let guarded = self.guarded(part, ending);
                self.when(guarded, |this| {
                    this.push(store(guards, arithmetic(ArithmeticOp::Subtract, global(guards), number(1))));
                    Ok(())
                })?;
            }
            if ending == Ending::Commit {
                self.when(part.is_written(), |this| {
                    this.write(part.row);
                    Ok(())
                })?;
                if let Some(reserved) = part.reserved {
                    self.when(part.is_reserved(), |this| {
                        this.push(store(reserved, number(0)));
                        Ok(())
                    })?;
                }
                if let Some(flag) = part.flag {
                    self.when(all(vec![any(vec![part.changed.clone(), part.inserted.clone()]), part.first.clone()]), |this| {
                        let next = equal(global(flag), this.behind(part.row));
                        this.push(store(flag, next));
                        Ok(())
                    })?;
                }
            }
        }
        let _ = FREE;
        Ok(())
    }
}
