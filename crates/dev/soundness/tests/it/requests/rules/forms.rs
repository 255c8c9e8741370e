//! Normal forms in short notation, and what they do.

use std::convert::Infallible;

use serval_budget::{Budget, Cancel};
use serval_engine::reduce::{RULES, Reduction, apply_rule, reduce};
use serval_random::Behaviours;

use serval_model::{NetworkSystem, Node, NodeKind, NodeStep, NormalForm, RequestId, ResponseId, SystemBuilder};
use serval_proof::script::{Entry, Mover, Reduced, Side, check_script};
use serval_proof::{Caps, Refusal, Work};

/// A normal form as `rules` writes them: nodes by any numbers, steps
/// `[l, g, l', g']`, one request; each done node is an answer of its own.
pub(crate) struct Short {
    pub(crate) init: &'static [u32],
    pub(crate) done: &'static [u32],
    pub(crate) steps: &'static [[u32; 4]],
}

impl Short {
    fn numbers(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = self.steps.iter().flat_map(|&[l, _, m, _]| [l, m]).chain(self.init.iter().copied()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// The number of a node in the normal form.
    pub(crate) fn node(&self, number: u32) -> Node {
        u32::try_from(self.numbers().binary_search(&number).unwrap()).unwrap()
    }

    /// The normal form; the initial global state is 0.
    pub(crate) fn form(&self) -> NormalForm {
        let kind = |number: &u32| match self.done.iter().position(|done| done == number) {
            Some(at) => NodeKind::Done(ResponseId::from_index(at)),
            None if self.init.contains(number) => NodeKind::Initial,
            None => NodeKind::Inner,
        };
        let nodes = self.numbers().iter().map(|number| (RequestId::from_index(0), kind(number))).collect();
        let globals = self.steps.iter().flat_map(|&[_, g, _, h]| [g, h]).max().unwrap() + 1;
        let step = |&[l, g, m, h]: &[u32; 4]| NodeStep { node: self.node(l), global: g, to_node: self.node(m), to_global: h };
        NormalForm::from_parts(globals, 0, nodes, self.steps.iter().map(step).collect())
    }

    /// A system whose request and responses the normal form names.
    pub(crate) fn names(&self) -> NetworkSystem {
        let mut builder = SystemBuilder::new();
        let global = builder.global("g0");
        builder.request("r");
        for done in self.done {
            builder.response(&format!("a{done}"));
        }
        builder.finish(global)
    }

    /// All that up to four requests can do in a system that has these nodes.
    pub(crate) fn behaviours(&self, form: &NormalForm) -> Behaviours {
        Behaviours::with(&form.to_system(&self.names()), 4, u64::MAX).unwrap()
    }

    /// Whether a system that was made of this one still does the same.
    pub(crate) fn is_kept_by(&self, form: &NormalForm) -> bool {
        self.behaviours(&self.form()) == self.behaviours(form)
    }

    /// Every rule of ours, alone and together, keeps what this system does.
    pub(crate) fn is_kept_by_our_rules(&self) -> bool {
        let alone = RULES.iter().all(|&rule| {
            let mut reduction = Reduction::new(self.form());
            apply_rule(&mut reduction, rule, &mut Budget::ticks(1_000_000)).unwrap();
            self.verify(&reduction.script).is_ok() && self.is_kept_by(reduction.form())
        });
        let mut reduction = Reduction::new(self.form());
        reduce(&mut reduction, &mut Budget::ticks(1_000_000)).unwrap();
        alone && self.verify(&reduction.script).is_ok() && self.is_kept_by(reduction.form())
    }

    /// What the checker says of a script.
    pub(crate) fn verify(&self, script: &[Entry]) -> Result<Reduced, Refusal<Infallible>> {
        check_script(self.form(), script, &mut Work::new(&Caps::default(), &Cancel::new()))
    }

    /// The condition by which the checker refuses a script.
    pub(crate) fn refused_by(&self, script: &[Entry]) -> &'static str {
        match self.verify(script) {
            Err(Refusal::Invalid(rejection)) => rejection.condition.name(),
            other => panic!("{other:?}"),
        }
    }

    /// A mover without listed paths, with points as in the notation.
    pub(crate) fn mover(&self, side: Side, points: &[(u32, u32)]) -> Entry {
        let points = points.iter().map(|&(number, global)| (self.node(number), vec![global])).collect();
        let mover = Mover { points, witnesses: Vec::new() };
        if side == Side::Right { Entry::Right(mover) } else { Entry::Left(mover) }
    }

    /// What an entry leaves, whether or not it may be applied.
    pub(crate) fn applied(&self, entry: &Entry) -> NormalForm {
        let mut reduced = Reduced::new(self.form());
        reduced.apply(entry, &mut Budget::unlimited()).unwrap();
        reduced.form().clone()
    }
}
