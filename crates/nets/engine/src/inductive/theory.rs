//! Clauses of an invariant, and a goal, for the [engine](super::engine): each clause can be left out of a question.

use serval_net_proof::inductive::Effect;
use serval_net_proof::{Bound, Clause};
use serval_petri::{Constraint, Formula, FormulaPart, Net, TransitionId};

use super::engine::{Engine, Lit};

/// An engine whose first variables are the places of a net.
#[derive(Default)]
pub(crate) struct Theory {
    pub(crate) engine: Engine,
    /// By clause the literal that has it taken into account.
    pub(crate) switches: Vec<Lit>,
}

/// The literal that a bound of one place is.
pub(crate) fn lit_of(Bound(bound): &Bound) -> Option<Lit> {
    let &[(place, factor)] = bound.terms() else { return None };
    let (place, constant) = (place as usize, bound.constant());
    Some(if factor > 0 {
        Lit::at_least(place, constant.checked_neg()?.checked_add(factor.checked_sub(1)?)?.div_euclid(factor))
    } else {
        Lit::at_most(place, constant.div_euclid(factor.checked_neg()?))
    })
}

/// The bound that a literal of a place is.
pub(crate) fn bound_of(lit: Lit) -> Option<Bound> {
    let place = u32::try_from(lit.variable).ok()?;
    let (factor, constant) = if lit.at_least { (1, lit.value.checked_neg()?) } else { (-1, lit.value) };
    serval_linear::Linear::new([(place, factor)], constant).map(Bound)
}

impl Theory {
    pub(crate) fn new(net: &Net) -> Self {
        let mut theory = Self::default();
        for _ in net.places() {
            theory.engine.variable(None);
        }
        theory
    }

    /// A literal that is free to hold or not.
    pub(crate) fn switch(&mut self) -> Lit {
        Lit::at_least(self.engine.variable(Some(1)), 1)
    }

    /// A literal from which the bound follows.
    fn implies(&mut self, terms: &[(usize, i64)], constant: i64) -> Lit {
        let switch = self.switch();
        self.engine.sum(terms.to_vec(), constant, switch);
        switch
    }

    /// Adds a clause.
    pub(crate) fn clause(&mut self, clause: &Clause) {
        let switch = self.switch();
        self.switches.push(switch);
        let terms = |bound: &Bound| bound.0.terms().iter().map(|&(place, factor)| (place as usize, factor)).collect::<Vec<_>>();
        if let [bound] = &clause[..]
            && lit_of(bound).is_none()
        {
            self.engine.sum(terms(bound), bound.0.constant(), switch);
            return;
        }
        let mut lits = vec![switch.opposite()];
        for bound in clause {
            let lit = lit_of(bound).unwrap_or_else(|| self.implies(&terms(bound), bound.0.constant()));
            lits.push(lit);
        }
        self.engine.clause(lits);
    }

    /// A literal from which the formula follows; `None` where it speaks of divisibility.
    pub(crate) fn formula(&mut self, formula: &Formula) -> Option<Lit> {
        let mut values: Vec<Lit> = Vec::new();
        for part in formula.parts() {
            let value = match part {
                FormulaPart::Constraint(constraint) => self.constraint(constraint)?,
                FormulaPart::All(count) => {
                    let name = self.switch();
                    for operand in values.split_off(values.len().saturating_sub(*count)) {
                        self.engine.clause(vec![name.opposite(), operand]);
                    }
                    name
                }
                FormulaPart::Any(count) => {
                    let name = self.switch();
                    let mut clause = values.split_off(values.len().saturating_sub(*count));
                    clause.push(name.opposite());
                    self.engine.clause(clause);
                    name
                }
            };
            values.push(value);
        }
        values.pop()
    }

    fn constraint(&mut self, constraint: &Constraint) -> Option<Lit> {
        let linear = constraint.expression();
        let terms: Vec<(usize, i64)> = linear.terms().iter().map(|&(place, factor)| (place.index(), factor)).collect();
        match constraint {
            Constraint::AtLeastZero(_) => match terms[..] {
                [(place, _)] => lit_of(&Bound(serval_linear::Linear::new([(u32::try_from(place).ok()?, terms[0].1)], linear.constant())?)),
                _ => Some(self.implies(&terms, linear.constant())),
            },
            Constraint::Zero(_) => {
                let switch = self.implies(&terms, linear.constant());
                let opposite = terms.iter().map(|&(place, factor)| Some((place, factor.checked_neg()?))).collect::<Option<_>>()?;
                self.engine.sum(opposite, linear.constant().checked_neg()?, switch);
                Some(switch)
            }
            Constraint::NotDivisible { .. } => None,
        }
    }
}

/// A cube inside a formula that has a marking in it: bounds of places, each as the marking meets it.
pub(crate) fn cube_in(formula: &Formula, marking: &[i64]) -> Option<Vec<Lit>> {
    let mut values: Vec<Option<Vec<Lit>>> = Vec::new();
    for part in formula.parts() {
        let value = match part {
            FormulaPart::Constraint(constraint) => inside(constraint, marking),
            FormulaPart::All(count) => {
                let operands = values.split_off(values.len().saturating_sub(*count));
                operands.into_iter().collect::<Option<Vec<_>>>().map(|operands| tightest(operands.into_iter().flatten().collect()))
            }
            FormulaPart::Any(count) => {
                let operands = values.split_off(values.len().saturating_sub(*count));
                operands.into_iter().flatten().min_by_key(Vec::len)
            }
        };
        values.push(value);
    }
    values.pop().flatten()
}

/// Of the bounds of a side the one that says most, by place.
pub(crate) fn tightest(mut lits: Vec<Lit>) -> Vec<Lit> {
    lits.sort_unstable_by_key(|lit| (lit.variable, lit.at_least, if lit.at_least { lit.value.saturating_neg() } else { lit.value }));
    lits.dedup_by_key(|lit| (lit.variable, lit.at_least));
    lits
}

/// Bounds that a marking meets and from which the constraint follows, where the marking meets it. Slack is given away,
/// place by place.
fn inside(constraint: &Constraint, marking: &[i64]) -> Option<Vec<Lit>> {
    let linear = constraint.expression();
    let value = linear.value(|place| marking[place.index()].into())?;
    let exact =
        |lits: &mut Vec<Lit>, place: usize| lits.extend([Lit::at_least(place, marking[place]), Lit::at_most(place, marking[place])]);
    match constraint {
        Constraint::AtLeastZero(_) => {
            let mut slack = (value >= 0).then_some(value)?;
            let lits = linear.terms().iter().map(|&(place, factor)| {
                let by = slack / i128::from(factor.unsigned_abs());
                let at = marking[place.index()];
                if factor > 0 {
                    let by = by.min(at.into());
                    slack -= by * i128::from(factor);
                    Lit::at_least(place.index(), at.saturating_sub(i64::try_from(by).unwrap_or(0)))
                } else {
                    let by = i64::try_from(by).unwrap_or(0);
                    slack -= i128::from(by) * i128::from(factor.unsigned_abs());
                    Lit::at_most(place.index(), at.saturating_add(by))
                }
            });
            Some(lits.filter(|lit| !(lit.at_least && lit.value <= 0)).collect())
        }
        Constraint::Zero(_) => {
            let mut lits = Vec::new();
            (value == 0).then(|| linear.terms().iter().for_each(|term| exact(&mut lits, term.0.index())))?;
            Some(lits)
        }
        Constraint::NotDivisible { .. } => None,
    }
}

/// Literals that hold where the transition can fire and ends the clause; `None` where a bound is none of one place.
pub(super) fn before(net: &Net, clause: &Clause, transition: TransitionId, effect: &Effect) -> Option<Vec<Lit>> {
    let change = |place: usize| {
        let changes = effect.change();
        let at = u32::try_from(place).ok().and_then(|place| changes.binary_search_by_key(&place, |one| one.0).ok());
        at.map_or(Some(0), |at| i64::try_from(changes[at].1).ok())
    };
    let ended = clause.iter().map(|bound| {
        let lit = lit_of(bound)?.opposite();
        Some(Lit { value: lit.value.checked_sub(change(lit.variable)?)?, ..lit })
    });
    let enabled = net.inputs(transition).iter().map(|&(place, weight)| Some(Lit::at_least(place.index(), i64::try_from(weight).ok()?)));
    ended.chain(enabled).collect()
}
