//! Home spaces (Best, Esparza 2016), evidence of the kinds `homes` and `lost`: what can always be reached again.
//!
//! A set of markings `G` is a *home space* if from every reachable marking some marking of `G` can be reached. A net is
//! live iff for each transition the markings that enable it are a home space, and it is reversible iff the initial
//! marking alone is one ([`Property::homes`](serval_petri::Property::homes)).
//!
//! **Homes.** A list of markings that contains the initial one (`net.states.initial`), with each marking all its
//! successors by any transition (`net.states.closed`). Each marking has a *rank* (`net.homes.ranks`), and those of rank
//! 0 are called homes. From each other marking some transition leads to one of a smaller rank (`net.homes.falling`).
//! Each home has a word (`net.homes.words`) that fires there (`net.run.transition`, `net.run.enabled`), and on its way
//! are markings of all the sets that are claimed (`net.homes.goal`), the home itself and the end of the word included.
//!
//! **Theorem.** Each of the sets is a home space.
//!
//! **Proof.** As in [`states`](crate::states), every reachable marking is in the list. From each marking of the list a
//! home can be reached, by induction on its rank: it is a home, or leads to a marking of smaller rank, which is in the
//! list. From a home, a beginning of its word leads to a marking of the set. ∎
//!
//! So one rank for each marking is enough for all transitions together: where finitely many markings can be reached,
//! one home in each strongly connected part that nothing leaves is enough, and such a part has a way round through all
//! that is enabled in it.
//!
//! **Lost.** A word that fires from the initial marking (`net.run.transition`, `net.run.enabled`), and evidence of
//! another kind that no marking of the set can be reached in the net that begins where the word ends.
//!
//! **Theorem.** The set is not a home space.
//!
//! **Proof.** The end of the word is a reachable marking, and by the theorem of the other kind nothing leads from there
//! into the set. ∎
//!
//! The other kind is one of those that show that a goal cannot be reached (`net.claim`); each of them is about a net
//! with any initial marking. So a transition that is dead from somewhere on is refuted by a siphon that became empty,
//! or by an invariant, also where infinitely many markings can be reached.

use serde::{Deserialize, Serialize};
use serval_budget::Budget;
use serval_diagnostic::counted;
use serval_evidence::{Rows, require};
use serval_petri::{Formula, Marking, Net};

use crate::run::{self, transition};
use crate::states::List;
use crate::{Claim, Evidence, Item, Refusal, Run, check as check_goal};

/// All markings that can be reached, or more, each with how far it is from a home.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Homes {
    /// The tokens by place, of each marking; the markings ascend.
    pub markings: Rows<u64>,
    /// For each marking its rank.
    pub ranks: Vec<u32>,
    /// For each marking of rank 0, in order, what fires from there, by number.
    pub words: Vec<Vec<u32>>,
}

/// A marking that can be reached, from which a goal cannot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Lost {
    /// What leads there.
    pub word: Vec<Item>,
    /// Why the goal cannot be reached from there.
    pub evidence: Box<Evidence>,
}

serval_evidence::objects!(Homes, Lost);

/// Checks evidence about sets of markings, and says what it shows: that each of them is a home space, or that the one
/// with this number is none.
pub fn check_homes(net: &Net, goals: &[Formula], goal: usize, evidence: &Evidence, budget: &mut Budget) -> Result<Claim, Refusal> {
    match evidence {
        Evidence::Homes(homes) => {
            require!(Goal, goal == 0, "homes are about all goals, and have the number 0");
            check(net, goals, homes, budget)?;
            Ok(Claim::Home)
        }
        Evidence::Lost(lost) => {
            let Some(goal) = goals.get(goal) else {
                require!(Goal, false, "there is no goal number {goal}");
                return Ok(Claim::Lost);
            };
            check_lost(net, goal, lost, budget)?;
            Ok(Claim::Lost)
        }
        other => {
            require!(Claimed, false, "evidence of kind {} shows nothing of what can always be reached again", other.kind());
            Ok(other.claim())
        }
    }
}

/// Checks that each goal can be reached from every marking that can be reached.
pub(crate) fn check(net: &Net, goals: &[Formula], homes: &Homes, budget: &mut Budget) -> Result<(), Refusal> {
    let Homes { markings, ranks, words } = homes;
    let is_each = ranks.len() == markings.len();
    require!(HomesRanks, is_each, "{} for {}", counted(ranks.len(), "rank"), counted(markings.len(), "marking"));
    let mut list = List::new(net, markings)?;
    let mut marking = Marking::new(Vec::new());
    let mut words_left = words.iter();
    for (number, &rank) in ranks.iter().enumerate().take(markings.len()) {
        list.spend(budget)?;
        markings.read(number, marking.as_mut_vec());
        let mut falls = false;
        for transition in net.transitions() {
            if rank == 0 || falls {
                list.check_step(number, transition)?;
            } else if let Some(end) = list.end_of(number, transition, &marking)? {
                falls = ranks.get(end).is_some_and(|&other| other < rank);
            }
        }
        if rank > 0 {
            require!(HomesFalling, falls, "nothing leads from marking {number}, of rank {rank}, to one of a smaller rank");
            continue;
        }
        let word = words_left.next();
        require!(HomesWords, word.is_some(), "marking {number} is a home without a word");
        check_word(net, goals, number, &mut marking, word.map_or(&[], Vec::as_slice), budget)?;
    }
    require!(HomesWords, words_left.len() == 0, "there are {} too many", counted(words_left.len(), "word"));
    list.look_up()
}

/// Checks that a word fires from a home, and that markings of all goals are on its way. The marking is its end then.
fn check_word(net: &Net, goals: &[Formula], home: usize, marking: &mut Marking, word: &[u32], budget: &mut Budget) -> Result<(), Refusal> {
    let mut open: Vec<(usize, &Formula)> = goals.iter().enumerate().collect();
    let mut left = word.iter();
    loop {
        let parts = open.iter().map(|goal| goal.1.parts().len().saturating_add(1)).fold(net.place_count(), usize::saturating_add);
        budget.spend(u64::try_from(parts).unwrap_or(u64::MAX))?;
        open.retain(|goal| !goal.1.holds(marking));
        let Some(&number) = left.next() else { break };
        let Some(transition) = transition(net, number)? else { continue };
        let fires = net.fire(marking, transition).is_ok();
        require!(RunEnabled, fires, "“{}” cannot fire on the way from marking {home}", net.transition_name(transition));
    }
    let missing = open.first().map_or(0, |goal| goal.0);
    require!(HomesGoal, open.is_empty(), "the way from marking {home} does not come to goal {missing}");
    Ok(())
}

/// Checks that some marking can be reached from which the goal cannot.
pub(crate) fn check_lost(net: &Net, goal: &Formula, lost: &Lost, budget: &mut Budget) -> Result<(), Refusal> {
    let marking = run::end(net, &Run { word: lost.word.clone() }, budget)?;
    budget.spend(u64::try_from(net.arc_count().saturating_add(net.place_count())).unwrap_or(u64::MAX))?;
    let from_there = net.clone().with_initial(&marking);
    check_goal(&from_there, goal, Claim::Unreachable, &lost.evidence, budget)
}
