//! What may be assumed of all markings, because it has been proved: bounds of places, and sums that no transition
//! increases.

use serval_budget::{Budget, Stopped};
use serval_petri::{Constraint, Formula, Linear, Property};
use serval_report::nets::NetAnswer;

use super::{Certificate, NetInput, NetOptions, NetQuestion, decide_nets, sums};

/// Something that holds in every marking that can be reached.
#[derive(Clone, Debug)]
pub struct Assumption {
    /// It as a property.
    pub property: String,
    /// It as a formula.
    pub formula: Formula,
    /// Evidence, which the checker has accepted.
    pub certificate: Certificate,
}

/// The bounds of places by weights, and those weighted sums that several places are in. Each is asked like any other
/// question, and what is not shown with evidence is left out.
pub fn assumptions(input: &NetInput, jobs: usize, options: &NetOptions) -> Result<Vec<Assumption>, Stopped> {
    let net = input.net();
    let found = sums(net, &mut Budget::new(u64::MAX, options.cancel.clone()))?;
    let bounds = net.places().zip(&found.bounds).filter_map(|(place, bound)| Linear::from_wide([(place, -1)], (*bound)?.0));
    let weighted = found.sums.iter().filter(|sum| sum.len() > 1).filter_map(|sum| {
        let mut terms = Vec::with_capacity(sum.len());
        let mut most = 0_i128;
        for &(number, weight) in sum {
            let place = net.places().nth(usize::try_from(number).ok()?)?;
            most = most.checked_add(i128::from(weight).checked_mul(net.initial_tokens(place).into())?)?;
            terms.push((place, -i128::from(weight)));
        }
        Linear::from_wide(terms, most)
    });
    let formulas: Vec<Formula> = bounds.chain(weighted).map(|linear| Formula::constraint(Constraint::AtLeastZero(linear))).collect();
    let asked = formulas.into_iter().filter_map(|formula| {
        let property = Property::Invariant(formula.clone());
        Some((NetQuestion::named(property.text(net)?, property), formula))
    });
    let (questions, formulas): (Vec<NetQuestion>, Vec<Formula>) = asked.unzip();
    let decisions = decide_nets(input, &questions, jobs, options);
    let shown = questions.into_iter().zip(formulas).zip(decisions).filter(|one| one.1.answer == NetAnswer::Holds);
    Ok(shown
        .filter_map(|((question, formula), decision)| {
            Some(Assumption { property: question.name, formula, certificate: decision.certificate? })
        })
        .collect())
}
