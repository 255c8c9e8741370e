//! Sets of markings, as formulas.
//!
//! A [`Formula`] joins constraints by `all` and `any`; there is no negation in
//! it, because the negation of a linear comparison of integers is one again ([`Formula::negated`]).
//! It is kept as a list in which operands come before operators, so that nothing recurses
//! by the nesting of the input.
//!
//! ```
//! use serval_petri::{Formula, Net};
//! let mut net = Net::new("a lock");
//! let (free, held) = (net.add_place("free", 1).unwrap(), net.add_place("held", 0).unwrap());
//! let take = net.add_transition("take", [(free, 1)], [(held, 1)]).unwrap();
//! let formula = Formula::fireable(&net, take).unwrap();
//! assert!(formula.holds(&net.initial()));
//! assert!(Formula::deadlock(&net).unwrap().holds(&net.replay(&[take]).unwrap()));
//! assert!(!formula.negated().unwrap().holds(&net.initial()));
//! ```

pub mod words;

use crate::{Arc, Constraint, Linear, Marking, Net, PlaceId, Target, TransitionId};

/// A set of markings: constraints under `all` and `any`, without negation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Formula {
    /// Operands before operators; the last part is the whole.
    parts: Vec<FormulaPart>,
}

/// An operand or an operator.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FormulaPart {
    /// A condition.
    Constraint(Constraint),
    /// The conjunction of this number of formulas before it.
    All(usize),
    /// The disjunction of this number of formulas before it.
    Any(usize),
}

impl Formula {
    /// The formula with these parts, operands before operators, if they are one.
    pub fn new(parts: Vec<FormulaPart>) -> Option<Self> {
        let mut open = 0_usize;
        for part in &parts {
            open = match part {
                FormulaPart::Constraint(_) => open,
                FormulaPart::All(count) | FormulaPart::Any(count) => open.checked_sub(*count)?,
            } + 1;
        }
        (open == 1).then_some(Self { parts })
    }

    /// Parts that are a formula by the way in which they were made.
    pub(crate) fn from_parts(parts: Vec<FormulaPart>) -> Self {
        Self { parts }
    }

    /// The parts, operands before operators.
    pub fn parts(&self) -> &[FormulaPart] {
        &self.parts
    }

    /// The conditions, as often as they occur.
    pub fn constraints(&self) -> impl Iterator<Item = &Constraint> {
        self.parts.iter().filter_map(|part| match part {
            FormulaPart::Constraint(constraint) => Some(constraint),
            FormulaPart::All(_) | FormulaPart::Any(_) => None,
        })
    }

    /// The formula over other places, in which those that have none stand for 0. Different places must remain
    /// different.
    pub fn renamed(&self, name: impl Fn(PlaceId) -> Option<PlaceId>) -> Self {
        let parts = self.parts.iter().map(|part| match part {
            FormulaPart::Constraint(constraint) => FormulaPart::Constraint(constraint.renamed(&name)),
            FormulaPart::All(count) => FormulaPart::All(*count),
            FormulaPart::Any(count) => FormulaPart::Any(*count),
        });
        Self { parts: parts.collect() }
    }

    /// Where this condition holds.
    pub fn constraint(constraint: Constraint) -> Self {
        Self { parts: vec![FormulaPart::Constraint(constraint)] }
    }

    /// Where all of them hold.
    pub fn all(formulas: impl IntoIterator<Item = Self>) -> Self {
        Self::joined(formulas, FormulaPart::All)
    }

    /// Where one of them holds.
    pub fn any(formulas: impl IntoIterator<Item = Self>) -> Self {
        Self::joined(formulas, FormulaPart::Any)
    }

    fn joined(formulas: impl IntoIterator<Item = Self>, operator: impl Fn(usize) -> FormulaPart) -> Self {
        let (mut parts, mut count) = (Vec::new(), 0);
        for formula in formulas {
            parts.extend(formula.parts);
            count += 1;
        }
        parts.push(operator(count));
        Self { parts }
    }

    /// Where a transition of the net can fire; `None` where a weight does not fit 63 bits.
    pub fn fireable(net: &Net, transition: TransitionId) -> Option<Self> {
        net.inputs(transition).iter().map(|&arc| enough(arc, false).map(Self::constraint)).collect::<Option<Vec<_>>>().map(Self::all)
    }

    /// Where no transition of the net can fire; `None` where a weight does not fit 63 bits.
    pub fn deadlock(net: &Net) -> Option<Self> {
        let fireable = net.transitions().map(|transition| Self::fireable(net, transition)?.negated());
        fireable.collect::<Option<Vec<_>>>().map(Self::all)
    }

    /// Where it does not hold; `None` where a number does not fit 64 bits, or where a
    /// condition is about divisibility, of which there is no opposite here.
    pub fn negated(&self) -> Option<Self> {
        let mut parts = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            match part {
                FormulaPart::All(count) => parts.push(FormulaPart::Any(*count)),
                FormulaPart::Any(count) => parts.push(FormulaPart::All(*count)),
                FormulaPart::Constraint(Constraint::AtLeastZero(expression)) => parts.push(below_zero(expression)?),
                FormulaPart::Constraint(Constraint::Zero(expression)) => {
                    parts.extend([below_zero(expression)?, above_zero(expression)?, FormulaPart::Any(2)]);
                }
                FormulaPart::Constraint(Constraint::NotDivisible { .. }) => return None,
            }
        }
        Some(Self { parts })
    }

    /// A condition that can end when tokens are added, if there is one. Without one the formula is *upward closed*:
    /// what is above a marking of it is in it, too.
    pub fn not_upward(&self) -> Option<&Constraint> {
        self.constraints().find(|constraint| match constraint {
            Constraint::AtLeastZero(expression) => expression.terms().iter().any(|term| term.1 < 0),
            Constraint::Zero(expression) | Constraint::NotDivisible { expression, .. } => !expression.terms().is_empty(),
        })
    }

    /// Whether it holds for `marking`.
    pub fn holds(&self, marking: &Marking) -> bool {
        let mut values: Vec<bool> = Vec::new();
        for part in &self.parts {
            let value = match part {
                FormulaPart::Constraint(constraint) => constraint.holds(|place| marking.tokens(place)),
                FormulaPart::All(count) => values.drain(values.len().saturating_sub(*count)..).all(|value| value),
                FormulaPart::Any(count) => values.drain(values.len().saturating_sub(*count)..).any(|value| value),
            };
            values.push(value);
        }
        values.pop().unwrap_or(true)
    }

    /// Targets, within limits on their number and on that of their constraints, of which one holds iff the formula
    /// does; `None` where that is not enough on the way. (There can be exponentially many.) Each part is made of those
    /// before it, where this is so already: a constraint is one target, `any` joins the targets of its operands, and
    /// `all` has one for each choice of a target of each operand, with the constraints of all of them.
    pub fn targets(&self, limit: usize) -> Option<Vec<Target>> {
        let is_small = |clauses: &Clauses<'_>| clauses.len() <= limit && clauses.iter().map(Vec::len).sum::<usize>() <= limit;
        let mut values: Vec<Clauses<'_>> = Vec::new();
        for part in &self.parts {
            let value = match part {
                FormulaPart::Constraint(constraint) => vec![vec![constraint]],
                FormulaPart::Any(count) => values.drain(values.len().saturating_sub(*count)..).flatten().collect(),
                FormulaPart::All(count) => {
                    let mut product: Clauses<'_> = vec![Vec::new()];
                    for factor in values.drain(values.len().saturating_sub(*count)..) {
                        product = both(product, &factor, limit).filter(is_small)?;
                    }
                    product
                }
            };
            values.push(Some(value).filter(is_small)?);
        }
        let clauses = values.pop().unwrap_or_else(|| vec![Vec::new()]);
        Some(clauses.into_iter().map(|clause| Target::new(clause.into_iter().cloned().collect())).collect())
    }
}

/// A disjunction of conjunctions.
type Clauses<'a> = Vec<Vec<&'a Constraint>>;

/// The conjunction of two, unless it has more than `limit` clauses.
fn both<'a>(mut left: Clauses<'a>, right: &Clauses<'a>, limit: usize) -> Option<Clauses<'a>> {
    if let [single] = &right[..] {
        // By far the most frequent, and cheaper in place.
        left.iter_mut().for_each(|clause| clause.extend_from_slice(single));
        return Some(left);
    }
    left.len().checked_mul(right.len()).filter(|&clauses| clauses <= limit)?;
    Some(left.iter().flat_map(|first| right.iter().map(|second| [&first[..], second].concat())).collect())
}

/// `expression ≤ −1`.
fn below_zero(expression: &Linear) -> Option<FormulaPart> {
    let terms = expression.terms().iter().map(|&(place, factor)| (place, -i128::from(factor)));
    let linear = Linear::from_wide(terms, -i128::from(expression.constant()) - 1)?;
    Some(FormulaPart::Constraint(Constraint::AtLeastZero(linear)))
}

/// `expression ≥ 1`.
fn above_zero(expression: &Linear) -> Option<FormulaPart> {
    let terms = expression.terms().iter().map(|&(place, factor)| (place, i128::from(factor)));
    let linear = Linear::from_wide(terms, i128::from(expression.constant()) - 1)?;
    Some(FormulaPart::Constraint(Constraint::AtLeastZero(linear)))
}

/// That the place has at least `weight` tokens, or that it has fewer.
pub(crate) fn enough((place, weight): Arc, is_negated: bool) -> Option<Constraint> {
    let (sign, constant) = if is_negated { (-1, i128::from(weight) - 1) } else { (1, -i128::from(weight)) };
    Linear::from_wide(vec![(place, sign)], constant).map(Constraint::AtLeastZero)
}
