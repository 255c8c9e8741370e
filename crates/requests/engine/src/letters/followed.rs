//! Facts from requests that are followed one by one.

use serval_budget::{Budget, Stopped};
use serval_model::{Node, NormalForm};
use serval_proof::letters::{Exactly, Fact};

use super::LettersWork;
use super::support::{self, HOW, are_in};

/// Requests that are followed, at most.
const FOLLOWED: i64 = 4;

impl LettersWork {
    /// A fact about runs that answer some classes as often as here: that another
    /// class which is answered here is not, or that there is no such run. One
    /// class is followed first, then two, then all.
    pub(super) fn followed(&self, form: &NormalForm, counts: &[i64], budget: &mut Budget) -> Result<Option<Fact>, Stopped> {
        let answered: Vec<usize> = (0..counts.len()).filter(|&class| counts[class] > 0).collect();
        let mut sets: Vec<Vec<usize>> = answered.iter().map(|&class| vec![class]).collect();
        for (at, &first) in answered.iter().enumerate() {
            sets.extend(answered[at + 1..].iter().map(|&second| vec![first, second]));
        }
        if answered.len() > 2 {
            sets.push(answered.clone());
        }
        let followed = |set: &[usize]| set.iter().map(|&class| counts[class]).sum::<i64>();
        sets.retain(|set| followed(set) <= FOLLOWED);
        let (groups, outside) = self.not_answered(counts);
        for set in sets {
            let exactly = |&class: &usize| {
                let mut letters = self.proof.classes[class].clone();
                letters.sort_unstable();
                Exactly { letters, times: u32::try_from(counts[class]).unwrap_or(u32::MAX) }
            };
            let exactly: Vec<Exactly> = set.iter().map(exactly).collect();
            // Where it is too expensive, others may do.
            let mut part = budget.part(budget.left() / 8);
            let had = part.left();
            let found = self.followed_so(form, &answered, &groups, &outside, &exactly, &mut part);
            budget.spend(had - part.left())?;
            match found {
                Ok(Some(fact)) => return Ok(Some(fact)),
                Ok(None) | Err(Stopped::OutOfTicks) => {}
                Err(stopped) => return Err(stopped),
            }
        }
        Ok(None)
    }

    fn followed_so(
        &self,
        form: &NormalForm,
        answered: &[usize],
        groups: &[Vec<Node>],
        outside: &[Node],
        exactly: &[Exactly],
        budget: &mut Budget,
    ) -> Result<Option<Fact>, Stopped> {
        for how in HOW {
            let Some(never) = support::never_exactly(form, outside, exactly, how, budget)? else {
                let impossible = |outside: &[Node]| Ok(support::never_exactly(form, outside, exactly, how, budget)?.is_none());
                let outside = support::narrowed(groups.to_vec(), impossible)?;
                return Ok(Some(support::absence(how, outside, exactly.to_vec(), Vec::new())));
            };
            let class = answered.iter().map(|&class| &self.proof.classes[class]).find(|class| are_in(class, &never));
            if let Some(class) = class {
                let absent = |outside: &[Node]| {
                    let never = support::never_exactly(form, outside, exactly, how, budget)?;
                    Ok(never.is_none_or(|never| are_in(class, &never)))
                };
                let outside = support::narrowed(groups.to_vec(), absent)?;
                let mut letters = class.clone();
                letters.sort_unstable();
                return Ok(Some(support::absence(how, outside, exactly.to_vec(), letters)));
            }
        }
        Ok(None)
    }
}
