//! Structural reductions (Berthelot 1986): a smaller net for one goal.
//!
//! Why the goal is out of reach where it is so in the smaller net is said at the head of [`serval_net_proof::script`].
//! The rules here keep more than that, so that a run of the smaller net can be lifted to the whole one, too:
//!
//! - *dead transitions*: an input place is in the greatest siphon that is empty in the beginning;
//! - *like transitions*: of those with the same effect one that needs no more stays;
//! - *idle transitions*: they change nothing, and the goal is not that nothing can fire;
//! - *sinks*: places from which no transition takes; the goal does not speak of them;
//! - *constant places*: no transition changes them, and they have enough for all;
//! - *twins*: of places with the same arcs that with the fewest tokens stays;
//! - *irrelevant places* (Rakow 2008): the goal does not speak of them, nor do they matter, over any number of
//!   transitions, for places of which it does. What changes only such places is idle then;
//! - *divided places*: a number divides the weights of all arcs of a place;
//! - *post* and *pre*: what gives to a place fires together with what takes from it, where that makes no more
//!   transitions than there were;
//! - *implicit places*: other places show that they have enough whenever a transition has all else that it needs.
//!
//! They are tried in this order, from the first again as long as one of them leaves out something.
//!
//! **Lifting.** A transition of the smaller net stands for some of the net before, one after the other. Where nothing
//! can fire in the net that `pre` leaves, transitions that give to its places may still fire in the net before: a run
//! goes on with these until none can. They take from places from which nothing else takes, so that then nothing can.

mod agglomeration;
mod places;
mod rules;

use serval_budget::{Budget, Cancel};
use serval_net_proof::{Evidence, Item, LeftOut, Run, Script, run};
use serval_petri::{Formula, Marking, Net, TransitionId};

/// A net from which something was left out, for a goal.
pub struct Reduced {
    /// What is left.
    pub net: Net,
    /// The goal in it.
    pub goal: Formula,
    /// What was left out, in order.
    pub entries: Vec<LeftOut>,
    /// How runs are lifted over each of them.
    lifts: Vec<Lift>,
}

/// How a run is lifted over an entry.
struct Lift {
    /// By transition of the net that is left what it stands for.
    words: Vec<Vec<u32>>,
    /// The net before, and what may still fire in it.
    rest: Option<(Net, Vec<TransitionId>)>,
}

/// A rule: what it leaves out of a net for a goal.
pub type ReductionRule = fn(&Net, &Formula) -> Option<LeftOut>;

/// The rules, each with its name, in the order in which they are tried.
pub const RULES: [(&str, ReductionRule); 11] = [
    ("dead", rules::dead_transitions),
    ("like", rules::like_transitions),
    ("idle", rules::idle_transitions),
    ("sinks", rules::sinks),
    ("constant", rules::constant_places),
    ("twins", rules::twins),
    ("irrelevant", rules::irrelevant_places),
    ("divided", places::divided),
    ("post", agglomeration::post),
    ("pre", agglomeration::pre),
    ("implicit", places::implicit),
];

/// The rules with these names, in the order in which they are tried.
pub fn rules_named<'a>(names: &[impl AsRef<str>]) -> Vec<(&'a str, ReductionRule)> {
    RULES.into_iter().filter(|rule| names.iter().any(|name| name.as_ref() == rule.0)).collect()
}

/// Reduces a net for a goal by some rules; nothing where none leaves out anything. Where the flag is raised, no more is
/// left out.
pub fn reduced_by(net: &Net, goal: &Formula, rules: &[(&str, ReductionRule)], cancel: &Cancel) -> Option<Reduced> {
    let mut left = Reduced { net: net.clone(), goal: goal.clone(), entries: Vec::new(), lifts: Vec::new() };
    // What does not fit is not left out.
    let apply = |left: &Reduced, rule: ReductionRule| {
        let entry = if cancel.is_cancelled() { None } else { rule(&left.net, &left.goal) }?;
        let smaller = entry.applied(&left.net, &left.goal)?;
        Some((entry, smaller))
    };
    while let Some((entry, smaller)) = rules.iter().find_map(|rule| apply(&left, rule.1)) {
        let rest = agglomeration::rest(&left.net, &left.goal, &entry);
        left.lifts.push(Lift { words: smaller.words, rest: rest.map(|rest| (left.net, rest)) });
        left.entries.push(entry);
        (left.net, left.goal) = (smaller.net, smaller.goal);
    }
    (!left.entries.is_empty()).then_some(left)
}

impl Reduced {
    /// Evidence about the whole net from evidence about what is left: a run is lifted, and why the goal is out of reach
    /// has the script before it.
    pub fn lifted(&self, evidence: Evidence) -> Evidence {
        match evidence {
            Evidence::Run(run) => Evidence::Run(self.lifts.iter().rev().fold(run, |run, lift| lift.lifted(run))),
            other => Evidence::Script(Script { entries: self.entries.clone(), evidence: Box::new(other) }),
        }
    }
}

impl Lift {
    /// The run in the net before.
    fn lifted(&self, run: Run) -> Run {
        let word = |number: u32| self.words.get(number as usize).cloned().unwrap_or_else(|| vec![u32::MAX]);
        let mut items: Vec<Item> = Vec::with_capacity(run.word.len());
        for item in run.word {
            match item {
                Item::Fire(number) => items.extend(word(number).into_iter().map(Item::Fire)),
                Item::Repeat(times, repeated) => items.push(Item::Repeat(times, repeated.into_iter().flat_map(word).collect())),
            }
        }
        let mut lifted = Run { word: items };
        if let Some((net, rest)) = &self.rest
            && let Ok(mut marking) = run::end(net, &lifted, &mut Budget::unlimited())
        {
            for &transition in rest {
                lifted.word.extend(emptied(net, &mut marking, transition));
            }
        }
        lifted
    }
}

/// Fires a transition, which gives to no place from which it takes, until it cannot.
fn emptied(net: &Net, marking: &mut Marking, transition: TransitionId) -> Option<Item> {
    let often = net.inputs(transition).iter().map(|&(place, weight)| marking.tokens(place).checked_div(weight).unwrap_or(0));
    let times = often.min().filter(|times| *times > 0)?;
    let tokens = marking.as_mut_vec();
    for &(place, weight) in net.inputs(transition) {
        // So often that is there.
        let left = &mut tokens[place.index()];
        *left = left.saturating_sub(times.saturating_mul(weight));
    }
    let number = u32::try_from(transition.index()).ok()?;
    Some(Item::Repeat(times, vec![number]))
}
