//! Going through a form.

use std::collections::BTreeSet;

use crate::form::{AssignTarget, Expr, ExprKind, FunId, ListItem, Module, Stmt, StmtKind, VarId};

/// Shows all expressions of statements, outer ones first; functions in them are entered where `inside` is given.
pub(crate) fn expressions(list: &[Stmt], inside: Option<&Module>, see: &mut dyn FnMut(&Expr)) {
    for one in list {
        match &one.kind {
            StmtKind::Expr(e) | StmtKind::Throw(e) => expression(e, inside, see),
            StmtKind::Let(_, value) | StmtKind::Return(value) => {
                if let Some(e) = value {
                    expression(e, inside, see);
                }
            }
            StmtKind::If(condition, yes, no) => {
                expression(condition, inside, see);
                expressions(yes, inside, see);
                expressions(no, inside, see);
            }
            StmtKind::Loop { test, body, update, .. } => {
                for e in [test, update].into_iter().flatten() {
                    expression(e, inside, see);
                }
                expressions(body, inside, see);
            }
            StmtKind::Try { body, catch, finally } => {
                expressions(body, inside, see);
                if let Some((_, body)) = catch {
                    expressions(body, inside, see);
                }
                if let Some(body) = finally {
                    expressions(body, inside, see);
                }
            }
            StmtKind::Block(body) => expressions(body, inside, see),
            StmtKind::Break | StmtKind::Continue | StmtKind::Unsupported(_) => {}
        }
    }
}

/// The same of an expression.
pub(crate) fn expression(e: &Expr, inside: Option<&Module>, see: &mut dyn FnMut(&Expr)) {
    see(e);
    let mut go = |inner: &Expr| expression(inner, inside, see);
    match &e.kind {
        ExprKind::Template(_, parts) => parts.iter().for_each(go),
        ExprKind::Object(items) | ExprKind::Array(items) => each(items, &mut go),
        ExprKind::Member(inner, _)
        | ExprKind::Not(inner)
        | ExprKind::Negate(inner)
        | ExprKind::Void(inner)
        | ExprKind::Elements(inner)
        | ExprKind::Await(inner) => go(inner),
        ExprKind::Index(left, right)
        | ExprKind::InstanceOf(left, right)
        | ExprKind::In(left, right)
        | ExprKind::ElementAt(left, right)
        | ExprKind::Binary(_, left, right)
        | ExprKind::Logical(_, left, right)
        | ExprKind::Bind(_, left, right) => {
            go(left);
            go(right);
        }
        ExprKind::Call(callee, items) | ExprKind::New(callee, items) => {
            go(callee);
            each(items, &mut go);
        }
        ExprKind::Assign(target, value) | ExprKind::Update(target, _, value, _) => {
            match target {
                AssignTarget::Var(_) => {}
                AssignTarget::Member(object, _) => go(object),
                AssignTarget::Index(object, index) => {
                    go(object);
                    go(index);
                }
            }
            go(value);
        }
        ExprKind::Conditional(one, two, three) => {
            go(one);
            go(two);
            go(three);
        }
        ExprKind::Function(id) => {
            if let Some(module) = inside {
                function(*id, module, see);
            }
        }
        _ => {}
    }
}

/// The same of a function.
pub(crate) fn function(id: FunId, module: &Module, see: &mut dyn FnMut(&Expr)) {
    expressions(&module.function(id).body, Some(module), see);
}

fn each(items: &[ListItem], see: &mut dyn FnMut(&Expr)) {
    for item in items {
        match item {
            ListItem::One(_, e) | ListItem::Spread(e) => see(e),
        }
    }
}

/// The variables that statements assign to, functions in them included where they are written.
pub(crate) fn assigned_in(list: &[Stmt], found: &mut BTreeSet<VarId>) {
    expressions(list, None, &mut |e| note_assigned(e, found));
}

pub(crate) fn assigned_by(e: &Expr, found: &mut BTreeSet<VarId>) {
    expression(e, None, &mut |e| note_assigned(e, found));
}

fn note_assigned(e: &Expr, found: &mut BTreeSet<VarId>) {
    match &e.kind {
        ExprKind::Assign(target, _) | ExprKind::Update(target, ..) => match target {
            AssignTarget::Var(variable) => {
                found.insert(*variable);
            }
            // A record of a request that is changed.
            AssignTarget::Member(object, _) => {
                if let ExprKind::Var(variable) = &object.kind {
                    found.insert(*variable);
                }
            }
            AssignTarget::Index(..) => {}
        },
        _ => {}
    }
}

/// The variables that are assigned themselves, and not only their fields.
pub(crate) fn replaced(module: &Module) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    for function in &module.functions {
        expressions(&function.body, None, &mut |e| {
            if let ExprKind::Assign(AssignTarget::Var(variable), _) | ExprKind::Update(AssignTarget::Var(variable), ..) = &e.kind {
                found.insert(*variable);
            }
        });
    }
    found
}

/// The variables of functions around that a function names.
pub(crate) fn captured(id: FunId, module: &Module) -> BTreeSet<VarId> {
    let (mut named, mut own) = (BTreeSet::new(), BTreeSet::new());
    let mut functions = vec![id];
    function(id, module, &mut |e| match &e.kind {
        ExprKind::Var(variable) => {
            named.insert(*variable);
        }
        ExprKind::Assign(AssignTarget::Var(variable), _) | ExprKind::Update(AssignTarget::Var(variable), ..) => {
            named.insert(*variable);
        }
        ExprKind::Bind(variable, ..) => {
            own.insert(*variable);
        }
        ExprKind::Function(id) => functions.push(*id),
        _ => {}
    });
    for id in functions {
        let function = module.function(id);
        own.extend(&function.params);
        declared(&function.body, &mut own);
    }
    named.into_iter().filter(|variable| !own.contains(variable) && !module.variable(*variable).module).collect()
}

/// The variables that statements declare.
fn declared(list: &[Stmt], found: &mut BTreeSet<VarId>) {
    for one in list {
        match &one.kind {
            StmtKind::Let(variable, _) => {
                found.insert(*variable);
            }
            StmtKind::If(_, yes, no) => {
                declared(yes, found);
                declared(no, found);
            }
            StmtKind::Loop { body, .. } | StmtKind::Block(body) => declared(body, found),
            StmtKind::Try { body, catch, finally } => {
                declared(body, found);
                if let Some((bound, body)) = catch {
                    found.extend(bound);
                    declared(body, found);
                }
                declared(finally.as_deref().unwrap_or_default(), found);
            }
            _ => {}
        }
    }
}

/// What stands at the left of all dots of a target, if it is a field or an element.
pub(crate) fn root(target: &AssignTarget) -> Option<&Expr> {
    let mut root = match target {
        AssignTarget::Var(_) => return None,
        AssignTarget::Member(object, _) | AssignTarget::Index(object, _) => &**object,
    };
    while let ExprKind::Member(object, _) | ExprKind::Index(object, _) = &root.kind {
        root = object;
    }
    Some(root)
}

/// How many `return`s with a value a function has, not counting those of functions in it.
pub(crate) fn returns(list: &[Stmt]) -> usize {
    list.iter()
        .map(|one| match &one.kind {
            StmtKind::Return(_) => 1,
            StmtKind::If(_, yes, no) => returns(yes) + returns(no),
            StmtKind::Loop { body, .. } | StmtKind::Block(body) => returns(body),
            StmtKind::Try { body, catch, finally } => {
                returns(body) + catch.as_ref().map_or(0, |(_, body)| returns(body)) + finally.as_ref().map_or(0, |body| returns(body))
            }
            _ => 0,
        })
        .sum()
}

/// Whether statements may pause.
pub(crate) fn pauses(module: &Module, list: &[Stmt]) -> bool {
    let mut found = false;
    expressions(list, Some(module), &mut |e| found |= matches!(e.kind, ExprKind::Await(_) | ExprKind::Call(..)));
    found
}
