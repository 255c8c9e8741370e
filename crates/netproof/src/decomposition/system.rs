//! The characteristic system of a sequence: what the numbers of its runs meet.

use std::collections::BTreeMap;

use serval_budget::Budget;
use serval_linear::{Linear, Problem};
use serval_petri::Net;

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
type Sum = (Vec<(u32, i128)>, i128);

fn linear((terms, constant): &Sum) -> Result<Linear, Refusal> {
    Linear::from_wide(terms.iter().copied(), *constant).ok_or(NUMBERS)
}

impl System {
    fn equal(&mut self, sum: &Sum) -> Result<(), Refusal> {
        // What says nothing is left out.
        if !sum.0.is_empty() || sum.1 != 0 {
            self.problem.equalities.push(linear(sum)?);
        }
        Ok(())
    }

    fn at_least_zero(&mut self, sum: &Sum) -> Result<(), Refusal> {
        if sum.1 < 0 || sum.0.iter().any(|term| term.1 < 0) {
            self.problem.inequalities.push(linear(sum)?);
        }
        Ok(())
    }

    /// Says that the tokens are those of a label; from then on they are numbers.
    fn meet(&mut self, tokens: &mut [Sum], label: &Label, factor: i128) -> Result<(), Refusal> {
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
        let mut tokens: Vec<Sum> = net.places().map(|place| (Vec::new(), i128::from(net.initial_tokens(place)) * factor)).collect();
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
            let mut vertices: BTreeMap<usize, Sum> = BTreeMap::new();
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
        Ok(system)
    }
}
