//! The characteristic system of a sequence: what the numbers of its runs meet.

use std::collections::BTreeMap;

use serval_budget::Budget;
use serval_linear::{Linear, Literal, Problem};
use serval_petri::{Constraint, Net};

use super::sequence::{Label, Sequence};
use crate::Refusal;
use crate::conditions::NUMBERS;

/// The system of a sequence.
#[derive(Clone, Debug)]
pub struct System {
    /// Its variables are the arcs of all pieces, one after the other: how often each is used.
    pub problem: Problem,
    /// By piece the variable of its first arc.
    pub offsets: Vec<u32>,
    /// By piece and place the tokens in the beginning.
    pub entries: Vec<Vec<Linear>>,
    /// By piece and place the tokens at the end.
    pub exits: Vec<Vec<Linear>>,
}

/// A sum of multiples of variables, which ascend, and a constant.
type LinearSum = (Vec<(u32, i128)>, i128);

fn linear((terms, constant): &LinearSum) -> Result<Linear, Refusal> {
    Linear::from_wide(terms.iter().copied(), *constant).ok_or(NUMBERS)
}

/// The sum with one term for each variable, none of which is 0.
fn collected((terms, constant): LinearSum) -> Result<LinearSum, Refusal> {
    let mut by_variable: BTreeMap<u32, i128> = BTreeMap::new();
    for (variable, factor) in terms {
        let known = by_variable.entry(variable).or_default();
        *known = known.checked_add(factor).ok_or(NUMBERS)?;
    }
    Ok((by_variable.into_iter().filter(|term| term.1 != 0).collect(), constant))
}

impl System {
    fn equal(&mut self, sum: &LinearSum) -> Result<(), Refusal> {
        // What says nothing is left out.
        if !sum.0.is_empty() || sum.1 != 0 {
            self.problem.equalities.push(linear(sum)?);
        }
        Ok(())
    }

    fn at_least_zero(&mut self, sum: &LinearSum) -> Result<(), Refusal> {
        if sum.1 < 0 || sum.0.iter().any(|term| term.1 < 0) {
            self.problem.inequalities.push(linear(sum)?);
        }
        Ok(())
    }

    /// Says that the tokens are those of a label; from then on they are numbers.
    fn meet(&mut self, tokens: &mut [LinearSum], label: &Label, factor: i128) -> Result<(), Refusal> {
        for (tokens, number) in tokens.iter_mut().zip(label) {
            if let Some(number) = number {
                let number = i128::from(*number) * factor;
                tokens.1 = tokens.1.checked_sub(number).ok_or(NUMBERS)?;
                self.equal(tokens)?;
                *tokens = (Vec::new(), number);
            }
        }
        Ok(())
    }

    /// The system of a sequence; with `homogeneous` the one in which all constants are 0.
    pub fn new(net: &Net, sequence: &Sequence, homogeneous: bool, budget: &mut Budget) -> Result<Self, Refusal> {
        let factor = i128::from(!homogeneous);
        let mut system = Self { problem: Problem::default(), offsets: Vec::new(), entries: Vec::new(), exits: Vec::new() };
        let mut tokens: Vec<LinearSum> = net.places().map(|place| (Vec::new(), i128::from(net.initial_tokens(place)) * factor)).collect();
        for (number, piece) in sequence.pieces.iter().enumerate() {
            let size: usize = tokens.iter().map(|sum| sum.0.len() + 1).sum();
            budget.spend(u64::try_from(size.saturating_add(piece.arcs.len()) / 8).unwrap_or(u64::MAX).saturating_add(1))?;
            system.meet(&mut tokens, &piece.first, factor)?;
            system.entries.push(tokens.iter().map(linear).collect::<Result<_, _>>()?);
            let offset = system.problem.variables;
            system.offsets.push(offset);
            let count = u32::try_from(piece.arcs.len()).map_err(|_| NUMBERS)?;
            system.problem.variables = offset.checked_add(count).ok_or(NUMBERS)?;
            // What leaves each vertex less what enters it.
            let mut vertices: BTreeMap<usize, LinearSum> = BTreeMap::new();
            for (vertex, by) in [(piece.entry, -factor), (piece.exit, factor)] {
                vertices.entry(vertex).or_default().1 += by;
            }
            for (variable, arc) in (offset..).zip(piece.arcs.iter()) {
                if arc.from != arc.to {
                    vertices.entry(arc.from).or_default().0.push((variable, 1));
                    vertices.entry(arc.to).or_default().0.push((variable, -1));
                }
                for (arcs, sign) in [(net.outputs(arc.transition), 1), (net.inputs(arc.transition), -1)] {
                    for &(place, weight) in arcs {
                        let effect = i128::from(weight) * sign;
                        match tokens[place.index()].0.last_mut() {
                            Some(last) if last.0 == variable => last.1 += effect,
                            _ => tokens[place.index()].0.push((variable, effect)),
                        }
                    }
                }
            }
            vertices.values().try_for_each(|sum| system.equal(sum))?;
            tokens.iter_mut().for_each(|sum| sum.0.retain(|term| term.1 != 0));
            system.meet(&mut tokens, &piece.last, factor)?;
            system.exits.push(tokens.iter().map(linear).collect::<Result<_, _>>()?);
            let joint = sequence.joints.get(number);
            for &(place, weight) in joint.map_or(&[][..], |&joint| net.inputs(joint)) {
                let tokens = &mut tokens[place.index()];
                tokens.1 = tokens.1.checked_sub(i128::from(weight) * factor).ok_or(NUMBERS)?;
            }
            tokens.iter().try_for_each(|sum| system.at_least_zero(sum))?;
            for &(place, weight) in joint.map_or(&[][..], |&joint| net.outputs(joint)) {
                let tokens = &mut tokens[place.index()];
                tokens.1 = tokens.1.checked_add(i128::from(weight) * factor).ok_or(NUMBERS)?;
            }
        }
        // After the last piece there is no joint, so that these are the tokens at the end.
        sequence.rows.iter().try_for_each(|row| system.row(row, &tokens, homogeneous))?;
        Ok(system)
    }

    /// Says that the tokens at the end meet a condition. Divisibility has no homogeneous form: solutions that are
    /// multiples of the divisor do not change it.
    fn row(&mut self, row: &Constraint, tokens: &[LinearSum], homogeneous: bool) -> Result<(), Refusal> {
        let linear = row.expression();
        let mut sum: LinearSum = (Vec::new(), if homogeneous { 0 } else { linear.constant().into() });
        for &(place, by) in linear.terms() {
            let (terms, constant) = &tokens[place.index()];
            let times = |number: i128| number.checked_mul(by.into()).ok_or(NUMBERS);
            sum.1 = sum.1.checked_add(times(*constant)?).ok_or(NUMBERS)?;
            for &(variable, factor) in terms {
                sum.0.push((variable, times(factor)?));
            }
        }
        sum = collected(sum)?;
        match row {
            Constraint::AtLeastZero(_) => self.at_least_zero(&sum),
            Constraint::Zero(_) => self.equal(&sum),
            Constraint::NotDivisible { .. } if homogeneous => Ok(()),
            Constraint::NotDivisible { divisor, .. } => {
                self.problem.clauses.push(vec![Literal::NotDivisible(self::linear(&sum)?, divisor.get())]);
                Ok(())
            }
        }
    }
}
