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
//! Cheap rules come first: identity folds and pair pruning after every change,
//! then waiting that gains nothing, movers, dominated steps, merging nodes,
//! merging global states. A pass over all rules is followed by another only if
//! it lowered the measure: the number of points that are landed on and not
//! done plus the number of points of inner nodes that are departed from, and
//! then the number of steps. No rule raises the first number but `split`, which
//! happens at most once for each initial node, as copies are never landed on.
//! Everything is counted in ticks; when they run out, what was reached stands.

mod closure;
mod dominated;
mod fold;
mod game;
mod movers;
mod quotient;
mod reach;

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

    /// Applies an entry if there is one, and says whether there was.
    fn push_found(&mut self, entry: Option<Entry>, budget: &mut Budget) -> Result<bool, Stopped> {
        let Some(entry) = entry else { return Ok(false) };
        self.push(entry, budget)?;
        Ok(true)
    }
}

/// The rules, one by one, for those who try them alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// Identity steps taken when landed on.
    Fold,
    /// Steps that no complete run makes.
    Pairs,
    /// Waiting that gains nothing.
    Closure,
    /// Landings that need not be interrupted.
    Right,
    /// Departures that need not be interrupted.
    Left,
    /// Steps for which there is a better one.
    Dominated,
    /// Nodes that can do the same.
    Locals,
    /// Global states under which everything goes the same.
    Globals,
}

/// All rules, in the order in which they are tried.
pub const RULES: &[Rule] = &[Rule::Fold, Rule::Pairs, Rule::Closure, Rule::Right, Rule::Left, Rule::Dominated, Rule::Locals, Rule::Globals];

/// Reduces as far as the rules go, or the ticks. Says whether it came to an end.
pub fn reduce(reduction: &mut Reduction, budget: &mut Budget) -> Result<(), Stopped> {
    tidy(reduction, budget)?;
    loop {
        let before = measure(reduction.form());
        for &rule in &RULES[2..] {
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

/// Folds and prunes.
fn tidy(reduction: &mut Reduction, budget: &mut Budget) -> Result<(), Stopped> {
    if reduction.form().is_atomic() {
        return Ok(());
    }
    apply_rule(reduction, Rule::Fold, budget)?;
    if !reduction.form().is_atomic() {
        apply_rule(reduction, Rule::Pairs, budget)?;
    }
    Ok(())
}

/// Applies one rule once, as far as it goes, and says whether it changed
/// anything.
pub fn apply_rule(reduction: &mut Reduction, rule: Rule, budget: &mut Budget) -> Result<bool, Stopped> {
    match rule {
        Rule::Fold => {
            let entry = fold::find(reduction.form(), budget)?;
            reduction.push_found(entry, budget)
        }
        Rule::Pairs => {
            let before = reduction.form().steps().len();
            reduction.push(Entry::Pairs, budget)?;
            Ok(reduction.form().steps().len() < before)
        }
        Rule::Closure => {
            let entry = closure::find(reduction.form(), budget)?;
            reduction.push_found(entry, budget)
        }
        Rule::Right | Rule::Left => {
            let side = if rule == Rule::Right { Side::Right } else { Side::Left };
            let entries = movers::find(&reduction.reduced, side, budget)?;
            let found = !entries.is_empty();
            for entry in entries {
                reduction.push(entry, budget)?;
            }
            Ok(found)
        }
        Rule::Dominated => {
            let entry = dominated::find(reduction.form(), budget)?;
            reduction.push_found(entry, budget)
        }
        Rule::Locals => {
            let entry = quotient::find_locals(reduction.form(), budget)?;
            reduction.push_found(entry, budget)
        }
        Rule::Globals => {
            let entry = quotient::find_globals(reduction.form(), budget)?;
            reduction.push_found(entry, budget)
        }
    }
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
