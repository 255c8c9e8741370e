//! What is tried when.
//!
//! To give a method a place, write its function and add a [`Row`]: to [`AT_ONCE`], where it looks at all goals
//! together, or to [`ONE_BY_ONE`], where it is asked about each by itself. Rows are tried from the first to the last.

use super::attempt::{Attempt, AttemptAtAll, BeforeRounds};
use super::ticks::{
    COVER_TICKS, DECOMPOSE_TICKS, EQUATION_TICKS, EXPLICIT_TICKS, INDUCTIVE_TICKS, SEPARATOR_TICKS, WALK_TICKS, WEIGHTS_TICKS,
};
use super::{covering, methods, reach};
use crate::answer::Method;

/// When a row is tried among all others. Rounds are counted from 0.
#[derive(Clone, Copy)]
pub(super) enum Due {
    /// From this round on.
    From(u32),
    /// From this round on where the beginning has done the same, and always where there was none.
    Again(u32),
    /// From this round on where the beginning has tried the same with too few ticks.
    Cut(u32),
    /// Never: the beginning asks it once and for all, or another row stands for it.
    Never,
}

impl Due {
    pub(super) fn is_now(self, round: u32, before: BeforeRounds) -> bool {
        match self {
            Self::From(first) => round >= first,
            Self::Again(first) => round >= first || before == BeforeRounds::Nothing,
            Self::Cut(first) => round >= first && before == BeforeRounds::Beginning { is_cut: true },
            Self::Never => false,
        }
    }
}

/// When a method is asked, and how.
pub(super) struct Row<Ask> {
    pub(super) method: Method,
    /// Ticks in the first round.
    pub(super) ticks: u64,
    /// When it is tried among all others.
    pub(super) due: Due,
    /// Whether it is tried where the method is asked alone.
    pub(super) is_alone: bool,
    /// Asks; whether more ticks could help.
    pub(super) ask: Ask,
}

const fn row<Ask: Copy>(method: Method, ticks: u64, due: Due, is_alone: bool, ask: Ask) -> Row<Ask> {
    Row { method, ticks, due, is_alone, ask }
}

type AtAll = fn(&mut AttemptAtAll<'_>) -> bool;
type AtOne = fn(&mut Attempt<'_>) -> bool;

/// What a round asks about all goals together, before it asks about each by itself.
pub(super) const AT_ONCE: &[Row<AtAll>] = &[
    row(Method::Walk, WALK_TICKS, Due::Again(1), true, methods::walk),
    row(Method::Backward, COVER_TICKS, Due::From(0), false, covering::backward_from_all),
];

/// What a round asks about each goal by itself. The inductive methods come late, and the decomposition last: what the
/// others decide they decide sooner, and with smaller evidence.
pub(super) const ONE_BY_ONE: &[Row<AtOne>] = &[
    row(Method::Siphon, 0, Due::Never, true, methods::siphon),
    row(Method::Weights, WEIGHTS_TICKS, Due::Cut(1), true, methods::weights),
    row(Method::Equation, EQUATION_TICKS, Due::From(0), true, methods::equation),
    row(Method::Explicit, EXPLICIT_TICKS, Due::From(0), true, methods::explicit),
    row(Method::Explicit, EXPLICIT_TICKS, Due::From(0), true, reach::explicit_backward),
    row(Method::Backward, COVER_TICKS, Due::From(0), true, covering::backward),
    row(Method::Cover, COVER_TICKS, Due::From(0), true, covering::cover),
    row(Method::Pdr, INDUCTIVE_TICKS, Due::From(1), true, methods::pdr),
    row(Method::Induction, INDUCTIVE_TICKS, Due::From(2), true, methods::induction),
    row(Method::Separator, SEPARATOR_TICKS, Due::From(1), true, methods::separator),
    row(Method::Decompose, DECOMPOSE_TICKS, Due::From(1), false, methods::decompose_the_rest),
    row(Method::Decompose, DECOMPOSE_TICKS, Due::Never, true, methods::decompose),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Each method can be asked alone, and comes among all others in some round or in the beginning.
    #[test]
    fn each_method_has_its_rows() {
        for method in Method::all() {
            let alone = AT_ONCE.iter().filter(|row| row.is_alone).map(|row| row.method);
            let alone = alone.chain(ONE_BY_ONE.iter().filter(|row| row.is_alone).map(|row| row.method));
            assert_eq!(alone.filter(|&one| one == method).count(), 1 + usize::from(method == Method::Explicit), "{}", method.name());
            let is_due = |due: Due| due.is_now(2, BeforeRounds::Beginning { is_cut: true });
            let due = AT_ONCE.iter().filter(|row| is_due(row.due)).map(|row| row.method);
            let mut due = due.chain(ONE_BY_ONE.iter().filter(|row| is_due(row.due)).map(|row| row.method));
            assert!(method == Method::Siphon || due.any(|one| one == method), "{}", method.name());
        }
    }

    /// What the beginning has done is not done again in the first round, unless there was no beginning.
    #[test]
    fn rounds_follow_what_came_before() {
        let (whole, cut) = (BeforeRounds::Beginning { is_cut: false }, BeforeRounds::Beginning { is_cut: true });
        let in_rounds = |due: Due, before: BeforeRounds| [0, 1, 2].map(|round| due.is_now(round, before));
        assert_eq!(in_rounds(Due::From(1), whole), [false, true, true]);
        assert_eq!(in_rounds(Due::From(1), BeforeRounds::Nothing), [false, true, true]);
        assert_eq!(in_rounds(Due::Again(1), cut), [false, true, true]);
        assert_eq!(in_rounds(Due::Again(1), BeforeRounds::Nothing), [true; 3]);
        assert_eq!(in_rounds(Due::Cut(1), cut), [false, true, true]);
        assert_eq!(in_rounds(Due::Cut(1), whole), [false; 3]);
        assert_eq!(in_rounds(Due::Cut(1), BeforeRounds::Nothing), [false; 3]);
        assert_eq!(in_rounds(Due::Never, cut), [false; 3]);
    }
}
