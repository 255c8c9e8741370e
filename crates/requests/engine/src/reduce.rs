//! Exact reductions: a smaller system with the same behaviours.
//!
//! The rules, their conditions and their proofs are those of
//! [`serval_proof::script`]; here they are *found*. A rule's finder looks at the
//! present system and proposes an entry of a script; the entry is applied by
//! the code that the checker uses, so that the two cannot disagree about what
//! it does, only about whether it may, and that the checker decides.
//!
//! # Order, and why it ends
//!
//! Cheap rules come first: identity elimination and pair pruning after every change,
//! then waiting that gains nothing, movers, dominated steps; merging nodes and
//! merging global states, which compare all with all, only where none of these
//! does anything more. A pass over the rules is followed by another only if
//! it lowered the measure: the number of points that are landed on and not
//! done plus the number of points of inner nodes that are departed from, and
//! then the number of steps. No rule raises the first number but `split`, which
//! happens at most once for each initial node, as copies are never landed on.
//! Everything is counted in ticks. A rule that costs too many is left out, and
//! the others go on; what was reached stands, and more ticks go on from there.

mod dominated;
mod game;
mod identity_elimination;
mod movers;
mod quotient;
mod reach;
pub(crate) mod track;
mod waiting_elimination;

use serval_budget::{Budget, Stopped};
use serval_model::NormalForm;
use serval_proof::script::{Entry, Reduced, Side};

/// A script and the system that it leaves.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The entries, in order.
    pub script: Vec<Entry>,
    /// What they leave.
    pub reduced: Reduced,
}

impl Reduction {
    /// Nothing done yet.
    pub fn new(form: NormalForm) -> Self {
        Self { script: Vec::new(), reduced: Reduced::new(form) }
    }

    /// The system now.
    pub fn form(&self) -> &NormalForm {
        self.reduced.form()
    }

    /// Applies an entry.
    pub(crate) fn push(&mut self, entry: Entry, budget: &mut Budget) -> Result<(), Stopped> {
        self.reduced.apply(&entry, budget)?;
        self.script.push(entry);
        Ok(())
    }
}

/// Makes the list of the rules, in the order in which they are tried, each with
/// its name in files and what finds entries for it.
macro_rules! finders {
    ($($(#[$about:meta])* $name:literal: $rule:ident => $find:expr;)+) => {
        /// The rules, one by one, for those who try them alone.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule {
            $($(#[$about])* $rule,)+
        }

        /// All rules, in the order in which they are tried.
        pub const RULES: &[Rule] = &[$(Rule::$rule),+];

        impl Rule {
            /// The name, as in the entries of scripts.
            pub fn name(self) -> &'static str {
                match self { $(Self::$rule => $name,)+ }
            }

            /// The entries that the rule has for a system, one after the other.
            fn find(self, reduced: &Reduced, budget: &mut Budget) -> Result<Vec<Entry>, Stopped> {
                let find: fn(&Reduced, &mut Budget) -> Result<Vec<Entry>, Stopped> = match self { $(Self::$rule => $find,)+ };
                find(reduced, budget)
            }
        }
    };
}

finders! {
    /// Identity steps taken when landed on.
    "fold": IdentityElimination => identity_elimination::find;
    /// Steps that no complete run makes.
    "pairs": Pairs => |_, _| Ok(vec![Entry::Pairs]);
    /// Waiting that gains nothing.
    "closure": WaitingElimination => waiting_elimination::find;
    /// Landings that need not be interrupted.
    "right": Right => |reduced, budget| movers::find(reduced, Side::Right, budget);
    /// Departures that need not be interrupted.
    "left": Left => |reduced, budget| movers::find(reduced, Side::Left, budget);
    /// Steps for which there is a better one.
    "dominated": Dominated => dominated::find;
    /// Nodes that can do the same.
    "locals": LocalQuotient => quotient::find_locals;
    /// Global states under which everything goes the same.
    "globals": GlobalQuotient => quotient::find_globals;
    /// Requests at some nodes are counted in the global state.
    "track": Track => |reduced, _| Ok(track::candidates(reduced.form()).into_iter().take(1).map(Entry::Track).collect());
}

/// Of the ticks that are left a rule may use one part of this number of parts.
const PART: u64 = 4;
/// The rules that are tried again after every change.
const TIDY: &[Rule] = &[Rule::IdentityElimination, Rule::Pairs];
/// The rules that compare everything with everything, and are tried only where
/// no other does anything any more.
const LATE: &[Rule] = &[Rule::LocalQuotient, Rule::GlobalQuotient];

/// Rules that make a system larger, and are tried only when nothing else helps.
const APART: &[Rule] = &[Rule::Track];

/// How far a reduction has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    /// No rule has anything more to do.
    Complete,
    /// A rule was left out because it costs too much.
    Partial,
}

/// Reduces as far as the rules go, or the ticks. A rule that costs more than a
/// part of what is left is left out; the others go on without it. What is
/// reached stands, so that more ticks go on from there.
pub fn reduce(reduction: &mut Reduction, budget: &mut Budget) -> Result<Extent, Stopped> {
    let early: Vec<Rule> = RULES.iter().filter(|rule| ![TIDY, LATE, APART].iter().any(|others| others.contains(rule))).copied().collect();
    let mut extent = tidy(reduction, budget)?;
    loop {
        let before = measure(reduction.form());
        extent = extent.max(pass(reduction, &early, budget)?);
        if measure(reduction.form()) >= before {
            extent = extent.max(pass(reduction, LATE, budget)?);
            if measure(reduction.form()) >= before {
                return Ok(extent);
            }
        }
    }
}

/// Tries rules one after the other, and tidies up after each that does something.
fn pass(reduction: &mut Reduction, rules: &[Rule], budget: &mut Budget) -> Result<Extent, Stopped> {
    let mut extent = Extent::Complete;
    for &rule in rules {
        match attempt(reduction, rule, budget)? {
            Some(true) => extent = extent.max(tidy(reduction, budget)?),
            Some(false) => {}
            None => extent = Extent::Partial,
        }
    }
    Ok(extent)
}

/// Takes identity steps where they are landed on, and prunes.
fn tidy(reduction: &mut Reduction, budget: &mut Budget) -> Result<Extent, Stopped> {
    let mut extent = Extent::Complete;
    for &rule in TIDY {
        if attempt(reduction, rule, budget)?.is_none() {
            extent = Extent::Partial;
        }
    }
    Ok(extent)
}

/// Applies a rule and says whether it changed anything; `None` if it costs more
/// than its part of the ticks.
fn attempt(reduction: &mut Reduction, rule: Rule, budget: &mut Budget) -> Result<Option<bool>, Stopped> {
    if reduction.form().is_atomic() {
        return Ok(Some(false));
    }
    let mut part = budget.part(budget.left() / PART);
    let had = part.left();
    let fired = apply_rule(reduction, rule, &mut part);
    budget.spend(had - part.left())?;
    match fired {
        Ok(fired) => Ok(Some(fired)),
        Err(Stopped::OutOfTicks) => Ok(None),
        Err(Stopped::Cancelled) => Err(Stopped::Cancelled),
    }
}

/// Applies one rule once, as far as it goes, and says whether it changed
/// anything.
pub fn apply_rule(reduction: &mut Reduction, rule: Rule, budget: &mut Budget) -> Result<bool, Stopped> {
    let found = rule.find(&reduction.reduced, budget)?;
    if found.is_empty() {
        return Ok(false);
    }
    let before = reduction.form().clone();
    for entry in found {
        reduction.push(entry, budget)?;
    }
    Ok(*reduction.form() != before)
}

/// What falls from pass to pass.
fn measure(form: &NormalForm) -> (usize, usize) {
    let mut landed: Vec<_> = form.steps().iter().map(|step| step.target()).filter(|&(node, _)| !form.is_done(node)).collect();
    landed.sort_unstable();
    landed.dedup();
    let mut departed: Vec<_> = form.steps().iter().map(|step| step.source()).filter(|&(node, _)| !form.is_initial(node)).collect();
    departed.dedup();
    (landed.len() + departed.len(), form.steps().len())
}
