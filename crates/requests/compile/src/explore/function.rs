//! Functions of the global state that may count requests.

/// A function of the global state that is 0 at the initial one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    /// By how much the value at this position is above the initial one.
    Above(usize),
    /// By how much it is below.
    Below(usize),
    /// Whether it differs.
    Differs(usize),
    /// By how much these terms, each times its factor, add up to more than at first.
    Sum(Vec<(FunctionTerm, i64)>),
}

/// What a global state says of one variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FunctionTerm {
    /// The value at this position.
    Value(usize),
    /// 1 if it is this number, and else 0.
    Is(usize, i64),
}

impl FunctionTerm {
    /// `None` where there is no such position.
    pub(crate) fn at(self, global: &[i64]) -> Option<i64> {
        match self {
            Self::Value(slot) => global.get(slot).copied(),
            Self::Is(slot, value) => Some(i64::from(*global.get(slot)? == value)),
        }
    }
}

impl Function {
    /// `None` where the difference does not fit.
    pub(crate) fn at(&self, global: &[i64], initial: &[i64]) -> Option<i64> {
        let both = |slot: usize| Some((*global.get(slot)?, *initial.get(slot)?));
        match self {
            Self::Above(slot) => both(*slot).and_then(|(value, first)| value.checked_sub(first)),
            Self::Below(slot) => both(*slot).and_then(|(value, first)| first.checked_sub(value)),
            Self::Differs(slot) => both(*slot).map(|(value, first)| i64::from(value != first)),
            Self::Sum(terms) => terms.iter().try_fold(0_i64, |sum, (term, factor)| {
                let grown = term.at(global)?.checked_sub(term.at(initial)?)?;
                sum.checked_add(grown.checked_mul(*factor)?)
            }),
        }
    }
}
