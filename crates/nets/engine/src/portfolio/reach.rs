//! Methods for goals that say of places how many tokens they have: backwards, one by one and with ω, and what is never covered.

use crate::decompose::MOST_PLACES;
use serval_budget::{Budget, Cancel};
use serval_net_proof::backward::mirrored;
use serval_net_proof::backward::said_by_all;
use serval_net_proof::{Backward, Evidence};
use serval_petri::{Constraint, Formula, Linear, Net};

use super::covering::Work;
use super::{COVER_TICKS, EXPLICIT, SEPARATOR_TICKS, Session, fired, ticks};
use crate::answer::{Found, Method, checked};
use crate::cover::{Said, Tree};
use crate::{explicit, separator};

/// That each place has at least as many tokens as the goal says; `None` where it says of no place that it has some.
fn covered(net: &Net, goal: &Formula) -> Option<Formula> {
    if net.place_count() > MOST_PLACES {
        return None;
    }
    let label = said_by_all(net, goal)?;
    let marked = net.places().zip(&label).filter_map(|(place, tokens)| Some((place, tokens.filter(|&tokens| tokens > 0)?)));
    let least = marked.map(|(place, tokens)| Linear::from_wide([(place, 1)], -i128::from(tokens)));
    let least: Vec<Linear> = least.collect::<Option<_>>()?;
    (!least.is_empty()).then(|| Formula::all(least.into_iter().map(|linear| Formula::constraint(Constraint::AtLeastZero(linear)))))
}

impl Session {
    /// Looks at all markings from which a goal can be reached that is one marking.
    pub(super) fn ask_explicit_back(&self, net: &Net, formula: &Formula, found: &mut Found, work: &mut Work, round: u32, cancel: &Cancel) {
        if net.place_count() > MOST_PLACES {
            return;
        }
        let most = usize::try_from(ticks(EXPLICIT, round)).unwrap_or(usize::MAX);
        let method = "explicit-backward";
        match explicit::look_back(net, formula, most, &mut Budget::new(u64::MAX, cancel.clone())) {
            Ok(Some(explicit::Said::Reached(word))) => *found = checked(net, formula, fired(&word), method, cancel),
            Ok(Some(explicit::Said::Excluded(evidence))) => *found = checked(net, formula, *evidence, method, cancel),
            Ok(Some(explicit::Said::TooMany)) => work.explicit(most),
            Ok(Some(explicit::Said::TooManyTokens) | None) | Err(_) => {}
        }
    }

    /// Looks for a separator; says whether more ticks could help.
    pub(super) fn ask_separator(&self, net: &Net, formula: &Formula, found: &mut Found, round: u32, cancel: &Cancel) -> bool {
        match separator::ask(net, formula, &mut Budget::new(ticks(SEPARATOR_TICKS, round), cancel.clone())) {
            Ok(Some(evidence)) => *found = checked(net, formula, evidence, Method::Separator.name(), cancel),
            Ok(None) => {}
            Err(_) => return true,
        }
        false
    }

    /// Whether a goal that is not upward closed is never covered, or the initial marking never is, backwards from the goal; says whether more ticks could help.
    pub(super) fn ask_numbers(
        &self,
        net: &Net,
        formula: &Formula,
        found: &mut Found,
        work: &mut Work,
        round: u32,
        cancel: &Cancel,
    ) -> bool {
        let budget = || Budget::new(ticks(COVER_TICKS, round), cancel.clone());
        let mut is_cut = false;
        if work.tree.is_none() {
            work.tree = Tree::new(net);
        }
        if let (Some(goal), Some(tree)) = (covered(net, formula), &mut work.tree) {
            match tree.ask(net, &goal, &mut budget()) {
                Ok(Said::Excluded(evidence)) => *found = checked(net, formula, *evidence, Method::Cover.name(), cancel),
                Ok(_) => {}
                Err(_) => is_cut = true,
            }
        }
        if !found.is_open()
            || net.place_count() > MOST_PLACES
            || said_by_all(net, formula).is_none_or(|said| said.iter().all(Option::is_none))
        {
            return is_cut;
        }
        if let Some((mirror, end)) = mirrored(net, formula)
            && let Some(goal) = covered(&mirror, &end)
            && let Some(mut tree) = Tree::new(&mirror)
        {
            match tree.ask(&mirror, &goal, &mut budget()) {
                Ok(Said::Excluded(evidence)) => {
                    *found = checked(net, formula, Evidence::Backward(Backward { evidence }), "cover-backward", cancel);
                }
                Ok(_) => {}
                Err(_) => is_cut = true,
            }
        }
        is_cut
    }
}
