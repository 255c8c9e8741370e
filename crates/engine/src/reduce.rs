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
//! then waiting that gains nothing, movers, dominated steps, merging nodes,
//! merging global states. A pass over all rules is followed by another only if
//! it lowered the measure: the number of points that are landed on and not
//! done plus the number of points of inner nodes that are departed from, and
//! then the number of steps. No rule raises the first number but `split`, which
//! happens at most once for each initial node, as copies are never landed on.
//! Everything is counted in ticks; when they run out, what was reached stands.

mod dominated;
mod game;
mod identity_elimination;
mod movers;
mod quotient;
mod reach;
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
    fn push(&mut self, entry: Entry, budget: &mut Budget) -> Result<(), Stopped> {
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
}

/// The rules that are tried again after every change.
const TIDY: &[Rule] = &[Rule::IdentityElimination, Rule::Pairs];

/// Reduces as far as the rules go, or the ticks. Says whether it came to an end.
pub fn reduce(reduction: &mut Reduction, budget: &mut Budget) -> Result<(), Stopped> {
    tidy(reduction, budget)?;
    loop {
        let before = measure(reduction.form());
        for &rule in RULES.iter().filter(|rule| !TIDY.contains(rule)) {
            if reduction.form().is_atomic() {
                return Ok(());
            }
            // A rule that costs too much here is left out; others may still do.
            let mut part = budget.part(budget.left() / 4);
            let had = part.left();
            let fired = apply_rule(reduction, rule, &mut part);
            budget.spend(had - part.left())?;
            match fired {
                Ok(true) => tidy(reduction, budget)?,
                Ok(false) | Err(Stopped::OutOfTicks) => {}
                Err(Stopped::Cancelled) => return Err(Stopped::Cancelled),
            }
        }
        if measure(reduction.form()) >= before {
            return Ok(());
        }
    }
}

/// Takes identity steps where they are landed on, and prunes.
fn tidy(reduction: &mut Reduction, budget: &mut Budget) -> Result<(), Stopped> {
    for &rule in TIDY {
        if !reduction.form().is_atomic() {
            apply_rule(reduction, rule, budget)?;
        }
    }
    Ok(())
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
