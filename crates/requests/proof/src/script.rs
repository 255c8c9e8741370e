//! Scripts: reductions of the normal form of a system, one after the other.
//!
//! Each entry of a script names a rule and carries what makes the rule's
//! conditions local: a relation, a set of points, paths. An entry that meets
//! its conditions leaves `Int` and `Ser` as they are; the statement and the
//! proof are in the module of each rule:
//!
//! | entries | module |
//! |---|---|
//! | `split` | [`split`] |
//! | `fold` | [`identity_elimination`] |
//! | `pairs` | [`pairs`] |
//! | `locals`, `globals` | [`quotient`] |
//! | `dominated` | [`dominated`] |
//! | `closure` | [`waiting_elimination`] |
//! | `right`, `left` | [`movers`] |
//! | `track` | [`track`] |
//!
//! **Theorem.** If every entry of a script meets its conditions on the system
//! that the entries before it leave, and in the system that the last one
//! leaves every step goes from an initial to a done node (`atomic.steps`), the
//! system is serializable.
//!
//! *Proof.* The normal form has the `Int` and `Ser` of the system
//! ([`NormalForm`]), and each entry keeps both. In the last system every
//! request of a complete run makes exactly one step, so every complete run is
//! serial and `Int = Ser`. ∎
//!
//! # What is known about pairs
//!
//! Beside the system a script keeps the set of [`Pairs`] that the last `pairs`
//! entry computed: every two requests of a complete run, with a request that
//! has answered counted as at a done node, are at every moment in a pair of
//! the set. Entries after it may rely on it, because it stays true: for
//! `fold`, `dominated`, `closure` and the movers every run of the new system
//! becomes a run of the old one when its steps are replaced by the paths that
//! they stand for, and that run visits all configurations of the new one, and
//! perhaps more. For `split` a copy is where its original was. A quotient
//! forgets the set, and so does `track`.

pub mod dominated;
pub mod identity_elimination;
pub mod movers;
pub mod pairs;
pub mod quotient;
mod rule;
pub mod simulation;
pub mod split;
pub mod track;
pub mod waiting_elimination;

use serde::{Deserialize, Serialize};
use serval_budget::{Budget, Stopped};
use serval_evidence::require;
use serval_model::{Node, NormalForm};

use crate::{Checked, Work};
use identity_elimination::IdentityElimination;
use movers::Joining;
use pairs::PairPruning;
use quotient::{GlobalQuotient, LocalQuotient};
use rule::{Range, Rule};
use split::Split;

pub use dominated::Dominated;
pub use movers::{Mover, Side, Witness};
pub use pairs::Pairs;
pub use quotient::Quotient;
pub use track::Track;
pub use waiting_elimination::WaitingElimination;

/// Makes the entries of scripts from the table of rules: the name in files, the
/// entry with what it carries, and the rule.
macro_rules! rules {
    ($($(#[$about:meta])* $name:literal: $entry:ident$(($data:ident: $type:ty))? => $rule:expr;)+) => {
        /// One reduction. Nodes and global states are numbers, as in [`NormalForm`].
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum Entry {
            $($(#[$about])* #[serde(rename = $name)] $entry$(($type))?,)+
        }

        impl Entry {
            /// The name of the rule, as in the file.
            pub fn rule(&self) -> &'static str {
                match self { $(Self::$entry { .. } => $name,)+ }
            }

            /// Asks the rule.
            fn ask<T>(&self, question: impl FnOnce(&dyn Rule) -> T) -> T {
                match self { $(Self::$entry$(($data))? => question($rule),)+ }
            }
        }
    };
}

rules! {
    /// Lets requests come in at a fresh copy of an initial node.
    "split": Split(node: Node) => &Split(*node);
    /// Takes identity steps from the first node to the second when the first
    /// is landed on, one pair of nodes after the other.
    "fold": IdentityElimination(pairs: Vec<(Node, Node)>) => &IdentityElimination(pairs);
    /// Leaves out steps that no complete run makes.
    "pairs": Pairs => &PairPruning;
    /// Merges nodes that simulate each other weakly.
    "locals": LocalQuotient(quotient: Quotient) => &LocalQuotient(quotient);
    /// Merges global states that simulate each other weakly.
    "globals": GlobalQuotient(quotient: Quotient) => &GlobalQuotient(quotient);
    /// Leaves out steps for which a better one is kept.
    "dominated": Dominated(dominated: Dominated) => dominated;
    /// Leaves out waiting that gains nothing.
    "closure": WaitingElimination(waiting: WaitingElimination) => waiting;
    /// Joins steps whose landings need not be interrupted.
    "right": Right(mover: Mover) => &Joining { side: Side::Right, mover };
    /// Joins steps whose departures need not be interrupted.
    "left": Left(mover: Mover) => &Joining { side: Side::Left, mover };
    /// Counts the requests at some nodes in the global state.
    "track": Track(track: Track) => track;
}

impl Entry {
    /// Whether all numbers in the entry mean something in a system.
    pub fn in_range(&self, form: &NormalForm) -> bool {
        self.ask(|rule| rule.in_range(&Range::of(form)))
    }

    /// The node of which the entry adds a copy, with the next number, if it does.
    pub fn copied(&self) -> Option<Node> {
        self.ask(|rule| rule.copied())
    }
}

/// A system in normal form on its way through a script.
#[derive(Clone, Debug)]
pub struct Reduced {
    pub(crate) form: NormalForm,
    pub(crate) pairs: Option<Pairs>,
}

impl Reduced {
    /// Before the first entry.
    pub fn new(form: NormalForm) -> Self {
        Self { form, pairs: None }
    }

    /// The system now.
    pub fn form(&self) -> &NormalForm {
        &self.form
    }

    /// The pairs that are known to be possible; `None`: all may be.
    pub fn pairs(&self) -> Option<&Pairs> {
        self.pairs.as_ref()
    }

    /// Whether two requests may be at two nodes under a global state.
    pub fn may_meet(&self, a: Node, b: Node, global: u32) -> bool {
        self.pairs.as_ref().is_none_or(|pairs| pairs.contains(a, b, global))
    }

    /// Does what an entry says, whether or not it may. Numbers must be in range.
    ///
    /// Costs ticks in proportion to the nodes, global states and steps that are
    /// looked at and made. Does nothing if the budget ends before.
    pub fn apply(&mut self, entry: &Entry, budget: &mut Budget) -> Result<(), Stopped> {
        budget.spend(size(&self.form) as u64)?;
        entry.ask(|rule| rule.apply(self, budget))
    }

    /// Checks an entry, and does what it says.
    fn check(&mut self, entry: &Entry, work: &mut Work) -> Checked {
        let known = entry.in_range(&self.form);
        require!(ScriptNumbers, known, "a number in it is of no node, global state or step, or a class is empty");
        if !known {
            return Ok(());
        }
        work.spend(size(&self.form))?;
        entry.ask(|rule| rule.check(self, work))?;
        work.within(|budget| self.apply(entry, budget))
    }
}

/// Checks the entries of a script, whatever they lead to, and returns the system
/// that they leave: one with the same `Int` and `Ser`.
pub fn check_script(form: NormalForm, script: &[Entry], work: &mut Work) -> Checked<Reduced> {
    let mut reduced = Reduced::new(form);
    for (index, entry) in script.iter().enumerate() {
        let checked = reduced.check(entry, work);
        checked.map_err(|refusal| refusal.about(None, format!("entry {} ({})", index + 1, entry.rule())))?;
    }
    Ok(reduced)
}

/// Checks that a script leaves a system whose steps are whole requests.
///
/// If so, the system is serializable.
pub(crate) fn check_atomic(form: NormalForm, script: &[Entry], work: &mut Work) -> Checked {
    let reduced = check_script(form, script, work)?;
    for step in reduced.form.steps() {
        let (from, to) = (step.node, step.to_node);
        let whole = reduced.form.is_initial(from) && reduced.form.is_done(to);
        require!(AtomicSteps, whole, about("the end of the script"), "a step from node {from} to node {to} is not a whole request");
    }
    Ok(())
}

/// What it costs to look at all of a system once: not only its steps, because
/// nodes and global states without any have to be passed over, too.
pub(crate) fn size(form: &NormalForm) -> usize {
    form.nodes().len() + form.global_count() as usize + form.steps().len() + 1
}
