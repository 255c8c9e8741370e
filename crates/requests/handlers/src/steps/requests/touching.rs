//! Which functions and values have to do with what is shared.

use std::collections::BTreeSet;

use serval_diagnostic::Span;

use super::super::state::Maker;
use super::super::values::{ARR, PROM, REC, Static, Val};
use crate::form::{ClassId, Expr, ExprKind, FunId};
use crate::walk;

impl Maker<'_> {
    /// Whether a function uses what is shared.
    pub(in crate::steps) fn touches(&self, id: FunId) -> bool {
        self.uses_shared(id, true)
    }

    pub(super) fn uses_shared(&self, id: FunId, of_this: bool) -> bool {
        let (mut open, mut seen) = (vec![(id, of_this)], BTreeSet::new());
        let mut found = false;
        while let Some((id, of_this)) = open.pop() {
            if !seen.insert(id) || found {
                continue;
            }
            found |= self.hidden.contains(&id);
            walk::function(id, self.module, &mut |e| {
                found |= match &e.kind {
                    ExprKind::This => of_this,
                    ExprKind::Assign(target, _) | ExprKind::Update(target, ..) => {
                        walk::root(target).is_some_and(|root| self.is_of_others(root))
                    }
                    _ => false,
                }
            });
            let span = self.module.function(id).span;
            let first = self.module.mentions.partition_point(|(at, _)| *at < span.start);
            for (_, variable) in self.module.mentions[first..].iter().take_while(|(at, _)| *at < span.end) {
                match self.module_vals.get(variable) {
                    // What is declared behind this may be anything.
                    None => found = true,
                    Some(val) => found |= self.is_shared_or_calls(val, &mut open),
                }
            }
        }
        found
    }

    /// Whether this is an object that the file imports, or a name that it does not declare: a field of it is kept
    /// there.
    pub(super) fn is_of_others(&self, root: &Expr) -> bool {
        match &root.kind {
            ExprKind::Import(..) | ExprKind::Global(_) => true,
            ExprKind::Var(variable) => {
                self.module_vals.get(variable).is_some_and(|val| matches!(val.statically(), Some(Static::Outside(_) | Static::Builtin(_))))
            }
            _ => false,
        }
    }

    /// A function that the module makes in a call, which may keep what is shared in variables of the call.
    pub(in crate::steps) fn made_in_call(&mut self, id: FunId) {
        let hides = walk::captured(id, self.module).into_iter().any(|variable| {
            let known = self.cell_of(variable).and_then(|cell| self.now.known.get(&cell.base));
            match known.map(|val| (val, val.statically())) {
                _ if self.assigned.contains(&variable) => true,
                Some((_, Some(Static::Function { id, .. }))) => self.touches(*id),
                Some((_, Some(Static::Outside(_) | Static::Given(_) | Static::Framework(_)))) => false,
                Some((val, None)) => val.tags.iter().any(|tag| [ARR, REC, PROM].contains(tag)),
                _ => true,
            }
        });
        if hides {
            self.hidden.insert(id);
        }
    }

    /// Whether a value has a function that touches what is shared.
    pub(in crate::steps) fn has_touching(&self, val: &Val) -> bool {
        match val.statically() {
            Some(Static::Function { id, .. }) => self.touches(*id),
            Some(Static::Tuple(list)) => list.iter().any(|inner| self.has_touching(inner)),
            _ => val.fields.values().any(|inner| self.has_touching(inner)),
        }
    }

    /// Whether a class uses the state of the module.
    pub(super) fn class_touches(&self, id: ClassId) -> bool {
        let mut open = Vec::new();
        self.class_opens(id, &mut open) || open.into_iter().any(|(function, of_this)| self.uses_shared(function, of_this))
    }

    /// Whether a class uses what is shared where it is not in functions; those are to be looked at. What an instance of
    /// a request has is its own.
    fn class_opens(&self, id: ClassId, open: &mut Vec<(FunId, bool)>) -> bool {
        let class = self.module.class(id);
        if class.hides {
            return true;
        }
        open.extend(class.methods.iter().map(|method| method.function).chain(class.constructor).map(|id| (id, false)));
        let extends = match class.extends.as_ref().map(|extended| &extended.kind) {
            None => false,
            Some(ExprKind::Global(name)) => name != "Error",
            Some(ExprKind::Var(variable)) => match self.module_vals.get(variable).and_then(Val::statically) {
                Some(Static::Class(base)) if base.0 < id.0 => self.class_opens(*base, open),
                _ => true,
            },
            Some(_) => true,
        };
        // The initial values of fields, of which one may add to a counter.
        extends || class.fields.iter().any(|(_, value)| value.as_ref().is_some_and(|value| self.names_shared(value.span, open)))
    }

    /// Whether a part of the text names what is shared.
    fn names_shared(&self, span: Span, open: &mut Vec<(FunId, bool)>) -> bool {
        let first = self.module.mentions.partition_point(|(at, _)| *at < span.start);
        let mut found = false;
        for (_, variable) in self.module.mentions[first..].iter().take_while(|(at, _)| *at < span.end) {
            found |= match self.module_vals.get(variable) {
                // What is declared behind this may be anything.
                None => true,
                // A class in its own text.
                Some(val) if matches!(val.statically(), Some(Static::Class(_))) => false,
                Some(val) => self.is_shared_or_calls(val, open),
            };
        }
        found
    }

    /// Whether a value of the module is shared; functions in it are to be looked at.
    pub(super) fn is_shared_or_calls(&self, val: &Val, open: &mut Vec<(FunId, bool)>) -> bool {
        match val.statically() {
            Some(Static::Function { id, .. }) => {
                open.push((*id, true));
                false
            }
            Some(Static::Builtin(name)) => name == "shared",
            Some(Static::Object(..) | Static::Map(_) | Static::Set(_) | Static::Array(_)) => true,
            Some(Static::Class(class)) => self.class_opens(*class, open),
            _ => {
                let mut found = false;
                for field in val.fields.values() {
                    found |= self.is_shared_or_calls(field, open);
                }
                found
            }
        }
    }
}
