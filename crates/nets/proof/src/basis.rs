//! Backward coverability (Abdulla, Čerāns, Jonsson, Tsay 1996), evidence of kind `basis`: an upward-closed set that no
//! transition enters contains the goal.
//!
//! Let `B` be a list of markings over the places of the net (`net.basis.places`), and `↑B` all markings that are at
//! least as large as a member. Some markings are *excluded*, and each of them is unreachable, together with all larger
//! ones:
//!
//! - Let `y_1, y_2, …` be weighted sums that no transition increases (as in [`bounds`](crate::bounds)). `M` is excluded
//!   if `y·M > y·M0` for one of them. Weights are at least 0, so larger markings are excluded, too.
//! - `M` is excluded if `M ≥ x` for one of certain markings `x`, for each of which evidence of kind `equation` is
//!   accepted with the goal `M ≥ x` (the conditions of [`equation`](crate::equation)). No marking that is at least `x`
//!   can be reached.
//!
//! Let
//!
//! 1. the initial marking not be in `↑B` (`net.basis.initial`);
//! 2. each of the least markings of the goal (see below) be in `↑B` or excluded (`net.basis.goal`);
//! 3. for each member `b` and each transition `t` the marking `pre(b, t) = max(b − e(t), in(t))` be in `↑B` or excluded
//!    (`net.basis.closed`).
//!
//! **Theorem.** No marking of the goal can be reached.
//!
//! **Proof.** Suppose a run leads to the goal.
//!
//! - Its last marking is at least a least marking of the goal, and it is not excluded since it is reachable. So that
//!   least marking is not excluded either, and by (2) the last marking is in `↑B`. The first one is not, by (1).
//! - So there is a step `M → M + e(t)` with `M ∉ ↑B` and `M + e(t) ≥ b` for a member `b`. Then `M ≥ b − e(t)` and
//!   `M ≥ in(t)`, so `M ≥ pre(b, t)`.
//! - `M` is reachable, so `pre(b, t)` is not excluded, and by (3) it is in `↑B`. Hence `M ∈ ↑B`: a contradiction. ∎
//!
//! **The least markings of a goal.** For any formula [`least`] gives markings such that each marking of the formula is
//! at least as large as one of them:
//!
//! - for `Σ a_p·M(p) + c ≥ 0` it leaves out terms with `a_p < 0`, which makes the inequality weaker; the rest is met by
//!   the ways to share out what is missing;
//! - for `e = 0` those of `e ≥ 0`;
//! - for divisibility the empty marking;
//! - for `any` those of all parts;
//! - for `all` the place by place maxima of one for each part.
//!
//! **Proof.** By induction on the formula. A solution of the weaker inequality has, place after place, either enough to
//! end with or some number that is tried, and what it has beyond does not matter. A marking in all parts is at least as
//! large as one for each part, so as their maximum. ∎ Where there are more than [`MOST`], that is "too large".

use serde::{Deserialize, Serialize};
use serval_budget::Budget;
use serval_evidence::require;
use serval_petri::{Constraint, Formula, FormulaPart, Linear, Net, PlaceId};

use crate::bounds::{bounds_of, places_of};
use crate::conditions::NUMBERS;
use crate::cover::{COMPARISONS, TOO_MANY};
use crate::{Equation, Refusal, Weights};

/// How many least markings a goal may have.
pub const MOST: usize = 1 << 14;

/// A marking: places that have tokens, ascending, with how many.
pub type Sparse = Vec<(u32, u64)>;

/// An upward-closed set that contains the goal, and that no transition enters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Basis {
    /// The least markings of the set: of each the places that have tokens, ascending, with how many.
    pub markings: Vec<Sparse>,
    /// Sums that do not grow.
    #[serde(default, skip_serializing_if = "has_none")]
    pub weights: Weights,
    /// Markings that nothing reachable is as large as.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<Excluded>,
}

/// A marking that nothing reachable is as large as.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Excluded {
    /// The places that have tokens, ascending, with how many.
    pub marking: Sparse,
    /// Why: the marking equation has no solution that is as large.
    pub equation: Equation,
}

serval_evidence::objects!(Basis, Excluded);

/// That a marking is at least as large as this.
pub fn as_large(marking: &[(u32, u64)]) -> Option<Formula> {
    let least = |&(place, tokens): &(u32, u64)| {
        let place = PlaceId::try_from_index(usize::try_from(place).ok()?)?;
        let linear = Linear::from_wide([(place, 1)], -i128::from(tokens))?;
        Some(Formula::constraint(Constraint::AtLeastZero(linear)))
    };
    Some(Formula::all(marking.iter().map(least).collect::<Option<Vec<_>>>()?))
}

fn has_none(weights: &Weights) -> bool {
    weights.sums.is_empty()
}

/// The larger number of tokens, place by place.
fn larger(left: &[(u32, u64)], right: &[(u32, u64)]) -> Sparse {
    let mut all: Sparse = left.iter().chain(right).copied().collect();
    all.sort_unstable();
    // Of two for a place the later is the larger.
    all.reverse();
    all.dedup_by_key(|one| one.0);
    all.reverse();
    all
}

/// Markings of which each marking of the formula is at least as large as one.
pub fn least(goal: &Formula, most: usize) -> Result<Vec<Sparse>, Refusal> {
    let too_many = Refusal::TooLarge { what: "least markings of a goal", limit: u64::try_from(most).unwrap_or(u64::MAX) };
    let mut values: Vec<Vec<Sparse>> = Vec::new();
    for part in goal.parts() {
        let value = match part {
            FormulaPart::Constraint(Constraint::AtLeastZero(expression) | Constraint::Zero(expression)) => {
                shared(expression, most)?.ok_or_else(|| too_many.clone())?
            }
            FormulaPart::Constraint(Constraint::NotDivisible { .. }) => vec![Vec::new()],
            FormulaPart::Any(count) => values.drain(values.len().saturating_sub(*count)..).flatten().collect(),
            FormulaPart::All(count) => {
                let (single, several): (Vec<_>, Vec<_>) =
                    values.drain(values.len().saturating_sub(*count)..).partition(|factor: &Vec<Sparse>| factor.len() == 1);
                // Those with one marking are joined at once, however many there are.
                let mut product = vec![larger(&single.into_iter().flatten().flatten().collect::<Sparse>(), &[])];
                for factor in several {
                    if product.len().saturating_mul(factor.len()) > most {
                        return Err(too_many);
                    }
                    product = product.iter().flat_map(|left: &Sparse| factor.iter().map(|right| larger(left, right))).collect();
                    product.sort_unstable();
                    product.dedup();
                }
                product
            }
        };
        if value.len() > most {
            return Err(too_many);
        }
        values.push(value);
    }
    Ok(values.pop().unwrap_or_else(|| vec![Vec::new()]))
}

/// The ways to share out what a sum needs, if there are at most `most` on the way.
fn shared(expression: &Linear, most: usize) -> Result<Option<Vec<Sparse>>, Refusal> {
    let missing = -i128::from(expression.constant());
    if missing <= 0 {
        return Ok(Some(vec![Vec::new()]));
    }
    let (mut done, mut open): (Vec<Sparse>, Vec<(Sparse, i128)>) = (Vec::new(), vec![(Vec::new(), missing)]);
    for &(place, factor) in expression.terms().iter().filter(|term| term.1 > 0) {
        let place = u32::try_from(place.index()).map_err(|_| NUMBERS)?;
        let mut next = Vec::new();
        for (marking, missing) in open {
            let factor = i128::from(factor);
            // This number is enough, with what there is already.
            let enough = missing / factor + i128::from(missing % factor != 0);
            if enough > i128::try_from(most).unwrap_or(i128::MAX) && expression.terms().len() > 1 {
                return Ok(None);
            }
            let with = |tokens: i128| -> Result<Sparse, Refusal> {
                let mut marking = marking.clone();
                marking.push((place, u64::try_from(tokens).map_err(|_| NUMBERS)?));
                Ok(marking)
            };
            done.push(with(enough)?);
            if expression.terms().len() > 1 {
                for tokens in 1..enough {
                    next.push((with(tokens)?, missing - tokens * factor));
                }
                next.push((marking, missing));
            }
            if done.len() + next.len() > most {
                return Ok(None);
            }
        }
        open = next;
    }
    Ok(Some(done))
}

/// The checker of one basis.
struct Checker<'a> {
    net: &'a Net,
    basis: &'a Basis,
    /// For each weighted sum its weights by place, and its value in the beginning.
    sums: Vec<(Vec<i128>, i128)>,
    compared: u64,
}

impl Checker<'_> {
    /// Whether a marking, by place, is as large as a member or excluded. It is asked first whether it is as large as
    /// that with the number `first`.
    fn is_in(&mut self, marking: &[u64], first: usize, budget: &mut Budget) -> Result<bool, Refusal> {
        let is_above =
            |member: &Sparse| member.iter().all(|&(place, tokens)| marking.get(place as usize).is_some_and(|&known| known >= tokens));
        if self.basis.markings.get(first).is_some_and(is_above) {
            return Ok(true);
        }
        let found = self.basis.markings.iter().position(is_above);
        let compared = u64::try_from(found.map_or(self.basis.markings.len(), |at| at + 1)).unwrap_or(u64::MAX);
        budget.spend(compared.saturating_add(u64::try_from(self.basis.excluded.len()).unwrap_or(u64::MAX)))?;
        self.compared = self.compared.saturating_add(compared);
        if self.compared > COMPARISONS {
            return Err(TOO_MANY);
        }
        if found.is_some() || self.basis.excluded.iter().any(|excluded| is_above(&excluded.marking)) {
            return Ok(true);
        }
        for (weights, initial) in &self.sums {
            let mut value = 0_i128;
            for (weight, &tokens) in weights.iter().zip(marking).filter(|one| *one.0 != 0) {
                value = weight.checked_mul(tokens.into()).and_then(|more| value.checked_add(more)).ok_or(NUMBERS)?;
            }
            if value > *initial {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn dense(&self, marking: &[(u32, u64)]) -> Vec<u64> {
        let mut dense = vec![0; self.net.place_count()];
        for &(place, tokens) in marking {
            if let Some(known) = dense.get_mut(place as usize) {
                *known = tokens;
            }
        }
        dense
    }
}

/// Checks that no marking of the goal can be reached.
pub(crate) fn check(net: &Net, goal: &Formula, basis: &Basis, budget: &mut Budget) -> Result<(), Refusal> {
    bounds_of(net, &basis.weights, budget)?;
    for (number, marking) in basis.markings.iter().enumerate() {
        budget.spend(u64::try_from(marking.len()).unwrap_or(u64::MAX))?;
        let known = places_of(net, marking.iter().map(|one| one.0)).is_some();
        require!(BasisPlaces, known, "member {number} is not about places of the net, ascending");
        let initial = |place: u32| PlaceId::try_from_index(place as usize).filter(|place| place.index() < net.place_count());
        let is_in = marking.iter().all(|&(place, tokens)| initial(place).is_some_and(|place| net.initial_tokens(place) >= tokens));
        require!(BasisInitial, !is_in, "the initial marking is as large as member {number}");
    }
    for (number, Excluded { marking, equation }) in basis.excluded.iter().enumerate() {
        let known = places_of(net, marking.iter().map(|one| one.0)).is_some();
        require!(BasisPlaces, known, "excluded marking {number} is not about places of the net, ascending");
        crate::equation::check(net, &as_large(marking).ok_or(NUMBERS)?, equation, budget)?;
    }
    let mut sums = Vec::with_capacity(basis.weights.sums.len());
    for sum in &basis.weights.sums {
        let (mut weights, mut initial) = (vec![0_i128; net.place_count()], 0_i128);
        for &(place, weight) in sum {
            if let Some(known) = PlaceId::try_from_index(place as usize).filter(|place| place.index() < net.place_count()) {
                weights[known.index()] = weight.into();
                let tokens = i128::from(weight).checked_mul(net.initial_tokens(known).into()).ok_or(NUMBERS)?;
                initial = initial.checked_add(tokens).ok_or(NUMBERS)?;
            }
        }
        sums.push((weights, initial));
    }
    let mut checker = Checker { net, basis, sums, compared: 0 };
    for (number, marking) in least(goal, MOST)?.into_iter().enumerate() {
        let marking = checker.dense(&marking);
        require!(BasisGoal, checker.is_in(&marking, 0, budget)?, "least marking {number} of the goal is not in the set");
    }
    for (number, member) in basis.markings.iter().enumerate() {
        let member = checker.dense(member);
        for transition in net.transitions() {
            budget.spend(1)?;
            // What gives nothing that the member has comes from what is at least as large as the member.
            if !net.outputs(transition).iter().any(|arc| member[arc.0.index()] > 0) {
                continue;
            }
            budget.spend(u64::try_from(net.place_count()).unwrap_or(u64::MAX))?;
            let before = before(net, transition, &member)?;
            let name = net.transition_name(transition);
            require!(
                BasisClosed,
                checker.is_in(&before, number, budget)?,
                "“{name}” leads into what is as large as member {number} from outside"
            );
        }
    }
    Ok(())
}

/// The least marking from which the transition leads to one that is as large as this.
fn before(net: &Net, transition: serval_petri::TransitionId, marking: &[u64]) -> Result<Vec<u64>, Refusal> {
    let mut before = marking.to_vec();
    for &(place, weight) in net.outputs(transition) {
        before[place.index()] = before[place.index()].saturating_sub(weight);
    }
    for &(place, weight) in net.inputs(transition) {
        // max(b − out + in, in) is in + max(b − out, 0).
        before[place.index()] = before[place.index()].checked_add(weight).ok_or(NUMBERS)?;
    }
    Ok(before)
}
