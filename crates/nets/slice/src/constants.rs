//! What a constraint says by itself, with some places read as 0.

use std::num::NonZeroU64;

use serval_petri::{Constraint, PlaceId};

/// What is known of a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    /// It holds for all markings.
    Always,
    /// It holds for no marking.
    Never,
    /// It depends.
    Open,
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Whether all places that are not read as 0 have coefficients of this sign.
fn all(constraint: &Constraint, is_zero: &impl Fn(PlaceId) -> bool, sign: fn(i64) -> bool) -> bool {
    constraint.expression().terms().iter().all(|&(place, coefficient)| sign(coefficient) || is_zero(place))
}

/// What is known of `constraint` where the places of `is_zero` are 0.
pub(super) fn truth(constraint: &Constraint, is_zero: &impl Fn(PlaceId) -> bool) -> Truth {
    let constant = constraint.expression().constant();
    let coefficients = || constraint.expression().terms().iter().filter(|&&(place, _)| !is_zero(place)).map(|&(_, c)| c);
    let none_negative = || all(constraint, is_zero, |c| c >= 0);
    let none_positive = || all(constraint, is_zero, |c| c <= 0);
    match constraint {
        Constraint::AtLeastZero(_) if constant >= 0 && none_negative() => Truth::Always,
        Constraint::AtLeastZero(_) if constant < 0 && none_positive() => Truth::Never,
        Constraint::AtLeastZero(_) => Truth::Open,
        Constraint::Zero(_) => {
            let divisor = coefficients().fold(0, |divisor, c| greatest_common_divisor(divisor, c.unsigned_abs()));
            match NonZeroU64::new(divisor) {
                None if constant == 0 => Truth::Always,
                None => Truth::Never,
                Some(divisor) if constant.unsigned_abs() % divisor != 0 => Truth::Never,
                Some(_) if (constant > 0 && none_negative()) || (constant < 0 && none_positive()) => Truth::Never,
                Some(_) => Truth::Open,
            }
        }
        Constraint::NotDivisible { divisor, .. } => {
            // What divides all coefficients and the divisor divides what can be reached from the constant.
            let common = coefficients().fold(divisor.get(), |common, c| greatest_common_divisor(common, c.unsigned_abs()));
            match NonZeroU64::new(common) {
                Some(common) if constant.unsigned_abs() % common != 0 => Truth::Always,
                Some(common) if common == *divisor => Truth::Never,
                _ => Truth::Open,
            }
        }
    }
}

/// The places that `constraint` forces to 0, where those of `is_zero` are 0.
pub(super) fn forced(constraint: &Constraint, is_zero: &impl Fn(PlaceId) -> bool) -> Vec<PlaceId> {
    let constant = i128::from(constraint.expression().constant());
    // The sign that no coefficient may have, and what bounds the rest from above.
    let bound = match constraint {
        Constraint::AtLeastZero(_) | Constraint::Zero(_) if all(constraint, is_zero, |c| c <= 0) => constant,
        Constraint::Zero(_) if all(constraint, is_zero, |c| c >= 0) => -constant,
        _ => return Vec::new(),
    };
    let terms = constraint.expression().terms().iter();
    terms.filter(|&&(place, c)| !is_zero(place) && i128::from(c.unsigned_abs()) > bound).map(|&(place, _)| place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serval_petri::Linear;

    fn place(index: usize) -> PlaceId {
        PlaceId::try_from_index(index).unwrap()
    }

    /// What is known agrees with what holds for all small numbers of tokens.
    #[test]
    fn small_constraints_are_judged_correctly() {
        let mut seen = [0; 3];
        for a in -3..=3 {
            for b in -3..=3 {
                for constant in -4..=4 {
                    let expression = || Linear::new([(place(0), a), (place(1), b)], constant).unwrap();
                    let divisors = (1..=4).filter_map(NonZeroU64::new);
                    let divided = divisors.map(|divisor| Constraint::NotDivisible { divisor, expression: expression() });
                    for constraint in [Constraint::AtLeastZero(expression()), Constraint::Zero(expression())].into_iter().chain(divided) {
                        for zero in [None, Some(place(0)), Some(place(1))] {
                            let is_zero = |place| Some(place) == zero;
                            let values = || (0..13).flat_map(|x| (0..13).map(move |y| [x, y]));
                            let values = || values().filter(|v: &[u64; 2]| zero.is_none_or(|zero| v[zero.index()] == 0));
                            let holds = |v: &[u64; 2]| constraint.holds(|place: PlaceId| v[place.index()]);
                            let truth = truth(&constraint, &is_zero);
                            match truth {
                                Truth::Always => assert!(values().all(|v| holds(&v)), "{constraint:?}"),
                                Truth::Never => assert!(!values().any(|v| holds(&v)), "{constraint:?}"),
                                // Equations without solutions are not all noticed.
                                Truth::Open => {
                                    let can_hold = matches!(constraint, Constraint::Zero(_)) || values().any(|v| holds(&v));
                                    assert!(can_hold && !values().all(|v| holds(&v)), "{constraint:?}");
                                }
                            }
                            seen[truth as usize] += 1;
                            let forced = forced(&constraint, &is_zero);
                            for index in 0..2 {
                                let must = values().filter(holds).all(|v| v[index] == 0);
                                if forced.contains(&place(index)) {
                                    assert!(must, "{constraint:?} does not force {index}");
                                }
                            }
                        }
                    }
                }
            }
        }
        assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
    }
}
