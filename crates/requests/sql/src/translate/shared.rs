//! Locks of rows at READ COMMITTED: which of them exclude each other, and those that several hold at once.
//!
//! | held by another | FOR KEY SHARE waits | FOR SHARE waits | FOR NO KEY UPDATE, UPDATE wait | FOR UPDATE, DELETE do |
//! |---|---|---|---|---|
//! | FOR KEY SHARE | | | | yes |
//! | FOR SHARE | | | yes | yes |
//! | FOR NO KEY UPDATE, UPDATE | | yes | yes | yes |
//! | FOR UPDATE, DELETE | yes | yes | yes | yes |
//!
//! One holds a row in one of the last two ways, and `sealed` tells them apart. Those who hold it in one of the first
//! two are counted, up to a bound; who would be one more makes no step. Without counts nothing waits for them, so there
//! are more runs, and what is proved of these holds for any number of holders; where NOWAIT or SKIP LOCKED looks at
//! locks this is not so, and only the program with counts is made.

use serval_syntax::{CompareOp, Expr};

use super::build::{add, all, any, arithmetic, assume, compare, equal, global, not, number, store};
use super::emit::{Emitted, Emitter, FREE};
use super::foreign::KEY;
use super::model::RowId;
use super::switch::Rule;
use crate::workload::Strength;
use serval_syntax::ArithmeticOp;

/// FOR SHARE among the two shared locks.
const SHARE: usize = 0;

impl Emitter<'_, '_> {
    /// Whether others hold a row FOR SHARE, or FOR KEY SHARE.
    fn shared_by_others(&mut self, row: RowId, how: usize) -> Expr {
        let Some(count) = self.model.row(row).counts[how] else { return number(0) };
        let own = self.is_shared(row, how);
        compare(CompareOp::Greater, global(count), own)
    }

    /// Whether another transaction holds a row in a way that keeps out who wants it so strongly.
    pub(super) fn held_against(&mut self, row: RowId, strength: Strength) -> Expr {
        if !self.model.has(Rule::Locks) {
            return number(0);
        }
        let free = self.is_flag(row, FREE);
        let known = self.model.row(row);
        let held = match (known.lock, strength) {
            (None, _) => number(0),
            (Some(_), Strength::KeyShare) => known.sealed.map_or_else(|| number(0), |sealed| equal(global(sealed), 1)),
            (Some(lock), _) if self.model.tables[row.table].inserted => not(equal(global(lock), 0)),
            (Some(lock), _) => equal(global(lock), 1),
        };
        let mut ways = vec![all(vec![free, any(vec![held, self.is_begun_with(row)])])];
        if strength >= Strength::NoKeyUpdate {
            ways.push(self.shared_by_others(row, SHARE));
        }
        if strength == Strength::Update {
            ways.push(self.shared_by_others(row, KEY));
        }
        any(ways)
    }

    /// Takes a shared lock of a row, unless the transaction has it, or a stronger one.
    pub(super) fn take_shared(&mut self, row: RowId, strength: Strength) -> Emitted<()> {
        let how = if strength == Strength::Share { SHARE } else { KEY };
        let Some(count) = self.model.row(row).counts[how] else { return Ok(()) };
        let most = i64::from(self.model.workload.settings.shared);
        let (free, own) = (self.is_flag(row, FREE), self.is_shared(row, how));
        self.when(all(vec![free, not(own)]), |this| {
            this.push_some(assume(compare(CompareOp::Less, global(count), number(most))));
            this.push(store(count, add(global(count), number(1))));
            this.set_shared(row, how);
            Ok(())
        })
    }

    /// Gives back what the transaction shares.
    pub(super) fn release_shared(&mut self) -> Emitted<()> {
        for how in [SHARE, KEY] {
            for row in self.shared[how].keys().copied().collect::<Vec<_>>() {
                let Some(count) = self.model.row(row).counts[how] else { continue };
                let own = self.is_shared(row, how);
                self.when(own, |this| {
                    this.push(store(count, arithmetic(ArithmeticOp::Subtract, global(count), number(1))));
                    Ok(())
                })?;
            }
        }
        Ok(())
    }
}
